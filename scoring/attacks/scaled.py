# SPDX-License-Identifier: Apache-2.0
"""Nearest points once the columns are brought to one scale, and nearest records of mixed columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from scoring.attacks.base import SCALES, check_choice
from scoring.attacks.guesses import guess_nearest_point, guess_nearest_point_in_class
from scoring.attacks.metrics import factor, transformed
from scoring.attacks.pairs import Known, searches
from scoring.options import refuse
from scoring.scores.comparison import Prepared
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Column, Kind, Schema


def guess_nearest_scaled(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    scale: str = "z",
    within: str = "class-or-anywhere",
) -> IntArray:
    """The nearest by Euclidean distance once every column is brought to one scale.

    Without a scale the column with the largest amounts dominates.

    Parameters
    ----------
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers that make the classes; all by default.
    sensitive : sequence of str, optional
        The columns that distances are over; all by default.
    scale : {"z", "log", "range", "rank"}
        A column is divided by its standard deviation or its range in the original, or replaced by
        sign(v) log(1 + \\|v\\|), or by its ranks in its own table as a share of the records.
    within : {"class-or-anywhere", "class", "anywhere"}
        Searches originals with the record's quasi-identifiers, all originals, or all if no original has them.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, of equally near ones the lowest; -1 where none is searched,
        and all -1 without a numeric sensitive column.

    Raises
    ------
    ValueError
        Where a table, a column or an option does not fit.

    Notes
    -----
    EUC1 and EUC2 (Ito & Kikuchi, PWSCup 2015 evaluation, §3) on scaled tables, with their ties: equality of 64-bit
    distances. A column that is constant in the original carries no information and is left out of "z" and "range".
    Costs what EUC1 and EUC2 cost.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_nearest_scaled(table("original"), table("swapped"), SCHEMA, scale="rank")
    array([0, 1, 3, 2])
    """
    check_choice("scale", scale, SCALES)
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    amounts = [name for name in known.sensitive if schema.column(name).is_numeric]
    x, y = _scaled(known.original, known.anonymized, amounts, scale)
    numbers = _as_numbers(schema, amounts)
    looks = searches(within)
    attack = guess_nearest_point if looks[-1] is False else guess_nearest_point_in_class
    q = known.quasi_identifiers if looks[0] else ()
    return attack(x, y, numbers, quasi_identifiers=q, sensitive=amounts)


def _scaled(
    original: pd.DataFrame, anonymized: pd.DataFrame, columns: Sequence[str], scale: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    in_x, in_y = {}, {}
    for name in columns:
        x, y = (
            transformed(table[name].to_numpy(dtype=np.float64), scale)
            for table in (original, anonymized)
        )
        by = factor(x, scale)
        in_x[name], in_y[name] = x * by, y * by
    return original.assign(**in_x), anonymized.assign(**in_y)


def _as_numbers(schema: Schema, columns: Sequence[str]) -> Schema:
    """The schema of scaled tables: no bounds, and fractions in every scaled column."""
    changed = tuple(
        Column(c.name, c.role, Kind.NUMBER) if c.name in columns else c for c in schema.columns
    )
    return dataclasses.replace(schema, columns=changed)


def guess_gower(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weights: Sequence[str] = (),
    within: str = "anywhere",
) -> IntArray:
    """The nearest by Gower's distance over quasi-identifiers and sensitive columns of any kind.

    A record whose quasi-identifiers were changed a little is still found: a category that differs
    costs no more than a number at the other end of its range.

    Parameters
    ----------
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers used; all by default.
    sensitive : sequence of str, optional
        The sensitive columns used, of any kind; all by default.
    weights : sequence of str, optional
        Weights of columns, each as column:weight; 1 by default.
    within : {"class-or-anywhere", "class", "anywhere"}
        Searches originals with the record's quasi-identifiers, all originals, or all if no original has them.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, of equally near ones the lowest; -1 where none is searched,
        and all -1 without a column.

    Raises
    ------
    ProblemsFound
        Where a weight names no column that is looked at, or is no number of at least 0.
    ValueError
        Where a table, a column or another option does not fit.

    Notes
    -----
    Gower, “A general coefficient of similarity and some of its properties”: the weighted mean over
    the columns of 0 or 1 for equal or different categories and \\|y - x\\| / range for numbers, the
    range being the original's; a column that is constant there counts 0. A tie is equality of the
    64-bit sums, categories first, in the order of the columns. All pairs are computed, a block at a
    time: about 0.2 s for two tables of 8,333 records and 25 columns, growing with their product.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_gower(table("original"), table("unified"), SCHEMA)
    array([0, 1, 2, 3])
    """
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    metric = known.metric("gower", read_weights("gower", weights, known))
    return known.pairs(metric).nearest_within(within)


def read_weights(method: str, texts: Sequence[str], known: Known) -> Mapping[str, float]:
    """The weights written as column:weight.

    Raises
    ------
    ProblemsFound
        Where a column is not looked at, a weight is no number of at least 0, or all are 0.
    """
    columns = known.quasi_identifiers + known.sensitive
    expected = f"COLUMN:WEIGHT, columns out of {', '.join(columns)}, weights of at least 0"
    weights: dict[str, float] = {}
    for text in texts:
        name, _colon, number = text.rpartition(":")
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if name not in columns or name in weights or not 0 <= weight < np.inf:
            raise refuse(method, "weights", expected, text)
        weights[name] = weight
    if weights and set(weights) == set(columns) and not any(weights.values()):
        raise refuse(method, "weights", f"{expected}, not all of them 0", texts)
    return weights
