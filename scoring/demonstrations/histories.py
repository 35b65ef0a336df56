# SPDX-License-Identifier: Apache-2.0
"""Histories: many records per person under one pseudonym, or under one for each period."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.anonymizers.pseudonyms import pseudonyms

MONTHS = 12


@dataclass(frozen=True, slots=True)
class HistoriesResult:
    """Shares of a person's records that become known, by records known before and by period.

    Attributes
    ----------
    known : tuple of int
        How many of a person's records the attacker knows.
    periods : tuple of int
        For how many months a pseudonym is kept.
    revealed : tuple of tuples of float
        For each number of known records and each period the mean over the persons of the share of
        their records under pseudonyms that only they can have.
    """

    n_persons: int
    known: tuple[int, ...]
    periods: tuple[int, ...]
    revealed: tuple[tuple[float, ...], ...]

    def rows(self) -> list[tuple[str, ...]]:
        kept = [f"{months} month{'s' * (months > 1)}" for months in self.periods]
        rows = [
            (str(n), *(f"{share:.1%}" for share in shares))
            for n, shares in zip(self.known, self.revealed, strict=True)
        ]
        return [("known records", *kept), *rows]


def pseudo_histories(
    n_persons: int, per_month: int, n_shops: int, *, rng: np.random.Generator
) -> pd.DataFrame:
    """A synthetic year of visits to shops, few shops being popular: person, month and shop."""
    popularity = 1 / np.arange(1, n_shops + 1)
    n = n_persons * MONTHS * per_month
    return pd.DataFrame(
        {
            "person": np.repeat(np.arange(n_persons), MONTHS * per_month),
            "month": np.tile(np.repeat(np.arange(MONTHS), per_month), n_persons),
            "shop": rng.choice(n_shops, n, p=popularity / popularity.sum()),
        }
    )


def released(histories: pd.DataFrame, months: int, key: bytes) -> pd.DataFrame:
    """The visits under keyed pseudonyms that change every so many months."""
    persons = [f"person {i}" for i in histories["person"]]
    periods = [f"period {month // months}" for month in histories["month"]]
    return histories.assign(person=pseudonyms(persons, key, periods))


def revealed_share(
    histories: pd.DataFrame, release: pd.DataFrame, n_known: int, *, rng: np.random.Generator
) -> float:
    """The share of a person's history found by an attacker who knows some of it.

    For each person the attacker knows `n_known` of the records, drawn at random, with month and
    shop, and that the person is in the table. A pseudonym is found if no other has all known
    records of its period; then all its records are the person's.

    Parameters
    ----------
    histories
        Who visited which shop in which month.
    release
        The same visits in the same order, with a pseudonym as person.
    n_known
        How many records are known, up to those that every person has.

    Returns
    -------
    float
        The mean over the persons of the share of their records that is found, 0 to 1.

    Examples
    --------
    >>> visits = pd.DataFrame({"person": [0, 0, 1, 1], "month": [0, 1, 0, 1], "shop": [5, 6, 5, 7]})
    >>> revealed_share(visits, released(visits, 12, bytes(16)), 2, rng=np.random.default_rng(1))
    1.0
    """
    return _Release.of(histories, release).revealed_share(n_known, rng)


@dataclass(frozen=True, slots=True)
class _Release:
    """The pseudonym of each record, all that share its month and shop, and the records of each person."""

    under: list[str]
    alike: list[set[str]]
    sizes: Counter[str]
    rows: list[NDArray[np.intp]]

    @classmethod
    def of(cls, histories: pd.DataFrame, release: pd.DataFrame) -> _Release:
        under = release["person"].tolist()
        visits = list(zip(histories["month"].tolist(), histories["shop"].tolist(), strict=True))
        having = defaultdict(set)
        for visit, pseudonym in zip(visits, under, strict=True):
            having[visit].add(pseudonym)
        rows = [np.asarray(own) for own in histories.groupby("person").indices.values()]
        return cls(under, [having[visit] for visit in visits], Counter(under), rows)

    def revealed_share(self, n_known: int, rng: np.random.Generator) -> float:
        shares = []
        for rows in self.rows:
            fitting: dict[str, set[str]] = {}
            for row in rng.choice(rows, size=n_known, replace=False).tolist():
                # The period of a record is known: the month gives it.
                own = self.under[row]
                fitting[own] = fitting.get(own, self.alike[row]) & self.alike[row]
            found = [own for own, others in fitting.items() if others == {own}]
            shares.append(sum(self.sizes[own] for own in found) / len(rows))
        return float(np.mean(shares))


def histories(
    *,
    rng: np.random.Generator,
    n_persons: int = 300,
    per_month: int = 4,
    n_shops: int = 100,
    known: Sequence[int] = (1, 2, 3, 4, 6, 8, 12),
    periods: Sequence[int] = (12, 3, 1),
) -> HistoriesResult:
    """Find a year of shopping from a few receipts, under pseudonyms kept for different periods.

    The attacker knows a few of a person's visits. Each fits many persons, a few together only one:
    the more records are known, the more surely all others under the pseudonym become known. A
    pseudonym for each month bounds what is found to the months of which something is known, and
    fewer known records fall into each of them, so that it is found less often.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, "Histories" and "Netflix": eight
    ratings with dates to a fortnight single out 99 % of the customers (Narayanan & Shmatikov,
    "Robust De-anonymization of Large Sparse Datasets").
    """
    visits = pseudo_histories(n_persons, per_month, n_shops, rng=rng)
    key = rng.bytes(32)
    releases = [_Release.of(visits, released(visits, months, key)) for months in periods]
    revealed = tuple(tuple(release.revealed_share(n, rng) for release in releases) for n in known)
    return HistoriesResult(n_persons, tuple(known), tuple(periods), revealed)
