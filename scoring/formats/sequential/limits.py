# SPDX-License-Identifier: Apache-2.0
"""Limits of a series: records left out, displaced, and counterfeits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from scoring.errors import Problem

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SeriesLimits:
    """The largest shares, from 0 to 1; None where there is no bound.

    Attributes
    ----------
    max_deleted : float, optional
        Records that are not published, of those of all tables: the measure `series-deletions`.
    max_displaced : float, optional
        Records outside of their region, of those that are published: `series-displaced`.
    max_counterfeits : float, optional
        Counterfeits of all releases, for each record of all tables: `series-counterfeits`.
    """

    max_deleted: float | None = None
    max_displaced: float | None = None
    max_counterfeits: float | None = None

    @property
    def given(self) -> list[tuple[str, float]]:
        """The limits that are set, by the names of their options.

        Examples
        --------
        >>> SeriesLimits(max_deleted=0.05).given
        [('max-deleted', 0.05)]
        """
        shares = ((field.name, getattr(self, field.name)) for field in fields(self))
        return [(name.replace("_", "-"), share) for name, share in shares if share is not None]


NO_LIMITS = SeriesLimits()


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts that limits are compared with.

    Attributes
    ----------
    n_tuples : int
        Of all tables in full.
    n_published, n_rows : tuple of int
        By time, the tuples that are not left out, and the rows of the release.
    """

    n_tuples: int
    n_published: tuple[int, ...]
    n_rows: tuple[int, ...]


def too_many_rows(limits: SeriesLimits, counts: Counts) -> list[Problem]:
    """The releases that have more rows than their tuples and all counterfeits of the series come to.

    Examples
    --------
    >>> [problem] = too_many_rows(SeriesLimits(max_counterfeits=0.1), Counts(20, (10, 10), (12, 13)))
    >>> print(problem)
    R2 — more rows than the limits allow — expected at most 12, those of all records and counterfeits — got 13
    """
    if limits.max_counterfeits is None:
        return []
    spare = _most(limits.max_counterfeits, counts.n_tuples)
    return [
        Problem("release.too_many_rows", {"expected": n + spare, "got": n_rows}, file=f"R{time}")
        for time, (n, n_rows) in enumerate(
            zip(counts.n_published, counts.n_rows, strict=True), start=1
        )
        if n_rows > n + spare
    ]


def beyond(limits: SeriesLimits, counts: Counts, n_displaced: int, *, file: str) -> list[Problem]:
    """The limits that a series exceeds.

    Parameters
    ----------
    limits : SeriesLimits
    counts : Counts
    n_displaced : int
        Of all releases.
    file : str
        What problems call the series.

    Examples
    --------
    >>> counts = Counts(20, (10, 8), (10, 11))
    >>> for problem in beyond(SeriesLimits(0.05, 0.5, 0.1), counts, 1, file="series"):
    ...     print(problem)
    series — too many records are left out — expected at most 1 of the 20 records of all tables — got 2
    series — too many counterfeits — expected at most 2 for the 20 records of all tables — got 3
    """
    n_published = sum(counts.n_published)
    n_counterfeits = sum(_spare(counts.n_published, counts.n_rows))
    found = []
    for code, share, n, got in (
        (
            "series.too_many_deleted",
            limits.max_deleted,
            counts.n_tuples,
            counts.n_tuples - n_published,
        ),
        ("series.too_many_displaced", limits.max_displaced, n_published, n_displaced),
        ("series.too_many_counterfeits", limits.max_counterfeits, counts.n_tuples, n_counterfeits),
    ):
        if share is not None and got > (most := _most(share, n)):
            found.append(Problem(code, {"expected": most, "n": n, "got": got}, file=file))
    return found


def _most(share: float, n: int) -> int:
    return math.floor(share * n + _ROUNDING)


def _spare(n_published: Sequence[int], n_rows: Sequence[int]) -> list[int]:
    """The rows that each release has in addition to its tuples; too few in one do not offset another."""
    return [max(0, rows - n) for n, rows in zip(n_published, n_rows, strict=True)]
