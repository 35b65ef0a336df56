# SPDX-License-Identifier: Apache-2.0
"""Bounds and chances of the true value of an entity after an exchange in its group."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scoring.formats.sequential.rows import Rows
from scoring.formats.sequential.tables import FloatArray
from scoring.formats.sequential.worlds import Places
from scoring.tables.equivalence import IntArray


def chances(places: Places) -> tuple[FloatArray, FloatArray]:
    """The bounds of each entity's risk that follow from the groups without any possible world.

    Parameters
    ----------
    places : Places

    Returns
    -------
    least, most : float64 arrays, shape (n_entities,)
        From 0 to 1.

    Notes
    -----
    If some kinds always occur together in groups, each once, they can be exchanged among the entities that have them,
    and a possible world becomes another one. So an entity in a group of n such rows has each of their values in one of
    n possible worlds. With signatures known, those of an m-unique release are such kinds: no risk is above 1/m.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> releases = publish(SMALL, Options(m=2)).releases
    >>> chances(Places.of(SMALL, releases, knows_invariance=True))
    (array([0.5, 0.5, 0.5, 0.5, 0.5]), array([0.5, 0.5, 0.5, 0.5, 0.5]))
    >>> chances(Places.of(SMALL, releases))
    (array([0., 0., 0., 0., 0.]), array([1., 1., 1., 1., 1.]))
    """
    rows = places.rows
    slot = np.repeat(np.arange(len(places.time)), np.diff(places.starts))
    entity = places.entity[slot]
    is_first = slot == places.first[entity]
    entity, row = entity[is_first], places.row[is_first]
    share = _shares(rows, row, places.true_value[entity])
    is_even = _come_together(rows)[rows.kind[row]]
    least, most = np.ones(places.n_entities), np.zeros(places.n_entities)
    np.minimum.at(least, entity, np.where(is_even, share, 0))
    np.maximum.at(most, entity, np.where(is_even, share, 1))
    is_nowhere = least > most
    least[is_nowhere], most[is_nowhere] = 0, 1
    return least, most


def _shares(rows: Rows, row: IntArray, value: IntArray) -> FloatArray:
    """The share of a value in the group of a row."""
    n_values = int(rows.value.max()) + 1
    held, n = np.unique(rows.group * n_values + rows.value[rows.kind], return_counts=True)
    wanted = rows.group[row] * n_values + value
    at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    sizes = np.diff(rows.group_starts)[rows.group[row]]
    found: FloatArray = np.where((held[at] == wanted) & (value >= 0), n[at], 0) / sizes
    return found


def _come_together(rows: Rows) -> NDArray[np.bool_]:
    """The sets of kinds that always occur together in groups, each once."""
    sets: dict[tuple[int, ...], int] = {}
    starts = rows.group_starts.tolist()
    kinds = rows.kind[rows.members].tolist()
    number = np.empty(len(starts) - 1, dtype=np.int64)
    for group, (start, end) in enumerate(pairwise(starts)):
        number[group] = sets.setdefault(tuple(sorted(kinds[start:end])), len(sets))
    own = number[rows.group]
    least, most = np.full(len(rows.value), len(sets)), np.zeros(len(rows.value), dtype=np.int64)
    np.minimum.at(least, rows.kind, own)
    np.maximum.at(most, rows.kind, own)
    is_once = np.array([len(set(found)) == len(found) for found in sets])
    is_alone = (least == most) & is_once[np.minimum(least, len(sets) - 1)]
    is_together = np.array([is_alone[list(found)].all() for found in sets])
    together: NDArray[np.bool_] = is_alone & is_together[np.minimum(least, len(sets) - 1)]
    return together
