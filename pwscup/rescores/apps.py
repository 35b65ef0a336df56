# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class RescoresConfig(AppConfig):
    """Changes of rules, and re-evaluation of submissions; its rows are models of `submissions`."""

    name = "pwscup.rescores"
