# SPDX-License-Identifier: Apache-2.0
"""Tables by the names of their schemas."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from scoring.datasets import HOUSEHOLDS
from scoring.datasets.households import households
from scoring.errors import PluginError, ProblemsFound
from scoring.rulesets.installed import FORMATS, generators
from scoring.rulesets.loader import load_schema
from scoring.tables.frames import check_frame


def generated(
    name: str,
    n_records: int,
    *,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Draw a table with the schema of this name.

    Parameters
    ----------
    name
        One of `USUAL`, or a plugin's format that draws tables.
    n_records, seed, progress
        As in `scoring.datasets.households.households`; the function of a plugin reports no progress.

    Raises
    ------
    PluginError
        Where the function of a plugin fails, or gives another table than that of its rules.

    Examples
    --------
    >>> generated("survival", 3, seed=1).shape
    (3, 14)
    """
    if name in generators():
        return _of_plugin(name, n_records, seed)
    if name == HOUSEHOLDS:
        return households(n_records, seed=seed, progress=progress)
    from scoring.datasets.cups import imitation  # loads SciPy's normal distribution

    return imitation(name, n_records, seed=seed, progress=progress)


def _of_plugin(name: str, n_records: int, seed: int) -> pd.DataFrame:
    try:
        table = FORMATS[name].function(n_records, seed=seed)
    except Exception as error:
        raise PluginError("plugin.generator", id=name, got=type(error).__name__) from error
    if not isinstance(table, pd.DataFrame) or len(table) != n_records:
        raise PluginError("plugin.table", id=name, got=f"no table of {n_records} records")
    schema = load_schema(name)
    if list(table.columns) != list(schema.names):
        raise PluginError("plugin.table", id=name, got=", ".join(map(str, table.columns)))
    try:
        check_frame(table, schema, file="original", original=True)
    except (ProblemsFound, ValueError) as error:
        raise PluginError("plugin.table", id=name, got=str(error).partition("\n")[0]) from error
    return table
