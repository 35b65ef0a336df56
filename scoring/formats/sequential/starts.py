# SPDX-License-Identifier: Apache-2.0
"""Possible worlds to start a walk from, with true values where these are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.formats.sequential.worlds import Places
from scoring.tables.equivalence import IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_STEPS = 1_000
"""Attempts of each entity to find a place, on average, before the search fails."""
_MOST_NODES = 200
"""Of the search for whole numbers where the relaxed program has none; the first node is enough as a rule."""

State = tuple[IntArray, IntArray]
"""The row of each slot, and the slot in each row; -1 where there is none."""


def start(places: Places, entities: IntArray, rng: np.random.Generator) -> State:
    """Rows for as many entities as are found, of the true value for each person.

    Parameters
    ----------
    places : Places
    entities : int64 array
        Those that get rows.
    rng : Generator

    Returns
    -------
    State
        An entity has a row at each of its times, all of one kind, or at none.

    Notes
    -----
    A largest matching of slots and rows is all that is needed where a value is one kind. Where it has several, as
    with signatures, the matching may give an entity one kind now and another one then; the value's
    entities then get the rows of an integer program.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> places = Places.of(SMALL, publish(SMALL, Options(m=2)).releases, knows_invariance=True)
    >>> row_of, _slot_in = start(places, np.arange(5), np.random.default_rng(1))
    >>> values = places.rows.value[places.rows.kind[row_of]]
    >>> (values == places.true_value[places.entity]).all()
    np.True_
    """
    rows = places.rows
    slot, row = _true_edges(places, entities)
    row_of, slot_in = _matching(places, slot, row, rng)
    kind = rows.kind[row_of]
    is_broken = (row_of >= 0) & (kind != kind[places.first[places.entity]])
    broken = np.unique(places.entity[is_broken])
    for value in np.unique(places.true_value[broken]):
        is_own = places.true_value[places.entity] == value
        _leave(np.flatnonzero(is_own), row_of, slot_in)
        edges = np.flatnonzero(is_own[slot] & (slot_in[row] < 0))
        taken = edges[_whole(places, slot[edges], row[edges], rng)]
        row_of[slot[taken]], slot_in[row[taken]] = row[taken], slot[taken]
    without = np.unique(places.entity[row_of < 0])
    _leave(np.flatnonzero(np.isin(places.entity, without)), row_of, slot_in)
    return row_of, slot_in


def finds_world(places: Places, entities: IntArray, state: State, rng: np.random.Generator) -> bool:
    """Find rows for those of a component that have none at the start; True if all have some."""
    from scoring.kernels.worlds import find_world  # loads machine code

    rows = places.rows
    waiting = entities[state[0][places.first[entities]] < 0]
    n_left = find_world(
        rng,
        _STEPS * len(entities),
        waiting,
        places.first,
        places.entity,
        places.starts,
        places.row,
        rows.kind,
        rows.value,
        places.true_value,
        *state,
    )
    return bool(n_left == 0)


def _true_edges(places: Places, entities: IntArray) -> tuple[IntArray, IntArray]:
    """The slots and rows of some entities; for people only those of the true value."""
    rows = places.rows
    slot = np.repeat(np.arange(len(places.time)), np.diff(places.starts))
    entity = places.entity[slot]
    true_value = places.true_value[entity]
    is_true = (true_value < 0) | (rows.value[rows.kind[places.row]] == true_value)
    kept = is_true & np.isin(entity, entities)
    return slot[kept], places.row[kept]


def _matching(places: Places, slot: IntArray, row: IntArray, rng: np.random.Generator) -> State:
    """Rows for as many slots as can have one together."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    row_of, slot_in = np.full(len(places.time), -1), np.full(int(places.rows.starts[-1]), -1)
    order = rng.permutation(len(row_of))  # another matching for every start
    size = (len(row_of), len(slot_in))
    pairs = csr_array((np.ones(len(row)), (order[slot], row)), shape=size)
    column = maximum_bipartite_matching(pairs, perm_type="column")[order]
    placed = np.flatnonzero(column >= 0)
    row_of[placed], slot_in[column[placed]] = column[placed], placed
    return row_of, slot_in


def _leave(slots: IntArray, row_of: IntArray, slot_in: IntArray) -> None:
    slot_in[row_of[slots[row_of[slots] >= 0]]] = -1
    row_of[slots] = -1


def _whole(places: Places, slot: IntArray, row: IntArray, rng: np.random.Generator) -> IntArray:
    """The edges of a possible world for as many entities as can have one kind through their lives together.

    An integer program: x of each edge and y of each entity and kind are 0 or 1, an entity has at most one
    kind, at each of its times as many rows of a kind as it has that kind, and nobody shares a row.
    """
    from scipy.optimize import (  # half a second to load, and rarely needed
        Bounds,
        LinearConstraint,
        milp,
    )
    from scipy.sparse import csr_array

    n_kinds = len(places.rows.value)
    kind, entity = places.rows.kind[row], places.entity[slot]
    lives, life_of_edge = np.unique(entity * n_kinds + kind, return_inverse=True)
    moments, of_edge = np.unique(slot * n_kinds + kind, return_inverse=True)
    life = np.empty(len(moments), dtype=np.int64)
    life[of_edge] = life_of_edge
    one_kind, one_slot, same = _sums(lives // n_kinds), _sums(row), _sums(of_edge)
    constraints = [
        LinearConstraint(_beside(csr_array((one_kind.shape[0], len(row))), one_kind), ub=1),
        LinearConstraint(_beside(one_slot, csr_array((one_slot.shape[0], len(lives)))), ub=1),
        LinearConstraint(_beside(same, -_sums(life).T), lb=0, ub=0),
    ]
    n_entities = one_kind.shape[0]
    chance = rng.random(len(row)) / (4 * max(1, len(np.unique(slot))))  # weighs less than an entity
    found = milp(
        np.concatenate([chance, np.full(len(lives), -1.0)]),
        constraints=constraints,
        integrality=np.ones(len(row) + len(lives)),
        bounds=Bounds(0, 1),
        options={"node_limit": _MOST_NODES, "mip_rel_gap": 1 / (4 * n_entities)},
    )
    if found.x is None:
        return np.zeros(0, dtype=np.int64)
    chosen: IntArray = np.flatnonzero(found.x[: len(row)] > 1 / 2)
    return chosen


def _sums(labels: IntArray) -> csr_array:
    """The matrix that adds up what has the same label, a line for each label."""
    from scipy.sparse import csr_array

    _labels, line = np.unique(labels, return_inverse=True)
    n = len(labels)
    return csr_array((np.ones(n), (line, np.arange(n))), shape=(int(line.max()) + 1, n))


def _beside(left: csr_array, right: csr_array) -> csr_array:
    from scipy.sparse import csr_array, hstack

    return csr_array(hstack([left, right]))
