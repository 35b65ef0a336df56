# SPDX-License-Identifier: Apache-2.0
"""The client's command line: one parser, one table of commands, one exit status for each kind of end."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pwscup.client.cli import account, home, looking, sending
from pwscup.client.cli.output import Output
from pwscup.client.errors import (
    BusyError,
    ClientError,
    FailedError,
    Refused,
    Rejected,
    TimedOutError,
    UnreachableError,
)
from scoring import __version__
from scoring.cli import completion
from scoring.cli.arguments import Parser

FINE, REFUSED, WRONG_USE, NO_ANSWER, INTERRUPTED = 0, 1, 2, 3, 130
PLATFORM = (
    "the platform's commands are there where it is installed (pip install “pwscup[web]”), such as pwscup up; "
    "pwscup help lists them"
)
_EPILOG = f"""\
a first submission:
  pwscup login https://cup.example.org
  pwscup download demo-running && cd demo-running
  pwscup-scoring anonymize mondrian class-average --schema demo-running-schema.toml \\
      --original demo-running-original.csv --set k=5 --out anonymized.csv --rows rows.csv
  pwscup score anonymized.csv rows.csv
  pwscup submit anonymized.csv rows.csv --wait
  pwscup board

exit status: 0 success, 1 refused or rejected (all problems are listed), 2 wrong usage or a local file, 3 no answer,
busy, or not scored in time

{PLATFORM}
"""
Run = Callable[[argparse.Namespace, Output], int | None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: a text, what runs it, its arguments, and which shared options it has."""

    text: str
    run: Run
    arguments: Callable[[argparse.ArgumentParser], None] | None = None
    of_contest: bool = False
    of_round: bool = False
    of_kit: bool = False
    passes_on: bool = False


COMMANDS: dict[str, Command] = {
    "login": Command("keep an access token of a site", account.login, account.add_login),
    "logout": Command("delete the kept token of a site", account.logout, account.add_login),
    "contests": Command("list the contests of the site", looking.contests),
    "download": Command(
        "download the files of a contest, and published tables",
        home.download,
        home.add_download,
        of_contest=True,
        of_round=True,
    ),
    "validate": Command(
        "check a file as the site does; works offline",
        home.validate,
        home.add_table,
        of_kit=True,
        passes_on=True,
    ),
    "score": Command(
        "compute the values that the site will; works offline",
        home.score,
        home.add_table,
        of_kit=True,
        passes_on=True,
    ),
    "submit": Command(
        "submit the files of a round",
        sending.submit,
        sending.add_submit,
        of_contest=True,
        of_round=True,
    ),
    "status": Command(
        "show submissions of the team, or one of them",
        looking.status,
        looking.add_status,
        of_contest=True,
        of_round=True,
    ),
    "choose": Command(
        "choose the submission that counts", sending.choose, sending.add_id, of_contest=True
    ),
    "cancel": Command(
        "cancel a submission that waits", sending.cancel, sending.add_id, of_contest=True
    ),
    "attack": Command(
        "guess the originals of a published table; works offline",
        home.attack,
        home.add_attack,
        of_kit=True,
        passes_on=True,
    ),
    "ask": Command(
        "ask a hidden table for noisy counts",
        sending.ask,
        sending.add_ask,
        of_contest=True,
        of_round=True,
    ),
    "board": Command("show a leaderboard", looking.board, looking.add_board, of_contest=True),
    "open": Command(
        "open the page of a contest or a round in the browser",
        looking.open_page,
        looking.add_open,
        of_contest=True,
        of_round=True,
    ),
}
"""Name to command, in the order in which they are shown."""
_POSITIONAL = ("download", "open")
"""Commands that take the contest as an argument, too."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        top = parser()
        arguments, more = top.parse_known_args(argv)
        if more and not COMMANDS[arguments.command].passes_on:
            top.error(f"unrecognized arguments: {' '.join(more)}")
    except SystemExit as stop:  # argparse has printed help or the mistake
        return FINE if stop.code in (None, 0) else WRONG_USE
    arguments.more = more
    output = Output(as_json=arguments.json)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_rest: output.note(f"warning: {message}")
        return _status(arguments, output)


def _status(arguments: argparse.Namespace, output: Output) -> int:
    try:
        return COMMANDS[arguments.command].run(arguments, output) or FINE
    except ClientError as error:
        output.failed(error)
        return status_of(error)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except (KeyboardInterrupt, EOFError):
        output.note("interrupted")
        return INTERRUPTED


def status_of(error: ClientError) -> int:
    """The exit status of an error."""
    if isinstance(error, Refused | Rejected | FailedError):
        return REFUSED
    if isinstance(error, BusyError | UnreachableError | TimedOutError):
        return NO_ANSWER
    return WRONG_USE


def parser(of: str | None = None) -> Parser:
    """The parser of the client, or of one command."""
    top = Parser(
        prog="pwscup",
        description="A contest from the command line: download, check at home, submit, wait, attack, read boards.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"pwscup {__version__}")
    completion.add_option(top)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        added = commands.add_parser(
            name,
            help=command.text,
            description=f"{command.text[0].upper()}{command.text[1:]}.",
            allow_abbrev=False,
        )
        _fill(added, name, command)
    return top if of is None else commands.choices[of]


def _fill(added: argparse.ArgumentParser, name: str, command: Command) -> None:
    added.add_argument("--json", action="store_true", help="print the result as JSON")
    if not command.of_kit:
        added.add_argument(
            "--url", metavar="URL", help="the site (PWSCUP_URL, the kit's, the last log-in's)"
        )
    if command.of_contest or command.of_kit:
        added.add_argument(
            "--kit", metavar="DIR", help="the folder of a downloaded contest (this one)"
        )
    if command.of_contest:
        text = "the contest (that of the folder, PWSCUP_CONTEST)"
        if name in _POSITIONAL:
            added.add_argument("contest", nargs="?", metavar="CONTEST", help=text)
        else:
            added.add_argument("--contest", metavar="CONTEST", help=text)
    if command.of_round:
        added.add_argument("--round", metavar="KEY", help="the round (the one that is open)")
    if command.arguments is not None:
        command.arguments(added)
