# SPDX-License-Identifier: Apache-2.0
"""The parts of a team's score, in percent: utility, protection, attack, presentation."""

from __future__ import annotations

from scoring.formulas.base import PARTS, Scores
from scoring.formulas.ranking import K, averaged
from scoring.scores.options import DECIMALS


def protection(scores: Scores[K], team: K) -> float | None:
    """Protection of a team: 100 less the worst rate that another attacker reached against it.

    The worst case over all attackers and baselines, with the files that the contest gave them; the own cell
    does not count. Where L attackers found the same record, L - 1 points less (PWS Cup 2025).

    Returns
    -------
    float or None
        0 (one attacker found every record, or the table is lost) to 100 (no record found, or no attack);
        None where the team's table was not published.

    Examples
    --------
    >>> scores = Scores(("a", "b", "c"), {"b": {"a": 200 / 3}, "c": {"a": 50.0, "b": 10.0}})
    >>> [round(protection(scores, team), 2) for team in scores.teams]
    [33.33, 90.0, 100.0]
    """
    if team not in scores.defenders:
        return None
    penalty = max(scores.repeats.get(team, 0) - 1, 0)
    return max(100.0 - worst_rate(scores, team) - penalty, 0.0)


def worst_rate(scores: Scores[K], team: K) -> float:
    """The highest rate that another attacker reached against this one.

    0 where nobody attacked it, 100 if the table is lost.
    """
    if team in scores.lost:
        return 100.0
    rates = (scores.rate(attacker, team) for attacker in (*scores.teams, *scores.baselines))
    return max((rate for rate in rates if rate is not None), default=0.0)


def attack_score(scores: Scores[K], team: K) -> float | None:
    """Attack of a team: its mean rate over the other published tables, or another average of them.

    Returns
    -------
    float or None
        0 to 100, all records of all others found; a table that it did not attack counts 0. None
        where no other team's table was published.

    Examples
    --------
    >>> scores = Scores(("a", "b", "c"), {"b": {"a": 60.0, "b": 100.0}, "c": {"a": 50.0, "b": 10.0}})
    >>> [attack_score(scores, team) for team in scores.teams]
    [0.0, 30.0, 30.0]
    """
    targets = scores.targets(team)
    if not targets:
        return None
    return averaged([scores.rate(team, target) or 0.0 for target in targets], scores.attackers)


def lowest_rates(scores: Scores[K]) -> dict[K, tuple[float, ...]]:
    """The rates of each team against the other published tables, the lowest first; 0 for one that it did not attack.

    Examples
    --------
    >>> lowest_rates(Scores(("a", "b", "c"), {"a": {"b": 60.0, "c": 10.0}, "b": {"c": 5.0}}))
    {'a': (10.0, 60.0), 'b': (0.0, 5.0), 'c': (0.0, 0.0)}
    """
    rates = {t: [scores.rate(t, other) or 0.0 for other in scores.targets(t)] for t in scores.teams}
    return {team: tuple(sorted(round(r, DECIMALS) for r in own)) for team, own in rates.items()}


def part(scores: Scores[K], name: str) -> dict[K, float | None]:
    """One part of every team, by its name."""
    if name == "protection":
        return {team: protection(scores, team) for team in scores.teams}
    if name == "attack":
        return {team: attack_score(scores, team) for team in scores.teams}
    given = {"utility": scores.utility, "presentation": scores.presentation}[name]
    return {team: given.get(team) for team in scores.teams}


def parts(scores: Scores[K], names: tuple[str, ...] = PARTS) -> dict[str, dict[K, float | None]]:
    """The parts that the contest has: those of which at least one team has a value."""
    found = {name: part(scores, name) for name in names}
    return {
        name: values
        for name, values in found.items()
        if any(value is not None for value in values.values())
    }


def points(value: float | None) -> float:
    """The value of a part: 0 if a team has none."""
    return 0.0 if value is None else value
