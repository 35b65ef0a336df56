# SPDX-License-Identifier: Apache-2.0
"""The command `rank`: the board of a contest, or of a season."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.arguments import Parser, add_ruleset
from scoring.cli.output import Output


def add_arguments(command: Parser) -> None:
    command.add_argument("--formula", metavar="NAME", help="one of those below")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the formula, see below; repeatable",
    )
    _add_files(command, "--matrix", "M.csv", "attacker,TEAM,TEAM… and rates, 0 to 100")
    _add_files(command, "--utility", "U.csv", "team,utility, 0 to 100")
    _add_files(command, "--presentation", "P.csv", "team,presentation, 0 to 100")
    _add_files(command, "--loss", "L.csv", "team,loss, 0 or more")
    _add_files(
        command, "--repeats", "L.csv", "team,repeats: how many attackers found the same record"
    )
    _add_files(command, "--guesses", "N.csv", "attacker,TEAM,TEAM… and records that attacks name")
    _add_files(
        command, "--baseline", "NAME", "attackers that count for the worst rate and are not ranked"
    )
    _add_files(command, "--lost", "TEAM", "teams whose tables count as if all records were found")
    command.add_argument(
        "--weights",
        metavar="W:W…",
        help="the weights of several matrices in the season, as in 1:9 or 1,9",
    )
    _add_files(
        command,
        "--totals",
        "T.csv",
        "team,KEY,KEY…: published totals of earlier seasons; their weights come first",
    )
    add_ruleset(command, None)
    _add_files(
        command,
        "--board",
        "B.csv",
        "team and its measures, as the anonymization board is downloaded",
    )
    _add_files(command, "--rates", "R.csv", "the attack matrix as it is downloaded, rates 0 to 1")
    command.add_argument(
        "--attackers",
        choices=("mean", "median", "trimmed"),
        help="how an attacker's rates are combined: mean, median, or trimmed by a quarter on both sides (mean)",
    )
    command.add_argument(
        "--tie-break",
        nargs="+",
        action="extend",
        default=[],
        metavar="PART",
        help="tie-breakers of equal totals, in order: utility, protection, attack, presentation, lowest-rates",
    )
    command.add_argument(
        "--intervals", action="store_true", help="intervals of totals and ranks, with --answers"
    )
    command.add_argument(
        "--answers",
        type=int,
        metavar="N",
        help="the records, or answers, that every rate is a share of",
    )


def _add_files(command: Parser, option: str, metavar: str, text: str) -> None:
    command.add_argument(option, nargs="+", action="extend", metavar=metavar, help=text)


def methods() -> str:
    """Every formula with its settings, for the end of the help."""
    from scoring.cli.rank_boards import listed

    return listed()


def run(arguments: Namespace, output: Output) -> None:
    """Read the files, rank the teams and print the board."""
    from scoring.cli.rank_boards import rank

    rank(arguments, output)
