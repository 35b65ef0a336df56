# SPDX-License-Identifier: Apache-2.0

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Documents at the end of a contest: certificates and the final report."""

    name = "pwscup.reports"
