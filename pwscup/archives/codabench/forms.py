# SPDX-License-Identifier: Apache-2.0
"""Forms for a bundle of Codabench: its upload, and the choices before the draft is made."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import MomentField, ZoneField, clean_moment
from pwscup.contests.forms.description import DEFAULT_ZONE, suggested_start
from pwscup.core.http.fields import choice_field


class BundleForm(forms.Form):
    """A bundle."""

    bundle = forms.FileField(
        label=_("Competition bundle (zip)"), widget=forms.FileInput(attrs={"accept": ".zip"})
    )


class DraftForm(forms.Form):
    """The time zone, another start, and the program that the rules name."""

    timezone = ZoneField(
        label=_("Time zone"),
        initial=DEFAULT_ZONE,
        help_text=_("All times of the contest are shown in it. Changing it moves no deadline."),
    )
    starts_at = forms.CharField(
        label=_("First round opens"),
        required=False,
        widget=MomentField.widget,
        help_text=_(
            "In the time zone above. Left empty, the dates of the bundle stay; otherwise all phases move by the same "
            "time."
        ),
    )
    program = forms.ChoiceField(
        label=_("Scoring program"),
        help_text=_(
            "The name of a program in the rules. Only the site's administrator can allow one."
        ),
    )

    def __init__(
        self, *args: Any, proposed: str, allowed: list[str], is_over: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        names = [proposed, *(name for name in allowed if name != proposed)]
        choice_field(self, "program").choices = [
            (name, name if name in allowed else _("%(name)s (not allowed yet)") % {"name": name})
            for name in names
        ]
        self.fields["program"].initial = proposed
        if is_over:
            self.fields["starts_at"].initial = suggested_start(ZoneInfo(DEFAULT_ZONE))

    def clean(self) -> dict[str, Any]:
        """Interpret the start in the chosen zone."""
        cleaned = super().clean() or self.cleaned_data
        clean_moment(self, cleaned, "starts_at")
        return cleaned

    @property
    def starting(self) -> datetime | None:
        """The chosen start; None where the dates stay."""
        return self.cleaned_data["starts_at"] or None
