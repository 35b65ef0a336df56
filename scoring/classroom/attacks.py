# SPDX-License-Identifier: Apache-2.0
"""The lecture's attack: the nearest candidates of each record, and one of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from scoring.attacks.base import DISTANCES
from scoring.attacks.neighbours import candidates_with_distances, one_candidate_each
from scoring.classroom.frames import Columns, kept_of, loosened, names_of, schema_of
from scoring.options import refuse
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.frames import check_frame


def nearest_candidates(
    anonymized: pd.DataFrame,
    candidates: pd.DataFrame,
    columns: Columns,
    n: int,
    *,
    distance: str = "euclidean",
) -> tuple[IntArray, FloatArray]:
    """The n nearest candidates of each record: Neighbor_att(ano_data, ata_data, att, n).

    Parameters
    ----------
    anonymized, candidates : DataFrame
        A published table and its table of candidates.
    columns
        The columns that distances are taken over.
    n
        How many candidates of each record, from 1 to all.
    distance
        "euclidean" over numbers as they are; "z", "log", "range" or "rank" over scaled numbers;
        "gower" over columns of all kinds.

    Returns
    -------
    rows : int64 array, shape (n_records, n)
        Positions in `candidates` from 0, the nearest first, equally near ones in their order; -1 in
        the lines of deleted records.
    distances : float64 array, shape (n_records, n)
        Infinite in the lines of deleted records.

    Raises
    ------
    ProblemsFound
        A distance of numbers over a column of categories, a wrong n, or a missing cell.

    Examples
    --------
    >>> published = pd.DataFrame({"age": [29, None, 41]})
    >>> known = pd.DataFrame({"age": [20, 30, 40]})
    >>> rows, distances = nearest_candidates(published, known, "age", 2)
    >>> rows.tolist(), distances.tolist()
    ([[1, 0], [-1, -1], [2, 1]], [[1.0, 9.0], [inf, inf], [1.0, 11.0]])
    """
    names = names_of(columns)
    known = candidates[list(names)].reset_index(drop=True)
    schema = schema_of(known)
    check_frame(known, schema, file="candidates", original=True)
    texts = [column.name for column in schema.columns if not column.is_numeric]
    usable = ("gower",) if texts else DISTANCES
    if distance not in usable:
        expected = f"one of {', '.join(usable)} over these columns"
        raise refuse("nearest_candidates", "distance", expected, distance)
    rows, kept = kept_of(anonymized)
    found = np.full((len(anonymized), n), -1, dtype=np.int64)
    distances = np.full((len(anonymized), n), np.inf)
    if len(rows):
        check_frame(kept, loosened(schema), file="anonymized")
        kept = kept[list(names)]
        found[rows], distances[rows] = candidates_with_distances(
            known, kept, schema, n, distance=distance
        )
    return found, distances


def identify(rows: ArrayLike, distances: ArrayLike, *, duplicates: bool = False) -> IntArray:
    """One candidate for each record: Attack_id(Dc, Dc_yuclid, duplication).

    Parameters
    ----------
    rows, distances
        As `nearest_candidates` gives them, or lists of lists.
    duplicates
        True: each record gets its nearest candidate. False: the nearest of all pairs is linked
        first, then the nearest of those that are left, so that no candidate is guessed twice.

    Returns
    -------
    int64 array, shape (n_records,)
        Positions in the table of candidates from 0; -1 for deleted records, and where others took
        all candidates of a record.

    Examples
    --------
    >>> rows, distances = [[4, 1], [4, 2]], [[0.2, 0.3], [0.1, 0.4]]
    >>> identify(rows, distances, duplicates=True), identify(rows, distances)
    (array([4, 4]), array([1, 4]))
    """
    return one_candidate_each(
        np.asarray(rows, dtype=np.int64),
        np.asarray(distances, dtype=np.float64),
        duplicates=duplicates,
    )
