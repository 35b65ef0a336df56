"""A largest matching of tuples with rows (J. E. Hopcroft and R. M. Karp, 1973)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, types

from scoring.kernels.compiled import compiled

Array = npt.NDArray[Any]

_INT64 = types.Array(types.int64, 1, "C", readonly=True)


@njit
def _layer(starts: Any, rows: Any, row_of: Any, tuple_of: Any, level: Any, queue: Any) -> Any:
    """How many steps each tuple is from one without a row; whether a free row is reached."""
    head = tail = 0
    for t in range(len(row_of)):
        level[t] = -1
        if row_of[t] < 0:
            level[t] = 0
            queue[tail] = t
            tail += 1
    is_reached = False
    while head < tail:
        t = queue[head]
        head += 1
        for edge in range(starts[t], starts[t + 1]):
            other = tuple_of[rows[edge]]
            if other < 0:
                is_reached = True
            elif level[other] < 0:
                level[other] = level[t] + 1
                queue[tail] = other
                tail += 1
    return is_reached


@njit
def _augment(
    first: Any, starts: Any, rows: Any, row_of: Any, tuple_of: Any, level: Any, at: Any, path: Any
) -> Any:
    """Give a tuple a row, and those on the way another one; whether that was possible."""
    path[0] = first
    depth = 0
    while depth >= 0:
        t = path[depth]
        if at[t] == starts[t + 1]:
            depth -= 1
            if depth >= 0:
                at[path[depth]] += 1
            continue
        other = tuple_of[rows[at[t]]]
        if other < 0:
            for step in range(depth, -1, -1):
                row_of[path[step]] = rows[at[path[step]]]
                tuple_of[rows[at[path[step]]]] = path[step]
            return True
        if level[other] == level[t] + 1:
            depth += 1
            path[depth] = other
        else:
            at[t] += 1
    return False


@compiled(types.void(_INT64, _INT64, types.int64[::1], types.int64[::1]))
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
    n = len(row_of)
    for t in range(n):
        for edge in range(starts[t], starts[t + 1]):
            if tuple_of[rows[edge]] < 0:
                row_of[t] = rows[edge]
                tuple_of[rows[edge]] = t
                break
    level, queue, at = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    while _layer(starts, rows, row_of, tuple_of, level, queue):
        at[:] = starts[:-1]
        n_found = 0
        for t in range(n):
            if row_of[t] < 0:
                n_found += _augment(t, starts, rows, row_of, tuple_of, level, at, queue)
        if not n_found:
            break
