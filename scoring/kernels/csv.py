"""Ordinary CSV files to arrays, in one pass over their bytes.

A kernel either answers that all is fine or stops at the first thing that is wrong or merely rare; it
never says what: the careful reader then goes over the whole file.

Bytes are looked at eight at a time, as one little-endian word: marking those that end a cell and
gathering digits are a few operations on a word (H. S. Warren, "Hacker's Delight", section 6-1, "Find
First 0-Byte").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.extending
import numpy as np
import numpy.typing as npt
from llvmlite import ir

from scoring.kernels.compiled import compiled

Array = npt.NDArray[Any]
types: Any = numba.types
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.extending.intrinsic

CATEGORY, NUMBER, INTEGER = 0, 1, 2
UNUSUAL = -1

MAX_DIGITS = 15
MAX_DECIMALS = 4
MAX_LEVEL_BYTES = 1_000
MAX_LINE_BYTES = 1_000_000
MAX_STEPS = 200
"""Of one search in the table of values: chosen to collide, values would make reading quadratic."""

_LF, _CR, _QUOTE, _COMMA, _MINUS, _POINT = 10, 13, 34, 44, 45, 46

_U = np.uint64
_ONE, _EIGHT = _U(1), _U(8)
_ONES = _U(0x0101010101010101)
_HIGHS = _U(0x8080808080808080)
_CONTROLS = _ONES * _U(14)  # bytes under 14: NUL, tab, LF, CR
_QUOTES = _ONES * _U(_QUOTE)
_COMMAS = _ONES * _U(_COMMA)
_ZEROS = _ONES * _U(ord("0"))
_ABOVE_NINE = _ONES * _U(0x80 - 10)
_PAIRS, _FOURS = _U(0x000000FF000000FF), _U(16)
_FIRST_FACTORS, _SECOND_FACTORS = _U(100 + (1_000_000 << 32)), _U(1 + (10_000 << 32))
_TEN, _HALF = _U(10), _U(32)
_MULTIPLIER = _U(0x9E3779B97F4A7C15)
_SECOND_MULTIPLIER = _U(0xD6E8FEB86659FD93)
_FOLD = _U(29)

_POWERS = np.array([10**i for i in range(9)], np.int64)
_EXACT_WHOLE = 900_719_925_473  # up to it, the number times 10^4 is under 2^53

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)
_INT64, _UINT64, _FLOAT64, _INT32 = types.int64, types.uint64, types.float64, types.int32


@intrinsic
def _load(typing_context: Any, data: Any, at: Any) -> Any:
    """The eight bytes from `at` on as they lie in memory, in one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(array.data, [arguments[1]])
        word = ir.IntType(64)
        return builder.load(builder.bitcast(address, word.as_pointer()), align=1)

    return types.uint64(data, at), generate


@compiled(_UINT64(_BYTES, _INT64))
def _word(data: Array, at: int) -> Any:
    """The eight bytes from `at` on, the first one lowest; zeros beyond the end."""
    if at + 8 <= len(data):
        return _load(data, at)
    word = _U(0)
    for i in range(len(data) - at):
        word |= _U(data[at + i]) << _U(8 * i)
    return word


