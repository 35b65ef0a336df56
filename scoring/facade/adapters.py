# SPDX-License-Identifier: Apache-2.0
"""Adapters: hierarchies of ARX as files of ours, and tables of any synthesizer as tables of a schema."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoring.errors import Problem, ProblemsFound, shorten
from scoring.facade.given import SchemaLike, frame_for, schema_for
from scoring.tables.hierarchy_files import HIERARCHY_FILE
from scoring.tables.hierarchy_tables import Rows, content_of_rows, rows_of
from scoring.tables.schema import Column, Kind, Schema

TableLike = str | Path | bytes | pd.DataFrame


def hierarchies(files: str | Path | Mapping[str, TableLike], schema: SchemaLike) -> dict[str, Any]:
    """Read generalization hierarchies as ARX writes them: CSV without a header, a value and its labels on each line.

    Parameters
    ----------
    files : path, or mapping of str to path, bytes or DataFrame
        A folder, whose files are called like their columns or end like them, such as `adult_hierarchy_age.csv`; or
        tables by column. Cells are separated by semicolons, commas or tabs.
    schema : Schema, path or str
        Numbers become thresholds, categories labels.

    Returns
    -------
    dict
        The content of `attr_depth.json`: `hierarchies` of `score` and `hierarchy` of `classroom.generalize` take it;
        written as a JSON file, `hierarchy` of methods takes its path.

    Raises
    ------
    ProblemsFound
        All problems of the files.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> found = hierarchies({"SA1": b"100;low;*\\n200;low;*\\n300;high;*\\n"}, SCHEMA)
    >>> found
    {'SA1': {'type': 'numeric', 'threshold_1': '300'}}
    """
    known = schema_for(schema, pd.DataFrame())
    named = dict(files) if isinstance(files, Mapping) else _in_folder(Path(files), known)
    return content_of_rows({name: _rows(name, table) for name, table in named.items()}, known)


def _in_folder(folder: Path, schema: Schema) -> dict[str, TableLike]:
    """Each file of a folder by the longest name of a column with which its own ends."""
    found: dict[str, TableLike] = {}
    for path in sorted(folder.glob("*.csv")):
        own = [n for n in schema.names if path.stem == n or path.stem.endswith(f"_{n}")]
        found[max(own, key=len) if own else path.stem] = path
    if not found:
        raise _unreadable(folder)
    return found


def _rows(name: str, table: TableLike) -> Rows:
    if isinstance(table, pd.DataFrame):
        return [[str(cell) for cell in line] for line in table.itertuples(index=False)]
    try:
        return rows_of(table if isinstance(table, bytes) else Path(table).read_bytes())
    except (OSError, ValueError) as error:
        raise _unreadable(name if isinstance(table, bytes) else table) from error


def _unreadable(source: object) -> ProblemsFound:
    got = {"got": shorten(str(source))}
    return ProblemsFound([Problem("hierarchy.unreadable", got, HIERARCHY_FILE)])


def synthesize(
    original: pd.DataFrame,
    synthesizer: Any,
    schema: SchemaLike | None = None,
    *,
    records: int | None = None,
    fit: bool = True,
) -> pd.DataFrame:
    """Let a synthesizer, such as one of SDV, make a table that fits a schema: to be scored with `synthetic=True`.

    Parameters
    ----------
    original : DataFrame, n_original records
    synthesizer : object
        With `fit(table)` and `sample(n)`, as the synthesizers of SDV, synthcity's plugins or a class of your own have.
    schema : Schema, path or str, optional
        By default one that is proposed, with a warning. The synthesizer sees no identifiers.
    records : int, optional
        Of the synthetic table, by default n_original.
    fit : bool
        False for a synthesizer that was fitted before.

    Returns
    -------
    DataFrame, records records
        Numbers rounded and clipped to their columns, categories as texts.

    Raises
    ------
    ValueError
        Where the synthesizer leaves out a column or a cell, or makes a category that the schema does not have.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> class Shuffler:
    ...     def fit(self, table):
    ...         self.columns = {name: sorted(table[name]) for name in table}
    ...
    ...     def sample(self, num_rows):
    ...         return pd.DataFrame(self.columns).head(num_rows)
    >>> made = synthesize(table("original"), Shuffler(), SCHEMA)
    >>> made.shape
    (4, 5)
    """
    known = schema_for(schema, original).public()
    table = frame_for(original, known, file="original", original=True)
    if fit:
        synthesizer.fit(table)
    n_records = len(table) if records is None else records
    made = _sampled(synthesizer, n_records)
    if missing := [name for name in known.names if name not in made.columns]:
        raise ValueError(f"synthesizer: expected the columns of the schema, got none of {missing}")
    fitted = {column.name: _fitted(made[column.name], column) for column in known.columns}
    return pd.DataFrame(fitted).reset_index(drop=True)


def _sampled(synthesizer: Any, n_records: int) -> pd.DataFrame:
    """A sample; SDV names the argument, others take it by its place. Some return a loader of frames."""
    sample = getattr(synthesizer, "sample", None) or synthesizer.generate
    by_name = {"num_rows", "count"} & set(inspect.signature(sample).parameters)
    made = sample(**{by_name.pop(): n_records}) if by_name else sample(n_records)
    found = made.dataframe() if callable(getattr(made, "dataframe", None)) else made
    if not isinstance(found, pd.DataFrame):
        raise TypeError(f"synthesizer: expected a DataFrame, got {type(found).__name__}")
    if len(found) != n_records:
        raise ValueError(f"synthesizer: expected {n_records} records, got {len(found)}")
    return found


def _fitted(cells: pd.Series, column: Column) -> pd.Series:
    if n_missing := int(cells.isna().sum()):
        raise ValueError(
            f"{column.name}: expected a value in each cell, got {n_missing} empty ones"
        )
    if not column.is_numeric:
        texts = cells.astype(str).astype(object).astype("str")
        unknown = sorted(set(texts) - set(column.values)) if column.values is not None else []
        if unknown:
            raise ValueError(f"{column.name}: expected values of the schema, got {unknown[:3]}")
        return texts.reset_index(drop=True)
    is_whole = column.kind is Kind.INTEGER
    decimals = 0 if is_whole else column.most_decimals(original=False)
    numbers = pd.to_numeric(cells).to_numpy(dtype=np.float64).round(decimals)
    low = -np.inf if column.min is None else column.min
    high = np.inf if column.max is None else column.max
    clipped = pd.Series(numbers.clip(low, high))
    return clipped.astype(np.int64) if is_whole else clipped
