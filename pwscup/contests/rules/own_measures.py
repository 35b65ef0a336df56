# SPDX-License-Identifier: Apache-2.0
"""The measures that a ruleset defines, its composites and its gates, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pwscup.core.texts.parts import listed
from scoring.measures.catalog.analyses import ANALYSES
from scoring.rulesets.base import localized

if TYPE_CHECKING:
    from scoring.measures.catalog import Term
    from scoring.registry import Measure
    from scoring.rulesets import RankingSpec, Ruleset

OF = {
    "sum": gettext_lazy("the sum of %(parts)s"),
    "mean": gettext_lazy("the weighted mean of %(parts)s"),
    "min": gettext_lazy("the smallest of %(parts)s"),
    "max": gettext_lazy("the largest of %(parts)s"),
    "geometric-mean": gettext_lazy("the weighted geometric mean of %(parts)s"),
}
"""The composites by name."""
ABOVE = (
    gettext_lazy("A table with a value above %(bound)s is rejected."),
    gettext_lazy("In the stage “%(stage)s” a table with a value above %(bound)s is rejected."),
)
BELOW = (
    gettext_lazy("A table with a value below %(bound)s is rejected."),
    gettext_lazy("In the stage “%(stage)s” a table with a value below %(bound)s is rejected."),
)
"""The sentence about a bound, in all stages and in one."""


def details_of(measure: Measure) -> tuple[str, ...]:
    """The parameters of a measure, or the parts of a composite; empty for a measure of the library."""
    if measure.terms:
        return _composite(measure.parameters["of"], measure.terms)
    known = (a for a in ANALYSES.values() if a.address == measure.address)
    defaults = {p.name: p.default for analysis in known for p in analysis.parameters}
    chosen = {k: v for k, v in measure.parameters.items() if v != defaults.get(k) and v != ()}
    if not chosen:
        return ()
    shown = listed(f"{name} = {_value(value)}" for name, value in chosen.items())
    return (_("Parameters: %(parameters)s.") % {"parameters": shown},)


def _composite(of: str, terms: Sequence[Term]) -> tuple[str, ...]:
    weighted = [_term(term) for term in terms]
    parts = " + ".join(weighted) if of == "sum" else listed(weighted)
    said = [_("Value: %(value)s.") % {"value": str(OF[of]) % {"parts": parts}}]
    if clipped := [term.measure.id for term in terms if term.clip]:
        names = {"measures": listed(clipped)}
        said.append(_("The factor of %(measures)s is at least 0 and at most 1.") % names)
    return tuple(said)


def _term(term: Term) -> str:
    """A part of a composite as a formula: its weight times where its value lies between worst and best."""
    id_, ends = term.measure.id, (term.worst, term.best)
    if ends == (1, 0):
        share = f"(1 − {id_})"
    elif ends == (0, 1):
        share = id_
    elif term.worst == 0:
        share = f"{id_} ÷ {_number(term.best)}"
    elif term.best == 0:
        share = f"(1 − {id_} ÷ {_number(term.worst)})"
    else:
        low, high = _number(term.worst), _number(term.best - term.worst)
        share = f"({id_} − {low}) ÷ {high}"
    return share if term.weight == 1 else f"{_number(term.weight)} × {share}"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_value(item) for item in value)
    return _number(value) if isinstance(value, int | float) else str(value)


def _number(value: float) -> str:
    return f"{value:.9g}"


def gate_of(ruleset: Ruleset, id_: str) -> tuple[str, ...]:
    """The bounds of a measure outside of which a table is rejected."""
    found = []
    for gate in ruleset.gates:
        if gate.measure != id_:
            continue
        stage = ""
        if gate.stage is not None:
            stage = localized(ruleset.stage(gate.stage).title, get_language() or "en")
        for bound, texts in ((gate.high, ABOVE), (gate.low, BELOW)):
            if bound is not None:
                found.append(str(texts[bool(stage)]) % {"bound": _number(bound), "stage": stage})
    return tuple(found)


def utility_formula(ranking: RankingSpec) -> str:
    """The utility in per cent as a formula of the measure."""
    measure, full = ranking.utility_measure, ranking.full_utility
    if full is None:
        return _("100 × (1 − %(measure)s)") % {"measure": measure}
    if full == 100:
        return str(measure)
    if full == 1:
        return _("100 × %(measure)s") % {"measure": measure}
    return _("100 × %(measure)s ÷ %(full)s") % {"measure": measure, "full": _number(full)}