@intrinsic
def _n_zeros(typing_context: Any, word: Any) -> Any:
    """How many zero bits are below the lowest one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(word), generate


@compiled(_INT64(_UINT64))
def _n_before(marks: Any) -> Any:
    """How many bytes come before the first marked one."""
    return _n_zeros(marks) >> 3


@compiled(_UINT64(_UINT64, _INT64))
def _first_bytes(word: Any, n_bytes: int) -> Any:
    """The word with zeros after its first `n_bytes` bytes, of which there are fewer than eight."""
    return word & ((_ONE << _U(8 * n_bytes)) - _ONE)


@compiled(types.Tuple((_INT64, _UINT64))(_BYTES, _INT64, types.boolean))
def _scan_category(data: Array, at: int, quoted: bool) -> tuple[int, Any]:
    """Where the cell that starts at `at` may end, and its key: up to eight bytes, the cell itself."""
    ends = _QUOTES if quoted else _COMMAS
    key = _U(0)
    while True:
        word = _word(data, at)
        comma, quote = word ^ ends, word ^ _QUOTES
        marks = (comma - _ONES) & ~comma | (quote - _ONES) & ~quote | (word - _CONTROLS) & ~word
        marks &= _HIGHS
        if marks:
            n_bytes = _n_before(marks)
            if n_bytes:
                key = ((key ^ (key >> _FOLD)) * _MULTIPLIER) ^ _first_bytes(word, n_bytes)
            return at + n_bytes, key
        key = ((key ^ (key >> _FOLD)) * _MULTIPLIER) ^ word
        at += 8


@compiled(types.Tuple((_INT64, _INT64))(_BYTES, _INT64))
def _scan_digits(data: Array, at: int) -> tuple[int, int]:
    """Where the digits that start at `at` end, and what they are: right up to 16 of them."""
    number = 0
    while True:
        digits = _word(data, at) ^ _ZEROS
        marks = ((digits + _ABOVE_NINE) | digits) & _HIGHS
        n_digits = _n_before(marks) if marks else 8
        if n_digits == 0:
            return at, number
        digits <<= _U(64 - 8 * n_digits)
        digits = digits * _TEN + (digits >> _EIGHT)
        digits = (
            (digits & _PAIRS) * _FIRST_FACTORS + ((digits >> _FOURS) & _PAIRS) * _SECOND_FACTORS
        ) >> _HALF
        number = number * _POWERS[n_digits] + np.int64(digits)
        at += n_digits
        if marks:
            return at, number


@compiled(_FLOAT64(_INT64, _INT64, _INT64))
def to_float(whole: int, fraction: int, n_decimals: int) -> float:
    """The double nearest to `whole` + `fraction` / 10^`n_decimals`, of two the even one.

    `whole` has at most `MAX_DIGITS` digits, and `n_decimals` is at most `MAX_DECIMALS`.
    """
    scale = _POWERS[n_decimals]
    if whole <= _EXACT_WHOLE:
        return float(whole * scale + fraction) / float(scale)  # rounds once: both are exact
    # Of the 53 bits, 40 to 50 are before the point: append bits of the fraction, then round.
    shift = 0
    while (whole << shift) < (1 << 52):
        shift += 1
    mantissa = (whole << shift) + (fraction << shift) // scale
    twice_left = 2 * ((fraction << shift) % scale)
    if twice_left > scale or (twice_left == scale and mantissa & 1):
        mantissa += 1
    return float(mantissa) / float(1 << shift)


@compiled(types.Tuple((_INT64, _FLOAT64))(_BYTES, _INT64, types.boolean))
def _scan_number(data: Array, at: int, integral: bool) -> tuple[int, float]:
    """Where the number that starts at `at` ends, `UNUSUAL` where none does, and what it is."""
    end = len(data)
    negative = at < end and data[at] == _MINUS
    start = at + negative
    at, whole = _scan_digits(data, start)
    if at == start or at - start > MAX_DIGITS:
        return UNUSUAL, 0.0
    fraction = n_decimals = 0
    if at < end and data[at] == _POINT:
        start = at + 1
        at, fraction = _scan_digits(data, start)
        n_decimals = at - start
        if n_decimals == 0 or n_decimals > MAX_DECIMALS or integral:
            return UNUSUAL, 0.0
    number = to_float(whole, fraction, n_decimals)
    return at, -number if negative and number > 0 else number  # -0 is 0


@compiled(_INT64(_UINT64, _INT64, _INT64))
def _slot(key: Any, column: int, n_slots: int) -> Any:
    """Where the search for a value starts."""
    mixed = (key ^ (_U(column) * _SECOND_MULTIPLIER)) * _MULTIPLIER
    mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLIER
    return np.int64(mixed >> _HALF) & (n_slots - 1)


@compiled(types.void(_INT32[::1], _UINT64[::1], _INT64[:, ::1], _INT64))
def fill_slots(slots: Array, keys: Array, levels: Array, n_levels: int) -> None:
    """Enter the first `n_levels` values into an empty table of values."""
    for level in range(n_levels):
        slot = _slot(keys[level], levels[level, 0], len(slots))
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = level


@compiled(types.boolean(_BYTES, _INT64, _INT64, _INT64))
def _same_bytes(data: Array, one: int, other: int, n_bytes: int) -> bool:
    for done in range(0, n_bytes, 8):
        difference = _word(data, one + done) ^ _word(data, other + done)
        if n_bytes - done < 8:
            difference = _first_bytes(difference, n_bytes - done)
        if difference:
            return False
    return True


@compiled(
    types.UniTuple(_INT64, 3)(
        _BYTES, _INT64, _INT64, _UINT64, _INT64, _INT32[::1], _UINT64[::1], _INT64[:, ::1]
    ),
)
def _find(
    data: Array,
    start: int,
    length: int,
    key: Any,
    column: int,
    slots: Array,
    keys: Array,
    levels: Array,
) -> tuple[int, int, int]:
    """The slot where the search for a value ends, the value's position or -1, the steps it took."""
    slot = _slot(key, column, len(slots))
    level = slots[slot]
    n_steps = 0
    while (
        level >= 0
        and n_steps < MAX_STEPS
        and not (
            keys[level] == key
            and levels[level, 0] == column
            and levels[level, 2] == length
            and (length <= 8 or _same_bytes(data, start, levels[level, 1], length))
        )
    ):
        slot = (slot + 1) & (len(slots) - 1)
        level = slots[slot]
        n_steps += 1
    return slot, level, n_steps


@compiled(types.void(_INT64[::1], _INT64, _INT64, _INT64, _INT64))
def _describe(level: Array, column: int, start: int, length: int, code: int) -> None:
    level[0] = column
    level[1] = start
    level[2] = length
    level[3] = code


@compiled(_INT64(_BYTES, _INT64))
def _end_of_line(data: Array, at: int) -> int:
    """Where the next line starts after a line's last cell; the file may end there, too."""
    end = len(data)
    if at + 1 < end and data[at] == _CR:
        at += 1
    if at == end:
        return at
    return at + 1 if data[at] == _LF else UNUSUAL


