# SPDX-License-Identifier: Apache-2.0
"""The effect of applying a re-scoring: the boards and the results, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.leaderboards import scope
from pwscup.leaderboards.boards.build import SEASON, is_of_season, ranked_boards_of
from pwscup.leaderboards.boards.texts import TITLES, board_title
from pwscup.leaderboards.services import final_boards
from pwscup.rescores.services import put_in_force
from pwscup.submissions.models import Rescore, Submission
from pwscup.submissions.results import finals
from pwscup.submissions.selectors import latest_evaluation, submissions_in
from pwscup.submissions.states import State
from scoring.rulesets import localized

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pwscup.contests.models import Contest
    from scoring.rulesets import Ruleset

MAX_LINES = 200


# Boards


@dataclass(frozen=True, slots=True)
class Placing:
    """A team on a board; `total` is the value that determines the order."""

    team: int
    name: str
    rank: int | None
    total: float | None


Placings = dict[str, tuple[Placing, ...]]


def placings(contest: Contest, now: datetime) -> Placings:
    """The ranks on every board of every stage and of the season, frozen or not, by its title."""
    found: Placings = {}
    stages = contest.ruleset.stages
    for spec in stages:
        boards = final_boards(contest, now, stage=spec.key)
        prefix = "" if len(stages) == 1 else f"{localized(spec.title, get_language() or 'en')}: "
        found |= _placed(boards, prefix, contest.ruleset)
    if scope.has_season(contest.ruleset):
        boards = final_boards(contest, now, is_season=True)
        found |= _placed(boards, f"{TITLES[SEASON]}: ", contest.ruleset)
    return found


def _placed(boards: Mapping[str, Any], prefix: str, rules: Ruleset) -> Placings:
    return {
        _title(key, prefix, rules): tuple(_placing(row) for row in boards[key]["rows"])
        for key in ranked_boards_of(rules)
        if key in boards and boards[key]["rows"]
    }


def _title(key: str, prefix: str, rules: Ruleset) -> str:
    if rules.boards and is_of_season(key):
        return board_title(key, rules)
    return f"{prefix}{_('Total') if key == SEASON else board_title(key, rules)}"


def _placing(row: Mapping[str, Any]) -> Placing:
    total = row.get("total", row.get("mean_rate"))
    return Placing(row["team"], row["name"], row["rank"], total)


@dataclass(frozen=True, slots=True)
class Row:
    """A team's ranks on a board, current and new; None without a rank."""

    team: str
    rank_before: int | None
    rank_after: int | None
    total_before: float | None
    total_after: float | None

    @property
    def is_changed(self) -> bool:
        return (self.rank_before, self.total_before) != (self.rank_after, self.total_after)

    @property
    def moved(self) -> int:
        """The number of ranks gained."""
        if self.rank_before is None or self.rank_after is None:
            return 0
        return self.rank_before - self.rank_after

    @property
    def moved_down(self) -> int:
        return -self.moved


@dataclass(frozen=True, slots=True)
class Board:
    title: str
    rows: tuple[Row, ...]


class _Undo(Exception):  # noqa: N818 — it ends a transaction; not an error
    """Carries a result out of a transaction that is rolled back."""

    def __init__(self, seen: Any) -> None:
        self.seen = seen


def boards(rescore: Rescore) -> tuple[Board, ...]:
    """Every board of the contest by team: the current and the new ranks."""
    before = placings(rescore.contest, timezone.now())
    after = _after(rescore)
    return tuple(
        Board(title, tuple(_rows(before.get(title, ()), after.get(title, ()))))
        for title in dict.fromkeys([*before, *after])
    )


def _after(rescore: Rescore) -> Placings:
    """The boards after applying it, in a transaction that is rolled back."""
    try:
        with transaction.atomic():
            contest = _applied(rescore)
            raise _Undo(placings(contest, timezone.now()))
    except _Undo as undo:
        return undo.seen


def _applied(rescore: Rescore) -> Contest:
    put_in_force(rescore)
    Rescore.objects.filter(pk=rescore.pk).update(state=Rescore.State.APPLIED)
    contest = type(rescore.contest).objects.get(pk=rescore.contest_id)
    contest.ruleset_text = rescore.rules.text
    contest.save(update_fields=["ruleset_text"])
    return contest


def _rows(before: tuple[Placing, ...], after: tuple[Placing, ...]) -> Iterator[Row]:
    was = {placing.team: placing for placing in before}
    becomes = {placing.team: placing for placing in after}
    for team in dict.fromkeys([*becomes, *was]):
        old, new = was.get(team), becomes.get(team)
        yield Row(
            team=next(one.name for one in (new, old) if one is not None),
            rank_before=old.rank if old else None,
            rank_after=new.rank if new else None,
            total_before=old.total if old else None,
            total_after=new.total if new else None,
        )


# Results


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Line:
    """A submission whose state or values change."""

    submission: Submission
    state_before: str
    state_after: str
    values: tuple[Value, ...]


def submissions(rescore: Rescore) -> list[Line]:
    """The submissions whose result would change, in the order of arrival; at most `MAX_LINES`."""
    made = {e.submission_id: e for e in rescore.evaluations.all()}
    lines: list[Line] = []
    final = finals.rounds_of(rescore.contest, timezone.now())
    again = submissions_in(rescore.contest).filter(evaluations__rescore=rescore)
    for submission in again.order_by("arrived_at", "pk"):
        now, then = latest_evaluation(submission), made[submission.pk]
        state = State.SCORED if then.values is not None else State.REJECTED
        is_final = submission.round_id in final
        before = None if now is None else finals.values_of(now, is_final=is_final)
        after = finals.values_of(then, is_final=is_final)
        values = tuple(_changed(before, after))
        if state != submission.state or values:
            lines.append(
                Line(submission, submission.get_state_display(), str(State(state).label), values)
            )
        if len(lines) == MAX_LINES:
            break
    return lines


def _changed(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[Value]:
    if before is None or after is None:
        return
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            yield Value(name, _shown(before.get(name)), _shown(after.get(name)))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"
