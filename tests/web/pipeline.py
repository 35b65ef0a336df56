# SPDX-License-Identifier: Apache-2.0
"""Short ways to hand in, score and publish in tests."""

from __future__ import annotations

import json
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.contests.models import Contest, Round
from pwscup.core import jobs
from pwscup.submissions import releases, services
from pwscup.submissions.models import Release, Submission
from tests import factories


def counting_by(text: str, *columns: str) -> str:
    """The ruleset of 2015 for any table, which compares the counts of records by these columns."""
    text = text.replace('schema = "households"', "").replace('"U6",', '"U6", "table-spearman",')
    return text.replace("\nties = ", f"\ntable_columns = {json.dumps(columns)}\nties = ")


def two_teams(cast: Any, contest: Contest) -> SimpleNamespace:
    """A contest in which alice captains Red with bob, and carol is Blue."""
    return SimpleNamespace(
        contest=contest,
        red=factories.make_team(contest, "Red", cast.alice, cast.bob),
        blue=factories.make_team(contest, "Blue", cast.carol),
    )


def round_of(contest: Contest, phase: str) -> Round:
    return next(r for r in contest.rounds.select_related("contest") if r.format.phase == phase)


def hand_in(
    user: User | None,
    team: Team,
    round: Round,
    *,
    anonymized: bytes = factories.NOISY,
    rows: bytes | None = factories.ROWS,
    **kwargs: Any,
) -> Submission:
    """An anonymized table with its rows, as a member of the team hands it in now."""
    files = {"anonymized": ("y.csv", anonymized)}
    if rows is not None:
        files["rows"] = ("rows.csv", rows)
    given = {"arrived_at": timezone.now(), "files": files} | kwargs
    return services.submit(user=user, team=team, round=round, **given)


def guess(user: User | None, team: Team, target: Release, rows: bytes) -> Submission:
    """A guess about a target, handed in now."""
    return services.submit(
        user=user,
        team=team,
        round=target.round,
        target=target,
        files={"guess": ("guess.csv", rows)},
        arrived_at=timezone.now(),
    )


def scored(submission: Submission) -> Submission:
    """The submission after a worker was at it."""
    jobs.work_on(Submission, submission.pk)
    submission.refresh_from_db()
    return submission


def open_attack(contest: Contest) -> Round:
    """Close the anonymization round, open the attack round."""
    now, hour = timezone.now(), timedelta(hours=1)
    rounds = {round.key: round for round in contest.rounds.all()}
    move(rounds["anonymization"], now - 5 * hour, now - 2 * hour)
    move(rounds["attack"], now - hour, now + hour)
    return rounds["attack"]


def close(round: Round) -> None:
    """Close a round a minute ago."""
    now = timezone.now()
    move(round, min(round.opens_at, now - timedelta(hours=1)), now - timedelta(minutes=1))


def move(round: Round, opens_at: Any, closes_at: Any) -> None:
    round.opens_at, round.closes_at = opens_at, closes_at
    round.save(update_fields=["opens_at", "closes_at"])


def publish(contest: Contest) -> dict[str, Release]:
    """Open the attack and publish; the releases by team name."""
    return {release.team.name: release for release in releases.publish(open_attack(contest))}
