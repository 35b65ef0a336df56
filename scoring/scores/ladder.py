# SPDX-License-Identifier: Apache-2.0
"""Feedback about sealed answers that cannot be climbed: the best rate so far, in steps that chance does not take."""

from __future__ import annotations

import math

BILLION = 10**9
"""Rates have nine decimals."""
FEEDBACK = "ladder"
BAND_WIDTH = 10


def step_of(n_records: int) -> int:
    """The step in percentage points, 1 to 100: 100 n^(-1/3), rounded up.

    Blum & Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning Competitions", §3.

    >>> [step_of(n) for n in (0, 1, 100, 500, 5_000, 1_000_000)]
    [100, 100, 22, 13, 6, 1]
    """
    return next((step for step in range(1, 100) if step**3 * n_records >= 100**3), 100)


def rung_of(rate: float, n_records: int, chance: float = 0.0) -> int:
    """The whole steps by which a rate is above chance; both are from 0 to 1.

    >>> [rung_of(rate, 100, 0.5) for rate in (0.1, 0.71, 0.72, 0.94, 1.0)]
    [0, 0, 1, 2, 2]
    """
    above = round(100 * rate * BILLION) - round(100 * chance) * BILLION
    return max(0, above // (step_of(n_records) * BILLION))


def range_of(rung: int, n_records: int, chance: float = 0.0) -> tuple[int, int]:
    """The range of rates on a rung in per cent; the lowest rung begins at 0.

    >>> [range_of(rung, 100, 0.5) for rung in range(3)]
    [(0, 72), (72, 94), (94, 100)]
    """
    step, low = step_of(n_records), round(100 * chance)
    return (low + rung * step if rung else 0, min(100, low + (rung + 1) * step))


def coarse_range(rate: float, chance: float = 0.0) -> tuple[int, int]:
    """The band of ten percentage points with a rate; chance, if it is not 0, lies in the middle of one.

    >>> [coarse_range(rate, 0.5) for rate in (0.0, 0.49, 0.51, 0.95, 1.0)]
    [(0, 5), (45, 55), (45, 55), (95, 100), (95, 100)]
    >>> [coarse_range(rate) for rate in (0.0, 0.3, 1.0)]
    [(0, 10), (30, 40), (90, 100)]
    """
    offset = (round(100 * chance) + BAND_WIDTH // 2) % BAND_WIDTH if chance else 0
    last = 100 - (100 - offset) % BAND_WIDTH
    first = min(round(100 * rate * BILLION) // BILLION, 99)
    low = first - (first - offset) % BAND_WIDTH
    return max(0, low), 100 if low == last else min(100, low + BAND_WIDTH)


def disclosed_bits(
    feedback: str, n_attempts: int, n_records: int, *, chance: float = 0.0, n_bands: int = 0
) -> float:
    """The most bits about the sealed answers that so many attempts disclose: log2 of the sequences that can be shown.

    `feedback` is that of a ruleset; without `n_bands` with names, bands have ten percentage points.

    >>> [round(disclosed_bits(how, 200, 100, chance=0.5), 1) for how in ("exact", "coarse", "ladder", "after_close")]
    [1331.6, 691.9, 14.3, 0.0]
    """
    if feedback == "after_close":
        return 0.0
    if feedback == FEEDBACK:
        top = rung_of(1.0, n_records, chance)
        return math.log2(math.comb(n_attempts + top, top))
    values = n_records + 1
    if feedback == "coarse":
        values = n_bands or 10 + (coarse_range(0.0, chance) != (0, BAND_WIDTH))
    return n_attempts * math.log2(values)
