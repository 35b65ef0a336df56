# SPDX-License-Identifier: Apache-2.0
"""The column `last` as an attacker reads it, published for all groups or only where regions overlap (4.3).

A group with a number: a person in it that the release before held was there in a group of the signature of that number.
A group without one: such a person does not also lie in the region of another group with a value in common, for then
there would be a number. Where nothing is said of a person's group its signature may have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.errors import Collector
from scoring.formats.sequential.rows import Rows, signature_numbers
from scoring.formats.sequential.tables import Release
from scoring.kernels.graphs import join
from scoring.tables.equivalence import IntArray

_UNTOLD, _SILENT = -1, -2


def check_last(releases: Sequence[Release]) -> None:
    """Refuse numbers that no group of the release before has.

    Raises
    ------
    ProblemsFound
        Naming the releases and the rows.
    """
    problems = Collector()
    for time, release in enumerate(releases):
        if release.last is None:
            continue
        before = releases[time - 1].group if time else np.zeros(0, dtype=np.int64)
        is_unknown = (release.last > 0) & ~np.isin(release.last, before)
        for row in np.flatnonzero(is_unknown).tolist():
            problems.add(
                "release.unknown_last",
                file=f"R{time + 1}",
                row=row + 1,
                column="last",
                expected=int(before.max(initial=0)),
                got=int(release.last[row]),
            )
    problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class LastColumn:
    """The number in `last` of each group, groups numbered from 0 through all releases.

    Attributes
    ----------
    signature : int64 array, shape (n_groups,)
    before : int64 array, shape (n_groups,)
        The signature that its people had before; -1 where there is no number, -2 where there is no column.
    """

    signature: IntArray
    before: IntArray

    @classmethod
    def of(cls, releases: Sequence[Release]) -> LastColumn:
        signature = signature_numbers(releases)
        parts, n_groups = [], 0
        of_number: dict[int, int] = {}
        for release in releases:
            numbers, first = np.unique(release.group, return_index=True)
            if release.last is None:
                parts.append(np.full(len(numbers), _SILENT))
            else:
                last = release.last[first].tolist()
                parts.append(np.array([of_number.get(n, _UNTOLD) for n in last], dtype=np.int64))
            own = signature[n_groups : n_groups + len(numbers)]
            of_number = dict(zip(numbers.tolist(), own.tolist(), strict=True))
            n_groups += len(numbers)
        return cls(signature, np.concatenate(parts))

    def possible(
        self, rows: Rows, first: IntArray, time: IntArray, slot: IntArray, row: IntArray
    ) -> NDArray[np.bool_]:
        """The pairs of a slot and a row that `last` leaves; groups stay or go as a whole.

        Parameters
        ----------
        rows : Rows
        first, time : int64 arrays
            As in `scoring.formats.sequential.worlds.Places`.
        slot, row : int64 arrays, shape (n,)
            The pairs, by slot.
        """
        group = rows.group[row]
        before, own = self.before[group], self.signature[group]
        is_old = _is_old(first, len(time))[slot]
        kept: NDArray[np.bool_] = ~(
            is_old & (before == _UNTOLD) & _shares(slot, group, rows.value[rows.kind[row]])
        )
        n_signatures = int(self.signature.max(initial=-1)) + 1
        for now in range(1, int(time.max(initial=0)) + 1):
            is_asked = is_old & (before >= 0) & (time[slot] == now)
            had = np.unique((slot * n_signatures + own)[kept & (time[slot] == now - 1)])
            kept[is_asked] &= np.isin((slot[is_asked] - 1) * n_signatures + before[is_asked], had)
        return kept

    def joined(
        self, rows: Rows, first: IntArray, time: IntArray, slot: IntArray, row: IntArray
    ) -> Rows:
        """The rows with one kind for all signatures of a value between which a person may have changed.

        The parameters are those of `possible`; the kinds of the rows are their values with their signatures.
        """
        n_kinds, n_values = len(rows.value), int(rows.value.max(initial=-1)) + 1
        kind, before = rows.kind[row], self.before[rows.group[row]]
        now = slot * n_values + rows.value[kind]  # a slot with a value
        is_old = _is_old(first, len(time))[slot]
        is_silent, is_told = is_old & (before < 0), is_old & (before >= 0)
        changes = np.unique(now[is_silent] - n_values)  # from these to the slot after them
        is_left = np.isin(now, changes)
        ends = [
            (kind[is_silent], n_kinds + np.searchsorted(changes, now[is_silent] - n_values)),
            (kind[is_left], n_kinds + np.searchsorted(changes, now[is_left])),
            self._same(rows, kind[is_told], before[is_told]),
        ]
        one, other = (np.concatenate(side) for side in zip(*ends, strict=True))
        label = np.arange(n_kinds + len(changes))
        join(one, other, label)
        kinds, new = np.unique(label[:n_kinds], return_inverse=True)
        return replace(rows, kind=new[rows.kind], value=rows.value[kinds])

    def _same(self, rows: Rows, kind: IntArray, before: IntArray) -> tuple[IntArray, IntArray]:
        """Kinds, and those of the same values with the signatures before, where there are such."""
        n_signatures = int(self.signature.max(initial=-1)) + 1
        key = np.empty(len(rows.value), dtype=np.int64)
        key[rows.kind] = rows.value[rows.kind] * n_signatures + self.signature[rows.group]
        wanted = rows.value[kind] * n_signatures + before
        is_there = np.isin(wanted, key)
        return kind[is_there], np.searchsorted(key, wanted[is_there])


def _is_old(first: IntArray, n_slots: int) -> NDArray[np.bool_]:
    """The slots of entities that were also in the release before."""
    found = np.ones(n_slots, dtype=np.bool_)
    found[first[:-1][np.diff(first) > 0]] = False
    return found


def _shares(slot: IntArray, group: IntArray, value: IntArray) -> NDArray[np.bool_]:
    """Of pairs of a slot and a row of a group: whether another group of the slot has a value in common with it."""
    n_groups, n_values = int(group.max(initial=0)) + 1, int(value.max(initial=0)) + 1
    own = (slot * n_groups + group) * n_values + value
    _keys, of_own, n_own = np.unique(own, return_inverse=True, return_counts=True)
    _keys, of_all, n_all = np.unique(
        slot * n_values + value, return_inverse=True, return_counts=True
    )
    is_shared = n_all[of_all] > n_own[of_own]
    _keys, of_group = np.unique(slot * n_groups + group, return_inverse=True)
    found = np.zeros(of_group.max(initial=-1) + 1, dtype=np.bool_)
    np.logical_or.at(found, of_group, is_shared)
    answer: NDArray[np.bool_] = found[of_group]
    return answer
