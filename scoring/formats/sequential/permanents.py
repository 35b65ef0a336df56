# SPDX-License-Identifier: Apache-2.0
"""Components that are small enough for all their possible worlds to be counted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scoring.formats.sequential.components import Components
from scoring.formats.sequential.tables import FloatArray
from scoring.formats.sequential.worlds import Places, ranges
from scoring.kernels.permanents import count_worlds
from scoring.tables.equivalence import IntArray

MOST_ENTITIES = 20
"""In a component whose possible worlds are counted: sets of entities are the bits of an index."""
MOST_STEPS = 100_000_000
"""Sets of entities that are looked at in one component, less than a second's work."""
_MOST_ORDERED = 170  # rows whose orders a float can count: 171! is too large


def count(
    places: Places, components: Components, *, most_entities: int = MOST_ENTITIES
) -> tuple[FloatArray, FloatArray]:
    """Count the possible worlds of every component that is not too large.

    Parameters
    ----------
    places : Places
    components : Components
    most_entities : int
        From 0 to 20.

    Returns
    -------
    worlds : float64 array, shape (n_components,)
        Of the people, the orders of counterfeits of unknown group left out. Exact below 2**53; -1
        where a component is too large.
    hits : float64 array, shape (n_entities,)
        The possible worlds of its component in which an entity has its true value.

    Notes
    -----
    Given the values of all people, no row is of use to two values or at two times, so that the count is a
    product of permanents; see `scoring.kernels.permanents`.
    """
    sizes = np.diff(components.starts)
    is_small = sizes <= most_entities
    edges = _edges(places, components, is_small)
    bounds = np.searchsorted(edges[0], np.arange(len(sizes) + 1))
    worlds = np.where(is_small, 0.0, -1.0)
    without = _without_people(places, components)
    worlds[list(without)] = list(without.values())
    is_counted = is_small & (np.diff(bounds) > 0)
    is_counted[list(without)] = False
    hits = np.zeros(len(components.entities))
    for c in np.flatnonzero(is_counted):
        kind, bit, time, row, truth = (column[bounds[c] : bounds[c + 1]] for column in edges[1:])
        found = hits[components.starts[c] : components.starts[c + 1]]
        worlds[c] = count_worlds(kind, bit, time, row, truth, int(sizes[c]), MOST_STEPS, found)
    by_entity = np.zeros(places.n_entities)
    by_entity[components.entities] = hits
    return worlds, by_entity


def _without_people(places: Places, components: Components) -> dict[int, float]:
    """The possible worlds of components without people: counterfeits of one group, who take its rows in any order.

    Those of groups with more rows than can be counted so are left out.
    """
    is_person = places.true_value[components.entities] >= 0
    n_people = np.add.reduceat(is_person, components.starts[:-1], dtype=np.int64)
    found = {}
    for c in np.flatnonzero(n_people == 0).tolist():
        start, end = components.starts[c], components.starts[c + 1]
        slot = places.first[components.entities[start]]
        n_rows = int(places.starts[slot + 1] - places.starts[slot])
        if n_rows <= _MOST_ORDERED:
            found[c] = float(math.perm(n_rows, int(end - start)))
    return found


def _edges(
    places: Places, components: Components, is_chosen: NDArray[np.bool_]
) -> tuple[IntArray, ...]:
    """Component, kind, entity within the component, time, row and truth of each edge, sorted by
    component, kind, time and row."""
    sizes = np.diff(components.starts)
    component = np.full(places.n_entities, -1, dtype=np.int64)
    component[components.entities] = np.repeat(np.arange(len(sizes)), sizes)
    bit = np.empty(places.n_entities, dtype=np.int64)
    bit[components.entities] = ranges(np.zeros(len(sizes), dtype=np.int64), sizes)
    slot = np.repeat(np.arange(len(places.time)), np.diff(places.starts))
    entity = places.entity[slot]
    kept = is_chosen[component[entity]]
    slot, entity, row = slot[kept], entity[kept], places.row[kept]
    kind = places.rows.kind[row]
    truth = (places.rows.value[kind] == places.true_value[entity]).astype(np.int64)
    columns = (component[entity], kind, bit[entity], places.time[slot], row, truth)
    order = np.lexsort(
        [row, kind, columns[0]]
    )  # a release's rows follow those of the release before
    return tuple(column[order] for column in columns)
