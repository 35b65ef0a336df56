# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class ParticipantsConfig(AppConfig):
    """Pages of participants across apps: the own home, teams, and toasts."""

    name = "pwscup.participants"
