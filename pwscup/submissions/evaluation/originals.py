"""Originals, prepared once for all that is scored against them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.submissions import draws
from scoring.evaluate import Prepared

if TYPE_CHECKING:
    from pwscup.contests.models import Dataset
    from pwscup.submissions.models import Submission
    from scoring.tables.schema import Schema

MAX_ORIGINALS = 4


def dataset_for(submission: Submission) -> Dataset:
    """What the submission's team anonymized: the table of all teams, or its own.

    Raises
    ------
    LookupError
        Where there is none.
    """
    if not submission.round.contest.format.own_tables:
        return dataset_of(submission.round.contest)
    dataset = draws.ensure_drawn(submission.team)
    if dataset is None:
        raise LookupError(f"team {submission.team_id} has no table of its own")
    return dataset


@dataclass(frozen=True, slots=True)
class Original:
    """An original without its identifiers, and the indexes that scoring builds once."""

    schema: Schema
    prepared: Prepared

    @classmethod
    def of(cls, dataset: Dataset) -> Original:
        records = truth.original_records(dataset, reason="scoring: the original is prepared")
        schema = dataset.schema.public()
        return cls(schema, Prepared.of(records, schema))


_originals: OrderedDict[tuple[int, str, str], Original] = OrderedDict()
_originals_lock = Lock()


def original_table(dataset: Dataset) -> Original:
    """The original of a dataset, kept by this process while it is among the last few in use."""
    schema_digest = hashlib.sha256(dataset.schema_text.encode()).hexdigest()
    key = (dataset.pk, dataset.sealed.sha256, schema_digest)
    with _originals_lock:
        if key not in _originals:
            _originals[key] = Original.of(dataset)
        _originals.move_to_end(key)
        while len(_originals) > MAX_ORIGINALS:
            _originals.popitem(last=False)
        return _originals[key]
