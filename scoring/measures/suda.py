# SPDX-License-Identifier: Apache-2.0
"""Special uniques: records that few quasi-identifiers distinguish from all others (SUDA2).

A minimal sample unique (MSU) of a record is a set of columns on whose values the record is unique
while it is so on none of the set's subsets; the only record of a table is unique on each column.
The fewer columns it takes, and the more such sets there are, the more of a special case the record is.

Source: Elliot, Manning & Ford, "A Computational Algorithm for Handling the Special Uniques Problem";
Manning, Haglin & Keane, "A Recursive Search Algorithm for Statistical Disclosure Assessment".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray, IntArray, comparable
from scoring.tables.numbering import numbered

DEFAULT = Options()
MOST_SETS = 2**16
"""With more sets of columns than this, 17 columns or more, the largest sizes are left out."""
FRACTION = 0.01
"""The original itself is taken for a sample of one person in a hundred of a population."""

Bits = npt.NDArray[np.uint8]


def suda_mean(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the records of Y of the DIS-SUDA score, from minimal sample uniques.

    The attacker knows some of the quasi-identifiers, finds that only one record of Y fits and
    claims it; the score is how likely that is right.

    Parameters
    ----------
    comparison : Comparison
        Y, taken for a sample of a population; the original plays no part.
    options : Options
        `population_fraction`: the share of the population that Y is, 0.01 where it is left out.

    Returns
    -------
    float or None
        0 where no record is unique, at most 1; lower is safer. None without quasi-identifiers.

    Notes
    -----
    Elliot & Manning, "Using DIS to Modify the Classification of Special Uniques"; the definitions
    are those of `dis_scores`. Sets of columns of all sizes are looked for, as by sdcMicro; with more
    than 16 quasi-identifiers the largest sizes are left out, so that there are at most 65,536 sets.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> suda_mean(comparison("noise"))
    0.0
    """
    scores = _dis_scores(comparison, options)
    return None if scores is None else math.fsum(scores.tolist()) / len(scores)


