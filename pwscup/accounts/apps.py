# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "pwscup.accounts"
