# SPDX-License-Identifier: Apache-2.0
"""Checks of conditions that the lecture names in addition to k-anonymity, l-diversity and
t-closeness.

They need the released table only, no original, and measure what its worst class discloses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.tables.equivalence import Classes


def xy_anonymity(table: pd.DataFrame, x: Sequence[str], y: Sequence[str]) -> int:
    """The k of (X,Y)-anonymity: how many distinct values of Y the worst value of X occurs with.

    The attacker knows a person's values of X, and Y is what they must not disclose: persons, where
    a person has several records, or sensitive values. If Y is a key of the table it is k-anonymity
    with the quasi-identifiers X, if Y is one sensitive column it is distinct l-diversity.

    Parameters
    ----------
    table
        The released table, of one record or more.
    x, y
        Different columns.

    Returns
    -------
    int
        1 where some value of X gives Y away, up to the number of distinct values of Y.

    Raises
    ------
    ValueError
        The table is empty, or X and Y share a column.

    Notes
    -----
    Wang & Fung, "Anonymizing Sequential Releases", on (X,Y)-anonymity.

    Examples
    --------
    Two records of one patient are no two patients.

    >>> visits = pd.DataFrame({"job": ["cook", "cook", "cook"], "patient": [1, 1, 2]})
    >>> xy_anonymity(visits, ["job"], ["patient"])
    2
    """
    _check(table, x, y)
    pairs = table[[*x, *y]].drop_duplicates()
    return int(Classes.of(pairs, x).sizes().min())


def xy_linkability(
    table: pd.DataFrame,
    x: Sequence[str],
    y: Sequence[str],
    among: Sequence[tuple[object, ...]] | None = None,
) -> float:
    """The k of (X,Y)-linkability: the confidence with which the worst value of X discloses a value of Y.

    The attacker knows a person's values of X and infers Y: the largest share that a value
    of Y has among the records with the same X. (X,Y)-privacy asks for this or for `xy_anonymity`.

    Parameters
    ----------
    table
        The released table, of one record or more.
    x, y
        Different columns.
    among
        The values of Y that must not be inferred, as tuples; by default all.

    Returns
    -------
    float
        Above 0 up to 1, where a value of Y is certain; 0 where none of `among` occurs.

    Raises
    ------
    ValueError
        The table is empty, or X and Y share a column.

    Notes
    -----
    Wang & Fung, "Anonymizing Sequential Releases", on (X,Y)-linkability.

    Examples
    --------
    >>> visits = pd.DataFrame({"job": ["cook", "cook", "cook"], "ill": ["flu", "flu", "none"]})
    >>> round(xy_linkability(visits, ["job"], ["ill"]), 4)
    0.6667
    >>> round(xy_linkability(visits, ["job"], ["ill"], among=[("none",)]), 4)
    0.3333
    """
    _check(table, x, y)
    by_x, by_both = Classes.of(table, x), Classes.of(table, [*x, *y])
    shares = by_both.sizes()[by_both.of_row] / by_x.sizes()[by_x.of_row]
    if among is not None:
        values = table[list(y)].itertuples(index=False, name=None)
        wanted = set(among)
        shares = shares[[value in wanted for value in values]]
    return float(shares.max(initial=0))


def proximity_risk(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    epsilon: float,
    *,
    relative: bool = False,
) -> float:
    """The largest share of a class whose sensitive numbers lie within ε of one of them.

    The attacker knows who is in which class. A class of many different but close salaries is
    diverse, but discloses everyone's salary approximately. The table is (ε,m)-anonymous for every m up to
    1 / risk.

    Parameters
    ----------
    table
        The released table, of one record or more.
    quasi_identifiers
        Columns whose values make the classes.
    sensitive
        A column of numbers.
    epsilon
        Half the width of the interval around a number v, 0 or more: v - ε to v + ε.
    relative
        As a share of the number: v - ε |v| to v + ε |v|.

    Returns
    -------
    float
        1 / (size of the largest class) or more; 1 where a number is close to all of its class.

    Raises
    ------
    ValueError
        The table is empty, or ε is negative.

    Notes
    -----
    Li, Tao & Xiao, "Preservation of Proximity Privacy in Publishing Numerical Sensitive Data",
    (ε,m)-anonymity with absolute or relative intervals; both ends belong to them.

    Examples
    --------
    >>> staff = pd.DataFrame({"job": ["cook"] * 4, "salary": [100, 101, 102, 900]})
    >>> proximity_risk(staff, ["job"], "salary", 1), proximity_risk(staff, ["job"], "salary", 0)
    (0.75, 0.25)
    """
    if len(table) == 0 or not epsilon >= 0:
        raise ValueError("expected at least one record and an epsilon of at least 0")
    of_row = Classes.of(table, quasi_identifiers).of_row
    amounts = table[sensitive].to_numpy(dtype=np.float64)
    order = np.lexsort((amounts, of_row))
    worst = 0.0
    for own in np.split(amounts[order], np.cumsum(np.bincount(of_row))[:-1]):
        reach = epsilon * np.abs(own) if relative else epsilon
        last = np.searchsorted(own, own + reach, side="right")
        first = np.searchsorted(own, own - reach, side="left")
        worst = max(worst, float((last - first).max()) / len(own))
    return worst


def _check(table: pd.DataFrame, x: Sequence[str], y: Sequence[str]) -> None:
    if len(table) == 0 or set(x) & set(y):
        raise ValueError("expected at least one record, and no column both in X and in Y")
