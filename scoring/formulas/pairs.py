# SPDX-License-Identifier: Apache-2.0
"""Formulas of utility and protection only, which reward having both."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from scoring.formulas.base import Scores, Settings
from scoring.formulas.parts import parts, points
from scoring.formulas.ranking import K

USES = ("utility", "protection")
_HALF = 50


def harmonic(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Harmonic mean of utility U and protection P, 2 / (1/U + 1/P); higher wins.

    Returns
    -------
    dict
        0 (either part is 0) to 100 (both are). None for a team that has neither part, and for all
        where no team has one of them.

    Examples
    --------
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}}, {"a": 50.0, "b": 60.0})
    >>> {team: round(total, 2) for team, total in harmonic(scores, {}).items()}
    {'a': 66.67, 'b': 60.0}
    """
    return _of_pairs(scores, lambda u, p: 2 * u * p / (u + p) if u and p else Fraction(0))


def minimum(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """The smaller one of utility U and protection P, min(U, P); higher wins.

    Returns
    -------
    dict
        0 (either part is 0) to 100 (both are). None for a team that has neither part, and for all
        where no team has one of them.

    Examples
    --------
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}}, {"a": 50.0, "b": 70.0})
    >>> minimum(scores, {})
    {'a': 50.0, 'b': 60.0}
    """
    return _of_pairs(scores, min)


def plain_sum(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Utility U and protection P added, U + P; higher wins.

    Returns
    -------
    dict
        0 to 200 (both parts are 100). None for a team that has neither part, and for all where no
        team has one of them.

    Examples
    --------
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}}, {"a": 50.0, "b": 70.0})
    >>> plain_sum(scores, {})
    {'a': 150.0, 'b': 130.0}
    """
    return _of_pairs(scores, lambda u, p: u + p)


def penalised_sum(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Utility U and protection P added, less twice what either lacks to 50; higher wins.

    max(0, P + U - 2 max(0, 50 - P) - 2 max(0, 50 - U)).

    Returns
    -------
    dict
        0 to 200 (both parts are 100). None for a team that has neither part, and for all where no
        team has one of them.

    Examples
    --------
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}}, {"a": 30.0, "b": 70.0})
    >>> penalised_sum(scores, {})
    {'a': 90.0, 'b': 130.0}
    """
    return _of_pairs(scores, lambda u, p: max(Fraction(0), u + p - 2 * _lack(u) - 2 * _lack(p)))


def _lack(value: Fraction) -> Fraction:
    return max(Fraction(0), _HALF - value)


def _of_pairs(
    scores: Scores[K], total: Callable[[Fraction, Fraction], Fraction]
) -> dict[K, float | None]:
    found = parts(scores, USES)
    totals: dict[K, float | None] = dict.fromkeys(scores.teams)
    if len(found) < len(USES):
        return totals
    for team in scores.teams:
        utility, protection = (found[name][team] for name in USES)
        if utility is not None or protection is not None:
            totals[team] = float(total(Fraction(points(utility)), Fraction(points(protection))))
    return totals