@compiled(
    types.UniTuple(_INT64, 3)(
        _BYTES,
        types.UniTuple(_INT64, 3),
        _INT64,
        types.Array(types.int8, 1, "C", readonly=True),
        types.Array(_FLOAT64, 2, "C", readonly=True),
        types.Array(_INT64, 1, "C", readonly=True),
        _INT64[::1],
        _INT32[::1],
        _UINT64[::1],
        _INT64[:, ::1],
        _INT32[:, ::1],
        _FLOAT64[:, ::1],
        _INT64[:, ::1],
    ),
)
def parse_records(
    data: Array,
    state: tuple[int, int, int],
    n_records: int,
    kinds: Array,
    bounds: Array,
    max_levels: Array,
    counts: Array,
    slots: Array,
    keys: Array,
    levels: Array,
    codes: Array,
    numbers: Array,
    integers: Array,
) -> tuple[int, int, int]:
    """Fill `codes`, `numbers` and `integers` until all is read or `levels` might be too small.

    Parameters
    ----------
    data : uint8 array
        The file.
    state : tuple of int
        The byte and the number of the record to start with, and how many values were met before.
    n_records : int
        How many lines there are from the first record on.
    kinds : int8 array, shape (n_columns,)
        `CATEGORY`, `NUMBER` or `INTEGER`; the columns of a kind fill the rows of its array in order.
    bounds : float64 array, shape (n_columns, 2)
        Lowest and highest number.
    max_levels, counts : int64 arrays, shape (n_columns,)
        How many distinct values a category may have, and how many were met.
    slots : int32 array
        The table of values: positions in `levels` or -1; its length is a power of 2.
    keys : uint64 array, shape (len(slots) / 2,)
    levels : int64 array, shape (len(slots) / 2, 4)
        Column, first byte, length and code of each distinct value, in order of meeting.
    codes, numbers, integers : arrays, shape (columns of the kind, at least n_records)

    Returns
    -------
    tuple of int
        The state to go on with; `UNUSUAL` in place of the first byte where that cannot be.
    """
    at, first_record, n_levels = state
    unusual = (UNUSUAL, 0, 0)
    end = len(data)
    n_columns = len(kinds)
    for record in range(first_record, n_records):
        if n_levels + n_columns > len(keys):
            return at, record, n_levels
        line = at
        i_code = i_number = i_integer = 0
        for column in range(n_columns):
            quoted = at < end and data[at] == _QUOTE
            at += quoted
            if kinds[column] == CATEGORY:
                start = at
                at, key = _scan_category(data, at, quoted)
                length = at - start
                slot, level, n_steps = _find(data, start, length, key, column, slots, keys, levels)
                if n_steps == MAX_STEPS:
                    return unusual
                if level < 0:
                    if counts[column] >= max_levels[column] or length > MAX_LEVEL_BYTES:
                        return unusual
                    level = n_levels
                    slots[slot] = level
                    keys[level] = key
                    _describe(levels[level], column, start, length, counts[column])
                    counts[column] += 1
                    n_levels += 1
                codes[i_code, record] = levels[level, 3]
                i_code += 1
            else:
                integral = kinds[column] == INTEGER
                at, number = _scan_number(data, at, integral)
                if at == UNUSUAL or not (bounds[column, 0] <= number <= bounds[column, 1]):
                    return unusual
                if integral:
                    integers[i_integer, record] = np.int64(number)
                    i_integer += 1
                else:
                    numbers[i_number, record] = number
                    i_number += 1
            if quoted:
                if at == end or data[at] != _QUOTE:
                    return unusual
                at += 1
            if column < n_columns - 1:
                if at == end or data[at] != _COMMA:
                    return unusual
                at += 1
        if at == line:  # an empty line is a record of no cells, not of one empty cell
            return unusual
        at = _end_of_line(data, at)
        if at == UNUSUAL or at - line > MAX_LINE_BYTES:
            return unusual
    return (at, n_records, n_levels) if at == end else unusual


@compiled(_INT64(_BYTES, _INT64))
def count_line_feeds(data: Array, at: int) -> int:
    """How many line feeds there are from byte `at` on."""
    n_line_feeds = 0
    for i in range(at, len(data)):
        n_line_feeds += data[i] == _LF
    return n_line_feeds


@compiled(types.boolean(_BYTES, _INT64, _INT64, _INT64, _INT64[::1]))
def parse_rows(data: Array, at: int, low: int, high: int, rows: Array) -> bool:
    """Fill `rows`, one a line, from byte `at` on, less 1; whether all lie within the bounds.

    An empty line is 0.
    """
    for line in range(len(rows)):
        start = at
        at, row = _scan_digits(data, start)
        if at - start > MAX_DIGITS or row < low or row > high:
            return False
        rows[line] = row - 1
        at = _end_of_line(data, at)
        if at == UNUSUAL:
            return False
    return at == len(data)
