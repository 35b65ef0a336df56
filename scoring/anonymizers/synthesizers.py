# SPDX-License-Identifier: Apache-2.0
"""Synthesizers: new records that imitate a table, none of them made from a certain record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.domain import to_domain
from scoring.errors import gettext_noop as _
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

    Synthesis = Callable[..., pd.DataFrame]


@dataclass(frozen=True, slots=True)
class Synthesizer:
    """A method that makes `n` records with the columns of a table, from a generator and its option."""

    id: str
    title: str
    summary: str
    function: Synthesis

    def __call__(
        self,
        table: pd.DataFrame,
        schema: Schema,
        n: int,
        *,
        rng: np.random.Generator,
        **option: Any,
    ) -> pd.DataFrame:
        """New records.

        Parameters
        ----------
        table : DataFrame, at least one record
        schema : Schema
        n : int
            The number of new records, at least 1.
        rng : numpy.random.Generator
        **option
            The option of the method.

        Raises
        ------
        ValueError
            Where there is no record to imitate, or none is wanted.
        """
        if not len(table) or n < 1:
            raise ValueError(f"expected records to imitate and to make, got {len(table)} and {n}")
        made: pd.DataFrame = self.function(table.reset_index(drop=True), schema, n, rng, **option)
        return made


def independent_columns(
    table: pd.DataFrame, _schema: Schema, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Every column drawn from its own values, whatever the others are: only marginals stay.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> made = independent_columns(table("original"), SCHEMA, 3, np.random.default_rng(1))
    >>> len(made), bool(made["SA1"].isin(table("original")["SA1"]).all())
    (3, True)
    """
    return _columns(table, {name: rng.integers(len(table), size=n) for name in table.columns})


def bootstrap(
    table: pd.DataFrame, schema: Schema, n: int, rng: np.random.Generator, *, noise: float = 0.2
) -> pd.DataFrame:
    """Records drawn with replacement, and changed: a number gets noise, a category may become another one.

    Parameters
    ----------
    noise : float
        The standard deviation of the noise as a share of the column's, and the probability, up to 1, that a category
        is drawn again from its column.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> made = bootstrap(table("original"), SCHEMA, 3, np.random.default_rng(1), noise=0.0)
    >>> set(made["SA1"]) <= set(table("original")["SA1"])
    True
    """
    import pandas as pd

    rows = rng.integers(len(table), size=n)
    made: dict[str, Any] = {}
    for name in table.columns:
        column = schema.column(name)
        if column.is_numeric:
            values = table[name].to_numpy(dtype=np.float64)
            moved = values[rows] + rng.normal(0, 1, n) * noise * values.std()
            made[name] = to_domain(moved, column)
        else:
            drawn = np.where(rng.random(n) < noise, rng.integers(len(table), size=n), rows)
            made[name] = table[name].iloc[drawn].reset_index(drop=True)
    return pd.DataFrame(made)


