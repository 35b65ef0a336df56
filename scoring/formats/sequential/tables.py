# SPDX-License-Identifier: Apache-2.0
"""The tables of a sequential release: those of the publisher at each time, and the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.tables.equivalence import IntArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A quasi-identifier: numeric, or categories in an order, whose codes are 0, 1, 2 …"""

    name: str
    values: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """T(j), the table at one time.

    Attributes
    ----------
    ids : int64 array, shape (n,)
        Positions in `Microdata.ids`.
    qi : float64 array, shape (n, d)
        Categories as codes.
    sensitive : int64 array, shape (n,)
        Codes of `Microdata.sensitive_values`.
    """

    ids: IntArray
    qi: FloatArray
    sensitive: IntArray


@dataclass(frozen=True, slots=True)
class Microdata:
    """T(1) … T(n), over one list of ids and one list of sensitive values."""

    attributes: tuple[Attribute, ...]
    sensitive_name: str
    sensitive_values: tuple[str, ...]
    ids: tuple[str, ...]
    snapshots: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """T*(j), a published table: one row for each tuple or counterfeit.

    Attributes
    ----------
    group : int64 array, shape (rows,)
        From 1.
    low, high : float64 arrays, shape (rows, d)
        The region of the row's group.
    sensitive : int64 array, shape (rows,)
    last : int64 array, shape (rows,), or None
        The row's group in the release before, 0 where it was in none; None where not published.
    counterfeits : mapping
        Group to how many of its rows are counterfeits; empty where unknown.
    owner : int64 array, shape (rows,), or None
        The publisher's secret: position of the id of each row, -1 for a counterfeit; None where the release was
        read from a file.
    """

    group: IntArray
    low: FloatArray
    high: FloatArray
    sensitive: IntArray
    last: IntArray | None
    counterfeits: Mapping[int, int]
    owner: IntArray | None

    def told(self, groups: IntArray) -> IntArray:
        """The published number of counterfeits of some groups, by their numbers.

        Examples
        --------
        >>> box = np.zeros((3, 1))
        >>> release = Release(np.array([7, 9, 9]), box, box, np.array([0, 0, 1]), None, {9: 2}, None)
        >>> release.told(np.array([7, 9]))
        array([0, 2])
        """
        found = [self.counterfeits.get(group, 0) for group in groups.tolist()]
        return np.array(found, dtype=np.int64)


def lifespans(microdata: Microdata) -> tuple[IntArray, IntArray]:
    """The first and the last time of each id, from 0 (definition 3).

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> first, last = lifespans(SMALL)
    >>> dict(zip(SMALL.ids, zip(first.tolist(), last.tolist())))["Bob"]
    (0, 1)
    """
    first = np.full(len(microdata.ids), len(microdata.snapshots), dtype=np.int64)
    last = np.full(len(microdata.ids), -1, dtype=np.int64)
    for time, snapshot in enumerate(microdata.snapshots):
        first[snapshot.ids] = np.minimum(first[snapshot.ids], time)
        last[snapshot.ids] = time
    return first, last


def by_text(values: Sequence[str]) -> tuple[IntArray, IntArray]:
    """The codes of values in the order of their texts, and the place of each code in that order.

    Examples
    --------
    >>> by_text(("flu", "pneumonia", "angina"))
    (array([2, 0, 1]), array([1, 2, 0]))
    """
    order = np.array(sorted(range(len(values)), key=values.__getitem__), dtype=np.int64)
    return order, np.argsort(order)


def true_codes(microdata: Microdata) -> IntArray:
    """The code of each id's sensitive value; -1 where it is in no table.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> SMALL.sensitive_values[true_codes(SMALL)[SMALL.ids.index("Emily")]]
    'dyspepsia'
    """
    codes = np.full(len(microdata.ids), -1, dtype=np.int64)
    for snapshot in microdata.snapshots:
        codes[snapshot.ids] = snapshot.sensitive
    return codes
