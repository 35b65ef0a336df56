from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class CoreConfig(AppConfig):
    name = "pwscup.core"

    def ready(self) -> None:
        autodiscover_modules("jobs")  # each registers its kinds of jobs
