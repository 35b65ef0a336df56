"""Every ranking formula under its identifier."""

from __future__ import annotations

from scoring.errors import gettext_noop as _
from scoring.formulas import pairs, rank_sums
from scoring.formulas.base import PARTS, Formula
from scoring.formulas.pairs import harmonic, minimum, penalised_sum
from scoring.formulas.rank_sums import rank_sum
from scoring.formulas.thresholds import CHANCE, binomial_success
from scoring.formulas.top_defenders import TOP, top_k_attack
from scoring.formulas.weighted_sums import WEIGHTS, weighted_sum

_ATTACKS = ("protection", "attack")

FORMULAS: dict[str, Formula] = {
    formula.id: formula
    for formula in (
        Formula("rank-sum", _("Sum of ranks"), "lower", rank_sums.USES, (), rank_sum),
        Formula("weighted-sum", _("Weighted sum"), "higher", PARTS, WEIGHTS, weighted_sum),
        Formula(
            "harmonic",
            _("Harmonic mean of utility and protection"),
            "higher",
            pairs.USES,
            (),
            harmonic,
            needs=pairs.USES,
        ),
        Formula(
            "minimum",
            _("The smaller one of utility and protection"),
            "higher",
            pairs.USES,
            (),
            minimum,
            needs=pairs.USES,
        ),
        Formula(
            "penalised-sum",
            _("Sum of utility and protection, less what either lacks to 50"),
            "higher",
            pairs.USES,
            (),
            penalised_sum,
            needs=pairs.USES,
        ),
        Formula(
            "top-k-attack",
            _("Mean rate against the best protected tables"),
            "higher",
            _ATTACKS,
            TOP,
            top_k_attack,
            needs=_ATTACKS,
        ),
        Formula(
            "binomial-threshold",
            _("Attacks better than chance, made and withstood"),
            "higher",
            _ATTACKS,
            CHANCE,
            binomial_success,
            needs=_ATTACKS,
        ),
    )
}
"""Identifier to formula, in the order in which they are listed."""
