"""Anonymized tables as they were handed in, and as they are published: in an order that only a seed knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.submissions.evaluation import handed_in
from pwscup.submissions.evaluation.originals import Original, original_table
from scoring.commitments import shuffled
from scoring.reading import write_table
from scoring.validation import read_submitted_records

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Submission
    from scoring.records import Records


def read_anonymized(submission: Submission, original: Original) -> tuple[Records, np.ndarray]:
    """The records that were handed in, and the rows of the original that were declared for them."""
    return read_submitted_records(
        handed_in.read(submission, "anonymized"),
        handed_in.read(submission, "rows") if handed_in.has(submission, "rows") else None,
        n_original=original.prepared.n_records,
        schema=original.schema,
    )


@dataclass(frozen=True, slots=True)
class ShuffledTable:
    """A table in released order, and the key to it: the one to publish, the other to seal."""

    table: bytes
    key: bytes
    n_records: int


def shuffled_table(submission: Submission, attack: Round) -> ShuffledTable:
    """What an attack round publishes of a submission: its records in a secret order, as canonical CSV.

    The order follows from the contest's secret, to which it has committed; `scoring.commitments` says how.
    """
    contest = submission.round.contest
    original = original_table(dataset_of(contest))
    seed = truth.derived_seed(contest, f"release/{attack.key}/{submission.team.slug}")
    table, source = shuffled(*read_anonymized(submission, original), seed)
    return ShuffledTable(
        write_table(table, original.schema), truth.release_key(seed, source), len(table)
    )
