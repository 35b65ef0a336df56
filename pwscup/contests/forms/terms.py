# SPDX-License-Identifier: Apache-2.0
"""The terms of a contest, and the retention of its data."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import VersionedForm
from pwscup.contests.models import Contest
from pwscup.contests.services import LONGEST_DAYS
from pwscup.core.db.columns import longest

LONGEST_TERMS = longest(Contest, "terms")


def _terms_field(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=LONGEST_TERMS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 14}),
    )


class TermsForm(VersionedForm):
    """The terms that members accept before their first download."""

    terms = _terms_field(_("Terms and data licence (English)"))
    terms_ja = _terms_field(_("Terms and data licence (Japanese)"))


class RetentionForm(VersionedForm):
    """The retention period."""

    days = forms.IntegerField(
        label=_("Days after the last round"),
        min_value=1,
        max_value=LONGEST_DAYS,
        required=False,
        help_text=_("Leave it empty to keep the data until you delete them yourself."),
    )


class EraseForm(VersionedForm):
    """The contest's address again, to prevent accidental deletion."""

    address = forms.CharField(
        label=_("Type the address of the contest to confirm"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, slug: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = slug
        self.fields["address"].help_text = slug

    def clean_address(self) -> str:
        typed = self.cleaned_data["address"].strip()
        if typed != self.slug:
            raise ValidationError(
                _("This is not the contest's address — expected %(slug)s."),
                params={"slug": self.slug},
            )
        return typed
