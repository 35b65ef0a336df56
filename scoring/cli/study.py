"""The command `study`: a published experiment, reproduced and compared with its figures."""

from __future__ import annotations

import time
from argparse import Namespace

from scoring.cli.arguments import Parser, add_seed
from scoring.cli.output import Output, UsageError, aligned

STUDIES = ("pwscup2015",)


def add_arguments(command: Parser) -> None:
    """The arguments of `study`, without loading numerical libraries."""
    command.add_argument("study", choices=STUDIES, help="what to run again: pwscup2015")
    command.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )
    add_seed(command, required=False)
    command.add_argument("--quick", action="store_true", help="smaller chains, in a few seconds")


def run(arguments: Namespace, output: Output) -> None:
    """Run the study into a new folder and print how far it agrees with the paper."""
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
