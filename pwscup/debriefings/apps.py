from django.apps import AppConfig


class DebriefingsConfig(AppConfig):
    name = "pwscup.debriefings"
