# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class DisclosureConfig(AppConfig):
    name = "pwscup.disclosure"
