# SPDX-License-Identifier: Apache-2.0
"""Reading what a ruleset discloses of a hidden table, and how estimates of it are ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.formulas import ESTIMATE_RANKS, FORMER_NAME, OF_ESTIMATES
from scoring.rulesets.base import DisclosureSpec, RankingSpec
from scoring.rulesets.kinds import HIDDEN
from scoring.scores.options import TABLE_MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from scoring.rulesets.base import DataSpec, MeasureSpec
    from scoring.rulesets.document import Document
    from scoring.tables.schema import Schema

EARLIER = ("earlier",)
ERRORS = "errors_epsilon"


def read_disclosure(document: Document, data: DataSpec) -> DisclosureSpec | None:
    """The columns that are disclosed and those of the target; None where the table is not hidden."""
    if data.tables != HIDDEN:
        return None
    disclosure = document.table("disclosure")
    columns = disclosure.names("columns")
    target = disclosure.names("target")
    if columns and target and not set(target) <= set(columns):
        disclosure.wrong("target", f"columns out of: {', '.join(columns)}", ", ".join(target))
    elif columns and target and data.schema is not None:
        spec, schema = DisclosureSpec(columns, target), data.schema
        disclosure.adopted("columns", lambda: check_columns(spec, schema))
    epsilon = read_epsilon(disclosure, ERRORS) if disclosure.has(ERRORS) else None
    return DisclosureSpec(columns, target, epsilon)


def check_columns(spec: DisclosureSpec, schema: Schema) -> None:
    """Check that a table with this schema can be disclosed so, by the values that the schema lists.

    Raises
    ------
    scoring.errors.ProblemsFound
        A column that the table lacks, whose values are not listed or that has but one; a target
        with more cells than can be estimated.
    """
    from scoring.formats.disclosure.attributes import MAX_CELLS, attributes_of, check_cells

    attributes_of(schema, spec.columns)
    check_cells(attributes_of(schema, spec.target), MAX_CELLS)


def read_epsilon(document: Document, key: str = "epsilon") -> Decimal | None:
    """The total ε of a round, or of all errors: a decimal number, written as a text so that it is exact."""
    from scoring.privacy.accounting import epsilon_from

    text = document.text(key)
    try:
        return epsilon_from(text) if text else None
    except ValueError:
        expected = 'a number above 0 with at most 6 decimal places, as a text such as "0.5"'
        document.wrong(key, expected, text)
        return None


def read_estimate_ranking(
    ranking: Document, scoring: Document, measures: Sequence[MeasureSpec]
) -> RankingSpec:
    """Ranks in the measures of the estimates, summed over the rounds."""
    ids = tuple(spec.id for spec in measures)
    if not set(ids) <= set(TABLE_MEASURES):
        expected = f"a list of different names out of: {', '.join(TABLE_MEASURES)}"
        scoring.wrong("measures", f"{expected}, as data.tables is {HIDDEN}", ", ".join(ids))
        ids = TABLE_MEASURES
    if ranking.has("formula"):
        ranking.choice("formula", OF_ESTIMATES, former=FORMER_NAME)
    breaks = ranking.choices("tie_breaks", EARLIER, empty=True) if ranking.has("tie_breaks") else ()
    utility = ranking.choices("utility", ids or TABLE_MEASURES)
    return RankingSpec(formula=ESTIMATE_RANKS, utility=utility, tie_breaks=breaks)
