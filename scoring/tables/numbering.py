# SPDX-License-Identifier: Apache-2.0
"""Classes of records numbered from 0, by vectors of codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_LARGEST_CODE = 2**62
_SPARE = 4
"""Numbering by a table of all codes pays while it is at most so many times longer than the rows."""


def combined(columns: Sequence[Ints], n_rows: int) -> Ints:
    """The class of each row: rows with the same codes in all columns, 0 to the last class.

    Classes are numbered in the order of their vectors of codes; no columns make one class.
    """
    codes, size = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        n_codes = int(column.max(initial=-1)) + 1
        if size * n_codes > _LARGEST_CODE:
            codes = numbered(codes, size)
            size = int(codes.max(initial=-1)) + 1
        codes, size = codes * n_codes + column, size * n_codes
    return numbered(codes, size)


def numbered(codes: Ints, size: int) -> Ints:
    """Codes from 0 to size - 1, with those that do not occur left out."""
    if size > _SPARE * len(codes):
        of_row: Ints = np.unique(codes, return_inverse=True)[1].astype(np.int64)
        return of_row
    occurs = np.zeros(size, dtype=np.int64)
    occurs[codes] = 1
    places: Ints = np.cumsum(occurs) - 1
    return places[codes]
