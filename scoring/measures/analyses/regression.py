# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on both tables: coefficients, odds ratios, intervals, p-values, collinearity."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
from scipy.special import expit

from scoring.extras import needed
from scoring.measures.analyses.figures import Figures, apart, chosen, has_value
from scoring.measures.analyses.names import (
    COEFFICIENTS,
    COLLINEARITY,
    INTERVALS,
    LARGEST,
    ODDS_RATIOS,
    OF_REGRESSION,
    P_VALUES,
    SQUASHED,
    SQUASHED_DIFFERENCE,
)
from scoring.scores.coding import one_thread
from scoring.scores.comparison import Comparison, Options
from scoring.scores.options import CANONICAL
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import BoolArray, FloatArray, IntArray

DEFAULT = Options()
SEED = 42
"""The seed of the split into records to learn from and to test with, as in the contest."""
CONFIDENCE = 0.95
"""Of the intervals."""
FEWEST = 3


def regression_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    target: str,
    positive: str = "1",
    columns: Sequence[str] = (),
    parts: Sequence[str] = OF_REGRESSION,
    coefficients: str = SQUASHED,
    train: float = 0.8,
    order: str = CANONICAL,
    of: str = LARGEST,
) -> float | None:
    """Largest or mean absolute difference of the figures of a logistic regression on X and on Y.

    A binomial generalized linear model of one column on all others, numbers as they are and categories one-hot
    without their first value. A fixed share of the records of each table, stratified by the target, is learned from:
    which ones depends on their order.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    target : str
        A column with two values: a number, or a category.
    positive : str
        Its value that is predicted, written as in the table; all others are the opposite.
    columns : sequence of str
        The predictors; all other scored columns where it is empty.
    parts : sequence of {"coefficients", "p-values", "odds-ratios", "intervals", "collinearity"}
        The figures: odds ratios r and both ends of their intervals of 95 % as r / (1 + r); collinearity as 1 - 1 / VIF.
    coefficients : {"squashed", "raw", "squashed-difference"}
        By the logistic function, which is the odds ratio again; as they are, which has no upper end; or as they are,
        and of their absolute difference d 2 σ(d) - 1 counts, where σ is the logistic function.
    train : float
        The share of the records that is learned from; with 1 all are.
    order : {"canonical", "as-submitted"}
        Sorted by all columns, so that the order of a file has no effect; or that of the files, by which another order
        of the same records has another value.
    of : {"largest", "mean"}
        Over the figures.

    Returns
    -------
    float or None
        0 where all figures are equal, at most 1 but for raw coefficients; a term that a table lacks has 0. Where no
        model can be fitted to Y, the larger of 1 and what the figures of X are apart from 0. None where none can
        be fitted to X.

    Notes
    -----
    PWS Cup 2025, official scorer `LR_asthma_diff`: in its first version "raw", in its last "squashed-difference",
    always "as-submitted". PWS Cup 2021 and iPWS Cup 2023 bound or weigh the difference of
    odds ratios. statsmodels fits the model.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> of_two = {"target": "QI3", "positive": "2", "columns": ["SA1"]}
    >>> regression_difference(comparison("unified"), train=1, **of_two)
    1.0
    """
    names = [name for name in chosen(comparison, columns) if name != target]
    figures = partial(
        regression_figures,
        target=target,
        positive=positive,
        names=names,
        parts=parts,
        coefficients=coefficients,
        train=train,
    )
    x, y = map(figures, comparison.sheets_in(order))
    if x is None:
        return None

    def scaled(name: Hashable, difference: float) -> float:
        is_squashed = coefficients == SQUASHED_DIFFERENCE and name[0] == COEFFICIENTS  # type: ignore[index]
        return float(np.tanh(difference / 2)) if is_squashed else difference

    found = apart(x, y or {}, of, scaled)
    return found if y is not None or found is None else max(1.0, found)


