"""The arguments of each command: names, defaults and help, without a numerical library."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

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
    add_secret_seed(command)
    add_set(command)
    command.add_argument("--out", required=True, metavar="Y.csv", help="the table to write")
    command.add_argument(
        "--rows", metavar="R.csv", help="the row file to write; needed, unless --aligned"
    )
    command.add_argument(
        "--aligned",
        action="store_true",
        help="write the table of a lecture contest: in the original's order, deleted records as "
        "empty lines, values mapped back to those of the original",
    )


def validate(command: Parser) -> None:
    add_ruleset(command, None)
    add_schema(command)
    add_submission(command)


def score(command: Parser) -> None:
    add_ruleset(command, "pwscup2015")
    add_schema(command, "the ruleset's")
    add_submission(command)
    command.add_argument(
        "--table-columns",
        metavar="NAME,NAME…",
        help="compute table-L2 and table-spearman too, records counted by these columns "
        "(the ruleset's measures, and the columns that it names for them)",
    )
    add_seed(command, required=False)


def attack(command: Parser) -> None:
    command.add_argument("method", metavar="METHOD", help="one of those below")
    add_schema(command)
    known = command.add_mutually_exclusive_group(required=True)
    known.add_argument("--original", metavar="X.csv", help="the original table")
    known.add_argument(
        "--candidates", metavar="C.csv", help="or the candidate table of a lecture contest"
    )
    attacked = command.add_mutually_exclusive_group(required=True)
    attacked.add_argument("--anonymized", metavar="Y.csv", help="the anonymized table")
    attacked.add_argument(
        "--table", metavar="T.csv", help="or the release to find among the candidates"
    )
    add_seed(command, required=False)
    add_set(command)
    add_control(command, "membership: ")
    command.add_argument("--out", metavar="G.csv", help="the guess file to write")


def mark(command: Parser) -> None:
    truth = command.add_mutually_exclusive_group(required=True)
    truth.add_argument("--rows", metavar="R.csv", help="the declared row numbers")
    truth.add_argument(
        "--key", metavar="K.csv", help="or the key of a lecture contest's release: candidate lines"
    )
    command.add_argument("--guess", required=True, metavar="G.csv", help="what was guessed")
    command.add_argument(
        "--original", metavar="X.csv", help="the original table, to check row numbers against"
    )
    command.add_argument(
        "--candidates", metavar="C.csv", help="the candidate table, to check a key's lines against"
    )


def lecture_split(command: Parser) -> None:
    command.add_argument(
        "--table", required=True, metavar="T.csv", help="the table to draw everybody's records from"
    )
    add_schema(command)
    command.add_argument(
        "--teams", type=int, required=True, metavar="N", help="how many teams, up to 1,000"
    )
    command.add_argument(
        "--sample", type=int, default=100, metavar="N", help="records of each team (100)"
    )
    command.add_argument(
        "--decoys", type=int, default=100, metavar="N", help="further candidates of each (100)"
    )
    add_secret_seed(command)
    command.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )


def lecture_release(command: Parser) -> None:
    command.set_defaults(rows=None)  # an aligned table needs none
    add_ruleset(command, "pets-lecture")
    add_schema(command)
    add_original(command)
    add_anonymized(command)
    command.add_argument("--key", required=True, metavar="K.csv", help="the key of lecture-split")
    command.add_argument("--team", required=True, metavar="NAME", help="whose table it is")
    add_secret_seed(command)
    command.add_argument(
        "--out", required=True, metavar="T.csv", help="the release to write: for attackers"
    )
    command.add_argument(
        "--key-out", required=True, metavar="L.csv", help="its key to write: for the marker"
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
    command.add_argument("--formula", metavar="NAME", help="one of those below")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the formula, see below; may be repeated",
    )
    _add_files(command, "--matrix", "M.csv", "attacker,TEAM,TEAM… and rates, 0 to 100")
    _add_files(command, "--utility", "U.csv", "team,utility, 0 to 100")
    _add_files(command, "--presentation", "P.csv", "team,presentation, 0 to 100")
    command.add_argument(
        "--weights",
        metavar="W:W…",
        help="what each of several matrices weighs in the season, as in 1:9 or 1,9",
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
        help="how an attacker's rates become one: mean, median, or trimmed by a quarter on both sides (mean)",
    )
    command.add_argument(
        "--tie-break",
        nargs="+",
        action="extend",
        default=[],
        metavar="PART",
        help="what parts equal totals, in order: utility, protection, attack, presentation",
    )


def _add_files(command: Parser, option: str, metavar: str, text: str) -> None:
    command.add_argument(option, nargs="+", action="extend", metavar=metavar, help=text)


def add_ruleset(command: Parser, default: str | None) -> None:
    text = "a ruleset of the library or a TOML file" + (f" ({default})" if default else "")
    command.add_argument("--ruleset", default=default, metavar="NAME", help=text)


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


def add_secret_seed(command: Parser) -> None:
    """The seed of what is published: anyone who finds it undoes what was drawn."""
    text = "seed of all randomness, to be kept secret (128 bits of the operating system)"
    command.add_argument("--seed", type=_natural, metavar="N", help=text)
    _add_reproducible(command)


def add_experiment_seed(command: Parser) -> None:
    """The seed of what is drawn from secure randomness unless it is an experiment."""
    text = "only for experiments: what is drawn repeats (the operating system's randomness)"
    command.add_argument("--seed", type=_natural, metavar="N", help=text)
    _add_reproducible(command)


def _add_reproducible(command: Parser) -> None:
    text = "others may recompute what is drawn: no warning of a small seed"
    command.add_argument("--reproducible", action="store_true", help=text)


def add_parts(command: Parser, parts: Iterable[tuple[str, str, Callable[[Parser], None]]]) -> None:
    """The things that a command does: each its name, a text about it, and its own arguments."""
    adding = command.add_subparsers(dest="part", required=True, metavar="PART")
    for name, text, arguments in parts:
        part = adding.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            allow_abbrev=False,
        )
        # Both are options of the command, too: what is not named here must not be taken back.
        part.add_argument(
            "--json",
            action="store_true",
            default=argparse.SUPPRESS,
            help="print the result as JSON",
        )
        part.add_argument(
            "--progress",
            action="store_true",
            default=argparse.SUPPRESS,
            help="show progress on standard error (on a terminal it is always shown)",
        )
        arguments(part)


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
