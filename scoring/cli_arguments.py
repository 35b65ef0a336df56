"""The arguments of each command: names, defaults and help, without a numerical library."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from scoring.demonstrations.catalog import DEMONSTRATIONS

DATASETS = ("households",)


class Parser(argparse.ArgumentParser):
    """A parser whose help may end with a text that is only built when somebody asks for it."""

    methods: Callable[[], str] | None = None

    def format_help(self) -> str:
        if self.methods is not None:
            self.epilog = self.methods()
        return super().format_help()


def generate(command: Parser) -> None:
    command.add_argument("dataset", choices=DATASETS, help="what to draw: households")
    command.add_argument(
        "--records", type=int, default=8333, metavar="N", help="how many, up to 1,000,000 (8333)"
    )
    add_seed(command, required=True)
    command.add_argument("--out", required=True, metavar="X.csv", help="the table to write")
    command.add_argument("--schema-out", metavar="S.toml", help="the schema to write as well")


def anonymize(command: Parser) -> None:
    command.add_argument("methods", nargs="+", metavar="METHOD", help="one or more of those below")
    add_schema(command)
    add_original(command)
    add_seed(command, required=True)
    add_set(command)
    command.add_argument("--out", required=True, metavar="Y.csv", help="the table to write")
    command.add_argument("--rows", required=True, metavar="R.csv", help="the row file to write")


def validate(command: Parser) -> None:
    add_schema(command)
    add_submission(command)


def score(command: Parser) -> None:
    command.add_argument(
        "--ruleset",
        default="pwscup2015",
        metavar="NAME",
        help="a ruleset of the library or a TOML file (pwscup2015)",
    )
    add_schema(command, "the ruleset's")
    add_submission(command)


def attack(command: Parser) -> None:
    command.add_argument("method", metavar="METHOD", help="one of those below")
    add_schema(command)
    add_original(command)
    add_anonymized(command)
    add_seed(command, required=False)
    add_set(command)
    add_control(command, "membership: ")
    command.add_argument("--out", metavar="G.csv", help="the guess file to write")


def mark(command: Parser) -> None:
    command.add_argument("--rows", required=True, metavar="R.csv", help="the declared row numbers")
    command.add_argument("--guess", required=True, metavar="G.csv", help="the guessed row numbers")
    command.add_argument(
        "--original", metavar="X.csv", help="the original table, to check the numbers against"
    )


def audit(command: Parser) -> None:
    add_schema(command)
    add_submission(command)
    add_control(command)
    command.add_argument(
        "--attacks", metavar="ID,ID…", help="attackers to run, with commas between them (all)"
    )
    add_seed(command, required=False)
    command.add_argument("--report", metavar="A.html", help="the report to write as well")


def demonstrate(command: Parser) -> None:
    command.add_argument(
        "name", choices=tuple(DEMONSTRATIONS), help=f"one of {', '.join(DEMONSTRATIONS)}"
    )
    add_seed(command, required=False)


def rank(command: Parser) -> None:
    command.add_argument("--formula", required=True, metavar="NAME", help="one of those below")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the formula, see below; may be repeated",
    )
    _add_files(command, "--matrix", "M.csv", "attacker,TEAM,TEAM… and rates, 0 to 100", needed=True)
    _add_files(command, "--utility", "U.csv", "team,utility, 0 to 100")
    _add_files(command, "--presentation", "P.csv", "team,presentation, 0 to 100")
    command.add_argument(
        "--weights",
        metavar="W:W…",
        help="what each of several matrices weighs in the season, as in 1:9 or 1,9",
    )
    command.add_argument(
        "--tie-break",
        nargs="+",
        action="extend",
        default=[],
        metavar="PART",
        help="what parts equal totals, in order: utility, protection, attack, presentation",
    )


def _add_files(
    command: Parser, option: str, metavar: str, text: str, *, needed: bool = False
) -> None:
    command.add_argument(
        option, nargs="+", action="extend", required=needed, metavar=metavar, help=text
    )


def add_schema(command: Parser, default: str = "households") -> None:
    command.add_argument("--schema", metavar="S.toml", help=f"the table's columns ({default})")


def add_original(command: Parser) -> None:
    command.add_argument("--original", required=True, metavar="X.csv", help="the original table")


def add_anonymized(command: Parser) -> None:
    command.add_argument(
        "--anonymized", required=True, metavar="Y.csv", help="the anonymized table"
    )


def add_submission(command: Parser) -> None:
    """An anonymized table with its original and its row numbers."""
    add_original(command)
    add_anonymized(command)
    command.add_argument(
        "--rows",
        metavar="R.csv",
        help="its row numbers (none where the table has a column source_row)",
    )


def add_control(command: Parser, whose: str = "") -> None:
    text = f"{whose}records of the same kind that the anonymized table was not made from"
    command.add_argument("--control", metavar="C.csv", help=text)


def add_seed(command: Parser, *, required: bool) -> None:
    default = None if required else 1
    text = "seed of all randomness" + ("" if required else " (1)")
    command.add_argument(
        "--seed", type=_natural, required=required, default=default, metavar="N", help=text
    )


def add_set(command: Parser) -> None:
    """Options of methods."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the method, see below; may be repeated",
    )


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


# argparse names the type in its message: "invalid integer of 0 or more value: '-1'".
_natural.__name__ = "integer of 0 or more"
