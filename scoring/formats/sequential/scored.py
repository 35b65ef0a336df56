# SPDX-License-Identifier: Apache-2.0
"""Input of the measures of a series: its full tables, its releases, and its risks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.errors import Problem, ProblemsFound
from scoring.formats.sequential.boxes import opened
from scoring.formats.sequential.counting import counting_risks
from scoring.formats.sequential.risk import Definition, Risks, identification_risks
from scoring.formats.sequential.series import Series
from scoring.formats.sequential.tables import FloatArray, Microdata, Release
from scoring.formats.sequential.worlds import check_size

SEED = 1
"""The seed of queries and of possible worlds outside contests."""
MOST_PLACES = 500_000
"""Pairs of a record at a time and a row whose region contains it; the possible worlds of so many take about a minute to
sample.
A contest samples them twice, for the feedback and for the final scores."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Scored:
    """A series that is measured.

    Attributes
    ----------
    original : Microdata
        The tables in full.
    series : Series
    m : int
    definition : Definition
        The definition of risk.
    seed : int
        Seed of queries and possible worlds.
    """

    original: Microdata
    series: Series
    m: int
    definition: Definition
    seed: int = SEED

    @cached_property
    def n_tuples(self) -> int:
        """Tuples of all tables."""
        return sum(len(snapshot.ids) for snapshot in self.original.snapshots)

    @cached_property
    def n_published(self) -> int:
        """Tuples that are not left out."""
        return sum(len(snapshot.ids) for snapshot in self.series.microdata.snapshots)

    @cached_property
    def n_rows(self) -> int:
        """Rows of all releases."""
        return sum(len(release.group) for release in self.series.releases)

    @cached_property
    def risks(self) -> tuple[FloatArray, FloatArray]:
        """The risk of each published person, and its lower end where it is sampled."""
        definition = heeding(self.definition, self.series)
        releases = as_published(self.series, definition)
        if definition is not Definition.COUNTING:
            is_told = definition is Definition.COUNTERFEIT_KNOWN
            if is_told:
                _check_counterfeits(releases, self.n_tuples)
            check_size(self.series.microdata, releases, MOST_PLACES, knows_counterfeits=is_told)
        rng = np.random.default_rng(self.seed)
        found = identification_risks(self.series.microdata, releases, definition, rng=rng)
        risks = stood_in(found, self.series, len(releases))
        is_published = ~np.isnan(risks.values)
        return risks.values[is_published], risks.low[is_published]


def _check_counterfeits(releases: Sequence[Release], n_tuples: int) -> None:
    """ProblemsFound if more counterfeits are published than there are tuples: numbers in a file may be huge."""
    n_told = sum(sum(release.counterfeits.values()) for release in releases)
    if n_told > n_tuples:
        params: dict[str, str | int | float] = {"expected": n_tuples, "n": n_tuples, "got": n_told}
        raise ProblemsFound([Problem("series.too_many_counterfeits", params)])


def heeding(definition: Definition, series: Series) -> Definition:
    """The definition of an attacker who uses published counterfeits: possible worlds with known counterfeits.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> heeding(Definition.WORLDS, scored().series)
    <Definition.COUNTERFEIT_KNOWN: 'worlds-counterfeit-known'>
    """
    if definition not in (Definition.WORLDS, Definition.COUNTERFEIT_KNOWN):
        return definition
    return Definition.COUNTERFEIT_KNOWN if series.knows_counterfeits else Definition.WORLDS


def as_published(series: Series, definition: Definition) -> Sequence[Release]:
    """The releases as an attacker reads them; with possible worlds, notices count: that regions may contain anybody."""
    if definition is Definition.COUNTING:
        return series.releases
    return [
        opened(release, groups)
        for release, groups in zip(series.releases, series.tampered, strict=True)
    ]


def stood_in(found: Risks, series: Series, n_releases: int) -> Risks:
    """The same with a risk for exactly those who are published by then.

    If no possible world is found, row counting is used; a person without a row has risk 0.

    Parameters
    ----------
    found : Risks
        After the first `n_releases` releases.
    series : Series
    n_releases : int
    """
    is_published = np.zeros(len(found.values), dtype=np.bool_)
    for snapshot in series.microdata.snapshots[:n_releases]:
        is_published[snapshot.ids] = True
    is_none = np.isnan(found.values)
    counted = found.values
    if is_none[is_published].any() and found.definition is not Definition.COUNTING:
        counted = counting_risks(series.microdata, series.releases[:n_releases])
    values, low, high = (
        np.where(is_published, np.nan_to_num(np.where(is_none, counted, end), nan=0.0), np.nan)
        for end in (found.values, found.low, found.high)
    )
    return replace(found, values=values, low=low, high=high)


def is_above(risks: FloatArray, m: int) -> NDArray[np.bool_]:
    """True for risks, or ends of intervals, above 1/m.

    Examples
    --------
    >>> is_above(np.array([0.5, 0.6, np.nan]), 2)
    array([False,  True, False])
    """
    return risks > 1 / m + _ROUNDING
