"""What a publication costs: wide boxes, counterfeits, deletions, boxes tampered with and tuples outside of theirs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.equivalence import IntArray
from scoring.sequential.publishing import Publication
from scoring.sequential.tables import FloatArray, Microdata, Release, Snapshot


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost of one release.

    Attributes
    ----------
    n_records, n_groups, n_counterfeits : int
        Tuples that are published, groups, and counterfeits beside the tuples.
    n_deleted : int
        Tuples that are left out from this release on.
    n_tampered : int
        Groups whose box was cut.
    n_displaced : int
        Tuples that their box does not hold.
    extent : float
        How wide the boxes of tuples are on average, as a share of each attribute's range in all tables: 0 where all
        values are published as they are, 1 where nothing is told of them.
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
    >>> from scoring.sequential.examples import SMALL
    >>> from scoring.sequential.publishing import Options, publish
    >>> [round(loss.extent, 3) for loss in losses(publish(SMALL, Options(m=2)))]
    [0.34, 0.568]
    """
    ranges = _ranges(publication.microdata)
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


def _rows(release: Release, snapshot: Snapshot) -> IntArray:
    """The row of each tuple."""
    assert release.owner is not None
    order = np.argsort(release.owner, kind="stable")
    found: IntArray = order[np.searchsorted(release.owner, snapshot.ids, sorter=order)]
    return found


def _ranges(microdata: Microdata) -> FloatArray:
    """Largest less smallest value of each attribute in all tables; of categories, of their list."""
    values = np.concatenate([snapshot.qi for snapshot in microdata.snapshots])
    found: FloatArray = np.ptp(values, axis=0) if len(values) else np.ones(values.shape[1])
    for column, attribute in enumerate(microdata.attributes):
        if attribute.values is not None:
            found[column] = len(attribute.values) - 1
    return np.where(found > 0, found, 1.0)
