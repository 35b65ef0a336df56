# SPDX-License-Identifier: Apache-2.0
"""A debriefing: which records of an anonymized table were found, by which columns, and the cost of each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from scoring.audits.columns import fewest_columns, single_columns
from scoring.audits.single import SingleColumn
from scoring.measures.diversity import l_of_columns, t_of_columns
from scoring.measures.loss import column_losses
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import IntArray

MAX_RECORDS = 1_000
"""The found records that are listed: those found most often."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the debriefed table.

    Attributes
    ----------
    loss : float
        From 0, nothing lost, to 1; the mean over the columns is the measure LOSS.
    single : SingleColumn
    l, t : number or None
        Of a sensitive column: the least number of different values in a class, and the largest distance of a class
        from the table.
    """

    name: str
    loss: float
    single: SingleColumn
    l: int | None  # noqa: E741 — the name of the measure
    t: float | None


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record that was found.

    Attributes
    ----------
    row : int
        0-based row of the original.
    times : int
        The number of attackers that found it.
    columns : tuple of str
        The smallest set of columns that finds it, see `scoring.audits.columns`; empty if there is no small one.
    unchanged : tuple of str
        Those of them with the original value.
    """

    row: int
    times: int
    columns: tuple[str, ...]
    unchanged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Debrief:
    """The result: `times` has the number of records that were found by 0, 1, 2 … attackers."""

    n_records: int
    n_attackers: int
    times: tuple[int, ...]
    columns: tuple[Column, ...]
    records: tuple[FoundRecord, ...]

    @property
    def n_found(self) -> int:
        """The records found by at least one attacker, also those that are not listed."""
        return sum(self.times[1:])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; no value of a cell is among them."""
        return asdict(self)


def debrief(
    comparison: Comparison,
    times: Mapping[int, int],
    *,
    n_attackers: int,
    candidates: pd.DataFrame | None = None,
    place: IntArray | None = None,
    options: Options = Options(),  # noqa: B008 — frozen
) -> Debrief:
    """Explain the attacks on a table to those who made it.

    Parameters
    ----------
    comparison : Comparison
        The original and the anonymized table.
    times : mapping of int to int
        The number of attackers that found a record, by 0-based row of the original; missing ones were not found.
    n_attackers : int
    candidates : DataFrame, optional
        The records that attackers chose from; the original by default.
    place : int array, shape (n_original,), optional
        The 0-based row of each original record among the candidates.
    options : Options
        Of t-closeness.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> found = debrief(comparison("noise"), {1: 2, 3: 1}, n_attackers=2)
    >>> found.n_found, found.times, found.records[0]
    (2, (2, 1, 1), FoundRecord(row=1, times=2, columns=('SA2',), unchanged=()))
    """
    table, source = comparison.anonymized, comparison.source
    original = comparison.prepared.table
    known = original if candidates is None else candidates
    own = source if place is None else place[source]
    found = np.array([times.get(int(row), 0) for row in source], dtype=np.int64)
    listed = [int(at) for at in np.argsort(-found, kind="stable")[:MAX_RECORDS] if found[at]]
    fewest = fewest_columns(known, table, own, comparison.schema, records=listed)
    records = [
        FoundRecord(int(source[at]), int(found[at]), columns, _kept(comparison, at, columns))
        for at, columns in zip(listed, fewest, strict=True)
    ]
    return Debrief(
        n_records=len(source),
        n_attackers=n_attackers,
        times=tuple(np.bincount(found, minlength=n_attackers + 1).tolist()),
        columns=_columns(comparison, single_columns(known, table, own, comparison.schema), options),
        records=tuple(records),
    )


def _columns(
    comparison: Comparison, found: tuple[SingleColumn, ...], options: Options
) -> tuple[Column, ...]:
    losses, least = column_losses(comparison), l_of_columns(comparison)
    largest = t_of_columns(comparison, options)
    return tuple(
        Column(a.column, losses[a.column], a, least.get(a.column), largest.get(a.column))
        for a in found
    )


def _kept(comparison: Comparison, record: int, columns: tuple[str, ...]) -> tuple[str, ...]:
    original, row = comparison.prepared.table, comparison.source[record]
    got = comparison.anonymized
    return tuple(name for name in columns if got[name].iloc[record] == original[name].iloc[row])
