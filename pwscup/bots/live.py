# SPDX-License-Identifier: Apache-2.0
"""Baseline teams in contests of people: the platform plays them while a round is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from pwscup.bots.playing import rounds
from pwscup.contests import faults
from pwscup.contests.models import Contest
from pwscup.submissions import selectors
from pwscup.submissions.services import SubmissionRefused

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round

AT_ONCE = 5
"""Guesses of a team in one sweep: the next ones follow in the next sweep."""
TOO_LATE = ("round.closed", "round.released", "contest.paused")


def advance() -> int:
    """Submit what is missing for the baseline teams in open rounds; return the number of files.

    A failure of a team is recorded for the organizers and changes nothing for the others. Demo contests and dry runs
    are played elsewhere; in rounds that are over nobody plays.
    """
    now, n_files = timezone.now(), 0
    contests = Contest.objects.filter(Contest.PUBLIC, is_demo=False, erased_at=None)
    for contest in contests.filter(teams__is_house=True).distinct().order_by("pk"):
        open_rounds = [r for r in contest.rounds.select_related("contest") if r.is_open(now)]
        if open_rounds:
            out = selectors.disqualified(contest)
            for team in contest.teams.filter(is_house=True).exclude(pk__in=out).order_by("pk"):
                with faults.alone(contest, faults.BASELINE, team.name):
                    n_files += sum(_play(team, round) for round in open_rounds)
    return n_files


def _play(team: Team, round: Round) -> int:
    """Nothing where the round ended while the bot was computing."""
    try:
        return rounds.play_now(team, round, AT_ONCE)
    except SubmissionRefused as refusal:
        if refusal.code not in TOO_LATE:
            raise
        return 0
