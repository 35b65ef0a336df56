# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "pwscup.submissions"

    def ready(self) -> None:
        from pwscup.contests.organize import hints
        from pwscup.submissions.pages.hints import alike, another_original, solved_by_one

        hints.register(solved_by_one)
        hints.register(another_original, opens_files=True)
        hints.register(alike, opens_files=True)
