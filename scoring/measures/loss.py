# SPDX-License-Identifier: Apache-2.0
"""Losses record by record: how far each cell moved from that of the declared original record."""

from __future__ import annotations

import math

import numpy as np

from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray

DEFAULT = Options()


def mean_normalised_loss(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the columns and the records of X of how much of a cell was lost, at most all of it.

    A number loses \\|x - y\\| / range(X_j), and never more than 1; a category 0 where it is kept and 1
    where not; a deleted record 1 in every column. All columns count that are not identifiers,
    whatever their role.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows: a record of X that
        no row names is deleted.

    Returns
    -------
    float or None
        0 where nothing is lost, 1 where nothing is kept. A number that is constant in X has no range:
        it loses 0 where equal and 1 where not. None where all columns are identifiers.

    Raises
    ------
    ValueError
        Where Y lacks a column of X.

    Notes
    -----
    The lecture contest's loss; its utility is 100 (1 - loss). `normalised-loss` is the same over the
    scored columns only, without the upper end.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(mean_normalised_loss(comparison("unified")), 6)
    0.1
    """
    found = column_losses(comparison).values()
    return math.fsum(found) / len(found) if found else None


def column_losses(comparison: Comparison) -> dict[str, float]:
    """The mean loss of each column that is no identifier, by its name: the terms of `mean_normalised_loss`.

    Raises
    ------
    ValueError
        Where Y lacks a column of X.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> losses = column_losses(comparison("unified"))
    >>> {name: loss for name, loss in losses.items() if loss}
    {'QI3': 0.5}
    """
    n_deleted = comparison.prepared.n_records - comparison.n_records
    public = comparison.schema.public()
    names = [name for name in public.names if name in comparison.prepared.table.columns]
    if missing := [name for name in names if name not in comparison.anonymized.columns]:
        raise ValueError(f"anonymized: expected columns {', '.join(missing)}")
    found = {}
    for name in names:
        if public.column(name).is_numeric:
            lost = np.minimum(share_of_range(comparison, name), 1.0)
        else:
            lost = is_changed(comparison, name)
        found[name] = (math.fsum(lost.tolist()) + n_deleted) / comparison.prepared.n_records
    return found


def change(comparison: Comparison, name: str) -> FloatArray:
    """The distance of each record of Y from its declared original in one numeric column."""
    x = comparison.prepared.table[name].to_numpy(dtype=np.float64)
    y = comparison.anonymized[name].to_numpy(dtype=np.float64)
    moved: FloatArray = np.abs(y - x[comparison.source])
    return moved


def share_of_range(comparison: Comparison, name: str) -> FloatArray:
    """The same as a share of X's range; where that is 0, 0 for the same number and 1 for another."""
    moved = change(comparison, name)
    x = comparison.prepared.table[name].to_numpy(dtype=np.float64)
    span = x.max() - x.min()
    scaled: FloatArray = moved / span if span > 0 else (moved != 0).astype(np.float64)
    return scaled


def is_changed(comparison: Comparison, name: str) -> FloatArray:
    """1 for each record of Y with another category than its declared original, else 0."""
    x = comparison.prepared.table[name].to_numpy(dtype=object)[comparison.source]
    y = comparison.anonymized[name].to_numpy(dtype=object)
    changed: FloatArray = (x != y).astype(np.float64)
    return changed
