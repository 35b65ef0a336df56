# SPDX-License-Identifier: Apache-2.0
"""Overall similarity: can a model distinguish the records of the two tables.

The propensity model is a logistic regression on the scored columns, concatenated as

- one column for each level of a category but the most frequent in X; levels beyond the 30 most
  frequent in X are one level;
- for each number its rank among X's values, from 0 to 1 (ties at their middle): heavy tails and the
  unit play no part;
- where both tables together have at least 20 records for each column that this makes, and there are
  at most 400 of them: the squares of these ranks and the products of each two columns' scores, a
  category's score being whether it is the most frequent level. Without them a model sees no more than
  the distribution of each column.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from scoring.scores.coding import (
    Coded,
    CodedTable,
    coded_pair,
    frequent,
    one_thread,
    pairs,
    sample,
)
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()
RECORDS_PER_TERM = 20
MAX_TERMS = 400
MAX_RECORDS = 20_000
"""Of a larger X only so many random records, and their records in Y, are used."""
_RANK_TOLERANCE = 1e-9
"""Directions whose variance is smaller than this share of the largest are taken for linear dependence."""
_WEAKNESS = 1e6
"""The inverse of the ridge penalty: too weak to be seen, but it keeps separable tables finite."""


@dataclass(frozen=True, slots=True)
class Propensity:
    """Result of a model that distinguishes two tables.

    Attributes
    ----------
    pmse : float
        Mean squared difference between the fitted probability that a record is of Y and Y's share.
    n_parameters : int
        Parameters of the model without linear dependence, the intercept among them.
    n_original, n_anonymized : int
        Numbers of records.
    """

    pmse: float
    n_parameters: int
    n_original: int
    n_anonymized: int

    @property
    def expected(self) -> float:
        """The expected `pmse` if Y were drawn from the right model of X."""
        return null_expectation(self.n_parameters, self.n_original, self.n_anonymized)

    @property
    def ratio(self) -> float:
        """`pmse` / `expected`; 0 where nothing varies."""
        return self.pmse / self.expected if self.expected > 0 else 0.0


def propensity_error(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """pMSE: mean over all records of both tables of (p - c)², p fitted, c the share of Y's records.

    p is the probability that the record is one of Y, as a logistic regression on all scored columns
    gives it.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records. The model has one column for each level of a
        category and the rank of each number, and where records are many enough products of each two
        columns. Where X has more than 20,000 records, it looks at so many random ones and at the
        records of Y that were declared to come from them; else the declared rows play no part.
    options : Options
        `seed`: which records are drawn where X has more than 20,000.

    Returns
    -------
    float or None
        0 if the model cannot distinguish the tables, c (1 - c), at most 0.25, where it always can;
        None without a scored column.

    Notes
    -----
    Snoke, Raab, Nowok, Dibben & Slavković, “General and specific utility measures for synthetic
    data”, section on the propensity score mean-squared error.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> propensity_error(comparison("original"))
    0.0
    """
    found = propensity(comparison, seed=options.seed)
    return None if found is None else found.pmse


def propensity_ratio(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """pMSE divided by its expectation for a table drawn from the right model of X.

    The expectation is (k - 1) (1 - c)² c / N with k parameters of the model, the intercept among them,
    c the share of Y's records, and N records in both tables.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records. The model and the records that it looks at
        are those of pMSE.
    options : Options
        `seed`: which records are drawn where X has more than 20,000.

    Returns
    -------
    float or None
        0 if the model cannot distinguish the tables, about 1 for a table of new records from the
        right model, without a fixed upper end: it grows with the number of records. None without a
        scored column.

    Notes
    -----
    Snoke, Raab, Nowok, Dibben & Slavković, “General and specific utility measures for synthetic
    data”, section on the distribution of pMSE under correct synthesis.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> propensity_ratio(comparison("original"))
    0.0
    """
    found = propensity(comparison, seed=options.seed)
    return None if found is None else found.ratio


def propensity(comparison: Comparison, *, seed: int = 1) -> Propensity | None:
    """Fit the model that distinguishes Y from X; None without a scored column."""
    coded, original, anonymized = coded_pair(comparison)
    if not coded.columns:
        return None
    rng = np.random.default_rng(seed)
    original, drawn = sample(original, anonymized, comparison.declared, MAX_RECORDS, rng=rng)
    if len(drawn):  # else few are left in Y and no drawn record is among them: all of Y then
        anonymized = drawn
    n_x, n_y = len(original), len(anonymized)
    with one_thread():
        basis = _orthonormal(_terms(coded, original, anonymized))
        is_anonymized = np.repeat([0, 1], [n_x, n_y])
        fitted = _fitted(basis, is_anonymized)
    share = n_y / (n_x + n_y)
    pmse = math.fsum(((fitted - share) ** 2).tolist()) / (n_x + n_y)
    # Probabilities are fitted to about seven decimals, which is less than this in their square.
    pmse = pmse if pmse > 1e-13 else 0.0
    return Propensity(min(pmse, 0.25), basis.shape[1] + 1, n_x, n_y)


def null_expectation(n_parameters: int, n_original: int, n_anonymized: int) -> float:
    """The expectation of pMSE where Y was drawn from the right model of X.

    Parameters
    ----------
    n_parameters : int
        Parameters of the logistic regression, the intercept among them.
    n_original, n_anonymized : int
        Numbers of records.

    Examples
    --------
    >>> null_expectation(7, 5_000, 5_000)
    7.5e-05
    """
    n = n_original + n_anonymized
    share = n_anonymized / n
    return (n_parameters - 1) * (1 - share) ** 2 * share / n


def _terms(coded: Coded, original: CodedTable, anonymized: CodedTable) -> FloatArray:
    """The model's columns without intercept, the records of X before those of Y."""
    n_records = len(original) + len(anonymized)
    columns: list[FloatArray] = []
    scores: list[FloatArray] = []
    squares: list[FloatArray] = []
    for position, n_levels in enumerate(coded.n_levels):
        x, y = original.columns[position], anonymized.columns[position]
        if n_levels:
            levels = frequent(n_levels, x.astype(np.int64))
            codes = levels[np.concatenate([x, y]).astype(np.int64)]
            columns += [(codes == level).astype(np.float64) for level in range(1, codes.max() + 1)]
            scores.append((codes == 0) - 0.5)
        else:
            ranks = _ranks(np.sort(x.astype(np.float64)), np.concatenate([x, y]))
            columns.append(ranks)
            scores.append(ranks - 0.5)
            squares.append((ranks - 0.5) ** 2)
    n_terms = len(columns) + len(squares) + len(scores) * (len(scores) - 1) // 2
    if n_terms <= MAX_TERMS and n_records >= RECORDS_PER_TERM * n_terms:
        columns += squares + [scores[i] * scores[j] for i, j in pairs(len(scores))]
    return np.column_stack(columns) if columns else np.empty((n_records, 0))


