# SPDX-License-Identifier: Apache-2.0
"""Phase 4, second half: the regions of the groups, and a release made of groups and regions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.formats.sequential.definitions import Signature
from scoring.formats.sequential.phases import Buckets
from scoring.formats.sequential.tables import Attribute, FloatArray, Release, Snapshot
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import DECIMALS

Side = Literal["below", "above", "none"]

_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Convention:
    """Convention: the minimum width of a region with counterfeits, and the side on which it is widened.

    The region of one tuple and a counterfeit would be a point. Tables 9, 13 and 16 widen such regions by 1 and 1,000
    below, by 1 and 2,000 above, and by 1 and 2,000 below; side `none` leaves them as they are.
    """

    widths: tuple[float, ...]
    side: Side = "below"

    def widened(
        self, low: FloatArray, high: FloatArray, attributes: Sequence[Attribute]
    ) -> tuple[FloatArray, FloatArray]:
        """Regions of at least these widths that hold the given ones; categories stay within their list.

        Examples
        --------
        >>> box = np.array([[21.0, 12_000.0]])
        >>> age, zip_code = Attribute("age", None), Attribute("zip", None)
        >>> low, high = Convention((1, 1000)).widened(box, box, (age, zip_code))
        >>> low.tolist(), high.tolist()
        ([[20.0, 11000.0]], [[21.0, 12000.0]])
        """
        missing = np.maximum(np.array(self.widths) - (high - low), 0)
        if self.side == "none":
            return low, high
        low, high = (low - missing, high) if self.side == "below" else (low, high + missing)
        for column, attribute in enumerate(attributes):
            if attribute.values is not None:
                largest = len(attribute.values) - 1
                above = np.maximum(high[:, column] - largest, 0)
                low[:, column] -= above
                high[:, column] -= above
                below = np.maximum(-low[:, column], 0)
                low[:, column] += below
                high[:, column] = np.minimum(high[:, column] + below, largest)
        return low, high


def default_widths(attributes: Sequence[Attribute], first: Snapshot) -> tuple[float, ...]:
    """A fiftieth of each attribute's range in the first table, rounded up to 1, 2 or 5 of a power of ten.

    Categories have 1.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import PATIENTS
    >>> default_widths(PATIENTS.attributes, PATIENTS.snapshots[0])
    (1.0, 500.0)
    """
    ranges = np.ptp(first.qi, axis=0).tolist()
    widths = [
        1.0 if attribute.values is not None else _rounded_up(width / 50)
        for attribute, width in zip(attributes, ranges, strict=True)
    ]
    return tuple(widths)


def _rounded_up(number: float) -> float:
    if number == 0:
        return 1.0
    power = 10.0 ** max(math.floor(math.log10(number)), -DECIMALS)
    return next(step * power for step in _STEPS if step * power >= number * (1 - 1e-12))


@dataclass(frozen=True, slots=True)
class Draft:
    """A release while it is made: groups with signatures, regions and members.

    Attributes
    ----------
    snapshot : Snapshot
    of_tuple : int64 array, shape (n,)
        The group of each tuple, from 0.
    signatures : list of signatures
        One for each bucket.
    bucket : int64 array, shape (n_groups,)
    low, high : float64 arrays, shape (n_groups, d)
    """

    snapshot: Snapshot
    of_tuple: IntArray
    signatures: list[Signature]
    bucket: IntArray
    low: FloatArray
    high: FloatArray

    @property
    def n_counterfeits(self) -> IntArray:
        """The number of counterfeits of each group."""
        sizes = np.array([len(signature) for signature in self.signatures], dtype=np.int64)
        members = np.bincount(self.of_tuple, minlength=len(self.bucket))
        return sizes[self.bucket] - members

    def selected(self, groups: IntArray) -> Draft:
        """These groups only, in this order."""
        place = np.full(len(self.bucket), -1, dtype=np.int64)
        place[groups] = np.arange(len(groups))
        stays = place[self.of_tuple] >= 0
        return Draft(
            snapshot=only(self.snapshot, stays),
            of_tuple=place[self.of_tuple[stays]],
            signatures=self.signatures,
            bucket=self.bucket[groups],
            low=self.low[groups],
            high=self.high[groups],
        )

    def release(self) -> Release:
        """The table to publish: rows by group and value, so that their order discloses nothing."""
        values, starts = flat(self.signatures, self.bucket)
        group = np.repeat(np.arange(len(self.bucket)), np.diff(starts))
        owner = np.full(len(group), -1, dtype=np.int64)
        n_values = int(values.max(initial=0)) + 1
        keys = group * n_values + values
        sensitive = self.snapshot.sensitive
        owner[np.searchsorted(keys, self.of_tuple * n_values + sensitive)] = self.snapshot.ids
        counterfeits = self.n_counterfeits
        bearing = np.flatnonzero(counterfeits)
        return Release(
            group=group + 1,
            low=self.low[group],
            high=self.high[group],
            sensitive=values,
            last=None,
            counterfeits=dict(
                zip((bearing + 1).tolist(), counterfeits[bearing].tolist(), strict=True)
            ),
            owner=owner,
        )


def only(snapshot: Snapshot, stays: NDArray[np.bool_]) -> Snapshot:
    """Some tuples of a snapshot."""
    return Snapshot(snapshot.ids[stays], snapshot.qi[stays], snapshot.sensitive[stays])


def flat(signatures: list[Signature], bucket: IntArray) -> tuple[IntArray, IntArray]:
    """The values of all groups one after the other: those of group g at starts[g] to starts[g + 1].

    Examples
    --------
    >>> flat([(0, 4), (1,)], np.array([1, 0]))
    (array([1, 0, 4]), array([0, 1, 3]))
    """
    sizes = np.array([len(signature) for signature in signatures], dtype=np.int64)
    begins = np.concatenate([[0], np.cumsum(sizes)])
    listed = np.array([value for signature in signatures for value in signature], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes[bucket])])
    offset = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes[bucket])
    return listed[np.repeat(begins[bucket], sizes[bucket]) + offset], starts


def draft(
    snapshot: Snapshot,
    buckets: Buckets,
    groups: tuple[IntArray, IntArray],
    convention: Convention,
    attributes: Sequence[Attribute],
) -> Draft:
    """The groups of `split` with the least regions that contain their tuples, wider where there are counterfeits."""
    of_tuple, bucket = groups
    low = np.full((len(bucket), snapshot.qi.shape[1]), np.inf)
    high = -low
    np.minimum.at(low, of_tuple, snapshot.qi)
    np.maximum.at(high, of_tuple, snapshot.qi)
    made = Draft(snapshot, of_tuple, buckets.signatures, bucket, low, high)
    bearing = np.flatnonzero(made.n_counterfeits)
    low[bearing], high[bearing] = convention.widened(low[bearing], high[bearing], attributes)
    return made
