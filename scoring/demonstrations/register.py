# SPDX-License-Identifier: Apache-2.0
"""Linkage with an external register: the case of Massachusetts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scoring.tables.equivalence import Classes

ZIP_CODES = ("02138", "02139", "02140", "02141", "02142", "02238", "02239")
_SHARES = (0.32, 0.28, 0.19, 0.13, 0.06, 0.01, 0.01)
DIAGNOSES = ("none", "asthma", "diabetes", "depression", "cancer")

FINEST = ("sex", "born", "zip")
LEVELS: Mapping[str, tuple[str, ...]] = {
    "date of birth, ZIP code": FINEST,
    "year of birth, ZIP code": ("sex", "year", "zip"),
    "year of birth, ZIP area": ("sex", "year", "area"),
    "decade of birth, ZIP area": ("sex", "decade", "area"),
}
"""The columns released in addition to the sex, from fine to coarse."""


@dataclass(frozen=True, slots=True)
class Linkage:
    """The disclosure of released records by a register that shares some columns with them.

    Attributes
    ----------
    n_released : int
        How many records were released.
    unique : float
        Share of the persons in the register whose values are unique.
    named : float
        Share of the released records that fit one person only: they have a name now.
    expected : float
        Share that is named correctly by picking one of the fitting persons at random.
    """

    n_released: int
    unique: float
    named: float
    expected: float


@dataclass(frozen=True, slots=True)
class RegisterResult:
    """The linkage at each level, of all released records and of a k-anonymous part of them."""

    n_registered: int
    k: int
    levels: tuple[str, ...]
    everything: tuple[Linkage, ...]
    k_anonymous: tuple[Linkage, ...]

    def rows(self) -> list[tuple[str, ...]]:
        head = ("sex and", "unique", "named", "right", f"{self.k}-anonymous", "named", "right")
        rows = [
            (
                level,
                f"{own.unique:.1%}",
                f"{own.named:.1%}",
                f"{own.expected:.1%}",
                f"{part.n_released / own.n_released:.1%}",
                f"{part.named:.1%}",
                f"{part.expected:.1%}",
            )
            for level, own, part in zip(self.levels, self.everything, self.k_anonymous, strict=True)
        ]
        return [head, *rows]


def pseudo_register(n: int, *, rng: np.random.Generator) -> pd.DataFrame:
    """A synthetic register of voters of one city: name, sex, date of birth and ZIP code.

    The columns `year`, `decade` and `area` are coarser forms of the date and of the code.
    """
    ages = rng.triangular(18, 25, 95, n)
    born = np.datetime64("2000-01-01") - (ages * 365.25).astype("timedelta64[D]")
    register = pd.DataFrame(
        {
            "name": [f"voter {i}" for i in range(n)],
            "sex": rng.choice(["female", "male"], n),
            "born": born.astype(str),
            "zip": rng.choice(ZIP_CODES, n, p=_SHARES),
        }
    )
    year = register["born"].str[:4]
    return register.assign(year=year, decade=year.str[:3], area=register["zip"].str[:3])


def link(register: pd.DataFrame, released: pd.DataFrame, columns: Sequence[str]) -> Linkage:
    """Look every released record up in the register by the columns that both have.

    Parameters
    ----------
    register
        All persons in the register, by name.
    released
        Records of persons in the register, without names.
    columns
        What both tables have.

    Returns
    -------
    Linkage
        Shares of 0 to 1; `named` and `expected` are 0 where nothing was released.

    Examples
    --------
    >>> register = pd.DataFrame({"name": ["a", "b", "c"], "sex": ["f", "f", "m"]})
    >>> link(register, register[["sex"]], ["sex"]).expected
    0.6666666666666666
    """
    classes = Classes.of(register, columns)
    sizes = classes.sizes()
    fitting = sizes[classes.locate(released)]
    return Linkage(
        n_released=len(released),
        unique=float((sizes[classes.of_row] == 1).mean()),
        named=float((fitting == 1).mean()) if len(fitting) else 0.0,
        expected=float((1 / fitting).mean()) if len(fitting) else 0.0,
    )


def k_anonymous_part(released: pd.DataFrame, columns: Sequence[str], k: int) -> pd.DataFrame:
    """The records that share the columns' values with k - 1 others of the table, or more."""
    classes = Classes.of(released, columns)
    return released[classes.sizes()[classes.of_row] >= k].reset_index(drop=True)


def register(
    *, rng: np.random.Generator, n_registered: int = 50_000, n_released: int = 10_000, k: int = 5
) -> RegisterResult:
    """Find the names behind released diagnoses in a register of voters.

    The attacker has a register of all voters with sex, date of birth and ZIP code, and knows that
    the released records are about some of them. Dates of birth and ZIP codes are common to many,
    their combinations are not. Coarser values help, and k-anonymity bounds what is left: the k or
    more records of a class are about k or more persons of the register, and one of them is right.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, "The governor of Massachusetts";
    Sweeney, "k-Anonymity: A Model for Protecting Privacy", §1: six voters shared the governor's date
    of birth, three of them were men, and one lived in his ZIP code.
    """
    voters = pseudo_register(n_registered, rng=rng)
    patients = rng.choice(n_registered, size=n_released, replace=False)
    released = voters.drop(columns="name").iloc[patients].reset_index(drop=True)
    released["diagnosis"] = rng.choice(DIAGNOSES, n_released)
    return RegisterResult(
        n_registered=n_registered,
        k=k,
        levels=tuple(LEVELS),
        everything=tuple(link(voters, released, columns) for columns in LEVELS.values()),
        k_anonymous=tuple(
            link(voters, k_anonymous_part(released, columns, k), columns)
            for columns in LEVELS.values()
        ),
    )
