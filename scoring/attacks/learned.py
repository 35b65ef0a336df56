# SPDX-License-Identifier: Apache-2.0
"""Learned linkage: an attacker trains on records that it anonymizes itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from scoring.attacks.assignment import Matching, sparse_assignment
from scoring.attacks.base import DUPLICATES, MODELS, check_choice
from scoring.attacks.metrics import Metric, Points
from scoring.attacks.pairs import Known, Pairs
from scoring.scores.comparison import Prepared
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

_TREES = 30
_SMALLEST_LEAF = 5
_LEAST_LIKELY = 1e-6  # a forest may give probability 0; one link must not outweigh all others


def guess_learned_linkage(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    model: str = "logistic",
    candidates: int = 20,
    sample: int = 500,
    duplicates: str = "no",
    rounds: int = 3,
) -> IntArray:
    """The likeliest of the nearest originals, by a classifier that learnt what survives anonymization.

    Parameters
    ----------
    original, anonymized : DataFrame, n_original and n_anonymized records
        The attacker has both tables only; how the table was anonymized is estimated from them.
    rng : numpy.random.Generator
        Draws the training records, and the classifier's trees.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers looked at; all by default.
    sensitive : sequence of str, optional
        The sensitive columns looked at, of any kind; all by default.
    model : {"logistic", "forest"}
        A logistic regression or a random forest, which is slower.
    candidates : int
        Number of nearest originals by Gower's distance that the classifier chooses from.
    sample : int
        Number of originals that the attacker anonymizes for training.
    duplicates : {"no", "yes"}
        If no, an original is linked once at most: the records that can be are linked
        one to one, so that all links together are likeliest, and the rest as if they may.
    rounds : int
        Number of training rounds, each based on the links of the previous one.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows; of equally likely ones the nearest, then the lowest, or what the
        solver of the assignment finds. All -1 without a column.

    Raises
    ------
    ValueError
        Where a table, a column or an option does not fit.

    Notes
    -----
    First one-to-one links of the nearest records, by Gower's distance, show what happened to the columns: which
    categories changed, and by how much the numbers moved. What happened in a randomly drawn link is then done to a
    randomly drawn original, again and again, which gives anonymized records whose origin is known. Each is paired with
    its nearest originals, and the classifier learns from each pair's differences, column by column, its distance and
    its rank among the others, whether it is the true one. Its links then describe the anonymization better, and the
    procedure is repeated. Declared rows are never used. The idea is that of record linkage with learnt weights, Fellegi
    & Sunter, “A theory for record linkage”, without their independence of columns. Costs Gower's distances of all
    pairs, and in each round time in proportion to (`sample` + n_anonymized) * `candidates`: about 3 s for 8,333
    records.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> rng = np.random.default_rng(1)
    >>> guess_learned_linkage(table("original"), table("noise"), SCHEMA, rng=rng)
    array([0, 1, 2, 3])
    """
    check_choice("model", model, MODELS)
    check_choice("duplicates", duplicates, DUPLICATES)
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    pairs = known.pairs(known.metric("gower"))
    if not pairs.metric.has_columns:
        return np.full(len(pairs.y), -1, dtype=np.int64)
    n = max(1, min(candidates, len(pairs.x)))
    lists = CandidateLists.of(pairs, n)
    links = Matching.of(pairs)
    links.greedy(in_class=False)
    linked, likely = links.guess, np.exp(-lists.distances)
    for _round in range(rounds):
        practice, is_true = _practice(pairs, n, sample, linked, rng)
        if is_true.all() or not is_true.any():  # nothing to learn from
            break
        classifier = _classifier(model, int(rng.integers(0, 2**31)))
        # The products are small: a second thread waits longer than it works on a busy machine.
        with threadpool_limits(limits=1):
            classifier.fit(practice.features(), is_true.ravel())
            likely = classifier.predict_proba(lists.features())[:, 1].reshape(lists.rows.shape)
        linked = sparse_assignment(lists.rows, -np.log(np.maximum(likely, _LEAST_LIKELY)))
    best: IntArray = np.take_along_axis(lists.rows, likely.argmax(axis=1)[:, None], axis=1)[:, 0]
    return best if duplicates == "yes" else np.where(linked >= 0, linked, best)


def _practice(
    pairs: Pairs, n: int, sample: int, linked: IntArray, rng: np.random.Generator
) -> tuple[CandidateLists, npt.NDArray[np.bool_]]:
    """Records that the attacker anonymized himself, their candidates, and which are the true ones."""
    rows = rng.integers(0, len(pairs.x), size=max(1, sample))
    drawn = rng.choice(np.flatnonzero(linked >= 0), size=len(rows))
    practice = CandidateLists.of(beside(pairs, imitate(pairs, rows, drawn, linked[drawn])), n)
    return practice, practice.rows == rows[:, None]


def imitate(pairs: Pairs, rows: IntArray, records: IntArray, linked: IntArray) -> Points:
    """Do to the originals `rows` what seems to have happened between `linked` and `records`.

    Numbers move as far as they did there, and a category that changed there gets the same new value.
    """
    x, before, after = pairs.x.take(rows), pairs.x.take(linked), pairs.y.take(records)
    codes = np.where(before.codes == after.codes, x.codes, after.codes)
    return Points(codes, x.numbers + (after.numbers - before.numbers))


def beside(pairs: Pairs, y: Points) -> Pairs:
    """The same original paired with other records."""
    return Pairs(pairs.metric, pairs.x, y, np.full(len(y), -1, dtype=np.int64), pairs.classes)


@dataclass(frozen=True, slots=True)
class CandidateLists:
    """The nearest originals of each record: the candidates of the classifier.

    `rows` and `distances` have the shape (n_records, n), and no list is shorter.
    """

    pairs: Pairs
    rows: IntArray
    distances: FloatArray

    @classmethod
    def of(cls, pairs: Pairs, n: int) -> CandidateLists:
        """The n nearest of each."""
        return cls(pairs, *pairs.nearest(np.arange(len(pairs.y)), n))

    def features(self) -> npt.NDArray[np.float32]:
        """The features of each pair, record by record: shape (n_records * n, n_columns + 4).

        Per category 1 if it differs, per number the difference; the distance, and how much it
        is above that of the record's nearest candidate and of the one before; the place in the list.
        """
        metric: Metric = self.pairs.metric
        n_records, n = self.rows.shape
        records = np.repeat(np.arange(n_records), n)
        x, y = self.pairs.x.take(self.rows.ravel()), self.pairs.y.take(records)
        steps = np.diff(self.distances, axis=1, prepend=self.distances[:, :1])
        columns = [
            *(x.codes != y.codes),
            *(np.abs(y.numbers - x.numbers) * metric.factors[:, None]),
            self.distances.ravel(),
            (self.distances - self.distances[:, :1]).ravel(),
            steps.ravel(),
            np.tile(np.arange(n), n_records),
        ]
        return np.column_stack(columns).astype(np.float32)


def _classifier(model: str, seed: int) -> Any:
    if model == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        _TREES, min_samples_leaf=_SMALLEST_LEAF, random_state=seed, n_jobs=1
    )
