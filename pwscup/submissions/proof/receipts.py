# SPDX-License-Identifier: Apache-2.0
"""Receipts: proofs of a submission and its time for the team."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pwscup.contests.services.commitment import contribution_of
from pwscup.core import seals
from pwscup.core.models import Event, Seal

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.submissions.models import Submission

FORMAT, VERSION = "pwscup-receipt", 2
RECEIVED = "submission.received"


@dataclass(frozen=True)
class Receipt:
    """A submission with the hash of its event in the audit trail.

    The hash binds the organizers: nothing in the trail up to there can be changed without being noticed by
    the holder of the receipt. Positions are left out: from two of them a team could count the actions of all
    others in between.
    """

    submission: Submission
    sealed: Seal | None

    @property
    def arrived_local(self) -> str:
        """The time of arrival in the contest's zone."""
        local = self._arrived_at.astimezone(self.submission.round.contest.tz)
        return f"{local:%Y-%m-%d %H:%M:%S %Z}"

    @property
    def arrived_utc(self) -> str:
        return f"{self._arrived_at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"

    @property
    def _arrived_at(self) -> datetime:
        return self.submission.arrived_at

    @cached_property
    def contribution(self) -> str | None:
        """The SHA-256 of what the team has put into the draws."""
        return contribution_of(self.submission.team)

    def to_dict(self) -> dict[str, Any]:
        """The receipt as JSON-able data, for `python -m scoring verify --receipt`."""
        found = self.submission
        contest = found.round.contest
        files = found.files.all()
        return {
            "format": FORMAT,
            "version": VERSION,
            "contest": contest.slug,
            "round": found.round.key,
            "team": found.team.slug,
            "number": found.number,
            "submission": str(found.public_id),
            "target": found.target.team.slug if found.target else None,
            **({} if found.original is None else {"original": found.original}),
            "arrived_at": found.arrived_at.astimezone(UTC).isoformat(timespec="microseconds"),
            "arrived_at_local": found.arrived_at.astimezone(contest.tz).isoformat(),
            "timezone": contest.timezone,
            "files": [
                {
                    "key": file.key,
                    "name": file.file.name,
                    "size_bytes": file.file.size_bytes,
                    "sha256": file.file.sha256,
                }
                for file in files
            ],
            **({} if self.contribution is None else {"contribution": self.contribution}),
            "trail": self.sealed and {"hash": self.sealed.hash},
        }


def receipt_of(submission: Submission) -> Receipt:
    """The receipt of a submission; unsealed events of the trail are sealed for it."""
    sealed = _seal_of(submission)
    if sealed is None:
        seals.sweep()
        sealed = _seal_of(submission)
    return Receipt(submission, sealed)


def _seal_of(submission: Submission) -> Seal | None:
    events = Event.objects.filter(
        contest_id=submission.round.contest_id, kind=RECEIVED, subject=str(submission.public_id)
    )
    return Seal.objects.filter(event__in=events).first()
