# SPDX-License-Identifier: Apache-2.0
"""The contingency table over chosen columns: how far Y's counts lie from X's, and whether their order stays.

A record counts in the cell of its values. The domain of a column is the schema's list of values and
whatever else occurs in either table: where the schema lists none, and for numbers, that is all of it.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from scoring.privacy.tables import contingency, l2, spearman
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import IntArray, comparable
from scoring.tables.schema import Column, Schema

DEFAULT = Options()
MAX_CELLS = 10**6
"""Cells of the largest domain over which ranks are compared."""


def table_distance(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """L2 distance of Y's contingency table over the chosen columns from X's, in records.

    The root of the sum over cells of (count in Y - count in X)².

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records; the declared rows play no part. Records
        are counted as they are: a deleted one is missing in its cell.
    options : Options
        `table_columns`: the columns; all quasi-identifiers that are categories where it is empty.

    Returns
    -------
    float or None
        0 where every cell keeps its count, without an upper end. None without a column.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.2. A cell that neither table fills adds nothing, so that a domain may be of any size.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(table_distance(comparison("unified")), 6)
    2.828427
    """
    n_original = comparison.prepared.n_records
    cells: IntArray = np.zeros(n_original + comparison.n_records, dtype=np.int64)
    columns = _coded(comparison, options)
    for codes, size in columns:  # renumbered by each column, so that no product grows too large
        cells = pd.factorize(cells * size + codes)[0].astype(np.int64)
    if not columns:
        return None
    sizes = (max(2, int(cells.max()) + 1),)  # a table has two cells at least
    tables = (contingency(part[:, None], sizes) for part in np.split(cells, [n_original]))
    return l2(*tables)


def table_rank_correlation(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Spearman's rank correlation of the cells of Y's and X's contingency tables over the chosen columns.

    All cells of the domain are ranked by their counts, those that neither table fills among them;
    equal counts share their mean rank.

    Parameters
    ----------
    options : Options
        `table_columns`: the columns; all quasi-identifiers that are categories where it is empty.

    Returns
    -------
    float or None
        1 where the cells keep their order, -1 where it is reversed. None without a column, where
        all cells of either table are equal, so that there is no order, and where the domain has
        more than 1,000,000 cells.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.2. Empty cells agree with each other, so that the value depends on the domain: columns whose
    values the schema lists have the same one for every Y.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(table_rank_correlation(comparison("unified")), 6)
    0.333333
    """
    columns = [(codes, size) for codes, size in _coded(comparison, options) if size > 1]
    sizes = [size for _codes, size in columns]
    if not columns or math.prod(sizes) > MAX_CELLS:
        return None
    records = np.column_stack([codes for codes, _size in columns])
    original, anonymized = np.split(records, [comparison.prepared.n_records])
    found = spearman(contingency(anonymized, sizes), contingency(original, sizes))
    return None if math.isnan(found) else found


def _coded(comparison: Comparison, options: Options) -> list[tuple[IntArray, int]]:
    """Each chosen column of X and then of Y as codes, and how many values its domain has."""
    tables = comparison.prepared.table, comparison.anonymized
    return [_codes(column, *tables) for column in _chosen(comparison.schema, options)]


def _chosen(schema: Schema, options: Options) -> list[Column]:
    if options.table_columns:
        return [schema.column(name) for name in options.table_columns]
    columns = map(schema.column, schema.quasi_identifiers)
    return [column for column in columns if not column.is_numeric]


def _codes(column: Column, *tables: pd.DataFrame) -> tuple[IntArray, int]:
    kind = np.float64 if column.is_numeric else object
    listed = np.array(column.values or (), dtype=kind)
    occurring = [comparable(table[column.name]).astype(kind) for table in tables]
    codes, levels = pd.factorize(np.concatenate([listed, *occurring]), use_na_sentinel=False)
    return codes[len(listed) :].astype(np.int64), len(levels)
