# SPDX-License-Identifier: Apache-2.0
"""Distances of records of Y to the closest record of X, compared with those to people who are not in X."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.measures.neighbours import two_nearest
from scoring.reporting.intervals import CONFIDENCE, Interval, wilson
from scoring.scores.coding import CodedTable, sample, scored
from scoring.scores.comparison import Comparison, Options
from scoring.scores.controls import attacked_tables
from scoring.tables.equivalence import FloatArray

DEFAULT = Options()
N_RECORDS = 500
"""Records of Y that are compared."""


@dataclass(frozen=True, slots=True)
class Closest:
    """Records of Y, their nearest records of X, and those of a control table of the same size.

    Attributes
    ----------
    distances, ratios : float arrays, shape (n_records,)
        Gower's distance from the nearest record of X, and over that from the second nearest: 0 where a
        record copies a single record of X, 1 where two are as near.
    control_distances, control_ratios : float arrays, shape (n_records,)
        The same with the control table.
    nearer, sharper : Interval
        The share of the records that are nearer to X than to the control, and whose ratio is smaller, ties
        counting half: 1/2 where X has no advantage, 1 where it always has.
    """

    distances: FloatArray
    ratios: FloatArray
    control_distances: FloatArray
    control_ratios: FloatArray
    nearer: Interval
    sharper: Interval


def nearer_share(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Share of the records of Y that are nearer to X than to a control table of the same size, ties counting half.

    Parameters
    ----------
    comparison : Comparison
        X with a control table, and Y. Where the control table is smaller than X, as many random records of
        X and, by the declared rows, what of Y was made from them are compared.
    options : Options
        `seed`: which 500 records of Y are compared, and which of the larger table.

    Returns
    -------
    float or None
        About 1/2 where Y is as near to non-members, 1 where all of its records are nearer to X, as a copy is;
        lower is safer. None without a control table or without a scored column.

    Notes
    -----
    Platzer & Reutterer, “Holdout-Based Empirical Assessment of Mixed-Type Synthetic Data”, section on
    privacy: the share of records that are closer to the training data than to the holdout. Distances are
    Gower's. It says whether Y is nearer to its own people, not whether a person is found.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> nearer_share(comparison("noise")) is None  # no control table
    True
    """
    found = _closest(comparison, options)
    return None if found is None else found.nearer.value


def sharper_share(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Share of the records of Y whose nearest-neighbour distance ratio is smaller with X than with a control.

    The ratio is the distance from the nearest record over that from the second nearest; where it is small,
    the record points at one person.

    Parameters
    ----------
    comparison : Comparison
        X with a control table, and Y. Where the control table is smaller than X, as many random records of
        X and, by the declared rows, what of Y was made from them are compared.
    options : Options
        `seed`: which 500 records of Y are compared, and which of the larger table.

    Returns
    -------
    float or None
        About 1/2 where Y points at its own people no more than at non-members, 1 where it always does; ties
        count half; lower is safer. None without a control table or without a scored column.

    Notes
    -----
    Zhao, Kunar, Birke & Chen, “CTAB-GAN: Effective Table Data Synthesizing”, section on privacy: nearest
    neighbour distance ratio, here compared with that of a hold-out as for `closest-record`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> sharper_share(comparison("noise")) is None  # no control table
    True
    """
    found = _closest(comparison, options)
    return None if found is None else found.sharper.value


def _closest(comparison: Comparison, options: Options) -> Closest | None:
    if comparison.prepared.control is None or not scored(comparison.schema):
        return None
    return closest(comparison, rng=np.random.default_rng(options.seed))


def closest(
    comparison: Comparison,
    *,
    rng: np.random.Generator,
    n_records: int = N_RECORDS,
    confidence: float = CONFIDENCE,
) -> Closest:
    """Distances of records of Y to the closest record; see `nearer_share` and `sharper_share`.

    Raises
    ------
    ValueError
        Where there is no control table, the control table has X's records, there is no scored column, or a
        number is out of range.
    """
    coded, people, release, strangers = attacked_tables(comparison, n_records, confidence)
    n = min(len(people), len(strangers))
    spans = [
        0.0 if n_levels else float(np.ptp(np.concatenate([of_x, of_others])))
        for n_levels, of_x, of_others in zip(
            coded.n_levels, people.columns, strangers.columns, strict=True
        )
    ]
    people, release = sample(people, release, comparison.declared, n, rng=rng)
    strangers = _drawn(strangers, n, rng)
    release = _drawn(release, n_records, rng)
    near, far = two_nearest(coded, release, people, spans)
    control_near, control_far = two_nearest(coded, release, strangers, spans)
    ratios, control_ratios = _ratios(near, far), _ratios(control_near, control_far)
    return Closest(
        near,
        ratios,
        control_near,
        control_ratios,
        _share_below(near, control_near, confidence),
        _share_below(ratios, control_ratios, confidence),
    )


def _drawn(table: CodedTable, n: int, rng: np.random.Generator) -> CodedTable:
    """At most `n` records."""
    if n >= len(table):
        return table
    return table.take(np.sort(rng.choice(len(table), n, replace=False)))


def _ratios(near: FloatArray, far: FloatArray) -> FloatArray:
    """1 where both are 0."""
    ratios = np.ones(len(near))
    np.divide(near, far, out=ratios, where=far > 0)
    return ratios


def _share_below(own: FloatArray, other: FloatArray, confidence: float) -> Interval:
    """The share of these that are smaller, ties counting half; the interval is that of the nearest whole number."""
    n = len(own)
    if not n:
        return Interval(0.5, 0.0, 1.0)
    hits = float((own < other).sum() + (own == other).sum() / 2)
    ends = wilson(round(hits), n, confidence)
    return Interval(hits / n, ends.low, ends.high)
