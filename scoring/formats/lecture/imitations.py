# SPDX-License-Identifier: Apache-2.0
"""Imitated decoys: records that a team can make of its own table, in place of decoys that it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def imitated_decoys(table: pd.DataFrame, n: int, *, rng: np.random.Generator) -> pd.DataFrame:
    """Records mixed of two records each: about half of the columns of one, the others of another.

    Parameters
    ----------
    table : DataFrame, at least one record
        A team's own records.
    n : int
        The number of decoys.
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame, n records
        With the columns and the types of the table; every value occurs in its column there.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 30, 40], "city": ["A", "B", "C"]})
    >>> decoys = imitated_decoys(table, 2, rng=np.random.default_rng(1))
    >>> decoys["age"].isin(table["age"]).all(), len(decoys)
    (np.True_, 2)
    """
    import pandas as pd

    first, second = rng.integers(len(table), size=(2, n))
    made = {}
    for name in table.columns:
        rows = np.where(rng.random(n) < 0.5, first, second)
        made[name] = table[name].iloc[rows].reset_index(drop=True)
    return pd.DataFrame(made, columns=table.columns)
