# SPDX-License-Identifier: Apache-2.0
"""Reading which measures a ruleset scores: those of the library, its own, composites, and gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.errors import gettext_noop as _
from scoring.measures.catalog import Term
from scoring.measures.catalog.analyses import ANALYSES
from scoring.measures.composites import OF, highest
from scoring.registry import ALL_MEASURES, MEASURES, SERIES_MEASURES, Measure
from scoring.rulesets import absent
from scoring.rulesets.base import GateSpec, MeasureSpec, StageSpec
from scoring.rulesets.kinds import HIDDEN, SERIES, WITHOUT_ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.measures.catalog.analyses import Analysis, Parameter
    from scoring.rulesets.base import DataSpec, ProgramSpec
    from scoring.rulesets.document import Document
    from scoring.tables.schema import Schema

DIRECTIONS = ("lower", "higher")
LARGEST = 1e12
"""Bounds, weights and scales are at most this."""


def read_measures(
    scoring: Document, data: DataSpec, program: ProgramSpec | None = None
) -> tuple[MeasureSpec, ...]:
    """All measures of a ruleset: those that it names, then the values of its program, then composites."""
    given = () if program is None else tuple(spec for spec in program.values if spec.id)
    specs = given
    if not given or scoring.has("measure") or scoring.has("measures"):
        specs = (*_listed(scoring, measures_for(data.tables), data), *given)
    if scoring.has("composite") and _compares(scoring, "composite", data):
        for document in scoring.tables("composite"):
            specs += (_composite(document, specs),)
        _check_distinct(scoring, "composite", specs)
    elif given:
        _check_distinct(scoring, "program", specs)
    return tuple(spec for spec in specs if spec.id)


def measures_for(tables: str) -> Mapping[str, Measure]:
    """The measures of the library that a ruleset with such tables may name."""
    if tables == SERIES:
        return SERIES_MEASURES
    if tables in WITHOUT_ROWS:
        return {id_: measure for id_, measure in MEASURES.items() if not measure.needs_rows}
    return MEASURES


def _needing_rows(tables: str) -> dict[str, str]:
    """The measures that do not fit tables without rows, each with what is expected in place of it."""
    if tables not in WITHOUT_ROWS:
        return {}
    expected = f"a measure that needs no row numbers, as data.tables is {tables}"
    return {id_: expected for id_, measure in MEASURES.items() if measure.needs_rows}


def _listed(
    scoring: Document, known: Mapping[str, Measure], data: DataSpec
) -> tuple[MeasureSpec, ...]:
    """A list of ids, or a table for each measure that gives it a weight or parameters."""
    if not scoring.has("measure"):
        ids = scoring.choices(
            "measures", known, refused=_needing_rows(data.tables), may_be_absent=True
        )
        return tuple(_of_registry(id_, known) for id_ in ids)
    if scoring.has("measures"):
        scoring.wrong("measures", "either measures or [[scoring.measure]], not both", "both")
    documents = scoring.tables("measure")
    specs = tuple(_measure(item, known, data) for item in documents)
    seen: set[str] = set()
    for document, spec in zip(documents, specs, strict=True):
        if spec.id and spec.id in seen:
            document.wrong("id", "a measure that is not named before", spec.id)
        seen.add(spec.id)
    return tuple(spec for spec in specs if spec.id)


def _measure(document: Document, known: Mapping[str, Measure], data: DataSpec) -> MeasureSpec:
    if document.has("measure") and _compares(document, "measure", data):
        return _own(document, data.schema)
    refused = _needing_rows(data.tables)
    id_ = document.choice("id", known, refused=refused, may_be_absent=True)
    direction = document.choice("direction", DIRECTIONS)
    if id_ and id_ not in known:
        return _of_registry(id_, known, direction, _weight(document))
    if id_ and direction and known[id_].direction != direction and document.absent is None:
        document.wrong("direction", f"{known[id_].direction}, which is better for {id_}", direction)
    return MeasureSpec(id_, direction, _weight(document))


def _of_registry(
    id_: str, known: Mapping[str, Measure], direction: str = "lower", weight: float = 1.0
) -> MeasureSpec:
    """A measure of the library or a plugin; the stand-in of one that is not installed."""
    if id_ in known:
        return MeasureSpec(id_, known[id_].direction, weight)
    return MeasureSpec(id_, direction, weight, absent.measure(id_, direction))


def _weight(document: Document) -> float:
    return document.number("weight", 0.001, 1_000) if document.has("weight") else 1.0


def _compares(document: Document, key: str, data: DataSpec) -> bool:
    """True where one table is compared with one original."""
    if data.tables not in (SERIES, HIDDEN):
        return True
    document.wrong(key, f"nothing, as data.tables is {data.tables}", "a value")
    document.give_up()
    return False


# Measures with parameters


def _own(document: Document, schema: Schema | None) -> MeasureSpec:
    id_, name = _own_id(document), document.choice("measure", ANALYSES)
    title = document.translated("title") if document.has("title") else None
    weight = _weight(document)
    if not (id_ and name):
        document.give_up()
        return MeasureSpec("", "lower", weight)
    analysis = ANALYSES[name]
    given = {
        p.name: _value(document, p, schema) for p in analysis.parameters if _is_set(document, p)
    }
    measure = analysis.measure(id_, given, title)
    if document.has("direction"):
        direction = document.choice("direction", DIRECTIONS)
        if direction and direction != measure.direction:
            expected = f"{measure.direction}, which is better for {name}"
            document.wrong("direction", expected, direction)
    _check_groups(document, analysis, measure, schema)
    return MeasureSpec(id_, measure.direction, weight, measure)


def _own_id(document: Document) -> str:
    id_ = document.short_name("id")
    if id_ in ALL_MEASURES and document.absent is None:
        document.wrong("id", "a name that no measure of the library has", id_)
        return ""
    return id_


def _is_set(document: Document, parameter: Parameter) -> bool:
    return document.has(parameter.name) or parameter.is_needed


def _value(document: Document, parameter: Parameter, schema: Schema | None) -> Any:
    name, low, high = parameter.name, parameter.low, parameter.high
    match parameter.kind:
        case "choice":
            return document.choice(name, parameter.choices)
        case "choices":
            return document.choices(name, parameter.choices)
        case "text":
            return document.text(name)
        case "integer":
            return document.integer(name, int(low), int(high))
        case "number":
            return document.number(name, low, high)
        case "numbers":
            return document.ascending(name, low, high)
    known = _columns(schema, is_number=parameter.kind.startswith("number"))
    if parameter.kind.endswith("columns"):
        return document.names(name) if known is None else document.choices(name, known)
    return document.text(name) if known is None else document.choice(name, known)


def _columns(schema: Schema | None, *, is_number: bool) -> list[str] | None:
    """The columns that a parameter may name; None where the organizer's own table decides."""
    if schema is None:
        return None
    return [c.name for c in schema.public().columns if c.is_numeric or not is_number]


