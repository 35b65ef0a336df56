"""Reading a ruleset from TOML: all problems at once, each under the name of its key."""

from __future__ import annotations

import hashlib
import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.registry import MEASURES
from scoring.rulesets.base import FileSpec, Limits, RankingSpec, RoundSpec, Ruleset
from scoring.rulesets.document import Document
from scoring.rulesets.kinds import ROUND_KINDS, TABLES, TRIES_KEYS, RoundKind

if TYPE_CHECKING:
    from scoring.comparison import Options
    from scoring.schema import Schema

DATA = files("scoring.rulesets") / "data"
SCHEMA_SUFFIX = ".schema.toml"


@cache
def ruleset_names() -> tuple[str, ...]:
    """The names of the rulesets that come with the library, sorted."""
    names = (entry.name for entry in DATA.iterdir() if entry.name.endswith(".toml"))
    return tuple(sorted(n.removesuffix(".toml") for n in names if not n.endswith(SCHEMA_SUFFIX)))


@cache
def schema_names() -> tuple[str, ...]:
    """The names of the schemas that come with the library, sorted."""
    names = (entry.name for entry in DATA.iterdir() if entry.name.endswith(SCHEMA_SUFFIX))
    return tuple(sorted(n.removesuffix(SCHEMA_SUFFIX) for n in names))


@cache
def load_schema(name: str) -> Schema:
    """The schema `name` of the library; KeyError, naming the known ones, where there is none."""
    from scoring.schema import Schema

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
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problem = Problem("toml.syntax", {"got": shorten(error, 200)}, file="ruleset")
        raise ProblemsFound([problem]) from error


def _ruleset(document: Document, text: str) -> Ruleset:
    scoring = document.table("scoring")
    measures = _measures(scoring)
    tables, schema = _data(document.table("data"))
    return Ruleset(
        id=document.text("id"),
        version=document.integer("version", 1, 1_000_000),
        title=document.translated("title"),
        summary=document.translated("summary"),
        tables=tables,
        rounds=_rounds(document),
        measures=measures,
        options=_options(scoring.table("options")),
        ranking=_ranking(document.table("ranking"), measures),
        limits=_limits(document.table("limits")),
        schema=schema,
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def _measures(scoring: Document) -> tuple[str, ...]:
    return scoring.choices("measures", MEASURES)


def _data(data: Document) -> tuple[str, Schema | None]:
    tables = data.choice("tables", TABLES)
    if not data.has("schema"):
        return tables, None
    name = data.choice("schema", schema_names())
    return tables, load_schema(name) if name else None


def _options(options: Document) -> Options:
    from scoring.comparison import OPTION_CHOICES, Options

    chosen: dict[str, Any] = {
        name: options.choice(name, OPTION_CHOICES[name]) for name in OPTION_CHOICES
    }
    return Options(**chosen)


def _ranking(ranking: Document, measures: tuple[str, ...]) -> RankingSpec:
    weights = [ranking.number(f"{board}_weight", 0, 1) for board in ("anonymization", "attack")]
    if not math.isclose(sum(weights), 1):
        expected = "with anonymization_weight a sum of 1"
        ranking.wrong("attack_weight", expected, weights[1])
    rates = tuple(measure for measure in measures if MEASURES[measure].is_rate)
    return RankingSpec(
        utility=ranking.choices("utility", measures),
        safety=ranking.choices("safety", measures),
        linkage=ranking.choices("linkage", rates),
        anonymization_weight=weights[0],
        attack_weight=weights[1],
    )


def _limits(limits: Document) -> Limits:
    return Limits(
        max_file_bytes=limits.integer("max_file_bytes", 1_000, 1_000_000_000),
        max_team_size=limits.integer("max_team_size", 1, 1_000),
        max_records_factor=limits.number("max_records_factor", 1, 100),
    )


def _rounds(document: Document) -> tuple[RoundSpec, ...]:
    documents = document.tables("round")
    rounds = tuple(_round(item) for item in documents)
    for i, (item, spec) in enumerate(zip(documents, rounds, strict=True)):
        earlier = rounds[:i]
        if spec.key and spec.key in [r.key for r in earlier]:
            item.wrong("key", "a key that no other round has", spec.key)
        if spec.kind == "attack" and "anonymization" not in [r.kind for r in earlier]:
            item.wrong("kind", "an anonymization round before the attack on it", spec.kind)
    return rounds


def _round(document: Document) -> RoundSpec:
    kind_id = document.choice("kind", ROUND_KINDS)
    if not kind_id:
        document.give_up()  # which other keys are right depends on the kind
        return RoundSpec("", "", {}, {}, (), None, None, "", "", 1)
    kind = ROUND_KINDS[kind_id]
    tries: dict[str, int | None] = dict.fromkeys(TRIES_KEYS)
    tries[kind.tries_key] = document.integer(kind.tries_key, 1, 10_000)
    return RoundSpec(
        key=document.text("key"),
        kind=kind_id,
        title=document.translated("title"),
        description=document.translated("description"),
        files=_files(document, kind),
        counts=document.choice("counts", kind.counts),
        feedback=document.choice("feedback", kind.feedback),
        days=document.integer("days", 1, 3_650),
        tries=tries["tries"],
        tries_per_target=tries["tries_per_target"],
    )


def _files(document: Document, kind: RoundKind) -> tuple[FileSpec, ...]:
    documents = document.tables("file")
    specs = tuple(_file(item, kind) for item in documents)
    keys = [spec.key for spec in specs if spec.key]
    for i, item in enumerate(documents):
        if specs[i].key and specs[i].key in [s.key for s in specs[:i]]:
            item.wrong("key", "a key that no other file of the round has", specs[i].key)
    missing = [key for key in kind.required if key not in keys]
    if specs and missing:
        document.wrong("file", f"the files {', '.join(kind.required)}", ", ".join(keys))
    return specs


def _file(document: Document, kind: RoundKind) -> FileSpec:
    key = document.choice("key", kind.files)
    file_kind = document.choice("kind", tuple(dict.fromkeys(kind.files.values())))
    if key and file_kind and kind.files[key] != file_kind:
        document.wrong("kind", kind.files[key], file_kind)
    return FileSpec(key, file_kind, document.boolean("required"), document.translated("title"))
