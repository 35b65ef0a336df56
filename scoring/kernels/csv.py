# SPDX-License-Identifier: Apache-2.0
"""Ordinary CSV files to arrays, in one pass over their bytes.

A kernel either answers that all is fine or stops at the first thing that is wrong or merely rare; it
never says what: the careful reader then goes over the whole file.

The ends of cells are found first, 64 bytes at a time, as the set bits of a mask (G. Langdale and D.
Lemire, "Parsing Gigabytes of JSON per Second", section 3.1); commas within quotation marks drop out by
parity. With both its ends known, no cell waits for the one before it. Digits are gathered eight
at a time, as one little-endian word (H. S. Warren, "Hacker's Delight", section 6-1).
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

BLOCK = 64  # bytes that are searched together
_N_ENDS = 4_096  # ends of cells found at a time
_USUAL_ENDS = 16  # of a block

MAX_DIGITS = 15
MAX_DECIMALS = 9
MAX_LEVEL_BYTES = 1_000
SHORT = 16  # bytes of which a value's keys say all
MAX_LINE_BYTES = 1_000_000
MAX_STEPS = 200
"""Of one search in the table of values: chosen to collide, values would make reading quadratic."""

_LF, _CR, _QUOTE, _COMMA, _MINUS, _POINT = 10, 13, 34, 44, 45, 46
_CONTROLS = 14  # bytes under it: NUL, tab, LF, CR and others

_U = np.uint64
_ONE, _EIGHT = _U(1), _U(8)
_ONES = _U(0x0101010101010101)
_HIGHS = _U(0x8080808080808080)
_ZEROS = _ONES * _U(ord("0"))
_ABOVE_NINE = _ONES * _U(0x80 - 10)
_PAIRS, _FOURS = _U(0x000000FF000000FF), _U(16)
_FIRST_FACTORS, _SECOND_FACTORS = _U(100 + (1_000_000 << 32)), _U(1 + (10_000 << 32))
_TEN, _HALF = _U(10), _U(32)
_MULTIPLIER = _U(0x9E3779B97F4A7C15)
_SECOND_MULTIPLIER = _U(0xD6E8FEB86659FD93)
_FOLD = _U(29)

_POWERS = np.array([10**i for i in range(MAX_DECIMALS + 1)], np.int64)
_EXACT_WHOLE = 2**53 // _POWERS - 1  # up to it, the number times 10^decimals is under 2^53

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
    """The number of zero bits below the lowest one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(word), generate


@compiled(_INT64(_UINT64))
def _n_before(marks: Any) -> Any:
    """The number of bytes before the first flagged one."""
    return _n_zeros(marks) >> 3


