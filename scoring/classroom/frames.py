# SPDX-License-Identifier: Apache-2.0
"""Frames with deleted records: which ones, the columns without a schema, and records put back in their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoring.seeds import drawn_seed
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Column, Kind, Role, Schema

Columns = str | Sequence[str]
"""One column or several."""


def seed_of(seed: int | None) -> int:
    """The seed itself, or a new one of the operating system."""
    return drawn_seed() if seed is None else seed


def is_deleted(data: pd.DataFrame) -> pd.Series:
    """True for the records whose cells are all missing or empty.

    Examples
    --------
    >>> is_deleted(pd.DataFrame({"age": [20, None], "city": ["A", None]})).tolist()
    [False, True]
    """
    return (data.isna() | (data == "")).all(axis=1)


def kept_of(data: pd.DataFrame) -> tuple[IntArray, pd.DataFrame]:
    """The 0-based rows of the records that are not deleted, and these records."""
    rows = np.flatnonzero(~is_deleted(data).to_numpy()).astype(np.int64)
    return rows, data.iloc[rows].reset_index(drop=True)


def in_place(
    table: pd.DataFrame, rows: IntArray, index: pd.Index, attrs: dict[Any, Any] | None = None
) -> pd.DataFrame:
    """The records at their rows of a frame with this index, all others blank."""
    placed = table.set_axis(rows).reindex(range(len(index))).set_axis(index)
    placed.attrs = attrs or {}
    return placed


def schema_of(data: pd.DataFrame) -> Schema:
    """Columns of numbers, of whole numbers and of categories, all quasi-identifiers."""
    return Schema(
        tuple(Column(str(name), Role.QUASI_IDENTIFIER, _kind(data[name])) for name in data.columns)
    )


def _kind(series: pd.Series) -> Kind:
    kinds = pd.api.types
    if not kinds.is_numeric_dtype(series.dtype) or kinds.is_bool_dtype(series.dtype):
        return Kind.CATEGORY
    numbers = series.dropna()
    return Kind.INTEGER if bool((numbers == np.floor(numbers)).all()) else Kind.NUMBER


def loosened(schema: Schema) -> Schema:
    """The public columns without their domains: averages, noise and labels are none of their values."""
    columns = schema.public().columns
    return Schema(
        tuple(
            Column(c.name, c.role, Kind.NUMBER if c.is_numeric else Kind.CATEGORY) for c in columns
        )
    )


def names_of(columns: Columns) -> tuple[str, ...]:
    """The names of one column or of several."""
    return (columns,) if isinstance(columns, str) else tuple(columns)
