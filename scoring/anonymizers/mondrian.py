"""k-anonymization by Mondrian: LeFevre, DeWitt & Ramakrishnan, "Mondrian Multidimensional
K-Anonymity", strict partitioning at the median."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.domain import lower_medians, most_frequent, ordinal
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.schema import Kind, Schema

ID = "mondrian"
Points = NDArray[np.float64]


def mondrian(
    table: pd.DataFrame, schema: Schema, *, rng: np.random.Generator, k: int = 3
) -> Anonymized:
    """Make every record share its quasi-identifiers with at least k - 1 others.

    The records are cut in two at the median of the quasi-identifier with the widest range, again
    and again while both sides keep k records. Categories count in the order of the schema's values,
    else in sorted order. Each group gets one value of the column's domain: the most frequent
    category, the (lower) median of numbers.

    Parameters
    ----------
    k
        The smallest equivalence class allowed.

    Raises
    ------
    ProblemsFound
        The table has fewer than k records.
    """
    if k > len(table):
        raise refuse(ID, "k", f"an integer from 1 to the table's {len(table)} records", k)
    names = schema.quasi_identifiers
    points = np.empty((len(table), len(names)), dtype=np.float64)
    for i, name in enumerate(names):
        column = schema.column(name)
        is_category = column.kind is Kind.CATEGORY
        points[:, i] = ordinal(table[name], column)[0] if is_category else table[name]
    groups = partition(points, k)
    result = table.copy()
    for name in names:
        column = schema.column(name)
        if column.kind is Kind.CATEGORY:
            codes, values = ordinal(table[name], column)
            chosen = values[most_frequent(codes, groups, len(values))]
            result[name] = pd.Series(chosen[groups], dtype=table[name].dtype)
        else:
            result[name] = lower_medians(table[name].to_numpy(), groups)[groups]
    return Anonymized(result, untouched(table))


def partition(points: Points, k: int) -> NDArray[np.int64]:
    """The group of each record, 0 to the last group; every group has at least k records."""
    group_of = np.empty(len(points), dtype=np.int64)
    full = np.ptp(points, axis=0)
    varying, full = points[:, full > 0], full[full > 0]
    waiting = [np.arange(len(points))]
    n_groups = 0
    while waiting:
        members = waiting.pop()
        left = _left_side(varying[members], full, k)
        if left is None:
            group_of[members] = n_groups
            n_groups += 1
        else:
            waiting += [members[~left], members[left]]
    return group_of


def _left_side(points: Points, full: Points, k: int) -> NDArray[np.bool_] | None:
    """Which records go left; None where no cut leaves k records on both sides."""
    if len(points) < 2 * k or points.shape[1] == 0:
        return None
    widths = np.ptp(points, axis=0) / full
    for i in np.argsort(-widths, kind="stable"):
        if widths[i] == 0:
            return None
        threshold = _threshold(np.sort(points[:, i]), k)
        if threshold is not None:
            left: NDArray[np.bool_] = points[:, i] < threshold
            return left
    return None


def _threshold(ordered: NDArray[np.float64], k: int) -> float | None:
    """The value at which the right side begins, as near to the median as k allows."""
    n = len(ordered)
    median = ordered[n // 2]
    cuts = [int(np.searchsorted(ordered, median, side=side)) for side in ("left", "right")]
    allowed = [cut for cut in cuts if k <= cut <= n - k]
    return float(ordered[min(allowed, key=lambda cut: abs(2 * cut - n))]) if allowed else None


MONDRIAN = Anonymizer(
    id=ID,
    title=_("k-anonymization (Mondrian)"),
    protects=_("Linkage by quasi-identifiers: each is shared by k records or more"),
    costs=_("Detail of the quasi-identifiers, most where records are sparse"),
    function=mondrian,
    options=(Option("k", "integer", 3, _("the smallest equivalence class allowed"), low=1),),
)
