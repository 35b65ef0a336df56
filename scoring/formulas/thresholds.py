"""Formulas that count an attack only if it is better than chance."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from scoring.errors import gettext_noop as _
from scoring.formulas.base import Scores, Setting, Settings
from scoring.formulas.ranking import K
from scoring.scores.options import DECIMALS

CHANCE = (
    Setting("n", 100, 1, 20_000, _("records that an attacker guesses in each table")),
    Setting("p", 0.01, 0, 1, _("probability that a random guess is right")),
    Setting("alpha", 0.05, 1e-9, 1, _("probability of success by chance must be below this")),
)


def binomial_threshold(n: int, p: float | Fraction, alpha: float | Fraction) -> int:
    """R(n): the fewest hits that random guessing reaches with a probability below alpha.

    The smallest r with P(Binomial(n, p) >= r) < alpha, in exact arithmetic.

    Parameters
    ----------
    n : int
        Guesses, 0 or more.
    p : float or Fraction
        Chance that one of them is right, 0 to 1; a float stands for the decimal number that it is
        written as, 0.1 for 1/10.
    alpha : float or Fraction
        Above 0, at most 1.

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
    """
    chance, level = _exact(p), _exact(alpha)
    if n < 0 or not 0 <= chance <= 1 or not 0 < level <= 1:
        raise ValueError(
            f"expected n >= 0, p from 0 to 1 and alpha above 0 and at most 1, got {n}, {p}, {alpha}"
        )
    return _threshold(n, chance, level)


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
        n, p and alpha of R(n).

    Returns
    -------
    dict
        0 (no success, and all others had one) to 100 (success everywhere, and nobody else had one
        against the own table). None for a team that neither attacked nor published a table.

    Examples
    --------
    >>> matrix = {"a": {"b": 4.0, "c": 3.0}, "b": {"a": 3.9, "c": 0.0}}
    >>> binomial_success(Scores(("a", "b", "c"), matrix), {"n": 100, "p": 0.01, "alpha": 0.05})
    {'a': 75.0, 'b': 25.0, 'c': 50.0}
    """
    n = int(settings["n"])
    threshold = binomial_threshold(n, settings["p"], settings["alpha"])

    def succeeds(attacker: K, defender: K) -> bool:
        rate = scores.rate(attacker, defender)
        return rate is not None and round(rate / 100 * n, DECIMALS) >= threshold

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
