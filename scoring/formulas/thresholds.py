# SPDX-License-Identifier: Apache-2.0
"""Formulas in which an attack counts only if it is better than chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from scoring.errors import gettext_noop as _
from scoring.formulas.base import Scores, Setting, Settings, choice
from scoring.formulas.ranking import K
from scoring.scores.options import DECIMALS

CHANCE = (
    Setting("n", 100, 1, 20_000, _("records that an attacker guesses in each table")),
    Setting("p", 0.01, 0, 1, _("probability that a random guess is right")),
    Setting("alpha", 0.05, 1e-9, 1, _("probability of success by chance must be below this")),
    choice("bound", _("the binomial tail, or a union bound on it"), "tail", "union"),
)
LOST = Setting("lost", 9999.0, 0, math.inf, _("the value of a table that is missing or was hit"))


def binomial_threshold(
    n: int, p: float | Fraction, alpha: float | Fraction, bound: str = "tail"
) -> int:
    """R(n): the fewest hits that random guessing reaches with a probability below alpha.

    The smallest r with P(Binomial(n, p) >= r) < alpha, in exact arithmetic; or, as PWS Cup 2018 had it, the
    smallest r with the sum of C(n, k) p^k over k >= r below alpha.

    Parameters
    ----------
    n : int
        Guesses, 0 or more.
    p : float or Fraction
        Chance that one of them is right, 0 to 1; a float stands for the decimal number that it is
        written as, 0.1 for 1/10.
    alpha : float or Fraction
        Above 0, at most 1.
    bound : {"tail", "union"}
        A union bound leaves out the probability that the other guesses are wrong, so it is never smaller.

    Returns
    -------
    int
        0 to n + 1; n + 1 where even n hits are too likely.

    Raises
    ------
    ValueError
        A parameter lies outside its bounds.

    Examples
    --------
    >>> binomial_threshold(10, 0.5, 0.05)  # 9 hits or more: 11 of 1024 cases; 8: 56
    9
    >>> binomial_threshold(4, 0.5, Fraction(1, 16))  # all four hits: 1 of 16 cases, not below it
    5
    >>> [binomial_threshold(n, Fraction(1, 3), Fraction(1, 2000), "union") for n in (10, 100, 1000)]
    [10, 65, 612]
    """
    chance, level = _exact(p), _exact(alpha)
    if n < 0 or not 0 <= chance <= 1 or not 0 < level <= 1:
        raise ValueError(
            f"expected n >= 0, p from 0 to 1 and alpha above 0 and at most 1, got {n}, {p}, {alpha}"
        )
    return {"tail": _threshold, "union": _union_threshold}[bound](n, chance, level)


def _exact(value: float | Fraction) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(str(float(value)))


@lru_cache(maxsize=64)
def _threshold(n: int, p: Fraction, alpha: Fraction) -> int:
    hit, miss = p.numerator, p.denominator - p.numerator
    if not miss:
        return n + 1
    # Everything times denominator^n: integers. `tail` are the cases of r hits or more, and `term`
    # those of exactly r.
    tail = p.denominator**n
    term = miss**n
    bound = math.ceil(alpha * tail)
    r = 0
    while tail >= bound:
        tail -= term
        term = term * (n - r) * hit // ((r + 1) * miss)
        r += 1
    return r


@lru_cache(maxsize=64)
def _union_threshold(n: int, p: Fraction, alpha: Fraction) -> int:
    if not p:
        return 1
    # Everything times denominator^n: integers. `tail` are the terms above r, and `term` that of r.
    hit, whole = p.numerator, p.denominator
    bound = alpha * whole**n
    tail, term, r = 0, hit**n, n
    while r >= 0 and tail + term < bound:
        tail += term
        term = term * r * whole // ((n - r + 1) * hit)
        r -= 1
    return r + 1


def has_success(scores: Scores[K], settings: Settings) -> Callable[[K, K], bool]:
    """Predicate of an attacker and a defender: the attack reached R(n), see `binomial_threshold`.

    An attack of rate q % that names n records has q/100 * n hits; n is the setting where the attack names no number.
    """

    def succeeds(attacker: K, defender: K) -> bool:
        rate = scores.rate(attacker, defender)
        if rate is None:
            return False
        n = scores.n_guessed.get(attacker, {}).get(defender, int(settings["n"]))
        p, alpha = float(settings["p"]), float(settings["alpha"])
        needed = binomial_threshold(n, p, alpha, str(settings["bound"]))
        return round(rate / 100 * n, DECIMALS) >= needed

    return succeeds


def binomial_success(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Attacks that succeeded, and attacks withstood, where chance is no success; higher wins.

    An attack of rate q % succeeds where its q/100 * n hits reach R(n), see `binomial_threshold`.
    The total is the mean of two shares: of the other published tables, those that the team attacked
    with success; and of the other teams, those that had no success against its own table.

    Parameters
    ----------
    scores
        An attack that was not made is no success; a table that was not published withstood nobody.
    settings
        n, p, alpha and bound of R(n).

    Returns
    -------
    dict
        0 (no success, and all others had one) to 100 (success everywhere, and nobody else had one
        against the own table). None for a team that neither attacked nor published a table.

    Examples
    --------
    >>> matrix = {"a": {"b": 4.0, "c": 3.0}, "b": {"a": 3.9, "c": 0.0}}
    >>> chance = {"n": 100, "p": 0.01, "alpha": 0.05, "bound": "tail"}
    >>> binomial_success(Scores(("a", "b", "c"), matrix), chance)
    {'a': 75.0, 'b': 25.0, 'c': 50.0}
    """
    succeeds = has_success(scores, settings)

    def total(team: K) -> float | None:
        targets = scores.targets(team)
        others = [other for other in scores.teams if other != team]
        is_published = team in scores.defenders
        if not is_published and all(scores.rate(team, target) is None for target in targets):
            return None
        won = _share([succeeds(team, target) for target in targets])
        withstood = _share([is_published and not succeeds(other, team) for other in others])
        return float(100 * (won + withstood) / 2)

    return {team: total(team) for team in scores.teams}


def _share(outcomes: list[bool]) -> Fraction:
    return Fraction(sum(outcomes), len(outcomes)) if outcomes else Fraction(0)


def surviving_loss(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Loss of utility of the tables that no attack hit, and a set value for all others; lower wins.

    The rule of PWS Cup 2018: an attack that reaches R(n) shoots a table down.

    Parameters
    ----------
    scores
        The loss of each table, 0 or more. Attacks of baselines count like those of teams.
    settings
        n, p, alpha and bound of R(n); `lost`, the value of a table that was hit, was not published, or has no loss.

    Returns
    -------
    dict
        None for everybody as long as no table was published.

    Examples
    --------
    >>> scores = Scores(("a", "b", "c"), {"a": {"b": 80.0}}, loss={"a": 0.2, "b": 0.1}, defenders=frozenset("ab"))
    >>> formula = {"n": 100, "p": 1 / 3, "alpha": 0.0005, "bound": "union", "lost": 9999.0}
    >>> surviving_loss(scores, formula)
    {'a': 0.2, 'b': 9999.0, 'c': 9999.0}
    """
    if not scores.defenders.intersection(scores.teams):
        return dict.fromkeys(scores.teams)
    succeeds, lost = has_success(scores, settings), float(settings["lost"])
    attackers = (*scores.teams, *scores.baselines)

    def total(team: K) -> float:
        value = scores.loss.get(team) if team in scores.defenders - scores.lost else None
        is_hit = any(succeeds(attacker, team) for attacker in attackers)
        return lost if value is None or is_hit else value

    return {team: total(team) for team in scores.teams}
