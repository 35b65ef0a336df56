# SPDX-License-Identifier: Apache-2.0
"""A model that the team submits with its table: how often it is wrong about the original."""

from __future__ import annotations

import numpy as np

from scoring.measures.analyses.names import MODEL
from scoring.sandbox.models import is_positive, predictions
from scoring.scores.comparison import Comparison, Options

DEFAULT = Options()


def model_errors(
    comparison: Comparison, options: Options = DEFAULT, *, target: str, positive: str = "1"
) -> float | None:
    """Share of the records of X for which the submitted model is wrong.

    XGBoost applies the model to the other columns of X in a process of its own, with limits and without network. It
    claims the positive value where its probability is above 0.5.

    Parameters
    ----------
    comparison : Comparison
        X and the file "model"; Y and the declared rows play no part.
    target : str
        The column that is predicted, which the model may not use.
    positive : str
        Its value that the model gives the probability of, written as in the table.

    Returns
    -------
    float or None
        0 where all predictions are right, 1 where none is. None without a model.

    Raises
    ------
    ProblemsFound
        See `scoring.sandbox.models.predictions`.

    Notes
    -----
    PWS Cup 2025 gives 20 points times the share of right predictions.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> model_errors(comparison("original"), target="QI1")
    """
    data = comparison.files.get(MODEL)
    if data is None:
        return None
    original = comparison.prepared.original
    claimed = predictions(data, original, comparison.schema, target) > 0.5
    return float(np.mean(claimed != is_positive(original, comparison.schema, target, positive)))
