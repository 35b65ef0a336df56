# SPDX-License-Identifier: Apache-2.0
"""Reads the files that arguments of commands name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoring import plugins
from scoring.cli.output import Output, UsageError, read_file
from scoring.formats.lecture.parts import read_parts
from scoring.rulesets import Ruleset, load_ruleset, parse_ruleset, ruleset_names
from scoring.rulesets.base import unfit_parts
from scoring.rulesets.loader import load_schema
from scoring.rulesets.submitted import has_rows, is_aligned, submitted
from scoring.tables.archives import unpacked
from scoring.tables.equivalence import IntArray, Table
from scoring.tables.hierarchy_files import HIERARCHY_FILE as HIERARCHY
from scoring.tables.reading import read_records
from scoring.tables.records import Records
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from scoring.scores.prepared import Prepared  # which loads the kernels

_FILES = (
    "schema",
    "original",
    "anonymized",
    "rows",
    "guess",
    "control",
    "candidates",
    "table",
    "key",
    "release",
    "answer",
    "estimate",
)


def read_ruleset(name: str) -> Ruleset:
    """A ruleset of the library, or that of a TOML file; plugins are known from here on."""
    plugins.load()
    if name in ruleset_names():
        return load_ruleset(name)
    if Path(name).suffix == ".toml":
        return parse_ruleset(read_text(name))
    known = ", ".join(ruleset_names())
    raise UsageError(f"--ruleset: expected one of {known}, or a TOML file, got {name}")


def stage_of(arguments: Namespace, ruleset: Ruleset) -> str | None:
    """The stage of `--stage`, which the ruleset has."""
    known = [stage.key for stage in ruleset.stages]
    if arguments.stage not in (None, *known):
        raise UsageError(f"--stage: expected one of {', '.join(known)}, got {arguments.stage}")
    stage: str | None = arguments.stage
    return stage


def read_schema(arguments: Namespace, ruleset: Ruleset | None = None) -> Schema:
    """The schema of `--schema`; where there is none, the ruleset's or that of households."""
    if arguments.schema is not None:
        return Schema.from_toml(read_text(arguments.schema))
    if ruleset is None:
        return load_schema("households")
    if ruleset.schema is None:
        raise UsageError(f"--schema is needed: the ruleset {ruleset.id} names no columns")
    return ruleset.schema


def read_original(arguments: Namespace, schema: Schema, output: Output) -> Records:
    """The table of `--original`."""
    output.step("reading the original table")
    return read_records(read_file(arguments.original), schema, file="original", original=True)


def read_anonymized(arguments: Namespace, schema: Schema, output: Output) -> Records:
    """The table of `--anonymized`."""
    output.step("reading the anonymized table")
    return read_records(read_file(arguments.anonymized), schema, file="anonymized")


def files_read(arguments: Namespace, *, but: Sequence[str] = ()) -> dict[str, str | None]:
    """The files that the command reads, by their options; `but` those that it writes."""
    given = vars(arguments)
    files = {f"--{name}": given.get(name) for name in _FILES if name not in but}
    for setting in given.get("set", ()):
        name, _equals, text = setting.partition("=")
        if name.strip().rpartition(".")[2] == HIERARCHY:
            files[f"--set {setting}"] = text
    return files


def read_control(arguments: Namespace, schema: Schema, output: Output) -> Records:
    """The table of `--control`: people who are not in the original."""
    output.step("reading the control table")
    return read_records(read_file(arguments.control), schema, file="control", original=True)


def read_declared(
    arguments: Namespace,
    known: Records | Prepared,
    schema: Schema,
    output: Output,
    ruleset: Ruleset | None = None,
) -> tuple[Records, IntArray]:
    """The table of `--anonymized` and the original row of each of its records, both checked.

    The ruleset decides whether the table is an aligned one, and which values it may hold.
    """
    table, source = read_scored(arguments, known, schema, output, ruleset)
    assert source is not None
    return table, source


def read_scored(
    arguments: Namespace,
    known: Records | Prepared,
    schema: Schema,
    output: Output,
    ruleset: Ruleset | None,
) -> tuple[Records, IntArray | None]:
    """As `read_declared`; by rules of synthetic tables there are no rows."""
    if ruleset is not None and arguments.rows is not None:
        if not has_rows(ruleset):
            raise UsageError(f"--rows: a synthetic table of {ruleset.id} has no row numbers")
        if is_aligned(ruleset):
            raise UsageError(f"--rows: an aligned table of {ruleset.id} needs no row numbers")
    output.step("checking the submission")
    rows = None if arguments.rows is None else read_file(arguments.rows)
    data = read_file(arguments.anonymized)
    return submitted(data, rows, _table(known), schema, ruleset)


def read_scored_parts(
    arguments: Namespace,
    known: Records | Prepared,
    schema: Schema,
    output: Output,
    ruleset: Ruleset,
) -> tuple[dict[str, Records], IntArray]:
    """The tables of the archive `--anonymized`, by the rules of a submission of several, and their rows."""
    if arguments.rows is not None:
        raise UsageError(f"--rows: aligned tables of {ruleset.id} need no row numbers")
    output.step("checking the submission")
    data = ruleset.data
    if problems := unfit_parts(data.parts, schema):
        raise UsageError("; ".join(f"data.part: expected {e}, got {got}" for e, got in problems))
    columns = data.columns_of_parts(schema)
    files = unpacked(
        read_file(arguments.anonymized), [*columns], file="anonymized", optional=data.optional_parts
    )
    return read_parts(
        files,
        columns,
        original=_table(known),
        schema=schema,
        original_values_only=ruleset.validity.values == "original",
        blank_records=ruleset.validity.blank_records,
    )


def _table(known: Records | Prepared) -> Table:
    return known if isinstance(known, Records) else known.original


def read_text(path: str) -> str:
    """The text of a file that the user named."""
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected UTF-8 text") from error
