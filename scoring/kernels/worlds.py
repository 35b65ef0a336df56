# SPDX-License-Identifier: Apache-2.0
"""A walk through the possible worlds of entities that are too many to count: each is reached equally often.

The state has the row of each slot and the slot in each row, -1 where none is. Every move is as likely as the move back,
so that the walk, once it has forgotten its start, is in any of the possible worlds it can reach with equal probability
(N. Metropolis et al., "Equation of State Calculations by Fast Computing Machines").
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, types

from scoring.kernels.compiled import compiled

Array = npt.NDArray[Any]

BLOCK = 6  # entities whose rows are redrawn together, at most
_MOST_SLOTS = 40  # of a block
_MOST_TRIES = 500  # rows that are tried for a block; beyond, it stays as it is
_TRIES = 8  # of an entity that looks for rows
_CHANGES = 5  # of rows that are tried for each slot; few are possible
_FAITH = 0.9  # how often a start gives an entity its true value, where it can have it

_INTS = types.Array(types.int64, 1, "C", readonly=True)
_STATE = types.int64[::1]
_SUMS = types.float64[::1]


@njit
def _below(rng: Any, n: Any) -> Any:
    """A number from 0 to n - 1."""
    return int(rng.random() * n)


@njit
def _change_row(
    rng: Any, s: Any, starts: Any, row: Any, kind: Any, row_of: Any, slot_in: Any
) -> None:
    """Let a slot exchange rows of one kind with the occupant of a row drawn from its own."""
    old, new = row_of[s], row[starts[s] + _below(rng, starts[s + 1] - starts[s])]
    if new == old or kind[new] != kind[old]:
        return
    other = slot_in[new]
    if other >= 0:
        places = row[starts[other] : starts[other + 1]]
        at = np.searchsorted(places, old)
        if at == len(places) or places[at] != old:
            return
        row_of[other] = old
    slot_in[old] = other
    row_of[s], slot_in[new] = new, s


@njit
def _partner(
    r: Any, one: Any, two: Any, kind: Any, group: Any, group_starts: Any, members: Any
) -> Any:
    """The only row in the group of a row of kind `one` or `two` that has the other kind; else -1."""
    wanted = two if kind[r] == one else one
    found = -1
    for other in members[group_starts[group[r]] : group_starts[group[r] + 1]]:
        if other != r and (kind[other] == kind[r] or (kind[other] == wanted and found >= 0)):
            return -1
        if kind[other] == wanted:
            found = other
    return found


@njit
def _chain(
    e: Any,
    two: Any,
    first: Any,
    entity: Any,
    kind: Any,
    group: Any,
    group_starts: Any,
    members: Any,
    row_of: Any,
    slot_in: Any,
    is_in: Any,
    chain: Any,
) -> Any:
    """The entities that move when an entity's kind and `two` are exchanged in its groups, and so on.

    These are A. B. Kempe's chains. Returned is how many are moved, 0 where a group does not have both kinds once;
    `is_in`, all False, and `chain` are room for one.
    """
    one = kind[row_of[first[e]]]
    chain[0], n, done, is_whole = e, 1, 0, one != two
    is_in[e] = True
    while done < n and is_whole:
        for s in range(first[chain[done]], first[chain[done] + 1]):
            new = _partner(row_of[s], one, two, kind, group, group_starts, members)
            is_whole &= new >= 0
            if is_whole and slot_in[new] >= 0 and not is_in[entity[slot_in[new]]]:
                chain[n] = entity[slot_in[new]]
                is_in[chain[n]] = True
                n += 1
        done += 1
    for link in chain[:n]:
        is_in[link] = False
    return n if is_whole else 0


@njit
def _exchange(
    rng: Any,
    e: Any,
    first: Any,
    entity: Any,
    kind: Any,
    group: Any,
    group_starts: Any,
    members: Any,
    row_of: Any,
    slot_in: Any,
    is_in: Any,
    chain: Any,
) -> None:
    """Exchange an entity's kind with that of another row of its first group, with all entities that must move."""
    r = row_of[first[e]]
    start, end = group_starts[group[r]], group_starts[group[r] + 1]
    if end - start < 2:
        return
    at = start + _below(rng, end - start - 1)
    one, two = kind[r], kind[members[at] if members[at] != r else members[end - 1]]
    n = _chain(
        e, two, first, entity, kind, group, group_starts, members, row_of, slot_in, is_in, chain
    )
    for link in chain[:n]:
        slot_in[row_of[first[link] : first[link + 1]]] = -1
    for link in chain[:n]:
        for s in range(first[link], first[link + 1]):
            row_of[s] = _partner(row_of[s], one, two, kind, group, group_starts, members)
            slot_in[row_of[s]] = s


