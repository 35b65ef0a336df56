# SPDX-License-Identifier: Apache-2.0
"""Reads a ruleset from TOML: all problems together, each under the name of its key."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scoring.attacks.catalog import ATTACKS
from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.rulesets.base import (
    CHOOSE,
    EACH,
    MAX_ORIGINALS,
    ONCE,
    DataSpec,
    Limits,
    PartSpec,
    RareSpec,
    Ruleset,
    ValiditySpec,
    unfit_parts,
)
from scoring.rulesets.document import Document
from scoring.rulesets.installed import FORMATS, generators
from scoring.rulesets.kinds import (
    BASELINE_TEAMS,
    CANDIDATES,
    COHORT,
    COMMON,
    DRAWING_RECORDS,
    DRAWN,
    FORMAT_NAMES,
    HIDDEN,
    MODEL_FILE,
    OWN_TABLES,
    PER_TEAM,
    PHASES,
    ROW_ATTACKS,
    VALUE_SOURCES,
)
from scoring.rulesets.loader_boards import read_boards
from scoring.rulesets.loader_disclosure import read_disclosure, read_estimate_ranking
from scoring.rulesets.loader_measures import read_gates, read_measures
from scoring.rulesets.loader_program import read_program
from scoring.rulesets.loader_ranking import read_ranking
from scoring.rulesets.loader_rounds import read_rounds, read_stages
from scoring.rulesets.loader_sequential import read_sequential
from scoring.scores.options import COMBINE, OPTION_CHOICES, OPTIONAL_CHOICES, Options
from scoring.tables import toml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.rulesets.base import BoardSpec, MeasureSpec, RankingSpec, RoundSpec, StageSpec
    from scoring.tables.schema import Schema

DATA = files("scoring.rulesets") / "data"
SCHEMA_SUFFIX = ".schema.toml"
TEMPLATE = "template"
"""The ruleset that explains every key."""


def ruleset_names() -> tuple[str, ...]:
    """The names of the rulesets of the library and of plugins, sorted, the template last."""
    return tuple(sorted((*library_names(), *FORMATS), key=lambda name: (name == TEMPLATE, name)))


@cache
def library_names() -> frozenset[str]:
    """The names of the rulesets that come with the library."""
    entries = [entry.name for entry in DATA.iterdir() if entry.name.endswith(".toml")]
    return frozenset(n.removesuffix(".toml") for n in entries if not n.endswith(SCHEMA_SUFFIX))


@cache
def schema_names() -> tuple[str, ...]:
    """The names of the schemas that come with the library, sorted."""
    names = (entry.name for entry in DATA.iterdir() if entry.name.endswith(SCHEMA_SUFFIX))
    return tuple(sorted(n.removesuffix(SCHEMA_SUFFIX) for n in names))


def load_schema(name: str) -> Schema:
    """The schema `name` of the library, or that of a plugin's format that draws tables; KeyError, naming those of the
    library, where there is none."""
    if name in generators() and (schema := load_ruleset(name).schema) is not None:
        return schema
    return _library_schema(name)


@cache
def _library_schema(name: str) -> Schema:
    from scoring.tables.schema import Schema

    if name not in schema_names():
        raise KeyError(f"no schema {name!r}; the library has {', '.join(schema_names())}")
    return Schema.from_toml((DATA / f"{name}{SCHEMA_SUFFIX}").read_text(encoding="utf-8"))


def load_ruleset(name: str) -> Ruleset:
    """The ruleset `name` of the library or of a plugin; KeyError, naming the known ones, where there is none."""
    if name in FORMATS:
        return _parsed(FORMATS[name].text)
    if name not in library_names():
        raise KeyError(f"no ruleset {name!r}; the library has {', '.join(ruleset_names())}")
    return _library_ruleset(name)


@cache
def _library_ruleset(name: str) -> Ruleset:
    return parse_ruleset((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def parse_ruleset(text: str) -> Ruleset:
    """The ruleset that a TOML text describes.

    Raises
    ------
    ProblemsFound
        Every key that is unknown, missing or has a value outside its domain, with what was
        expected and what was found.
    """
    return _read(text, None)


def parse_stored(text: str) -> Ruleset:
    """The ruleset of a text that was accepted before: what no installed package has any more is `absent`.

    Raises
    ------
    ProblemsFound
        As `parse_ruleset`, where the text has other problems than that.
    """
    try:
        return parse_ruleset(text)
    except ProblemsFound as found:
        try:
            return _read(text, [])
        except ProblemsFound:
            raise found from None


def parse_archived(text: str) -> Ruleset:
    """The ruleset of a text that another installation, or an earlier version, accepted.

    Raises
    ------
    ProblemsFound
        As `parse_ruleset`, but not for what is refused in new rules only.
    """
    found = parse_stored(text)
    return parse_ruleset(text) if found.absent else found


def _read(text: str, absent: list[str] | None) -> Ruleset:
    problems = Collector()
    document = Document(_toml(text), problems, absent=absent)
    ruleset = _ruleset(document, text)
    document.close()
    problems.raise_if_any()
    return ruleset


_parsed = lru_cache(maxsize=16)(parse_ruleset)


def _toml(text: str) -> dict[str, Any]:
    try:
        return toml_text.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Problem("toml.syntax", {"got": shorten(error, 200)}, file="ruleset")
        raise ProblemsFound([problem]) from error


def _ruleset(document: Document, text: str) -> Ruleset:
    scoring = document.table("scoring")
    data = _data(document.table("data"))
    program = read_program(scoring, data.tables)
    if program is not None and data.parts:
        scoring.wrong("program", "no program, as data.part lists several tables", "a table")
    measures = read_measures(scoring, data, program)
    validity = _validity(document)
    stages = read_stages(document)
    rounds = read_rounds(document, stages, data, validity)
    _check_models(scoring, measures, rounds)
    _check_control(scoring, measures, data)
    baseline_teams, baseline_attackers = _baseline(document, rounds)
    boards, ranking = _boards(document, data, measures, stages, rounds)
    return Ruleset(
        id=document.text("id"),
        version=document.integer("version", 1, 1_000_000),
        title=document.translated("title"),
        summary=document.translated("summary"),
        data=data,
        stages=stages,
        rounds=rounds,
        validity=validity,
        measure_specs=measures,
        options=_options(scoring, data.schema),
        ranking=(
            read_estimate_ranking(document.table("ranking"), scoring, measures)
            if ranking is None
            else ranking
        ),
        boards=boards,
        limits=_limits(document.table("limits"), data),
        gates=read_gates(scoring, measures, program, data, stages),
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        disclosure=read_disclosure(document, data),
        sequential=read_sequential(document, data),
        program=program,
        baseline_teams=baseline_teams,
        baseline_attackers=baseline_attackers,
        absent=tuple(dict.fromkeys(document.absent or ())),
        modelled_on=document.text("modelled_on") if document.has("modelled_on") else "",
    )


def _check_control(scoring: Document, measures: tuple[MeasureSpec, ...], data: DataSpec) -> None:
    """A measure that reads records outside of the table needs decoys."""
    reading = [spec.id for spec in measures if spec.id and spec.measure.needs_control]
    if reading and not data.decoys:
        scoring.wrong("measure", "decoys of 1 or more, which are tested too", ", ".join(reading))


def _check_models(
    scoring: Document, measures: tuple[MeasureSpec, ...], rounds: tuple[RoundSpec, ...]
) -> None:
    """A measure that reads a model needs one in every submission, and no other model is asked for."""
    reading = [spec.id for spec in measures if spec.own is not None and spec.own.file]
    for round in rounds:
        if not round.kind or round.phase != PHASES[0]:
            continue
        given = [spec for spec in round.files if spec.kind == MODEL_FILE]
        if reading and not any(spec.required for spec in given):
            expected = f"a required file of the kind model in the round {round.key}"
            scoring.wrong("measure", expected, ", ".join(reading))
        elif given and not reading:
            expected = f"a measure model-file, as the round {round.key} has a model"
            scoring.wrong("measure", expected, "none")


def _boards(
    document: Document,
    data: DataSpec,
    measures: tuple[MeasureSpec, ...],
    stages: tuple[StageSpec, ...],
    rounds: tuple[RoundSpec, ...],
) -> tuple[tuple[BoardSpec, ...], RankingSpec | None]:
    """The list of boards, if there is one, and the ranking; None for that of estimates."""
    if data.tables == HIDDEN:
        return (), None
    if document.has("board"):
        return read_boards(document, measures, stages, rounds)
    return (), read_ranking(document.table("ranking"), measures, stages, rounds)


def _data(data: Document) -> DataSpec:
    tables = data.choice("tables", FORMAT_NAMES)
    sample = data.integer("sample", 10, 1_000_000) if tables in OWN_TABLES else None
    schema = _schema(data)
    if tables not in DRAWING_RECORDS:
        return DataSpec(tables=tables, schema=schema, sample=sample)
    spec = DataSpec(
        tables=tables,
        schema=schema,
        sample=sample,
        decoys=data.integer("decoys", 0, 1_000_000),
        shared=data.integer("shared", 0, 1_000_000) if data.has("shared") else 0,
        strata=_strata(data, schema),
        rare=_rare(data.table("rare"), schema) if data.has("rare") else None,
        candidates=(
            data.choice("candidates", CANDIDATES)
            if tables == COHORT and data.has("candidates")
            else DRAWN
        ),
        originals=data.integer("originals", 1, MAX_ORIGINALS) if data.has("originals") else 1,
        choose=data.choice("choose", CHOOSE) if data.has("choose") else EACH,
        parts=_parts(data, schema) if tables == PER_TEAM and data.has("part") else (),
        combine=(
            data.choice("combine", COMBINE) or COMBINE[0]
            if tables == PER_TEAM and data.has("part") and data.has("combine")
            else COMBINE[0]
        ),
    )
    if spec.choose == ONCE and spec.originals == 1:
        data.wrong("originals", "2 or more, as data.choose is once", spec.originals)
    if spec.rare is not None and spec.rare.records > spec.shared:
        data.wrong("rare.records", f"at most data.shared, {spec.shared}", spec.rare.records)
    return spec


def _parts(data: Document, schema: Schema | None) -> tuple[PartSpec, ...]:
    documents = data.tables("part")
    parts = tuple(_part(item, schema) for item in documents)
    seen: set[str] = set()
    for item, part in zip(documents, parts, strict=True):
        if part.key and part.key.lower() in seen:
            item.wrong("key", "a key that no other part has", part.key)
        seen.add(part.key.lower())
    if parts and schema is not None:
        for problem in unfit_parts(parts, schema):
            data.wrong("part", *problem)
    return parts


def _part(item: Document, schema: Schema | None) -> PartSpec:
    columns: tuple[str, ...] = ()
    if item.has("columns"):
        known = None if schema is None else schema.public().names
        columns = item.names("columns") if known is None else item.choices("columns", known)
    return PartSpec(
        item.short_name("key"),
        item.translated("title"),
        columns,
        item.boolean("required") if item.has("required") else True,
    )


def _strata(data: Document, schema: Schema | None) -> tuple[str, ...]:
    if not data.has("strata"):
        return ()
    return data.names("strata") if schema is None else data.choices("strata", schema.names)


def _rare(rare: Document, schema: Schema | None) -> RareSpec:
    return RareSpec(
        rare.text("column") if schema is None else rare.choice("column", schema.names),
        rare.text("value"),
        rare.integer("records", 1, 1_000_000),
    )


def _schema(data: Document) -> Schema | None:
    if not data.has("schema"):
        return None
    if data.is_table("schema"):
        from scoring.tables.schema import Schema

        return data.parsed("schema", Schema.from_dict)
    name = data.choice("schema", schema_names())
    return load_schema(name) if name else None


def _validity(document: Document) -> ValiditySpec:
    if not document.has("validity"):
        return ValiditySpec()
    validity = document.table("validity")
    return ValiditySpec(
        values=validity.choice("values", VALUE_SOURCES) if validity.has("values") else "schema",
        blank_records=validity.has("blank_records") and validity.boolean("blank_records"),
    )


def _options(scoring: Document, schema: Schema | None) -> Options:
    options = scoring.table("options")
    chosen: dict[str, Any] = {
        name: options.choice(name, OPTION_CHOICES[name]) for name in OPTION_CHOICES
    }
    for name, choices in OPTIONAL_CHOICES.items():
        if options.has(name):
            chosen[name] = options.choice(name, choices)
    if options.has("table_columns"):
        chosen["table_columns"] = (
            options.names("table_columns")
            if schema is None
            else options.choices("table_columns", schema.public().names)
        )
    if options.has("population_fraction"):
        chosen["population_fraction"] = options.number("population_fraction", 1e-9, 1)
    if options.has("weight_column"):
        chosen["weight_column"] = options.text("weight_column")
    if options.has("hierarchies"):
        content = options.parsed("hierarchies", lambda value: value)
        if isinstance(content, dict):
            chosen["hierarchies"] = content
        else:
            options.wrong("hierarchies", "a table", content)
    found = Options(**chosen)
    if schema is not None:
        scoring.adopted("options", lambda: _check_columns(found, schema))
    return found


def _check_columns(options: Options, schema: Schema) -> None:
    """Raise ProblemsFound where columns do not fit, with keys as they stand below `[scoring.options]`."""
    found = [
        replace(problem, params={**problem.params, "key": name.removeprefix("scoring.options.")})
        if (name := str(problem.params.get("key", "")))
        else problem
        for problem in options.problems(schema)
    ]
    if found:
        raise ProblemsFound(found)


def _baseline(
    document: Document, rounds: Sequence[RoundSpec]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The baseline teams of a new contest, and the attacks that such teams run in place of their own."""
    if not document.has("baseline"):
        return (), {}
    baseline = document.table("baseline")
    attackers: dict[str, str] = {}
    if baseline.has("attackers"):
        chosen = baseline.table("attackers")
        named = {
            n: chosen.choice(n, ATTACKS, may_be_absent=True)
            for n in BASELINE_TEAMS
            if chosen.has(n)
        }
        attackers = {name: id_ for name, id_ in named.items() if not id_ or id_ in ATTACKS}
        if not any(spec.kind in ROW_ATTACKS for spec in rounds):
            expected = f"nothing, as no round is of the kind {' or '.join(ROW_ATTACKS)}"
            baseline.wrong("attackers", expected, "a table")
        if not baseline.has("teams"):
            return (), attackers
    return baseline.choices("teams", BASELINE_TEAMS), attackers


def _limits(limits: Document, data: DataSpec) -> Limits:
    factor = limits.number("max_records_factor", 1, 100)
    may_grow = (COMMON, COHORT)
    if data.tables and data.tables not in may_grow and factor != 1:
        limits.wrong("max_records_factor", f"1, as data.tables is {data.tables}", factor)
    return Limits(
        max_file_bytes=limits.integer("max_file_bytes", 1_000, 1_000_000_000),
        max_team_size=limits.integer("max_team_size", 1, 1_000),
        max_records_factor=factor,
        min_records_factor=_least(limits, data),
    )


def _least(limits: Document, data: DataSpec) -> float:
    """The least records of a table as a multiple of the original's; of synthetic tables only."""
    if data.tables != COHORT or not limits.has("min_records_factor"):
        return 0.0
    return limits.number("min_records_factor", 0, 100)
