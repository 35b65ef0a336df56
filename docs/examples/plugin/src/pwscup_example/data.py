# SPDX-License-Identifier: Apache-2.0
"""The generator of the format's table, imported at its first use."""

import numpy as np
import pandas as pd


def people(n_records: int, *, seed: int) -> pd.DataFrame:
    """Synthetic people with the columns of rules.toml, in its order; the same seed gives the same table.

    Returns
    -------
    DataFrame, n_records records
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 91, n_records)
    income = np.clip(rng.normal(200 + 3 * age, 80), 0, 1000).astype(np.int64)
    return pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n_records),
            "age": age,
            "income": income,
            "rent": np.clip(income * rng.uniform(0.1, 0.5, n_records), 0, 500).astype(np.int64),
        }
    )
