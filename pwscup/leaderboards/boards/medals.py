# SPDX-License-Identifier: Apache-2.0
"""Medals: the colours of the first three places, where the places mean something."""

from __future__ import annotations

from collections.abc import Iterable

MIN_TEAMS = 3


def has_medals(ranks: Iterable[int | None]) -> bool:
    """True where at least three teams have a rank and they are not all equal.

    Examples
    --------
    >>> has_medals([1, 2, 2]), has_medals([1, 1, 1]), has_medals([1, 2, None])
    (True, False, False)
    """
    ranked = [rank for rank in ranks if rank is not None]
    return len(ranked) >= MIN_TEAMS and len(set(ranked)) > 1
