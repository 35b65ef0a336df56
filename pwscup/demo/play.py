"""Automatic progress of the demo contests: house teams play in every open round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from pwscup.bots.playing import rounds
from pwscup.contests import faults
from pwscup.contests.models import Contest
from pwscup.demo.cast import DEMO_SERIES, GUESTS

if TYPE_CHECKING:
    from pwscup.bots.cast import Bot


def advance() -> int:
    """Submit for the house teams in the first contest with missing submissions; return the number of files."""
    now = timezone.now()
    n_files = 0
    for contest in Contest.objects.filter(is_demo=True).order_by("pk"):
        for round in contest.rounds.filter(opens_at__lte=now):
            with faults.alone(contest, faults.PLAY, round.key):
                n_files += rounds.play_round(contest, round, _guests(contest))
    return n_files


def _guests(contest: Contest) -> dict[str, Bot]:
    """Only in a finished contest: elsewhere users play themselves."""
    return GUESTS if contest.slug == DEMO_SERIES else {}
