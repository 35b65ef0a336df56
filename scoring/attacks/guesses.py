# SPDX-License-Identifier: Apache-2.0
"""The attacks as an attacker runs them: two tables in, one definite guess for each record out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from scoring.attacks.columns import narrowed
from scoring.attacks.quasi_identifiers import (
    NO_GUESS,
    class_candidates,
    nearest_point,
    nearest_value,
    nearest_value_in_class,
)
from scoring.attacks.ranks import rank_guess
from scoring.scores.comparison import Prepared, Released, check_table, row_sums
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Schema


def _released(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    quasi_identifiers: Sequence[str] | None,
    sensitive: Sequence[str] | None,
) -> Released:
    if isinstance(original, Prepared):
        is_other = original.schema.public() != schema.public()
        if quasi_identifiers is not None or sensitive is not None or is_other:
            raise ValueError("a prepared table is bound to its schema: pass the table itself")
        prepared = original
    else:
        prepared = Prepared.of(original, narrowed(schema, quasi_identifiers, sensitive))
    check_table(anonymized, prepared.schema, "anonymized")
    return Released(prepared, anonymized)


def _of_tables(guesses: Callable[[Released], IntArray | None]) -> Callable[..., IntArray]:
    """The attack of two tables by one that sees them prepared, and has no guess without its columns."""

    def attack(
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator | None = None,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> IntArray:
        released = _released(original, anonymized, schema, quasi_identifiers, sensitive)
        found = guesses(released)
        return np.full(released.n_records, NO_GUESS, np.int64) if found is None else found

    attack.__name__, attack.__doc__ = guesses.__name__, guesses.__doc__
    attack.__qualname__ = guesses.__qualname__
    return attack


def guess_random_in_class(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
) -> IntArray:
    """E1: a random original among those with the record's quasi-identifiers.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the originals.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers used; all by default.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows; -1 where no original has the record's quasi-identifiers.

    Notes
    -----
    identify.rand: Ito & Kikuchi, PWSCup 2015 evaluation, §2.3.1.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> rng = np.random.default_rng(1)
    >>> guess_random_in_class(table("original"), table("unified"), SCHEMA, rng=rng)[2:]
    array([-1, -1])
    """
    released = _released(original, anonymized, schema, quasi_identifiers, sensitive)
    guess = np.full(len(anonymized), NO_GUESS, dtype=np.int64)
    found = class_candidates(released)
    guess[found.records] = found.order[rng.integers(found.low, found.high)]
    return guess


@_of_tables
def guess_nearest_value_in_class(released: Released) -> IntArray | None:
    """E2: the nearest in one sensitive column among those with the record's quasi-identifiers.

    Where no original has them, the nearest over all originals.

    Parameters
    ----------
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers used; all by default.
    sensitive : sequence of str, optional
        One column in place of the schema's E2 column.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, of equally near ones the lowest; all -1 without an E2 column.

    Notes
    -----
    identify.sa: Ito & Kikuchi, PWSCup 2015 evaluation, §2.3.2; the fallback is its guess in §4.5.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_nearest_value_in_class(table("original"), table("swapped"), SCHEMA)
    array([1, 0, 2, 3])
    """
    return nearest_value_in_class(released)


@_of_tables
def guess_rank_of_sum(released: Released) -> IntArray | None:
    """E3: sort both tables by the sum of the sensitive columns, match equal ranks.

    Parameters
    ----------
    sensitive : sequence of str, optional
        The columns summed; all by default.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, equal sums in row order on both sides; all -1 without a numeric
        sensitive column.

    Notes
    -----
    identify.sort: Ito & Kikuchi, PWSCup 2015 evaluation, §2.3.3.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_rank_of_sum(table("original"), table("noise"), SCHEMA)
    array([0, 1, 2, 3])
    """
    if not released.prepared.schema.sensitive_numeric:
        return None
    return rank_guess(released.prepared.sums, row_sums(released.sensitive))


@_of_tables
def guess_nearest_value(released: Released) -> IntArray | None:
    """E4: the nearest original in one sensitive column.

    Parameters
    ----------
    sensitive : sequence of str, optional
        One column in place of the schema's E4 column.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, of equally near ones the lowest; all -1 without an E4 column.

    Notes
    -----
    identify.sa21: Ito & Kikuchi, PWSCup 2015 evaluation, §2.3.4.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_nearest_value(table("original"), table("averaged"), SCHEMA)
    array([0, 0, 2, 2])
    """
    return nearest_value(released)


@_of_tables
def guess_rank_of_value(released: Released) -> IntArray | None:
    """E4-rank: sort both tables by one sensitive column, match equal ranks.

    Parameters
    ----------
    sensitive : sequence of str, optional
        One column in place of the schema's E4 column.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, equal values in row order on both sides; all -1 without an E4 column.

    Notes
    -----
    Not in the paper's text, but what its figure for identify.sa21 on deleted records fits (Ito &
    Kikuchi, PWSCup 2015 evaluation, Table 11).

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_rank_of_value(table("original"), table("averaged"), SCHEMA)
    array([0, 1, 2, 3])
    """
    name = released.prepared.schema.e4_column
    if name is None:
        return None
    position = released.prepared.schema.sensitive_numeric.index(name)
    return rank_guess(released.prepared.sensitive[:, position], released.column(name))


@_of_tables
def guess_nearest_point_in_class(released: Released) -> IntArray | None:
    """EUC1: the nearest by Euclidean distance among those with the record's quasi-identifiers.

    Parameters
    ----------
    quasi_identifiers : sequence of str, optional
        The paper's q, the quasi-identifiers used; all by default.
    sensitive : sequence of str, optional
        The paper's s, the columns that distances are over; all by default.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, of equally near ones the lowest; -1 where no original has the
        record's quasi-identifiers, and all -1 without a numeric sensitive column.

    Notes
    -----
    identify.euc: Ito & Kikuchi, PWSCup 2015 evaluation, §3, EUC1. Without a match the paper
    returns the record's own position, which in a shuffled file is a random guess.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_nearest_point_in_class(table("original"), table("unified"), SCHEMA)
    array([ 0,  1, -1, -1])
    """
    return nearest_point(released, no_match="miss")


@_of_tables
def guess_nearest_point(released: Released) -> IntArray | None:
    """EUC2: as EUC1, and without a match the nearest over all originals.

    Parameters
    ----------
    quasi_identifiers : sequence of str, optional
        The paper's q, the quasi-identifiers used; all by default.
    sensitive : sequence of str, optional
        The paper's s, the columns that distances are over; all by default.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, of equally near ones the lowest; all -1 without a numeric sensitive
        column.

    Notes
    -----
    identify.euc: Ito & Kikuchi, PWSCup 2015 evaluation, §3, EUC2.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_nearest_point(table("original"), table("unified"), SCHEMA)
    array([0, 1, 2, 3])
    """
    return nearest_point(released, no_match="all")
