# SPDX-License-Identifier: Apache-2.0
"""Formulas that add points by weights which the organizer chooses."""

from __future__ import annotations

import math
from fractions import Fraction

from scoring.errors import gettext_noop as _
from scoring.formulas.base import PARTS, Scores, Setting, Settings
from scoring.formulas.parts import parts, points
from scoring.formulas.ranking import K

WEIGHTS = (
    Setting("utility", 30.0, 0, math.inf, _("weight of utility")),
    Setting("protection", 30.0, 0, math.inf, _("weight of protection")),
    Setting("attack", 20.0, 0, math.inf, _("weight of attack")),
    Setting("presentation", 20.0, 0, math.inf, _("weight of presentation")),
)


def weighted_sum(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Weighted mean of utility, protection, attack and presentation; higher wins.

    Parameters
    ----------
    settings
        The weight of each part, 0 or more. A part that no team has a value for weighs nothing.

    Returns
    -------
    dict
        0 to 100, because the weights are divided by their sum. None for a team without a value in
        any part that weighs something.

    Examples
    --------
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}, "b": {"a": 10.0}}, {"a": 80.0, "b": 90.0})
    >>> weighted_sum(scores, {"utility": 30, "protection": 30, "attack": 20, "presentation": 20})
    {'a': 73.75, 'b': 58.75}
    """
    found = parts(scores, PARTS)
    chosen = {name: Fraction(settings[name]) for name in found}
    weights = {name: weight for name, weight in chosen.items() if weight > 0}
    whole = sum(weights.values())
    totals: dict[K, float | None] = {}
    for team in scores.teams:
        own = {name: found[name][team] for name in weights}
        is_ranked = any(value is not None for value in own.values())
        # Fractions: the sum is the same for any distribution of points over the parts.
        summed = sum((weights[n] * Fraction(points(v)) for n, v in own.items()), Fraction(0))
        totals[team] = float(summed / whole) if is_ranked else None
    return totals
