# SPDX-License-Identifier: Apache-2.0
"""The rounds of a contest: their dates and limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import MomentField, VersionedForm
from pwscup.contests.models import Round
from pwscup.contests.rules.rounds import disclosed_by, n_asked
from pwscup.contests.services import RoundPlan, round_problems
from pwscup.core.http.fields import choice_field
from scoring.rulesets.kinds import ROUND_KINDS

FIELDS = ("opens_at", "closes_at", "tries", "tries_per_day", "feedback")


class RoundForm(forms.Form):
    """The dates and limits of one round, in the contest's time zone."""

    tries = forms.IntegerField(min_value=1, max_value=10_000)
    tries_per_day = forms.IntegerField(min_value=1, max_value=10_000, required=False)
    feedback = forms.ChoiceField(label=_("Feedback"), choices=Round.Feedback.choices)

    def __init__(self, data: Any = None, *, round: Round, **kwargs: Any) -> None:
        initial = {name: getattr(round, name) for name in FIELDS}
        super().__init__(data, initial=initial, prefix=round.key, **kwargs)
        self.round = round
        zone = round.contest.tz
        self.fields["opens_at"] = MomentField(zone=zone, label=_("Opens"))
        self.fields["closes_at"] = MomentField(zone=zone, label=_("Closes"))
        per_target = round.spec.tries_per_target is not None
        choice_field(self, "feedback").choices = feedback_choices(round)
        self.fields["feedback"].help_text = disclosed_note(round)
        self.fields["tries"].label = (
            _("Guesses per target") if per_target else _("Attempts per team")
        )
        self.fields["tries_per_day"].label = (
            _("Guesses per target and day") if per_target else _("Attempts per team and day")
        )
        self.fields["tries_per_day"].widget.attrs["placeholder"] = _("no limit")
        self.order_fields(FIELDS)
        for field in self.fields.values():
            is_choice = isinstance(field, forms.ChoiceField)
            # A round's panel also contains the forms of its buttons, so its fields name their form.
            field.widget.attrs |= {
                "class": "form-select" if is_choice else "form-control",
                "form": "rounds-form",
            }

    def clean(self) -> dict[str, Any]:
        """Keep the seconds of a time if its minute was not changed."""
        cleaned = super().clean() or self.cleaned_data
        for name in ("opens_at", "closes_at"):
            before, typed = getattr(self.round, name), cleaned.get(name)
            if typed is not None and typed == before.replace(second=0, microsecond=0):
                cleaned[name] = before
        return cleaned

    def plan(self) -> RoundPlan:
        return RoundPlan(key=self.round.key, **self.cleaned_data)


def disclosed_note(round: Round) -> str:
    """The amount that each kind of feedback about guesses discloses; empty for other rounds."""
    if not round.format.has_targets:
        return ""
    rules, choices = round.contest.ruleset, feedback_choices(round)
    bits = [f"{label}: {math.ceil(disclosed_by(key, round, rules)):,}" for key, label in choices]
    return gettext(
        "The most bits about the true answers that %(attempts)s guesses about a table disclose before the end, "
        "where %(n)s records are asked: %(bits)s."
    ) % {"attempts": round.tries, "n": n_asked(round.spec, rules), "bits": "; ".join(bits)}


def feedback_choices(round: Round) -> list[tuple[str, Any]]:
    """The kinds and times of feedback for this kind of round; bands exist for rates only."""
    without = () if round.format.has_targets else (Round.Feedback.COARSE,)
    known = {*ROUND_KINDS[round.kind].feedback}.difference(without) | {round.feedback}
    return [(value, label) for value, label in Round.Feedback.choices if value in known]


class RoundsForm(VersionedForm):
    """All rounds of a contest in one form."""

    def __init__(self, rounds: Sequence[Round], *, version: int, data: Any = None) -> None:
        super().__init__(data, initial={"version": version})
        self.rounds = [RoundForm(data, round=round) for round in rounds]

    def is_valid(self) -> bool:
        valid = [super().is_valid(), *(form.is_valid() for form in self.rounds)]
        if all(valid):
            for problem in round_problems(self._titled()):
                self.add_error(None, problem)
        return all(valid) and not self.errors

    def _titled(self) -> Sequence[tuple[str, RoundPlan]]:
        return [(form.round.local_title, form.plan()) for form in self.rounds]

    def plans(self) -> list[RoundPlan]:
        return [form.plan() for form in self.rounds]
