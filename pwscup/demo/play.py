# SPDX-License-Identifier: Apache-2.0
"""Automatic progress of the demo contests: baseline teams play in every open round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.bots.playing import rounds
from pwscup.contests import faults
from pwscup.contests.models import Contest
from pwscup.core.models import Event
from pwscup.debriefings import selectors, services
from pwscup.demo.cast import GUESTS, ORGANIZER
from pwscup.demo.create import FINISHED
from pwscup.demo.lesson import LECTURE

if TYPE_CHECKING:
    from datetime import datetime

EXPLAINED = (FINISHED, LECTURE)
"""The finished contests whose debriefing has examples for everybody."""


def advance() -> int:
    """Submit for the baseline teams in every contest with missing submissions; return the number of files.

    Where all have played, examples are chosen from the debriefings.
    """
    now = timezone.now()
    n_files = 0
    for contest in Contest.objects.filter(is_demo=True).order_by("pk"):
        for round in contest.rounds.filter(opens_at__lte=now):
            with faults.alone(contest, faults.PLAY, round.key):
                n_files += rounds.play_round(contest, round, GUESTS.get(contest.slug))
    if not n_files:
        for contest in Contest.objects.filter(is_demo=True, slug__in=EXPLAINED):
            with faults.alone(contest, faults.DEBRIEF):
                explain(contest, now)
    return n_files


def explain(contest: Contest, now: datetime) -> None:
    """Choose the first debriefing with the name of its team and the last without, once: organizers may change it."""
    events = Event.objects.filter(contest_id=contest.pk, kind="contest.debriefing_examples")
    if events.exists():
        return
    parts = selectors.all_parts(services.ensure(contest, now))
    if parts:
        chosen = {(part.team_id, part.round_id): part is parts[0] for part in (parts[0], parts[-1])}
        organizer = User.objects.get(email=ORGANIZER.email)
        services.choose_examples(actor=organizer, contest=contest, examples=chosen)
