# SPDX-License-Identifier: Apache-2.0
"""Texts of pages for contests about a hidden table."""

from django.utils.translation import gettext_lazy as _

_RECONSTRUCTING = _("It reconstructs the table from a release, and asks for the target table once.")
BOTS = {
    "Noise": _(
        "It counts the records of a release as they are, and asks for the target table once."
    ),
    "Unify": _(
        "It reconstructs the table from a release, and asks for each column separately, as if they were independent."
    ),
    "Average": _(
        "It reconstructs the table from a release, and asks for the target table twice with half of the budget each."
    ),
    "Swap": _RECONSTRUCTING,
    "Yamaoka": _RECONSTRUCTING,
    "Mondrian": _RECONSTRUCTING,
}
