# SPDX-License-Identifier: Apache-2.0
"""The n nearest originals of every record, and one of them each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.attacks.base import DUPLICATES, check_choice
from scoring.attacks.pairs import Known
from scoring.options import refuse
from scoring.scores.comparison import Prepared
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema


def nearest_candidates(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    n: int = 5,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    distance: str = "euclidean",
) -> IntArray:
    """List the n nearest originals of each record.

    Parameters
    ----------
    n : int
        How many, from 1 to n_original.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers looked at; all by default.
    sensitive : sequence of str, optional
        The sensitive columns looked at; all by default.
    distance : {"euclidean", "z", "log", "range", "rank", "gower"}
        Euclidean over the numeric columns, as they are or scaled, or Gower's over all.

    Returns
    -------
    int64 array, shape (n_anonymized, n)
        0-based original rows, the nearest first, equally near ones in row order; all -1 without a
        column.

    Raises
    ------
    ProblemsFound
        Where n is less than 1 or more than the original has records.
    ValueError
        Where a table, a column or another option does not fit.

    Notes
    -----
    Neighbor_att of the lecture's sample code: “Privacy-enhancing technologies”, exercise, sample
    code of the attack.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> nearest_candidates(table("original"), table("noise"), SCHEMA, n=2).tolist()
    [[0, 2], [1, 2], [2, 1], [3, 1]]
    """
    return candidates_with_distances(
        original,
        anonymized,
        schema,
        n,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        distance=distance,
    )[0]


def candidates_with_distances(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    n: int,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    distance: str = "euclidean",
) -> tuple[IntArray, FloatArray]:
    """The n nearest originals of each record and how far they are: two arrays (n_anonymized, n)."""
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    n_original, n_anonymized = len(known.original), len(known.anonymized)
    if not 1 <= n <= n_original:
        expected = f"an integer from 1 to the original's {n_original} records"
        raise refuse("nearest-candidates", "n", expected, n)
    metric = known.metric(distance)
    if not metric.has_columns:
        return np.full((n_anonymized, n), -1, dtype=np.int64), np.full((n_anonymized, n), np.inf)
    found, distances = known.pairs(metric).nearest(np.arange(n_anonymized), n)
    return found, metric.lengths(distances)


def isolated_records(table: pd.DataFrame, schema: Schema, n: int) -> IntArray:
    """The records that stand out most: those whose nearest other record is farthest away.

    Parameters
    ----------
    table : DataFrame, at least two records
    schema : Schema
    n : int
        How many, from 0 to all.

    Returns
    -------
    int64 array, shape (n,)
        Rows by Gower's distance over all columns, the most isolated first; equally isolated ones
        in their order.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> len(isolated_records(table("original"), SCHEMA, 2))
    2
    """
    rows, distances = candidates_with_distances(table, table, schema, 2, distance="gower")
    itself = rows == np.arange(len(table))[:, None]
    nearest = np.where(itself, np.inf, distances).min(axis=1)
    found: IntArray = np.argsort(-nearest, kind="stable")[:n].astype(np.int64)
    return found


def one_candidate_each(
    candidates: IntArray, distances: FloatArray, *, duplicates: bool
) -> IntArray:
    """Choose one of its candidates for each record.

    Parameters
    ----------
    candidates : int64 array, shape (n_records, n)
        Original rows, -1 for none.
    distances : float64 array, shape (n_records, n)
        How far they are.
    duplicates : bool
        May several records get the same original. If so, each gets its nearest candidate;
        if not, the nearest of all pairs is linked, then the nearest of those that are left. Of
        equally near pairs the first record goes first, and takes the lowest row.

    Returns
    -------
    int64 array, shape (n_records,)
        Original rows; -1 where a record has no candidate, or others took them all.

    Raises
    ------
    ValueError
        Where the two arrays differ in shape.

    Notes
    -----
    Attack_id of the lecture's sample code: “Privacy-enhancing technologies”, exercise, sample code
    of the attack.

    Examples
    --------
    >>> candidates = np.array([[4, 1], [4, 2]])
    >>> distances = np.array([[0.2, 0.3], [0.1, 0.4]])
    >>> one_candidate_each(candidates, distances, duplicates=True)
    array([4, 4])
    >>> one_candidate_each(candidates, distances, duplicates=False)
    array([1, 4])
    """
    if candidates.shape != distances.shape or candidates.ndim != 2:
        raise ValueError("expected a distance for each candidate of each record")
    chosen = np.full(len(candidates), -1, dtype=np.int64)
    record, _ = np.nonzero(candidates >= 0)
    row, distance = candidates[candidates >= 0], distances[candidates >= 0]
    taken: set[int] = set()
    order = np.lexsort((row, record, distance))
    for who, which in zip(record[order].tolist(), row[order].tolist(), strict=True):
        if chosen[who] < 0 and (duplicates or which not in taken):
            chosen[who] = which
            taken.add(which)
    return chosen


def guess_one_candidate(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    candidates: int = 10,
    duplicates: str = "no",
    distance: str = "euclidean",
) -> IntArray:
    """One of the nearest candidates each, with or without duplicates.

    Parameters
    ----------
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers looked at; all by default.
    sensitive : sequence of str, optional
        The sensitive columns looked at; all by default.
    candidates : int
        Maximum number of originals that a record may choose from.
    duplicates : {"no", "yes"}
        May several records get the same original.
    distance : {"euclidean", "z", "log", "range", "rank", "gower"}
        Euclidean over the numeric columns, as they are or scaled, or Gower's over all.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows; -1 where others took all of a record's candidates, and all -1 without
        a column.

    Raises
    ------
    ValueError
        Where a table, a column or an option does not fit.

    Notes
    -----
    Neighbor_att and Attack_id of the lecture's sample code: “Privacy-enhancing technologies”,
    exercise, sample code of the attack.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_one_candidate(table("original"), table("averaged"), SCHEMA, duplicates="yes")
    array([0, 0, 1, 1])
    >>> guess_one_candidate(table("original"), table("averaged"), SCHEMA)
    array([0, 1, 2, 3])
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    n_original = original.n_records if isinstance(original, Prepared) else len(original)
    found, distances = candidates_with_distances(
        original,
        anonymized,
        schema,
        max(1, min(candidates, n_original)),
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        distance=distance,
    )
    return one_candidate_each(found, distances, duplicates=duplicates == "yes")
