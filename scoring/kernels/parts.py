"""Records parted among threads; kernels hold no lock while they run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_PARTS_PER_THREAD = 4  # so that a slow part is made up for
_LEAST = 2_000  # records that are worth a part


def in_parts(n: int, threads: int, work: Callable[[int, int], None], least: int = _LEAST) -> None:
    """Call `work(begin, end)` for parts of 0 to `n`, `threads` of them at a time."""
    n_parts = min(threads * _PARTS_PER_THREAD, n // least)
    if threads <= 1 or n_parts < 2:
        work(0, n)
        return
    bounds = [n * part // n_parts for part in range(n_parts + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, bounds[:-1], bounds[1:]))
