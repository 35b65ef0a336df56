# SPDX-License-Identifier: Apache-2.0
"""Queries for the page of dry runs, and for baseline teams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.accounts.selectors import without_activity
from pwscup.bots.models import Rehearsal
from pwscup.contests.services import may_change_baseline_teams
from pwscup.contests.services.games import games_of
from pwscup.contests.teams import tables
from pwscup.core.texts import problems
from pwscup.core.texts.foreign import translated
from pwscup.core.texts.parts import joined, percent
from scoring.errors import Problem
from scoring.registry import ATTACKS
from scoring.rulesets.answers import ANSWERS
from scoring.rulesets.kinds import BASELINE_TEAMS

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


def newest(contest: Contest) -> Rehearsal | None:
    """The dry run requested last."""
    found = contest.dry_runs.select_related("played_on", "requested_by", "contest")
    return found.order_by("-pk").first()


@dataclass(frozen=True, slots=True)
class BaselineLine:
    """A team that the platform can play, with what it does in this contest."""

    name: str
    summary: str
    plays: bool
    may_be_removed: bool
    """It has neither submitted nor a table of its own."""


def baseline_teams(contest: Contest) -> dict[str, Any]:
    """The baseline teams that play and those that could, and whether that may still change."""
    house = contest.teams.filter(is_house=True)
    playing = set(house.values_list("name", flat=True))
    idle = set(without_activity(house).values_list("name", flat=True))
    may_change = may_change_baseline_teams(contest)
    summaries = contest.format.texts.BOTS
    lines = [
        BaselineLine(
            name, joined(summaries[name], _attack_of(contest, name)), name in playing, name in idle
        )
        for name in BASELINE_TEAMS
    ]
    return {
        "lines": [line for line in lines if may_change or line.plays],
        "may_change": may_change,
        "has_room": tables.n_teams_left(contest) != 0,
    }


def _attack_of(contest: Contest, name: str) -> str:
    """The attack that the rules give a baseline team in place of its own, as a sentence."""
    id_ = contest.ruleset.baseline_attackers.get(name)
    if id_ is None:
        return ""
    title = translated(ATTACKS[id_].title)
    return _("By the rules it attacks by “%(attack)s” instead.") % {"attack": title}


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round of the report in the reader's language."""

    title: str
    n_files: int
    n_scored: int
    n_published: int
    seconds: float
    refused: tuple[tuple[str, str], ...]


def report_of(rehearsal: Rehearsal) -> list[RoundLine]:
    """A line for each played round, with refused submissions and reasons."""
    titles = {round.key: round.local_title for round in rehearsal.contest.rounds.all()}
    return [
        RoundLine(
            title=titles.get(line["round"], line["round"]),
            refused=tuple(_refused(one) for one in line["refused"]),
            **{key: line[key] for key in ("n_files", "n_scored", "n_published", "seconds")},
        )
        for line in rehearsal.report
    ]


@dataclass(frozen=True, slots=True)
class Certified:
    """A line of a certificate in the reader's language: a cheater, its table or its attack, and the missing rule."""

    sentence: str
    cheater: str
    is_attack: bool
    value: str
    usual: str
    why: str
    is_red: bool
    answer: str
    rule: str


def certificate_of(rehearsal: Rehearsal) -> list[Certified]:
    """A line for each table and each attack of a cheater, the red ones first."""
    lines = sorted(rehearsal.certificate.get("lines", ()), key=lambda line: not line["is_red"])
    return [_certified(line) for line in lines]


def _certified(line: dict[str, Any]) -> Certified:
    is_attack, answer = "bound" in line, line["answer"]

    def shown(name: str) -> str:
        value = line.get(name)
        if value is None:
            return ""
        return percent(f"{100 * value:.1f}") if is_attack else f"{value:.4g}"

    (sentence,) = games_of([line])
    usual = shown("usual")
    if not is_attack and line.get("direction") == "lower":
        usual = _("%(total)s (the lower, the better)") % {"total": usual}
    return Certified(
        sentence,
        line["cheater"],
        is_attack,
        shown("value"),
        _("%(chance)s, at most %(bound)s") % {"chance": usual, "bound": shown("bound")}
        if is_attack
        else usual,
        "; ".join(
            " — ".join(problems.parts(Problem.from_dict(problem)))
            for problem in line.get("problems", ())
        ),
        line["is_red"],
        answer,
        translated(ANSWERS[answer].title) if answer else "",
    )


def _refused(one: dict[str, Any]) -> tuple[str, str]:
    who = f"{one['team']} → {one['target']}" if one["target"] else one["team"]
    if one["reference"]:
        return who, one["reference"]
    shown = (Problem.from_dict(problem) for problem in one["problems"])
    return who, "; ".join(" — ".join(problems.parts(problem)) for problem in shown)
