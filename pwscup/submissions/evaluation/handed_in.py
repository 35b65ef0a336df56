# SPDX-License-Identifier: Apache-2.0
"""The files of a submission, read through `contests.truth`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests import truth
from pwscup.submissions.models import SubmissionFile

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.core.models import StoredFile
    from pwscup.submissions.models import Submission


def _stored(submission: Submission, key: str) -> StoredFile:
    """One file of the submission; reads nothing if its files are prefetched."""
    for entry in submission.files.all():
        if entry.key == key:
            return entry.file
    raise SubmissionFile.DoesNotExist(f"submission {submission.pk} has no file {key}")


def read(submission: Submission, key: str) -> bytes:
    """The bytes of one file, to be scored."""
    return truth.read_sealed(
        _stored(submission, key),
        reason=f"scoring {submission.public_id}",
        contest_id=submission.round.contest_id,
    )


def has(submission: Submission, key: str) -> bool:
    return any(entry.key == key for entry in submission.files.all())


def hashes(submission: Submission) -> dict[str, str]:
    """The digest of every file by its key."""
    files = sorted(submission.files.all(), key=lambda entry: entry.key)
    return {entry.key: entry.file.sha256 for entry in files}


def own_upload(user: User, submission: Submission, key: str) -> tuple[str, bytes]:
    """A submitted file, its name and bytes, for a user who may see the submission.

    Raises
    ------
    SubmissionFile.DoesNotExist
        Where the submission has no such file.
    """
    file = _stored(submission, key)
    data = truth.read_sealed(
        file,
        reason=f"download of {submission.public_id}",
        contest_id=submission.round.contest_id,
        actor=user,
    )
    return file.name, data


def file_of_trial(
    file: StoredFile, *, reason: str, contest_id: int, actor: User | None = None
) -> bytes:
    """A sealed file that the platform made for a team, for its download or to be submitted."""
    return truth.read_sealed(file, reason=reason, contest_id=contest_id, actor=actor)
