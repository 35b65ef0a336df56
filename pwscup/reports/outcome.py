# SPDX-License-Identifier: Apache-2.0
"""The outcome of a contest: its prerequisites, and the board with the final ranks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from pwscup.leaderboards import scope
from pwscup.leaderboards.boards import build as boards
from pwscup.leaderboards.services import boards_of
from pwscup.submissions.models import Submission
from pwscup.submissions.selectors import may_be_late
from pwscup.submissions.states import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.contests.models import Contest, Division, Round
    from pwscup.core.texts.refusals import Text
    from pwscup.leaderboards.services import Boards


@dataclass(frozen=True, slots=True)
class FinalBoard:
    """The board of the season, or the main board of the only stage that counts."""

    name: str
    boards: Boards

    @property
    def section(self) -> dict[str, Any]:
        return self.boards.data[self.name]

    @property
    def ranks(self) -> dict[int, int]:
        """The rank of every ranked team."""
        rows = self.section["rows"]
        return {row["team"]: row["rank"] for row in rows if row["rank"] is not None}


def deciding_rounds(contest: Contest) -> list[Round]:
    """The rounds behind the final board, without practice before and open play after."""
    rules = contest.ruleset
    stages = {spec.key for spec in scope.weighted_stages(rules) or rules.stages}
    keys = {spec.key for spec in rules.rounds if spec.stage in stages}
    return [round for round in contest.rounds.all() if round.key in keys]


def blockers(contest: Contest, now: datetime, rounds: Sequence[Round]) -> list[Text]:
    """The reasons why results of these rounds may still change, or must not be published; empty if none."""
    found: list[Text] = []
    if not rounds or not all(round.is_settled(now) for round in rounds):
        found.append(
            _(
                "Rounds are not over yet, or an upload that began in time may still arrive. "
                "Wait until the last round has closed."
            )
        )
    if may_be_late(rounds, now):
        found.append(_("A team may still submit late. Wait until its deadline has passed."))
    if contest.frozen_at is not None:
        found.append(_("The leaderboard is frozen. Reveal it first."))
    waiting = Submission.objects.filter(round__in=rounds, state__in=UNFINISHED)
    if rounds and waiting.exists():
        found.append(_("Submissions are still being scored. Wait until they are done."))
    return found


def is_decided(contest: Contest, now: datetime) -> bool:
    """The final board is fixed and public."""
    return not blockers(contest, now, deciding_rounds(contest))


def final_board(contest: Contest, now: datetime, division: Division | None = None) -> FinalBoard:
    """The public final board, among all teams or those of a division."""
    rules = contest.ruleset
    seen: dict[str, Any] = {"division": division, "hidden": contest.hidden_measures}
    if scope.has_season(rules):
        return FinalBoard(boards.SEASON, boards_of(contest, now, is_season=True, **seen))
    stage = (scope.weighted_stages(rules) or rules.stages)[-1].key
    found = boards_of(contest, now, stage=stage, **seen)
    return FinalBoard(boards.first_board(rules, found.data), found)
