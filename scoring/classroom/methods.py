# SPDX-License-Identifier: Apache-2.0
"""The lecture's methods of anonymization, on columns of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoring.anonymizers import anonymize
from scoring.classroom.frames import Columns, in_place, kept_of, names_of, schema_of, seed_of
from scoring.options import Value, refuse
from scoring.tables.frames import check_frame
from scoring.tables.hierarchy_files import Source, content_of
from scoring.tables.schema import Column, Kind, Role


def generalize(
    data: pd.DataFrame, columns: Columns, level: int | Sequence[int], hierarchy: Source
) -> pd.DataFrame:
    """Replace values by those of a level of a hierarchy: Generalization(data, attr, level).

    Parameters
    ----------
    data : DataFrame
    columns
        The columns to generalize.
    level
        One for all columns, or one for each; 0 leaves a column as it is. A category becomes its
        label `depth_<level>`; a number the (lower) median of its group between the `threshold_<level>`.
    hierarchy
        What `attr_depth.json` holds, as a dict, or the path of such a file.

    Raises
    ------
    ProblemsFound
        The file cannot be read, or has no hierarchy or no such level of a column; a cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [21, 25, 38], "city": ["Tokyo", "Saitama", "Kyoto"]})
    >>> kanto, kinki = {"depth_1": "Kanto"}, {"depth_1": "Kinki"}
    >>> cities = {"Tokyo": kanto, "Saitama": kanto, "Kyoto": kinki}
    >>> hierarchy = {
    ...     "age": {"type": "numeric", "threshold_1": "30"},
    ...     "city": {"type": "category", "definition": cities},
    ... }
    >>> generalize(data, ["age", "city"], 1, hierarchy).to_numpy().tolist()
    [[21, 'Kanto'], [21, 'Kanto'], [38, 'Kinki']]
    """
    content, names = content_of(hierarchy), names_of(columns)
    if missing := [name for name in names if name not in content]:
        expected = f"columns of the hierarchy: {', '.join(content) or 'none'}"
        raise refuse("generalize", "columns", expected, missing)
    content = {name: content[name] for name in names}
    levels = (level,) if isinstance(level, int) else tuple(level)
    options = {"levels": levels, "hierarchy": content, "write": "label"}
    return _applied(data, names, "global-recoding", options)


def remove_rare_records(data: pd.DataFrame, columns: Columns, k: int) -> pd.DataFrame:
    """Blank the records that share their values with fewer than k: Remove_record(data, attr, k).

    Parameters
    ----------
    data : DataFrame
    columns
        The columns whose values are compared, all together.
    k
        Records that are left share these values with k - 1 others or more.

    Raises
    ------
    ProblemsFound
        No record would be left, or a cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [21, 21, 38], "city": ["A", "A", "B"]})
    >>> remove_rare_records(data, ["age", "city"], 2)["age"].tolist()
    [21.0, 21.0, nan]
    """
    return _applied(data, names_of(columns), "record-suppression", {"k": k})


def laplace(
    data: pd.DataFrame,
    columns: Columns,
    epsilon: float,
    value_range: Iterable[float] | None = None,
    *,
    seed: int | None = None,
) -> pd.DataFrame:
    """Add Laplace noise to each number (local differential privacy): Differential_l(x, value_range, epsilon).

    The noise has the scale (greatest - least) / epsilon of the range. Whole numbers stay whole.

    Parameters
    ----------
    data : DataFrame
    columns
        Columns of numbers.
    epsilon
        The ε of each value, above 0: the smaller, the more noise.
    value_range
        The two ends of the range in either order, or all values of the attribute; by default the
        column itself. Values outside count as the nearer end.
    seed
        An integer of 0 or more, to repeat a result.

    Raises
    ------
    ProblemsFound
        ε is not above 0, the range has no two different numbers, a column is none of numbers, or a
        cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [20, 30, 40]})
    >>> noisy = laplace(data, "age", epsilon=1, value_range=[80, 0], seed=1)
    >>> noisy["age"].tolist(), noisy.attrs["seed"]
    ([22, 215, -59], 1)
    """
    options: dict[str, Value] = {"epsilon": epsilon, "range_from": "column"}
    if value_range is not None:
        given = [float(value) for value in value_range if not pd.isna(value)]
        options["value_range"] = (min(given), max(given)) if given else (0.0, 0.0)
    return _applied(data, names_of(columns), "local-laplace", options, seed=seed_of(seed))


def randomized_response(
    data: pd.DataFrame,
    columns: Columns,
    epsilon: float,
    variation: Iterable[str] | None = None,
    *,
    seed: int | None = None,
) -> pd.DataFrame:
    """Generalized randomized response on categories: Differential_e(x, variation, epsilon).

    Each value is kept with probability e^ε / (V - 1 + e^ε), else one of the V - 1 others is written.

    Parameters
    ----------
    data : DataFrame
    columns
        Columns of texts, or of whole numbers.
    epsilon
        The ε of each value, above 0: the smaller, the more values change.
    variation
        The values that a column can have, or the whole column; by default those that occur in it.
    seed
        An integer of 0 or more, to repeat a result.

    Raises
    ------
    ProblemsFound
        ε is not above 0, a value is not among the variation, or a cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"city": ["A", "B", "A", "A"]})
    >>> randomized_response(data, "city", 0.5, ["A", "B", "C"], seed=3)["city"].tolist()
    ['C', 'C', 'A', 'A']
    """
    values = None
    if variation is not None:
        values = tuple(dict.fromkeys(str(value) for value in variation if not pd.isna(value)))
    options = {"epsilon": epsilon, "budget": "each"}
    method = "generalized-randomized-response"
    return _applied(data, names_of(columns), method, options, seed=seed_of(seed), values=values)


def _applied(
    data: pd.DataFrame,
    columns: tuple[str, ...],
    method: str,
    options: dict[str, Any],
    *,
    seed: int | None = None,
    values: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """The result of an anonymizer on the records that are not deleted, all in their places."""
    rows, kept = kept_of(data)
    schema = schema_of(kept)
    if values is not None:
        for name in set(columns) & set(schema.names):
            listed = Column(name, Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=values)
            schema = schema.replace_column(listed)
    check_frame(kept, schema, file="data")
    steps = [(method, {"columns": columns, **options})]
    found = anonymize(kept, schema, steps, rng=np.random.default_rng(seed or 0))
    attrs = dict(data.attrs) | ({} if seed is None else {"seed": seed})
    return in_place(found.table, rows[found.source], data.index, attrs)
