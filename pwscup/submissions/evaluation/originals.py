# SPDX-License-Identifier: Apache-2.0
"""Tables of contests, opened through `contests.truth`, and read once for all submissions."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.submissions import draws
from scoring.tables.notes import noted

if TYPE_CHECKING:
    from pwscup.contests.models import Dataset
    from pwscup.submissions.models import Submission
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema

MAX_ORIGINALS = 4
T = TypeVar("T")


def dataset_for(submission: Submission) -> Dataset:
    """The table that the submission's team anonymized: that of all teams, or its own.

    Raises
    ------
    LookupError
        Where there is none.
    """
    if not submission.round.contest.format.own_tables:
        return dataset_of(submission.round.contest)
    dataset = draws.ensure_drawn(submission.team, number=submission.original)
    if dataset is None:
        raise LookupError(f"team {submission.team_id} has no table of its own")
    return dataset


@dataclass(frozen=True, slots=True)
class Opened:
    """The answers to `pwscup.formats.evaluation.Opened`."""

    dataset: Dataset

    @property
    def schema(self) -> Schema:
        return self.dataset.schema

    @property
    def n_records(self) -> int:
        return self.dataset.n_records

    def data(self, reason: str) -> bytes:
        dataset = self.dataset
        return truth.read_sealed(dataset.sealed, reason=reason, contest_id=dataset.contest_id)

    def records(self, reason: str) -> Records:
        return truth.original_records(self.dataset, reason=reason)


_originals: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_originals_lock = Lock()


def read_once(dataset: Dataset, read: Callable[..., T], *given: Any) -> T:
    """`read(table, *given)` of a dataset, cached by this process for the last few datasets."""
    schema_digest = hashlib.sha256(dataset.schema_text.encode()).hexdigest()
    key = (dataset.pk, dataset.sealed.sha256, schema_digest, read, given)
    with _originals_lock:
        if key not in _originals:
            with noted():  # of the table, and so not of a submission
                _originals[key] = read(Opened(dataset), *given)
        _originals.move_to_end(key)
        while len(_originals) > MAX_ORIGINALS:
            _originals.popitem(last=False)
        found: T = _originals[key]
        return found
