# SPDX-License-Identifier: Apache-2.0
"""Synthetic tables in the shape of those of past cups, at any size.

Nothing is copied from a published table: all figures are in `recipes`. The output is public domain (CC0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from scoring.datasets import MAX_RECORDS, recipes
from scoring.datasets.recipes import LEVELS, N_FACTORS, Recipe
from scoring.rulesets.loader import load_schema
from scoring.tables.schema import Column

Floats = NDArray[np.float64]
HORIZON = 10.0
"""Years after which nobody is followed any longer."""


IMITATIONS: Mapping[str, Mapping[str, Recipe]] = {
    "census": recipes.CENSUS,
    "diabetes": recipes.DIABETES,
    "profile": recipes.PROFILE,
    "ratings": recipes.RATINGS,
    "health": recipes.HEALTH,
    "survival": recipes.SURVIVAL,
}
"""The recipe of each column, by schema."""


def imitation(
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
        One of `IMITATIONS`.
    n_records
        1 to 1,000,000.
    seed
        0 or more. The same size and seed give the same table.
    progress
        Called with the number of columns done and the number of all columns.

    Returns
    -------
    pandas.DataFrame
        The columns of the schema: str, int64 and float64.

    Raises
    ------
    ValueError
        `n_records` or `seed` is out of range.

    Notes
    -----
    A column is a quantile function of a normal score. The scores of a record are correlated by factors that they share:
    a score is the sum of the factors times the column's loadings, and of noise that makes its variance 1.

    Examples
    --------
    >>> imitation("survival", 3, seed=1).shape, sorted(IMITATIONS)
    ((3, 14), ['census', 'diabetes', 'health', 'profile', 'ratings', 'survival'])
    """
    if not 1 <= n_records <= MAX_RECORDS:
        raise ValueError(f"n_records: expected 1 to {MAX_RECORDS}, got {n_records}")
    if seed < 0:
        raise ValueError(f"seed: expected 0 or more, got {seed}")
    rng = np.random.default_rng(seed)
    recipe_of, schema = IMITATIONS[name], load_schema(name)
    factors = rng.standard_normal((n_records, N_FACTORS))
    scores = {column: _score(recipe, factors, rng) for column, recipe in recipe_of.items()}
    columns: dict[str, Any] = {}
    for done, column in enumerate(schema.columns, start=1):
        if column.name in recipe_of:
            columns[column.name] = _values(column, recipe_of[column.name], scores[column.name])
        if progress is not None:
            progress(done, len(schema.columns))
    if name == "survival":
        columns |= _followed(scores, columns["type"], rng)
    return pd.DataFrame({column: columns[column] for column in schema.names})


def _score(recipe: Recipe, factors: Floats, rng: np.random.Generator) -> Floats:
    loadings = np.zeros(N_FACTORS)
    loadings[: len(recipe.loadings)] = recipe.loadings
    noise = np.sqrt(1 - np.square(loadings).sum())
    found: Floats = factors @ loadings + noise * rng.standard_normal(len(factors))
    return found


def _values(column: Column, recipe: Recipe, score: Floats) -> pd.Series:
    """The quantiles of a column: its categories in their order, or numbers between its figures."""
    level = ndtr(score)
    if column.values is not None:
        steps = np.cumsum(np.asarray(recipe.figures) / np.sum(recipe.figures))[:-1]
        labels = np.array(column.values, dtype=object)
        return pd.Series(labels[np.searchsorted(steps, level, side="right")], dtype="str")
    numbers = np.interp(level, LEVELS, recipe.figures)
    if column.decimals:
        return pd.Series(np.round(numbers, column.decimals))
    return pd.Series(np.rint(numbers).astype(np.int64))


def _followed(
    scores: Mapping[str, Floats], types: pd.Series, rng: np.random.Generator
) -> dict[str, pd.Series]:
    """Years until the onset, the death or the end, whichever is first; exponential with proportional hazards."""
    n, is_rare = len(types), (types == "rare").to_numpy()
    years = []
    for base, factors in (recipes.ONSET, recipes.DEATH):
        risk = sum(effect * scores[name] for name, effect in factors.items())
        rate = base * np.exp(risk) * np.where(is_rare, recipes.RARE_FACTOR, 1.0)
        years.append(rng.exponential(1.0, n) / rate)
    onset, death = years
    time = np.minimum(np.minimum(onset, death), HORIZON)
    flags = {
        "onset": (onset <= HORIZON) & (onset <= death),
        "death": (death <= HORIZON) & (death < onset),
    }
    return {"time": pd.Series(np.round(time, 2))} | {
        name: pd.Series(np.where(flag, "1", "0"), dtype="str") for name, flag in flags.items()
    }
