# SPDX-License-Identifier: Apache-2.0
"""The command line: the same code as the server, to run locally.

The modules of the commands import the numerical libraries in their functions only: loaded when one
runs or its methods are listed, so that other help and all mistakes are answered immediately.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scoring import __version__
from scoring.cli import (
    anonymize,
    attack,
    audit,
    cheat,
    completion,
    demonstrate,
    dp,
    generate,
    installed,
    lecture,
    mark,
    prepare,
    rank,
    rank_estimates,
    score,
    study,
    validate,
    verify,
)
from scoring.cli.arguments import Parser
from scoring.cli.output import Output, UnprintedError, UsageError
from scoring.cli.sequential import command as sequential
from scoring.errors import ProblemsFound
from scoring.extras import MissingPackageError
from scoring.tables.notes import noted

FINE, REJECTED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

_DESCRIPTION = (
    "Anonymize tables, attack them, and measure both: the official scores of the contest."
)
_EPILOG = """\
a contest in six commands:
  python -m scoring generate households --records 8333 --seed 1 --out X.csv --schema-out S.toml
  python -m scoring anonymize mondrian class-average --schema S.toml --original X.csv \\
      --set k=5 --out Y.csv --rows R.csv
  python -m scoring validate --schema S.toml --original X.csv --anonymized Y.csv --rows R.csv
  python -m scoring score --original X.csv --anonymized Y.csv --rows R.csv
  python -m scoring attack EUC2 --schema S.toml --original X.csv --anonymized Y.csv \\
      --out G.csv
  python -m scoring mark --rows R.csv --guess G.csv

exit status: 0 success, 1 a file was rejected or a check failed (all problems are listed), 2 wrong
usage
"""


Run = Callable[[argparse.Namespace, Output], int | None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, a text, its arguments, what runs it, and the list of its methods."""

    name: str
    text: str
    arguments: Callable[[Parser], None]
    run: Run
    methods: Callable[[], str] | None = None


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "generate",
            "draw a table of pseudo microdata",
            generate.add_arguments,
            generate.run,
        ),
        Command(
            "prepare",
            "make a table of a raw file: any encoding or .xlsx, by steps that are kept",
            prepare.add_arguments,
            prepare.run,
            prepare.steps,
        ),
        Command(
            "anonymize",
            "anonymize a table by one method or several in a row",
            anonymize.add_arguments,
            anonymize.run,
            anonymize.methods,
        ),
        Command(
            "validate",
            "check a submission as the server does and list every problem",
            validate.add_arguments,
            validate.run,
        ),
        Command(
            "score",
            "compute the official utility and safety of a submission",
            score.add_arguments,
            score.run,
        ),
        Command(
            "attack",
            "guess which original record each anonymized record was made from",
            attack.add_arguments,
            attack.run,
            attack.methods,
        ),
        Command(
            "cheat",
            "write what a cheater submits, to try the rules of a contest",
            cheat.add_arguments,
            cheat.run,
            cheat.cheaters,
        ),
        Command(
            "mark",
            "compare a guess file with the declared row numbers, or with a key",
            mark.add_arguments,
            mark.run,
        ),
        Command(
            "lecture-split",
            "draw every team's records and candidates for a lecture contest",
            lecture.add_split,
            lecture.split_table,
        ),
        Command(
            "lecture-release",
            "shuffle a team's table for the attackers of a lecture contest",
            lecture.add_release,
            lecture.release_table,
        ),
        Command(
            "audit",
            "run every attacker and every measure on a table, and name the strongest attack",
            audit.add_arguments,
            audit.run,
        ),
        Command(
            "rank",
            "rank the teams of a contest, or of a season, by a formula",
            rank.add_arguments,
            rank.run,
            rank.methods,
        ),
        Command(
            "rank-estimates",
            "rank the teams that estimated a hidden table, in each round and over all",
            rank_estimates.add_arguments,
            rank_estimates.run,
        ),
        Command(
            "demonstrate",
            "show what goes wrong with data that only looks anonymous, on synthetic tables",
            demonstrate.add_arguments,
            demonstrate.run,
        ),
        Command(
            "study",
            "reproduce a published experiment and compare it with the published figures",
            study.add_arguments,
            study.run,
        ),
        Command(
            "dp",
            "convert ε, compare batch with interactive disclosure, and practise both",
            dp.add_arguments,
            dp.run,
        ),
        Command(
            "sequential",
            "publish a changing table repeatedly, and check its releases",
            sequential.add_arguments,
            sequential.run,
        ),
        Command(
            "plugins",
            "list installed plugins, and what keeps one from being used",
            installed.add_arguments,
            installed.run,
        ),
        Command(
            "verify",
            "check the draws of a contest, its audit trail, and receipts",
            verify.add_arguments,
            verify.run,
        ),
    )
}
"""Name to command, in the order in which they are shown."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 success, 1 rejected, 2 wrong usage."""
    _show_what_can_be_shown()
    try:
        arguments = parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed help or the mistake
        return FINE if stop.code in (None, 0) else WRONG_USE
    output = Output(as_json=arguments.json, progress=arguments.progress, command=arguments.command)
    try:
        return _status(arguments, output)
    except BrokenPipeError:  # the reader has closed the pipe
        _discard_output()
        return FINE
    except UnprintedError as error:
        _discard_output()
        output.note(f"error: cannot write to standard output: {error}")
        return WRONG_USE


def _status(arguments: argparse.Namespace, output: Output) -> int:
    """Run a command and report its result."""
    try:
        with noted() as output.notes:
            return COMMANDS[arguments.command].run(arguments, output) or FINE
    except UsageError as error:
        output.wrong_use(error)
        return WRONG_USE
    except MissingPackageError as error:
        output.wrong_use(UsageError(str(error)))
        return WRONG_USE
    except ProblemsFound as error:
        output.rejected(error)
        return REJECTED
    except KeyboardInterrupt:
        output.note("interrupted")
        return INTERRUPTED


def _discard_output() -> None:
    """Python's flush at exit must not fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_what_can_be_shown() -> None:
    """Names of files need be no text, and a terminal need not know all characters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def parser() -> Parser:
    """The parser of the whole command line."""
    top = Parser(
        prog="python -m scoring",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # a script must not break when an option is added
    )
    top.add_argument("--version", action="version", version=f"scoring {__version__}")
    completion.add_option(top)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS.values():
        added = commands.add_parser(
            command.name,
            help=command.text,
            description=f"{command.text[0].upper()}{command.text[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        _fill(added, command)
    return top


def _fill(parser: Parser, command: Command) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show progress on standard error (on a terminal it is always shown)",
    )
    parser.methods = command.methods
    command.arguments(parser)
