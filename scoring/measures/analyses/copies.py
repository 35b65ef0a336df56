# SPDX-License-Identifier: Apache-2.0
"""Records that are published as they were."""

from __future__ import annotations

from scoring.scores.comparison import Comparison, Options
from scoring.scores.content import copies

DEFAULT = Options()


def verbatim_share(comparison: Comparison, options: Options = DEFAULT, *, k: int = 0) -> float:
    """Share of the records of Y that equal a record of X, or of a further table, in all but at most k cells.

    Parameters
    ----------
    comparison : Comparison
        X and Y, and the further tables whose records may not be published either; the declared rows play no part.
    k : int
        The number of cells that may differ, 0 for none.

    Returns
    -------
    float
        0 where every record was changed in more than k cells, 1 where none was; lower is safer. Numbers are compared
        after they were read, so 1.0 and 1 are equal. Columns that a table lacks play no part.

    Notes
    -----
    Share of identical matches of synthetic and real records: Platzer & Reutterer, “Holdout-Based Empirical Assessment
    of Mixed-Type Synthetic Data”, section on privacy. The number of cells is our own.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> [verbatim_share(comparison(name)) for name in ("original", "unified", "noise")]
    [1.0, 0.5, 0.0]
    >>> verbatim_share(comparison("unified"), k=1)
    1.0
    """
    references = [comparison.prepared.original, *comparison.references]
    return float(copies(comparison.table, references, comparison.schema, k).mean())
