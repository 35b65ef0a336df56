# SPDX-License-Identifier: Apache-2.0
"""Records that published lines show by their content, whatever row is declared for them, and copies of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scoring.kernels import pairs
from scoring.scores.sheets import sheets_of
from scoring.tables.equivalence import FloatArray, IntArray

if TYPE_CHECKING:
    from scoring.scores.sheets import Sheet
    from scoring.tables.equivalence import Table
    from scoring.tables.schema import Schema

BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.int32]

COLUMNS_PER_CHANGE = 5
"""Of so many columns one cell may differ in a record that still shows another one."""
MAX_CHANGES = 2
NEAR, VERY_NEAR = 0.5, 0.1
"""The largest distance from a record, as a share of that from any other, where line and record choose each other, and
where only the line does."""
_PAIRS_PER_SEARCH = 500
"""Comparing so many pairs of records takes as long as looking one up."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The records that lines show.

    Attributes
    ----------
    shown : int64 array, shape (n_lines,)
        The 0-based record that each line shows, the lowest of equal ones; -1 for none, and for a deleted line.
    equal : int64 array, shape (n_choices,)
        The lowest of the records that equal each one in every column.
    """

    shown: IntArray
    equal: IntArray

    def right(self, guess: IntArray) -> BoolArray:
        """The guesses that name the record of their line, or one that equals it.

        Parameters
        ----------
        guess : int array, shape (n_lines,)
            0-based records, -1 for no guess.

        Examples
        --------
        >>> Contents(np.array([0, -1, 2]), np.array([0, 0, 2])).right(np.array([1, 0, -1])).tolist()
        [True, False, False]
        """
        named = np.asarray(guess, dtype=np.int64)
        known = (named >= 0) & (named < len(self.equal)) & (self.shown >= 0)
        is_right: BoolArray = known & (self.equal[np.where(known, named, 0)] == self.shown)
        return is_right

    def at(self, positions: IntArray) -> Contents:
        """The lines of a release: `positions` are those of its lines in this table, -1 for a deleted one."""
        return Contents(np.where(positions < 0, -1, self.shown[positions]), self.equal)

    def lines(self, records: IntArray) -> list[list[int]]:
        """The lines that show each of some records."""
        order = np.argsort(self.shown, kind="stable")
        ranked, wanted = self.shown[order], self.equal[np.asarray(records, dtype=np.int64)]
        starts, ends = (np.searchsorted(ranked, wanted, side) for side in ("left", "right"))
        return [order[i:j].tolist() for i, j in zip(starts, ends, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, to be sealed."""
        twins = np.flatnonzero(self.equal != np.arange(len(self.equal)))
        pairs_ = np.column_stack([twins, self.equal[twins]])
        return {"n": len(self.equal), "shown": self.shown.tolist(), "equal": pairs_.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Contents:
        """As `to_dict` wrote it."""
        equal = np.arange(data["n"], dtype=np.int64)
        twins = np.array(data["equal"], dtype=np.int64).reshape(-1, 2)
        equal[twins[:, 0]] = twins[:, 1]
        return cls(np.array(data["shown"], dtype=np.int64), equal)


def contents(published: Table, choices: Table, schema: Schema) -> Contents:
    """The records of `choices` that the records of `published` show, over the columns that both tables have.

    A line shows a record, and all that equal it in every column,

    1. if it equals it in every column; or
    2. if it is at most a tenth as far from it as from any other record by Gower's distance; or
    3. if both choose each other: no other record is as near to the line, and no other line as near to the record,
       either with at most one cell in five, and two at most, that differ, or by Gower's distance with any other
       at least twice as far.

    So the records that were grouped to be alike show nobody, unless they are copies of one of them.

    Parameters
    ----------
    published, choices : DataFrame or Records
        At least one record each; the distances of all pairs are computed.

    Notes
    -----
    Gower, “A general coefficient of similarity and some of its properties”. The comparison with the second nearest is
    that of Lowe, “Distinctive image features from scale-invariant keypoints”, section on keypoint matching.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> contents(table("noise").iloc[::-1], table("original"), SCHEMA).shown
    array([3, 2, 1, 0])
    >>> contents(table("averaged"), table("original"), SCHEMA).shown
    array([-1, -1, -1, -1])
    """
    ours, theirs = sheets_of(schema, published, choices)
    y, x = _codes((ours, theirs))
    _distinct, first, group = np.unique(x, axis=1, return_index=True, return_inverse=True)
    x = np.ascontiguousarray(x[:, first])
    spans = [float(np.ptp(values[first])) or 1.0 for values in theirs.numbers.values()]
    hamming = Pair((y, _numbers(ours, ())), (x, _numbers(theirs, ())), np.zeros(0))
    gower = Pair(
        (y[: len(ours.codes)], _numbers(ours, tuple(ours.numbers))),
        (x[: len(ours.codes)], _numbers(theirs, tuple(ours.numbers))[:, first]),
        1 / np.array(spans),
    )
    shown = np.full(y.shape[1], -1, dtype=np.int64)
    for pair, most, of_line, of_both in (
        (hamming, min(MAX_CHANGES, len(x) // COLUMNS_PER_CHANGE), 0.0, 1.0),
        (gower, np.inf, VERY_NEAR, NEAR),
    ):
        found, is_clear = pair.clear(most, of_line, of_both)
        shown = np.where((shown < 0) & is_clear, found, shown)
    named = first[shown].astype(np.int64)
    return Contents(np.where(shown < 0, -1, named), first[group.ravel()].astype(np.int64))


Columns = tuple[CodeArray, FloatArray]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tables of columns, shape (n_columns, n_records) each: codes, and numbers with a factor for each column."""

    y: Columns
    x: Columns
    factors: FloatArray

    def clear(self, most: float, of_line: float, of_both: float) -> tuple[IntArray, BoolArray]:
        """The nearest record of x to each of y, and the information whether it is clearly the nearest.

        It is where the distance is 0, or at most `most` and, as a share of that from the second nearest, at most
        `of_line`, or at most `of_both` (less than 1 if that is 1) in both directions.
        """
        found, near = self.nearest(2)
        back, near_back = Pair(self.x, self.y, self.factors).nearest(2)
        nearest = found[:, 0]
        chosen = back[nearest, 0] == np.arange(len(found))
        both = chosen & _is_clear(near, of_both) & _is_clear(near_back, of_both)[nearest]
        clear = (near[:, 0] == 0) | ((near[:, 0] <= most) & (both | _is_clear(near, of_line)))
        return nearest, clear

    def nearest(self, n: int) -> tuple[IntArray, FloatArray]:
        """The n nearest records of x to each of y, -1 and infinity where there are fewer."""
        (codes, numbers), (x_codes, x_numbers) = self.y, self.x
        n_y, n_x = codes.shape[1], x_codes.shape[1]
        found, near = np.empty((n_y, n), dtype=np.int64), np.empty((n_y, n))
        weights, everybody = np.ones(len(codes)), np.arange(n_x, dtype=np.int64)
        records, starts = np.arange(n_y, dtype=np.int64), np.zeros(n_y, dtype=np.int64)
        free, ends = np.ones(n_x, dtype=np.bool_), np.full(n_y, n_x, dtype=np.int64)
        pairs.nearest(
            np.ascontiguousarray(x_codes),
            np.ascontiguousarray(x_numbers),
            np.ascontiguousarray(codes),
            np.ascontiguousarray(numbers),
            weights,
            self.factors,
            False,
            everybody,
            records,
            starts,
            ends,
            free,
            found,
            near,
        )
        return found, near


def _is_clear(near: FloatArray, share: float) -> BoolArray:
    """The first of two distances is at most this share of the second; less than it if that is all."""
    first, second = near[:, 0], near[:, 1]
    return first < second if share == 1 else first <= share * second


def _numbers(sheet: Sheet, names: tuple[str, ...]) -> FloatArray:
    return np.array([sheet.numbers[name] for name in names], dtype=np.float64).reshape(-1, sheet.n)


def _codes(sheets: Sequence[Sheet]) -> list[CodeArray]:
    """All columns as codes, equal where cells are, categories first; for each table shape (n_columns, n_records)."""
    ends = np.cumsum([sheet.n for sheet in sheets])
    columns = [np.concatenate([s.codes[name] for s in sheets]) for name in sheets[0].codes]
    for name in sheets[0].numbers:
        values = np.concatenate([s.numbers[name] for s in sheets])
        columns.append(np.unique(values, return_inverse=True)[1].ravel())
    whole = np.array(columns, dtype=np.int32).reshape(-1, ends[-1])
    return [np.ascontiguousarray(part) for part in np.split(whole, ends[:-1], axis=1)]


# Copies


def copies(published: Table, references: Sequence[Table], schema: Schema, k: int = 0) -> BoolArray:
    """The published records that equal a record of a reference in all but at most k of the columns of all tables.

    Parameters
    ----------
    published : DataFrame or Records
    references : sequence of DataFrame or Records
        At least one.
    k : int
        0 or more. Records are looked up by sums of random numbers of their cells, leaving out each k of the columns
        in turn: 300 times for 25 columns and k = 2. Where it takes less, all pairs are compared. With k of at least the
        number of columns all are copies.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> copies(table("unified"), [table("original")], SCHEMA).tolist()
    [True, True, False, False]
    >>> copies(table("unified"), [table("original")], SCHEMA, k=1).tolist()
    [True, True, True, True]
    """
    y, *parts = _codes(sheets_of(schema, published, *references))
    x = np.unique(np.concatenate(parts, axis=1), axis=1)
    n_columns, n_y = y.shape
    if k >= n_columns or not x.shape[1]:
        return np.full(n_y, k >= n_columns)
    if comb(n_columns, k) * (n_y + x.shape[1]) * _PAIRS_PER_SEARCH > n_y * x.shape[1] * n_columns:
        nothing = (np.empty((0, n_y)), np.empty((0, x.shape[1])))
        near = Pair((y, nothing[0]), (x, nothing[1]), np.zeros(0)).nearest(1)[1]
        return np.asarray(near[:, 0] <= k)
    return _looked_up(y, x, k)


def _looked_up(y: CodeArray, x: CodeArray, k: int) -> BoolArray:
    """The records of y that equal one of x in all but at most k columns."""
    rng = np.random.default_rng(0)
    n_codes = [
        1 + int(max(a.max(initial=-1), b.max(initial=-1))) for a, b in zip(y, x, strict=True)
    ]
    random = [rng.integers(-(1 << 62), 1 << 62, n) for n in n_codes]
    of_y, of_x = (
        np.array([numbers[codes] for numbers, codes in zip(random, table, strict=True)])
        for table in (y, x)
    )
    all_y, all_x = of_y.sum(axis=0), of_x.sum(axis=0)  # modulo 2 to the 64
    found = np.zeros(y.shape[1], dtype=np.bool_)
    for left_out in map(list, combinations(range(len(y)), k)):
        left = np.flatnonzero(~found)
        keys = all_x - of_x[left_out].sum(axis=0)
        order = np.argsort(keys)
        at = np.searchsorted(
            keys, wanted := all_y[left] - of_y[left_out][:, left].sum(axis=0), sorter=order
        )
        record = order[np.minimum(at, len(order) - 1)]
        equal = keys[record] == wanted
        kept = np.setdiff1d(np.arange(len(y)), left_out)
        equal[equal] = (y[np.ix_(kept, left[equal])] == x[np.ix_(kept, record[equal])]).all(axis=0)
        found[left[equal]] = True
    return found
