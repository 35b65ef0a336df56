# SPDX-License-Identifier: Apache-2.0

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.utils.module_loading import autodiscover_modules

from scoring import plugins


class CoreConfig(AppConfig):
    name = "pwscup.core"

    def ready(self) -> None:
        autodiscover_modules("jobs")  # each registers its kinds of jobs
        plugins.load()  # before anybody looks at a registry
        checks.register(check_programs)
        checks.register(check_plugins)


def check_plugins(**_: Any) -> list[checks.CheckMessage]:
    """Installed plugins that cannot be used, each with its reason."""
    return [
        checks.Warning(
            f"Plugin {plugin.id} of {plugin.package} {plugin.version} is left out: {plugin.fault}",
            id="pwscup.W002",
        )
        for plugin in plugins.load()
        if plugin.fault
    ]


def check_programs(**_: Any) -> list[checks.CheckMessage]:
    """Programs that cannot run as scorers, and what their sandbox lacks; nothing where none is allowed."""
    if not settings.PROGRAMS_FILE:
        return []
    from pwscup.core.installation import programs

    found: list[checks.CheckMessage] = [
        checks.Error(text, id="pwscup.E001") for text in programs.faults()
    ]
    if lacking := programs.lacking():
        text = f"Programs run without a full sandbox: this machine does not enforce {', '.join(lacking)}."
        found.append(checks.Warning(text, hint="docs/how-to/own-measures.md", id="pwscup.W001"))
    return found
