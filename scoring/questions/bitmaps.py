# SPDX-License-Identifier: Apache-2.0
"""Bitmaps of the units that a guess got right, and the unit that most attackers got right."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]


def packed(right: BoolArray) -> bytes:
    """A bitmap of units: 8 in a byte, compressed.

    Examples
    --------
    >>> unpacked(packed(np.array([True, False, True]))).tolist()
    [True, False, True]
    """
    right = np.asarray(right, dtype=bool)
    return len(right).to_bytes(4, "big") + zlib.compress(np.packbits(right).tobytes(), 1)


def unpacked(bitmap: bytes) -> BoolArray:
    """The units of a bitmap."""
    n_units = int.from_bytes(bitmap[:4], "big")
    bits = np.frombuffer(zlib.decompress(bitmap[4:]), dtype=np.uint8)
    return np.unpackbits(bits, count=n_units).astype(bool)


def most_found(bitmaps: Iterable[bytes]) -> int:
    """The largest number of bitmaps, one for each attacker, that have one and the same unit: L of 2025's penalty L - 1.

    Examples
    --------
    >>> most_found([packed(np.array([True, False])), packed(np.array([True, True]))])
    2
    >>> most_found([])
    0
    """
    times: npt.NDArray[np.int32] | None = None
    for bitmap in bitmaps:
        right = unpacked(bitmap)
        times = right.astype(np.int32) if times is None else times + right
    return 0 if times is None else int(times.max(initial=0))
