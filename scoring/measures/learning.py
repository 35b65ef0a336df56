# SPDX-License-Identifier: Apache-2.0
"""Similarity for learning: whether a model trained on the anonymized table works on real records."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from scoring.scores.coding import (
    Coded,
    CodedTable,
    coded_pair,
    frequent,
    one_thread,
    sample,
    told_apart,
)
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

DEFAULT = Options()
TEST_SHARE = 0.25
N_TREES = 50
SMALLEST = 3
"""Records of X below which none is held out."""
LARGEST = 100_000
"""Of a larger X so many random records are learned from and predicted."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Accuracies of two models on the held-out records of X.

    Attributes
    ----------
    target : str
        The column that is predicted.
    from_original, from_anonymized : float
        R² of a number, where below 0 as 0; the share of right predictions of a category. A model for
        which no record is left to learn from scores 0.
    n_tested : int
        Held-out records.
    """

    target: str
    from_original: float
    from_anonymized: float
    n_tested: int

    @property
    def loss(self) -> float:
        """The loss of accuracy of the model learned from Y; 0 if there is none."""
        return max(0.0, self.from_original - self.from_anonymized)


def target_column(schema: Schema) -> str | None:
    """The target column: E2's column, else the first sensitive one, else the first category.

    None where the schema has none of these.
    """
    if schema.e2_column is not None:
        return schema.e2_column
    categories = (q for q in schema.quasi_identifiers if not schema.column(q).is_numeric)
    return next(chain(schema.sensitive, categories), None)


def learning_loss(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Loss of accuracy on held-out records of X of a model learned from Y instead of X.

    Train on synthetic, test on real: a quarter of X is held out; one model learns from the rest of X,
    one from the records of Y that were not made from held-out ones. Both predict one column from all
    others. Of more than 100,000 records that many are drawn. The value is the difference of their
    scores, R² (at least 0) for a number and the share of right predictions for a category.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows. What is predicted is
        E2's column, else the first sensitive one, else the first category; from all other scored
        columns.
    options : Options
        `seed`: which records are held out.

    Returns
    -------
    float or None
        0 where Y teaches as well as X or better, 1 where X teaches everything and Y nothing; None
        without a column to predict or others to predict it from, with fewer than three records in X, or
        where all held-out records are equal in a numeric target.

    Notes
    -----
    Esteban, Hyland & Rätsch, “Real-valued (medical) time series generation with recurrent conditional
    GANs”, section on evaluation, names the procedure. The models are gradient-boosted trees, which take
    numbers and categories as they are; levels beyond the 30 most frequent in X are one level.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> learning_loss(comparison("noise"))
    0.0
    """
    found = learned(comparison, seed=options.seed)
    return None if found is None else found.loss


def learned(comparison: Comparison, *, seed: int = 1) -> Learned | None:
    """Train on X and on Y, test on held-out records of X; None where that is not possible."""
    target = target_column(comparison.schema)
    rng = np.random.default_rng(seed)
    coded, original, anonymized = coded_pair(comparison)
    if target is None or len(coded.columns) < 2 or len(original) < SMALLEST:
        return None
    source = comparison.source
    is_tested = np.zeros(len(original), dtype=np.bool_)
    original = told_apart(original, anonymized, source)
    original, anonymized = sample(original, anonymized, source, LARGEST, rng=rng)
    position = [column.name for column in coded.columns].index(target)
    original, anonymized = _merged(coded, original, (original, anonymized))
    order = rng.permutation(len(original))
    n_tested = max(2, round(TEST_SHARE * len(original)))
    tested, rest = np.sort(order[:n_tested]), np.sort(order[n_tested:])
    is_tested[original.order[tested]] = True
    test = original.take(tested)
    truth = test.columns[position]
    if not coded.n_levels[position] and truth.min() == truth.max():
        return None
    others = np.flatnonzero(~is_tested[source[anonymized.order]])
    trained = [original.take(rest), anonymized.take(others)]
    with one_thread():
        from_x, from_y = (_score(coded, position, table, test) for table in trained)
    return Learned(target, from_x, from_y, n_tested)


def _merged(coded: Coded, original: CodedTable, tables: tuple[CodedTable, ...]) -> list[CodedTable]:
    """The tables with the levels that are rare in X as one."""
    merged = []
    for table in tables:
        columns = list(table.columns)
        for i in coded.categories:
            levels = frequent(coded.n_levels[i], original.columns[i].astype(np.int64))
            columns[i] = levels[columns[i].astype(np.int64)]
        merged.append(CodedTable(tuple(columns), table.order))
    return merged


def _score(coded: Coded, target: int, table: CodedTable, test: CodedTable) -> float:
    """The accuracy on `test` of a model of the target column learned from `table`."""
    if not len(table):
        return 0.0
    truth, known = test.columns[target], table.columns[target]
    if known.min() == known.max():  # which no classifier accepts, and nothing is to be learned from
        predicted: FloatArray | IntArray = np.full(len(truth), known[0])
    else:
        predicted = _predicted(coded, target, table, test)
    if coded.n_levels[target]:
        return float((predicted == truth).mean())
    spread = ((truth - truth.mean()) ** 2).sum()
    return max(0.0, 1 - float(((truth - predicted) ** 2).sum() / spread))


def _predicted(
    coded: Coded, target: int, table: CodedTable, test: CodedTable
) -> FloatArray | IntArray:
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
    )

    others = [i for i in range(len(coded.columns)) if i != target]
    known = table.columns[target]
    settings = {
        "max_leaf_nodes": 15,
        "min_samples_leaf": min(20, max(1, len(table) // 10)),
        "categorical_features": [coded.n_levels[i] > 0 for i in others],
        "early_stopping": False,
        "random_state": 0,
    }
    if coded.n_levels[target]:
        n_levels = len(np.unique(known))  # a step grows a tree for each level
        model = HistGradientBoostingClassifier(
            max_iter=max(10, N_TREES * 2 // n_levels), **settings
        )
    else:
        model = HistGradientBoostingRegressor(max_iter=N_TREES, **settings)
    model.fit(np.column_stack([table.columns[i] for i in others]), known)
    predicted: FloatArray | IntArray = model.predict(
        np.column_stack([test.columns[i] for i in others])
    )
    return predicted
