# SPDX-License-Identifier: Apache-2.0
"""The formulas that a ruleset may name: those of whole boards, and those of scores."""

from __future__ import annotations

from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.formulas.base import Formula
from scoring.formulas.catalog import FORMULAS, PART_RANKS
from scoring.formulas.measure_ranks import measure_ranks
from scoring.formulas.part_ranks import USES
from scoring.formulas.ranking import compared_totals

MEASURE_RANKS = "measure-ranks"
"""Measures are ranked under headings, attackers by their rates: three boards, see `measure_ranks`."""
ESTIMATE_RANKS = "estimate-ranks"
"""Of estimates of a hidden table the measures are ranked in each round, see `ranking.compared_totals`."""

OFFICIAL = Registry(
    "formula",
    (
        Formula(
            MEASURE_RANKS,
            _("Weighted ranks in measures and attacks"),
            "lower",
            USES,
            (),
            measure_ranks,
        ),
        *(formula for formula in FORMULAS.values() if formula.id != PART_RANKS),
    ),
)
"""Formulas of contests with tables, the first where a ruleset names none."""
OF_ESTIMATES = Registry(
    "formula",
    (Formula(ESTIMATE_RANKS, _("Mean ranks of estimates"), "lower", (), (), compared_totals),),
)
"""Formulas of contests about a hidden table."""
FORMER_NAME = "rank-sum"
"""Former names of the formulas of ranks in rulesets, still accepted."""


def direction_of(formula: str) -> str:
    """The direction of the totals of a formula that a ruleset names."""
    return (OFFICIAL | OF_ESTIMATES)[formula].direction
