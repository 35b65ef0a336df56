# SPDX-License-Identifier: Apache-2.0
"""Forms of organizers for the leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms import MomentField, VersionedForm
from pwscup.contests.models import Contest
from pwscup.contests.rules.measures import shown_measure
from pwscup.core.http.fields import choice_field
from pwscup.core.texts.parts import named
from pwscup.leaderboards.boards.texts import ALL_TEAMS, stage_title
from pwscup.leaderboards.scope import has_season

if TYPE_CHECKING:
    from pwscup.contests.models import Division

SEASON = "*"
"""The value of the season in the choice of stages, which cannot be a stage's key."""


class DisplayForm(VersionedForm):
    """The audience of the boards, and hidden measures."""

    audience = forms.ChoiceField(
        label=_("Who sees the leaderboard"),
        choices=Contest.Audience,
        help_text=_("Judges and organizers always see it."),
    )
    hidden_measures = forms.MultipleChoiceField(
        label=_("Hidden measures"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Their values are shown to organizers only, on boards and on result pages. They enter "
            "the totals anyway."
        ),
    )

    def __init__(self, contest: Contest, data: Any = None) -> None:
        chosen = {
            "version": contest.version,
            "audience": contest.board_audience,
            "hidden_measures": contest.hidden_measures,
        }
        super().__init__(data, initial=chosen)
        rules = contest.ruleset
        measures = [shown_measure(rules.measure(id_)) for id_ in rules.measures]
        choice_field(self, "hidden_measures").choices = [
            (m.id, named(m.id, m.title)) for m in measures
        ]


class FreezeForm(VersionedForm):
    """The time of the freeze."""

    def __init__(self, contest: Contest, data: Any = None) -> None:
        super().__init__(data, initial={"version": contest.version, "at": contest.frozen_at})
        self.fields["at"] = MomentField(
            zone=contest.tz,
            required=False,
            label=_("Freeze as of"),
            help_text=_(
                "Empty: now. A time in the past hides all later results; with a time in the future the "
                "boards are updated until then. In the contest's time zone."
            ),
        )


class CeremonyForm(VersionedForm):
    """The final order to reveal."""

    def __init__(self, contest: Contest, data: Any = None) -> None:
        rules = contest.ruleset
        season = [(SEASON, stage_title(rules, ""))] if has_season(rules) else []
        stages = [(spec.key, stage_title(rules, spec.key)) for spec in rules.stages]
        last = max(rules.stages, key=lambda spec: (spec.weight > 0, rules.stages.index(spec)))
        self.divisions = {division.key: division for division in contest.divisions.all()}
        chosen = {"version": contest.version, "stage": SEASON if season else last.key}
        super().__init__(data, initial=chosen)
        self.fields["stage"] = forms.ChoiceField(label=_("Stage"), choices=season + stages)
        self.fields["division"] = forms.ChoiceField(
            label=_("Division"),
            required=False,
            choices=[("", ALL_TEAMS), *((key, d.local_title) for key, d in self.divisions.items())],
        )
        self.stages = {None if key == SEASON else key: str(title) for key, title in season + stages}
        """The titles of the choices by key; that of the season is None."""
        if len(season + stages) == 1:
            self.fields["stage"].widget = forms.HiddenInput()
        if not self.divisions:
            self.fields["division"].widget = forms.HiddenInput()

    @property
    def stage(self) -> str | None:
        """The key of the stage, None for the season."""
        chosen = self.cleaned_data["stage"]
        return None if chosen == SEASON else chosen

    @property
    def division(self) -> Division | None:
        return self.divisions.get(self.cleaned_data["division"])