def _mask_of(comparison: str) -> Callable[..., Any]:
    """An intrinsic: the mask of those of 64 bytes from `at` on that compare so with a byte."""

    def mask(typing_context: Any, data: Any, at: Any, byte: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.gep(array.data, [arguments[1]])
            vector = ir.VectorType(ir.IntType(8), BLOCK)
            values = builder.load(builder.bitcast(address, vector.as_pointer()), align=1)
            first = builder.trunc(arguments[2], ir.IntType(8))
            undefined = ir.Constant(vector, ir.Undefined)
            lane = builder.insert_element(undefined, first, ir.Constant(ir.IntType(32), 0))
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
            bytes_ = builder.shuffle_vector(lane, undefined, lanes)
            found = builder.icmp_unsigned(comparison, values, bytes_)
            return builder.bitcast(found, ir.IntType(BLOCK))

        return types.uint64(data, at, types.int64), generate

    return intrinsic(mask)


_equal = _mask_of("==")
_below = _mask_of("<")


@intrinsic
def _n_ones(typing_context: Any, word: Any) -> Any:
    """The number of bits that are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(word), generate


@compiled(_UINT64(_UINT64, _INT64))
def _first_bytes(word: Any, n_bytes: int) -> Any:
    """The word with zeros after its first `n_bytes` bytes, of which there are fewer than eight."""
    return word & ((_ONE << _U(8 * n_bytes)) - _ONE)


@compiled(_UINT64(_UINT64))
def _mixed(key: Any) -> Any:
    return (key ^ (key >> _FOLD)) * _MULTIPLIER


@compiled(types.UniTuple(_UINT64, 2)(_BYTES, _INT64, _INT64))
def _short_keys(data: Array, start: int, length: int) -> tuple[Any, Any]:
    """The two keys of a cell of up to `SHORT` bytes, with the length all of it.

    The second key is the first eight bytes of a longer cell, else 0; the first key has the others.
    The length cannot be foreseen, so that nothing branches on it. Eight bytes from the start of the
    cell and eight before its end lie within the file.
    """
    unused = _U(64 - 8 * min(length, 8))
    half = unused >> _ONE  # a shift by 64 is none
    before = _load(data, start) * _U(length > 8)
    last = (_load(data, start + length - 8) >> half) >> (unused - half)
    return last ^ _mixed(before), before


@compiled(types.UniTuple(_UINT64, 2)(_BYTES, _INT64, _INT64))
def _keys(data: Array, start: int, length: int) -> tuple[Any, Any]:
    """The two keys of any cell: those of `_short_keys` where it is short."""
    if length < 8:
        return _first_bytes(_word(data, start), length), _U(0)
    before = _word(data, start) * _U(length > 8)
    last = start + length - 8
    for at in range(start + 8, last, 8):
        before = _mixed(before) ^ _word(data, at)
    return _word(data, last) ^ _mixed(before), before


@compiled(types.boolean(_BYTES, _INT64, _INT64))
def _has_quote(data: Array, start: int, end: int) -> bool:
    n_quotes = 0
    for at in range(start, end):
        n_quotes += data[at] == _QUOTE
    return n_quotes > 0


@compiled(_INT64(_UINT64))
def _eight_digits(digits: Any) -> int:
    """The number of eight digits, a byte each, the first one lowest."""
    digits = digits * _TEN + (digits >> _EIGHT)
    digits = (
        (digits & _PAIRS) * _FIRST_FACTORS + ((digits >> _FOURS) & _PAIRS) * _SECOND_FACTORS
    ) >> _HALF
    return int(digits)


@compiled(types.Tuple((_INT64, _INT64))(_BYTES, _INT64))
def _scan_digits(data: Array, at: int) -> tuple[int, int]:
    """The end of the digits that start at `at`, and their value: right up to 16 of them."""
    number = 0
    while True:
        digits = _word(data, at) ^ _ZEROS
        marks = ((digits + _ABOVE_NINE) | digits) & _HIGHS
        n_digits = _n_before(marks) if marks else 8
        if n_digits == 0:
            return at, number
        number = number * _POWERS[n_digits] + _eight_digits(digits << _U(64 - 8 * n_digits))
        at += n_digits
        if marks:
            return at, number


@compiled(_INT64(_BYTES, _INT64, _INT64))
def _short_integer(data: Array, start: int, end: int) -> int:
    """The number of one to eight digits that fills a cell; `UNUSUAL` where it is another one, or rare."""
    if end - start > 8 or end == start or end < 8:
        return UNUSUAL
    shift = _U(64 - 8 * (end - start))
    digits = ((_load(data, end - 8) ^ _ZEROS) >> shift) << shift
    if ((digits + _ABOVE_NINE) | digits) & _HIGHS:
        return UNUSUAL
    return _eight_digits(digits)


@compiled(_FLOAT64(_INT64, _INT64, _INT64))
def to_float(whole: int, fraction: int, n_decimals: int) -> float:
    """The double nearest to `whole` + `fraction` / 10^`n_decimals`, of two the even one.

    `whole` has at most `MAX_DIGITS` digits, and `n_decimals` is at most `MAX_DECIMALS`.
    """
    scale = _POWERS[n_decimals]
    if whole <= _EXACT_WHOLE[n_decimals]:
        return float(whole * scale + fraction) / float(scale)  # rounds once: both are exact
    # Of the 53 bits, 23 or more are before the point: append bits of the fraction, then round.
    shift = 0
    while (whole << shift) < (1 << 52):
        shift += 1
    mantissa = (whole << shift) + (fraction << shift) // scale
    twice_left = 2 * ((fraction << shift) % scale)
    if twice_left > scale or (twice_left == scale and mantissa & 1):
        mantissa += 1
    return float(mantissa) / float(1 << shift)


@compiled(types.Tuple((_INT64, _FLOAT64))(_BYTES, _INT64, _INT64))
def _scan_number(data: Array, at: int, most_decimals: int) -> tuple[int, float]:
    """The end of the number that starts at `at`, `UNUSUAL` if there is none, and its value."""
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
        if n_decimals == 0 or n_decimals > most_decimals:
            return UNUSUAL, 0.0
    number = to_float(whole, fraction, n_decimals)
    return at, -number if negative and number > 0 else number  # -0 is 0


@compiled(_INT64(_UINT64, _INT64, _INT64))
def _slot(key: Any, column: int, n_slots: int) -> Any:
    """The start of the search for a value."""
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
        _BYTES, _INT64, _INT64, _UINT64, _UINT64, _INT64, _INT32[::1], _UINT64[::1], _INT64[:, ::1]
    ),
)
def _find(
    data: Array,
    start: int,
    length: int,
    key: Any,
    before: Any,
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
            (
                (keys[level] ^ key)
                | (_U(levels[level, 4]) ^ before)
                | _U(levels[level, 0] ^ column)
                | _U(levels[level, 2] ^ length)
            )
            == 0
            and (length <= SHORT or _same_bytes(data, start, levels[level, 1], length))
        )
    ):
        slot = (slot + 1) & (len(slots) - 1)
        level = slots[slot]
        n_steps += 1
    return slot, level, n_steps


@compiled(types.void(_INT64[::1], _INT64, _INT64, _INT64, _INT64, _UINT64))
def _describe(level: Array, column: int, start: int, length: int, code: int, before: Any) -> None:
    level[0] = column
    level[1] = start
    level[2] = length
    level[3] = code
    level[4] = before


@compiled(_INT64(_BYTES, _INT64))
def _end_of_line(data: Array, at: int) -> int:
    """The start of the next line after a line's last cell; the file may end there, too."""
    end = len(data)
    if at + 1 < end and data[at] == _CR:
        at += 1
    if at == end:
        return at
    return at + 1 if data[at] == _LF else UNUSUAL


@compiled(types.UniTuple(_UINT64, 4)(_BYTES, _INT64))
def _masks(data: Array, at: int) -> tuple[Any, Any, Any, Any]:
    """The positions of commas and line feeds, quotation marks, carriage returns, and other controls in a block."""
    feeds, returns = _equal(data, at, _LF), _equal(data, at, _CR)
    controls = _below(data, at, _CONTROLS) ^ feeds ^ returns
    return feeds | _equal(data, at, _COMMA), _equal(data, at, _QUOTE), returns, controls


@compiled(types.UniTuple(_INT64, 4)(_BYTES, _INT64, _INT64, _INT64[::1], _INT64))
def _find_ends(
    data: Array, at: int, in_quotes: int, ends: Array, n_ends: int
) -> tuple[int, int, int, int]:
    """Append the ends of cells from byte `at` on to the first `n_ends` of `ends`, until these are nearly full.

    The byte to go on with, whether it is in quotation marks (-1, else 0), how many ends there are
    then, `UNUSUAL` where something is, and whether a quotation mark was met. The end of a file
    whose last line does not end is the end of a cell.
    """
    size = len(data)
    has_quotes = 0
    while at < size and n_ends <= len(ends) - 2 * BLOCK:
        if at + BLOCK <= size:
            found, quotes, returns, controls = _masks(data, at)
        else:
            rest = np.full(BLOCK, _U(_POINT), np.uint8)
            rest[: size - at] = data[at:]
            found, quotes, returns, controls = _masks(rest, 0)
        if controls:
            return at, in_quotes, UNUSUAL, has_quotes
        while returns:  # a line feed has to follow
            after = at + _n_zeros(returns) + 1
            if after >= size or data[after] != _LF:
                return at, in_quotes, UNUSUAL, has_quotes
            returns &= returns - _ONE
        if quotes or in_quotes:
            has_quotes = 1
            inside = quotes ^ _U(in_quotes & 1)
            for shift in (1, 2, 4, 8, 16, 32):  # each bit the parity of those up to it
                inside ^= inside << _U(shift)
            found &= ~inside
            in_quotes = int(np.int64(inside)) >> 63
        n_found = _n_ones(found)
        for i in range(_USUAL_ENDS):
            ends[n_ends + i] = at + _n_zeros(found)
            found &= found - _ONE
        for i in range(_USUAL_ENDS, n_found):
            ends[n_ends + i] = at + _n_zeros(found)
            found &= found - _ONE
        n_ends += n_found
        at += BLOCK
    if at >= size and data[size - 1] != _LF:
        ends[n_ends] = size
        n_ends += 1
    return at, in_quotes, n_ends, has_quotes


@compiled(
    types.UniTuple(_INT64, 3)(
        _BYTES,
        types.UniTuple(_INT64, 3),
        _INT64,
        types.Array(types.int8, 1, "C", readonly=True),
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
    decimals: Array,
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
    decimals : int8 array, shape (n_columns,)
        How many a number may have, up to `MAX_DECIMALS`; 0 for an integer.
    bounds : float64 array, shape (n_columns, 2)
        Lowest and highest number.
    max_levels, counts : int64 arrays, shape (n_columns,)
        How many distinct values a category may have, and how many were met.
    slots : int32 array
        The table of values: positions in `levels` or -1; its length is a power of 2.
    keys : uint64 array, shape (len(slots) / 2,)
    levels : int64 array, shape (len(slots) / 2, 5)
        Column, first byte, length, code and second key of each distinct value, in order of meeting.
    codes, numbers, integers : arrays, shape (columns of the kind, at least n_records)

    Returns
    -------
    tuple of int
        The state to go on with; `UNUSUAL` in place of the first byte where that cannot be.
    """
    at, first_record, n_levels = state
    unusual = (UNUSUAL, 0, 0)
    n_columns = len(kinds)
    ends = np.empty(2 * n_columns + _N_ENDS, np.int64)
    searched, in_quotes = at, 0
    i_end = n_ends = has_quotes = 0
    for record in range(first_record, n_records):
        if n_levels + n_columns > len(keys):
            return at, record, n_levels
        if n_ends - i_end < n_columns:
            n_ends -= i_end
            for i in range(n_ends):
                ends[i] = ends[i_end + i]
            i_end = 0
            if searched < len(data):
                searched, in_quotes, n_ends, met = _find_ends(
                    data, searched, in_quotes, ends, n_ends
                )
                has_quotes |= met
            if n_ends < n_columns:
                return unusual
        line = at
        i_code = i_number = i_integer = 0
        for column in range(n_columns):
            start, end = at, ends[i_end]
            at = end + 1
            i_end += 1
            if column < n_columns - 1:
                if data[end] != _COMMA:
                    return unusual
            else:
                if end < len(data) and data[end] != _LF:
                    return unusual
                if end > line and data[end - 1] == _CR:
                    end -= 1
                if end == line:  # an empty line is a record of no cells, not of one empty cell
                    return unusual
            if has_quotes and end > start and data[start] == _QUOTE:
                if end - start < 2 or data[end - 1] != _QUOTE:
                    return unusual
                start += 1
                end -= 1
            if kinds[column] == CATEGORY:
                if has_quotes and _has_quote(data, start, end):
                    return unusual
                length = end - start
                if length <= SHORT and end >= 8 and start + 8 <= len(data):
                    key, before = _short_keys(data, start, length)
                else:
                    key, before = _keys(data, start, length)
                slot, level, n_steps = _find(
                    data, start, length, key, before, column, slots, keys, levels
                )
                if n_steps == MAX_STEPS:
                    return unusual
                if level < 0:
                    if counts[column] >= max_levels[column] or length > MAX_LEVEL_BYTES:
                        return unusual
                    level = n_levels
                    slots[slot] = level
                    keys[level] = key
                    _describe(levels[level], column, start, length, counts[column], before)
                    counts[column] += 1
                    n_levels += 1
                codes[i_code, record] = levels[level, 3]
                i_code += 1
            else:
                integral = kinds[column] == INTEGER
                number = float(_short_integer(data, start, end))
                if number < 0:
                    stop, number = _scan_number(data, start, decimals[column])
                    if stop != end:
                        return unusual
                if not (bounds[column, 0] <= number <= bounds[column, 1]):
                    return unusual
                if integral:
                    integers[i_integer, record] = np.int64(number)
                    i_integer += 1
                else:
                    numbers[i_number, record] = number
                    i_number += 1
        if min(at, len(data)) - line > MAX_LINE_BYTES:
            return unusual
    return (at, n_records, n_levels) if at >= len(data) else unusual


@compiled(_INT64(_BYTES, _INT64))
def count_line_feeds(data: Array, at: int) -> int:
    """The number of line feeds from byte `at` on."""
    n_line_feeds = 0
    while at + BLOCK <= len(data):
        n_line_feeds += _n_ones(_equal(data, at, _LF))
        at += BLOCK
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
