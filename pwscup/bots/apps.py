from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Teams played by the platform: in the demo, and in an organizer's dry run."""

    name = "pwscup.bots"