def regression_figures(
    sheet: Sheet,
    *,
    target: str,
    positive: str,
    names: Sequence[str],
    parts: Sequence[str] = OF_REGRESSION,
    coefficients: str = SQUASHED,
    train: float = 0.8,
) -> Figures | None:
    """The figures of one table, in the order of its records; None where no model can be fitted."""
    is_positive = has_value(sheet, target, positive)
    terms = predictors(sheet, names)
    fewest = min(int(is_positive.sum()), int((~is_positive).sum()))
    if not terms or fewest < 2 or sheet.n < FEWEST:
        return None
    rows = np.column_stack(list(terms.values()))
    learned = _learned(is_positive, train)
    columns, response = rows[learned], is_positive[learned].astype(np.float64)
    with one_thread():
        fitted = _fitted(columns, response)
        vif = variance_inflation(columns)
    estimates, p_values, low, high = fitted
    made = {
        COEFFICIENTS: [expit(estimates) if coefficients == SQUASHED else estimates],
        P_VALUES: [p_values],
        ODDS_RATIOS: [expit(estimates)],
        INTERVALS: [expit(low), expit(high)],
        COLLINEARITY: [1 - 1 / vif],
    }
    return {
        (part, n, term): float(value)
        for part in parts
        for n, values in enumerate(made[part])
        for term, value in zip(terms, values, strict=True)
    }


def predictors(sheet: Sheet, names: Sequence[str]) -> dict[tuple[str, int], FloatArray]:
    """The columns of a model by their terms: numbers, and each value of a category but the first that occurs.

    Constant ones are left out.
    """
    terms: dict[tuple[str, int], FloatArray] = {}
    for name in names:
        if name in sheet.numbers:
            terms[name, -1] = sheet.numbers[name]
            continue
        for code in np.unique(sheet.codes[name])[1:]:
            terms[name, int(code)] = (sheet.codes[name] == code).astype(np.float64)
    return {term: values for term, values in terms.items() if values.min() < values.max()}


def variance_inflation(columns: FloatArray) -> FloatArray:
    """The variance inflation factor of each column, 1 or more: 1 / (1 - R²) of its regression on the others."""
    centred = columns - columns.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    found = np.ones(columns.shape[1])
    varies = norms > 0
    scaled = centred[:, varies] / norms[varies]
    # R from a QR decomposition: the rows of its inverse have the squared norms that are the factors.
    r: FloatArray = np.linalg.qr(scaled, mode="r")  # type: ignore[assignment]
    if r.shape[0] == r.shape[1] and np.abs(np.diag(r)).min(initial=1.0) > 1e-9:
        inverse = np.linalg.inv(r)
        found[varies] = (inverse**2).sum(axis=1)
    else:
        found[varies] = [_inflation(scaled, i) for i in range(scaled.shape[1])]
    return np.maximum(found, 1.0)


def _inflation(scaled: FloatArray, position: int) -> float:
    """The factor of one of columns that depend on each other."""
    own, others = scaled[:, position], np.delete(scaled, position, axis=1)
    left = own - others @ np.linalg.lstsq(others, own, rcond=None)[0]
    return 1 / max(float(left @ left), 1e-16)


def _learned(is_positive: BoolArray, train: float) -> IntArray:
    """The records that are learned from, in the order of the split."""
    if train >= 1:
        return np.arange(len(is_positive))
    from sklearn.model_selection import train_test_split

    learned: IntArray = train_test_split(
        np.arange(len(is_positive)), train_size=train, random_state=SEED, stratify=is_positive
    )[0]
    return learned


def _fitted(
    columns: FloatArray, response: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The coefficients without the constant, their p-values, and both ends of their intervals."""
    genmod = needed("statsmodels.genmod.generalized_linear_model", "statsmodels")
    families = needed("statsmodels.genmod.families", "statsmodels")
    design = np.column_stack([np.ones(len(columns)), columns])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter(
            "ignore"
        )  # separated tables have no finite estimate: what is reached counts
        found = genmod.GLM(response, design, family=families.Binomial()).fit()
        intervals = np.asarray(found.conf_int(1 - CONFIDENCE))
        estimates, p_values = np.asarray(found.params), np.asarray(found.pvalues)
    return estimates[1:], p_values[1:], intervals[1:, 0], intervals[1:, 1]
