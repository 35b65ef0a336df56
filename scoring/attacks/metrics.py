# SPDX-License-Identifier: Apache-2.0
"""Distances of records: Euclidean on some scale, or Gower's over mixed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.attacks.base import DISTANCES, check_choice
from scoring.tables.equivalence import FloatArray, IntArray, comparable
from scoring.tables.schema import Schema


@dataclass(frozen=True, slots=True)
class Points:
    """The records of one table, column by column.

    Attributes
    ----------
    codes : int32 array, shape (n_categories, n_records)
    numbers : float64 array, shape (n_numbers, n_records)
    """

    codes: npt.NDArray[np.int32]
    numbers: FloatArray

    def __len__(self) -> int:
        return int(self.numbers.shape[1])

    def take(self, records: IntArray) -> Points:
        """Some records, in this order."""
        codes, numbers = self.codes[:, records], self.numbers[:, records]
        return Points(np.ascontiguousarray(codes), np.ascontiguousarray(numbers))


@dataclass(frozen=True, slots=True)
class Metric:
    """A distance between records, its scales and category values taken from one table.

    Attributes
    ----------
    categories, numbers : tuple of str
        The columns looked at.
    scale : str
        One of `DISTANCES`.
    weights : float64 array, shape (n_categories,)
        The weight of a differing category.
    factors : float64 array, shape (n_numbers,)
        The factors of differences of numbers.
    """

    categories: tuple[str, ...]
    numbers: tuple[str, ...]
    scale: str
    weights: FloatArray
    factors: FloatArray
    _levels: tuple[pd.Index, ...]

    @property
    def is_squared(self) -> bool:
        """True if distances are compared as sums of squares."""
        return self.scale != "gower"

    @property
    def has_columns(self) -> bool:
        """True if some column can distinguish records."""
        return bool(self.categories or self.numbers)

    @classmethod
    def fit(
        cls,
        table: pd.DataFrame,
        schema: Schema,
        columns: Sequence[str],
        distance: str,
        weights: Mapping[str, float] | None = None,
    ) -> Metric:
        """A distance over some columns as they are in `table`; only Gower's looks at categories.

        Raises
        ------
        ValueError
            Where there is no such distance.
        """
        check_choice("distance", distance, DISTANCES)
        is_gower = distance == "gower"
        numbers = tuple(name for name in columns if schema.column(name).is_numeric)
        categories = tuple(name for name in columns if is_gower and name not in numbers)
        weight = dict.fromkeys(columns, 1.0) | dict(weights or {})
        total = sum(weight[name] for name in (*categories, *numbers)) or 1.0
        values = [transformed(table[name].to_numpy(dtype=np.float64), distance) for name in numbers]
        factors = [factor(column, distance) for column in values]
        if is_gower:
            factors = [f * weight[n] / total for f, n in zip(factors, numbers, strict=True)]
        found = [comparable(table[name]) for name in categories]
        return cls(
            categories,
            numbers,
            distance,
            np.array([weight[name] / total for name in categories], dtype=np.float64),
            np.array(factors, dtype=np.float64),
            tuple(pd.Index(pd.unique(column)) for column in found),
        )

    def points(self, table: pd.DataFrame) -> Points:
        """The records of a table; a category value that the fitted table lacks equals none of it."""
        codes = np.empty((len(self.categories), len(table)), dtype=np.int32)
        for at, (name, levels) in enumerate(zip(self.categories, self._levels, strict=True)):
            codes[at] = levels.get_indexer(pd.Index(comparable(table[name]), dtype=levels.dtype))
        numbers = np.empty((len(self.numbers), len(table)), dtype=np.float64)
        for at, name in enumerate(self.numbers):
            numbers[at] = transformed(table[name].to_numpy(dtype=np.float64), self.scale)
        return Points(codes, numbers)

    def distances(self, x: Points, y: Points) -> FloatArray:
        """Distances, or their squares where these are compared, of all pairs: shape (n_y, n_x)."""
        total = np.zeros((len(y), len(x)))
        for weight, of_x, of_y in zip(self.weights, x.codes, y.codes, strict=True):
            total += np.where(of_y[:, None] != of_x, weight, 0.0)
        for scale, in_x, in_y in zip(self.factors, x.numbers, y.numbers, strict=True):
            part = np.abs(in_y[:, None] - in_x) * scale
            total += part * part if self.is_squared else part
        return total

    def lengths(self, distances: FloatArray) -> FloatArray:
        """The distance, from the value that is compared."""
        lengths: FloatArray = np.sqrt(distances) if self.is_squared else distances
        return lengths


def transformed(values: FloatArray, scale: str) -> FloatArray:
    """A column before differences are taken: its logarithm, its ranks, or itself.

    The logarithm is sign(v) log(1 + |v|); a rank is the mean rank of equal values as a share of the
    table's records, so that each table is ranked on its own.
    """
    if scale == "log":
        logarithms: FloatArray = np.sign(values) * np.log1p(np.abs(values))
        return logarithms
    if scale == "rank":
        ordered = np.sort(values)
        below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
        ranks: FloatArray = below / (2 * len(values))
        return ranks
    return values


def factor(values: FloatArray, scale: str) -> float:
    """The factor of a column's differences; 0 for a constant column."""
    if scale == "z":
        spread = float(values.std()) if values.max() > values.min() else 0.0
    elif scale in ("range", "gower"):
        spread = float(values.max() - values.min())
    else:
        return 1.0
    return 1 / spread if spread > 0 else 0.0
