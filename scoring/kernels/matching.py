# SPDX-License-Identifier: Apache-2.0
"""A largest matching of tuples with rows, by shortest augmenting paths, and rows of lasting signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.kernels.deferred import compiled, njit, sizes, types

Array = npt.NDArray[Any]

_DEAD = -2
_FEW = 32
_INT64 = types.Array(types.int64, 1, "C", readonly=True)


@njit
def _begin(starts: Any, rows: Any, row_of: Any, tuple_of: Any) -> Any:
    """Rows for most tuples: who has the fewest rows comes first, and takes the one that the fewest may have."""
    n = len(row_of)
    wanted = np.zeros(len(tuple_of), np.int64)
    for edge in range(starts[n]):
        wanted[rows[edge]] += 1
    for t in np.argsort(starts[1:] - starts[:-1], kind="mergesort"):
        best = -1
        for edge in range(starts[t], starts[t + 1]):
            row = rows[edge]
            if tuple_of[row] < 0 and (best < 0 or wanted[row] < wanted[best]):
                best = row
        if best >= 0:
            row_of[t] = best
            tuple_of[best] = t


@njit
def _search(
    first: Any,
    starts: Any,
    rows: Any,
    row_of: Any,
    tuple_of: Any,
    free: Any,
    seen: Any,
    reached: Any,
    queue: Any,
) -> Any:
    """Give a tuple a row, and those on a shortest way to a free one another one; whether there is a way."""
    queue[0], tail, head = first, 1, 0
    while head < tail:
        t = queue[head]
        head += 1
        while free[t] < starts[t + 1] and tuple_of[rows[free[t]]] >= 0:
            free[t] += 1  # a row that was taken stays taken
        if free[t] < starts[t + 1]:
            row = rows[free[t]]
            while True:
                before = row_of[t]
                row_of[t] = row
                tuple_of[row] = t
                if t == first:
                    return True
                row, t = before, reached[before]
        for edge in range(starts[t], starts[t + 1]):
            row = rows[edge]
            if seen[row] != first and seen[row] != _DEAD:
                seen[row] = first
                reached[row] = t
                queue[tail] = tuple_of[row]
                tail += 1
    for place in range(1, tail):
        seen[row_of[queue[place]]] = _DEAD  # no way leads from there to a free row, now or later
    return False


@njit
def _chosen(starts: Any, ends: Any, degree: Any, chosen: Any) -> Any:
    """Up to `_FEW` ends of each start: half of them those of the least degree, half from all over its ends."""
    half = _FEW // 2
    for t in range(len(starts) - 1):
        n, n_found = starts[t + 1] - starts[t], 0
        for k in range(min(n, half)):
            chosen[t, half + k] = ends[starts[t] + (k * n // half + t) % n]
        for edge in range(starts[t], starts[t + 1]):
            end = ends[edge]
            at = min(n_found, half - 1)
            if n_found == half and degree[end] >= degree[chosen[t, at]]:
                continue
            while at > 0 and degree[chosen[t, at - 1]] > degree[end]:
                chosen[t, at] = chosen[t, at - 1]
                at -= 1
            chosen[t, at] = end
            n_found = min(n_found + 1, half)


@njit
def _turned(starts: Any, ends: Any, n_ends: Any) -> Any:
    """The same edges by their ends: where those of each end start, and the starts that they come from."""
    turned = np.zeros(n_ends + 1, np.int64)
    for edge in range(starts[-1]):
        turned[ends[edge] + 1] += 1
    turned = np.cumsum(turned)
    at, found = turned[:-1].copy(), np.empty(starts[-1], np.int64)
    for t in range(len(starts) - 1):
        for edge in range(starts[t], starts[t + 1]):
            found[at[ends[edge]]] = t
            at[ends[edge]] += 1
    return turned, found


@njit
def _some(starts: Any, rows: Any, n_rows: Any) -> Any:
    """A few edges of each tuple and of each row, by tuple."""
    n = len(starts) - 1
    by_row, tuples = _turned(starts, rows, n_rows)
    of_tuple, of_row = np.full((n, _FEW), -1), np.full((n_rows, _FEW), -1)
    _chosen(starts, rows, by_row[1:] - by_row[:-1], of_tuple)
    _chosen(by_row, tuples, starts[1:] - starts[:-1], of_row)
    few_starts = np.zeros(n + 1, np.int64)
    for t in range(n):
        few_starts[t + 1] += (of_tuple[t] >= 0).sum()
    for row in range(n_rows):
        for t in of_row[row]:
            if t >= 0:
                few_starts[t + 1] += 1
    few_starts = np.cumsum(few_starts)
    at, few = few_starts[:-1].copy(), np.empty(few_starts[-1], np.int64)
    for t in range(n):
        for row in of_tuple[t]:
            if row >= 0:
                few[at[t]] = row
                at[t] += 1
    for row in range(n_rows):
        for t in of_row[row]:
            if t >= 0:
                few[at[t]] = row
                at[t] += 1
    return few_starts, few


@njit
def _fill(starts: Any, rows: Any, row_of: Any, tuple_of: Any) -> Any:
    """Give as many tuples a row as can have one."""
    n, n_rows = len(row_of), len(tuple_of)
    free, queue = starts[:-1].copy(), np.empty(n, np.int64)
    seen, reached = np.full(n_rows, -1, np.int64), np.empty(n_rows, np.int64)
    for t in range(n):
        if row_of[t] < 0:
            _search(t, starts, rows, row_of, tuple_of, free, seen, reached, queue)


@compiled(types.void(_INT64, _INT64, types.int64[::1], types.int64[::1]), work=sizes)
def match(starts: Array, rows: Array, row_of: Array, tuple_of: Array) -> None:
    """Fill in the row of each tuple and the tuple of each row, -1 where there is none.

    Parameters
    ----------
    starts, rows : int64 arrays
        Tuple t may have rows[starts[t]:starts[t + 1]].
    row_of, tuple_of : int64 arrays
        By tuple and by row.
    """
    row_of[:] = -1
    tuple_of[:] = -1
    _begin(starts, rows, row_of, tuple_of)
    few_starts, few = _some(starts, rows, len(tuple_of))
    _fill(few_starts, few, row_of, tuple_of)  # nearly all, at little cost
    _fill(starts, rows, row_of, tuple_of)


@compiled(
    types.void(_INT64, _INT64, _INT64, _INT64, _INT64, types.int64[::1], types.boolean[::1]),
    work=sizes,
)
def keep_lasting(
    first: Array,
    slots: Array,
    starts: Array,
    rows: Array,
    signature: Array,
    seen: Array,
    keep: Array,
) -> None:
    """Say which edges lead to a signature that their entity has at all of its times.

    Parameters
    ----------
    first, slots : int64 arrays
        Entity e is slots[first[e]:first[e + 1]], one for each of its times.
    starts, rows : int64 arrays
        Slot s may have rows[starts[s]:starts[s + 1]].
    signature : int64 array
        By row.
    seen : int64 array
        Zeros, one for each signature; left as it was.
    keep : bool array
        Filled, by edge.
    """
    for e in range(len(first) - 1):
        n = first[e + 1] - first[e]
        for k in range(n):
            slot = slots[first[e] + k]
            for edge in range(starts[slot], starts[slot + 1]):
                if seen[signature[rows[edge]]] == k:
                    seen[signature[rows[edge]]] = k + 1
        for k in range(n):
            slot = slots[first[e] + k]
            for edge in range(starts[slot], starts[slot + 1]):
                keep[edge] = seen[signature[rows[edge]]] == n
        for k in range(n):
            slot = slots[first[e] + k]
            for edge in range(starts[slot], starts[slot + 1]):
                seen[signature[rows[edge]]] = 0
