# SPDX-License-Identifier: Apache-2.0
"""The commands about local files: `download`, `validate`, `score` and `attack`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pwscup.client.cli import context
from pwscup.client.cli.output import Output
from pwscup.client.contests import NOT_FOUND, Contest
from pwscup.client.errors import Refused
from pwscup.client.kit import Kit, arguments_for


def add_download(parser: argparse.ArgumentParser) -> None:
    """The arguments of `download`."""
    parser.add_argument("--out", metavar="DIR", help="the folder (one called like the contest)")
    parser.add_argument("--overwrite", action="store_true", help="replace files of another content")


def download(arguments: argparse.Namespace, output: Output) -> None:
    """Download the files of a contest, and the published tables of its attack rounds."""
    own = context.kit_of(arguments)
    contest = context.contest_of(arguments)
    is_here = own is not None and own.contest == contest.slug
    folder = arguments.out or (str(own.folder) if own is not None and is_here else None)
    kit = contest.download(folder, overwrite=arguments.overwrite)
    targets = _targets(contest, kit, arguments.round)
    paths = [kit.folder / name for name in kit.files.values()] + targets
    values = {"folder": kit.folder, "files": kit.files, "targets": targets}
    output.result(values, "\n".join(str(path) for path in paths))


def _targets(contest: Contest, kit: Kit, key: str | None) -> list[Path]:
    """The published tables of the round that is named, or of all that have some."""
    rounds = [contest.round(key)] if key else list(contest.rounds)
    found: list[Path] = []
    for round in rounds:
        if round.line.has_targets:
            try:
                found += round.download_targets(kit.folder / f"targets-{round.key}")
            except Refused as refused:
                if refused.status != NOT_FOUND or key is not None:
                    raise
    return found


def add_table(parser: argparse.ArgumentParser) -> None:
    """The arguments of `validate` and `score`."""
    parser.add_argument("table", metavar="TABLE", help="the file that you would submit")
    parser.add_argument("rows", nargs="?", metavar="ROWS", help="its row numbers, if any")


def add_attack(parser: argparse.ArgumentParser) -> None:
    """The arguments of `attack`."""
    parser.add_argument("method", metavar="METHOD", help="python -m scoring attack -h lists them")
    parser.add_argument("table", metavar="TABLE", help="a published table, as downloaded")
    parser.add_argument("--out", required=True, metavar="FILE", help="the guess file to write")


def validate(arguments: argparse.Namespace, output: Output) -> int:
    """Check a file as the site does; without the site."""
    given = [arguments.table, *([arguments.rows] if arguments.rows else [])]
    return _scoring("validate", arguments, given)


def score(arguments: argparse.Namespace, output: Output) -> int:
    """Compute the values that the site will; without the site."""
    given = [arguments.table, *([arguments.rows] if arguments.rows else [])]
    return _scoring("score", arguments, given)


def attack(arguments: argparse.Namespace, output: Output) -> int:
    """Guess the originals of a published table; without the site."""
    return _scoring("attack", arguments, [arguments.method, arguments.table], arguments.out)


def _scoring(
    command: str, arguments: argparse.Namespace, given: list[str], out: str | None = None
) -> int:
    from scoring import kernels
    from scoring.cli.main import main

    kit = Kit.find(arguments.kit or ".")
    options = [*(["--out", out] if out else []), *arguments.more]
    if arguments.json:
        options.append("--json")
    kernels.needs_blas = False  # this process runs only the command
    return main(arguments_for(command, kit, given, options))
