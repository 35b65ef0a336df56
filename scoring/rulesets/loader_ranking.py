# SPDX-License-Identifier: Apache-2.0
"""Reading how a ruleset ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scoring.formulas import FORMER_NAME, MEASURE_RANKS, OFFICIAL, TIE_BREAKS
from scoring.formulas.ranking import AVERAGES
from scoring.registry import ALL_MEASURES, Measure
from scoring.rulesets import absent
from scoring.rulesets.base import MeasureSpec, RankingSpec

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scoring.catalogs import Registry
    from scoring.formulas import Formula
    from scoring.rulesets.base import RoundSpec, StageSpec
    from scoring.rulesets.document import Document

BASELINES = ("built-in", "house")
"""Attackers that count for the worst rate and are not ranked: those of the library, and the platform's teams."""
DISQUALIFIED = ("out", "lost")
PENALTIES = ("none", "repeats")
TIES = ("equal", "not-separable")
"""The teams that share a rank: those with equal totals, or all that the data do not separate."""
WEIGHTED_SUM = "weighted-sum"
AVERAGED_THEMSELVES = ("top-k-attack", "binomial-threshold")
"""Formulas whose attacks are put together as their definitions say."""


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
        name = ranking.choice("formula", OFFICIAL, former=FORMER_NAME, may_be_absent=True)
    formula = found_formula(ranking, OFFICIAL, name)
    if formula is None:
        ranking.give_up()  # which other keys are right depends on the formula
        return RankingSpec()
    check_attacks(ranking, formula, stages, rounds)
    tie_breaks, settings = _tie_breaks(ranking, rounds), read_settings(ranking, formula)
    if not ids:  # what may be ranked is not known, and that is said already
        ranking.give_up()
        return RankingSpec(formula=name, settings=settings, tie_breaks=tie_breaks)
    if name != MEASURE_RANKS:
        used = {*formula.uses, *tie_breaks}
        used |= {"utility"} if settings.get("of") == "total" else set()
        shared = read_shared(ranking, measures, used, [formula])
    else:
        shared = {
            **_utility(ranking, measures, is_needed="utility" in tie_breaks),
            "attackers": _attackers(ranking, {*formula.uses, *tie_breaks}, [formula]),
            **_headings(ranking, measures),
            "directions": _directions(measures),
            **_chosen(ranking, ties=TIES),
        }
    return RankingSpec(formula=name, settings=settings, tie_breaks=tie_breaks, **shared)


def found_formula(document: Document, formulas: Registry[Formula], name: str) -> Formula | None:
    """A formula; the stand-in of one that is not installed, whose settings are unknown; None for a wrong name."""
    if not name or name in formulas:
        return formulas.get(name)
    if document.has("settings"):
        document.table("settings").give_up()
    return absent.formula(name)


def read_shared(
    ranking: Document,
    measures: Sequence[MeasureSpec],
    used: Collection[str],
    formulas: Sequence[Formula],
) -> dict[str, Any]:
    """Common settings of formulas of scores: the scores that are `used`, and who counts."""
    return {
        **_utility(ranking, measures, is_needed="utility" in used),
        "loss_measure": _loss_measure(ranking, measures, is_needed="loss" in used),
        **_linkage(ranking, measures),
        "directions": _directions(measures),
        "attackers": _attackers(ranking, used, formulas),
        "baselines": ranking.choices("baselines", BASELINES) if ranking.has("baselines") else (),
        **_chosen(ranking, disqualified=DISQUALIFIED, penalty=PENALTIES, ties=TIES),
    }


def _chosen(ranking: Document, **keys: Sequence[str]) -> dict[str, str]:
    """Each key, or the first of its choices where it is left out."""
    return {
        key: ranking.choice(key, choices) if ranking.has(key) else choices[0]
        for key, choices in keys.items()
    }


def check_attacks(
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


def _headings(ranking: Document, measures: Sequence[MeasureSpec]) -> dict[str, Any]:
    ids = tuple(spec.id for spec in measures)
    weights = [ranking.number(f"{board}_weight", 0, 1) for board in ("anonymization", "attack")]
    if not math.isclose(sum(weights), 1):
        expected = "with anonymization_weight a sum of 1"
        ranking.wrong("attack_weight", expected, weights[1])
    return {
        "utility": ranking.choices("utility", ids),
        "safety": ranking.choices("safety", ids),
        **_linkage(ranking, measures),
        "anonymization_weight": weights[0],
        "attack_weight": weights[1],
    }


def _linkage(ranking: Document, measures: Sequence[MeasureSpec]) -> dict[str, Any]:
    """Rates among which, with those of teams, the worst is taken."""
    if not ranking.has("linkage"):
        return {}
    rates = [spec.id for spec in measures if spec.measure.is_rate or _is_absent(spec)]
    return {"linkage": ranking.choices("linkage", rates)}


def read_settings(ranking: Document, formula: Formula) -> dict[str, float | int | str]:
    """The settings of a formula that differ from its defaults."""
    if not ranking.has("settings") or formula.function is absent.no_totals:
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


def _attackers(ranking: Document, used: Collection[str], formulas: Sequence[Formula]) -> str:
    if not ranking.has("attackers"):
        return AVERAGES[0]
    ids = [formula.id for formula in formulas]
    if "attack" not in used or set(ids) <= set(AVERAGED_THEMSELVES):
        expected = f"nothing, as {', '.join(ids)} takes no average of attacks"
        ranking.wrong("attackers", expected, "a value")
    return ranking.choice("attackers", AVERAGES)


def _utility(
    ranking: Document, measures: Sequence[MeasureSpec], *, is_needed: bool
) -> dict[str, Any]:
    """The measure of utility, and where it is a composite, the value that is a utility of 100."""
    if not (is_needed or ranking.has("utility_measure")):
        return {}
    losses = [id_ for id_, measure in ALL_MEASURES.items() if is_loss(measure)]
    usable = [s for s in measures if is_loss(s.measure) or s.measure.terms or _is_absent(s)]
    scored = {spec.id: spec for spec in usable}
    name = ranking.choice("utility_measure", scored or losses)
    if name and name not in scored:
        ranking.wrong("utility_measure", "a measure that is among those of scoring", name)
    measure = scored[name].measure if name in scored else None
    full = measure.high if measure is not None and measure.terms else None
    return {"utility_measure": name or None, "full_utility": full}


def _loss_measure(
    ranking: Document, measures: Sequence[MeasureSpec], *, is_needed: bool
) -> str | None:
    """A measure of which less is better, from 0 on and without a bound."""
    if not (is_needed or ranking.has("loss_measure")):
        return None
    known = [
        spec.id
        for spec in measures
        if (spec.measure.direction, spec.measure.low) == ("lower", 0) or _is_absent(spec)
    ]
    return ranking.choice("loss_measure", known) or None


def _is_absent(spec: MeasureSpec) -> bool:
    """A stand-in, of which it is not known for what it may be used."""
    return spec.own is not None and spec.own.is_absent


def _directions(measures: Sequence[MeasureSpec]) -> dict[str, str]:
    """The directions of those that the ruleset defines."""
    return {spec.id: spec.direction for spec in measures if spec.own}


def is_loss(measure: Measure) -> bool:
    """True if a utility from 0 to 100 can be computed from it: from 0, nothing is lost, to 1."""
    ends = (measure.low, measure.high, measure.direction)
    return measure.family in ("utility", "similarity") and ends == (0, 1, "lower")
