# SPDX-License-Identifier: Apache-2.0
"""Train on the anonymized table, test on records of the original: with a named model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoring.extras import needed
from scoring.measures.analyses.figures import chosen
from scoring.measures.analyses.names import ACCURACY, BOOSTING, FOREST, LOGISTIC, TREE, XGBOOST
from scoring.scores.coding import one_thread
from scoring.scores.comparison import Comparison, Options
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()
SEED = 42


def training_loss(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    target: str,
    model: str = TREE,
    columns: Sequence[str] = (),
    score: str = ACCURACY,
    test: float = 0.2,
) -> float | None:
    """Loss of score of a model that learned from Y instead of X, on held-out records of X.

    A fixed share of X, in canonical order and stratified by the target, is held out. One model learns from the rest of
    X, one from all of Y; both predict one category of the held-out records from the other columns, numbers as they are
    and categories one-hot.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    target : str
        What is predicted: a category, or a number with few values.
    model : {"logistic-regression", "decision-tree", "random-forest", "gradient-boosting", "xgboost"}
        With the settings that their library has, and a fixed seed.
    columns : sequence of str
        The predictors; all other scored columns where it is empty.
    score : {"accuracy", "f1"}
        The share of right predictions, or the mean over the values of the harmonic mean of precision and recall.
    test : float
        The share of X that is held out.

    Returns
    -------
    float or None
        0 where Y teaches as well as X or better, 1 where X teaches everything and Y nothing. None where X has a single
        value of the target, or a value once.

    Notes
    -----
    Esteban, Hyland & Rätsch, "Real-valued (medical) time series generation with recurrent conditional GANs", section
    on evaluation, names the procedure; PWS Cup 2020 bounds the loss of F of a tree, PWS Cup 2025 counts the right
    predictions of XGBoost.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> training_loss(comparison("unified"), target="QI1", columns=["QI3"], test=0.5)
    0.5
    """
    x, y = comparison.sheets
    names = [name for name in chosen(comparison, columns) if name != target]
    classes, counts = np.unique(_values(x, target), return_counts=True)
    n_tested = round(test * x.n)
    if not names or len(classes) < 2 or counts.min() < 2 or n_tested < len(classes):
        return None
    if x.n - n_tested < len(classes):
        return None
    from sklearn.model_selection import train_test_split

    order = np.arange(x.n)
    learned, tested = train_test_split(
        order, test_size=n_tested, random_state=SEED, stratify=_values(x, target)
    )
    held_out = x.take(tested)
    with one_thread():
        scores = [
            _score(model, score, sheet, held_out, target, names) for sheet in (x.take(learned), y)
        ]
    return max(0.0, scores[0] - scores[1])


def _score(
    model: str, score: str, learned: Sheet, tested: Sheet, target: str, names: Sequence[str]
) -> float:
    """The score on `tested` of a model that has learned from `learned`."""
    from sklearn.metrics import accuracy_score, f1_score

    known, truth = _values(learned, target), _values(tested, target)
    classes, codes = np.unique(known, return_inverse=True)
    if len(classes) == 1:
        predicted = np.full(len(truth), classes[0])
    else:
        fitted = _MODELS[model]().fit(_features(learned, names), codes)
        predicted = classes[fitted.predict(_features(tested, names)).astype(np.int64)]
    if score == ACCURACY:
        return float(accuracy_score(truth, predicted))
    return float(f1_score(truth, predicted, average="macro", zero_division=0.0))


def _values(sheet: Sheet, target: str) -> FloatArray | IntArray:
    return sheet.codes[target] if target in sheet.codes else sheet.numbers[target]


def _features(sheet: Sheet, names: Sequence[str]) -> FloatArray:
    """Numbers, and a column of zeros and ones for each value that a category has in either table."""
    columns = [
        values
        for name in names
        for values in (
            [sheet.numbers[name]]
            if name in sheet.numbers
            else [
                (sheet.codes[name] == code).astype(np.float64)
                for code in range(len(sheet.levels[name]))
            ]
        )
    ]
    return np.column_stack(columns)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=SEED))


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=SEED)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=SEED, n_jobs=1)


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=SEED, early_stopping=False)


def _xgboost() -> Any:
    xgboost = needed("xgboost", "xgboost-cpu")
    return xgboost.XGBClassifier(random_state=SEED, n_jobs=1, tree_method="hist")


_MODELS: dict[str, Callable[[], Any]] = {
    LOGISTIC: _logistic,
    TREE: _tree,
    FOREST: _forest,
    BOOSTING: _boosting,
    XGBOOST: _xgboost,
}
