# SPDX-License-Identifier: Apache-2.0
"""The attack itself, imported at its first use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoring.scores.comparison import Prepared
from scoring.tables.schema import Schema


def guess_nearest_total(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    sensitive: Sequence[str] | None = None,
    **_: Any,
) -> np.ndarray:
    """For each record of Y the row of X whose sum of the sensitive numbers is the nearest.

    Returns
    -------
    int array, shape (n_anonymized,)
        Rows of X from 0; -1, no guess, without sensitive numbers. Of equally near rows the first.

    Notes
    -----
    A template.
    """
    table = original.table if isinstance(original, Prepared) else original
    names = list(sensitive or schema.sensitive_numeric)
    if not names:
        return np.full(len(anonymized), -1, dtype=np.int64)
    known = table[names].to_numpy(dtype=float).sum(axis=1)
    seen = anonymized[names].to_numpy(dtype=float).sum(axis=1)
    return np.array([np.abs(known - total).argmin() for total in seen], dtype=np.int64)
