# SPDX-License-Identifier: Apache-2.0
"""Suppression of whole records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "record-deletion"


def record_deletion(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    fraction: float = 0.1,
    count: int = 0,
) -> Anonymized:
    """Delete records chosen at random; the others keep their values and their order.

    Parameters
    ----------
    fraction
        Share of the records to delete, rounded to the nearest number of records.
    count
        Number of records to delete, instead of a share; 0 leaves it to `fraction`.

    Raises
    ------
    ProblemsFound
        No record would be left.
    """
    n_deleted = count or int(fraction * len(table) + 0.5)
    if n_deleted >= len(table):
        option, got = ("count", count) if count else ("fraction", fraction)
        raise refuse(ID, option, f"one record or more left of the table's {len(table)}", got)
    deleted = rng.choice(len(table), size=n_deleted, replace=False)
    kept = np.delete(np.arange(len(table), dtype=np.int64), deleted)
    return Anonymized(table.iloc[kept].reset_index(drop=True), kept)


RECORD_DELETION = Anonymizer(
    id=ID,
    title=_("Deletion of records"),
    protects=_("The deleted records, and matching by rank for all others"),
    costs=_("The deleted records"),
    function=record_deletion,
    options=(
        Option("fraction", "number", 0.1, _("share of the records to delete"), high=1),
        Option("count", "integer", 0, _("number of records to delete, instead of a share")),
    ),
)
