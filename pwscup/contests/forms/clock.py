# SPDX-License-Identifier: Apache-2.0
"""Forms for changing the clock of a contest."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import MomentField, VersionedForm
from pwscup.contests.models import Contest, Interruption, Round
from pwscup.core.db.columns import longest
from pwscup.core.texts.refusals import Refused

LONGEST_REASON = longest(Interruption, "reason")


class ReasonForm(VersionedForm):
    """The reason, shown to the teams."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("It is shown to the teams."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class PauseForm(ReasonForm):
    """The clock stops from now on."""


class ResumeForm(ReasonForm):
    """The clock continues."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = False
        self.fields["reason"].label = _("Message to the teams (optional)")


class LengthForm(ReasonForm):
    """The extension of a round: until a time, or by hours and minutes."""

    PLUS = ("1", "24")
    """The hours of the buttons that need no number."""
    hours = forms.IntegerField(label=_("Hours"), min_value=0, max_value=24 * 365, required=False)
    minutes = forms.IntegerField(label=_("Minutes"), min_value=0, max_value=60 * 24, required=False)
    moves_later = forms.BooleanField(
        label=_("Move the later rounds by the same time"), required=False
    )

    def __init__(self, data: Any = None, *, round: Round, **kwargs: Any) -> None:
        prefix = f"round-{round.key}"
        if data is not None and data.get(f"{prefix}-plus") in self.PLUS:
            data = data.copy()
            data[f"{prefix}-hours"], data[f"{prefix}-minutes"] = data[f"{prefix}-plus"], ""
        super().__init__(data, prefix=prefix, **kwargs)
        self.fields["moves_later"].initial = _is_followed(round)
        self.fields["until"] = MomentField(
            zone=round.contest.tz, label=_("… or until"), required=False
        )
        self.order_fields(["version", "hours", "minutes", "until", "moves_later", "reason"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        by, until = self._by(cleaned), cleaned.get("until")
        if bool(by) == bool(until) and not self.errors:
            raise ValidationError(_("Give hours and minutes, or a date and a time; not both."))
        return cleaned

    def refuse(self, refusal: Refused, version: int) -> None:
        """Show why nothing was changed, with what was typed; sent again, it is for this version of the contest."""
        self.add_error(None, [str(message) for message in refusal.messages])
        typed = {name: self.data.get(name) for name in self.data}
        self.data = typed | {self.add_prefix("version"): version}

    @staticmethod
    def _by(cleaned: dict[str, Any]) -> timedelta:
        return timedelta(hours=cleaned.get("hours") or 0, minutes=cleaned.get("minutes") or 0)

    def values(self) -> dict[str, Any]:
        """The arguments of the services."""
        cleaned = self.cleaned_data
        until: datetime | None = cleaned["until"]
        length = {"until": until} if until else {"by": self._by(cleaned)}
        return length | {
            "version": cleaned["version"],
            "reason": cleaned["reason"],
            "moves_later": cleaned["moves_later"],
        }


class OutageForm(ReasonForm):
    """The time when the platform could not be used."""

    def __init__(self, data: Any = None, *, zone: ZoneInfo, **kwargs: Any) -> None:
        super().__init__(data, prefix="outage", **kwargs)
        self.fields["started_at"] = MomentField(zone=zone, label=_("From"))
        self.fields["ended_at"] = MomentField(
            zone=zone,
            label=_("Until"),
            required=False,
            help_text=_("Leave it empty if the outage continues: the contest is then paused."),
        )
        self.order_fields(["version", "started_at", "ended_at", "reason"])


def _is_followed(round: Round) -> bool:
    """Another round opens when this one closes, or has opened since: it leaves no room for an extension."""
    end = max(round.closes_at, timezone.now())
    later = (one for one in round.contest.rounds.all() if one.position > round.position)
    return any(one.opens_at <= end for one in later)


def clock_forms(contest: Contest) -> dict[str, forms.Form]:
    """Empty forms for changes of the whole contest."""
    initial = {"version": contest.version}
    return {
        "pause_form": PauseForm(prefix="pause", initial=initial),
        "resume_form": ResumeForm(prefix="resume", initial=initial),
        "outage_form": OutageForm(zone=contest.tz, initial=initial),
    }
