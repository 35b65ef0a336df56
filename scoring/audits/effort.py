# SPDX-License-Identifier: Apache-2.0
"""The number of possible worlds that an audit of a series samples: bounded, and determined by the series only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.formats.sequential.components import Components
from scoring.formats.sequential.permanents import MOST_ENTITIES
from scoring.formats.sequential.risk import Definition
from scoring.formats.sequential.sampling import N_SAMPLES
from scoring.formats.sequential.tables import Microdata, Release
from scoring.formats.sequential.worlds import Places, n_places

SAMPLES = (N_SAMPLES, 200, 100)
"""Numbers of possible worlds to sample: the first one that is not too much work."""
MOST_WORK, MOST_WORK_OVER_TIME = 1_200_000, 3_000_000
"""After the last release, and after all of them together; a million is about half a minute of one core."""
MOST_PLACES = 3_000_000
"""Pairs of a person at a time and a row whose intervals contain it."""
_SWEEPS_BESIDE = 200  # that forget the start of the walks, in their number of samples
_PLACES_PER_WORK = 10
_MANY_RECORDS, _MOST_OF_MANY = (
    5_000,
    14,
)  # entities of a component that is counted, where there may be many


@dataclass(frozen=True, slots=True)
class Effort:
    """Effort for one definition: the number of sampled possible worlds, and components to count exactly."""

    n_samples: int
    most_entities: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of the findings of one definition: none, the risks after the last release, or those after each."""

    effort: Effort | None
    is_over_time: bool


def plan(microdata: Microdata, releases: Sequence[Release], definition: Definition) -> Plan:
    """The extent that is possible for one definition within the bounds of this module.

    The work of sampling grows with the entities of components that are too large to count, and with the samples. Row
    counting is always within reach.

    Parameters
    ----------
    microdata : Microdata
    releases : sequence of Release
        All of them, as an attacker reads them.
    definition : Definition

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> plan(SMALL, publish(SMALL, Options(m=2)).releases, Definition.WORLDS)
    Plan(effort=Effort(n_samples=1000, most_entities=20), is_over_time=True)
    """
    n_records = sum(len(snapshot.ids) for snapshot in microdata.snapshots)
    most_entities = MOST_ENTITIES if n_records <= _MANY_RECORDS else _MOST_OF_MANY
    if definition is Definition.COUNTING:
        return Plan(Effort(N_SAMPLES, most_entities), is_over_time=True)
    is_told = definition is Definition.COUNTERFEIT_KNOWN
    if n_places(microdata, releases, knows_counterfeits=is_told) > MOST_PLACES:
        return Plan(None, is_over_time=False)
    last = _Size.of(microdata, releases, definition, most_entities)
    n_samples = next((n for n in SAMPLES if last.work(n) <= MOST_WORK), None)
    if n_samples is None:
        return Plan(None, is_over_time=False)
    work = last.work(n_samples)
    for n in range(len(releases) - 1, 0, -1):
        if work > MOST_WORK_OVER_TIME:
            break
        work += _Size.of(microdata, releases[:n], definition, most_entities).work(n_samples)
    return Plan(Effort(n_samples, most_entities), is_over_time=work <= MOST_WORK_OVER_TIME)


@dataclass(frozen=True, slots=True)
class _Size:
    """Entities of components that are too large to count, and places of all entities."""

    n_large: int
    n_places: int

    @classmethod
    def of(
        cls,
        microdata: Microdata,
        releases: Sequence[Release],
        definition: Definition,
        most_entities: int,
    ) -> _Size:
        places = Places.of(
            microdata,
            releases,
            knows_counterfeits=definition is Definition.COUNTERFEIT_KNOWN,
            knows_invariance=definition is Definition.M_INVARIANCE,
            reads_last=definition is Definition.LAST,
        )
        sizes = np.diff(Components.of(places).starts)
        return cls(int(sizes[sizes > most_entities].sum()), len(places.row))

    def work(self, n_samples: int) -> int:
        return self.n_large * (n_samples + _SWEEPS_BESIDE) + self.n_places // _PLACES_PER_WORK
