from django.apps import AppConfig


class DisclosureConfig(AppConfig):
    name = "pwscup.disclosure"
