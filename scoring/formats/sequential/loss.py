# SPDX-License-Identifier: Apache-2.0
"""Costs of a publication: wide regions, counterfeits, deletions, tampered regions and displaced tuples."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scoring.formats.sequential.checking import unmatched
from scoring.formats.sequential.publishing import Publication
from scoring.formats.sequential.series import Series
from scoring.formats.sequential.tables import FloatArray, Microdata, Release, Snapshot
from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost of one release.

    Attributes
    ----------
    n_records, n_groups, n_counterfeits : int
        Tuples that are published, groups, and counterfeits in addition to the tuples.
    n_deleted : int
        Tuples that are left out from this release on.
    n_tampered : int
        Groups whose region was cut.
    n_displaced : int
        Tuples that their region does not contain.
    extent : float
        Mean width of the regions of tuples, as a share of each attribute's range in all tables: 0 if all values are
        published unchanged, 1 if nothing is disclosed about them.
    """

    n_records: int
    n_groups: int
    n_counterfeits: int
    n_deleted: int
    n_tampered: int
    n_displaced: int
    extent: float


def losses(publication: Publication) -> list[Loss]:
    """The loss of each release.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> [round(loss.extent, 3) for loss in losses(publish(SMALL, Options(m=2)))]
    [0.34, 0.568]
    """
    ranges = ranges_of(publication.microdata)
    found = []
    for snapshot, release, tampered, deleted in zip(
        publication.microdata.snapshots,
        publication.releases,
        publication.tampered,
        publication.deleted,
        strict=True,
    ):
        rows = _rows(release, snapshot)
        low, high = release.low[rows], release.high[rows]
        is_inside = ((low <= snapshot.qi) & (snapshot.qi <= high)).all(axis=1)
        found.append(
            Loss(
                n_records=len(rows),
                n_groups=len(np.unique(release.group)),
                n_counterfeits=len(release.group) - len(rows),
                n_deleted=len(deleted),
                n_tampered=len(tampered),
                n_displaced=int((~is_inside).sum()),
                extent=float(((high - low) / ranges).mean()) if len(rows) else 0.0,
            )
        )
    return found


