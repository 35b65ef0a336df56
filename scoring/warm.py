# SPDX-License-Identifier: Apache-2.0
"""Loads everything that scoring a submission needs."""

from __future__ import annotations

import numpy as np

from scoring.kernels.deferred import load

KERNELS = ("amounts", "confidences", "csv", "csv_writing", "layout", "search", "values", "vectors")


def warm_up() -> None:
    """Load the kernels, compiled first where no machine code is kept yet, and score four records.

    Several processes may do so at the same time. Where the folder of the code cannot be written,
    numba keeps machine code in the user's cache folder, or in the one that `NUMBA_CACHE_DIR` names.
    """
    for name in KERNELS:
        load(f"scoring.kernels.{name}")
    # What is reached by its address only, and what pandas loads at its first table.
    from scoring.evaluate import score
    from scoring.examples import SCHEMA, table

    score(table("original"), table("noise"), np.arange(4), SCHEMA)
