# SPDX-License-Identifier: Apache-2.0
"""Microaggregation: the mean of a group instead of each record's own value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import check_group_size, chosen_numbers
from scoring.anonymizers.domain import to_domain, units_of
from scoring.errors import gettext_noop as _
from scoring.options import Option
from scoring.tables.equivalence import Classes
from scoring.tables.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]

UNIVARIATE, MDAV = "univariate-microaggregation", "mdav"

_LARGEST_SUM = 2**62
_BLOCK = 2**20


def class_average(table: pd.DataFrame, schema: Schema, *, rng: np.random.Generator) -> Anonymized:
    """Replace every sensitive number by its mean over the records with the same quasi-identifiers.

    A mean is written with the decimals of its column, four if it does not say how many. Rounding errors are distributed
    in steps of the last decimal over the first records of the class, so that the sum of every class, and therefore
    every mean of the table, stays exactly the same. Sensitive categories are not changed.
    """
    classes = Classes.of(table, schema.quasi_identifiers)
    result = table.copy()
    for name in schema.sensitive_numeric:
        values = table[name].to_numpy(dtype=np.float64)
        units = units_of(schema.column(name), original=False)
        result[name] = class_means(values, classes.of_row, classes.n_classes, units)
    return Anonymized(result, untouched(table))


def class_means(values: Floats, of_row: Groups, n_classes: int, units_of_one: int) -> Floats:
    """Means of classes, in units that add up to the sums of the rounded values."""
    units = np.rint(values * units_of_one)
    fits = np.abs(units).max(initial=0) * len(units) < _LARGEST_SUM
    whole = units.astype(np.int64) if fits else np.array([int(u) for u in units], dtype=object)
    sums = np.zeros(n_classes, dtype=whole.dtype)
    np.add.at(sums, of_row, whole)
    sizes = np.bincount(of_row, minlength=n_classes)
    means = sums // np.maximum(sizes, 1)
    left_over = sums - means * sizes
    shared = means[of_row] + (_place_in_class(of_row, sizes) < left_over[of_row])
    averaged: Floats = (shared / units_of_one).astype(np.float64)
    return averaged


def _place_in_class(of_row: Groups, sizes: Groups) -> Groups:
    """The number of earlier records of the same class, for each record."""
    order = np.argsort(of_row, kind="stable")
    starts = np.cumsum(sizes) - sizes
    places = np.empty_like(of_row)
    places[order] = np.arange(len(of_row)) - np.repeat(starts, sizes)
    return places


def univariate_microaggregation(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 3,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Replace the numbers of each column on its own by means of k or more neighbouring values.

    Protects against linkage by a single amount: every remaining value is shared by at least k records. Two columns
    together still distinguish records, because each column has groups of its own (`mdav` makes common ones). Costs the
    spread within the groups, the least that groups of k can cost; means change by the rounding to the column's domain
    only.

    Parameters
    ----------
    k
        The smallest group allowed; 1 changes nothing.
    columns
        Columns of numbers; by default the sensitive ones.

    Raises
    ------
    ProblemsFound
        The table has fewer than k records, or a column is no column of numbers.

    Notes
    -----
    Hansen & Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation". Nothing
    is drawn at random: of equal values the earlier record comes first.
    """
    names = chosen_numbers(UNIVARIATE, columns, schema)
    check_group_size(UNIVARIATE, k, len(table))
    result = table.copy()
    for name in names:
        values = table[name].to_numpy(dtype=np.float64)
        order = np.argsort(values, kind="stable")
        groups = np.empty_like(order)
        groups[order] = optimal_groups(values[order], k)
        result[name] = group_means(values, groups, schema.column(name))
    return Anonymized(result, untouched(table))


def optimal_groups(ascending: Floats, k: int) -> Groups:
    """The cut of sorted values into groups of k or more with the least squares about group means.

    Parameters
    ----------
    ascending
        The values, sorted; k of them or more.
    k
        The smallest group allowed, 1 or more.

    Returns
    -------
    int64 array
        The group of each value, from 0, ascending. Of cuts that cost the same, later groups are
        as small as possible.

    Notes
    -----
    An optimal group has fewer than 2k values, for a larger one can be cut. The least cost of the
    first `end` values follows from the least costs of k to 2k - 1 fewer: O(n k) steps. Squares are
    taken about a value of the group itself, not about zero, and lose no digits to cancellation.

    Examples
    --------
    >>> optimal_groups(np.array([1.0, 2.0, 9.0, 10.0, 11.0]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    n, widest = len(ascending), 2 * k - 1
    # Costs of no values and of impossible starts come before those of the first values.
    least = np.full(widest + n, np.inf)
    least[widest - 1] = 0
    sizes = np.zeros(n + 1, dtype=np.int64)
    block = max(1, _BLOCK // widest)
    for first in range(k, n + 1, block):
        ends = np.arange(first, min(first + block, n + 1))
        costs = _squares_of_last(ascending, ends, k)
        for end, cost in zip(ends.tolist(), costs, strict=True):
            totals = least[end - 1 : end + k - 1][::-1] + cost
            best = int(totals.argmin())
            least[end + widest - 1] = totals[best]
            sizes[end] = k + best
    groups = np.zeros(n, dtype=np.int64)
    end = n
    while end > 0:
        end -= int(sizes[end])
        groups[end] += end > 0
    return np.cumsum(groups)


def _squares_of_last(ascending: Floats, ends: Groups, k: int) -> Floats:
    """Squares about the mean of the last k, k + 1 … 2k - 1 values before each end."""
    positions = ends[:, None] - 1 - np.arange(2 * k - 1)
    about = ascending[ends - 1]
    values = ascending[np.maximum(positions, 0)] - about[:, None]
    sums = np.cumsum(values, axis=1)[:, k - 1 :]
    squares = np.cumsum(values * values, axis=1)[:, k - 1 :]
    costs: Floats = np.maximum(squares - sums * sums / np.arange(k, 2 * k), 0)
    return costs


def mdav(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 3,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Replace numbers by means over common groups of k or more records that are alike in all columns.

    Protects against linkage by the named columns together: every combination of their values is shared by at least k
    records, which is k-anonymity with the columns as quasi-identifiers. Costs the spread within the groups, more than
    one column at a time, and the more the more columns there are; means change by the rounding to the column's domain
    only.

    Parameters
    ----------
    k
        Size of the groups; the last ones have up to 2k - 1 records. 1 changes nothing.
    columns
        Columns of numbers; by default the sensitive ones. They count alike: each is divided by its
        standard deviation.

    Raises
    ------
    ProblemsFound
        The table has fewer than k records, or a column is no column of numbers.

    Notes
    -----
    MDAV, maximum distance to average vector: Domingo-Ferrer & Torra, "Ordinal, Continuous and
    Heterogeneous k-Anonymity Through Microaggregation". The time grows with n²/k: seconds for
    8,333 records of 12 columns, minutes for 100,000. Nothing is drawn at random: of records at
    equal distances the earlier one is taken.
    """
    names = chosen_numbers(MDAV, columns, schema)
    check_group_size(MDAV, k, len(table))
    values = [table[name].to_numpy(dtype=np.float64) for name in names]
    points = [v / deviation for v in values if (deviation := v.std()) > 0]
    groups = mdav_groups(np.array(points).reshape(len(points), len(table)), k)
    result = table.copy()
    for name, own in zip(names, values, strict=True):
        result[name] = group_means(own, groups, schema.column(name))
    return Anonymized(result, untouched(table))


