# SPDX-License-Identifier: Apache-2.0
"""The measure itself, imported at its first use."""

import numpy as np

from scoring.scores.comparison import Comparison, Options

DEFAULT = Options()


def untouched_records(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Share of the records of Y with the quasi-identifiers of their declared original.

    Returns
    -------
    float or None
        0 where every record was changed, 1 where none was; lower is safer. None without
        quasi-identifiers.

    Notes
    -----
    A template.
    """
    names = list(comparison.schema.quasi_identifiers)
    if not names:
        return None
    before = comparison.prepared.table[names].iloc[comparison.source].to_numpy(dtype=object)
    after = comparison.anonymized[names].to_numpy(dtype=object)
    return float(np.mean((before == after).all(axis=1)))
