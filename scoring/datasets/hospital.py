# SPDX-License-Identifier: Apache-2.0
"""The half-year windows of a synthetic hospital: a table of patients that changes from release to release.

Each table has the patients with a diagnosis in its window. Chronic diseases are diagnosed again in window after
window, acute ones once; discharged patients do not return. All figures are round numbers chosen for this
generator and describe no country and no hospital. The output is public domain (CC0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Column, Kind, Role, Schema

MAX_RECORDS, MAX_RELEASES = 100_000, 20
_OLDEST = 100


@dataclass(frozen=True, slots=True)
class Disease:
    """A disease: how frequent, at which ages (mean and spread), and how likely it goes on in the next window."""

    name: str
    weight: float
    age: float
    spread: float
    goes_on: float


DISEASES = (
    Disease("gastritis", 9, 48, 18, 0.45),
    Disease("dyspepsia", 8, 44, 18, 0.40),
    Disease("flu", 9, 33, 24, 0.05),
    Disease("bronchitis", 8, 50, 25, 0.20),
    Disease("pneumonia", 6, 66, 22, 0.15),
    Disease("asthma", 6, 30, 20, 0.80),
    Disease("hypertension", 9, 63, 13, 0.90),
    Disease("diabetes", 7, 61, 13, 0.92),
    Disease("arthritis", 6, 62, 14, 0.85),
    Disease("migraine", 5, 37, 13, 0.65),
    Disease("fracture", 6, 42, 27, 0.25),
    Disease("appendicitis", 4, 24, 13, 0.05),
    Disease("dermatitis", 5, 32, 22, 0.50),
    Disease("gallstones", 4, 53, 14, 0.20),
    Disease("depression", 5, 42, 15, 0.75),
    Disease("cataract", 3, 73, 8, 0.30),
)

_TOWNS = np.array(
    # zip code of the centre, spread of the codes around it, share of the patients
    [
        [12_000, 900, 30],
        [18_500, 1_200, 22],
        [25_000, 700, 18],
        [33_000, 1_500, 16],
        [41_000, 2_000, 14],
    ],
    dtype=np.float64,
)
_LOWEST_ZIP, _HIGHEST_ZIP = 10_000, 49_999

HOSPITAL_SCHEMA = Schema(
    (
        Column("patient", Role.IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=0, max=_OLDEST),
        Column("zip", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=_LOWEST_ZIP, max=_HIGHEST_ZIP),
        Column(
            "disease",
            Role.SENSITIVE,
            Kind.CATEGORY,
            values=tuple(disease.name for disease in DISEASES),
        ),
    )
)


def hospital(n_records: int, n_releases: int, *, seed: int) -> list[pd.DataFrame]:
    """Draw the tables of several windows of one hospital.

    About half of the patients of a window stay for the next, and as many arrive as leave.

    Parameters
    ----------
    n_records : int
        Patients in each window, 1 to 100,000.
    n_releases : int
        Windows, 1 to 20.
    seed : int
        0 or more. The same numbers give the same tables.

    Returns
    -------
    list of DataFrame
        With the columns of `HOSPITAL_SCHEMA`; a patient's record is the same in all windows.

    Raises
    ------
    ValueError
        A number is out of range.

    Examples
    --------
    >>> first, second = hospital(1000, 2, seed=1)
    >>> first.shape, second.shape, len(set(first["patient"]) & set(second["patient"]))
    ((1000, 4), (1000, 4), 474)
    """
    if not 1 <= n_records <= MAX_RECORDS:
        raise ValueError(f"n_records: expected 1 to {MAX_RECORDS}, got {n_records}")
    if not 1 <= n_releases <= MAX_RELEASES:
        raise ValueError(f"n_releases: expected 1 to {MAX_RELEASES}, got {n_releases}")
    if seed < 0:
        raise ValueError(f"seed: expected 0 or more, got {seed}")
    rng = np.random.default_rng(seed)
    goes_on = np.array([disease.goes_on for disease in DISEASES])
    weights = np.array([disease.weight for disease in DISEASES], dtype=np.float64)
    patients = np.empty((0, 4), dtype=np.int64)
    tables, n_ever = [], 0
    for window in range(n_releases):
        stays = rng.random(len(patients)) < goes_on[patients[:, 3]]
        patients = patients[stays]
        # As many of a disease arrive as leave, so that the windows have the same mixture.
        mixture = weights * (1 - goes_on) if window else weights
        arrived = _arrivals(rng, n_records - len(patients), n_ever, mixture / mixture.sum())
        n_ever += len(arrived)
        patients = np.vstack([patients, arrived])
        tables.append(_table(patients))
    return tables


def _arrivals(
    rng: np.random.Generator, n: int, n_before: int, shares: NDArray[np.float64]
) -> IntArray:
    """Number, age, zip code and disease of new patients."""
    codes = rng.choice(len(DISEASES), size=n, p=shares)
    mean = np.array([disease.age for disease in DISEASES])[codes]
    spread = np.array([disease.spread for disease in DISEASES])[codes]
    age = np.abs(np.rint(rng.normal(mean, spread))).astype(np.int64)
    age = np.where(age > _OLDEST, 2 * _OLDEST - age, age)
    town = rng.choice(len(_TOWNS), size=n, p=_TOWNS[:, 2] / _TOWNS[:, 2].sum())
    zip_code = np.rint(rng.normal(_TOWNS[town, 0], _TOWNS[town, 1])).astype(np.int64)
    zip_code = np.clip(zip_code, _LOWEST_ZIP, _HIGHEST_ZIP)
    return np.column_stack([n_before + np.arange(n), np.clip(age, 0, _OLDEST), zip_code, codes])


def _table(patients: IntArray) -> pd.DataFrame:
    """The patients in the order of their arrival."""
    names = np.array([disease.name for disease in DISEASES], dtype=object)
    return pd.DataFrame(
        {
            "patient": pd.Series([f"P{number + 1:07}" for number in patients[:, 0]], dtype="str"),
            "age": patients[:, 1],
            "zip": patients[:, 2],
            "disease": pd.Series(names[patients[:, 3]], dtype="str"),
        }
    )
