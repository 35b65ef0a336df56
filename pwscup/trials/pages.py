# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of trials: plain functions of facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext as _

from pwscup.contests.downloads import terms_first_url
from pwscup.contests.guidance import round_state
from pwscup.contests.rules.measures import visible_measures
from pwscup.contests.selectors import contest_page
from pwscup.core.http.polling import etag
from pwscup.core.texts.problems import shown
from pwscup.submissions import selectors as submissions
from pwscup.submissions.forms import original_field
from pwscup.submissions.intake.gates import Gate, gate
from pwscup.submissions.pages.results import families
from pwscup.submissions.pages.rounds import awaited
from pwscup.trials import selectors
from pwscup.trials.forms import TrialForm, initial_of
from pwscup.trials.models import Trial
from pwscup.trials.texts import steps_of
from scoring.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.formats.trying import Trying
    from pwscup.submissions.policies import Person


# The form and the earlier trials


def trials_page(
    request: HttpRequest, round: Round, form: TrialForm | None = None, trial: Trial | None = None
) -> dict[str, Any]:
    """The form, a refused one if there is one, and the earlier trials; `trial` is the one whose page it is."""
    context = contest_page(request, round.contest, round.key)
    team, now = context["my_team"], context["now"]
    closed_to_me = gate_of(request, round, team, now)
    kept = list(selectors.trials_of(team, round)) if team else []
    for one in kept:
        one.round = round  # with its contest, whose rules are already read
    if form is None and closed_to_me is None and team is not None:
        form = trial_form(round, team, now, initial=initial(request, trial or first(kept)))
    return context | {
        "round": round,
        "round_state": round_state(round, now),
        "awaited": awaited(round, now),
        "gate": closed_to_me,
        "form": None if closed_to_me else form,
        "kept": [Line(one, steps_of(one)) for one in kept],
        "trial": trial,
        "base": base_of(round, trial or first(kept)),
        "tries_left": submissions.tries_left(team, round)
        if team and not form_targets(form)
        else None,
    }


def first(kept: Sequence[Trial]) -> Trial | None:
    """The newest trial."""
    return kept[0] if kept else None


def form_targets(form: TrialForm | None) -> bool:
    return form is not None and bool(form.targets)


def gate_of(request: HttpRequest, round: Round, team: Team | None, now: datetime) -> Gate | None:
    """The reason why the form is not shown; the terms come before every record."""
    if (found := gate(request, round, team, now)) is not None:
        return found
    if url := terms_first_url(request, round.contest):
        text = _("Accept the terms of participation first: a trial shows records of the table.")
        return Gate(text, _("Read the terms"), url)
    if round.format.has_targets and team and not selectors.targets_of(team, round, now):
        return Gate(_("No table of another team is published yet."))
    return None


def trial_form(
    round: Round, team: Team, now: datetime, data: Any = None, *, initial: Any = None
) -> TrialForm:
    """The form of a round, with its methods and targets."""
    methods = trying_of(round).methods(round)
    original = original_field(round)
    return TrialForm(
        methods, selectors.targets_of(team, round, now), original, data, initial=initial
    )


def trying_of(round: Round) -> Trying:
    """The methods of a round; it has some, or there is no such page."""
    trying = round.format.trying
    if trying is None:
        raise LookupError(f"nothing to try in round {round.pk}")
    return trying


def initial(request: HttpRequest, trial: Trial | None) -> dict[str, Any]:
    """The last choice again, and the target that a link names."""
    found = initial_of(trial.steps) if trial else {}
    target = request.GET.get("target") or (trial.target.team.slug if trial and trial.target else "")
    if trial is not None:
        found["original"] = trial.original
    return found | ({"target": target} if target else {})


def base_of(round: Round, trial: Trial | None) -> Trial | None:
    """The trial whose table the next method can be applied to."""
    is_possible = trying_of(round).chains and trial is not None and trial.state == Trial.State.DONE
    return trial if is_possible else None


@dataclass(frozen=True, slots=True)
class Line:
    """A trial in the list of a team."""

    trial: Trial
    steps: list[str]


# One trial


def trial_page(request: HttpRequest, trial: Trial) -> dict[str, Any]:
    """The result of a trial, with the form for the next one."""
    context = trials_page(request, trial.round, trial=trial)
    context |= status(trial) | {"steps": steps_of(trial), "seed": trial.steps[-1]["seed"]}
    if trial.state == Trial.State.REFUSED:
        stored = [Problem.from_dict(problem) for problem in trial.problems]
        return context | {"problems": shown(stored, {})}
    if trial.state != Trial.State.DONE or not trial.facts:
        return context
    return context | result(trial, request.user)


def status(trial: Trial) -> dict[str, Any]:
    """The context of the polled fragment."""
    return {
        "trial": trial,
        "is_final": trial.is_final,
        "etag": etag(trial.public_id, trial.state, trial.attempts),
    }


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the preview before and after."""

    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        return self.before != self.after


def result(trial: Trial, viewer: Person) -> dict[str, Any]:
    """The values that the viewer may see, and the facts of the format."""
    ruleset, facts = trial.round.contest.ruleset, trial.facts
    ids = [id_ for id_ in visible_measures(trial.round.contest, viewer) if id_ in trial.values]
    attack = facts.get("attack")
    following = selectors.next_target(trial.team, trial.round, timezone.now(), but=trial.target)
    return {
        "next_target": following,
        "facts": facts,
        "files": list(trial.files.select_related("file")),
        "families": families(ruleset, ids, trial.values, []),
        "utility": ruleset.ranking.utility_in(trial.values),
        "attacker": trying_of(trial.round).attacker(attack["id"]) if attack else "",
        "protection": 100 * (1 - attack["rate"]) if attack else None,
        "n_decoys": facts["attack"].get("n_known", 0) - facts["n_records"] - facts["n_deleted"]
        if attack and "n_records" in facts
        else 0,
        "columns": sorted(facts.get("columns", ()), key=lambda column: -column["loss"]),
        "rows": preview(facts["preview"]) if "preview" in facts else [],
        "pairs": [pair(one) for one in facts.get("pairs", ())],
    }


def preview(found: Mapping[str, Any]) -> list[list[Cell] | None]:
    """The first records with what changed; None for a deleted one."""
    return [
        None if row["after"] is None else cells(row["before"], row["after"])
        for row in found["rows"]
    ]


def cells(before: Sequence[str], after: Sequence[str]) -> list[Cell]:
    return [Cell(*both) for both in zip(before, after, strict=True)]


def pair(one: Mapping[str, Any]) -> dict[str, Any]:
    """A guess: the published record, and the cells of the known one that differ."""
    known = one["known"]
    return {**one, "cells": None if known is None else cells(one["seen"], known)}
