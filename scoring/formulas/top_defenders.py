# SPDX-License-Identifier: Apache-2.0
"""Formulas that rank attackers by what they reach against the best tables."""

from __future__ import annotations

import math
from collections.abc import Callable

from scoring.errors import gettext_noop as _
from scoring.formulas.base import Scores, Setting, Settings, choice, mean
from scoring.formulas.parts import parts, points, protection, worst_rate
from scoring.formulas.ranking import K, competition_ranks

TOP = (
    Setting("k", 3, 1, math.inf, _("how many of the best tables count")),
    choice("of", _("what makes a table one of the best"), "protection", "total"),
    choice("own", _("what stands for the team's own table"), "worst", "left_out", "zero", "next"),
    choice("combine", _("how the rates become one number"), "mean", "sum"),
)


def top_defenders(scores: Scores[K], k: int, of: str = "protection") -> list[K]:
    """The k best defenders, in the order of the teams.

    Defenders are ranked, equal values share the best rank (1 1 3), and all of rank k or better are taken: more
    than k where several are equal on the last place, all where there are no more than k.

    Parameters
    ----------
    scores, k
    of : {"protection", "total"}
        Ranked by protection, or by `Scores.places`; where there are none, by the sum of utility and protection.

    Examples
    --------
    >>> scores = Scores(("a", "b", "c"), {"a": {"b": 40.0, "c": 10.0}, "b": {"a": 40.0}}, {"a": 80.0})
    >>> [top_defenders(scores, k) for k in (1, 2)]
    [['c'], ['a', 'b', 'c']]
    >>> top_defenders(scores, 1, "total")
    ['a']
    """
    published = [team for team in scores.teams if team in scores.defenders]
    if of == "total" and scores.places is not None:
        ranks = {team: scores.places[team] for team in published if team in scores.places}
    else:
        values: dict[K, float | None] = {team: protection(scores, team) for team in published}
        if of == "total":
            utility = parts(scores, ("utility",)).get("utility", {})
            values = {t: points(v) + points(utility.get(t)) for t, v in values.items()}
        ranks = competition_ranks(values, direction="higher")
    return [team for team, rank in ranks.items() if rank <= k]


def top_k_attack(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Mean or sum of an attacker's rates against the k best tables; higher wins.

    A team that is itself among them could not attack its own table: its own cell is the worst rate that
    another attacker reached against it, or is left out, or is 0, or the next best table counts in its place.

    Parameters
    ----------
    scores
        A table that the attacker did not attack counts 0.
    settings
        k, the number of tables, and `of`, see `top_defenders`; `own` and `combine`.

    Returns
    -------
    dict
        0 to 100, all records of all of these tables found; a sum is up to 100 a table. None for a team that
        attacked nobody.

    Examples
    --------
    >>> matrix = {"a": {"b": 40.0, "c": 10.0}, "b": {"a": 20.0, "c": 30.0}, "c": {"a": 60.0}}
    >>> scores, formula = Scores(("a", "b", "c"), matrix), {"k": 2, "of": "protection", "combine": "mean"}
    >>> [top_k_attack(scores, formula | {"own": own}) for own in ("worst", "left_out")]
    [{'a': 25.0, 'b': 35.0, 'c': 15.0}, {'a': 25.0, 'b': 30.0, 'c': 0.0}]
    """
    k, of = int(settings["k"]), str(settings["of"])
    top = top_defenders(scores, k, of)
    after = [table for table in top_defenders(scores, k + 1, of) if table not in top]
    own: dict[str, Callable[[K], list[float]]] = {
        "worst": lambda team: [worst_rate(scores, team)],
        "left_out": lambda team: [],
        "zero": lambda team: [0.0],
        "next": lambda team: [scores.rate(team, d) or 0.0 for d in after],
    }
    own_cell = own[str(settings["own"])]

    def total(attacker: K) -> float | None:
        if all(scores.rate(attacker, target) is None for target in scores.targets(attacker)):
            return None
        rates = [scores.rate(attacker, d) or 0.0 for d in top if d != attacker]
        rates += own_cell(attacker) if attacker in top else []
        if settings["combine"] == "sum":
            return math.fsum(rates)
        return mean(rates) if rates else 0.0

    return {team: total(team) for team in scores.teams}
