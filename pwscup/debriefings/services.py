# SPDX-License-Identifier: Apache-2.0
"""Debriefings: computed when a contest is over, again when its results change, and chosen for the class."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from pwscup.contests import faults
from pwscup.contests.models import Contest
from pwscup.contests.services.common import lock
from pwscup.core import audit_log, jobs
from pwscup.debriefings import facts
from pwscup.debriefings.models import Debriefing, DebriefingExample, DebriefingSettings

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.accounts.models import User

RECENT = timedelta(days=1)
"""The time in which the sweeper starts the debriefing of a contest; later its first reader does."""


def ensure(contest: Contest, now: datetime) -> Debriefing | None:
    """The debriefing of the current facts, computed already or waiting for a worker; None if there is none to show."""
    rounds = facts.rounds_of(contest, facts.settings_of(contest), now)
    if not rounds:
        return None
    key = facts.key_of(facts.sources_of(contest, rounds), contest)
    found = Debriefing.objects.filter(contest=contest).first()
    return found if found is not None and found.key == key else _renewed(contest, key)


def _renewed(contest: Contest, key: str) -> Debriefing:
    """Wait for a worker with these facts; what was computed from others is deleted."""
    with transaction.atomic():
        Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
        found = Debriefing.objects.filter(contest=contest).first()
        if found is not None and found.key == key:
            return found  # of another reader
        Debriefing.objects.filter(contest=contest).delete()
        made = Debriefing.objects.create(contest=contest, key=key, sent_at=timezone.now())
        transaction.on_commit(partial(jobs.announce, Debriefing, made.pk))
    return made


def sweep(now: datetime) -> None:
    """Start the debriefing of contests that are over, and delete that of contests whose data are deleted."""
    Debriefing.objects.exclude(contest__erased_at=None).delete()
    over = Contest.objects.filter(Contest.PUBLIC, debriefing=None, erased_at=None, frozen_at=None)
    over = over.filter(rounds__closes_at__range=(now - RECENT, now)).distinct()
    for contest in over.prefetch_related("rounds").order_by("pk"):
        with faults.alone(contest, faults.DEBRIEF):
            ensure(contest, now)


@transaction.atomic
def compute_again(*, actor: User, contest: Contest, version: int | None = None) -> None:
    """Delete the debriefing and compute it again, for example after it failed."""
    held = lock(contest, version)
    Debriefing.objects.filter(contest=held).delete()
    audit_log.record(
        "contest.debriefing_requested", actor=actor, contest_id=held.pk, subject=held.slug
    )
    ensure(held, timezone.now())


@transaction.atomic
def change(
    *,
    actor: User,
    contest: Contest,
    after_stages: bool,
    discloses_table: bool,
    version: int | None = None,
) -> None:
    """Set when debriefings are shown, and whether they disclose the hidden table."""
    held = lock(contest, version)
    before = facts.settings_of(held)
    new = {"after_stages": after_stages, "discloses_table": discloses_table}
    old = {name: getattr(before, name) for name in new}
    if old == new:
        return
    DebriefingSettings.objects.update_or_create(contest=held, defaults=new)
    audit_log.record(
        "contest.debriefing_changed",
        actor=actor,
        contest_id=held.pk,
        subject=held.slug,
        before=old,
        after=new,
    )


@transaction.atomic
def choose_examples(
    *,
    actor: User,
    contest: Contest,
    examples: Mapping[tuple[int, int], bool],
    version: int | None = None,
) -> None:
    """Show these parts to everybody who may see the boards: by (team, round), with the name of the team or without."""
    held = lock(contest, version)
    known = {
        (part.team_id, part.round_id): part.team.slug
        for part in Debriefing.objects.get(contest=held).parts.select_related("team")
    }
    chosen = {at: names for at, names in examples.items() if at in known}
    DebriefingExample.objects.filter(round__contest=held).delete()
    DebriefingExample.objects.bulk_create(
        DebriefingExample(team_id=team, round_id=round, names_team=names)
        for (team, round), names in chosen.items()
    )
    audit_log.record(
        "contest.debriefing_examples",
        actor=actor,
        contest_id=held.pk,
        subject=held.slug,
        named=", ".join(known[at] for at, names in chosen.items() if names),
        unnamed=", ".join(known[at] for at, names in chosen.items() if not names),
    )
