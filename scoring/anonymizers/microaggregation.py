"""Microaggregation: the mean of an equivalence class instead of each record's own value."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.domain import UNITS
from scoring.equivalence import Classes
from scoring.errors import gettext_noop as _
from scoring.schema import Schema

_LARGEST_SUM = 2**62


def class_average(table: pd.DataFrame, schema: Schema, *, rng: np.random.Generator) -> Anonymized:
    """Replace every sensitive number by its mean over the records with the same quasi-identifiers.

    A mean is written with four decimals. What rounding takes away is handed back in steps of
    0.0001 to the first records of the class, so that the sum of every class, and with it every
    mean of the table, stays exactly what it was. Sensitive categories are left alone.
    """
    classes = Classes.of(table, schema.quasi_identifiers)
    result = table.copy()
    for name in schema.sensitive_numeric:
        values = table[name].to_numpy(dtype=np.float64)
        result[name] = class_means(values, classes.of_row, classes.n_classes)
    return Anonymized(result, untouched(table))


def class_means(
    values: NDArray[np.float64], of_row: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    """Means of classes, in multiples of 0.0001 that add up to the sums of the rounded values."""
    units = np.rint(values * UNITS)
    fits = np.abs(units).max(initial=0) * len(units) < _LARGEST_SUM
    whole = units.astype(np.int64) if fits else np.array([int(u) for u in units], dtype=object)
    sums = np.zeros(n_classes, dtype=whole.dtype)
    np.add.at(sums, of_row, whole)
    sizes = np.bincount(of_row, minlength=n_classes)
    means = sums // np.maximum(sizes, 1)
    left_over = sums - means * sizes
    shared = means[of_row] + (_place_in_class(of_row, sizes) < left_over[of_row])
    averaged: NDArray[np.float64] = (shared / UNITS).astype(np.float64)
    return averaged


def _place_in_class(of_row: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many records of the same class stand before each record."""
    order = np.argsort(of_row, kind="stable")
    starts = np.cumsum(sizes) - sizes
    places = np.empty_like(of_row)
    places[order] = np.arange(len(of_row)) - np.repeat(starts, sizes)
    return places


CLASS_AVERAGE = Anonymizer(
    id="class-average",
    title=_("Averages within equivalence classes"),
    protects=_("Linkage by amounts within a class: its records become alike"),
    costs=_("The spread within classes; correlations change, means do not"),
    function=class_average,
)