def gaussian_copula(
    table: pd.DataFrame, _schema: Schema, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Columns with their own values, tied together by the correlations of their ranks.

    Notes
    -----
    The ranks of each column, ties in random order, become normal scores; records are drawn from the normal
    distribution with their correlations, and each score becomes the value of that quantile. Categories are ranked by
    their characters. Sklar's theorem; Patki, Wedge & Veeramachaneni, “The Synthetic Data Vault”, section on the
    Gaussian copula.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> len(gaussian_copula(table("original"), SCHEMA, 9, np.random.default_rng(1)))
    9
    """
    from scipy.special import ndtr, ndtri

    n_known = len(table)
    orders = [np.lexsort((rng.random(n_known), _ranked(table[name]))) for name in table.columns]
    scores = np.empty((n_known, len(orders)))
    for at, order in enumerate(orders):
        scores[order, at] = ndtri((np.arange(n_known) + 0.5) / n_known)
    correlations = (
        np.atleast_2d(np.cov(scores, rowvar=False)) if n_known > 1 else np.eye(len(orders))
    )
    values, vectors = np.linalg.eigh(correlations)
    drawn = rng.normal(size=(n, len(orders))) * np.sqrt(np.maximum(values, 0)) @ vectors.T
    deviations = np.sqrt(np.maximum(np.diag(correlations), 1e-12))
    quantiles = np.minimum((ndtr(drawn / deviations) * n_known).astype(np.int64), n_known - 1)
    rows = {
        name: order[quantiles[:, at]]
        for at, (name, order) in enumerate(zip(table.columns, orders, strict=True))
    }
    return _columns(table, rows)


def decision_trees(
    table: pd.DataFrame, schema: Schema, n: int, rng: np.random.Generator, *, leaf: int = 10
) -> pd.DataFrame:
    """One column after the other, each drawn from the records that a tree on the columns before finds alike.

    Parameters
    ----------
    leaf : int
        The smallest number of records in a leaf: the larger, the less of a record remains.

    Notes
    -----
    Reiter, “Using CART to generate partially synthetic public use microdata”, section on the method; as in synthpop,
    the first column is drawn from its values. Values of a leaf are drawn with replacement.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> len(decision_trees(table("original"), SCHEMA, 5, np.random.default_rng(1), leaf=2))
    5
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    coded = np.column_stack([_ranked(table[name]) for name in table.columns])
    rows: dict[str, IntArray] = {}
    made = np.empty((n, coded.shape[1]))
    for at, name in enumerate(table.columns):
        if at == 0:
            chosen = rng.integers(len(table), size=n)
        else:
            of = DecisionTreeRegressor if schema.column(name).is_numeric else DecisionTreeClassifier
            seed = int(rng.integers(2**31))
            tree = of(min_samples_leaf=min(leaf, len(table)), random_state=seed)
            tree.fit(coded[:, :at], coded[:, at])
            chosen = _from_leaves(tree.apply(coded[:, :at]), tree.apply(made[:, :at]), rng)
        rows[name] = chosen
        made[:, at] = coded[chosen, at]
    return _columns(table, rows)


def _from_leaves(known: IntArray, wanted: IntArray, rng: np.random.Generator) -> IntArray:
    """For each wanted leaf a random one of the records in it."""
    order = np.argsort(known, kind="stable")
    ordered = known[order]
    first, last = (np.searchsorted(ordered, wanted, side) for side in ("left", "right"))
    found: IntArray = order[first + (rng.random(len(wanted)) * (last - first)).astype(np.int64)]
    return found


def _ranked(column: pd.Series) -> FloatArray:
    """Numbers as they are, and categories as their places in the sorted values."""
    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=np.float64)
    _, codes = np.unique(column.to_numpy(dtype=object).astype(str), return_inverse=True)
    return codes.astype(np.float64)


def _columns(table: pd.DataFrame, rows: Mapping[str, NDArray[np.int64]]) -> pd.DataFrame:
    """Each column from rows of its own."""
    import pandas as pd

    return pd.DataFrame(
        {name: table[name].iloc[rows[name]].reset_index(drop=True) for name in table.columns}
    )


SYNTHESIZERS: Mapping[str, Synthesizer] = {
    synthesizer.id: synthesizer
    for synthesizer in (
        Synthesizer(
            "independent",
            _("Independent columns"),
            _("Each column is drawn from its own values, whatever the other columns are."),
            independent_columns,
        ),
        Synthesizer(
            "bootstrap",
            _("Drawn records with noise"),
            _("Records are drawn with replacement; numbers get noise, and some categories change."),
            bootstrap,
        ),
        Synthesizer(
            "copula",
            _("Gaussian copula"),
            _("The columns keep their values and the correlations of their ranks."),
            gaussian_copula,
        ),
        Synthesizer(
            "trees",
            _("Decision trees"),
            _("Each column is drawn from records that are alike in the columns before it."),
            decision_trees,
        ),
    )
}
