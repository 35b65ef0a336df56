# SPDX-License-Identifier: Apache-2.0
"""Records parted among threads; kernels hold no lock while they run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

PARTS_PER_THREAD = 4  # so that a slow part delays little
SEARCHES = 2_000  # so many are worth a part
PASSES = 100_000  # records that are worth one where each takes some nanoseconds


def in_parts(
    n: int,
    threads: int,
    work: Callable[[int, int], None],
    *,
    is_search: bool = False,
    n_each: int = 1,
) -> None:
    """Call `work(begin, end)` for parts of 0 to `n`, `threads` of them at a time.

    `is_search` says that each takes microseconds, `n_each` how many records each of the `n` stands for.
    """
    least = max(1, (SEARCHES if is_search else PASSES) // max(1, n_each))
    n_parts = min(threads * PARTS_PER_THREAD, n // least)
    if threads <= 1 or n_parts < 2:
        work(0, n)
        return
    bounds = [n * part // n_parts for part in range(n_parts + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, bounds[:-1], bounds[1:]))
