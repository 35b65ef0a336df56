# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class TrialsConfig(AppConfig):
    """Methods and first attacks that teams try in the browser."""

    name = "pwscup.trials"
