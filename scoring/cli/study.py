# SPDX-License-Identifier: Apache-2.0
"""The command `study`: a published experiment, reproduced and compared with its figures."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path

from scoring.cli.arguments import Parser, add_seed
from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.extras import check_pictures

STUDIES = ("pwscup2015",)


def add_arguments(command: Parser) -> None:
    """The arguments of `study`, without loading numerical libraries."""
    command.add_argument("study", choices=STUDIES, help="what to run again: pwscup2015")
    command.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )
    add_seed(command, required=False)
    command.add_argument(
        "--tables",
        metavar="DIR",
        help="measure the contest's own tables: X.csv, Y1.csv … and their rows J1.csv …, perhaps S.toml",
    )
    command.add_argument("--quick", action="store_true", help="smaller chains, in a few seconds")


def run(arguments: Namespace, output: Output) -> None:
    """Run the study into a new folder and print how far it agrees with the paper."""
    check_pictures()
    if arguments.tables is not None:
        _run_given(arguments, output)
        return
    from scoring.studies.experiment import FULL, QUICK, run_study
    from scoring.studies.folder import FolderError, fill, new_folder
    from scoring.studies.paper import SHORT_NAMES
    from scoring.studies.pwscup2015 import study_files, summary

    scale = QUICK if arguments.quick else FULL
    try:
        with new_folder(arguments.out) as folder:
            # The library has no clock of its own: the command lends it one for Figures 2, 4 and 6.
            found = run_study(arguments.seed, scale, clock=time.perf_counter, step=output.step)
            output.step("drawing the figures and writing the page")
            files = study_files(found)
            fill(folder, files)
    except FolderError as error:
        raise UsageError(str(error)) from error
    values = summary(found) | {"out": arguments.out, "files": sorted(files)}
    marks, readings = values["table10"], values["readings"]
    head = ("", "made by", "read off", "paper's guess", "read off the paper's figures")
    rows = [(name, *methods.values()) for name, methods in values["methods"].items()]
    right = ", ".join(
        f"{counts['right']} of {counts['tables']} {kind}{'' if counts['tables'] == 1 else 's'}"
        for kind, counts in readings.items()
    )
    letters = ", ".join(f"{letter} {name}" for letter, name in SHORT_NAMES.items())
    text = (
        f"{aligned([head, *rows])}\n\n"
        f"methods: {letters}\n"
        f"Table 10: {marks['study_as_expected']} of {marks['marks']} signs as the paper expects, "
        f"{marks['study_as_table11']} as its Table 11 has them\n"
        f"methods read off exactly: {right}\n"
        f"{len(files)} files → {arguments.out}, begin with index.html"
    )
    output.result(values, text)


def _run_given(arguments: Namespace, output: Output) -> None:
    """Measure the tables of a folder and print which methods are read off them."""
    from scoring.studies.folder import FolderError, fill, new_folder
    from scoring.studies.given import files_wanted, given_files, given_summary, missing, study_given

    if arguments.quick:
        raise UsageError("--quick: the tables of --tables are measured as they are")
    folder = Path(arguments.tables)
    if not folder.is_dir():
        raise UsageError(f"--tables: expected a folder, got {arguments.tables}")
    wanted = files_wanted([path.name for path in folder.iterdir()])
    if lacking := missing(wanted):
        raise UsageError(f"--tables: expected also {', '.join(lacking)} in {arguments.tables}")
    given = {name: read_file(str(folder / name)) for name in wanted}
    try:
        with new_folder(arguments.out) as target:
            found = study_given(given, arguments.seed, step=output.step)
            files = given_files(found)
            fill(target, files)
    except FolderError as error:
        raise UsageError(str(error)) from error
    values = given_summary(found) | {"out": arguments.out, "files": sorted(files)}
    head = ("", "values as printed", "read off", "paper's guess", "read off the paper's figures")
    rows = [
        (name, values["printed"][name], *methods.values())
        for name, methods in values["methods"].items()
    ]
    text = (
        f"{aligned([head, *rows])}\n\n{len(files)} files → {arguments.out}, begin with index.html"
    )
    output.result(values, text)
