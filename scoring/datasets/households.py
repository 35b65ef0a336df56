# SPDX-License-Identifier: Apache-2.0
"""Pseudo household microdata shaped like the table of PWSCup 2015, at any size.

Nothing is copied from a published table: all figures are in `distributions`. The output is public domain (CC0).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.datasets import MAX_RECORDS
from scoring.datasets import distributions as d
from scoring.rulesets.loader import load_schema
from scoring.tables.schema import Schema

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

HOUSEHOLDS_SCHEMA: Schema = load_schema("households")
_TOTAL = "total"


def households(n_records: int, *, seed: int, progress: Progress | None = None) -> pd.DataFrame:
    """Draw a table of pseudo households: 13 discrete attributes and 12 yearly amounts in yen.

    At 8,333 records there are about 1.9 records for each distinct vector of the 13
    quasi-identifiers and 36 for each of the six cross columns; 45 % pay nothing for housing and
    76 % nothing for education. `total` is the sum of the ten amounts before it.

    Parameters
    ----------
    n_records
        Number of households, 1 to 1,000,000.
    seed
        Seed of the generator, 0 or more. The same size and seed give the same table: amounts are
        rounded to whole yen, which hides the last bits in which processors differ.
    progress
        Called with the number of columns done and the number of all columns.

    Returns
    -------
    pandas.DataFrame
        `n_records` × 25, the columns of `HOUSEHOLDS_SCHEMA`: str and int64.

    Raises
    ------
    ValueError
        `n_records` or `seed` is out of range.

    Examples
    --------
    >>> households(3, seed=1).shape
    (3, 25)
    """
    if not 1 <= n_records <= MAX_RECORDS:
        raise ValueError(f"n_records: expected 1 to {MAX_RECORDS}, got {n_records}")
    if seed < 0:
        raise ValueError(f"seed: expected 0 or more, got {seed}")
    rng = np.random.default_rng(seed)
    codes = _attributes(rng, n_records)
    columns: dict[str, pd.Series] = {}
    amounts = _amounts(rng, codes)
    for done, column in enumerate(HOUSEHOLDS_SCHEMA.columns, start=1):
        if column.values is None:
            columns[column.name] = pd.Series(amounts[column.name])
        else:
            labels = np.array(column.values, dtype=object)
            columns[column.name] = pd.Series(labels[codes[column.name]], dtype="str")
        if progress is not None:
            progress(done, len(HOUSEHOLDS_SCHEMA.columns))
    return pd.DataFrame(columns)


def _attributes(rng: np.random.Generator, n: int) -> dict[str, Codes]:
    """Codes of the quasi-identifiers: positions in the schema's lists of values."""
    cells, shares = _cells()
    cross = cells[_draw(rng, shares, n)]
    codes = {name: cross[:, i] for i, name in enumerate(HOUSEHOLDS_SCHEMA.cross)}
    size, age, earners = codes["household_size"], codes["age_class"], codes["earners"]
    sex = (rng.random(n) < d.FEMALE_BY_SIZE[size]).astype(np.int64)
    codes["sex"] = sex
    codes["children"] = _children(_draw(rng, d.CHILDREN_BY_AGE[age], n), size)
    drawn = _draw(rng, d.EMPLOYMENT_BY_AGE[age], n)
    not_working = d.EMPLOYMENT_BY_AGE.shape[1] - 1
    employment = np.where(earners == 0, not_working, drawn)
    codes["employment"] = employment
    occupation = _draw(rng, d.OCCUPATION_BY_EMPLOYMENT_SEX[employment, sex], n)
    codes["occupation"] = occupation
    industry = _draw(rng, d.INDUSTRY_BY_OCCUPATION[occupation], n)
    codes["industry"] = industry
    company = d.COMPANY_BY_INDUSTRY[industry]
    company[employment == 1] = d.COMPANY_OF_SELF_EMPLOYED
    codes["company_size"] = _draw(rng, company, n)
    codes["cars"] = _draw(rng, d.CARS_BY_REGION_EARNERS[codes["region"], earners], n)
    return codes


