"""Formulas that rank attackers by what they reach against the best tables."""

from __future__ import annotations

import math

from scoring.errors import gettext_noop as _
from scoring.formulas.base import Scores, Setting, Settings, mean
from scoring.formulas.parts import protection, worst_rate
from scoring.formulas.ranking import K, competition_ranks

TOP = (Setting("k", 3, 1, math.inf, _("how many of the best protected tables count")),)


def top_defenders(scores: Scores[K], k: int) -> list[K]:
    """The k defenders of the highest protection, in the order of the teams.

    Defenders are ranked by protection, equal values share the best rank (1 1 3), and all of rank k
    or better are taken: more than k where several are equal on the last place, all where there are
    no more than k.

    Examples
    --------
    >>> scores = Scores(("a", "b", "c"), {"a": {"b": 40.0, "c": 10.0}, "b": {"a": 40.0}})
    >>> [top_defenders(scores, k) for k in (1, 2)]
    [['c'], ['a', 'b', 'c']]
    """
    published = {t: protection(scores, t) for t in scores.teams if t in scores.defenders}
    ranks = competition_ranks(published, direction="higher")
    return [team for team, rank in ranks.items() if rank <= k]


def top_k_attack(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Mean rate of an attacker against the k best protected tables; higher wins.

    A team that is itself among them could not attack its own table: its own cell is replaced by
    the worst rate that another team reached against it.

    Parameters
    ----------
    scores
        A table that the attacker did not attack counts 0.
    settings
        k, the number of tables; `top_defenders` selects them.

    Returns
    -------
    dict
        0 to 100, all records of all of these tables found. None for a team that attacked nobody.

    Examples
    --------
    >>> matrix = {"a": {"b": 40.0, "c": 10.0}, "b": {"a": 20.0, "c": 30.0}, "c": {"a": 60.0}}
    >>> top_k_attack(Scores(("a", "b", "c"), matrix), {"k": 2})
    {'a': 25.0, 'b': 35.0, 'c': 15.0}
    """
    top = top_defenders(scores, int(settings["k"]))
    worst = {defender: worst_rate(scores, defender) for defender in top}

    def total(attacker: K) -> float | None:
        if all(scores.rate(attacker, target) is None for target in scores.targets(attacker)):
            return None
        return mean([worst[d] if d == attacker else scores.rate(attacker, d) or 0.0 for d in top])

    return {team: total(team) for team in scores.teams}
