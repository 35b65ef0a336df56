from django.apps import AppConfig


class AuditsConfig(AppConfig):
    name = "pwscup.audits"
