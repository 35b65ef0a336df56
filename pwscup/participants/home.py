# SPDX-License-Identifier: Apache-2.0
"""The home of somebody who plays: the own contests with rank, attempts left, next deadline and unread news."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pwscup.accounts.models import Team
from pwscup.accounts.selectors import namesakes
from pwscup.contests.guidance import Boundary, next_boundary
from pwscup.contests.models import Contest
from pwscup.contests.rules.measures import hidden_measures
from pwscup.contests.selectors import contest_state, rounds_of, visible_contests
from pwscup.leaderboards.boards.build import first_board_of
from pwscup.leaderboards.boards.texts import board_title
from pwscup.leaderboards.services import served
from pwscup.notices.selectors import n_unread
from pwscup.submissions import selectors
from pwscup.submissions.intake import limits
from pwscup.submissions.models import Release

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Round

STATES = ("running", "upcoming", "finished")
MOST_RANKED = 12
"""The number of contests whose boards are read; older ones are listed without a rank."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of the team on the main board that everybody sees."""

    board: str
    rank: int
    n_ranked: int


@dataclass(frozen=True, slots=True)
class Open:
    """An open round: the attempts that the team has left, of how many, and those of today; None without a limit."""

    round: Round
    left: int
    of: int | None
    today: int | None


@dataclass(frozen=True, slots=True)
class Mine:
    """A contest in which the user plays."""

    contest: Contest
    team: Team
    state: str
    open: tuple[Open, ...]
    deadline: Boundary | None
    rank: Rank | None
    n_unread: int
    is_paused: bool
    is_namesake: bool = False
    """Another contest of the list has the same title."""

    @property
    def is_awaited(self) -> bool:
        """All rounds have closed, and results are not complete yet."""
        return self.state == "running" and not self.open and self.deadline is None


def contests_of(user: User, now: datetime) -> list[Mine]:
    """The contests in which the user plays: running ones first, then upcoming and finished ones."""
    teams = Team.objects.filter(memberships__user=user).select_related("contest")
    visible = visible_contests(user).filter(teams__in=teams, rehearsal_of=None)
    contests = {c.pk: c for c in visible.prefetch_related("rounds", "divisions")}
    found: list[Any] = []
    for team in teams.order_by("-contest__created_at", "-pk"):
        if (contest := contests.get(team.contest_id)) is not None:
            team.contest = contest
            found.append(_mine(user, contest, team, now, has_rank=len(found) < MOST_RANKED))
    alike = namesakes(line.contest for line in found)
    marked = [replace(line, is_namesake=line.contest.pk in alike) for line in found]
    return sorted(marked, key=_order)


def _order(line: Mine) -> tuple[int, float]:
    rounds = rounds_of(line.contest)
    ends = line.deadline.at if line.deadline else max((r.closes_at for r in rounds), default=None)
    at = ends.timestamp() if ends else 0.0
    return STATES.index(line.state), -at if line.state == "finished" else at


def _mine(user: User, contest: Contest, team: Team, now: datetime, *, has_rank: bool) -> Mine:
    rounds = rounds_of(contest)
    for round in rounds:
        round.contest = contest
    return Mine(
        contest=contest,
        team=team,
        state=contest_state(rounds, now),
        open=tuple(_open(team, round, now) for round in rounds if round.is_open(now)),
        deadline=next_boundary(rounds, now),
        rank=_rank(user, contest, team, now) if has_rank else None,
        n_unread=n_unread(user.pk, contest.pk),
        is_paused=contest.paused_at is not None,
    )


def _open(team: Team, round: Round, now: datetime) -> Open:
    if round.format.has_targets:
        return Open(round, _guesses_left(team, round), None, None)
    left = selectors.tries_left(team, round)
    return Open(round, left, round.tries, limits.left_today(team, round, now))


def _guesses_left(team: Team, round: Round) -> int:
    """The number of guesses that the team can still submit, against all other teams' tables together."""
    own = set(Release.objects.filter(round=round, team=team).values_list("pk", flat=True))
    left = selectors.tries_left_by_target(team, round)
    most = sum(n for pk, n in left.items() if pk not in own)
    in_all = limits.left_in_all(team, round)
    return most if in_all is None else min(most, in_all)


def _rank(user: User, contest: Contest, team: Team, now: datetime) -> Rank | None:
    """The rank on the main board, frozen or not; None if it has none yet, or the board is being computed."""
    boards = served(contest, now, hidden=hidden_measures(contest, user))
    if boards is None:
        return None
    name = first_board_of(boards.scope)
    section: Mapping = boards.outline.get(name, {})
    ranked = [row for row in section.get("rows", []) if row["rank"] is not None]
    own = next((row for row in ranked if row["team"] == team.pk), None)
    if own is None or not own.get("submitted", True):
        return None
    return Rank(board_title(name, boards.scope.rules), own["rank"], len(ranked))
