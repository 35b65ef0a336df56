# SPDX-License-Identifier: Apache-2.0
"""Components: entities that share no row with others are counted by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.formats.sequential.worlds import Places
from scoring.kernels.graphs import join
from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Components:
    """Entities in components, one component after the other.

    Attributes
    ----------
    entities : int64 array, shape (n_entities,)
    starts : int64 array, shape (n_components + 1,)
        Component c has the entities entities[starts[c]:starts[c + 1]], which ascend.
    """

    entities: IntArray
    starts: IntArray

    @classmethod
    def of(cls, places: Places) -> Components:
        """The components of all entities that live at some time.

        Examples
        --------
        >>> from scoring.formats.sequential.examples import SMALL
        >>> from scoring.formats.sequential.tables import Release
        >>> box = np.array([[21, 12_000], [22, 14_000], [23, 18_000], [24, 25_000.0]])
        >>> release = Release(np.arange(4), box, box, np.array([0, 1, 0, 2]), None, {}, None)
        >>> Components.of(Places.of(SMALL, [release])).entities
        array([0, 1, 2, 3])
        """
        n, n_rows = places.n_entities, int(places.rows.starts[-1])
        entity = np.repeat(places.entity, np.diff(places.starts))
        label = np.arange(n + n_rows)
        join(entity, n + places.row, label)
        alive = np.flatnonzero(np.diff(places.first))
        order = np.argsort(label[alive], kind="stable")
        _labels, sizes = np.unique(label[alive], return_counts=True)
        return cls(alive[order], np.concatenate([[0], np.cumsum(sizes)]))
