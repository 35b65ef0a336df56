# SPDX-License-Identifier: Apache-2.0
"""An audit of a synthetic table: every measure that needs no rows, and attacks compared with non-members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from scoring.attacks.membership import Membership, membership_scores
from scoring.attacks.neighbours import candidates_with_distances
from scoring.audits.audit import Progress, Steps
from scoring.audits.foreign import value_of
from scoring.measures.disclosure import DISCLOSURES, Disclosure
from scoring.registry import MEASURES
from scoring.scores.comparison import Comparison, Options, Prepared
from scoring.scores.controls import ControlError
from scoring.scores.options import DECIMALS

if TYPE_CHECKING:
    from scoring.tables.equivalence import FloatArray, IntArray
    from scoring.tables.schema import Schema

MAX_RECORDS = 1_000
"""The found records that are listed: those found most often."""


@dataclass(frozen=True, slots=True)
class SyntheticAudit:
    """The results about one synthetic table.

    Attributes
    ----------
    n_original, n_anonymized : int
    n_copies : int
        The records of the synthetic table that are a record of the original in every column.
    class_sizes : int64 array
        The sizes of the synthetic table's equivalence classes.
    values : mapping of str to number or None
        Every measure that needs no rows, by its identifier.
    disclosures : mapping of str to Disclosure
        Singling-out, linkability and inference, each against a control; empty without one.
    membership : Membership or None
        How well members are distinguished from the control; None without one.
    """

    n_original: int
    n_anonymized: int
    n_copies: int
    class_sizes: IntArray
    values: Mapping[str, float | int | None]
    disclosures: Mapping[str, Disclosure]
    membership: Membership | None


def audit(
    original: pd.DataFrame,
    synthetic: pd.DataFrame,
    schema: Schema,
    *,
    control: pd.DataFrame | None = None,
    options: Options = Options(),  # noqa: B008 — frozen
    progress: Progress | None = None,
) -> SyntheticAudit:
    """Compute all measures that need no rows, and run the attacks that are compared with non-members.

    Parameters
    ----------
    original : DataFrame, n_original records
    synthetic : DataFrame, any number of records
    schema : Schema
    control : DataFrame, optional
        Records of the same kind that the synthetic table was not made from.
    options : Options
        Of the measures.
    progress : callable, optional
        As for `scoring.audits.audit.audit`.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = audit(table("original"), table("swapped"), SCHEMA)
    >>> found.n_copies, found.membership is None
    (0, True)
    """
    options.check()
    wanted = [id_ for id_, measure in MEASURES.items() if not measure.needs_rows]
    steps = Steps(len(wanted) + (control is not None), progress)
    comparison = Comparison.of(
        Prepared.of(original, schema, control=control), synthetic, None, schema
    )
    disclosures: dict[str, Disclosure] = {}
    values: dict[str, float | int | None] = {}
    for id_ in wanted:
        steps.next(id_)
        found = None
        if control is not None and id_ in DISCLOSURES:
            found = DISCLOSURES[id_](comparison, options)
        if found is not None:
            disclosures[id_] = found
            values[id_] = round(found.risk.value, DECIMALS)
        else:
            values[id_] = value_of(MEASURES[id_], comparison, options)
    return SyntheticAudit(
        n_original=len(original),
        n_anonymized=len(synthetic),
        n_copies=n_copies(original, comparison.anonymized),
        class_sizes=comparison.class_sizes,
        values=values,
        disclosures=disclosures,
        membership=_membership(original, control, comparison.anonymized, schema, steps),
    )


def _membership(
    original: pd.DataFrame,
    control: pd.DataFrame | None,
    synthetic: pd.DataFrame,
    schema: Schema,
    steps: Steps,
) -> Membership | None:
    if control is None or not (schema.quasi_identifiers or schema.sensitive):
        return None
    steps.next("membership")
    try:
        return membership_scores(original, control, synthetic, schema)
    except ControlError:  # many people are alike: nobody can be distinguished by these columns
        return None


def n_copies(original: pd.DataFrame, synthetic: pd.DataFrame) -> int:
    """The records of a table that are a record of the original in every column they have in common.

    Examples
    --------
    >>> from scoring.examples import table
    >>> n_copies(table("original"), table("original").head(3))
    3
    """
    names = [name for name in synthetic.columns if name in original.columns]
    known = set(map(tuple, _plain(original, names)))
    return sum(tuple(row) in known for row in _plain(synthetic, names))


def _plain(table: pd.DataFrame, names: list[str]) -> list[list[Any]]:
    return [list(row) for row in zip(*(table[name].tolist() for name in names), strict=True)]


def debrief(
    original: pd.DataFrame,
    synthetic: pd.DataFrame,
    schema: Schema,
    times: Mapping[int, int],
    *,
    n_attackers: int,
) -> dict[str, Any]:
    """The records that attackers found, and the nearness of the synthetic table to them, as plain values.

    Parameters
    ----------
    times : mapping of int to int
        By 0-based record of the original, how many attackers were right about it; none for a record that is missing.

    Returns
    -------
    dict
        "times": the number of records that were found by 0, 1, 2 … attackers; "distances": the median distance to the
        nearest synthetic record (Gower, over all quasi-identifiers and sensitive columns) of the records that were
        found and of the others, None where there are none; "records": the found ones, those found most often first,
        each with its row and distance.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = debrief(table("original"), table("original"), SCHEMA, {2: 1}, n_attackers=1)
    >>> found["times"], found["distances"], found["records"]
    ([3, 1], {'found': 0.0, 'others': 0.0}, [{'row': 2, 'times': 1, 'distance': 0.0}])
    """
    count = np.zeros(len(original), dtype=np.int64)
    for row, n in times.items():
        count[row] = n
    distance = nearest_distances(original, synthetic, schema)
    listed = sorted(np.flatnonzero(count).tolist(), key=lambda row: (-count[row], row))
    return {
        "n_records": len(original),
        "n_attackers": n_attackers,
        "times": np.bincount(count, minlength=n_attackers + 1).tolist(),
        "distances": {
            "found": _median(distance, count > 0),
            "others": _median(distance, count == 0),
        },
        "records": [
            {"row": row, "times": int(count[row]), "distance": round(float(distance[row]), 4)}
            for row in listed[:MAX_RECORDS]
        ],
    }


def nearest_distances(
    original: pd.DataFrame, synthetic: pd.DataFrame, schema: Schema
) -> FloatArray:
    """The Gower distance of each record of the original to the nearest synthetic one, 0 to 1."""
    if not (schema.quasi_identifiers or schema.sensitive):
        return np.zeros(len(original))
    _lines, distances = candidates_with_distances(synthetic, original, schema, 1, distance="gower")
    return np.asarray(distances[:, 0], dtype=np.float64)


def _median(distance: FloatArray, among: np.ndarray) -> float | None:
    return round(float(np.median(distance[among])), 4) if among.any() else None
