# SPDX-License-Identifier: Apache-2.0
"""Every formula that ranks scores, under its identifier."""

from __future__ import annotations

from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.formulas import pairs
from scoring.formulas.base import PARTS, Formula
from scoring.formulas.pairs import harmonic, minimum, penalised_sum, plain_sum
from scoring.formulas.part_ranks import USES as RANKED
from scoring.formulas.part_ranks import part_ranks
from scoring.formulas.thresholds import CHANCE, LOST, binomial_success, surviving_loss
from scoring.formulas.top_defenders import TOP, top_k_attack
from scoring.formulas.weighted_sums import WEIGHTS, weighted_sum

PART_RANKS = "part-ranks"
FORMER_NAMES = {"rank-sum": PART_RANKS}
"""Former names of formulas of scores; still accepted, with a notice."""
_ATTACKS = ("protection", "attack")

FORMULAS = Registry(
    "formula",
    (
        Formula(
            PART_RANKS,
            _("Sum of the ranks in utility, protection and attack"),
            "lower",
            RANKED,
            (),
            part_ranks,
        ),
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
            "sum",
            _("Sum of utility and protection"),
            "higher",
            pairs.USES,
            (),
            plain_sum,
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
            _("Rates against the best tables"),
            "higher",
            _ATTACKS,
            TOP,
            top_k_attack,
            needs=_ATTACKS,
        ),
        Formula(
            "binomial-threshold",
            _("Attacks above chance, made and resisted"),
            "higher",
            _ATTACKS,
            CHANCE,
            binomial_success,
            needs=_ATTACKS,
        ),
        Formula(
            "surviving-loss",
            _("Loss of utility of the tables that no attack hit"),
            "lower",
            ("loss", "protection"),
            (*CHANCE, LOST),
            surviving_loss,
            needs=("loss", "protection"),
        ),
    ),
)
"""Identifier to formula, in the order in which they are listed."""