def suda_max(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Highest DIS-SUDA score of a record of Y, from minimal sample uniques.

    The attacker knows some of the quasi-identifiers, finds that only one record of Y fits and
    claims it; the score is how likely that is right.

    Parameters
    ----------
    comparison : Comparison
        Y, taken for a sample of a population; the original plays no part.
    options : Options
        `population_fraction`: the share of the population that Y is, 0.01 where it is left out.

    Returns
    -------
    float or None
        0 where no record is unique, at most 1; lower is safer. None without quasi-identifiers.

    Notes
    -----
    Elliot & Manning, "Using DIS to Modify the Classification of Special Uniques"; the definitions
    are those of `dis_scores`. Sets of columns of all sizes are looked for, as by sdcMicro; with more
    than 16 quasi-identifiers the largest sizes are left out, so that there are at most 65,536 sets.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> suda_max(comparison("noise"))
    0.0
    """
    scores = _dis_scores(comparison, options)
    return None if scores is None else float(scores.max())


def _dis_scores(comparison: Comparison, options: Options) -> FloatArray | None:
    names = comparison.schema.quasi_identifiers
    if not names:
        return None
    found = Suda.of(comparison.anonymized, names)
    fraction = options.population_fraction or FRACTION
    return dis_scores(found.scores(), comparison.class_sizes, fraction, len(names))


def largest_size(n_columns: int) -> int:
    """The largest size of sets such that there are at most `MOST_SETS` up to it; 1 or more.

    Examples
    --------
    >>> largest_size(13), largest_size(20)
    (13, 6)
    """
    n_sets, size = n_columns, 1
    while size < n_columns and n_sets + math.comb(n_columns, size + 1) <= MOST_SETS:
        size += 1
        n_sets += math.comb(n_columns, size)
    return size


@dataclass(frozen=True, slots=True)
class Suda:
    """The number of minimal sample uniques of each record.

    Attributes
    ----------
    n_columns : int
        Columns that were combined.
    counts : int64 array, shape (n_records, max_size)
        Minimal sample uniques of 1, 2, … columns.
    """

    n_columns: int
    counts: IntArray

    @classmethod
    def of(
        cls, table: pd.DataFrame, columns: Sequence[str], *, max_size: int | None = None
    ) -> Suda:
        """Count the minimal sample uniques of every record, of up to `max_size` columns.

        By default sets of all sizes are looked for, see `largest_size`.

        The search visits each set of up to `max_size` columns once: with 13 columns 377 sets of up
        to three, 4,095 of up to six and 8,191 in all.

        Raises
        ------
        ValueError
            Where there is no record, no column, or `max_size` is below 1.

        Examples
        --------
        >>> table = pd.DataFrame({"town": ["a", "a", "b"], "age": ["1", "2", "2"]})
        >>> Suda.of(table, ["town", "age"]).counts.tolist()
        [[1, 0], [0, 1], [1, 0]]
        """
        size = largest_size(len(columns)) if max_size is None else min(max_size, len(columns))
        counts = np.zeros((len(table), size), dtype=np.int64)
        for chosen, rows in minimal_sample_uniques(table, columns, max_size=size):
            counts[rows, len(chosen) - 1] += 1
        return cls(len(columns), counts)

    def scores(self) -> FloatArray:
        """The SUDA score of each record: for each MSU of k columns (ATT - k)(ATT - k - 1)…(ATT - M).

        ATT is the number of columns and M the largest size looked for, at most ATT - 1, so that no
        factor is 0. A record without MSU has 0.

        Notes
        -----
        Elliot, Manning, Mayes, Gurd & Bane, "SUDA: A Program for Detecting Special Uniques".
        """
        largest = min(self.counts.shape[1], self.n_columns - 1)
        sizes = range(1, self.counts.shape[1] + 1)
        weights = [math.prod(self.n_columns - i for i in range(k, largest + 1)) for k in sizes]
        scores: FloatArray = self.counts.astype(np.float64) @ np.array(weights, dtype=np.float64)
        return scores


def dis_scores(
    scores: FloatArray, class_sizes: IntArray, fraction: float, n_columns: int
) -> FloatArray:
    """The DIS-SUDA score of each record: the risk of the file, distributed by SUDA scores.

    With n_1 unique records, n_2 pairs, a sampling fraction π and s_i the SUDA scores above 0, of ATT
    columns: 1 / (1 + 2 (1 - π) n_2 / (π s_i^q Σ_j s_j^-q)), q = 1 + (8 - ATT) / 20.

    Parameters
    ----------
    scores : float array, shape (n_records,)
        SUDA scores.
    class_sizes : int array, shape (n_classes,)
        Records of each equivalence class on all the columns.
    fraction : float
        Sampling fraction, above 0 and at most 1.
    n_columns : int
        Number of columns, ATT.

    Returns
    -------
    float array, shape (n_records,)
        0 where the SUDA score is, at most 1.

    Raises
    ------
    ValueError
        Where the fraction is outside its range.

    Notes
    -----
    Skinner & Elliot, "A Measure of Disclosure Risk for Microdata", estimate the risk of the file,
    the probability that a unique match is correct: π n_1 / (π n_1 + 2 (1 - π) n_2) with n_1 classes
    of one record and n_2 of two. Elliot & Manning, "Using DIS to Modify the Classification of
    Special Uniques", distribute it among the records; the formula is that of sdcMicro, function suda2.
    Where all records are unique with equal scores, each has the risk of the file.

    Examples
    --------
    >>> dis_scores(np.array([6.0, 0, 0, 6]), np.array([1, 1, 2]), 0.5, 3).tolist()
    [0.5, 0.0, 0.0, 0.5]
    """
    if not 0 < fraction <= 1:
        raise ValueError(f"fraction: expected above 0 and at most 1, got {fraction}")
    shared = np.zeros_like(scores)
    special = scores > 0
    if not special.any():
        return shared
    q = 1 + (8 - n_columns) / 20
    # Relative to the largest score, so that no power overflows.
    relative = (scores[special] / scores.max()) ** q
    weights = relative * math.fsum((1 / relative).tolist())
    n_pairs = int((class_sizes == 2).sum())
    shared[special] = 1 / (1 + 2 * (1 - fraction) * n_pairs / (fraction * weights))
    return shared


def minimal_sample_uniques(
    table: pd.DataFrame, columns: Sequence[str], *, max_size: int | None = None
) -> Iterator[tuple[tuple[str, ...], IntArray]]:
    """Each set of columns that is the minimal sample unique of some record, with those records.

    Yields
    ------
    columns : tuple of str
    rows : int64 array
        Positions of the records in the table, ascending.

    Raises
    ------
    ValueError
        Where there is no record, no column, or `max_size` is below 1.

    Examples
    --------
    >>> table = pd.DataFrame({"town": ["a", "a", "b"], "age": ["1", "2", "2"]})
    >>> for chosen, rows in minimal_sample_uniques(table, ["town", "age"]):
    ...     print(chosen, rows.tolist())
    ('town',) [2]
    ('age',) [0]
    ('town', 'age') [1]
    """
    if not len(table) or not columns or (max_size is not None and max_size < 1):
        raise ValueError("expected a record, a column and a size of 1 or more")
    size = largest_size(len(columns)) if max_size is None else max_size
    factorized = [pd.factorize(comparable(table[name]), use_na_sentinel=False) for name in columns]
    codes = [found.astype(np.int64) for found, _ in factorized]
    search = _Search(codes, [len(levels) for _, levels in factorized], size)
    everything = np.zeros(len(table), dtype=np.int64)
    for chosen, rows in search.extensions(0, 0, everything, 1, len(columns)):
        yield tuple(name for i, name in enumerate(columns) if chosen >> i & 1), rows


class _Search:
    """A depth-first walk over the sets of columns, a set being the bits of a number.

    Sets come in ascending order of their numbers, so that all subsets of a set come before it. Of
    each it is kept, a bit for a record, who is unique on it. A record that is unique on a subset
    differs from all others on the set, too: only the rest is compared, and who is unique among the
    rest has found a minimal set. Where no record is left, no larger set can be minimal.
    """

    def __init__(self, codes: list[IntArray], n_levels: list[int], max_size: int) -> None:
        self.codes = codes
        self.n_levels = n_levels
        self.max_size = max_size
        self.n_records = len(codes[0])
        self.all = np.packbits(np.ones(self.n_records, dtype=np.bool_))
        self.unique: dict[int, Bits] = {0: np.zeros_like(self.all)}

    def extensions(
        self, chosen: int, size: int, classes: IntArray, n_classes: int, end: int
    ) -> Iterator[tuple[int, IntArray]]:
        """Minimal sets that add to `chosen` columns before `end`, with their records.

        `classes` numbers the vectors on `chosen` of the records that are not unique on it.
        """
        for column in range(end):
            larger = chosen | 1 << column
            known = self._unique_on_subsets(larger)
            rows = np.flatnonzero(np.unpackbits(~known, count=self.n_records))
            if not len(rows):
                continue  # a set that is absent from `unique` stands for one that all are unique on
            keys = classes[rows] * self.n_levels[column] + self.codes[column][rows]
            of_row = numbered(keys, n_classes * self.n_levels[column])
            counts = np.bincount(of_row)
            alone = counts[of_row] == 1
            if alone.any():
                yield larger, rows[alone]
            if size + 1 == self.max_size:
                continue
            is_unique = np.zeros(self.n_records, dtype=np.bool_)
            is_unique[rows[alone]] = True
            self.unique[larger] = known | np.packbits(is_unique)
            if not alone.all():
                refined = np.empty_like(classes)
                refined[rows] = of_row
                yield from self.extensions(larger, size + 1, refined, len(counts), column)

    def _unique_on_subsets(self, chosen: int) -> Bits:
        known = self.unique[0]
        rest = chosen
        while rest:
            lowest = rest & -rest
            known = known | self.unique.get(chosen ^ lowest, self.all)
            rest ^= lowest
        return known
