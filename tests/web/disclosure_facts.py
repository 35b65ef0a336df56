# SPDX-License-Identifier: Apache-2.0
"""Made-up results of a contest about a hidden table, ranked on paper."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace

from pwscup.accounts.models import Team
from pwscup.contests.models import Round
from pwscup.disclosure.models import Answer, millionths_of
from pwscup.submissions.models import Submission
from scoring.privacy.accounting import epsilon_from
from tests import factories
from tests.web import board_facts

HOUR = timedelta(hours=1)

# Batch: ranks in L2 of Red 3, Blue 1, Green 1; in the rank correlation 2, 1, 3; totals 5/2, 1, 2.
BATCH = {"Red": (40.0, 0.5), "Blue": (30.0, 0.9), "Green": (30.0, 0.2)}
# Interactive: Red 1 and 1, Blue 2 and 2; Green handed in nothing, which is the last of four.
INTERACTIVE = {"Red": (5.0, 0.99), "Blue": (9.0, 0.95)}
# Comparison: Red (5/2 + 1) / 2, Blue (1 + 2) / 2, Green (2 + 4) / 2; Grey took no part.


def estimate(
    team: Team, round: Round, values: tuple[float, float | None], at: datetime | None = None
) -> Submission:
    """A scored estimate with its two measures."""
    return board_facts.scored(
        team, round, dict(zip(("table-L2", "table-spearman"), values, strict=True)), at=at
    )


def answer(team: Team, round: Round, epsilon: str, at: datetime) -> Answer:
    """An answer that cost so much; the later call is the later answer."""
    before = Answer.objects.filter(team=team, round=round).order_by("number").last()
    cost = millionths_of(epsilon_from(epsilon))
    number = before.number + 1 if before else 1
    return Answer.objects.create(
        round=round,
        team=team,
        number=number,
        query={"columns": [], "where": {}},
        digest=f"{number}",
        cost=cost,
        spent=cost + (before.spent if before else 0),
        budget=1_000_000,
        counts=[0],
        asked_at=at,
    )


def game(
    *, slug: str = "dp", phase: str = "after", contest=None, asked: bool = True
) -> SimpleNamespace:
    """Red, Blue, Green and Grey with their estimates of both rounds.

    Red's first estimate of the interactive round, which does not count, was made from 0.25 of its
    budget, its second one from 0.75; Blue's from nothing that it asked for.
    """
    contest = contest or factories.make_dp_contest(slug, phase=phase)
    batch, interactive = contest.rounds.order_by("position")
    teams = {
        name: contest.teams.filter(name=name).first() or factories.make_team(contest, name)
        for name in ("Red", "Blue", "Green", "Grey")
    }
    contest.teams.update(created_at=batch.opens_at - HOUR)
    played = SimpleNamespace(
        contest=contest, teams=teams, batch=batch, interactive=interactive, submissions={}
    )
    for name, values in BATCH.items():
        played.submissions[name, "batch"] = estimate(
            teams[name], batch, values, batch.opens_at + HOUR
        )
    if asked:
        answer(teams["Red"], interactive, "0.25", interactive.opens_at + HOUR)
        answer(teams["Red"], interactive, "0.5", interactive.opens_at + 3 * HOUR)
    played.submissions["Red", "first"] = estimate(
        teams["Red"], interactive, (20.0, 0.9), interactive.opens_at + 2 * HOUR
    )
    for name, values in INTERACTIVE.items():
        played.submissions[name, "interactive"] = estimate(
            teams[name], interactive, values, interactive.opens_at + 4 * HOUR
        )
    return played
