# SPDX-License-Identifier: Apache-2.0
"""The commands that read: `contests`, `status`, `board` and `open`."""

from __future__ import annotations

import argparse
import webbrowser

from pwscup.client.cli import context
from pwscup.client.cli.output import Output
from pwscup.client.rounds import Submission
from pwscup.client.shown import Listing, printed


def contests(arguments: argparse.Namespace, output: Output) -> None:
    """List the contests of the site."""
    found = context.client_of(arguments).contests()
    output.shown(found, list(found))


def add_status(parser: argparse.ArgumentParser) -> None:
    """The arguments of `status`."""
    parser.add_argument("id", nargs="?", metavar="ID", help="a submission (all of the contest)")
    parser.add_argument(
        "--watch", action="store_true", help="wait until the newest one is scored, and show it"
    )
    parser.add_argument(
        "--timeout", type=float, default=900.0, metavar="S", help="seconds to wait (900)"
    )


def status(arguments: argparse.Namespace, output: Output) -> None:
    """Show one submission, or all of the team."""
    if arguments.id is not None:
        found = context.client_of(arguments).submission(arguments.id)
        show(found, arguments, output, wait=arguments.watch)
        return
    contest = context.contest_of(arguments)
    rounds = [contest.round(arguments.round)] if arguments.round else list(contest.rounds)
    listed = [one for round in rounds for one in round.submissions()]
    if arguments.watch and listed:
        newest = max(listed, key=lambda one: one.info.arrived_at)
        show(newest, arguments, output, wait=True)
        return
    columns = ("round", "number", "target", "state", "arrived_at", "counts", "note", "id")
    found_all = Listing("submission", listed, columns)
    output.shown(found_all, [one.info for one in listed])


def show(found: Submission, arguments: argparse.Namespace, output: Output, *, wait: bool) -> None:
    """Print a submission, perhaps after its scoring; problems of its files end the command with status 1."""
    if wait:
        seen: list[str] = []

        def note(one: Submission) -> None:
            shown = one.title
            if shown not in seen and not one.info.is_final:
                seen.append(shown)
                output.note(shown)

        note(found)
        found.wait(arguments.timeout, note=note)
    else:
        found.checked()
    text = [found.title, found.page]
    columns, rows = found.cells()
    if rows:
        text += ["", printed(columns, rows)]
    text += [f"note: {one}" for one in found.info.notes]
    output.result({**_values(found), "page": found.page}, "\n".join(text))


def _values(found: Submission) -> dict[str, object]:
    return {name: getattr(found.info, name) for name in type(found.info).__dataclass_fields__}


def add_board(parser: argparse.ArgumentParser) -> None:
    """The arguments of `board`."""
    parser.add_argument("board", nargs="?", metavar="BOARD", help="its key (the main one)")
    parser.add_argument("--stage", default="", metavar="KEY", help="its stage (the newest)")
    parser.add_argument("--division", default="", metavar="KEY", help="its division (all teams)")


def board(arguments: argparse.Namespace, output: Output) -> None:
    """Show a board."""
    contest = context.contest_of(arguments)
    found = contest.board(arguments.board, stage=arguments.stage, division=arguments.division)
    output.shown(found)


def add_open(parser: argparse.ArgumentParser) -> None:
    """The arguments of `open`."""
    parser.add_argument(
        "--print", action="store_true", dest="only_print", help="print the address only"
    )


def open_page(arguments: argparse.Namespace, output: Output) -> None:
    """Open the page of a contest or a round in the browser; the address holds no token."""
    contest = context.contest_of(arguments)
    page = contest.round(arguments.round).page if arguments.round else contest.page
    if not arguments.only_print:
        webbrowser.open(page)
    output.result({"page": page}, page)
