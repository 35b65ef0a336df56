# SPDX-License-Identifier: Apache-2.0
"""Signatures, m-uniqueness and m-eligibility: definitions 6, 7 and 9, the last one put right.

Definition 9 is printed upside down: a table is m-eligible where the most frequent value has at most one in m of
its tuples, so the empty table is eligible.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.tables import Release
from scoring.tables.equivalence import IntArray

Signature = tuple[int, ...]
"""The sensitive values of a group, as ascending codes."""


def signatures(release: Release) -> list[Signature]:
    """The signature of each group, in the order of the groups' numbers (definition 6).

    Examples
    --------
    >>> from scoring.formats.sequential.tables import Release
    >>> box = np.zeros((3, 1))
    >>> signatures(Release(np.array([1, 2, 1]), box, box, np.array([4, 1, 0]), None, {}, None))
    [(0, 4), (1,)]
    """
    groups = Groups.of(release)
    order = np.lexsort((release.sensitive, groups.of_row))
    values = release.sensitive[order].tolist()
    starts = groups.starts.tolist()
    return [tuple(dict.fromkeys(values[a:b])) for a, b in pairwise(starts)]


def repeated_values(release: Release) -> IntArray:
    """The rows whose group has their value in an earlier row, in order.

    Examples
    --------
    >>> from scoring.formats.sequential.tables import Release
    >>> box = np.zeros((3, 1))
    >>> repeated_values(Release(np.array([1, 1, 1]), box, box, np.array([4, 1, 4]), None, {}, None))
    array([2])
    """
    order = np.lexsort((release.sensitive, release.group))
    group, value = release.group[order], release.sensitive[order]
    again = (group[1:] == group[:-1]) & (value[1:] == value[:-1])
    found: IntArray = np.sort(order[1:][again])
    return found


def small_groups(release: Release, m: int) -> IntArray:
    """The groups with fewer than m rows: number, first row and number of rows; shape (n, 3).

    Examples
    --------
    >>> from scoring.formats.sequential.tables import Release
    >>> box = np.zeros((3, 1))
    >>> small_groups(Release(np.array([1, 2, 1]), box, box, np.array([4, 1, 0]), None, {}, None), 2)
    array([[2, 1, 1]])
    """
    found = np.unique(release.group, return_index=True, return_counts=True)
    small: IntArray = np.column_stack(found)[found[2] < m]
    return small


def is_m_unique(release: Release, m: int) -> bool:
    """True if each group has at least m rows, all of different values (definition 7)."""
    return not len(small_groups(release, m)) and not len(repeated_values(release))


def excess(counts: IntArray, m: int) -> int:
    """By how much m times the largest count is above the number of tuples: eligible where at most 0.

    Examples
    --------
    >>> excess(np.array([2, 1, 1]), 2), excess(np.array([2, 1]), 2), excess(np.array([0]), 2)
    (0, 1, 0)
    """
    return int(m * counts.max(initial=0) - counts.sum())
