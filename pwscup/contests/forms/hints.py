# SPDX-License-Identifier: Apache-2.0
"""The hints of a contest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import VersionedForm
from pwscup.contests.models import RoundHint
from pwscup.core.db.columns import longest
from pwscup.core.http.fields import choice_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.contests.models import Round

LONGEST = longest(RoundHint, "text")


def _text(label: Any, **options: Any) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": 3})
    return forms.CharField(label=label, max_length=LONGEST, widget=widget, **options)


class HintForm(VersionedForm):
    """A hint, and when it is published."""

    key = forms.ChoiceField(label=_("Round"))
    text = _text(_("Text (English)"))
    text_ja = _text(_("Text (Japanese)"), required=False)
    after_percent = forms.IntegerField(
        label=_("Publish after this share of the round (percent)"),
        min_value=0,
        max_value=100,
        required=False,
        help_text=_("50 is after half of the round. Leave it empty to publish it with a button."),
    )

    def __init__(self, rounds: Sequence[Round], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice_field(self, "key").choices = [(round.key, round.local_title) for round in rounds]
