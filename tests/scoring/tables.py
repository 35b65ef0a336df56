# SPDX-License-Identifier: Apache-2.0
"""Random small tables in which everything that is rare in practice is common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from scoring.tables.schema import Column, Kind, Role, Schema


@dataclass(frozen=True, eq=False)
class Case:
    schema: Schema
    original: pd.DataFrame
    anonymized: pd.DataFrame
    source: np.ndarray


def make_schema(n_qi: int, n_sa: int, n_cross: int | None = None) -> Schema:
    n_cross = n_qi if n_cross is None else n_cross
    sensitive = [f"s{i}" for i in range(n_sa)]
    return Schema(
        (
            Column("name", Role.IDENTIFIER, Kind.CATEGORY),
            *(
                Column(f"q{i}", Role.QUASI_IDENTIFIER, Kind.CATEGORY, cross=i < n_cross)
                for i in range(n_qi)
            ),
            *(Column(name, Role.SENSITIVE, Kind.NUMBER) for name in sensitive),
            Column("note", Role.OTHER, Kind.CATEGORY),
        ),
        e2_column=sensitive[0] if sensitive else None,
        e4_column=sensitive[-1] if sensitive else None,
    )


def values(rng: np.random.Generator, style: str, shape: tuple[int, int]) -> np.ndarray:
    if style == "ties":
        return rng.integers(0, 3, shape).astype(float)
    if style == "twins":  # one unit apart, and large
        return 1e7 + rng.integers(0, 2, shape)
    if style == "fractions":  # as class averages are written
        return rng.integers(0, 40, shape) / 3 % 4 + rng.integers(0, 3, shape) / 10_000
    if style == "large fractions":
        return 1e7 + rng.integers(0, 3, shape) / 10_000
    if style == "constant":
        return np.where(rng.random(shape[1]) < 0.5, 7.0, rng.integers(0, 9, shape))
    if style == "zeros":
        return np.where(rng.random(shape) < 0.7, 0.0, rng.integers(1, 10**6, shape))
    assert style == "signed"
    return rng.normal(0, 100, shape).round(4)


STYLES = ("ties", "twins", "fractions", "large fractions", "constant", "zeros", "signed")


def table(schema: Schema, rng: np.random.Generator, n: int, style: str) -> pd.DataFrame:
    amounts = values(rng, style, (n, len(schema.sensitive_numeric)))
    if amounts.shape[1] > 1 and rng.random() < 0.3:
        amounts[:, -1] = amounts[:, 0]
    n_values = int(rng.integers(1, 4))
    data = {"name": [f"p{i}" for i in range(n)]}
    for name in schema.quasi_identifiers:
        data[name] = [str(value) for value in rng.integers(0, n_values, n)]
    for name, column in zip(schema.sensitive_numeric, amounts.T, strict=True):
        data[name] = column
    data["note"] = ["=1+1"] * n
    return pd.DataFrame(data)


def anonymized(
    schema: Schema, original: pd.DataFrame, source: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    y = original.iloc[source].drop(columns="name").reset_index(drop=True)
    qi, sa = list(schema.quasi_identifiers), list(schema.sensitive_numeric)
    for name in qi:
        if rng.random() < 0.4:  # values that the original lacks, too
            changed = rng.random(len(y)) < rng.random()
            y[name] = np.where(changed, rng.choice(["0", "1", "z"], len(y)), y[name])
    for name in sa:
        match rng.integers(0, 5):
            case 0:
                y[name] = y[name] + rng.integers(-1, 2, len(y))
            case 1:
                y[name] = rng.permutation(y[name].to_numpy())
            case 2:
                groups = [y[name_] for name_ in qi] or np.zeros(len(y))
                y[name] = y.groupby(groups)[name].transform("mean").round(4)
            case 3:
                y[name] = y[name] + rng.integers(-3, 4, len(y)) / 10_000
    return y


def case(seed: int) -> Case:
    made = _case(seed)
    return replace(made, original=made.original.copy(), anonymized=made.anonymized.copy())


@cache
def _case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    n_qi = int(rng.integers(0, 4))
    schema = make_schema(n_qi, int(rng.integers(0, 5)), int(rng.integers(0, n_qi + 1)))
    n_original = int(rng.integers(1, 26))
    original = table(schema, rng, n_original, STYLES[seed % len(STYLES)])
    n_anonymized = n_original if rng.random() < 0.5 else int(rng.integers(1, n_original + 1))
    source = rng.permutation(n_original)[:n_anonymized]
    return Case(schema, original, anonymized(schema, original, source, rng), source)
