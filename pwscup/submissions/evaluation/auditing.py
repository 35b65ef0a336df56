"""Audits of what was scored: all that the kit can find out, which takes far longer than scoring."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pwscup.submissions.evaluation.kinds import seed_of
from pwscup.submissions.evaluation.originals import dataset_for, original_table
from pwscup.submissions.evaluation.tables import decoys_of, read_anonymized

if TYPE_CHECKING:
    from pwscup.submissions.models import Submission
    from scoring.audits.audit import Audit, Progress
    from scoring.audits.series import SeriesAudit

SERIES = "series"
SEED_BITS = 128


def audited(submission: Submission, progress: Progress) -> Audit | SeriesAudit:
    """What all attackers and measures find of what was scored; `progress` hears of every step."""
    if submission.round.kind == SERIES:
        return audited_series(submission, progress)
    return audited_table(submission, progress)


def audited_table(submission: Submission, progress: Progress) -> Audit:
    """All attackers and measures against a scored table.

    Where the team has its own table, its decoys are the strangers that attacks are compared with.
    """
    from scoring.audits.audit import audit  # all that attackers need, which scoring does not

    original = original_table(dataset_for(submission))
    table, source = read_anonymized(submission, original)
    control = decoys_of(submission)
    return audit(
        original.prepared if control is None else original.prepared.original.to_frame(),
        table.to_frame(),
        source,
        original.schema,
        rng=np.random.default_rng(secrets.randbits(SEED_BITS)),
        control=control,
        options=replace(submission.round.contest.ruleset.options, seed=seed_of(submission)),
        progress=progress,
    )


def audited_series(submission: Submission, progress: Progress) -> SeriesAudit:
    """All definitions of risk and all attackers of a scored series, with the numbers that the team finds at home."""
    from pwscup.submissions.evaluation.series import read_handed_in, spec_of
    from scoring.audits.series import audit_series

    original, found = read_handed_in(submission)
    spec = spec_of(submission)
    return audit_series(original, found, m=spec.m, definition=spec.definition, progress=progress)
