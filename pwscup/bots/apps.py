# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Teams played by the platform: baseline teams of contests, those of the demo, and those of a dry run."""

    name = "pwscup.bots"
