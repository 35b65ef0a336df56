# SPDX-License-Identifier: Apache-2.0
"""Survival analyses: curves of Kaplan and Meier, and Cox's proportional hazards."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.special import expit

from scoring.extras import needed
from scoring.measures.analyses.figures import Figures, apart, chosen, has_value
from scoring.measures.analyses.names import HAZARD_RATIOS, INTERVALS, LARGEST, OF_HAZARDS, P_VALUES
from scoring.measures.analyses.regression import CONFIDENCE, predictors
from scoring.scores.coding import one_thread
from scoring.scores.comparison import Comparison, Options
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import FloatArray

DEFAULT = Options()


def curve_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    time: str,
    event: str,
    positive: str = "1",
    by: str = "",
    of: str = LARGEST,
) -> float | None:
    """Largest vertical distance of the Kaplan–Meier curves of X and Y, the largest or the mean over groups.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    time, event : str
        The column of times, 0 or later, and that which says whether the event happened then; the other records were
        observed until then without it.
    positive : str
        The value of `event` where it happened, written as in the table.
    by : str
        A category: a curve for each of its values. Empty: one curve.
    of : {"largest", "mean"}
        Over the groups.

    Returns
    -------
    float or None
        0 where all curves are equal, at most 1, as where a group is missing in one of the tables. None where X has no
        event.

    Notes
    -----
    Kaplan & Meier, "Nonparametric Estimation from Incomplete Observations"; statsmodels computes the curves.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> curve_difference(comparison("noise"), time="SA1", event="QI3", positive="2")
    0.5
    """
    x, y = (_curves(sheet, time, event, positive, by) for sheet in comparison.sheets)
    if not any(len(curve[0]) for curve in x.values()):
        return None
    found = [_distance(x.get(group), y.get(group)) for group in {**x, **y}]
    return max(found) if of == LARGEST else math.fsum(found) / len(found)


def hazard_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    time: str,
    event: str,
    positive: str = "1",
    columns: Sequence[str] = (),
    parts: Sequence[str] = OF_HAZARDS,
    of: str = LARGEST,
) -> float | None:
    """Largest or mean absolute difference of the figures of Cox's regression on X and on Y.

    Ties by Breslow's method; numbers as they are, categories one-hot without their first value.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    time, event : str
        The column of times, 0 or later, and that which says whether the event happened then.
    positive : str
        The value of `event` where it happened, written as in the table.
    columns : sequence of str
        The covariates; all other scored columns where it is empty.
    parts : sequence of {"hazard-ratios", "p-values", "intervals"}
        The figures: ratios r and both ends of their intervals of 95 % as r / (1 + r).
    of : {"largest", "mean"}
        Over the figures.

    Returns
    -------
    float or None
        0 where all figures are equal, at most 1; a term that a table lacks has 0. 1 where no model can be fitted to
        Y, None where none can be fitted to X.

    Notes
    -----
    Cox, "Regression Models and Life-Tables"; statsmodels fits the model.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> columns = {"time": "SA1", "event": "QI3", "columns": ["SA2"]}
    >>> round(hazard_difference(comparison("noise"), positive="2", **columns), 4)
    0.0007
    """
    names = [name for name in chosen(comparison, columns) if name not in (time, event)]
    figures = partial(
        hazard_figures, time=time, event=event, positive=positive, names=names, parts=parts
    )
    x, y = map(figures, comparison.sheets)
    if x is None:
        return None
    return 1.0 if y is None else apart(x, y, of)


def hazard_figures(
    sheet: Sheet,
    *,
    time: str,
    event: str,
    positive: str,
    names: Sequence[str],
    parts: Sequence[str] = OF_HAZARDS,
) -> Figures | None:
    """The figures of one table; None without an event or without a column that varies."""
    happened, terms = has_value(sheet, event, positive), predictors(sheet, names)
    if not happened.any() or not terms:
        return None
    phreg = needed("statsmodels.duration.hazard_regression", "statsmodels")
    rows = np.column_stack(list(terms.values()))
    scale = rows.std(axis=0)
    with one_thread(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter(
            "ignore"
        )  # separated tables have no finite estimate: what is reached counts
        model = phreg.PHReg(
            sheet.numbers[time], (rows - rows.mean(axis=0)) / scale, status=happened.astype(int)
        )
        try:
            found = model.fit(disp=0)
            estimates, p_values = np.asarray(found.params) / scale, np.asarray(found.pvalues)
            intervals = np.asarray(found.conf_int(1 - CONFIDENCE)) / scale[:, None]
        except np.linalg.LinAlgError:
            return None
    made = {
        HAZARD_RATIOS: [expit(estimates)],
        P_VALUES: [p_values],
        INTERVALS: [expit(intervals[:, 0]), expit(intervals[:, 1])],
    }
    return {
        (part, n, term): float(value)
        for part in parts
        for n, values in enumerate(made[part])
        for term, value in zip(terms, values, strict=True)
    }


def _curves(
    sheet: Sheet, time: str, event: str, positive: str, by: str
) -> dict[int, tuple[FloatArray, FloatArray]]:
    """The curve of each group: the times of events and the share without one after each."""
    survival = needed("statsmodels.duration.survfunc", "statsmodels")
    happened, times = has_value(sheet, event, positive), sheet.numbers[time]
    groups = sheet.codes[by] if by else np.zeros(sheet.n, dtype=np.int64)
    found = {}
    for group in np.unique(groups):
        own = groups == group
        if happened[own].any():
            curve = survival.SurvfuncRight(times[own], happened[own].astype(int))
            found[int(group)] = (np.asarray(curve.surv_times), np.asarray(curve.surv_prob))
        else:
            found[int(group)] = (np.zeros(0), np.zeros(0))
    return found


def _distance(
    x: tuple[FloatArray, FloatArray] | None, y: tuple[FloatArray, FloatArray] | None
) -> float:
    if x is None or y is None:
        return 1.0
    times = np.union1d(x[0], y[0])
    at = [np.concatenate([[1.0], p])[np.searchsorted(t, times, side="right")] for t, p in (x, y)]
    return float(np.abs(at[0] - at[1]).max(initial=0.0))
