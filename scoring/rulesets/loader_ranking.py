"""Reading which measures a ruleset scores, and how it ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scoring.formulas import FORMER_NAME, MEASURE_RANKS, OFFICIAL, TIE_BREAKS
from scoring.formulas.ranking import AVERAGES
from scoring.registry import ALL_MEASURES, Measure
from scoring.rulesets.base import MeasureSpec, RankingSpec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.formulas import Formula
    from scoring.rulesets.base import RoundSpec, StageSpec
    from scoring.rulesets.document import Document

DIRECTIONS = ("lower", "higher")
WEIGHTED_SUM = "weighted-sum"
AVERAGED_THEMSELVES = ("top-k-attack", "binomial-threshold")
"""Formulas whose attacks are put together as their definitions say."""


def read_measures(scoring: Document, known: Mapping[str, Measure]) -> tuple[MeasureSpec, ...]:
    """The measures, out of those `known`: a list of ids, or a table for each that gives it a weight."""
    if not scoring.has("measure"):
        ids = scoring.choices("measures", known)
        return tuple(MeasureSpec(id_, known[id_].direction) for id_ in ids)
    if scoring.has("measures"):
        scoring.wrong("measures", "either measures or [[scoring.measure]], not both", "both")
    documents = scoring.tables("measure")
    specs = tuple(_measure(item, known) for item in documents)
    seen: set[str] = set()
    for document, spec in zip(documents, specs, strict=True):
        if spec.id and spec.id in seen:
            document.wrong("id", "a measure that is not named before", spec.id)
        seen.add(spec.id)
    return tuple(spec for spec in specs if spec.id)


def _measure(document: Document, known: Mapping[str, Measure]) -> MeasureSpec:
    id_ = document.choice("id", known)
    direction = document.choice("direction", DIRECTIONS)
    if id_ and direction and known[id_].direction != direction:
        document.wrong("direction", f"{known[id_].direction}, which is better for {id_}", direction)
    weight = document.number("weight", 0.001, 1_000) if document.has("weight") else 1.0
    return MeasureSpec(id_, direction, weight)


def read_ranking(
    ranking: Document,
    measures: Sequence[MeasureSpec],
    stages: Sequence[StageSpec],
    rounds: Sequence[RoundSpec],
) -> RankingSpec:
    """The formula with what it needs, and what decides between equal totals."""
    ids = tuple(spec.id for spec in measures)
    name = MEASURE_RANKS
    if ranking.has("formula"):
        name = ranking.choice("formula", OFFICIAL, former=FORMER_NAME)
    formula = OFFICIAL.get(name)
    if formula is None:
        ranking.give_up()  # which other keys are right depends on the formula
        return RankingSpec()
    _check_attacks(ranking, formula, stages, rounds)
    tie_breaks, settings = _tie_breaks(ranking, rounds), _settings(ranking, formula)
    if not ids:  # what may be ranked is not known, and that is said already
        ranking.give_up()
        return RankingSpec(formula=name, settings=settings, tie_breaks=tie_breaks)
    has_scores = name != MEASURE_RANKS and "utility" in formula.uses
    return RankingSpec(
        formula=name,
        settings=settings,
        utility_measure=_utility_measure(
            ranking, ids, is_needed=has_scores or "utility" in tie_breaks
        ),
        tie_breaks=tie_breaks,
        attackers=_attackers(ranking, formula, tie_breaks),
        **(_headings(ranking, ids) if name == MEASURE_RANKS else {}),
    )


def _check_attacks(
    ranking: Document, formula: Formula, stages: Sequence[StageSpec], rounds: Sequence[RoundSpec]
) -> None:
    """A formula without whose attacks nobody has a total wants an attack round in every stage."""
    if not {"protection", "attack"} & set(formula.needs):
        return
    attacked = {spec.stage for spec in rounds if spec.kind and spec.phase == "attack"}
    lacking = [stage.key for stage in stages if stage.weight and stage.key not in attacked]
    if rounds and lacking and all(spec.kind and spec.stage for spec in rounds):
        expected = f"a formula without {' or '.join(formula.needs)}"
        where = f"as no attack round stands in stage {', '.join(lacking)}"
        ranking.wrong("formula", f"{expected}, {where}", formula.id)


def _headings(ranking: Document, ids: tuple[str, ...]) -> dict[str, Any]:
    weights = [ranking.number(f"{board}_weight", 0, 1) for board in ("anonymization", "attack")]
    if not math.isclose(sum(weights), 1):
        expected = "with anonymization_weight a sum of 1"
        ranking.wrong("attack_weight", expected, weights[1])
    return {
        "utility": ranking.choices("utility", ids),
        "safety": ranking.choices("safety", ids),
        "linkage": (
            ranking.choices("linkage", [id_ for id_ in ids if ALL_MEASURES[id_].is_rate])
            if ranking.has("linkage")
            else ()
        ),
        "anonymization_weight": weights[0],
        "attack_weight": weights[1],
    }


def _settings(ranking: Document, formula: Formula) -> dict[str, float | int]:
    if not ranking.has("settings"):
        return {}
    document = ranking.table("settings")
    chosen = {
        setting.name: document.accepted(setting.name, setting.option)
        for setting in formula.settings
        if document.has(setting.name)
    }
    read = {name: value for name, value in chosen.items() if value is not None}
    if formula.id == WEIGHTED_SUM and not any(formula.with_defaults(read).values()):
        ranking.wrong("settings", "a weight above 0 for at least one score", "0 for all")
    return read


def _tie_breaks(ranking: Document, rounds: Sequence[RoundSpec]) -> tuple[str, ...]:
    if not ranking.has("tie_breaks"):
        return ()
    presented = any(spec.kind == "presentation" for spec in rounds)
    known = [name for name in TIE_BREAKS if presented or name != "presentation"]
    return ranking.choices("tie_breaks", known, empty=True)


def _attackers(ranking: Document, formula: Formula, tie_breaks: Sequence[str]) -> str:
    if not ranking.has("attackers"):
        return AVERAGES[0]
    if "attack" not in (*formula.uses, *tie_breaks) or formula.id in AVERAGED_THEMSELVES:
        ranking.wrong(
            "attackers", f"nothing, as {formula.id} takes no average of attacks", "a value"
        )
    return ranking.choice("attackers", AVERAGES)


def _utility_measure(ranking: Document, ids: Sequence[str], *, is_needed: bool) -> str | None:
    if not (is_needed or ranking.has("utility_measure")):
        return None
    losses = [id_ for id_, measure in ALL_MEASURES.items() if is_loss(measure)]
    scored = [id_ for id_ in losses if id_ in ids]
    name = ranking.choice("utility_measure", scored or losses)
    if name and name not in scored:
        ranking.wrong("utility_measure", "a measure that is among those of scoring", name)
    return name or None


def is_loss(measure: Measure) -> bool:
    """True if a utility from 0 to 100 can be computed from it: from 0, nothing is lost, to 1."""
    ends = (measure.low, measure.high, measure.direction)
    return measure.family in ("utility", "similarity") and ends == (0, 1, "lower")
