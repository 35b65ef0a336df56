"""Reading which measures a ruleset scores, and how it ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scoring.registry import MEASURES, Measure
from scoring.rulesets.base import MeasureSpec, RankingSpec
from scoring.rulesets.kinds import FORMULAS, RANK_SUM, TIE_BREAKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.rulesets.base import RoundSpec
    from scoring.rulesets.document import Document

DIRECTIONS = ("lower", "higher")


def read_measures(scoring: Document) -> tuple[MeasureSpec, ...]:
    """The measures: a list of ids, or a table for each that gives it a weight."""
    if not scoring.has("measure"):
        ids = scoring.choices("measures", MEASURES)
        return tuple(MeasureSpec(id_, MEASURES[id_].direction) for id_ in ids)
    if scoring.has("measures"):
        scoring.wrong("measures", "either measures or [[scoring.measure]], not both", "both")
    documents = scoring.tables("measure")
    specs = tuple(_measure(item) for item in documents)
    seen: set[str] = set()
    for document, spec in zip(documents, specs, strict=True):
        if spec.id and spec.id in seen:
            document.wrong("id", "a measure that is not named before", spec.id)
        seen.add(spec.id)
    return tuple(spec for spec in specs if spec.id)


def _measure(document: Document) -> MeasureSpec:
    id_ = document.choice("id", MEASURES)
    direction = document.choice("direction", DIRECTIONS)
    if id_ and direction and MEASURES[id_].direction != direction:
        document.wrong(
            "direction", f"{MEASURES[id_].direction}, which is better for {id_}", direction
        )
    weight = document.number("weight", 0.001, 1_000) if document.has("weight") else 1.0
    return MeasureSpec(id_, direction, weight)


def read_ranking(
    ranking: Document, measures: Sequence[MeasureSpec], rounds: Sequence[RoundSpec]
) -> RankingSpec:
    """The formula with what it needs, and what decides between equal totals."""
    ids = tuple(spec.id for spec in measures)
    formula = ranking.choice("formula", FORMULAS) if ranking.has("formula") else RANK_SUM
    tie_breaks = _tie_breaks(ranking, rounds)
    needs_utility = "utility" in tie_breaks or "utility" in FORMULAS.get(formula, ())
    return RankingSpec(
        formula=formula,
        settings=_settings(ranking, formula),
        utility_measure=_utility_measure(ranking, ids, is_needed=needs_utility),
        tie_breaks=tie_breaks,
        **(_headings(ranking, ids) if formula == RANK_SUM else {}),
    )


def _headings(ranking: Document, ids: tuple[str, ...]) -> dict[str, Any]:
    weights = [ranking.number(f"{board}_weight", 0, 1) for board in ("anonymization", "attack")]
    if not math.isclose(sum(weights), 1):
        expected = "with anonymization_weight a sum of 1"
        ranking.wrong("attack_weight", expected, weights[1])
    return {
        "utility": ranking.choices("utility", ids),
        "safety": ranking.choices("safety", ids),
        "linkage": ranking.choices("linkage", [id_ for id_ in ids if MEASURES[id_].is_rate]),
        "anonymization_weight": weights[0],
        "attack_weight": weights[1],
    }


def _settings(ranking: Document, formula: str) -> dict[str, float | int]:
    if not ranking.has("settings"):
        return {}
    settings = ranking.table("settings")
    settings.give_up()
    return {name: settings.number(name, -1e9, 1e9) for name in settings.names()}


def _tie_breaks(ranking: Document, rounds: Sequence[RoundSpec]) -> tuple[str, ...]:
    if not ranking.has("tie_breaks"):
        return ()
    presented = any(spec.kind == "presentation" for spec in rounds)
    known = [name for name in TIE_BREAKS if presented or name != "presentation"]
    return ranking.choices("tie_breaks", known, empty=True)


def _utility_measure(ranking: Document, ids: Sequence[str], *, is_needed: bool) -> str | None:
    losses = [id_ for id_ in ids if is_loss(MEASURES[id_])]
    if is_needed or ranking.has("utility_measure"):
        return ranking.choice("utility_measure", losses) or None
    return None


def is_loss(measure: Measure) -> bool:
    """Whether a utility from 0 to 100 can be made of it: from 0, nothing is lost, to 1."""
    ends = (measure.low, measure.high, measure.direction)
    return measure.family in ("utility", "similarity") and ends == (0, 1, "lower")
