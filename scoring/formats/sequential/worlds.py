# SPDX-License-Identifier: Apache-2.0
"""Possible worlds: at every time each entity that lives then has a row of its own, and its value never changes.

Entities are the people of the microdata and, where the group of each counterfeit is published, the counterfeits.
Counterfeits of unknown group fit into every row: they have whatever rows the people leave over, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.errors import Problem, ProblemsFound
from scoring.formats.sequential.boxes import Grid, Groups
from scoring.formats.sequential.last_read import LastColumn
from scoring.formats.sequential.rows import Rows
from scoring.formats.sequential.tables import Microdata, Release, Snapshot, true_codes
from scoring.tables.equivalence import IntArray

MOST_PLACES = 10_000_000
"""Pairs of a record at a time and a row whose region contains it; so many take about a gigabyte."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of every entity that are consistent with its own regions and its value through its life.

    A slot is an entity at a time; those of entity e are first[e] to first[e + 1], in the order of time.

    Attributes
    ----------
    rows : Rows
    first : int64 array, shape (n_entities + 1,)
        People come first, as in `Microdata.ids`; a person who has not come yet has no slot.
    time : int64 array, shape (n_slots,)
    starts : int64 array, shape (n_slots + 1,)
    row : int64 array
        Slot s may be in the rows row[starts[s]:starts[s + 1]], which ascend.
    true_value : int64 array, shape (n_entities,)
        -1 for a counterfeit.
    """

    rows: Rows
    first: IntArray
    time: IntArray
    starts: IntArray
    row: IntArray
    true_value: IntArray

    @property
    def n_entities(self) -> int:
        return len(self.first) - 1

    @property
    def entity(self) -> IntArray:
        """The entity of each slot."""
        return np.repeat(np.arange(self.n_entities), np.diff(self.first))

    @property
    def spare(self) -> list[int]:
        """The number of rows of each release that remain for counterfeits of unknown group."""
        n_slots = np.bincount(self.time, minlength=len(self.rows.starts) - 1)
        return [int(n) for n in np.diff(self.rows.starts) - n_slots]

    @classmethod
    def of(
        cls,
        microdata: Microdata,
        releases: Sequence[Release],
        *,
        knows_counterfeits: bool = False,
        knows_invariance: bool = False,
        reads_last: bool = False,
    ) -> Places:
        """The places of all people, and of the counterfeits where their groups are known.

        With `reads_last` the column `last` is read, see `scoring.formats.sequential.last_read`.

        Examples
        --------
        >>> from scoring.formats.sequential.examples import SMALL
        >>> low, high = np.array([[21.0, 12_000]] * 4), np.array([[24.0, 25_000]] * 4)
        >>> release = Release(np.ones(4, int), low, high, np.array([0, 1, 0, 2]), None, {}, None)
        >>> places = Places.of(SMALL, [release])
        >>> places.first, places.starts, places.spare
        (array([0, 1, 2, 3, 4, 4]), array([ 0,  4,  8, 12, 16]), [0])
        """
        groups = [Groups.of(release) for release in releases]
        rows = Rows.of(releases, groups, with_signature=knows_invariance or reads_last)
        n_entities = len(microdata.ids)
        parts: list[_Part] = []
        for time, snapshot in enumerate(microdata.snapshots[: len(releases)]):
            parts.append(_of_people(snapshot, groups[time], time, int(rows.starts[time])))
        if knows_counterfeits:
            for time, release in enumerate(releases):
                part = _of_counterfeits(
                    release, groups[time], time, int(rows.starts[time]), n_entities
                )
                n_entities += len(part.entity)
                parts.append(part)
        edges = _Edges.of(parts, n_entities)
        if reads_last:
            last = LastColumn.of(releases)
            edges = edges.kept(last.possible(rows, edges.first, edges.time, edges.slot, edges.row))
            edges = edges.lasting(rows.value[rows.kind], int(rows.value.max(initial=-1)) + 1)
            rows = last.joined(rows, edges.first, edges.time, edges.slot, edges.row)
        return edges.places(rows, _true_values(microdata, n_entities))


def check_size(
    microdata: Microdata,
    releases: Sequence[Release],
    most: int = MOST_PLACES,
    *,
    knows_counterfeits: bool = False,
) -> None:
    """ProblemsFound where there are more places than fit into memory, or than is asked for; see `n_places`."""
    found = n_places(microdata, releases, knows_counterfeits=knows_counterfeits)
    if found > most:
        params: dict[str, str | int | float] = {"expected": most, "got": found}
        raise ProblemsFound([Problem("release.too_many_places", params)])


def n_places(
    microdata: Microdata, releases: Sequence[Release], *, knows_counterfeits: bool = False
) -> int:
    """The pairs of a person at a time and a row whose region contains it, and of a known counterfeit and a row of its
    group.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> low, high = np.array([[21.0, 12_000]] * 4), np.array([[24.0, 25_000]] * 4)
    >>> release = Release(np.ones(4, int), low, high, np.array([0, 1, 0, 2]), None, {}, None)
    >>> n_places(SMALL, [release])
    16
    """
    found = 0
    for snapshot, release in zip(microdata.snapshots, releases, strict=False):
        groups = Groups.of(release)
        anything = np.zeros(len(release.group), dtype=np.int64)
        n_rows = Grid.of(groups.low, groups.high).values(snapshot.qi, groups.starts, anything, 1)
        found += int(n_rows.sum())
        if knows_counterfeits:
            found += int((release.told(groups.numbers) * np.diff(groups.starts)).sum())
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """Slots of one release: the entity, and the number of rows of each; and the rows, slot after slot."""

    time: int
    entity: IntArray
    n_rows: IntArray
    row: IntArray


def _true_values(microdata: Microdata, n_entities: int) -> IntArray:
    """The codes of people, and -1 for counterfeits, which come after them."""
    values = np.full(n_entities, -1, dtype=np.int64)
    values[: len(microdata.ids)] = true_codes(microdata)
    return values


def _of_people(snapshot: Snapshot, groups: Groups, time: int, first_row: int) -> _Part:
    points, which = np.unique(snapshot.qi, axis=0, return_inverse=True)
    starts, boxes = Grid.of(groups.low, groups.high).holding(points)
    n_boxes = np.diff(starts)[which]
    held = boxes[ranges(starts[which], n_boxes)]
    sizes = np.diff(groups.starts)[held]
    rows = groups.rows[ranges(groups.starts[held], sizes)]
    slot = np.repeat(np.arange(len(which)), n_boxes)
    n_rows = np.bincount(slot, sizes, minlength=len(which)).astype(np.int64)
    return _Part(time, snapshot.ids, n_rows, rows + first_row)


def _of_counterfeits(
    release: Release, groups: Groups, time: int, first_row: int, first_entity: int
) -> _Part:
    counts = release.told(groups.numbers)
    group = np.repeat(np.arange(len(counts)), counts)
    n_rows = np.diff(groups.starts)[group]
    rows = groups.rows[ranges(groups.starts[group], n_rows)]
    return _Part(time, first_entity + np.arange(len(group)), n_rows, rows + first_row)


@dataclass(frozen=True, slots=True)
class _Edges:
    """All slots by entity and time, and the rows of each, which ascend."""

    first: IntArray
    time: IntArray
    entity: IntArray
    slot: IntArray
    row: IntArray

    @classmethod
    def of(cls, parts: Sequence[_Part], n_entities: int) -> _Edges:
        entity = np.concatenate([part.entity for part in parts])
        time = np.concatenate([np.full(len(part.entity), part.time) for part in parts])
        order = np.lexsort([time, entity])
        n_rows = np.concatenate([part.n_rows for part in parts])
        starts = np.concatenate([[0], np.cumsum(n_rows)])
        row = np.concatenate([part.row for part in parts])[ranges(starts[order], n_rows[order])]
        slot = np.repeat(np.arange(len(order)), n_rows[order])
        by_row = np.lexsort([row, slot])
        first = np.concatenate([[0], np.cumsum(np.bincount(entity, minlength=n_entities))])
        return cls(first, time[order], entity[order], slot[by_row], row[by_row])

    def kept(self, is_kept: NDArray[np.bool_]) -> _Edges:
        return replace(self, slot=self.slot[is_kept], row=self.row[is_kept])

    def lasting(self, kind: IntArray, n_kinds: int) -> _Edges:
        """Without the rows whose kind is missing at another time."""
        entity, kinds, n_slots = self.entity[self.slot], kind[self.row], np.diff(self.first)
        return self.kept(_lasting(entity, self.slot, kinds, n_kinds, n_slots))

    def places(self, rows: Rows, true_value: IntArray) -> Places:
        left = self.lasting(rows.kind, len(rows.value))
        starts = np.concatenate([[0], np.cumsum(np.bincount(left.slot, minlength=len(self.time)))])
        return Places(rows, self.first, self.time, starts, left.row, true_value)


def _lasting(
    entity: IntArray, slot: IntArray, kind: IntArray, n_kinds: int, n_slots: IntArray
) -> NDArray[np.bool_]:
    """True for edges with a kind that their entity can have through its whole life."""
    once = np.unique(slot * n_kinds + kind)
    entity_of_slot = np.zeros(int(slot.max(initial=-1)) + 1, dtype=np.int64)
    entity_of_slot[slot] = entity
    key, n = np.unique(
        entity_of_slot[once // n_kinds] * n_kinds + once % n_kinds, return_counts=True
    )
    lasting = key[n == n_slots[key // n_kinds]]
    at = np.searchsorted(lasting, entity * n_kinds + kind)
    found: NDArray[np.bool_] = np.zeros(len(entity), dtype=np.bool_)
    inside = at < len(lasting)
    found[inside] = lasting[at[inside]] == (entity * n_kinds + kind)[inside]
    return found


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """starts[0], starts[0] + 1, … for lengths[0] numbers, then starts[1], …

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)
