# SPDX-License-Identifier: Apache-2.0
"""The facts for the boards, and a cheap digest of them.

Values that may not be shown yet are never read, so nothing that is made from `Facts` can hold
them:

- an anonymization round's values are shown as soon as they are scored where its feedback is exact,
  otherwise once the round has closed;
- an attack round's rates are shown once the round has closed, whatever its feedback: a team's own
  feedback is on its result page, a public rate would be an oracle for the others;
- the judges' grades are shown once the presentation round has closed;
- estimates of a hidden table, and what was spent on them, are shown once the last round about that
  table has closed: exact errors would disclose what nobody has paid for to those who still ask;
- measures that draw at random show their final values once the round is over, see `submissions.finals`;
- of a frozen contest, nothing that arrived or was decided since.

What counts is the submission that a team chose or the latest that was scored; once tables have
been released, it is the submission that was released. What organizers withdrew does not count, and
a disqualified team is nowhere: its guesses do not lower anybody's protection.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import BigIntegerField, Count, Max, Sum

import scoring
from pwscup.accounts.models import Team
from pwscup.contests.models import Round
from pwscup.contests.selectors import original_of
from pwscup.disclosure import ledger
from pwscup.disclosure.models import Answer, BatchRelease, epsilon_of
from pwscup.formats.hidden.disclosed import n_cells
from pwscup.leaderboards.boards.sections import Disclosure, Estimate, Facts, Phase, Player, Values
from pwscup.leaderboards.scope import Scope, Stage, may_show
from pwscup.submissions import selectors
from pwscup.submissions.judging import grades as marks
from pwscup.submissions.models import Choice, JudgeMark, Release, Ruling, Submission
from pwscup.submissions.results import finals
from pwscup.submissions.results.counting import (
    Result,
    counted_rates,
    counted_results,
    counted_sizes,
    decoded,
    released_results,
    standing_rows,
)
from pwscup.submissions.selectors import as_of
from pwscup.submissions.states import UNFINISHED, State
from scoring import plugins
from scoring.formulas import FORMULAS

LAYOUT = 7
"""Incremented when the format of the boards changes, so that no stored board of another format is served."""


# The digest


def key_of(scope: Scope) -> str:
    """Digest of the facts that the boards depend on: equal keys, equal boards.

    Facts are append-only, so their number and the newest one represent all of them; nothing about rounds with
    hidden values, or after the freeze, is included, so not even a change of the key reveals anything.
    """
    contest, before = scope.contest, scope.before
    shown = [round.pk for round in scope.shown_rounds]
    rulings = Ruling.objects.filter(team__contest=contest)
    facts = [
        [LAYOUT, *_versions(scope), scope.rules.digest, contest.pk, contest.timezone],
        [scope.variant, sorted(scope.hidden), before and before.isoformat()],
        [_round_key(round, scope.now) for round in scope.rounds],
        finals.rounds_of(contest, scope.now, before),
        _rows(_teams(scope).values_list("pk", "name", "is_house", "division")),
        _submissions_key(scope, shown),
        _count_and_newest(
            as_of(
                selectors.holding(before).filter(submission__round__in=shown),
                "submission__arrived_at",
                before,
            )
        ),
        _count_and_newest(as_of(Choice.objects.filter(round__in=shown), "chosen_at", before)),
        _count_and_newest(
            as_of(Release.objects.filter(round__contest=contest), "created_at", before)
        ),
        _count_and_newest(as_of(rulings, "decided_at", before)),
        _marks_key(scope),
        _answers_key(scope),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _versions(scope: Scope) -> list[str]:
    """The version of the library, and of each package whose formulas make the boards."""
    of_plugins = (
        f"{plugin.package} {plugin.version}" for plugin in plugins.formulas_of(scope.rules)
    )
    return [scoring.__version__, *of_plugins]


def gate_of(scope: Scope) -> str:
    """Digest of the conditions of visibility, except for the rounds that are shown.

    Boards with another gate are never served again, not even while new ones are being computed: they may name
    a team that was disqualified later, or contain values that are hidden or from after a freeze.
    """
    contest, before = scope.contest, scope.before
    rulings = Ruling.objects.filter(team__contest=contest)
    decided = [
        [LAYOUT, *_versions(scope), scope.rules.digest, contest.pk],
        [scope.variant, sorted(scope.hidden), before and before.isoformat()],
        finals.rounds_of(contest, scope.now, before),
        _count_and_newest(as_of(rulings, "decided_at", before)),
    ]
    return hashlib.sha256(json.dumps(decided).encode()).hexdigest()


def _round_key(round: Round, now: datetime) -> list[Any]:
    return [
        round.pk,
        round.results_at.isoformat(),
        may_show(round, now),
        round.has_closed(now),
        round.is_settled(now),
    ]


def _submissions_key(scope: Scope, shown: list[int]) -> list[list[Any]]:
    scored = as_of(Submission.objects.filter(round__in=shown), "arrived_at", scope.before)
    grouped = scored.filter(state=State.SCORED).order_by().values("round")
    # PostgreSQL sums keys to decimals, which no digest is made of.
    total = Sum("pk", output_field=BigIntegerField())
    counts = grouped.annotate(Count("pk"), Max("pk"), pk__sum=total).order_by("round")
    awaited = n_awaited(scope)
    return [
        *_rows(counts.values_list("round", "pk__count", "pk__max", "pk__sum")),
        sorted(awaited.items()),
    ]


def _marks_key(scope: Scope) -> list[int | None]:
    shown = [stage.shown(stage.presentation) for stage in scope.stages]
    rounds = [round.pk for round in shown if round]
    if not rounds:
        return []
    return _count_and_newest(
        as_of(JudgeMark.objects.filter(round__in=rounds), "given_at", scope.before)
    )


def _answers_key(scope: Scope) -> list[int | None]:
    """Of the answers that an estimate is based on."""
    shown = [r.pk for stage in scope.stages for r in stage.disclosures if stage.shown(r)]
    if not shown:
        return []
    return _count_and_newest(
        as_of(Answer.objects.filter(round__in=shown), "asked_at", scope.before)
    )


def is_any_scored(scope: Scope) -> bool:
    """The boards show the values of a submission, in one query."""
    shown = [round.pk for round in scope.shown_rounds]
    scored = Submission.objects.filter(round__in=shown, state=State.SCORED)
    known = as_of(scored, "arrived_at", scope.before)
    return as_of(known, "team__created_at", scope.before).exists()


def entries(scope: Scope, **of: Any) -> list[tuple[int, int, int, datetime]]:
    """Team, round, number of scored submissions and arrival of the last one, in the shown rounds, in one query."""
    shown = [round.pk for round in scope.shown_rounds]
    scored = Submission.objects.filter(round__in=shown, state=State.SCORED, **of)
    counted = as_of(scored, "arrived_at", scope.before).order_by("team", "round")
    grouped = counted.values_list("team", "round").annotate(Count("pk"), Max("arrived_at"))
    return list(grouped)


def n_awaited(scope: Scope) -> dict[int, int]:
    """By round, the number of submissions of a closed round that are still to be scored."""
    closed = [
        round.pk
        for stage in scope.stages
        for round in stage.scored_rounds
        if round.has_closed(scope.now)
    ]
    arrived = as_of(Submission.objects.filter(round__in=closed), "arrived_at", scope.before)
    waiting = arrived.filter(state__in=UNFINISHED).order_by()
    return dict(waiting.values_list("round").annotate(Count("pk")))


def _teams(scope: Scope) -> Any:
    teams = Team.objects.filter(contest=scope.contest).order_by("pk")
    return as_of(teams, "created_at", scope.before)


def _count_and_newest(rows: Any) -> list[int | None]:
    return list(rows.aggregate(n=Count("pk"), newest=Max("pk")).values())


def _rows(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(row) for row in rows]


# The facts


def gather(scope: Scope, *, only_measures: bool = False) -> list[Facts]:
    """All facts for the boards, by stage, in a constant number of queries.

    With `only_measures` without the largest parts: rates, and estimates that do not count.
    """
    people = _people(scope)
    awaited = n_awaited(scope)
    return [_facts_of(scope, stage, people, awaited, only_measures) for stage in scope.stages]


@dataclass(frozen=True, slots=True)
class _People:
    """The teams of a contest: all, those that are ranked against each other, those that only attack, and
    those whose tables count as found."""

    everybody: tuple[Player, ...]
    players: tuple[Player, ...]
    baselines: tuple[Player, ...]
    lost: frozenset[int]


def _people(scope: Scope) -> _People:
    ranking = scope.rules.ranking
    out = selectors.disqualified(scope.contest, scope.before)
    lost = frozenset(out) if ranking.disqualified == "lost" else frozenset[int]()
    everybody, players, baselines = [], [], []
    for pk, name, is_house, division in _teams(scope).values_list(
        "pk", "name", "is_house", "division"
    ):
        player = Player(pk, name, is_house)
        if pk in out and not lost:
            continue
        if is_house and "house" in ranking.baselines:
            baselines.append(player)
            continue
        everybody.append(player)
        if scope.division is None or division == scope.division.pk:
            players.append(player)
    return _People(tuple(everybody), tuple(players), tuple(baselines), lost)


def known_teams(scope: Scope) -> frozenset[int]:
    """The teams that the boards of this scope may name, those outside its division among them."""
    people = _people(scope)
    return frozenset(player.id for player in (*people.everybody, *people.baselines))


def _facts_of(
    scope: Scope, stage: Stage, people: _People, awaited: dict[int, int], only_measures: bool
) -> Facts:
    inside = {player.id for player in people.everybody}
    attackers = inside | {player.id for player in people.baselines}
    counted, published = _counted(scope, stage, inside)
    attack = None if only_measures else stage.shown(stage.attack)
    rates = counted_rates(attack, scope.before) if attack else {}
    return Facts(
        players=people.players,
        everybody=people.everybody,
        rules=scope.rules,
        stage=stage.spec,
        anonymization=_phase(stage.anonymization, stage.now, awaited),
        attack=_phase(stage.attack, stage.now, awaited),
        presentation=_phase(stage.presentation, stage.now, awaited),
        measured=_measured(counted),
        arrived={team: result.arrived_at for team, result in counted.items()},
        published=published,
        rates={(a, d): r for (a, d), r in rates.items() if a in attackers and d in published},
        baselines=people.baselines,
        lost=people.lost,
        repeats=_repeats(scope, attack, attackers, published),
        found=_found(attack, scope.before, attackers, rates),
        n_guessed=counted_sizes(attack, scope.before) if attack and _needs_sizes(scope) else {},
        marks=_marks(stage, scope),
        hidden=scope.hidden,
        is_frozen=scope.before is not None,
        disclosures=tuple(
            _disclosure(round, stage, scope, awaited, inside, only_measures)
            for round in stage.disclosures
        ),
        n_cells=_n_cells(scope) if any(map(stage.shown, stage.disclosures)) else 0,
        is_played_late=scope.contest.is_demo or scope.contest.rehearsal_of_id is not None,
    )


def _repeats(
    scope: Scope, attack: Round | None, attackers: Collection[int], published: Collection[int]
) -> dict[int, int]:
    """L of each published table, if the rules have a penalty for it; see `found.most_found`."""
    if attack is None or scope.rules.ranking.penalty != "repeats":
        return {}
    from pwscup.submissions.evaluation.found import most_found  # loads NumPy

    found = most_found(attack, scope.before, attackers=attackers)
    return {team: n for team, n in found.items() if team in published}


def _found(
    attack: Round | None,
    before: datetime | None,
    attackers: Collection[int],
    rates: Collection[Any],
) -> Mapping[int, Any]:
    """The records of each table that attackers found, if there are any guesses whose rates are shown."""
    if attack is None or not rates:
        return {}
    from pwscup.submissions.evaluation.found import found_records  # loads NumPy

    return found_records(attack, before, attackers=attackers)


def _needs_sizes(scope: Scope) -> bool:
    """A formula compares hits with the number of records that an attack names."""
    boards = scope.rules.score_boards
    return any(spec.formula in FORMULAS and FORMULAS[spec.formula].setting("n") for spec in boards)


def _phase(round: Round | None, now: datetime, awaited: dict[int, int]) -> Phase | None:
    return None if round is None else _phase_of(round, now, awaited)


def _phase_of(round: Round, now: datetime, awaited: dict[int, int]) -> Phase:
    return Phase(
        shown=may_show(round, now),
        closed=round.has_closed(now),
        settled=round.is_settled(now),
        shown_at=round.results_at.isoformat(),
        n_awaited=awaited.get(round.pk, 0),
    )


def _counted(
    scope: Scope, stage: Stage, inside: set[int]
) -> tuple[dict[int, Result], frozenset[int]]:
    """The counting result of each team in the round whose tables are attacked, and the teams with a published
    table."""
    round, attack, before = stage.anonymization, stage.attack, scope.before
    is_final = round is not None and finals.are_final(round, scope.now, before)
    released = released_results(attack, before, is_final=is_final) if attack else None
    published = frozenset((released or {}).keys() & inside)
    if round is None or not stage.shown(round):
        return {}, published
    found = counted_results(round, before, is_final=is_final) if released is None else released
    return {team: result for team, result in sorted(found.items()) if team in inside}, published


def _measured(counted: Mapping[int, Result]) -> dict[int, Values]:
    return {t: result.values for t, result in counted.items() if result.values is not None}


def _marks(stage: Stage, scope: Scope) -> dict[int, float]:
    """Every presentation's mean over its judges of their mean over the criteria, 0 to 100."""
    round = stage.shown(stage.presentation)
    if round is None:
        return {}
    given = as_of(JudgeMark.objects.filter(round=round), "given_at", scope.before)
    rows = given.order_by("pk").values_list("team_id", "judge_id", "criterion", "points")
    return marks.mean_marks(rows, scope.rules.round(round.key).criteria)


