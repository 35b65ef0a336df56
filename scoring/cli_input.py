"""What commands read: the files that their arguments name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import pandas as pd

from scoring.cli_output import Output, UsageError, read_file
from scoring.equivalence import IntArray
from scoring.hierarchy_files import FILE as HIERARCHY
from scoring.reading import read_table
from scoring.rulesets import Ruleset
from scoring.rulesets.loader import load_schema
from scoring.schema import Schema
from scoring.validation import read_submission

_FILES = ("schema", "original", "anonymized", "rows", "guess", "control")


def read_schema(arguments: Namespace, ruleset: Ruleset | None = None) -> Schema:
    """The schema of `--schema`; where there is none, the ruleset's or that of households."""
    if arguments.schema is not None:
        return Schema.from_toml(read_text(arguments.schema))
    if ruleset is None:
        return load_schema("households")
    if ruleset.schema is None:
        raise UsageError(f"--schema is needed: the ruleset {ruleset.id} names no columns")
    return ruleset.schema


def read_original(arguments: Namespace, schema: Schema, output: Output) -> pd.DataFrame:
    """The table of `--original`."""
    output.step("reading the original table")
    return read_table(read_file(arguments.original), schema, file="original", original=True)


def read_anonymized(arguments: Namespace, schema: Schema, output: Output) -> pd.DataFrame:
    """The table of `--anonymized`."""
    output.step("reading the anonymized table")
    return read_table(read_file(arguments.anonymized), schema, file="anonymized")


def files_read(arguments: Namespace, *, but: Sequence[str] = ()) -> dict[str, str | None]:
    """The files that the command reads, by their options; `but` those that it writes."""
    given = vars(arguments)
    files = {f"--{name}": given.get(name) for name in _FILES if name not in but}
    for setting in given.get("set", ()):
        name, _equals, text = setting.partition("=")
        if name.strip().rpartition(".")[2] == HIERARCHY:
            files[f"--set {setting}"] = text
    return files


def read_control(arguments: Namespace, schema: Schema, output: Output) -> pd.DataFrame:
    """The table of `--control`: people whom the anonymized table was not made from."""
    output.step("reading the control table")
    return read_table(read_file(arguments.control), schema, file="control", original=True)


def read_declared(
    arguments: Namespace, original: pd.DataFrame, schema: Schema, output: Output
) -> tuple[pd.DataFrame, IntArray]:
    """The table of `--anonymized` and the original row of each of its records, both checked."""
    output.step("checking the submission")
    rows = None if arguments.rows is None else read_file(arguments.rows)
    return read_submission(read_file(arguments.anonymized), rows, original=original, schema=schema)


def read_text(path: str) -> str:
    """The text of a file that the user named."""
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected UTF-8 text") from error