def _cells() -> tuple[Codes, Floats]:
    """The most frequent cells of the cross attributes, one row of codes each, and their shares."""
    sizes = [len(HOUSEHOLDS_SCHEMA.column(name).values or ()) for name in HOUSEHOLDS_SCHEMA.cross]
    cells = np.array(list(product(*(range(size) for size in sizes))), dtype=np.int64)
    region, size, earners, dwelling, tenure, age = cells.T
    owned = d.OWNED_BY_AGE[age] * d.OWNED_FACTOR_BY_REGION[region] * d.OWNED_FACTOR_BY_SIZE[size]
    owned = np.minimum(owned, d.OWNED_AT_MOST)
    public = d.PUBLIC_SHARE_OF_RENTED * (1 - owned)
    detached = d.DETACHED_BY_REGION_TENURE[region, tenure]
    persons = np.arange(len(d.SIZE)) + 1
    possible = np.arange(d.EARNERS_BY_AGE.shape[1]) <= persons[:, None]
    earning = _shares(d.EARNERS_BY_AGE[None, :, :] * possible[:, None, :])  # size × age × earners
    shares = (
        _shares(d.REGION)[region]
        * _shares(d.SIZE)[size]
        * _shares(d.AGE_BY_SIZE)[size, age]
        * earning[size, age, earners]
        * np.choose(tenure, [owned, 1 - owned - public, public])
        * np.where(dwelling == 0, detached, 1 - detached)
    )
    frequent = np.argsort(-shares, kind="stable")[: d.N_CELLS]
    return cells[frequent], shares[frequent]


def _children(drawn: Codes, size: Codes) -> Codes:
    """Codes of the number of children, three standing for three or more."""
    beyond_a_couple = np.clip(size - 1, 0, 3)
    return np.where(drawn == 0, 0, np.maximum(beyond_a_couple - (drawn == 1), 0))


def _amounts(rng: np.random.Generator, codes: dict[str, Codes]) -> dict[str, Codes]:
    """Whole yen, column by column; the total is the exact sum of its parts."""
    n = len(codes["region"])
    standard = rng.standard_normal(n)
    standard += d.STANDARD_BY_OCCUPATION[codes["occupation"]]
    standard += d.STANDARD_BY_COMPANY[codes["company_size"]]
    log_size = np.log(codes["household_size"] + 1.0)
    factors = _factors(codes)
    paid = _paid(rng, codes)
    amounts: dict[str, Codes] = {}
    for name, amount in d.AMOUNTS.items():
        logarithm = amount.by_size * log_size + amount.by_standard * standard
        logarithm += amount.by_chance * rng.standard_normal(n)
        yen = amount.median * factors.get(name, 1.0) * np.exp(logarithm)
        most = HOUSEHOLDS_SCHEMA.column(name).max
        assert most is not None
        whole = np.rint(_below(yen, float(most))).astype(np.int64)
        amounts[name] = np.where(paid[name], whole, 0) if name in paid else whole
    parts = [amounts[name] for name in d.AMOUNTS if name != "income"]
    amounts[_TOTAL] = np.sum(parts, axis=0)
    return amounts


def _factors(codes: dict[str, Codes]) -> dict[str, Floats]:
    age = codes["age_class"]
    children = np.maximum(codes["children"], 1)
    return {
        "housing": d.HOUSING_BY_REGION_TENURE[codes["region"], codes["tenure"]],
        "health": d.HEALTH_BY_AGE[age],
        "transport": d.TRANSPORT_BY_CARS[codes["cars"]],
        "education": d.EDUCATION_BY_AGE[age] * children,
        "income": d.INCOME_BY_AGE[age] * d.INCOME_BY_EARNERS[codes["earners"]],
    }


def _paid(rng: np.random.Generator, codes: dict[str, Codes]) -> dict[str, NDArray[np.bool_]]:
    n = len(codes["region"])
    return {
        "housing": rng.random(n) < d.HOUSING_PAID_BY_TENURE[codes["tenure"]],
        "education": (rng.random(n) < d.EDUCATION_PAID) & (codes["children"] > 0),
    }


def _below(yen: Floats, most: float) -> Floats:
    """Amounts bent below `most`, smoothly: cutting them off would make equal values."""
    fourth = np.square(np.square(yen / most))
    bent: Floats = yen / np.sqrt(np.sqrt(1 + fourth))
    return bent


def _shares(weights: Floats) -> Floats:
    total: Floats = weights.sum(axis=-1, keepdims=True)
    return weights / total


def _draw(rng: np.random.Generator, weights: Floats, n: int) -> Codes:
    """One code a record; `weights` has one row for all records or one for each."""
    steps = np.cumsum(_shares(weights), axis=-1)[..., :-1]
    drawn = rng.random(n)
    if steps.ndim == 1:
        return np.searchsorted(steps, drawn, side="right").astype(np.int64)
    found: Codes = (drawn[:, None] >= steps).sum(axis=1)
    return found