def _ranks(ordered: FloatArray, values: FloatArray | IntArray) -> FloatArray:
    """The share of X's values below each value, half of those equal to it counted."""
    below = np.searchsorted(ordered, values) + np.searchsorted(ordered, values, side="right")
    ranks: FloatArray = below / (2 * len(ordered))
    return ranks


def _orthonormal(terms: FloatArray) -> FloatArray:
    """Uncorrelated columns of mean 0 and variance 1 that span the same models."""
    centered = terms - terms.mean(axis=0)
    spread = np.sqrt((centered**2).mean(axis=0))
    varies = spread > _RANK_TOLERANCE
    scaled: FloatArray = centered[:, varies] / spread[varies]
    if not scaled.shape[1]:
        return scaled
    variances, directions = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    kept = variances > _RANK_TOLERANCE * variances[-1]
    basis: FloatArray = scaled @ (directions[:, kept] / np.sqrt(variances[kept]))
    return basis


def _fitted(basis: FloatArray, is_anonymized: IntArray) -> FloatArray:
    """The fitted probability that each record is one of Y."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    if not basis.shape[1]:
        return np.full(len(basis), is_anonymized.mean())
    model = LogisticRegression(C=_WEAKNESS, tol=1e-8, max_iter=100)
    with warnings.catch_warnings():
        # Perfectly separable tables have no finite solution; a hundred steps come close.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(basis, is_anonymized)
    fitted: FloatArray = model.predict_proba(basis)[:, 1]
    return fitted
