# SPDX-License-Identifier: Apache-2.0
"""k-anonymization by Mondrian: LeFevre, DeWitt & Ramakrishnan, "Mondrian Multidimensional
K-Anonymity", partitioning at the median."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.constraints import DIVERSITY_OPTIONS, Constraints, Sensitive
from scoring.anonymizers.domain import one_value_each, ordinal
from scoring.errors import ProblemsFound
from scoring.errors import gettext_noop as _
from scoring.options import Option
from scoring.tables.numbering import numbered
from scoring.tables.schema import Kind, Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "mondrian"
STRICT, RELAXED = "strict", "relaxed"
Points = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Keeps = Callable[[Ints, Ints], Flags]
"""A function from rows and the class of each, 0 to the last class, to the classes that keep the bounds."""


def mondrian(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 3,
    l: int = 1,  # noqa: E741 — the field's name
    entropy_l: float = 1.0,
    c: float = 0.0,
    t: float = 1.0,
    sensitive: str = "",
    cuts: str = STRICT,
) -> Anonymized:
    """Make every record share its quasi-identifiers with at least k - 1 others.

    The records are cut in two at the median of the quasi-identifier with the widest range, again
    and again while both sides keep k records and the bounds on the sensitive column. Categories
    count in the order of the schema's values, else in sorted order. Each group gets one value of
    the column's domain: the most frequent category, the (lower) median of numbers.

    Protects against linkage by quasi-identifiers and, with l, entropy_l, c or t, against disclosure of a group's
    sensitive value. Costs their detail, most where records are sparse.

    Parameters
    ----------
    k
        The smallest equivalence class allowed.
    l, entropy_l, c, t, sensitive
        Bounds on the values of a sensitive column in each class, see `Constraints`.
    cuts
        `strict`: equal values stay on one side. `relaxed`: the two halves are as equal as can be,
        and chance decides on which side equal values fall. Groups of relaxed cuts overlap: they span
        more of each column, and those that get the same values become one class, so that classes are
        larger. Of 1,000 households with k = 5 they have 8.5 records on average, with strict cuts 6.8.

    Raises
    ------
    ProblemsFound
        Not even the whole table as one class keeps the bounds, or there is no such sensitive
        column.
    """
    bounds = Constraints(k, l, entropy_l, c, t)
    values = Sensitive.of(ID, table, schema, sensitive) if bounds.needs_values else None
    if problems := bounds.problems(ID, len(table), values):
        raise ProblemsFound(problems)
    names = schema.quasi_identifiers
    points = np.empty((len(table), len(names)), dtype=np.float64)
    for i, name in enumerate(names):
        column = schema.column(name)
        is_category = column.kind is Kind.CATEGORY
        points[:, i] = ordinal(table[name], column)[0] if is_category else table[name]
    ties = rng.permutation(len(table)) if cuts == RELAXED else None
    groups = partition(points, k, ties=ties, keeps=_kept_bounds(bounds, values))
    result = table.copy()
    for name in names:
        result[name] = one_value_each(table[name], schema.column(name), groups)
    return Anonymized(result, untouched(table))


def _kept_bounds(bounds: Constraints, sensitive: Sensitive | None) -> Keeps | None:
    if sensitive is None:
        return None

    def keeps(rows: Ints, classes: Ints) -> Flags:
        sizes = np.bincount(classes).astype(np.int64)
        counts = sensitive.counts(classes, rows)
        kept: Flags = ~bounds.failing(sizes, counts, sensitive)
        return kept

    return keeps


def partition(
    points: Points, k: int, *, ties: Ints | None = None, keeps: Keeps | None = None
) -> Ints:
    """The group of each record, 0 to the last group; every group has at least k records.

    All groups are cut simultaneously, round by round.

    Parameters
    ----------
    points
        n_records × n_columns.
    ties
        An order of the records that breaks ties between equal values; by default ties stay together.
    keeps
        Further constraints on both sides of a cut.
    """
    full = np.ptp(points, axis=0)
    points, full = points[:, full > 0], full[full > 0]
    codes = _codes(points, ties)
    group_of = np.empty(len(points), dtype=np.int64)
    rows, groups = np.arange(len(points)), np.zeros(len(points), dtype=np.int64)
    n_done = 0
    while len(rows):
        is_right, is_cut = _cut(points[rows], full, codes[rows], rows, groups, k, keeps)
        over = ~is_cut[groups]
        done = numbered(groups[over], len(is_cut))
        group_of[rows[over]] = n_done + done
        n_done += int(done.max(initial=-1)) + 1
        sides = 2 * groups[~over] + is_right[~over]
        order = np.argsort(sides, kind="stable")
        rows, groups = rows[~over][order], numbered(sides, 2 * len(is_cut))[order]
    return group_of


def _codes(points: Points, ties: Ints | None) -> Ints:
    """The rank of each value in its column; with `ties` no two ranks are equal."""
    codes = np.empty(points.shape, dtype=np.int64)
    for i in range(points.shape[1]):
        if ties is None:
            codes[:, i] = np.unique(points[:, i], return_inverse=True)[1]
        else:
            codes[np.lexsort((ties, points[:, i])), i] = np.arange(len(points))
    return codes


def _cut(
    points: Points,
    full: Points,
    codes: Ints,
    rows: Ints,
    groups: Ints,
    k: int,
    keeps: Keeps | None,
) -> tuple[Flags, Flags]:
    """The rows that go to the right side, and the groups that are cut. Rows are in the order of their groups."""
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    widths = (np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)) / full
    widest_first = np.argsort(-widths, axis=1, kind="stable")
    is_right, is_cut = np.zeros(len(rows), dtype=np.bool_), np.zeros(len(sizes), dtype=np.bool_)
    is_open = sizes >= 2 * k
    for attempt in range(points.shape[1]):
        column = widest_first[:, attempt]
        is_open &= widths[np.arange(len(sizes)), column] > 0
        tried = np.flatnonzero(is_open[groups])
        if not len(tried):
            break
        values = codes[tried, column[groups[tried]]]
        of_open = numbered(groups[tried], len(sizes))
        for threshold in _thresholds(values, of_open, k):
            right = values >= threshold[of_open]
            accepted = _accepted(rows[tried], of_open, right, threshold, keeps)
            accepted &= ~is_cut[np.flatnonzero(is_open)]
            is_right[tried[accepted[of_open]]] = right[accepted[of_open]]
            is_cut[np.flatnonzero(is_open)[accepted]] = True
            if keeps is None:
                break
        is_open &= ~is_cut
    return is_right, is_cut


def _thresholds(values: Ints, groups: Ints, k: int) -> list[Ints]:
    """The values at which the right sides begin, one of each group, -1 where k allows none.

    The median or the value after it: first the cut that is nearer to the middle, then the other.
    """
    size = int(values.max()) + 1
    keys = np.sort(groups * size + values)
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    median = keys[starts + sizes // 2]
    cuts = [np.searchsorted(keys, median, side="left") - starts]
    cuts.append(np.searchsorted(keys, median, side="right") - starts)
    off = [np.where((k <= c) & (c <= sizes - k), np.abs(2 * c - sizes), len(keys)) for c in cuts]
    begins = [
        np.where(o < len(keys), keys[np.minimum(starts + c, len(keys) - 1)] % size, -1)
        for o, c in zip(off, cuts, strict=True)
    ]
    is_second = off[1] < off[0]
    return [np.where(is_second, begins[1], begins[0]), np.where(is_second, begins[0], begins[1])]


def _accepted(
    rows: Ints, groups: Ints, right: Flags, threshold: Ints, keeps: Keeps | None
) -> Flags:
    """The groups whose two sides keep the bounds."""
    accepted: Flags = threshold >= 0
    if keeps is None or not accepted.any():
        return accepted
    is_tried = accepted[groups]
    sides = 2 * groups[is_tried] + right[is_tried]
    of_side = numbered(sides, 2 * len(threshold))
    bad = np.zeros(2 * len(threshold), dtype=np.bool_)
    bad[sides] = ~keeps(rows[is_tried], of_side)[of_side]
    both: Flags = accepted & ~bad[::2] & ~bad[1::2]
    return both


MONDRIAN = Anonymizer(
    id=ID,
    title=_("k-anonymization (Mondrian)"),
    protects=_("Linkage by quasi-identifiers: each is shared by k records or more"),
    costs=_("Detail of the quasi-identifiers, most where records are sparse"),
    function=mondrian,
    options=(
        Option("k", "integer", 3, _("the smallest equivalence class allowed"), low=1),
        *DIVERSITY_OPTIONS,
        Option(
            "cuts",
            "text",
            STRICT,
            _("whether equal values stay on one side of a cut"),
            choices=(STRICT, RELAXED),
        ),
    ),
)
