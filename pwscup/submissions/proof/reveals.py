# SPDX-License-Identifier: Apache-2.0
"""Commit and reveal: the document that a contest publishes when nothing can be drawn from its secret any more."""

from __future__ import annotations

import json
from datetime import UTC
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

import scoring
from pwscup.contests import policies
from pwscup.contests.models import Contest
from pwscup.contests.services import ContestRefused
from pwscup.contests.services.commitment import mixes_of
from pwscup.contests.services.common import lock
from pwscup.core import audit_log, seals
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.submissions import selectors
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.states import UNFINISHED
from scoring.proof.commitments import derived_seed, mix_name

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.accounts.models import User

FORMAT, VERSION = "pwscup-reveal", 2


def publish_reveal(
    *, actor: User, contest: Contest, version: int | None = None, now: datetime | None = None
) -> None:
    """Publish the secret and every seed derived from it. This cannot be undone.

    Raises
    ------
    ContestRefused
        If something may still be drawn, or the secret was already revealed.
    """
    from pwscup.submissions import evaluation  # imports numpy, which only workers need

    now = now or timezone.now()
    _check(contest, now)
    secret = evaluation.revealed_secret(contest, actor=actor)
    text = json.dumps(document(contest, secret, now), ensure_ascii=False, indent=1)
    file = storage.write(text.encode(), area=storage.Area.PUBLISHED, name="reveal.json")
    try:
        with transaction.atomic():
            held = lock(contest, version)
            _check(held, now)
            file.save()
            held.reveal, held.revealed_at = file, now
            held.save(update_fields=["reveal", "revealed_at"])
            audit_log.record(
                "contest.revealed",
                actor=actor,
                contest_id=contest.pk,
                subject=contest.slug,
                commitment=held.commitment,
                sha256=file.sha256,
            )
    except BaseException:
        storage.discard(file)
        raise
    contest.reveal, contest.revealed_at = held.reveal, held.revealed_at


def _check(contest: Contest, now: datetime) -> None:
    if contest.revealed_at is not None:
        raise ContestRefused(_("The secret of this contest is published already."))
    if not policies.is_settled(contest, now):
        raise ContestRefused(
            _("The secret can be published once all rounds are over and every upload has arrived.")
        )
    if selectors.may_be_late(contest.rounds.all(), now):
        raise ContestRefused(
            _("A team may still submit late. Publish the secret after its deadline.")
        )
    if Submission.objects.filter(round__contest=contest, state__in=UNFINISHED).exists():
        raise ContestRefused(
            _("Submissions are still waiting to be scored. Publish the secret when they are done.")
        )


def document(contest: Contest, secret: bytes, now: datetime) -> dict[str, Any]:
    """The published document, verified by `scoring.proof.reveals`."""
    seals.seal_all(contest.pk)
    head = seals.head(contest.pk)
    purposes = purposes_of(contest)
    mixes = contest.mixes
    return {
        "format": FORMAT,
        "version": 1 if mixes is None else VERSION,
        "contest": contest.slug,
        "revealed_at": now.astimezone(UTC).isoformat(timespec="microseconds"),
        "scoring_version": scoring.__version__,
        "commitment": contest.commitment,
        "secret": secret.hex(),
        **({} if mixes is None else {"mixes": [mix for mix in mixes_of(contest) if mix["sha256"]]}),
        "seeds": [
            {"purpose": p, "seed": str(derived_seed(secret, p, mixes and mixes[mix_name(p)]))}
            for p in purposes
        ],
        "releases": _releases(contest, set(purposes)),
        "trail": head and {"position": head.position, "hash": head.hash},
    }


def purposes_of(contest: Contest) -> list[str]:
    """The purposes of draws from the secret, in the order of their first use: every read is recorded."""
    reads = Event.objects.filter(contest_id=contest.pk, kind="truth.read").order_by("id")
    found = reads.values_list("data", flat=True).iterator(chunk_size=2_000)
    return list(dict.fromkeys(data["purpose"] for data in found if "purpose" in data))


def _releases(contest: Contest, purposes: set[str]) -> list[dict[str, Any]]:
    found = Release.objects.filter(round__contest=contest).order_by("id")
    found = found.select_related("round", "team", "table", "submission__round")
    return [
        {
            "purpose": purpose,
            "round": release.round.key,
            "kind": _kind(release),
            "team": release.team.slug,
            "n_records": release.n_records,
            "sha256": release.table.sha256,
            "submission": str(release.submission.public_id),
            "files": {file.key: file.file.sha256 for file in release.submission.files.all()},
        }
        for release in found.prefetch_related("submission__files__file")
        if (purpose := f"release/{release.round.key}/{release.team.slug}") in purposes
    ]


def _kind(release: Release) -> str:
    """The kind of attack that says how the lines of a release follow from its seed."""
    if not release.round.format.asks_questions:
        return release.round.kind
    return release.submission.round.format.released_as
