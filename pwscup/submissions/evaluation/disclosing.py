# SPDX-License-Identifier: Apache-2.0
"""The disclosed data of a hidden table: noisy counts, and a randomized release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of
from pwscup.formats.attacks.estimates import coded
from pwscup.formats.hidden.disclosed import spec_of
from pwscup.submissions.evaluation.originals import read_once
from scoring.formats.disclosure.queries import noisy_answer
from scoring.formats.disclosure.releases import release_csv
from scoring.privacy import sampling

if TYPE_CHECKING:
    from decimal import Decimal

    import numpy as np

    from pwscup.contests.models import Contest
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.formats.disclosure.queries import Query


def noisy_counts(contest: Contest, query: Query, epsilon: Decimal) -> list[int]:
    """The answer to a query with noise that cannot be reproduced, in the order of the query's cells."""
    attributes, codes = _hidden(contest)
    return noisy_answer(query, codes, attributes, epsilon, sampling.secure()).ravel().tolist()


def released_table(contest: Contest, epsilon: Decimal) -> tuple[bytes, int]:
    """The randomized table as CSV, its lines shuffled, and its number of records; every call draws again."""
    attributes, codes = _hidden(contest)
    return release_csv(codes, attributes, epsilon, sampling.secure()), len(codes)


def _hidden(contest: Contest) -> tuple[tuple[Attribute, ...], np.ndarray]:
    return read_once(dataset_of(contest), coded, spec_of(contest).columns)
