# SPDX-License-Identifier: Apache-2.0
"""Random sampling: only a part of the records is released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "sampling"


def sampling(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    fraction: float = 0.5,
    count: int = 0,
) -> Anonymized:
    """Release a random part of the records, each equally likely; they keep values and order.

    Protects against certain matches: a record that is unique in the sample need not be unique in the population, and a
    person need not be in the sample. A person known to be in it is not protected. Costs the other records: counts
    shrink, means vary by chance.

    Parameters
    ----------
    fraction
        Share of the records to release, rounded to the nearest number of records.
    count
        Number of records to release, instead of a share; 0 leaves it to `fraction`.

    Raises
    ------
    ProblemsFound
        No record would be released, or more than there are.
    """
    n_released = count or int(fraction * len(table) + 0.5)
    if count > len(table):
        raise refuse(ID, "count", f"an integer up to the table's {len(table)} records", count)
    if n_released < 1:
        expected = f"a share that is at least one of the table's {len(table)} records"
        raise refuse(ID, "fraction", expected, fraction)
    released = np.sort(rng.choice(len(table), size=n_released, replace=False)).astype(np.int64)
    return Anonymized(table.iloc[released].reset_index(drop=True), released)


SAMPLING = Anonymizer(
    id=ID,
    title=_("Random sampling"),
    protects=_("Certainty that a person is in the table, or is unique beyond it"),
    costs=_("The records that are not drawn"),
    function=sampling,
    options=(
        Option("fraction", "number", 0.5, _("share of the records to release"), high=1),
        Option("count", "integer", 0, _("number of records to release, instead of a share")),
    ),
)
