# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "pwscup.demo"
