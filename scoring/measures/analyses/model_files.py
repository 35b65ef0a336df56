# SPDX-License-Identifier: Apache-2.0
"""A model that the team submits with its table: how often it is wrong about the original."""

from __future__ import annotations

import numpy as np

from scoring.measures.analyses.names import CONTROLS, HALF_AND_HALF, MODEL, ORIGINAL
from scoring.sandbox.models import is_positive, predictions
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import Table

DEFAULT = Options()


def model_errors(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    target: str,
    positive: str = "1",
    tested_on: str = ORIGINAL,
) -> float | None:
    """Share of the records for which the submitted model is wrong.

    XGBoost applies the model to the other columns in a process of its own, with limits and without network. It
    claims the positive value where its probability is above 0.5.

    Parameters
    ----------
    comparison : Comparison
        X and the file "model"; Y and the declared rows play no part.
    target : str
        The column that is predicted, which the model may not use.
    positive : str
        Its value that the model gives the probability of, written as in the table.
    tested_on : {"original", "half-and-half", "controls"}
        The records of X, each of which a model that was trained on them may know; the control records, from which
        neither Y nor the model was made: on the platform the decoys of the team, at home records that you give; or
        the mean of the shares among both, where a model that knows X still gains half.

    Returns
    -------
    float or None
        0 where all predictions are right, 1 where none is. None without a model, and without control records where
        they are needed.

    Raises
    ------
    ProblemsFound
        See `scoring.sandbox.models.predictions`.

    Notes
    -----
    PWS Cup 2025 gives 20 points times the share of right predictions among 5,000 records of the team's original and
    5,000 of the other candidates: "half-and-half".

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> model_errors(comparison("original"), target="QI1")
    """
    data = comparison.files.get(MODEL)
    schema, control = comparison.schema, comparison.prepared.control
    tables: list[Table] = [] if tested_on == CONTROLS else [comparison.prepared.original]
    if tested_on != ORIGINAL and control is not None:
        tables.append(control)
    if data is None or len(tables) < (2 if tested_on == HALF_AND_HALF else 1):
        return None
    shares = []
    for table in tables:
        claimed = predictions(data, table, schema, target) > 0.5
        shares.append(float(np.mean(claimed != is_positive(table, schema, target, positive))))
    return sum(shares) / len(shares)
