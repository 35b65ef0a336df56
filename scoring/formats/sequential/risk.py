# SPDX-License-Identifier: Apache-2.0
"""Identification risk: the attacker's certainty of a person's sensitive value.

The attacker has every release, and knows the name, the quasi-identifiers and the lifespan of every person
(definition 5 of Zhang, Kamidoi & Wakabayashi, on safer generalization by m-invariance for sequential release).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from scoring.errors import Collector
from scoring.formats.sequential.components import Components
from scoring.formats.sequential.counting import counting_risks
from scoring.formats.sequential.last_read import check_last
from scoring.formats.sequential.permanents import MOST_ENTITIES, count
from scoring.formats.sequential.sampling import N_SAMPLES, sample
from scoring.formats.sequential.tables import FloatArray, Microdata, Release
from scoring.formats.sequential.worlds import Places, check_size

_MOST_EXACT = 2.0**53
_ROUNDING = 1e-9  # two exact risks that differ by less are equal


class Definition(StrEnum):
    """Definitions of risk: the additional knowledge and the method of the attacker."""

    COUNTING = "counting"
    WORLDS = "worlds"
    COUNTERFEIT_KNOWN = "worlds-counterfeit-known"
    LAST = "worlds-last"
    M_INVARIANCE = "m-invariance"


@dataclass(frozen=True, slots=True)
class Risks:
    """The risk of every person.

    Attributes
    ----------
    definition : Definition
    values, low, high : float64 arrays, shape (n_ids,)
        The risk, and a confidence interval where it is sampled; both ends are the risk where it is
        exact. NaN where there is no risk: no possible world fits, no row is left, or the person has not come yet.
    is_sampled : bool array, shape (n_ids,)
    n_samples : int
        The possible worlds looked at where some risk is sampled, else 0.
    worlds : int or None
        The number of possible worlds; None where some were sampled, where it is not exact and for row counting.
    log10_worlds : float or None
        Its logarithm, -inf where there is no possible world; None where some were sampled and for row counting.
    """

    definition: Definition
    values: FloatArray
    low: FloatArray
    high: FloatArray
    is_sampled: NDArray[np.bool_]
    n_samples: int = 0
    worlds: int | None = None
    log10_worlds: float | None = None

    @property
    def max(self) -> float | None:
        """The largest risk; None where nobody has one."""
        found = self.values[~np.isnan(self.values)]
        return float(found.max()) if len(found) else None

    @property
    def mean(self) -> float | None:
        """The mean risk of those who have one; None where nobody does."""
        found = self.values[~np.isnan(self.values)]
        return float(found.mean()) if len(found) else None


def identification_risks(
    microdata: Microdata,
    releases: Sequence[Release],
    definition: Definition,
    *,
    rng: np.random.Generator,
    n_samples: int = N_SAMPLES,
    most_entities: int = MOST_ENTITIES,
) -> Risks:
    """The risk of every person under one of five definitions.

    A possible world gives every entity, at every time of its life, a row of its own whose region contains it, and one
    value through its life. Entities are the people, and counterfeits, which fit into every row. All
    possible worlds are equally likely; the risk is the share of those in which a person has its true value.

    Parameters
    ----------
    microdata : Microdata
    releases : sequence of Release
        One for each snapshot, or for the first of them.
    definition : Definition
        `counting` counts rows and no possible worlds, see `scoring.formats.sequential.counting`. In `worlds` the
        attacker knows no more; with `worlds-counterfeit-known` it knows how many counterfeits each group has; with
        `worlds-last` it reads the column `last`, see `scoring.formats.sequential.last_read`; with `m-invariance`, that
        the set of values of a person's group never changes.
    rng : Generator
        Used where possible worlds are sampled.
    n_samples : int
        The number of possible worlds sampled there.
    most_entities : int
        Components of more entities are sampled; from 0 to 20.

    Returns
    -------
    Risks
        From 0, the true value is ruled out, to 1, it is certain.

    Raises
    ------
    ProblemsFound
        Where a release is missing, has fewer rows than its table, or other counterfeits than left over,
        and where so many rows may be a record's that possible worlds do not fit into memory.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> releases = publish(SMALL, Options(m=2)).releases
    >>> rng = np.random.default_rng(1)
    >>> found = identification_risks(SMALL, releases, Definition.M_INVARIANCE, rng=rng)
    >>> found.worlds, found.values
    (8, array([0.5, 0.5, 0.5, 0.5, 0.5]))
    """
    check_releases(microdata, releases, definition)
    if definition is Definition.COUNTING:
        values = counting_risks(microdata, releases)
        return Risks(definition, values, values, values, np.zeros(len(values), dtype=np.bool_))
    knows_counterfeits = definition is Definition.COUNTERFEIT_KNOWN
    check_size(microdata, releases, knows_counterfeits=knows_counterfeits)
    places = Places.of(
        microdata,
        releases,
        knows_counterfeits=knows_counterfeits,
        knows_invariance=definition is Definition.M_INVARIANCE,
        reads_last=definition is Definition.LAST,
    )
    found = _of_worlds(places, definition, rng, n_samples, most_entities)
    return _of_people(found, len(microdata.ids))


def risks_over_time(
    microdata: Microdata,
    releases: Sequence[Release],
    definition: Definition,
    *,
    rng: np.random.Generator,
    n_samples: int = N_SAMPLES,
    progress: Callable[[int, int], None] | None = None,
) -> list[Risks]:
    """The risks after the first release, after the second, and so on.

    The parameters are those of `identification_risks`; `progress` is called with the number done, and the number of
    all.
    """
    found = []
    for n in range(1, len(releases) + 1):
        if progress is not None:
            progress(n - 1, len(releases))
        found.append(
            identification_risks(microdata, releases[:n], definition, rng=rng, n_samples=n_samples)
        )
    return found


def pinned_by(history: Sequence[Risks]) -> list[list[int]]:
    """For each person the releases, from 1, that raised its risk: those that pin it down.

    Parameters
    ----------
    history : sequence of Risks
        As `risks_over_time` gives them. A sampled risk has risen where the intervals are apart.

    Examples
    --------
    >>> def risks(*values):
    ...     values = np.array(values)
    ...     return Risks(Definition.COUNTING, values, values, values, values < 0)
    >>> pinned_by([risks(0.5, 0.5, np.nan), risks(1.0, 0.5, 0.5)])
    [[1, 2], [1], [2]]
    """
    before = [np.full(len(history[0].values), np.nan), *(risks.high for risks in history[:-1])]
    rises = np.column_stack(
        [
            (risks.low > high + _ROUNDING) | (np.isnan(high) & ~np.isnan(risks.low))
            for high, risks in zip(before, history, strict=True)
        ]
    )
    return [(np.flatnonzero(line) + 1).tolist() for line in rises]


def check_releases(
    microdata: Microdata, releases: Sequence[Release], definition: Definition
) -> None:
    """Refuse releases that cannot be those of the tables.

    Raises
    ------
    ProblemsFound
        Naming the releases.
    """
    problems = Collector()
    if not 1 <= len(releases) <= len(microdata.snapshots):
        problems.add(
            "sequential.missing_release", expected=len(microdata.snapshots), got=len(releases)
        )
    for time, (snapshot, release) in enumerate(
        zip(microdata.snapshots, releases, strict=False), start=1
    ):
        n_left = len(release.group) - len(snapshot.ids)
        n_known = sum(release.counterfeits.values())
        if n_left < 0:
            n_rows = len(release.group)
            problems.add(
                "release.too_few_rows", file=f"R{time}", expected=len(snapshot.ids), got=n_rows
            )
        elif definition is Definition.COUNTERFEIT_KNOWN and n_known != n_left:
            problems.add("release.counterfeits", file=f"C{time}", expected=n_left, got=n_known)
    problems.raise_if_any()
    if definition is Definition.LAST:
        check_last(releases)


def _of_worlds(
    places: Places,
    definition: Definition,
    rng: np.random.Generator,
    n_samples: int,
    most_entities: int,
) -> Risks:
    """The risks of all entities: counted where that is possible, else sampled."""
    components = Components.of(places)
    worlds, hits = count(places, components, most_entities=most_entities)
    n_worlds = np.ones(places.n_entities)
    n_worlds[components.entities] = np.repeat(worlds, np.diff(components.starts))
    values = np.full(places.n_entities, np.nan)
    is_counted = (n_worlds > 0) & (np.diff(places.first) > 0)
    np.divide(hits, n_worlds, out=values, where=is_counted)
    low, high, is_sampled = values.copy(), values.copy(), n_worlds < 0
    large = [
        components.entities[components.starts[c] : components.starts[c + 1]]
        for c in np.flatnonzero(worlds < 0)
    ]
    if not large:
        n, logarithm = _number_of_worlds(worlds, places.spare)
        return Risks(definition, values, low, high, is_sampled, 0, n, logarithm)
    found = sample(places, large, rng=rng, n_samples=n_samples)
    sampled = np.concatenate(large)
    values[sampled], low[sampled], high[sampled] = found.shares, found.low, found.high
    return Risks(definition, values, low, high, is_sampled, found.n_samples)


def _number_of_worlds(worlds: FloatArray, spare: Sequence[int]) -> tuple[int | None, float]:
    """The possible worlds of all components together, in all orders of the counterfeits of unknown group."""
    if not worlds.all():
        return 0, -math.inf
    logarithm = float(np.log10(worlds).sum()) + sum(math.lgamma(n + 1) for n in spare) / math.log(
        10
    )
    if (worlds >= _MOST_EXACT).any():
        return None, logarithm
    return math.prod(map(int, worlds)) * math.prod(map(math.factorial, spare)), logarithm


def _of_people(found: Risks, n_people: int) -> Risks:
    """The same without the counterfeits."""
    return Risks(
        found.definition,
        found.values[:n_people],
        found.low[:n_people],
        found.high[:n_people],
        found.is_sampled[:n_people],
        found.n_samples,
        found.worlds,
        found.log10_worlds,
    )
