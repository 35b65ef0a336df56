# SPDX-License-Identifier: Apache-2.0
"""The form of a judge: a grade for each team by each criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.core.db.columns import longest
from pwscup.core.texts.parts import listed, named
from pwscup.submissions.judging.models import JudgeComment

if TYPE_CHECKING:
    from django.forms.boundfield import BoundField

    from pwscup.accounts.models import Team
    from pwscup.submissions.judging.grades import Key

STEP = Decimal("0.01")
LONGEST = longest(JudgeComment, "text")


class MarksForm(forms.Form):
    """A field for each team and criterion, saved all together or not at all.

    `held` are the grades that the judge has given; they can be changed but not removed.
    """

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(
        self,
        teams: Sequence[Team],
        criteria: Sequence[tuple[str, str]],
        held: Mapping[Key, Decimal],
        written: Mapping[int, str],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.teams, self.criteria, self.held = teams, criteria, held
        for team in teams:
            for key, title in criteria:
                self.fields[name_of(team, key)] = _field(team, title, held.get((team.pk, key)))
            self.fields[comment_of(team)] = _comment(team, written.get(team.pk, ""))

    def rows(self) -> list[tuple[Team, list[BoundField], BoundField]]:
        """The fields of each team, in the order of the criteria, and that of its comment."""
        return [
            (
                team,
                [self[name_of(team, key)] for key, _title in self.criteria],
                self[comment_of(team)],
            )
            for team in self.teams
        ]

    def comments(self) -> dict[int, str]:
        """The comments as entered, by team; an empty one takes the earlier one back."""
        return {
            team.pk: self.cleaned_data[comment_of(team)]
            for team in self.teams
            if comment_of(team) in self.data
        }

    def given(self) -> dict[Key, Decimal]:
        """The entered grades."""
        found = {
            (team.pk, key): self.cleaned_data.get(name_of(team, key))
            for team in self.teams
            for key, _title in self.criteria
        }
        return {key: points for key, points in found.items() if points is not None}


def name_of(team: Team, criterion: str) -> str:
    return f"{criterion}-{team.slug}"


def comment_of(team: Team) -> str:
    return f"comment--{team.slug}"


def _comment(team: Team, text: str) -> forms.CharField:
    label = _("%(team)s: comment") % {"team": team.name}
    attrs = {"class": "form-control form-control-sm", "rows": 2, "aria-label": label}
    widget = forms.Textarea(attrs=attrs)
    return forms.CharField(
        label=label, max_length=LONGEST, required=False, initial=text, widget=widget
    )


def _field(team: Team, title: str, held: Decimal | None) -> forms.DecimalField:
    widget = forms.NumberInput(
        attrs={
            "class": "form-control form-control-sm",
            "aria-label": named(team.name, title),
            "inputmode": "decimal",
        }
    )
    taken_back = _("A grade can be changed, but not removed.")
    return forms.DecimalField(
        label=listed((team.name, title)),
        min_value=0,
        max_value=100,
        max_digits=5,
        decimal_places=2,
        step_size=STEP,
        required=held is not None,
        initial=None if held is None else held.normalize(),
        widget=widget,
        error_messages={"required": taken_back},
    )
