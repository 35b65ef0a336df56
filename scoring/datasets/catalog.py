"""Tables by the names of their schemas."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from scoring.datasets import HOUSEHOLDS
from scoring.datasets.households import households


def generated(
    name: str,
    n_records: int,
    *,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Draw a table with the schema of this name.

    Parameters
    ----------
    name
        One of `USUAL`.
    n_records, seed, progress
        As in `scoring.datasets.households.households`.

    Examples
    --------
    >>> generated("survival", 3, seed=1).shape
    (3, 14)
    """
    if name == HOUSEHOLDS:
        return households(n_records, seed=seed, progress=progress)
    from scoring.datasets.cups import imitation  # loads SciPy's normal distribution

    return imitation(name, n_records, seed=seed, progress=progress)
