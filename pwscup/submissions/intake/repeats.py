# SPDX-License-Identifier: Apache-2.0
"""A file that was sent twice because the first response was lost: both are one submission."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pwscup.submissions.models import Submission

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.core.models import StoredFile
    from pwscup.submissions.models import Release


def key_of(
    nonce: str,
    round: Round,
    target: Release | None,
    digests: Mapping[str, str],
    original: int | None = None,
) -> str:
    """The key of one sending of a form: its nonce, round, target, files and original; empty without a nonce.

    The same form with other files or another original is another submission: browsers keep pages, and users return to
    them.
    """
    if not nonce:
        return ""
    parts = [
        nonce,
        str(round.pk),
        str(target and target.pk),
        *(f"{key} {digests[key]}" for key in sorted(digests)),
        *([] if original is None else [f"original {original}"]),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def digests_of(files: Mapping[str, StoredFile]) -> dict[str, str]:
    return {key: file.sha256 for key, file in files.items()}


def digest(data: bytes | Iterable[bytes]) -> str:
    """The SHA-256 of a file that is not stored yet."""
    found = hashlib.sha256()
    for chunk in [data] if isinstance(data, bytes) else data:
        found.update(chunk)
    return found.hexdigest()


def first_with(team: Team, key: str) -> Submission | None:
    """The submission of the team with this key."""
    return Submission.objects.filter(team=team, sent_as=key).first() if key else None
