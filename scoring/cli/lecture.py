# SPDX-License-Identifier: Apache-2.0
"""The commands `lecture-split` and `lecture-release`: a lecture contest without a server."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from typing import TYPE_CHECKING

from scoring.cli.arguments import (
    Parser,
    add_anonymized,
    add_original,
    add_ruleset,
    add_schema,
    add_secret_seed,
)
from scoring.cli.output import Output, UsageError, check_writable, read_file, write_files
from scoring.cli.seeds import secret_seed

if TYPE_CHECKING:
    import pandas as pd

    from scoring.formats.lecture import TeamDraw
    from scoring.tables.schema import Schema

KEY = "key.csv"


def add_split(command: Parser) -> None:
    command.add_argument(
        "--table",
        required=True,
        metavar="T.csv",
        help="the table to draw the records of all teams from",
    )
    add_schema(command)
    command.add_argument(
        "--teams", type=int, required=True, metavar="N", help="how many teams, up to 1,000"
    )
    command.add_argument(
        "--sample", type=int, default=100, metavar="N", help="records of each team (100)"
    )
    command.add_argument(
        "--decoys", type=int, default=100, metavar="N", help="further candidates of each (100)"
    )
    add_secret_seed(command)
    command.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )


def add_release(command: Parser) -> None:
    command.set_defaults(rows=None)  # an aligned table needs none
    add_ruleset(command, "pets-lecture")
    add_schema(command)
    add_original(command)
    add_anonymized(command)
    command.add_argument("--key", required=True, metavar="K.csv", help="the key of lecture-split")
    command.add_argument("--team", required=True, metavar="NAME", help="whose table it is")
    add_secret_seed(command)
    command.add_argument(
        "--out", required=True, metavar="T.csv", help="the release to write: for attackers"
    )
    command.add_argument(
        "--key-out", required=True, metavar="L.csv", help="its key to write: for the organizer"
    )


def split_table(arguments: Namespace, output: Output) -> None:
    """Write each team's original and candidate table, and the key, into a new folder."""
    from scoring.cli.input import read_schema
    from scoring.formats.lecture import key_of, split
    from scoring.formats.lecture.split import KEY_SCHEMA
    from scoring.studies.folder import FolderError, fill, new_folder
    from scoring.tables.reading import read_table, write_table

    schema = read_schema(arguments)
    output.step("reading the table")
    table = read_table(read_file(arguments.table), schema, file="table", original=True)
    numbers = (arguments.teams, arguments.sample, arguments.decoys)
    try:
        teams = split(len(table), *numbers, seed=secret_seed(arguments, output))
    except ValueError as error:
        raise UsageError(str(error)) from error
    key = write_table(key_of(teams), KEY_SCHEMA)
    files = _team_files(table, teams, schema.public()) | {KEY: key}
    try:
        with new_folder(arguments.out) as folder:
            output.step("writing")
            fill(folder, files)
            (folder / KEY).chmod(0o600)  # for the teacher's eyes
    except FolderError as error:
        raise UsageError(str(error)) from error
    digest = hashlib.sha256(key).hexdigest()
    values = {
        "n_records": len(table),
        "teams": [team.team for team in teams],
        "sample": arguments.sample,
        "decoys": arguments.decoys,
        "out": arguments.out,
        "files": sorted(files),
        "key_sha256": digest,
    }
    text = (
        f"{len(teams)} teams of {arguments.sample} records and {arguments.decoys} decoys each → "
        f"{arguments.out}\n{KEY} stays with you; its SHA-256 may be announced: {digest}"
    )
    output.result(values, text)


def _team_files(table: pd.DataFrame, teams: list[TeamDraw], public: Schema) -> dict[str, bytes]:
    from scoring.tables.writing import write_table

    files = {}
    for team in teams:
        files[f"{team.team}_original.csv"] = write_table(table.iloc[team.own], public)
        files[f"{team.team}_candidate.csv"] = write_table(table.iloc[team.candidates], public)
    return files


def release_table(arguments: Namespace, output: Output) -> None:
    """Shuffle a team's aligned table for its attackers, and write the key that scores their guesses."""
    import numpy as np

    from scoring.cli.input import (
        files_read,
        read_declared,
        read_original,
        read_ruleset,
        read_schema,
    )
    from scoring.formats.lecture import lines_of_team, release
    from scoring.formats.lecture.split import KEY_SCHEMA
    from scoring.rulesets.submitted import is_aligned
    from scoring.tables.aligned import write_aligned
    from scoring.tables.number_lists import write_candidate_guess
    from scoring.tables.reading import read_table

    check_writable(arguments.out, arguments.key_out, reads=files_read(arguments))
    ruleset = read_ruleset(arguments.ruleset)
    if not is_aligned(ruleset):
        raise UsageError(f"--ruleset: expected one with aligned tables, got {ruleset.id}")
    schema = read_schema(arguments)
    original = read_original(arguments, schema, output)
    table, source = read_declared(arguments, original, schema, output, ruleset)
    key = read_table(read_file(arguments.key), KEY_SCHEMA, file="key", original=True)
    lines = lines_of_team(key, arguments.team, len(original))
    rng = np.random.default_rng(secret_seed(arguments, output))
    shuffled = release(lines, source, np.arange(lines.max() + 1), rng=rng)
    files = {
        arguments.out: write_aligned(table, shuffled.positions, schema),
        arguments.key_out: write_candidate_guess(shuffled.key),
    }
    write_files(files)
    values = {
        "team": arguments.team,
        "n_lines": len(original),
        "n_kept": len(table),
        "out": arguments.out,
        "key_out": arguments.key_out,
    }
    text = f"{len(original)} lines, {len(table)} of them records → {', '.join(files)}"
    output.result(values, text)