def losses_of_series(original: Microdata, series: Series) -> list[Loss]:
    """The loss of each release of a series without the owners of its rows.

    Displaced are those that a maximum matching leaves without a row of their value whose region contains them. No
    region counts as wider than the range, and those that a notice names count as wide as the range. Of the rows the
    widest count, as in `scoring.formats.sequential.measures.extent`.

    Parameters
    ----------
    original : Microdata
        The tables in full.
    series : Series

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> from scoring.formats.sequential.series import of_publication
    >>> found = losses_of_series(SMALL, of_publication(publish(SMALL, Options(m=2))))
    >>> [(loss.n_records, loss.n_groups, loss.n_counterfeits) for loss in found]
    [(4, 2, 0), (3, 2, 1)]
    """
    ranges = ranges_of(original)
    found = []
    for snapshot, release, tampered, deleted, n_displaced in zip(
        series.microdata.snapshots,
        series.releases,
        series.tampered,
        series.deleted,
        displaced_tuples(series),
        strict=True,
    ):
        n = len(snapshot.ids)
        read = as_read(release, tampered, original)
        found.append(
            Loss(
                n_records=n,
                n_groups=len(np.unique(release.group)),
                n_counterfeits=len(release.group) - n,
                n_deleted=len(deleted),
                n_tampered=len(tampered),
                n_displaced=n_displaced,
                extent=float(widest(read, n, ranges).mean()) if n else 1.0,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Width:
    """The mean width of the regions in one column, as a share of its range: 0 if its values are published."""

    name: str
    loss: float


def column_widths(original: Microdata, series: Series) -> list[Width]:
    """The loss of each quasi-identifier: the mean over the releases of the mean over their rows.

    Parameters
    ----------
    original : Microdata
        The tables in full.
    series : Series

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> from scoring.formats.sequential.series import of_publication
    >>> found = column_widths(SMALL, of_publication(publish(SMALL, Options(m=2))))
    >>> [(width.name, round(width.loss, 3)) for width in found]
    [('age', 0.342), ('zip', 0.433)]
    """
    ranges = ranges_of(original)
    read = [
        as_read(release, tampered, original)
        for release, tampered in zip(series.releases, series.tampered, strict=True)
    ]
    shares = [
        np.minimum((release.high - release.low) / ranges, 1.0).mean(axis=0)
        for release in read
        if len(release.group)
    ]
    means = np.mean(shares, axis=0) if shares else np.ones(len(original.attributes))
    names = [attribute.name for attribute in original.attributes]
    return [Width(name, float(mean)) for name, mean in zip(names, means, strict=True)]


def displaced_tuples(series: Series) -> list[int]:
    """By release, the tuples that a maximum matching leaves without a row of their value whose region contains them.

    Regions are taken as they are published. Without a notice there are none, for else the series is refused.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> displaced_tuples(scored().series)
    [0, 0]
    """
    return [
        len(unmatched(snapshot, release)) if len(tampered) else 0
        for snapshot, release, tampered in zip(
            series.microdata.snapshots, series.releases, series.tampered, strict=True
        )
    ]


def _rows(release: Release, snapshot: Snapshot) -> IntArray:
    """The row of each tuple."""
    assert release.owner is not None
    order = np.argsort(release.owner, kind="stable")
    found: IntArray = order[np.searchsorted(release.owner, snapshot.ids, sorter=order)]
    return found


def widest(release: Release, n: int, ranges: FloatArray) -> FloatArray:
    """The mean width of the regions of the n widest rows, as shares of each range, each at most 1.

    A release read from a file does not contain the owners of its rows; so no counterfeit makes the mean smaller.

    Examples
    --------
    >>> low, high = np.array([[0.0], [0.0], [2.0]]), np.array([[1.0], [8.0], [4.0]])
    >>> release = Release(np.arange(3), low, high, np.zeros(3, int), None, {}, None)
    >>> widest(release, 2, np.array([4.0]))
    array([0.5, 1. ])
    """
    widths: FloatArray = np.minimum((release.high - release.low) / ranges, 1.0).mean(axis=1)
    return np.sort(widths)[len(widths) - n :]


def as_read(release: Release, tampered: IntArray, microdata: Microdata) -> Release:
    """The release as attackers read it: regions that a notice names are as wide as the ranges of all values.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> point = np.array([[22.0, 13_000.0]] * 2)
    >>> release = Release(np.array([1, 2]), point, point, np.array([0, 1]), None, {}, None)
    >>> read = as_read(release, np.array([2]), SMALL)
    >>> read.low.tolist()[1], read.high.tolist()[1]
    ([21.0, 12000.0], [24.0, 25000.0])
    >>> as_read(release, np.array([], dtype=int), SMALL) is release
    True
    """
    if not len(tampered):
        return release
    values = np.concatenate([snapshot.qi for snapshot in microdata.snapshots])
    low, high = values.min(axis=0), values.max(axis=0)
    for column, attribute in enumerate(microdata.attributes):
        if attribute.values is not None:
            low[column], high[column] = 0.0, len(attribute.values) - 1.0
    is_open = np.isin(release.group, tampered)[:, None]
    return replace(
        release,
        low=np.where(is_open, low, release.low),
        high=np.where(is_open, high, release.high),
    )


def ranges_of(microdata: Microdata) -> FloatArray:
    """Largest less smallest value of each attribute in all tables; of categories, of their list."""
    values = np.concatenate([snapshot.qi for snapshot in microdata.snapshots])
    found: FloatArray = np.ptp(values, axis=0) if len(values) else np.ones(values.shape[1])
    for column, attribute in enumerate(microdata.attributes):
        if attribute.values is not None:
            found[column] = len(attribute.values) - 1
    return np.where(found > 0, found, 1.0)
