from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "pwscup.submissions"
