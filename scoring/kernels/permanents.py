# SPDX-License-Identifier: Apache-2.0
"""The possible worlds of small components, counted by sets of entities as bits of an integer.

Given the kind of every entity, times and kinds do not touch each other: the count is the product, over them, of the
ways in which the entities find rows, a permanent. Those are found for every set of entities that may have the kind
(H. J. Ryser's problem by dynamic programming over subsets), and put together kind by kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.kernels.deferred import compiled, njit, types

Array = npt.NDArray[Any]

_INTS = types.Array(types.int64, 1, "C", readonly=True)


@njit
def _entities(bit: Any, start: Any, end: Any) -> Any:
    """The entities of some edges, as one set."""
    found = 0
    for edge in range(start, end):
        found |= 1 << bit[edge]
    return found


@njit
def _fill_ways(bit: Any, time: Any, row: Any, start: Any, end: Any, ways: Any) -> None:
    """Fill `ways` with the number of ways in which each set of entities finds rows of one kind.

    The edges from `start` to `end` are those of the kind, by time and row. Every entity is numbered
    within the kind.
    """
    ways[:] = 1.0
    now = np.empty(len(ways), dtype=np.float64)
    edge = start
    while edge < end:
        time_now, alive = time[edge], 0
        now[:] = 0.0
        now[0] = 1.0
        while edge < end and time[edge] == time_now:
            row_now, mask = row[edge], 0
            while edge < end and time[edge] == time_now and row[edge] == row_now:
                mask |= 1 << bit[edge]
                edge += 1
            alive |= mask
            for entities in range(len(ways) - 1, 0, -1):
                left = entities & mask if not entities & ~alive else 0
                while left:
                    lowest = left & -left
                    now[entities] += now[entities ^ lowest]
                    left ^= lowest
        for entities in range(len(ways)):
            ways[entities] *= now[entities & alive]


@njit
def _sets_of_kind(bit: Any, time: Any, row: Any, start: Any, end: Any) -> Any:
    """Every set of entities that can have one kind together, and in how many ways."""
    everyone = _entities(bit, start, end)
    places = np.zeros(64, dtype=np.int64)
    members = np.empty(64, dtype=np.int64)
    n = 0
    for place in range(63):
        if everyone >> place & 1:
            places[place], members[n] = n, place
            n += 1
    local = np.empty(end, dtype=np.int64)
    for edge in range(start, end):
        local[edge] = places[bit[edge]]
    ways = np.empty(1 << n, dtype=np.float64)
    _fill_ways(local, time, row, start, end, ways)
    possible = np.flatnonzero(ways)
    sets = np.zeros(len(possible), dtype=np.int64)
    for i in range(n):
        sets |= (possible >> i & 1) << members[i]
    return sets, ways[possible]


@njit
def _size(entities: Any) -> Any:
    n = 0
    while entities:
        n += 1
        entities &= entities - 1
    return n


@njit
def _largest(sets: Any) -> Any:
    return max([_size(entities) for entities in sets])


@njit
def _partners(taken: Any, everyone: Any, later: Any, own: Any, ways: Any, found: Any) -> Any:
    """Write to `found` the sets of one kind that are compatible with the entities already placed.

    Entities that are neither `taken` nor may have a later kind must be in the set. The sets are `own`; `ways` counts,
    by set, those that exist. Returns the number of sets, and of those visited.
    """
    missing = (len(ways) - 1) & ~taken
    needed, free = missing & ~later, missing & later & everyone
    n, n_parts = 0, 1 << _size(free)
    if n_parts > len(own):
        for entities in own:
            if not entities & taken and entities & needed == needed:
                found[n] = entities
                n += 1
        return n, len(own)
    part = free
    for _ in range(n_parts):
        if ways[needed | part] > 0:
            found[n] = needed | part
            n += 1
        part = (part - 1) & free
    return n, n_parts


@njit
def _forward(bounds: Any, bit: Any, sets: Any, n: Any, most_steps: Any) -> Any:
    """After each kind, who may have had theirs, and in how many ways; cut short where it takes long."""
    size = 1 << n
    ways, total, found = np.zeros(size), np.zeros(size), np.empty(size, dtype=np.int64)
    reached = [(np.zeros(1, dtype=np.int64), np.ones(1))]
    room = sum([_largest(own) for own, _ways in sets])  # for entities in all kinds that are left
    steps = 0
    for i in range(len(sets)):
        before, numbers = reached[i]
        own, own_ways = sets[i]
        everyone = _entities(bit, bounds[i], bounds[i + 1])
        later = _entities(bit, bounds[i + 1], bounds[-1])
        ways[own] = own_ways
        total[:] = 0.0
        for a in range(len(before)):
            n_found, looked = _partners(before[a], everyone, later, own, ways, found)
            for entities in found[:n_found]:
                total[before[a] | entities] += numbers[a] * ways[entities]
            steps += looked
            if steps > most_steps:
                return reached
        ways[own] = 0.0
        room -= _largest(own)
        after = np.array([a for a in np.flatnonzero(total) if n - _size(a) <= room])
        reached.append((after, total[after]))
    return reached


@njit
def _backward(
    bounds: Any, bit: Any, truth: Any, sets: Any, reached: Any, n: Any, hits: Any
) -> None:
    """Add to `hits` the possible worlds in which each entity has its true value."""
    size = 1 << n
    ways, with_set, found = np.zeros(size), np.zeros(size), np.empty(size, dtype=np.int64)
    ahead = np.zeros(size)
    ahead[size - 1] = 1.0
    for i in range(len(sets) - 1, -1, -1):
        before, numbers = reached[i]
        own, own_ways = sets[i]
        everyone = _entities(bit, bounds[i], bounds[i + 1])
        later = _entities(bit, bounds[i + 1], bounds[-1])
        ways[own] = own_ways
        with_set[own] = 0.0
        rest = np.zeros(len(before))
        for a in range(len(before)):
            n_found, _looked = _partners(before[a], everyone, later, own, ways, found)
            for entities in found[:n_found]:
                number = ways[entities] * ahead[before[a] | entities]
                rest[a] += number
                with_set[entities] += numbers[a] * number
        ways[own] = 0.0
        ahead[:] = 0.0
        ahead[before] = rest
        honest = 0
        for edge in range(bounds[i], bounds[i + 1]):
            honest |= truth[edge] << bit[edge]
        for entity in range(n):
            if honest >> entity & 1:
                for entities in own:
                    if entities >> entity & 1:
                        hits[entity] += with_set[entities]


def _work(kind: Any, _bit: Any, _time: Any, _row: Any, _truth: Any, n: int, *_rest: Any) -> int:
    """The edges, for every set of entities."""
    return len(kind) << n


@compiled(types.float64(*[_INTS] * 5, types.int64, types.int64, types.float64[::1]), work=_work)
def count_worlds(
    kind: Array,
    bit: Array,
    time: Array,
    row: Array,
    truth: Array,
    n: int,
    most_steps: int,
    hits: Array,
) -> float:
    """The possible worlds of one component; added to `hits`, for each entity those where its value is true.

    Parameters
    ----------
    kind, bit, time, row : int64 arrays
        Edges, by kind, time and row: an entity, by its number within the component, may be there.
    truth : int64 array
        1 where the value of the edge's row is its entity's true one, else 0.
    n : int
        The number of entities.
    most_steps : int
        How many sets may be looked at.
    hits : float64 array, shape (n,)

    Returns
    -------
    float
        -1 where more sets would have to be looked at.
    """
    bounds = [0]
    for edge in range(1, len(kind)):
        if kind[edge] != kind[edge - 1]:
            bounds.append(edge)
    bounds.append(len(kind))
    sets = [_sets_of_kind(bit, time, row, bounds[i], bounds[i + 1]) for i in range(len(bounds) - 1)]
    reached = _forward(bounds, bit, sets, n, most_steps)
    if len(reached) < len(bounds):
        return -1.0
    after, numbers = reached[-1]
    if len(after) == 0:
        return 0.0
    _backward(bounds, bit, truth, sets, reached, n, hits)
    return float(numbers[0])
