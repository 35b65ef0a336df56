# SPDX-License-Identifier: Apache-2.0
"""Completion of commands, options and files in shells: scripts that shtab writes from the parser."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from scoring.extras import MissingPackageError, needed

SHELLS = ("bash", "zsh", "fish", "powershell", "tcsh")
_FILES = (".csv", ".toml", ".zip", ".json", ".html", "FILE", "TABLE", "ROWS")
_FOLDERS = ("DIR",)


class _Print(argparse.Action):
    """Prints the script of a shell, and ends."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> NoReturn:
        try:
            print(script(parser, str(values)), flush=True)
        except MissingPackageError as error:
            parser.exit(2, f"{parser.prog}: error: {error}\n")
        except (
            BrokenPipeError
        ):  # the reader has closed the pipe; Python's flush at exit must not fail once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        parser.exit(0)


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option that prints the script of a shell."""
    parser.add_argument(
        "--print-completion",
        action=_Print,
        choices=SHELLS,
        metavar="SHELL",
        help=f"print the script that completes commands and files in {', '.join(SHELLS)}",
    )


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script of a shell for a whole command line.

    Raises
    ------
    MissingPackageError
        Where shtab is not installed.
    """
    shtab = needed("shtab", "shtab", "client")
    for action in _actions(parser):
        shown = action.metavar if isinstance(action.metavar, str) else ""
        if shown.endswith(_FILES):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif shown.endswith(_FOLDERS):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    prog = parser.prog
    parser.prog = prog.replace("python -m scoring", "pwscup-scoring")
    try:
        return str(shtab.complete(parser, shell))
    finally:
        parser.prog = prog


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument, those of commands included."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