@njit
def _chance(
    e: Any,
    first: Any,
    entity: Any,
    kind: Any,
    group: Any,
    group_starts: Any,
    members: Any,
    value: Any,
    true_value: Any,
    row_of: Any,
    slot_in: Any,
    is_in: Any,
    chain: Any,
) -> Any:
    """The probability that an entity has its true value after an exchange with a row drawn from its first group.

    Such an exchange leads to a possible world as often as away from it, so that the mean over all possible worlds is
    the share of those in which the entity has its true value.
    """
    own = row_of[first[e]]
    is_true = value[kind[own]] == true_value[e]
    group_rows = members[group_starts[group[own]] : group_starts[group[own] + 1]]
    n_true = 0
    for other in group_rows:
        two = kind[other]
        changes = (value[two] == true_value[e]) != is_true and _chain(
            e, two, first, entity, kind, group, group_starts, members, row_of, slot_in, is_in, chain
        ) > 0
        n_true += is_true != changes
    return n_true / len(group_rows)


@njit
def _free_rows(slots: Any, starts: Any, row: Any, slot_in: Any) -> Any:
    """The rows that nobody is in, for one slot after the other, and where those of each begin."""
    n = 0
    for s in slots:
        n += starts[s + 1] - starts[s]
    bounds, free = np.empty(len(slots) + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    n = 0
    for place in range(len(slots)):
        bounds[place] = n
        for at in range(starts[slots[place]], starts[slots[place] + 1]):
            free[n] = row[at]
            n += slot_in[row[at]] < 0
    bounds[len(slots)] = n
    return bounds, free


@njit
def _search(
    slots: Any,
    leaders: Any,
    free_starts: Any,
    free: Any,
    kind: Any,
    slot_in: Any,
    wanted: Any,
    chosen: Any,
) -> Any:
    """The number of ways to find free rows for some slots, -1 if counting takes too long.

    `leaders` has the place among the slots of the first of the same entity. The slot at a place may take
    the rows of `free` from free_starts[place] to free_starts[place + 1]. With `wanted` from 0 on the
    search ends with that way in `chosen`.
    """
    at = np.empty(len(slots), dtype=np.int64)
    at[0], depth, n_found, n_tries = free_starts[0], 0, 0, 0
    while depth >= 0:
        new = -1
        while new < 0 and at[depth] < free_starts[depth + 1]:
            r = free[at[depth]]
            at[depth] += 1
            if slot_in[r] < 0 and (
                leaders[depth] == depth or kind[r] == kind[chosen[leaders[depth]]]
            ):
                new = r
        n_tries += new >= 0
        chosen[depth] = new
        is_last = new >= 0 and depth == len(slots) - 1
        n_found += is_last
        if n_tries > _MOST_TRIES or (is_last and n_found == wanted + 1):
            slot_in[chosen[:depth]] = -1
            return n_found if n_tries <= _MOST_TRIES else -1
        if new < 0:
            depth -= 1
            if depth >= 0:
                slot_in[chosen[depth]] = -1
        elif not is_last:
            slot_in[new] = slots[depth]
            depth += 1
            at[depth] = free_starts[depth]
    return n_found


@njit
def _redraw(
    rng: Any,
    e: Any,
    first: Any,
    entity: Any,
    starts: Any,
    row: Any,
    kind: Any,
    holder_starts: Any,
    holders: Any,
    row_of: Any,
    slot_in: Any,
) -> None:
    """Take an entity and some with which it may share rows out of their rows, and draw new ones."""
    slots = np.empty(_MOST_SLOTS, dtype=np.int64)
    leaders = np.empty(_MOST_SLOTS, dtype=np.int64)
    block = np.empty(BLOCK, dtype=np.int64)
    n = n_slots = 0
    found, size = e, 1 + _below(rng, BLOCK)
    for _ in range(3 * BLOCK):
        length = first[found + 1] - first[found]
        if found not in block[:n] and n_slots + length <= _MOST_SLOTS:
            leaders[n_slots : n_slots + length] = n_slots
            slots[n_slots : n_slots + length] = np.arange(first[found], first[found + 1])
            block[n] = found
            n, n_slots = n + 1, n_slots + length
        if n == size:
            break
        if n == 0:
            return
        member = block[_below(rng, n)]
        s = first[member] + _below(rng, first[member + 1] - first[member])
        r = row[starts[s] + _below(rng, starts[s + 1] - starts[s])]
        found = entity[
            holders[holder_starts[r] + _below(rng, holder_starts[r + 1] - holder_starts[r])]
        ]
    slots, leaders = slots[:n_slots], leaders[:n_slots]
    slot_in[row_of[slots]] = -1
    chosen = np.empty(n_slots, dtype=np.int64)
    bounds, free = _free_rows(slots, starts, row, slot_in)
    n_ways = _search(slots, leaders, bounds, free, kind, slot_in, -1, chosen)
    way = _below(rng, n_ways) if n_ways > 0 else -1
    if n_ways > 1:  # a single one is the one they came from
        _search(slots, leaders, bounds, free, kind, slot_in, way, chosen)
        row_of[slots] = chosen
    slot_in[row_of[slots]] = slots


@compiled(types.void(types.npy_rng, types.int64, *[_INTS] * 13, _STATE, _STATE, _SUMS, _SUMS))
def walk(
    rng: np.random.Generator,
    n_sweeps: int,
    entities: Array,
    first: Array,
    entity: Array,
    starts: Array,
    row: Array,
    kind: Array,
    group: Array,
    group_starts: Array,
    members: Array,
    holder_starts: Array,
    holders: Array,
    value: Array,
    true_value: Array,
    row_of: Array,
    slot_in: Array,
    hits: Array,
    chances: Array,
) -> None:
    """Move on by some sweeps, each of as many moves of every sort as there are entities.

    Parameters
    ----------
    rng : Generator
    n_sweeps : int
    entities : int64 array, shape (n,)
        Those that move; the other arrays are those of `scoring.formats.sequential.worlds.Places`.
    holder_starts, holders : int64 arrays
        Row r may be that of the slots holders[holder_starts[r]:holder_starts[r + 1]].
    row_of, slot_in : int64 arrays
        A possible world, changed into another.
    hits : float64 array, shape (n,)
        To which is added, after each sweep, 1 for each entity that has its true value.
    chances : float64 array, shape (n,)
        To which is added, after each sweep, how likely an entity has its true value after one exchange.
    """
    is_in = np.zeros(len(first) - 1, dtype=np.bool_)
    chain = np.empty(len(first) - 1, dtype=np.int64)
    for _ in range(n_sweeps):
        for _ in range(len(entities)):
            e = entities[_below(rng, len(entities))]
            for s in range(first[e], first[e + 1]):
                for _ in range(_CHANGES):
                    _change_row(rng, s, starts, row, kind, row_of, slot_in)
            _exchange(
                rng,
                e,
                first,
                entity,
                kind,
                group,
                group_starts,
                members,
                row_of,
                slot_in,
                is_in,
                chain,
            )
            e = entities[_below(rng, len(entities))]
            _redraw(
                rng, e, first, entity, starts, row, kind, holder_starts, holders, row_of, slot_in
            )
        for i in range(len(entities)):
            e = entities[i]
            hits[i] += value[kind[row_of[first[e]]]] == true_value[e]
            chances[i] += _chance(
                e,
                first,
                entity,
                kind,
                group,
                group_starts,
                members,
                value,
                true_value,
                row_of,
                slot_in,
                is_in,
                chain,
            )


@njit
def _leave(e: Any, first: Any, row_of: Any, slot_in: Any) -> None:
    for s in range(first[e], first[e + 1]):
        if row_of[s] >= 0:
            slot_in[row_of[s]] = -1
            row_of[s] = -1


@njit
def _place_for(
    rng: Any, s: Any, wanted: Any, starts: Any, row: Any, kind: Any, slot_in: Any
) -> Any:
    """A row of a kind for a slot: a free one where there is one."""
    n_free = n = 0
    chosen = -1
    for r in row[starts[s] : starts[s + 1]]:
        if kind[r] != wanted or (n_free and slot_in[r] >= 0):
            continue
        if slot_in[r] < 0:
            n_free += 1
            if _below(rng, n_free) == 0:
                chosen = r
        else:
            n += 1
            if _below(rng, n) == 0:
                chosen = r
    return chosen


@compiled(types.int64(types.npy_rng, types.int64, *[_INTS] * 8, _STATE, _STATE))
def find_world(
    rng: np.random.Generator,
    most_steps: int,
    entities: Array,
    first: Array,
    entity: Array,
    starts: Array,
    row: Array,
    kind: Array,
    value: Array,
    true_value: Array,
    row_of: Array,
    slot_in: Array,
) -> int:
    """Find rows for entities that have none; returns the number left without.

    Each in turn takes rows of one kind, of several attempts those that displace the fewest others; displaced entities
    wait for their next turn. The parameters are those of `walk`.
    """
    waiting = np.empty(len(first), dtype=np.int64)
    n, at = len(entities), 0
    waiting[:n] = entities
    tried, best = np.empty(len(row_of), dtype=np.int64), np.empty(len(row_of), dtype=np.int64)
    for _ in range(most_steps):
        if n == 0:
            return 0
        e = waiting[at]
        if starts[first[e]] == starts[first[e] + 1]:
            return n
        at, n = (at + 1) % len(waiting), n - 1
        own = row[starts[first[e]] : starts[first[e] + 1]]
        true_kinds = kind[own][value[kind[own]] == true_value[e]]
        kinds = true_kinds if len(true_kinds) and rng.random() < _FAITH else kind[own]
        fewest = first[e + 1] - first[e] + 1
        for _ in range(_TRIES):
            wanted = kinds[_below(rng, len(kinds))]
            n_put_out = 0
            for s in range(first[e], first[e + 1]):
                tried[s] = _place_for(rng, s, wanted, starts, row, kind, slot_in)
                n_put_out += slot_in[tried[s]] >= 0
            if n_put_out < fewest:
                fewest = n_put_out
                best[first[e] : first[e + 1]] = tried[first[e] : first[e + 1]]
        for s in range(first[e], first[e + 1]):
            if slot_in[best[s]] >= 0:
                other = entity[slot_in[best[s]]]
                _leave(other, first, row_of, slot_in)
                waiting[(at + n) % len(waiting)] = other
                n += 1
            row_of[s], slot_in[best[s]] = best[s], s
    return n