def _check_groups(
    document: Document, analysis: Analysis, measure: Measure, schema: Schema | None
) -> None:
    """A number needs bins to make groups, a category has none."""
    by = measure.parameters.get("by")
    if schema is None or not by or by not in schema.names:
        return
    is_number = schema.column(by).is_numeric
    has_bins = any(parameter.name == "bins" for parameter in analysis.parameters)
    if not has_bins and is_number:
        document.wrong("by", "a category", by)
    if has_bins and bool(measure.parameters["bins"]) != is_number:
        expected = (
            "where groups begin, as by is a number" if is_number else "nothing, as by is a category"
        )
        document.wrong("bins", expected, "nothing" if is_number else "a value")


# Composites


def _composite(document: Document, before: Sequence[MeasureSpec]) -> MeasureSpec:
    id_, title = _own_id(document), document.translated("title")
    of, weight = document.choice("of", OF), _weight(document)
    terms = tuple(_term(item, before) for item in document.tables("term"))
    if not (id_ and of and terms and all(terms)):
        return MeasureSpec("", "higher", weight)
    known = tuple(term for term in terms if term is not None)
    if of == "geometric-mean" and not all(term.clip for term in known):
        document.wrong(
            "of", "terms with clip = true, as a mean of products has no negative factor", of
        )
    measure = Measure(
        id=id_,
        name=_("composite"),
        title=title["en"],
        summary=_("A value made of other measures, each brought from its worst to its best value."),
        address="scoring.measures.composites:composite",
        family="utility",
        direction="higher",
        low=0.0,
        high=highest(of, [term.weight for term in known]),
        best=_("every part has its best value"),
        worst=_("every part has its worst value"),
        texts={"title": title},
        parameters={"of": of},
        terms=known,
    )
    return MeasureSpec(id_, "higher", weight, measure)


def _term(document: Document, before: Sequence[MeasureSpec]) -> Term | None:
    """A part of a composite; None where it cannot be read."""
    measures = {spec.id: spec.measure for spec in before if spec.id}
    id_ = document.choice("measure", measures)
    weight = document.number("weight", 0.001, LARGEST) if document.has("weight") else 1.0
    clip = document.boolean("clip") if document.has("clip") else True
    measure = measures.get(id_)
    low, high = (measure.low, measure.high) if measure else (0.0, 1.0)
    worst, best = (low, high) if measure and measure.direction == "higher" else (high, low)
    if document.has("worst") or worst is None:  # of no certain range: the rules have to say it
        worst = document.number("worst", -LARGEST, LARGEST)
    if document.has("best") or best is None:
        best = document.number("best", -LARGEST, LARGEST)
    if measure is None:
        return None
    if worst == best:
        document.wrong("worst", "another value than that of best", worst)
        return None
    return Term(measure, weight, worst, best, clip)


def _check_distinct(scoring: Document, key: str, specs: Sequence[MeasureSpec]) -> None:
    ids = [spec.id for spec in specs if spec.id]
    for id_ in dict.fromkeys(id_ for id_ in ids if ids.count(id_) > 1):
        scoring.wrong(key, "an id that no other measure of the ruleset has", id_)


# Gates


def read_gates(
    scoring: Document,
    measures: Sequence[MeasureSpec],
    program: ProgramSpec | None,
    data: DataSpec,
    stages: Sequence[StageSpec],
) -> tuple[GateSpec, ...]:
    """The bounds of measures; a program rejects tables itself."""
    if not scoring.has("gate") or not _compares(scoring, "gate", data):
        return ()
    given = () if program is None else program.values
    bounded = [spec for spec in measures if spec not in given]
    keys = [stage.key for stage in stages]
    return tuple(_gate(document, bounded, keys) for document in scoring.tables("gate"))


def _gate(document: Document, measures: Sequence[MeasureSpec], stages: Sequence[str]) -> GateSpec:
    id_ = document.choice("measure", [spec.id for spec in measures])
    low = document.number("min", -LARGEST, LARGEST) if document.has("min") else None
    high = document.number("max", -LARGEST, LARGEST) if document.has("max") else None
    if low is None and high is None:
        document.wrong("max", "a largest value, or a smallest one under min", "neither")
    if low is not None and high is not None and low > high:
        document.wrong("min", f"at most max, which is {high:g}", low)
    stage = document.choice("stage", stages) if document.has("stage") else None
    return GateSpec(id_, low, high, stage)
