from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """What is handed out at the end of a contest: certificates and the final report."""

    name = "pwscup.reports"