def mdav_groups(points: Floats, k: int) -> Groups:
    """The groups of MDAV: around the record farthest from the mean, and around its opposite.

    Parameters
    ----------
    points
        Shape (n_columns, n_records), with k records or more.
    k
        Size of the groups; the last one has up to 2k - 1 records.

    Returns
    -------
    int64 array, shape (n_records,)
        The group of each record, from 0.

    Examples
    --------
    >>> mdav_groups(np.array([[0.0, 9.0, 1.0, 10.0, 5.0]]), 2).tolist()
    [0, 1, 0, 1, 1]
    """
    group_of = np.empty(points.shape[1], dtype=np.int64)
    rows = np.arange(points.shape[1])
    n_groups = 0
    while len(rows) >= 2 * k:
        center = points.mean(axis=1)
        distances = _squares(points, points[:, _squares(points, center).argmax()])
        near = _nearest(distances, k)
        group_of[rows[near]] = n_groups
        n_groups += 1
        two_sided = len(rows) >= 3 * k
        rows, points, distances = rows[~near], points[:, ~near], distances[~near]
        if two_sided:
            near = _nearest(_squares(points, points[:, distances.argmax()]), k)
            group_of[rows[near]] = n_groups
            n_groups += 1
            rows, points = rows[~near], points[:, ~near]
    group_of[rows] = n_groups
    return group_of


def _squares(points: Floats, center: Floats) -> Floats:
    """Squared distances, added up column after column so that every machine finds the same."""
    total = np.zeros(points.shape[1])
    for values, middle in zip(points, center, strict=True):
        difference = values - middle
        total += difference * difference
    return total


def _nearest(distances: Floats, k: int) -> NDArray[np.bool_]:
    """The k nearest records; at equal distances the first ones."""
    limit = np.partition(distances, k - 1)[k - 1]
    near: NDArray[np.bool_] = distances < limit
    near[np.flatnonzero(distances == limit)[: k - np.count_nonzero(near)]] = True
    return near


def group_means(values: Floats, groups: Groups, column: Column) -> NDArray[np.float64 | np.int64]:
    """Each record's group mean, rounded to the column's domain: one value for the whole group."""
    sizes = np.bincount(groups)
    # Sums of differences from the group's first value stay small, so that equal values keep theirs.
    first = np.empty(len(sizes))
    first[groups[::-1]] = values[::-1]
    means = first + np.bincount(groups, weights=values - first[groups]) / sizes
    return to_domain(means, column)[groups]


CLASS_AVERAGE = Anonymizer(
    id="class-average",
    title=_("Averages within equivalence classes"),
    protects=_("Linkage by amounts within a class: its records become alike"),
    costs=_("The spread within classes; correlations change, means do not"),
    function=class_average,
)

_COLUMNS = Option("columns", "columns", (), _("columns of numbers; by default the sensitive ones"))

UNIVARIATE_MICROAGGREGATION = Anonymizer(
    id=UNIVARIATE,
    title=_("Optimal microaggregation, column by column"),
    protects=_("Linkage by one amount: each remaining value is shared by k records or more"),
    costs=_("The spread within groups of neighbouring values, as little as k allows"),
    function=univariate_microaggregation,
    options=(Option("k", "integer", 3, _("smallest group of records"), low=1), _COLUMNS),
)

MDAV_MICROAGGREGATION = Anonymizer(
    id=MDAV,
    title=_("Microaggregation of several columns together (MDAV)"),
    protects=_("Linkage by all amounts together: k records or more share each combination"),
    costs=_("The spread within groups of similar records, more with every column"),
    function=mdav,
    options=(Option("k", "integer", 3, _("size of the groups of records"), low=1), _COLUMNS),
)
