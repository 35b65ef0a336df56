# SPDX-License-Identifier: Apache-2.0
"""The secret of a contest and the commitment to it: drawn at the start, before anything depends on it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, TypedDict

from django.db import transaction

from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.core.files import storage
from scoring.proof.commitments import SECRET_BYTES, commitment

if TYPE_CHECKING:
    from pwscup.core.models import StoredFile


class Commitment(TypedDict):
    """The fields of a contest with its commitment."""

    secret: StoredFile
    commitment: str


def drawn() -> Commitment:
    """A new secret, sealed, and its public commitment."""
    secret = secrets.token_bytes(SECRET_BYTES)
    sealed = storage.store(secret.hex().encode(), area=storage.Area.SEALED, name="secret")
    return {"secret": sealed, "commitment": commitment(secret)}


def ensure_committed(contest: Contest) -> None:
    """Commit to a secret if the contest has none: it was created before commitments existed."""
    if contest.commitment:
        return
    with transaction.atomic():
        held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
        if not held.commitment:
            Contest.objects.filter(pk=held.pk).update(**(fields := drawn()))
            held.secret, held.commitment = fields["secret"], fields["commitment"]
            audit_log.record(
                "contest.committed",
                contest_id=held.pk,
                subject=held.slug,
                commitment=held.commitment,
            )
    contest.secret, contest.commitment = held.secret, held.commitment
