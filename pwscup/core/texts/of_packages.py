# SPDX-License-Identifier: Apache-2.0
"""Texts of Django and allauth with Japanese of our own in the catalogue: theirs has half-width brackets, and
spaces at numbers. Nothing imports them; `makemessages` finds them here.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

TEXTS = (
    # Between the parts of a span of time
    _(", "),
    ngettext_lazy("%(size)d byte", "%(size)d bytes", "size"),
    # Accounts
    _("Password (again)"),
    _("New Password (again)"),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
        "min_length",
    ),
    _("The password is too similar to the %(verbose_name)s."),
    # Fields of forms
    _("Ensure this value is less than or equal to %(limit_value)s."),
    _("Ensure this value is greater than or equal to %(limit_value)s."),
    _("Ensure this value is a multiple of step size %(limit_value)s."),
    ngettext_lazy(
        "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s digit in total.",
        "Ensure that there are no more than %(max)s digits in total.",
        "max",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s decimal place.",
        "Ensure that there are no more than %(max)s decimal places.",
        "max",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s digit before the decimal point.",
        "Ensure that there are no more than %(max)s digits before the decimal point.",
        "max",
    ),
    ngettext_lazy(
        "Ensure this filename has at most %(max)d character (it has %(length)d).",
        "Ensure this filename has at most %(max)d characters (it has %(length)d).",
        "max",
    ),
    _("Select a valid choice. %(value)s is not one of the available choices."),
)
