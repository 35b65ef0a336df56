# SPDX-License-Identifier: Apache-2.0
"""The facts of a final report, in the reader's language: public facts as plain values."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db.models import Count
from django.utils.translation import get_language

import scoring
from pwscup.accounts.models import Team
from pwscup.contests import guidance
from pwscup.contests.rules.pages import rules_of
from pwscup.contests.selectors import original_of
from pwscup.core import seals
from pwscup.reports.boards import facts
from pwscup.submissions.judging.grades import mean_marks
from pwscup.submissions.models import JudgeMark, LateAllowance, Rescore, Ruling, Submission
from pwscup.submissions.selectors import disqualified
from pwscup.submissions.states import State
from scoring.rulesets import localized

if TYPE_CHECKING:
    from pwscup.contests.guidance import Interrupted
    from pwscup.contests.models import Contest, Dataset, Round
    from pwscup.contests.rules.pages import Rules
    from pwscup.reports.boards.facts import Group

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LONG = timedelta(days=4)
"""Submissions of longer contests are counted by day, not by hour."""

MOST_STEPS = 366
"""Of a contest that lasts more days, several days are counted together."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The number of submissions in each time step, by final state."""

    starts: tuple[datetime, ...]
    step: timedelta
    scored: tuple[int, ...]
    rejected: tuple[int, ...]
    other: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The means of the judges' grades of a presentation round, by team and criterion."""

    title: str
    criteria: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...], float], ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """The numbers of decisions of organizers; `named` are disqualified teams that may be named."""

    n_disqualified: int
    named: tuple[str, ...]
    n_withdrawn: int
    n_reinstated: int
    n_late: int
    n_rescored: int


@dataclass(frozen=True, slots=True)
class Version:
    """Rules that were in force for a time."""

    number: int
    since: datetime
    digest: str
    note: str


@dataclass(frozen=True, slots=True)
class ReportFacts:
    contest: Contest
    made_at: datetime
    organizers: tuple[str, ...]
    sponsors: tuple[str, ...]
    n_teams: int
    n_submissions: int
    n_records: int | None
    rules: Rules
    rounds: tuple[Round, ...]
    interruptions: tuple[Interrupted, ...]
    groups: tuple[Group, ...]
    key: str
    arrivals: Arrivals | None
    marks: tuple[Marks, ...]
    decisions: Decisions
    versions: tuple[Version, ...]
    head: tuple[int, str] | None
    scoring_version: str


def gather(contest: Contest, now: datetime, *, names_disqualified: bool = False) -> ReportFacts:
    """All facts of a report, from public data, in a constant number of queries."""
    rounds = tuple(contest.rounds.all())
    found = facts.groups(contest, now)
    dataset = original_of(contest)
    seals.seal_all(contest.pk)
    head = seals.head(contest.pk)
    submissions = Submission.objects.filter(round__contest=contest)
    people = contest.organizers.filter(deleted_at=None).order_by("pk")
    return ReportFacts(
        contest=contest,
        made_at=now,
        organizers=tuple(person.display_name for person in people),
        sponsors=tuple(sponsor.name for sponsor in contest.sponsors.all()),
        n_teams=contest.teams.count(),
        n_submissions=submissions.exclude(state=State.CANCELLED).count(),
        n_records=_public_records(contest, dataset),
        rules=rules_of(
            contest.ruleset,
            rounds,
            dataset.schema if dataset else None,
            max_team_size=contest.max_team_size,
        ),
        rounds=rounds,
        interruptions=tuple(guidance.interruptions(contest, now)),
        groups=tuple(found),
        key=facts.digest_of(found),
        arrivals=_arrivals(contest, rounds),
        marks=tuple(_marks(round) for round in rounds if round.format.is_judged),
        decisions=_decisions(contest, names_disqualified=names_disqualified),
        versions=_versions(contest),
        head=(head.position, head.hash) if head else None,
        scoring_version=scoring.__version__,
    )


def _public_records(contest: Contest, dataset: Dataset | None) -> int | None:
    """The size of the table that all teams get; None where it is hidden, or drawn for each team."""
    is_shared = contest.format.gives_table and not contest.format.own_tables
    return dataset.n_records if dataset and is_shared else None


def _arrivals(contest: Contest, rounds: tuple[Round, ...]) -> Arrivals | None:
    """Submissions by hour, by day or by several days in the contest's zone; None if there are none."""
    found = Submission.objects.filter(round__contest=contest).exclude(state=State.CANCELLED)
    arrived = list(found.order_by("arrived_at").values_list("arrived_at", "state"))
    if not arrived:
        return None
    zone = contest.tz
    length = arrived[-1][0] - arrived[0][0]
    step = DAY * (1 + length // DAY // MOST_STEPS) if length > LONG else HOUR
    unit = {"minute": 0, "second": 0, "microsecond": 0} | ({"hour": 0} if step >= DAY else {})
    starts = [arrived[0][0].astimezone(zone).replace(**unit)]
    while starts[-1] + step <= arrived[-1][0].astimezone(zone):
        starts.append(starts[-1] + step)
    counts = Counter((bisect_right(starts, at) - 1, _kind(state)) for at, state in arrived)
    return Arrivals(
        tuple(starts),
        step,
        *(
            tuple(counts[n, kind] for n in range(len(starts)))
            for kind in ("scored", "rejected", "")
        ),
    )


def _kind(state: str) -> str:
    return str(state) if state in (State.SCORED, State.REJECTED) else ""


def _marks(round: Round) -> Marks:
    """The means over the judges, best first, of the teams on the boards."""
    language = get_language() or "en"
    criteria = round.spec.criteria
    out = disqualified(round.contest)
    given = JudgeMark.objects.filter(round=round).exclude(team__in=out).order_by("pk")
    rows = list(given.values_list("team_id", "judge_id", "criterion", "points"))
    names = dict(Team.objects.filter(contest=round.contest).values_list("pk", "name"))
    by_criterion = [mean_marks(rows, [criterion]) for criterion in criteria]
    means = mean_marks(rows, criteria)
    order = sorted(means, key=lambda team: (-means[team], names[team]))
    return Marks(
        round.local_title,
        tuple(localized(criterion.title, language) for criterion in criteria),
        tuple(
            (names[team], tuple(found.get(team) for found in by_criterion), means[team])
            for team in order
        ),
    )


def _decisions(contest: Contest, *, names_disqualified: bool) -> Decisions:
    out = disqualified(contest)
    named = contest.teams.filter(pk__in=out).order_by("name") if names_disqualified else ()
    rulings = Ruling.objects.filter(team__contest=contest)
    kinds = dict(rulings.order_by().values_list("kind").annotate(Count("pk")))
    return Decisions(
        n_disqualified=len(out),
        named=tuple(team.name for team in named),
        n_withdrawn=kinds.get(Ruling.Kind.WITHDRAWN, 0),
        n_reinstated=kinds.get(Ruling.Kind.REINSTATED, 0),
        n_late=LateAllowance.objects.filter(round__contest=contest).count(),
        n_rescored=contest.rescores.filter(state=Rescore.State.APPLIED).count(),
    )


def _versions(contest: Contest) -> tuple[Version, ...]:
    """The rules in force, in order; versions that were never applied are not public."""
    applied = contest.ruleset_versions.exclude(applied_at=None).order_by("applied_at", "number")
    return tuple(Version(v.number, v.applied_at, v.digest, v.note) for v in applied if v.applied_at)
