# SPDX-License-Identifier: Apache-2.0
"""The rows of all releases of a series, and what of each does not change through the life of its entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.definitions import Signature, signatures
from scoring.formats.sequential.tables import Release
from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of all releases, one release after the other.

    Attributes
    ----------
    kind : int64 array, shape (n_rows,)
        What does not change through a life: the sensitive value, or that and the group's signature.
    group : int64 array, shape (n_rows,)
        Numbered from 0 through all releases.
    members : int64 array, shape (n_rows,)
        Rows, one group after the other.
    group_starts : int64 array, shape (n_groups + 1,)
        Group g has the rows members[group_starts[g]:group_starts[g + 1]].
    starts : int64 array, shape (n_times + 1,)
        The first row of each release.
    value : int64 array, shape (n_kinds,)
        The sensitive value of each kind.
    """

    kind: IntArray
    group: IntArray
    members: IntArray
    group_starts: IntArray
    starts: IntArray
    value: IntArray

    @classmethod
    def of(
        cls, releases: Sequence[Release], groups: Sequence[Groups], *, with_signature: bool = False
    ) -> Rows:
        """The rows of some releases, by value, or by value and signature."""
        starts = np.cumsum([0, *(len(release.group) for release in releases)])
        group_starts = [
            found.starts[:-1] + start for found, start in zip(groups, starts[:-1], strict=True)
        ]
        n_groups = np.cumsum([0, *(len(found.numbers) for found in groups)])
        value = np.concatenate([release.sensitive for release in releases])
        group = np.concatenate([f.of_row + n for f, n in zip(groups, n_groups[:-1], strict=True)])
        members = np.concatenate([f.rows + n for f, n in zip(groups, starts[:-1], strict=True)])
        bounds = np.append(np.concatenate(group_starts), starts[-1])
        if with_signature:
            pairs = np.column_stack([value, signature_numbers(releases)[group]])
            kinds, kind = np.unique(pairs, axis=0, return_inverse=True)
            return cls(kind, group, members, bounds, starts, kinds[:, 0].copy())
        kinds, kind = np.unique(value, return_inverse=True)
        return cls(kind, group, members, bounds, starts, kinds)


def signature_numbers(releases: Sequence[Release]) -> IntArray:
    """A number for each group of all releases, equal where signatures are."""
    numbers: dict[Signature, int] = {}
    found = [
        numbers.setdefault(signature, len(numbers))
        for release in releases
        for signature in signatures(release)
    ]
    return np.array(found, dtype=np.int64)
