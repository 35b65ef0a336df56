# SPDX-License-Identifier: Apache-2.0
"""Differential privacy of frames: noisy histograms with labels, and randomized response of texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scoring.privacy import randomized_response, sensitivity
from scoring.privacy.accounting import epsilon_from
from scoring.privacy.mechanisms import accuracy
from scoring.privacy.sampling import Randomness, noisy_counts, secure, seeded
from scoring.privacy.tables import contingency
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from scoring.privacy.domains import Integers
    from scoring.privacy.sensitivity import Adjacency

COUNT = "count"
_LIKELY = 0.05
_OF_NORMAL = (
    1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
)


def histogram(
    table: pd.DataFrame,
    columns: str | Sequence[str],
    epsilon: float | str | Decimal,
    values: Schema | Mapping[str, Sequence[str]],
    *,
    adjacency: Adjacency = "replace",
    seed: int | None = None,
) -> pd.DataFrame:
    """Count records by the values of some columns, with noise under ε-differential privacy.

    Parameters
    ----------
    table : DataFrame
    columns : str or sequence of str
        The columns to count by, categories of text.
    epsilon : float, str or Decimal
        The cost of the whole histogram, above 0, with at most six decimal places.
    values : Schema, or mapping of str to sequence of str
        All values that each column may have: a list that depends on the records would disclose them.
    adjacency : {"replace", "add_remove"}
        Tables are neighbours if they differ in the values of one record, or if one of them has a record more.
    seed : int, optional
        Only for experiments: anyone who knows it can subtract the noise. By default the randomness of the operating
        system, which nobody can repeat.

    Returns
    -------
    DataFrame
        The columns and "count", an integer that may be negative, for each combination of values in their order. `attrs`
        has "epsilon", "sensitivity", "seed", and "within": with a probability of at least 95 % the noise of a count is
        at most that.

    Raises
    ------
    ValueError
        Where a column is missing or has no list of values, a record has another value, or ε is none.

    Examples
    --------
    >>> table = pd.DataFrame({"sex": ["F", "M", "M"]})
    >>> found = histogram(table, "sex", 1, {"sex": ["F", "M", "X"]}, seed=1)
    >>> found["sex"].tolist(), found.attrs["within"]
    (['F', 'M', 'X'], 6)
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise ValueError("columns: expected at least one column, got none")
    listed = [_listed(name, values) for name in names]
    sizes = [len(known) for known in listed]
    codes = np.column_stack(
        [_codes(_column(table, n), known, n) for n, known in zip(names, listed, strict=True)]
    )
    price = epsilon_from(str(epsilon))
    changed = sensitivity.histogram(adjacency)
    counts = noisy_counts(contingency(codes, sizes), changed, price, _randomness(seed))
    cells = pd.MultiIndex.from_product(listed, names=names)
    found = cells.to_frame(index=False).assign(**{COUNT: counts.ravel()})
    found.attrs = {
        "epsilon": float(price),
        "sensitivity": changed,
        "within": math.ceil(accuracy(changed, float(price), _LIKELY)),
        "seed": seed,
    }
    return found


def respond(
    answers: pd.Series,
    epsilon: float,
    values: Sequence[str],
    *,
    seed: int | None = None,
) -> pd.Series:
    """Randomize each person's answer before anyone sees it: (generalized) randomized response.

    Parameters
    ----------
    answers : Series of str, n persons
    epsilon : float
        Of each person, above 0.
    values : sequence of str
        All possible answers, at least two.
    seed : int, optional
        Only for experiments: by default the randomness of the operating system, which nobody can repeat.

    Returns
    -------
    Series
        With the index and the name of the answers; `attrs` has "epsilon", "values" and "seed".

    Raises
    ------
    ValueError
        Where an answer is none of the values, there are fewer than two, or ε is not above 0.

    Examples
    --------
    >>> respond(pd.Series(["yes", "no"], name="ill"), 50, ["yes", "no"]).tolist()
    ['yes', 'no']
    """
    known = tuple(values)
    codes = _codes(answers, known, str(answers.name))
    drawn = randomized_response.respond(codes, len(known), epsilon, _randomness(seed))
    found = pd.Series(np.array(known, dtype=object)[drawn], answers.index, name=answers.name)
    found = found.astype("str")
    found.attrs = {"epsilon": float(epsilon), "values": known, "seed": seed}
    return found


def estimate(
    answers: pd.Series, epsilon: float | None = None, values: Sequence[str] | None = None
) -> pd.DataFrame:
    """Estimate the true shares of the answers from randomized ones.

    Parameters
    ----------
    answers : Series of str
        As `respond` gives them.
    epsilon, values
        Those of `respond`; by default those in the `attrs` of the series.

    Returns
    -------
    DataFrame
        By value: "answered", the share among the randomized answers, "share", the unbiased estimate of the true one,
        which may be below 0, and "low" and "high", its 95 % interval.

    Raises
    ------
    ValueError
        Where ε or the values are not known, or an answer is none of them.

    Examples
    --------
    >>> answers = pd.Series(["yes"] * 60 + ["no"] * 40)
    >>> estimate(answers, math.log(3), ["yes", "no"])["share"].round(3).to_dict()
    {'yes': 0.7, 'no': 0.3}
    """
    cost = answers.attrs.get("epsilon") if epsilon is None else epsilon
    known = answers.attrs.get("values") if values is None else tuple(values)
    if cost is None or known is None:
        raise ValueError("epsilon, values: expected those that the answers were randomized with")
    counts = np.bincount(_codes(answers, known, str(answers.name)), minlength=len(known))
    shares = randomized_response.estimate(counts, cost)
    n = int(counts.sum())
    spread = np.sqrt(randomized_response.variance(shares.clip(0, 1), n, cost)) * _OF_NORMAL
    columns = {"answered": counts / n, "share": shares}
    columns |= {"low": shares - spread, "high": shares + spread}
    return pd.DataFrame(columns, index=pd.Index(known, name="value"))


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    if name not in table.columns:
        raise ValueError(f"{name}: expected a column out of {', '.join(map(str, table.columns))}")
    return table[name]


def _listed(name: str, values: Schema | Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """All values of a column."""
    if isinstance(values, Schema):
        known = values.column(name).values if name in values.names else None
    else:
        known = tuple(values[name]) if name in values else None
    if known is None:
        raise ValueError(f"{name}: expected the list of all values that the column may have")
    return known


def _codes(answers: pd.Series, known: Sequence[str], name: str) -> Integers:
    """The place of each answer among the known ones."""
    codes = pd.Index(known).get_indexer(pd.Index(answers.to_numpy(dtype=object)))
    if (codes < 0).any():
        got = answers.iloc[int(np.flatnonzero(codes < 0)[0])]
        raise ValueError(f"{name}: expected one of {', '.join(known)}, got {got!r}")
    return codes.astype(np.int64)


def _randomness(seed: int | None) -> Randomness:
    return secure() if seed is None else seeded(np.random.default_rng(seed))
