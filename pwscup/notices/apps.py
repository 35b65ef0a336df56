# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "pwscup.notices"
