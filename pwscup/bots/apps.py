from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Teams that the platform plays itself: in the demo, and in an organizer's dry run."""

    name = "pwscup.bots"
