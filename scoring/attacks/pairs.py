# SPDX-License-Identifier: Apache-2.0
"""Two tables under a distance: which original records are nearest to which anonymized ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.attacks.base import QUASI_IDENTIFIERS, SENSITIVE, WITHIN, check_choice
from scoring.attacks.metrics import Metric, Points
from scoring.kernels import pairs as kernels
from scoring.scores.comparison import Prepared, check_table
from scoring.tables.equivalence import Classes, FloatArray, IntArray
from scoring.tables.schema import Schema

_SORTED_FROM = 512  # nearest ones asked for


@dataclass(frozen=True, slots=True)
class Known:
    """View: two tables and the names of the columns that an attacker uses."""

    original: pd.DataFrame
    anonymized: pd.DataFrame
    schema: Schema
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]

    @classmethod
    def of(
        cls,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> Known:
        """The tables and the columns chosen, all of their role by default.

        Raises
        ------
        ValueError
            Where a table or a column does not fit the schema.
        """
        if isinstance(original, Prepared):
            if original.schema.public() != schema.public():
                raise ValueError("a prepared table is bound to its schema: pass the table itself")
            original = original.table
        for table, name in ((original, "original"), (anonymized, "anonymized")):
            check_columns(table, schema, name)
        chosen = []
        for choice, names in ((QUASI_IDENTIFIERS, quasi_identifiers), (SENSITIVE, sensitive)):
            wanted = choice.known(schema) if names is None else tuple(names)
            if not choice.accepts(wanted, schema):
                got = ", ".join(wanted)
                raise ValueError(f"{choice.parameter} {got}: expected {choice.expected(schema)}")
            chosen.append(wanted)
        return cls(original, anonymized, schema, *chosen)

    def metric(self, distance: str, weights: Mapping[str, float] | None = None) -> Metric:
        """A distance over all the columns, with the scales of the original."""
        columns = self.quasi_identifiers + self.sensitive
        return Metric.fit(self.original, self.schema, columns, distance, weights)

    def pairs(self, metric: Metric) -> Pairs:
        """The two tables under a distance."""
        classes = Classes.of(self.original, self.quasi_identifiers)
        return Pairs(
            metric,
            metric.points(self.original),
            metric.points(self.anonymized),
            classes.locate(self.anonymized),
            Groups.of(classes.of_row, classes.n_classes),
        )


def check_columns(table: pd.DataFrame, schema: Schema, name: str) -> None:
    """Raise ValueError if a table lacks a column that attackers use."""
    check_table(table, schema, name)
    known = SENSITIVE.known(schema)
    if missing := [column for column in known if column not in table.columns]:
        raise ValueError(f"{name}: expected columns {', '.join(missing)}")


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows of a table by the group they are in, ascending within each."""

    rows: IntArray
    starts: IntArray

    @classmethod
    def of(cls, group: IntArray, n_groups: int) -> Groups:
        """Groups numbered from 0."""
        rows = np.argsort(group, kind="stable").astype(np.int64)
        starts = np.append(0, np.cumsum(np.bincount(group, minlength=n_groups)))
        return cls(rows, starts.astype(np.int64))

    def members(self, group: int) -> IntArray:
        """The rows of one group."""
        return self.rows[self.starts[group] : self.starts[group + 1]]


@dataclass(frozen=True)
class Pairs:
    """Points of an original and of an anonymized table.

    Attributes
    ----------
    x, y : Points
        The original's and the anonymized table's records.
    class_of : int64 array, shape (n_anonymized,)
        The original class with each record's quasi-identifiers, -1 where there is none.
    classes : Groups
        The original's rows by equivalence class.
    """

    metric: Metric
    x: Points
    y: Points
    class_of: IntArray
    classes: Groups

    @cached_property
    def _by_class(self) -> Points:
        return self.x.take(self.classes.rows)

    def nearest(
        self,
        records: IntArray,
        n: int,
        *,
        in_class: bool = False,
        is_free: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[IntArray, FloatArray]:
        """The n nearest original rows to each of some records, of equally near ones the lowest.

        Parameters
        ----------
        records : int64 array, shape (m,)
        n : int
            At least 1.
        in_class : bool
            Only those of the record's class.
        is_free : bool array, shape (n_original,), optional
            Only these.

        Returns
        -------
        rows, distances : arrays, shape (m, n)
            Nearest first; -1 and infinity where there are fewer. Distances are as compared: squared
            where the metric is.
        """
        if n > _SORTED_FROM:
            return self._sorted(records, n, in_class=in_class, is_free=is_free)
        n_original = len(self.x)
        starts = np.zeros(len(records), dtype=np.int64)
        ends = np.full(len(records), n_original, dtype=np.int64)
        if in_class:
            group = self.class_of[records]
            has_class = group >= 0
            starts = np.where(has_class, self.classes.starts[group], 0)
            ends = np.where(has_class, self.classes.starts[group + 1], 0)
        found = np.empty((len(records), n), dtype=np.int64)
        distances = np.empty((len(records), n), dtype=np.float64)
        free = np.ones(n_original, dtype=bool) if is_free is None else is_free
        kernels.nearest(
            self._by_class.codes,
            self._by_class.numbers,
            self.y.codes,
            self.y.numbers,
            self.metric.weights,
            self.metric.factors,
            self.metric.is_squared,
            self.classes.rows,
            np.ascontiguousarray(records),
            starts,
            ends,
            free,
            found,
            distances,
        )
        return found, distances

    def _sorted(
        self,
        records: IntArray,
        n: int,
        *,
        in_class: bool,
        is_free: npt.NDArray[np.bool_] | None,
    ) -> tuple[IntArray, FloatArray]:
        """The same for long lists, which are quicker sorted as a whole than one by one."""
        n_original = len(self.x)
        found = np.full((len(records), n), -1, dtype=np.int64)
        distances = np.full((len(records), n), np.inf)
        everybody = np.arange(n_original, dtype=np.int64)
        for at, record in enumerate(records.tolist()):
            group = int(self.class_of[record])
            rows = everybody
            if in_class:
                rows = self.classes.members(group) if group >= 0 else everybody[:0]
            if is_free is not None:
                rows = rows[is_free[rows]]
            of_record = self.distances(records[at : at + 1], rows)[0]
            order = np.argsort(of_record, kind="stable")[:n]  # rows ascend
            found[at, : len(order)] = rows[order]
            distances[at, : len(order)] = of_record[order]
        return found, distances

    def distances(self, records: IntArray, rows: IntArray) -> FloatArray:
        """The distances of all pairs as compared, shape (len(records), len(rows))."""
        return self.metric.distances(self.x.take(rows), self.y.take(records))

    def nearest_within(self, within: str) -> IntArray:
        """The nearest row to every record, -1 if there is none.

        `within` is "class", "anywhere", or "class-or-anywhere": the record's class, and where it has
        none the whole original.
        """
        guess = np.full(len(self.y), -1, dtype=np.int64)
        if not self.metric.has_columns:
            return guess
        for in_class in searches(within):
            records = np.flatnonzero(guess < 0)
            guess[records] = self.nearest(records, 1, in_class=in_class)[0][:, 0]
        return guess


def searches(within: str) -> tuple[bool, ...]:
    """The order of searches: True for the class, False for all originals.

    Raises
    ------
    ValueError
        Where `within` is none of `WITHIN`.
    """
    check_choice("within", within, WITHIN)
    return {"class-or-anywhere": (True, False), "class": (True,), "anywhere": (False,)}[within]
