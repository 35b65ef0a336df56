"""Reads a ruleset from TOML: all problems together, each under the name of its key."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.registry import MEASURES, SERIES_MEASURES
from scoring.rulesets.base import DataSpec, Limits, Ruleset, ValiditySpec
from scoring.rulesets.document import Document
from scoring.rulesets.kinds import (
    BASELINE_TEAMS,
    COMMON,
    FORMAT_NAMES,
    HIDDEN,
    OWN_TABLES,
    PER_TEAM,
    SERIES,
    VALUE_SOURCES,
)
from scoring.rulesets.loader_disclosure import read_disclosure, read_estimate_ranking
from scoring.rulesets.loader_ranking import read_measures, read_ranking
from scoring.rulesets.loader_rounds import read_rounds, read_stages
from scoring.rulesets.loader_sequential import read_sequential
from scoring.scores.options import OPTION_CHOICES, OPTIONAL_CHOICES, Options
from scoring.tables import toml_text

if TYPE_CHECKING:
    from scoring.tables.schema import Schema

DATA = files("scoring.rulesets") / "data"
SCHEMA_SUFFIX = ".schema.toml"
TEMPLATE = "template"
"""The ruleset that explains every key."""


@cache
def ruleset_names() -> tuple[str, ...]:
    """The names of the rulesets that come with the library, sorted, the template last."""
    entries = [entry.name for entry in DATA.iterdir() if entry.name.endswith(".toml")]
    names = [n.removesuffix(".toml") for n in entries if not n.endswith(SCHEMA_SUFFIX)]
    return tuple(sorted(names, key=lambda name: (name == TEMPLATE, name)))


@cache
def schema_names() -> tuple[str, ...]:
    """The names of the schemas that come with the library, sorted."""
    names = (entry.name for entry in DATA.iterdir() if entry.name.endswith(SCHEMA_SUFFIX))
    return tuple(sorted(n.removesuffix(SCHEMA_SUFFIX) for n in names))


@cache
def load_schema(name: str) -> Schema:
    """The schema `name` of the library; KeyError, naming the known ones, where there is none."""
    from scoring.tables.schema import Schema

    if name not in schema_names():
        raise KeyError(f"no schema {name!r}; the library has {', '.join(schema_names())}")
    return Schema.from_toml((DATA / f"{name}{SCHEMA_SUFFIX}").read_text(encoding="utf-8"))


@cache
def load_ruleset(name: str) -> Ruleset:
    """The ruleset `name` of the library; KeyError, naming the known ones, where there is none."""
    if name not in ruleset_names():
        raise KeyError(f"no ruleset {name!r}; the library has {', '.join(ruleset_names())}")
    return parse_ruleset((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def parse_ruleset(text: str) -> Ruleset:
    """The ruleset that a TOML text describes.

    Raises
    ------
    ProblemsFound
        Every key that is unknown, missing or has a value outside its domain, with what was
        expected and what was found.
    """
    problems = Collector()
    document = Document(_toml(text), problems)
    ruleset = _ruleset(document, text)
    document.close()
    problems.raise_if_any()
    return ruleset


def _toml(text: str) -> dict[str, Any]:
    try:
        return toml_text.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Problem("toml.syntax", {"got": shorten(error, 200)}, file="ruleset")
        raise ProblemsFound([problem]) from error


def _ruleset(document: Document, text: str) -> Ruleset:
    scoring = document.table("scoring")
    data = _data(document.table("data"))
    measures = read_measures(scoring, SERIES_MEASURES if data.tables == SERIES else MEASURES)
    validity = _validity(document)
    stages = read_stages(document)
    rounds = read_rounds(document, stages, data, validity)
    ranking = document.table("ranking")
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
            read_estimate_ranking(ranking, scoring, measures)
            if data.tables == HIDDEN
            else read_ranking(ranking, measures, stages, rounds)
        ),
        limits=_limits(document.table("limits"), data),
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        disclosure=read_disclosure(document, data),
        sequential=read_sequential(document, data),
        baseline_teams=_baseline_teams(document),
    )


def _data(data: Document) -> DataSpec:
    tables = data.choice("tables", FORMAT_NAMES)
    drawn: dict[str, int | None] = {}
    if tables in OWN_TABLES:
        drawn["sample"] = data.integer("sample", 10, 1_000_000)
    if tables == PER_TEAM:
        drawn["decoys"] = data.integer("decoys", 0, 1_000_000)
    return DataSpec(tables=tables, schema=_schema(data), **drawn)


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


def _baseline_teams(document: Document) -> tuple[str, ...]:
    if not document.has("baseline"):
        return ()
    return document.table("baseline").choices("teams", BASELINE_TEAMS)


def _limits(limits: Document, data: DataSpec) -> Limits:
    factor = limits.number("max_records_factor", 1, 100)
    if data.tables and data.tables != COMMON and factor != 1:
        limits.wrong("max_records_factor", f"1, as data.tables is {data.tables}", factor)
    return Limits(
        max_file_bytes=limits.integer("max_file_bytes", 1_000, 1_000_000_000),
        max_team_size=limits.integer("max_team_size", 1, 1_000),
        max_records_factor=factor,
    )
