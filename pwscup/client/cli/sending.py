# SPDX-License-Identifier: Apache-2.0
"""The commands that send: `submit`, `choose`, `cancel` and `ask`."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from pwscup.client import places, uploads
from pwscup.client.cli import context
from pwscup.client.cli.looking import show
from pwscup.client.cli.output import Output
from pwscup.client.errors import FileError
from pwscup.client.shown import printed


def add_submit(parser: argparse.ArgumentParser) -> None:
    """The arguments of `submit`."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="the files of the round, in its order, called like their keys, or as KEY=FILE; guesses about several "
        "targets are called like these",
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="a note for the team")
    parser.add_argument("--target", metavar="TEAM", help="the team that a guess is about")
    parser.add_argument(
        "--original", type=int, metavar="N", help="the original that the table was made from"
    )
    parser.add_argument("--wait", action="store_true", help="wait until it is scored")
    parser.add_argument(
        "--timeout", type=float, default=900.0, metavar="S", help="seconds to wait (900)"
    )


def submit(arguments: argparse.Namespace, output: Output) -> None:
    """Submit files; the same command after a lost answer does not submit twice."""
    round = context.round_of(arguments)
    if round.line.has_targets and arguments.target is None:
        made = round.guess(arguments.files, note=arguments.note)
        if arguments.wait:
            for one in made:
                one.wait(arguments.timeout)
        rows = [[one.info.target, one.info.number, one.info.state, one.info.id] for one in made]
        text = printed(["target", "number", "state", "id"], rows)
        output.result([one.info for one in made], text)
        return
    files = uploads.matched(round.info.files, arguments.files)
    found = round.submit(
        files=files, note=arguments.note, target=arguments.target, original=arguments.original
    )
    show(found, arguments, output, wait=arguments.wait)


def add_id(parser: argparse.ArgumentParser) -> None:
    """The argument of `choose` and `cancel`."""
    parser.add_argument("id", metavar="ID", help="the submission, as `pwscup status` lists it")


def choose(arguments: argparse.Namespace, output: Output) -> None:
    """Choose the submission that counts."""
    found = context.client_of(arguments).submission(arguments.id).choose()
    output.result(found.info, f"{found.title}; it counts")


def cancel(arguments: argparse.Namespace, output: Output) -> None:
    """Cancel a submission that waits."""
    found = context.client_of(arguments).submission(arguments.id).cancel()
    output.result(found.info, found.title)


def add_ask(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ask`."""
    parser.add_argument("columns", nargs="*", metavar="COLUMN", help="to count by (one count)")
    parser.add_argument("--epsilon", required=True, metavar="E", help="the price, a decimal")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=A,B",
        help="the values that are counted; repeatable",
    )
    parser.add_argument("--out", metavar="F.csv", help="write the counts as a file")


def ask(arguments: argparse.Namespace, output: Output) -> None:
    """Ask a hidden table for noisy counts."""
    where = dict(_filter(text) for text in arguments.where)
    found = context.round_of(arguments).ask(arguments.columns, arguments.epsilon, where)
    columns, rows = found.cells()
    if arguments.out is not None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([columns, *rows])
        places.write(Path(arguments.out), text.getvalue().encode())
    output.result(found, f"{found.title}\n\n{printed(columns, rows)}")


def _filter(text: str) -> tuple[str, list[str]]:
    column, equals, values = text.partition("=")
    if not equals:
        raise FileError(f"--where: expected COLUMN=A,B — got {text!r}")
    return column, next(csv.reader([values]), [])