# Estimates of a hidden table


def _disclosure(
    round: Round,
    stage: Stage,
    scope: Scope,
    awaited: dict[int, int],
    inside: set[int],
    only_measures: bool,
) -> Disclosure:
    """The visible part of a round of disclosure; empty before it may be shown."""
    phase, spec = _phase_of(round, stage.now, awaited), scope.rules.round(round.key)
    if not phase.shown:
        return Disclosure(spec, phase, {}, {}, ())
    found = counted_results(round, scope.before)
    counted = {team: result for team, result in sorted(found.items()) if team in inside}
    counting = {result.submission for result in counted.values()}
    return Disclosure(
        spec=spec,
        phase=phase,
        measured=_measured(counted),
        arrived={team: result.arrived_at for team, result in counted.items()},
        estimates=() if only_measures else tuple(_estimates(round, scope, counting, inside)),
    )


def _estimates(
    round: Round, scope: Scope, counting: set[int], inside: set[int]
) -> Iterator[Estimate]:
    """Every effective estimate, the oldest first, in a constant number of queries."""
    found = Submission.objects.filter(round=round)
    found = found.annotate(already_spent=ledger.spent_before("arrived_at"))
    released = _released_at(round, scope) if round.format.is_release else None
    rows = standing_rows(scope.contest, found, scope.before, "team", "already_spent")
    for pk, text, team, spent in rows:
        values = decoded(text)
        if team in inside and values is not None:
            epsilon = epsilon_of(spent) if released is None else released
            yield Estimate(team, epsilon, values, pk in counting)


def _released_at(round: Round, scope: Scope) -> Decimal | None:
    """The ε of the released table, or that of the rules if nothing was released."""
    release = BatchRelease.objects.filter(round=round).first()
    return release.epsilon if release else scope.rules.round(round.key).epsilon


def _n_cells(scope: Scope) -> int:
    """The number of cells of the estimated table; 0 without data."""
    dataset = original_of(scope.contest)
    return 0 if dataset is None else n_cells(scope.rules, dataset.schema)
