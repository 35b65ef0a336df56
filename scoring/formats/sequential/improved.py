# SPDX-License-Identifier: Apache-2.0
"""The remedy by regions: the improved phase 4 of section 4.3, for any number of attributes and for every group.

A group is moved where a tuple of it is not safe. The regions that make it so are cut back behind the tuple, on the side
of the nearest corner outside of them, and the region of a group with counterfeits is widened to that corner. Tuples of
a cut region that lie in what was cut off are published with a region that does not contain them: the region is tampered
with, and a notice names it. Where no corner is safe, the group is deleted, and its tuples stay away from then on.

Two rules say what is not safe. `overlap` is the paper's: a tuple of a group with counterfeits lies in the region of
another group with which its own has a value in common. `risk` is the paper's open question: a tuple of any group whose
true value an attacker finds, by counting rows as in section 4.2, with a probability above 1/m.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.formats.sequential.boxes import Grid, Groups
from scoring.formats.sequential.drafts import Convention, Draft, flat
from scoring.formats.sequential.splitting import members_of
from scoring.formats.sequential.tables import Attribute, FloatArray, Microdata, Release, Snapshot
from scoring.tables.equivalence import IntArray

Rule = Literal["overlap", "risk"]
MAX_ATTRIBUTES = 12
"""A region has 2^d corners, and all may have to be tested."""

BoolArray = NDArray[np.bool_]


def _limits(attributes: Sequence[Attribute]) -> tuple[FloatArray, FloatArray]:
    """Limits of regions: categories within their list, numbers anywhere."""
    low = [-np.inf if a.values is None else 0.0 for a in attributes]
    high = [np.inf if a.values is None else len(a.values) - 1.0 for a in attributes]
    return np.array(low), np.array(high)


class Improver:
    """Improves one release after the other; keeps what an attacker has learned from the previous ones."""

    def __init__(self, microdata: Microdata, m: int, convention: Convention, rule: Rule) -> None:
        self._possible = np.ones((len(microdata.ids), len(microdata.sensitive_values)), np.bool_)
        self._m = m
        self._widths = np.array(convention.widths)
        self._limits = _limits(microdata.attributes)
        self._rule: Rule = rule

    def saw(self, snapshot: Snapshot, release: Release) -> None:
        """Take notice of a release that was published before and is not improved."""
        groups = Groups.of(release)
        counts = Grid.of(groups.low, groups.high).values(
            snapshot.qi, groups.starts, release.sensitive[groups.rows], self._possible.shape[1]
        )
        self._possible[snapshot.ids] &= counts > 0

    def improve(self, draft: Draft, scale: FloatArray) -> tuple[Draft, IntArray]:
        """The draft with safe regions, groups of real tuples first, and the numbers of the groups tampered with."""
        if draft.low.shape[1] > MAX_ATTRIBUTES:
            got = draft.low.shape[1]
            raise ValueError(f"attributes: expected at most {MAX_ATTRIBUTES}, got {got}")
        if not len(draft.bucket):
            return draft, draft.bucket
        possible = self._possible[draft.snapshot.ids]
        repair = _Repair(draft, possible, self._m, self._rule, self._widths, self._limits, scale)
        repair.run()
        groups = np.flatnonzero(repair.is_kept)
        groups = groups[np.argsort(draft.n_counterfeits[groups] > 0, kind="stable")]
        tampered = np.flatnonzero(repair.is_cut[groups]) + 1
        stays = repair.is_kept[draft.of_tuple]
        self._possible[draft.snapshot.ids[stays]] &= repair.counts[stays] > 0
        return repair.draft().selected(groups), tampered


class _Repair:
    """One release under repair: its regions, and how many rows of each value a tuple may be.

    Attributes
    ----------
    counts : int64 array, shape (n, n_values)
        Rows of the regions that contain the tuple, by value.
    is_kept, is_cut : bool arrays, shape (n_groups,)
    """

    def __init__(
        self,
        draft: Draft,
        possible: BoolArray,
        m: int,
        rule: Rule,
        widths: FloatArray,
        limits: tuple[FloatArray, FloatArray],
        scale: FloatArray,
    ) -> None:
        self._draft, self._possible, self._m, self._rule = draft, possible, m, rule
        self._widths, self._limits, self._scale = widths, limits, scale
        self._low, self._high = draft.low.copy(), draft.high.copy()
        self._qi, self._sensitive = draft.snapshot.qi, draft.snapshot.sensitive
        self._of_tuple = draft.of_tuple
        values, starts = flat(draft.signatures, draft.bucket)
        n_groups, n_values = len(draft.bucket), possible.shape[1]
        self._has = np.zeros((n_groups, n_values), dtype=np.bool_)
        self._has[np.repeat(np.arange(n_groups), np.diff(starts)), values] = True
        self._bears = draft.n_counterfeits > 0
        grid = Grid.of(self._low, self._high)
        self.counts = grid.values(self._qi, starts, values, n_values)
        self.is_kept = np.ones(n_groups, dtype=np.bool_)
        self.is_cut = np.zeros(n_groups, dtype=np.bool_)
        self._members = members_of(self._of_tuple, n_groups)
        self._along = np.argsort(self._qi[:, 0], kind="stable")
        self._first = self._qi[self._along, 0]
        self._is_unsafe = self._unsafe(np.arange(len(self._qi)))

    def draft(self) -> Draft:
        """The draft with the regions as they are now."""
        d = self._draft
        return Draft(d.snapshot, d.of_tuple, d.signatures, d.bucket, self._low, self._high)

    def run(self) -> None:
        """Move what is not safe, once, and delete what cannot be moved or is unsafe again."""
        queue = np.unique(self._of_tuple[self._is_unsafe]).tolist()
        heapify(queue)
        was_moved = np.zeros(len(self.is_kept), dtype=np.bool_)
        while queue:
            group = heappop(queue)
            if not (self.is_kept[group] and self._is_unsafe[self._members[group]].any()):
                continue
            if not was_moved[group] and self._move(group):
                was_moved[group] = True
                continue
            for other in np.unique(self._of_tuple[self._delete(group)]).tolist():
                heappush(queue, other)

    def _unsafe(self, tuples: IntArray) -> BoolArray:
        """The tuples that are not safe."""
        counts, group = self.counts[tuples], self._of_tuple[tuples]
        found: BoolArray
        if self._rule == "overlap":
            own = self._has[group]
            is_inside = (self._low[group] <= self._qi[tuples]) & (
                self._qi[tuples] <= self._high[group]
            )
            in_own_box = is_inside.all(axis=1) * own.sum(axis=1)
            found = self._bears[group] & ((counts * own).sum(axis=1) > in_own_box)
        else:
            counts = counts * self._possible[tuples]
            true = counts[np.arange(len(tuples)), self._sensitive[tuples]]
            total = counts.sum(axis=1)
            found = (self._m * true > total) | (total == 0)
        return found & self.is_kept[group]

    def _harmful(self, group: int, tuples: IntArray) -> IntArray:
        """The groups whose regions make these tuples of a group unsafe."""
        found = np.zeros(len(self.is_kept), dtype=np.bool_)
        for at in tuples.tolist():
            holds = self.is_kept & (self._low <= self._qi[at]).all(axis=1)
            holds &= (self._qi[at] <= self._high).all(axis=1)
            others = np.flatnonzero(holds)
            has = self._has[others]
            if self._rule == "overlap":
                found[others] |= (has & self._has[group]).any(axis=1)
            else:
                n_possible = (has & self._possible[at]).sum(axis=1)
                found[others] |= has[:, self._sensitive[at]] & (n_possible < self._m)
        found[group] = False
        return np.flatnonzero(found)

    def _move(self, group: int) -> bool:
        """Cut the harmful regions towards the nearest corner where that is safe; False where it nowhere is."""
        members = self._members[group]
        tuples = members[self._is_unsafe[members]]
        harmful = self._harmful(group, tuples)
        if not len(harmful):
            return False
        low, high = self._low[harmful].min(axis=0), self._high[harmful].max(axis=0)
        sides = np.array(list(product((False, True), repeat=len(low))))
        corners = np.where(sides, high + self._widths, low - self._widths)
        corners = np.clip(corners, *self._limits)  # no region leaves the list of a category
        apart = (corners[:, None, :] - self._qi[members]) * self._scale
        nearest = np.sqrt((apart**2).sum(axis=2)).min(axis=1)
        is_free = self._is_free(corners, group, harmful)
        for corner in np.argsort(nearest, kind="stable").tolist():
            if is_free[corner] and self._cut(group, corners[corner], sides[corner], harmful):
                return True
        return False

    def _is_free(self, corners: FloatArray, group: int, harmful: IntArray) -> BoolArray:
        """The corners that are in no region of another group with a common value."""
        others = self.is_kept & (self._has & self._has[group]).any(axis=1)
        others[group] = False
        others[harmful] = False
        low, high = self._low[others], self._high[others]
        found = [not ((low <= c) & (c <= high)).all(axis=1).any() for c in corners]
        return np.array(found)

    def _cut(self, group: int, corner: FloatArray, side: BoolArray, harmful: IntArray) -> bool:
        """Move to one corner if every tuple is safe then that was safe, and those of the group are."""
        members = self._members[group]
        boxes: dict[int, tuple[FloatArray, FloatArray]] = {}
        if self._bears[group]:
            both = np.vstack([self._qi[members], corner])
            boxes[group] = both.min(axis=0), both.max(axis=0)
        tuples = members[self._is_unsafe[members]]
        for other in harmful.tolist():
            if (box := self._behind(other, self._qi[tuples], side)) is None:
                return False
            boxes[other] = box
        before = {g: (self._low[g].copy(), self._high[g].copy()) for g in boxes}
        changed = np.unique(np.concatenate([self._set_box(g, *box) for g, box in boxes.items()]))
        changed = np.union1d(changed, members)
        unsafe = self._unsafe(changed)
        if (unsafe & ~self._is_unsafe[changed]).any() or self._unsafe(members).any():
            for g, box in before.items():
                self._set_box(g, *box)
            return False
        self._is_unsafe[changed] = unsafe
        self.is_cut[harmful] = True
        return True

    def _behind(
        self, group: int, points: FloatArray, side: BoolArray
    ) -> tuple[FloatArray, FloatArray] | None:
        """The group's region, cut along the attribute of least loss so that it holds none of the points."""
        low, high = self._low[group].copy(), self._high[group].copy()
        points = points[((low <= points) & (points <= high)).all(axis=1)]
        if not len(points):
            return low, high
        cut_low = points.max(axis=0) + self._widths
        cut_high = points.min(axis=0) - self._widths
        lost = np.where(side, high - cut_high, cut_low - low)
        extent = high - low
        is_possible = lost <= extent
        if not is_possible.any():
            return None
        share = np.where(is_possible, lost / np.where(extent > 0, extent, 1.0), np.inf)
        column = int(np.argmin(share))
        if side[column]:
            high[column] = cut_high[column]
        else:
            low[column] = cut_low[column]
        return low, high

    def _set_box(self, group: int, low: FloatArray, high: FloatArray) -> IntArray:
        """Change a region; the tuples that lie in only one of the two."""
        before = self._inside(self._low[group], self._high[group])
        now = self._inside(low, high)
        self.counts[np.ix_(before, self._has[group])] -= 1
        self.counts[np.ix_(now, self._has[group])] += 1
        self._low[group], self._high[group] = low, high
        return np.setxor1d(before, now, assume_unique=True)

    def _delete(self, group: int) -> IntArray:
        """Take a group out; the tuples that are unsafe since."""
        self.is_kept[group] = False
        touched = self._inside(self._low[group], self._high[group])
        self.counts[np.ix_(touched, self._has[group])] -= 1
        was = self._is_unsafe[touched]
        self._is_unsafe[touched] = self._unsafe(touched)
        return touched[self._is_unsafe[touched] & ~was]

    def _inside(self, low: FloatArray, high: FloatArray) -> IntArray:
        """The tuples in a region."""
        start = np.searchsorted(self._first, low[0], side="left")
        end = np.searchsorted(self._first, high[0], side="right")
        tuples = self._along[start:end]
        qi = self._qi[tuples]
        found: IntArray = tuples[((low <= qi) & (qi <= high)).all(axis=1)]
        return found
