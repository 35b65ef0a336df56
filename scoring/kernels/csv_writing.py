# SPDX-License-Identifier: Apache-2.0
"""Arrays to the canonical text of a table, in one pass."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from scoring.kernels.compiled import compiled

Array = npt.NDArray[Any]
types: Any = numba.types

CATEGORY, NUMBER, INTEGER = 0, 1, 2
MAX_NUMBER_BYTES = 24
"""A sign, 19 digits, a point and 4 decimals fit, with a byte after them."""
UNWRITABLE = -1

_LF, _COMMA, _MINUS, _POINT = 10, 44, 45, 46
_ZERO_DIGIT, _TEN = np.uint8(ord("0")), np.uint64(10)
_LARGEST = 2.0**53  # from here on every double is an integer, of more digits than are wanted

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)
_INT64 = types.int64


@compiled(types.void(types.uint8[::1], _INT64, types.uint64, _INT64))
def _put_digits(out: Array, at: int, number: Any, n_digits: int) -> None:
    for place in range(n_digits - 1, -1, -1):
        rest = number // _TEN  # without a sign, a division by a constant is a multiplication
        out[at + place] = _ZERO_DIGIT + np.uint8(number - rest * _TEN)
        number = rest


@compiled(_INT64(types.uint8[::1], _INT64, _INT64))
def _put_integer(out: Array, at: int, number: Any) -> Any:
    if number < 0:
        out[at] = _MINUS
        at += 1
        number = -number
    n_digits = 1
    power = 10
    while number >= power and n_digits < 18:
        power *= 10
        n_digits += 1
    n_digits += number >= power
    _put_digits(out, at, np.uint64(number), n_digits)
    return at + n_digits


@compiled(_INT64(types.float64))
def ten_thousandths(fraction: float) -> Any:
    """A number of [0, 1) times 10^4 as the nearest integer, of two the even one, decided exactly."""
    mantissa, exponent = math.frexp(fraction)
    n_bits = 49 - exponent
    if n_bits > 63:  # below 2^-15, so less than half of one
        return 0
    scaled = np.int64(mantissa * _LARGEST) * 625  # fraction · 10^4 · 2^n_bits, as 10^4 = 625 · 2^4
    whole = scaled >> n_bits
    left, half = scaled - (whole << n_bits), 1 << (n_bits - 1)
    return whole + (left > half or (left == half and whole & 1 == 1))


@compiled(_INT64(types.uint8[::1], _INT64, types.float64))
def _put_number(out: Array, at: int, number: float) -> int:
    size = abs(number)
    whole = np.int64(size)
    decimals = ten_thousandths(size - whole)
    if decimals == 10_000:
        whole += 1
        decimals = 0
    if number < 0 and (whole or decimals):
        out[at] = _MINUS
        at += 1
    at = _put_integer(out, at, whole)
    if not decimals:
        return at
    out[at] = _POINT
    at += 1
    n_decimals = 4
    while decimals % 10 == 0:
        decimals //= 10
        n_decimals -= 1
    _put_digits(out, at, np.uint64(decimals), n_decimals)
    return at + n_decimals


@compiled(
    _INT64(
        types.Array(types.int8, 1, "C", readonly=True),
        types.Array(types.int32, 2, "C", readonly=True),
        types.Array(types.float64, 2, "C", readonly=True),
        types.Array(_INT64, 2, "C", readonly=True),
        _BYTES,
        types.Array(_INT64, 1, "C", readonly=True),
        types.Array(_INT64, 1, "C", readonly=True),
        _INT64,
        types.uint8[::1],
    )
)
def format_records(
    kinds: Array,
    codes: Array,
    numbers: Array,
    integers: Array,
    texts: Array,
    text_ends: Array,
    first_text: Array,
    n_records: int,
    out: Array,
) -> int:
    """Write records as lines into `out`; the number of bytes, or `UNWRITABLE`.

    Parameters
    ----------
    kinds : int8 array, shape (n_columns,)
        `CATEGORY`, `NUMBER` or `INTEGER`; the columns of a kind are the rows of its array in order.
    codes, numbers, integers : arrays, shape (columns of the kind, n_records)
    texts : uint8 array
        The cells of all values of all categories, one after the other.
    text_ends : int64 array
        Where each ends; a 0 comes first.
    first_text : int64 array, shape (categories,)
        The position of code 0 in `text_ends`.
    n_records : int
    out : uint8 array
        Long enough.
    """
    at = 0
    for record in range(n_records):
        i_code = i_number = i_integer = 0
        for column in range(len(kinds)):
            kind = kinds[column]
            if kind == CATEGORY:
                text = first_text[i_code] + codes[i_code, record]
                for i in range(text_ends[text], text_ends[text + 1]):
                    out[at] = texts[i]
                    at += 1
                i_code += 1
            elif kind == NUMBER:
                number = numbers[i_number, record]
                if not abs(number) < _LARGEST:
                    return UNWRITABLE
                at = _put_number(out, at, number)
                i_number += 1
            else:
                at = _put_integer(out, at, integers[i_integer, record])
                i_integer += 1
            out[at] = _COMMA
            at += 1
        out[at - 1] = _LF
    return at
