# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class ArchivesConfig(AppConfig):
    """A complete contest as one file, written here and read by another installation."""

    name = "pwscup.archives"
