# SPDX-License-Identifier: Apache-2.0
"""Texts of pages for contests with own tables of teams."""

from django.utils.translation import gettext_lazy as _

DATA_TITLE = _("Your team's table")
SAMPLE_LEAD = _("A valid sample, made from your team's table: download it and submit it unchanged.")
