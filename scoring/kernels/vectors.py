# SPDX-License-Identifier: Apache-2.0
"""Vectors of values as whole numbers: mixed-radix codes, and a hash table that numbers them."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.kernels.deferred import compiled, njit, types

_INT64 = types.Array(types.int64, 1, "C", readonly=True)
_INT32 = types.Array(types.int32, 1, "C", readonly=True)

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: neighbours fall far apart
_FOLD = np.uint64(32)


@compiled(
    types.void(types.int64[::1], _INT32, _INT64, types.int64, types.int64, types.int64),
    work=lambda *each: each[5] - each[4],
)
def append_code(keys: Any, codes: Any, places: Any, size: Any, begin: Any, end: Any) -> Any:
    """Make the vectors of `keys[begin:end]` one column longer; -1 where a value is none of `size`.

    `places` says for each code which of the values it is, -1 for none.
    """
    for i in range(begin, end):
        place = places[codes[i]]
        longer = keys[i] * size + place
        keys[i] = longer if keys[i] >= 0 and place >= 0 else np.int64(-1)


def _plainly_mixed(key: Any) -> int:
    mixed = int(key) * int(_MULTIPLIER) & 0xFFFF_FFFF_FFFF_FFFF
    return mixed ^ mixed >> int(_FOLD)


@njit(plain=_plainly_mixed)
def _mixed(key: Any) -> Any:
    """A key spread over 64 bits; the product overflows."""
    mixed = np.uint64(key) * _MULTIPLIER
    return mixed ^ (mixed >> _FOLD)


@njit
def _slot(table_keys: Any, table_numbers: Any, key: Any) -> Any:
    """The slot of a key in a hash table, or the free slot for it."""
    mask = len(table_keys) - 1
    slot = np.int64(np.uint64(_mixed(key)) & np.uint64(mask))
    while table_numbers[slot] >= 0 and table_keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled(
    types.int64(_INT64, types.int64[::1], types.int32[::1], types.int32[::1], types.int64),
    work=lambda keys, *_: len(keys),
)
def number(keys: Any, table_keys: Any, table_numbers: Any, numbers: Any, n_known: Any) -> Any:
    """Number the keys that have none yet (-1), equal ones alike, `n_known` and up; how many there are.

    The table has a power of two of slots, more than there are keys.
    """
    for i in range(len(keys)):
        if numbers[i] >= 0:
            continue
        if i and keys[i] == keys[i - 1] and numbers[i - 1] >= 0:
            numbers[i] = numbers[i - 1]
            continue
        slot = _slot(table_keys, table_numbers, keys[i])
        if table_numbers[slot] < 0:
            table_keys[slot] = keys[i]
            table_numbers[slot] = n_known
            n_known += 1
        numbers[i] = table_numbers[slot]
    return n_known


@compiled(
    types.void(_INT64, _INT64, _INT32, _INT64, _INT32, types.int32[::1], types.int64, types.int64),
    work=lambda *each: each[7] - each[6],
)
def locate(
    keys: Any,
    table_keys: Any,
    table_numbers: Any,
    known: Any,
    expected: Any,
    numbers: Any,
    begin: Any,
    end: Any,
) -> Any:
    """The number of each key of `keys[begin:end]` in a table, -1 where it has none.

    `known` has the keys by number; `expected[i]` is a number that key i probably has.
    """
    for i in range(begin, end):
        key = keys[i]
        if known[expected[i]] == key:
            numbers[i] = expected[i]
        elif key < 0:
            numbers[i] = -1
        else:
            numbers[i] = table_numbers[_slot(table_keys, table_numbers, key)]
