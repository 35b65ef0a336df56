from django.apps import AppConfig


class RescoresConfig(AppConfig):
    """Changing the rules, and evaluating again what was handed in; its rows are those of `submissions`."""

    name = "pwscup.rescores"
