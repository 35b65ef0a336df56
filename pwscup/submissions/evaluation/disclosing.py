"""What leaves the one door of a hidden table: noisy counts, a randomized release, and marks of estimates."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pwscup.contests import truth
from pwscup.contests.disclosed import spec_of, target_attributes
from pwscup.contests.models import Dataset
from pwscup.contests.selectors import dataset_of
from scoring.formats.disclosure.attributes import attributes_of, codes_of
from scoring.formats.disclosure.estimates import marks, read_estimate
from scoring.formats.disclosure.estimators import counted
from scoring.formats.disclosure.queries import noisy_answer
from scoring.formats.disclosure.releases import release_csv
from scoring.privacy import sampling

if TYPE_CHECKING:
    from decimal import Decimal

    import numpy as np

    from pwscup.contests.models import Contest
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.formats.disclosure.queries import Query

MAX_TABLES = 4


def noisy_counts(contest: Contest, query: Query, epsilon: Decimal) -> list[int]:
    """The answer to a query with noise that nobody can repeat, in the order of the query's cells."""
    attributes, codes = _hidden(contest)
    return noisy_answer(query, codes, attributes, epsilon, sampling.secure()).ravel().tolist()


def released_table(contest: Contest, epsilon: Decimal) -> tuple[bytes, int]:
    """The randomized table as CSV, its lines shuffled, and its number of records; every call draws anew."""
    attributes, codes = _hidden(contest)
    return release_csv(codes, attributes, epsilon, sampling.secure()), len(codes)


def marks_of(contest: Contest, estimate: bytes) -> dict[str, float | None]:
    """How far an estimate of the target table is from the truth.

    Raises
    ------
    scoring.errors.ProblemsFound
        Where the file is no estimate of that table.
    """
    attributes, codes = _hidden(contest)
    target = target_attributes(contest)
    return marks(read_estimate(estimate, target), counted(codes, attributes, target))


def _hidden(contest: Contest) -> tuple[tuple[Attribute, ...], np.ndarray]:
    dataset, columns = dataset_of(contest), spec_of(contest).columns
    return _coded(dataset.pk, dataset.sealed.sha256, dataset.schema_text, columns)


@lru_cache(maxsize=MAX_TABLES)
def _coded(
    pk: int, sha256: str, schema_text: str, columns: tuple[str, ...]
) -> tuple[tuple[Attribute, ...], np.ndarray]:
    """A hidden table as codes of its disclosed columns, kept by this process; the texts tell its versions apart."""
    dataset = Dataset.objects.select_related("sealed").get(pk=pk)
    attributes = attributes_of(dataset.schema, columns)
    records = truth.original_records(dataset, reason="disclosure: the hidden table is coded")
    return attributes, codes_of(records, attributes)
