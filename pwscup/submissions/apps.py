from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "pwscup.submissions"

    def ready(self) -> None:
        from pwscup.contests import hints
        from pwscup.submissions.hints import solved_by_one

        hints.register(solved_by_one)
