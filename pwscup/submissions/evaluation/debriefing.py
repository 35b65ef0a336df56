# SPDX-License-Identifier: Apache-2.0
"""Debriefings: what the attacks on a team's own table found, from the answer key of that table only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pwscup.contests import truth
from pwscup.formats.evaluation import Attacked
from pwscup.submissions.evaluation.cases import Case

if TYPE_CHECKING:
    from pwscup.submissions.models import Release, Submission


def debriefed_table(release: Release, guesses: Sequence[Submission]) -> dict[str, Any]:
    """The plain values about a published table, of which `guesses` are the counting ones, one for each attacker."""
    submission = release.submission
    read = [submission, *guesses]
    files = [entry.file for one in read for entry in one.files.all()]
    with truth.on_record(
        [*files, release.key],
        reason=f"debriefing of {submission.public_id}",
        contest=submission.round.contest,
        subject=str(submission.public_id),
    ):
        times: Counter[Any] = Counter()
        for guess in guesses:
            guess.target = release
            times.update(set(guess.round.format.evaluation.hit(Case(guess))))
        attacked = Attacked(len(guesses), times)
        return submission.round.format.evaluation.debriefed(Case(submission), attacked)


def debriefed_estimate(submission: Submission) -> dict[str, Any]:
    """The plain values about an estimate of a hidden table, which they disclose in part."""
    with truth.on_record(
        [entry.file for entry in submission.files.all()],
        reason=f"debriefing of {submission.public_id}",
        contest=submission.round.contest,
        subject=str(submission.public_id),
    ):
        compared: dict[str, Any] = submission.round.format.evaluation.compared(Case(submission))
        return compared
