# SPDX-License-Identifier: Apache-2.0
"""Places of submissions if they counted, and each measure within the field: as far as the boards show the field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING

from django.db.models import prefetch_related_objects
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.texts.parts import listed
from pwscup.leaderboards.boards import measures, scores
from pwscup.leaderboards.boards.sections import Facts, Values, built_in_attacks
from pwscup.leaderboards.ranks import counted_values, needs_attacks, worst_attacks
from pwscup.leaderboards.scope import may_show, scope_of
from pwscup.leaderboards.services import measures_of, served
from pwscup.submissions import selectors
from pwscup.submissions.results import finals
from scoring.formulas import MEASURE_RANKS
from scoring.formulas.ranking import competition_ranks

if TYPE_CHECKING:
    from pwscup.contests.policies import Person
    from pwscup.contests.rules.measures import ShownMeasure
    from pwscup.submissions.models import Submission

MIN_FIELD = 2
"""The number of teams from which a field has a range."""


@dataclass(frozen=True, slots=True)
class Places:
    """The ranks of a submission if it counted, among `n` teams with values; `rank` and `total` are of the board of its
    round, if there is one."""

    n: int
    rank: int | None
    total: float | None
    utility: int | None
    safety: int | None


@dataclass(frozen=True, slots=True)
class Bar:
    """A measure of a submission within the field, from 0 (the worst value) to 1 (the best)."""

    worst: float
    best: float
    middle: float
    at: float
    middle_at: float
    previous_at: float | None


@dataclass(frozen=True)
class Comparison:
    """The counting values of the teams that a viewer may compare a team's submissions with.

    `known` is as old as the boards: of a frozen contest the values at the freeze.
    """

    known: Facts
    team: int
    values: Mapping[int, Values]
    worst: Mapping[int, float]
    hidden: frozenset[str]
    is_final: bool

    def values_of(self, submission: Submission) -> Values | None:
        """The values with which a submission would count; None if it has none."""
        newest = selectors.newest_evaluation(submission)
        return None if newest is None else finals.values_of(newest, is_final=self.is_final)

    def places(self, own: Values) -> Places:
        """The places of the team with these values."""
        measured = {**self.values, self.team: own}
        n = len(self.known.players)
        utility: Mapping[int, float | None]
        safety: Mapping[int, float | None]
        rank: int | None
        total: float | None
        if self.known.ranking.formula == MEASURE_RANKS:
            found = measures.defence_of(self.known, measured, self.worst)
            utility = {t: one.utility_rank for t, one in found.items()}
            safety = {t: one.safety_rank for t, one in found.items()}
            line = found[self.team]
            rank, total, direction = line.rank, line.total, "lower"
        else:
            utility = {t: self.known.ranking.utility_in(of) for t, of in measured.items()}
            safety = {t: self._protection(of) for t, of in measured.items()}
            (rank, total), direction = self._scored(measured), "higher"
        return Places(
            n=len(measured),
            rank=rank,
            total=total,
            utility=self._place(utility, direction, n),
            safety=self._place(safety, direction, n),
        )

    def _scored(self, measured: Mapping[int, Values]) -> tuple[int | None, float | None]:
        """The rank and the total on the main board of scores while the library's attacks stand for those of the teams.

        Nothing where a hidden measure enters them, and once teams have attacked: they attacked one submission only.
        """
        if self.hidden or self.known.is_attack_shown or self.known.disclosures:
            return None, None
        line = next(iter(scores.boards_of(replace(self.known, measured=measured)).values()))
        own = line[self.team]
        return (None, None) if own.total is None else (own.rank, own.total)

    def _protection(self, values: Values) -> float | None:
        """1 minus the highest rate of the built-in attacks; None if one of them is hidden, or has no value."""
        attacks = built_in_attacks(self.known)
        rates = [values.get(attack) for attack in attacks]
        if self.hidden.intersection(attacks) or None in rates or not rates:
            return None
        return 1 - max(rate for rate in rates if rate is not None)

    def _place(self, of: Mapping[int, float | None], direction: str, n: int) -> int | None:
        if of.get(self.team) is None:
            return None
        return competition_ranks(of, direction=direction, n=n)[self.team]

    def bar(self, measure: ShownMeasure, own: Values, previous: Values | None) -> Bar | None:
        """The bar of a measure; None if it is hidden, has no value, or too few teams have one."""
        value = own.get(measure.id)
        field = [v for t, of in self.values.items() if (v := of.get(measure.id)) is not None]
        if measure.id in self.hidden or value is None or len(field) < MIN_FIELD:
            return None
        before = previous.get(measure.id) if previous else None
        known = [*field, value, *([] if before is None else [before])]
        low, high = min(known), max(known)
        worst, best = (low, high) if measure.direction == "higher" else (high, low)

        def at(x: float) -> float:
            return round((x - worst) / (best - worst), 4) if best != worst else 0.5

        middle = median(field)
        return Bar(
            worst, best, middle, at(value), at(middle), None if before is None else at(before)
        )


def comparison_of(submission: Submission, viewer: Person, now: datetime) -> Comparison | None:
    """The field of a submission's round; None while its values are hidden, or the team is on no board.

    Also None while the boards are being computed, on which the ranks of attacked tables depend.
    """
    round = submission.round
    prefetch_related_objects([round.contest], "rounds")
    hidden = hidden_measures(round.contest, viewer)
    scope = scope_of(round.contest, now, stage=round.spec.stage, hidden=hidden)
    is_measured = round.format.is_measured and round.format.is_attacked
    if not is_measured or round not in scope.stage.scored_rounds or not may_show(round, scope.now):
        return None
    known = measures_of(scope, now)
    if all(player.id != submission.team_id for player in known.players):
        return None
    boards = None
    if needs_attacks(known, round):
        boards = served(round.contest, now, stage=round.spec.stage, hidden=hidden)
        if boards is None:
            return None
    return Comparison(
        known=known,
        team=submission.team_id,
        values=counted_values(known, round),
        worst=worst_attacks(boards, submission),
        hidden=frozenset(hidden),
        is_final=finals.are_final(round, scope.now, scope.before),
    )


# The verdict


def verdict(places: Places, before: Places | None, number: int | None) -> str:
    """The places in one line: “Utility 3rd, safety 1st, up 2 on #10”; empty for a single team, or without any place."""
    parts: list[str] = []
    if places.n < MIN_FIELD:
        return ""
    if places.rank is not None:
        parts.append(_("%(place)s of %(n)d") % {"place": ordinal(places.rank), "n": places.n})
    if places.utility is not None:
        parts.append(_("utility %(place)s") % {"place": ordinal(places.utility)})
    if places.safety is not None:
        parts.append(_("safety %(place)s") % {"place": ordinal(places.safety)})
    if before is not None and number is not None and (moved := _moved(places, before)) is not None:
        texts = (_("up %(by)d on #%(number)d"), _("down %(by)d on #%(number)d"))
        same = _("no change on #%(number)d")
        text = same if moved == 0 else texts[moved < 0]
        parts.append(text % {"by": abs(moved), "number": number})
    said = listed(parts)
    return said[:1].upper() + said[1:]


def _moved(places: Places, before: Places) -> int | None:
    """The places that the team gained: on the board of the round, otherwise in utility."""
    pairs = ((before.rank, places.rank), (before.utility, places.utility))
    return next((a - b for a, b in pairs if a is not None and b is not None), None)


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 11th; in Japanese 1位."""
    if get_language() == "ja":
        return f"{n}位"
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
