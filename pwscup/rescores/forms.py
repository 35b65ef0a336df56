# SPDX-License-Identifier: Apache-2.0
"""Forms of organizers: rules as TOML, and a note about the change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms import VersionedForm
from pwscup.contests.forms.rounds import RoundForm
from pwscup.contests.models import RulesetVersion
from pwscup.contests.services.rounds import plan_of
from pwscup.core.db.columns import longest
from pwscup.rescores.keys import Edits, keys_of, with_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.forms import BoundField

    from pwscup.contests.models import Contest, Round
    from pwscup.contests.services import RoundPlan

MAX_TEXT = 200_000
MAX_NOTE = longest(RulesetVersion, "note")


class RulesForm(VersionedForm):
    """The complete text of the rules; the library finds all its problems."""

    text = forms.CharField(
        label=_("Rules (TOML)"),
        max_length=MAX_TEXT,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 32, "class": "form-control rules-text", "spellcheck": "false"}
        ),
    )
    note = forms.CharField(
        label=_("What you changed, and why"),
        max_length=MAX_NOTE,
        required=False,
        help_text=_("It is shown next to the version; after the first submission also to teams."),
    )

    def clean_text(self) -> str:
        """Line ends as in the library's own files: browsers send others."""
        return self.cleaned_data["text"].replace("\r\n", "\n").replace("\r", "\n")


PER_ROUND = ("tries", "tries_per_day", "feedback")


class KeysForm(VersionedForm):
    """The usual keys of the rules, and the attempts and the feedback of each round."""

    def __init__(self, contest: Contest, data: Any = None) -> None:
        super().__init__(data, initial={"version": contest.version})
        self.contest = contest
        self.keys = keys_of(contest)
        self.rounds: list[Round] = list(contest.rounds.all())
        for key in self.keys:
            self.fields[key.name] = key.field
            self.initial[key.name] = key.initial
        for round in self.rounds:
            fields = RoundForm(round=round).fields
            for name in PER_ROUND:
                self.fields[f"{round.key}-{name}"] = fields[name]
                self.initial[f"{round.key}-{name}"] = getattr(round, name)
        for field in self.fields.values():
            field.widget.attrs.pop("form", None)

    def usual(self) -> Iterator[BoundField]:
        """The fields of the rules, but for the measures."""
        return (self[key.name] for key in self.keys if key.name != "measures")

    def measures(self) -> BoundField | None:
        return self["measures"] if "measures" in self.fields else None

    def by_round(self) -> list[tuple[Round, list[BoundField]]]:
        """The fields of each round."""
        return [(r, [self[f"{r.key}-{name}"] for name in PER_ROUND]) for r in self.rounds]

    def text(self, *, with_rounds: bool) -> str:
        """The rules with what was entered; without the rounds where submissions hold the rules fixed."""
        changed = set(self.changed_data)
        edits: Edits = {}
        for key in self.keys:
            if key.name in changed:
                edits |= key.edits(self.cleaned_data[key.name])
        if with_rounds:
            edits |= self._of_rounds()
        return with_keys(self.contest.ruleset_text, edits) if edits else self.contest.ruleset_text

    def _of_rounds(self) -> Edits:
        places = {spec.key: n for n, spec in enumerate(self.contest.ruleset.rounds)}
        edits: Edits = {}
        for round in self.rounds:
            of_target = round.spec.tries_per_target is not None
            for name in PER_ROUND:
                if f"{round.key}-{name}" in self.changed_data:
                    key = "tries_per_target" if name == "tries" and of_target else name
                    edits["round", places[round.key], key] = self._entered(round, name)
        return edits

    def _entered(self, round: Round, name: str) -> Any:
        return self.cleaned_data[f"{round.key}-{name}"]

    def plans(self) -> list[RoundPlan]:
        """The rounds with what was entered; their dates stay."""
        return [
            replace(plan_of(round), **{name: self._entered(round, name) for name in PER_ROUND})
            for round in self.rounds
        ]
