# SPDX-License-Identifier: Apache-2.0
"""The remedy by information: with each group, a group of the release before that its tuples were in (4.3).

A group has one number for all its rows. A number for each row would disclose more than the constant signature: people's
lifespans are known, so a row without a number belongs to a new person, and rows of different previous groups disclose
their owners. Previous groups whose tuples are together now have one signature, so the lowest represents them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.formats.sequential.boxes import Grid, Groups
from scoring.formats.sequential.tables import Release, Snapshot
from scoring.tables.equivalence import IntArray

Where = Literal["everywhere", "overlaps"]


def with_last(
    release: Release, before: Release | None, snapshot: Snapshot, where: Where = "everywhere"
) -> Release:
    """The release with the column `last`.

    Parameters
    ----------
    release, before : Release
        With their owners; `before` is None for the first release.
    snapshot : Snapshot
        The tuples of the release.
    where : {"everywhere", "overlaps"}
        For all groups with a tuple that the release before held, or only for those of which such a tuple lies in
        the region of another group, too, with which its own has a value in common.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> first, second = publish(SMALL, Options(m=2)).releases
    >>> with_last(second, first, SMALL.snapshots[1]).last
    array([1, 1, 2, 2])
    >>> with_last(second, first, SMALL.snapshots[1], "overlaps").last
    array([1, 1, 0, 0])
    """
    if before is None:
        return replace(release, last=np.zeros(len(release.group), dtype=np.int64))
    assert release.owner is not None
    assert before.owner is not None
    groups = Groups.of(release)
    n_ids = 1 + max(int(release.owner.max(initial=-1)), int(before.owner.max(initial=-1)))
    group_before = np.zeros(n_ids, dtype=np.int64)
    known = before.owner >= 0
    group_before[before.owner[known]] = before.group[known]
    rows = np.flatnonzero(release.owner >= 0)
    rows = rows[group_before[release.owner[rows]] > 0]
    if where == "overlaps" and len(rows):
        rows = rows[_lie_elsewhere(release, groups, rows, snapshot)]
    least = np.full(len(groups.numbers), np.iinfo(np.int64).max)
    np.minimum.at(least, groups.of_row[rows], group_before[release.owner[rows]])
    least[least == np.iinfo(np.int64).max] = 0
    return replace(release, last=least[groups.of_row])


def _lie_elsewhere(
    release: Release, groups: Groups, rows: IntArray, snapshot: Snapshot
) -> NDArray[np.bool_]:
    """True for rows whose tuples are also in the region of another group with a common value."""
    assert release.owner is not None
    n_values = int(release.sensitive.max(initial=0)) + 1
    has = np.zeros((len(groups.numbers), n_values), dtype=np.bool_)
    has[groups.of_row, release.sensitive] = True
    position = np.argsort(snapshot.ids, kind="stable")
    tuples = position[np.searchsorted(snapshot.ids, release.owner[rows], sorter=position)]
    counts = Grid.of(groups.low, groups.high).values(
        snapshot.qi[tuples], groups.starts, release.sensitive[groups.rows], n_values
    )
    own = has[groups.of_row[rows]]
    found: NDArray[np.bool_] = (counts * own).sum(axis=1) > own.sum(axis=1)
    return found


@dataclass(frozen=True, slots=True)
class Information:
    """The information published in addition to the generalized tables: groups, table cells, and bits."""

    n_groups: int
    n_cells: int
    bits: float


def extra_information(
    releases: Sequence[Release], tampered: Sequence[IntArray] = ()
) -> Information:
    """The amount of information in the column `last` and in the notices of tampering.

    A number of a group before takes the bits that choose one of the groups of that release; a notice, those that choose
    one group of its own release.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> extra_information(publish(SMALL, Options(m=2, method="last", where="overlaps")).releases)
    Information(n_groups=1, n_cells=2, bits=1.0)
    """
    n_groups = n_cells = 0
    bits = 0.0
    for before, release in pairwise(releases):
        if release.last is not None:
            n_told = len(np.unique(release.group[release.last > 0]))
            n_groups += n_told
            n_cells += int((release.last > 0).sum())
            bits += n_told * _bits(before)
    for release, groups in zip(releases, tampered, strict=False):
        n_groups += len(groups)
        n_cells += len(groups)
        bits += len(groups) * _bits(release)
    return Information(n_groups, n_cells, bits)


def _bits(release: Release) -> float:
    """That choose one of the release's groups."""
    return float(np.log2(max(len(np.unique(release.group)), 1)))
