# SPDX-License-Identifier: Apache-2.0
"""Records for a team: shared ones that all teams have, its own, and decoys, in the proportions of strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.tables.equivalence import IntArray
from scoring.tables.records import Records

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Population:
    """The records to draw from.

    Attributes
    ----------
    strata : int64 array, shape (n_records,)
        The stratum of each record; strata are numbered by the values of their columns, sorted.
    is_rare : bool array, shape (n_records,)
        Rare records are drawn among the shared ones only.
    """

    strata: IntArray
    is_rare: BoolArray

    @classmethod
    def of(
        cls,
        table: Records,
        *,
        strata: Sequence[str] = (),
        rare: tuple[str, str] | None = None,
    ) -> Population:
        """The population of a table; `rare` is a column and its value, as it stands in a file.

        Raises
        ------
        KeyError
            Where a column is missing.

        Examples
        --------
        >>> from scoring.examples import SCHEMA, table
        >>> records = Records.of(table("original"), SCHEMA)
        >>> found = Population.of(records, strata=["QI1"], rare=("QI3", "2"))
        >>> found.strata.tolist(), found.is_rare.tolist()
        ([1, 1, 0, 0], [False, False, True, True])
        """
        numbers = np.zeros(len(table), dtype=np.int64)
        for name in strata:
            _, codes = np.unique(_sortable(table, name), return_inverse=True)
            numbers = numbers * (codes.max(initial=0) + 1) + codes
        _, ordered = np.unique(numbers, return_inverse=True)
        is_rare = np.zeros(len(table), dtype=np.bool_)
        if rare is not None:
            is_rare = is_value(table, *rare)
        return cls(ordered.astype(np.int64), is_rare)

    def __len__(self) -> int:
        return len(self.strata)


def _sortable(table: Records, name: str) -> npt.NDArray[np.generic]:
    """A column of numbers, or of texts that sort by their characters."""
    values = table.values(name)
    return values.astype(str) if values.dtype == object else values


def is_value(table: Records, name: str, value: str) -> BoolArray:
    """The records with a value of a column, written as in a file."""
    values = table.values(name)
    if values.dtype == object:
        found: BoolArray = values == value
        return found
    try:
        return np.asarray(values == float(value), dtype=np.bool_)
    except ValueError:
        return np.zeros(len(values), dtype=np.bool_)


def allotted(n: int, sizes: Sequence[int], left: Sequence[int]) -> list[int]:
    """The share of each stratum in `n` records: in proportion to the sizes, by largest remainders.

    Parameters
    ----------
    n : int
    sizes : sequence of int
        The records of each stratum in the whole table.
    left : sequence of int
        How many of them can still be drawn; a stratum gives no more, and the others make up for it.

    Raises
    ------
    ValueError
        Where fewer than `n` are left.

    Notes
    -----
    Hamilton's method: n times the share of the stratum, rounded down; what is missing goes to the largest fractions, of
    equal ones to the first. Computed with integers, so that nothing is rounded.

    Examples
    --------
    >>> allotted(10, [6, 3, 1], [60, 30, 10])
    [6, 3, 1]
    >>> allotted(10, [1, 1, 1], [9, 9, 9]), allotted(4, [2, 2], [1, 9])
    ([4, 3, 3], [1, 3])
    """
    if n > sum(left):
        raise ValueError(f"expected {n} records, got {sum(left)} to draw from")
    given = [0] * len(sizes)
    open_ = [at for at in range(len(sizes)) if left[at]]
    while missing := n - sum(given):
        total = sum(sizes[at] for at in open_)
        shares = {at: divmod(missing * sizes[at], total) for at in open_}
        more = {at: min(whole, left[at] - given[at]) for at, (whole, _rest) in shares.items()}
        for at in sorted(open_, key=lambda at: -shares[at][1])[: missing - sum(more.values())]:
            more[at] = min(more[at] + 1, left[at] - given[at])
        for at, added in more.items():
            given[at] += added
        open_ = [at for at in open_ if given[at] < left[at]]
    return given


@dataclass(frozen=True, slots=True)
class Drawn:
    """0-based rows of the organizer's table, all distinct.

    Attributes
    ----------
    own : int64 array
        The team's records in random order, the shared ones among them.
    decoys : int64 array
        Records that are not in the team's table.
    """

    own: IntArray
    decoys: IntArray


def draw_shared(
    population: Population, shared: int, n_rare: int, *, rng: np.random.Generator
) -> IntArray:
    """The records that all teams have, of which `n_rare` are rare.

    Raises
    ------
    ValueError
        Where there are not so many records.
    """
    rare, others = np.flatnonzero(population.is_rare), np.flatnonzero(~population.is_rare)
    return np.concatenate(
        [
            _drawn(rare, n_rare, rare, population, rng),
            _drawn(others, shared - n_rare, others, population, rng),
        ]
    ).astype(np.int64)


def draw_cohort(
    population: Population,
    shared: IntArray,
    sample: int,
    decoys: int,
    *,
    rng: np.random.Generator,
) -> Drawn:
    """The records of a team: the shared ones with `sample` others, and its decoys.

    Parameters
    ----------
    population : Population
    shared : int64 array
        Rows that all teams have.
    sample, decoys : int
        Neither rare nor shared; each in the proportions of the strata among all records that are not rare.

    Raises
    ------
    ValueError
        Where there are not so many records.

    Examples
    --------
    >>> population = Population(np.array([0, 0, 0, 0, 1, 1, 0, 1]), np.arange(8) == 7)
    >>> found = draw_cohort(population, np.array([7, 0]), 3, 2, rng=np.random.default_rng(1))
    >>> len(found.own), {7, 0} <= set(found.own.tolist()), set(found.own) & set(found.decoys)
    (5, True, set())
    >>> population.strata[found.own].tolist().count(1)  # one of three, and the rare one
    2
    """
    others = np.flatnonzero(~population.is_rare)
    rest = np.setdiff1d(others, shared)
    own = _drawn(rest, sample, others, population, rng)
    strangers = _drawn(np.setdiff1d(rest, own), decoys, others, population, rng)
    return Drawn(rng.permutation(np.concatenate([own, shared])).astype(np.int64), strangers)


def _drawn(
    rows: IntArray, n: int, whole: IntArray, population: Population, rng: np.random.Generator
) -> IntArray:
    """`n` of the rows, in the proportions that the strata have in the whole."""
    n_strata = int(population.strata.max(initial=0)) + 1
    sizes, left = (
        np.bincount(population.strata[some], minlength=n_strata).tolist() for some in (whole, rows)
    )
    given = allotted(n, sizes, left)
    parts = [
        rng.choice(rows[population.strata[rows] == stratum], count, replace=False)
        for stratum, count in enumerate(given)
        if count
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)
