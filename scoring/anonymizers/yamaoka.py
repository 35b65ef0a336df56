# SPDX-License-Identifier: Apache-2.0
"""Yamaoka anonymization: keeps the table and permutes the declared row numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer
from scoring.errors import Problem, ProblemsFound
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "yamaoka"


def yamaoka(
    table: pd.DataFrame, schema: Schema, *, rng: np.random.Generator, spread: int = 10
) -> Anonymized:
    """Exchange the declared row numbers among similar records; no record keeps its own.

    An attacker who finds the true original of a record is scored wrong, because the team declares another. Only the
    loss against the declared record (U5) shows it. The records are ordered by the sum of their sensitive numbers, each
    divided by its column's range as in U5, and cut into groups of neighbours; within a group the numbers move along one
    random cycle.

    Parameters
    ----------
    spread
        Size of the groups, 2 or more; 0 is the whole table. Small groups lose little, but an attacker who knows the
        method guesses right once in `spread` - 1 times: with 2, always.

    Raises
    ------
    ProblemsFound
        The table has a single record, or `spread` is 1.
    """
    n = len(table)
    if n < 2:
        raise ProblemsFound(
            [Problem("anonymizer.too_few", {"method": ID, "expected": 2, "got": n})]
        )
    if spread == 1:
        raise refuse(ID, "spread", "0, or an integer of at least 2", spread)
    size = min(spread or n, n)
    # A single record left over joins the last group: by itself it would keep its number.
    group_of_rank = np.minimum(np.arange(n) // size, max(1, -(-(n - 1) // size)) - 1)
    by_amount = np.argsort(_amounts(table, schema, rng), kind="stable")
    members = by_amount[np.lexsort((rng.random(n), group_of_rank))]
    source = np.empty(n, dtype=np.int64)
    source[members] = members[_next_in_group(group_of_rank)]
    return Anonymized(table.copy(), source)


def _amounts(table: pd.DataFrame, schema: Schema, rng: np.random.Generator) -> NDArray[np.float64]:
    """An order in which similar records are neighbours; random if there are no numbers."""
    columns = [table[name].to_numpy(dtype=np.float64) for name in schema.sensitive_numeric]
    ranged = [values / np.ptp(values) for values in columns if np.ptp(values) > 0]
    return np.sum(ranged, axis=0) if ranged else rng.random(len(table))


def _next_in_group(group_of_rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position after each position, the first of the group after its last."""
    n = len(group_of_rank)
    starts = np.flatnonzero(np.r_[True, group_of_rank[1:] != group_of_rank[:-1]])
    following = np.arange(1, n + 1)
    following[np.r_[starts[1:], n] - 1] = starts
    return following


YAMAOKA = Anonymizer(
    id=ID,
    title=_("Yamaoka anonymization"),
    protects=_(
        "Correct scoring only: the declared rows are permuted, the values disclose as much as before"
    ),
    costs=_("Only the measure that follows the declared rows"),
    function=yamaoka,
    options=(
        Option(
            "spread",
            "integer",
            10,
            _("size of the groups of similar records that exchange their numbers; 0 is all"),
        ),
    ),
)
