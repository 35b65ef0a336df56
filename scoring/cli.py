"""The command line: the same code as the server, for everybody to run at home.

This module only describes the commands; the numerical libraries are loaded when one of them runs,
so that help and mistakes are answered at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from scoring import __version__
from scoring.cli_output import Output, UsageError
from scoring.errors import ProblemsFound

Parser = argparse.ArgumentParser
Commands = argparse._SubParsersAction  # argparse has no public name for it

DATASETS = ("households",)
ANONYMIZER_IDS = (
    "sa-noise",
    "qi-unification",
    "class-average",
    "class-swap",
    "record-deletion",
    "yamaoka",
    "mondrian",
)
ATTACK_IDS = ("E1", "E2", "E3", "E4", "EUC1", "EUC2", "E4-rank")

FINE, REJECTED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

_DESCRIPTION = (
    "Anonymize tables, attack them, and measure both: the official scores of the contest."
)
_EPILOG = """\
a contest in six commands:
  python -m scoring generate households --records 8333 --seed 1 --out X.csv --schema-out S.toml
  python -m scoring anonymize mondrian class-average --schema S.toml --original X.csv --seed 1 \\
      --set k=5 --out Y.csv --rows R.csv
  python -m scoring validate --schema S.toml --original X.csv --anonymized Y.csv --rows R.csv
  python -m scoring score --original X.csv --anonymized Y.csv --rows R.csv
  python -m scoring attack EUC2 --schema S.toml --original X.csv --anonymized Y.csv --seed 1 \\
      --out G.csv
  python -m scoring mark --rows R.csv --guess G.csv

exit status: 0 fine, 1 a file was rejected (every problem is listed), 2 wrong use
"""
_ANONYMIZE_EPILOG = """\
methods and options (several methods are applied one after the other):
  sa-noise         scale=0.1       noise, as a multiple of each column's standard deviation
                   zeros=keep      or perturb: whether zeros get noise too
  qi-unification   columns=a,b     default: all quasi-identifiers outside the cross columns
                   value=v         default: each column's most frequent value
  class-average                    means within the records of equal quasi-identifiers
  class-swap                       each sensitive column shuffled within them
  record-deletion  fraction=0.1    share of the records to delete
                   count=n         or their number
  yamaoka          spread=10       similar records that exchange their row numbers, 0: all
  mondrian         k=3             smallest equivalence class

--set k=5 is for every method that has the option k, --set mondrian.k=5 for one.
"""
_ATTACK_EPILOG = """\
methods:
  E1       a random record among those with the same quasi-identifiers, by the seed
  E2       the nearest in one sensitive column among them, else in the whole table
  E3       equal rank of the sum of the sensitive columns
  E4       the nearest in one sensitive column
  EUC1     the nearest by Euclidean distance among those with the same quasi-identifiers
  EUC2     the same, else in the whole table
  E4-rank  equal rank in one sensitive column

Of equally good records the one with the lowest row number is guessed; 0 is no guess.
--set q=a,b looks at these quasi-identifiers only, --set s=c,d at these sensitive columns.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 fine, 1 rejected, 2 wrong use."""
    try:
        arguments = parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed help or the mistake
        return FINE if stop.code in (None, 0) else WRONG_USE
    output = Output(as_json=arguments.json, progress=arguments.progress, command=arguments.command)
    try:
        run: Callable[[argparse.Namespace, Output], None] = _command(arguments.command)
        run(arguments, output)
    except UsageError as error:
        output.wrong_use(error)
        return WRONG_USE
    except ProblemsFound as error:
        output.rejected(error)
        return REJECTED
    except KeyboardInterrupt:
        output.note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; what Python flushes at its end must not fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    return FINE


def _command(name: str) -> Callable[[argparse.Namespace, Output], None]:
    from scoring import cli_commands  # loads the numerical libraries

    return cli_commands.COMMANDS[name]


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
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_generate(commands)
    _add_anonymize(commands)
    _add_validate(commands)
    _add_score(commands)
    _add_attack(commands)
    _add_mark(commands)
    return top


def _add(commands: Commands[Parser], name: str, text: str, epilog: str = "") -> Parser:
    command = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.add_argument(
        "--progress",
        action="store_true",
        help="show progress on standard error (on a terminal it is always shown)",
    )
    return command


def _add_generate(commands: Commands[Parser]) -> None:
    command = _add(commands, "generate", "draw a table of pseudo microdata")
    command.add_argument("dataset", choices=DATASETS, help="what to draw: households")
    command.add_argument(
        "--records", type=int, default=8333, metavar="N", help="how many, up to 1,000,000 (8333)"
    )
    _seed(command, required=True)
    command.add_argument("--out", required=True, metavar="X.csv", help="the table to write")
    command.add_argument("--schema-out", metavar="S.toml", help="the schema to write as well")


def _add_anonymize(commands: Commands[Parser]) -> None:
    text = "anonymize a table by one method or several in a row"
    command = _add(commands, "anonymize", text, _ANONYMIZE_EPILOG)
    command.add_argument(
        "methods", nargs="+", metavar="METHOD", help=f"one or more of {', '.join(ANONYMIZER_IDS)}"
    )
    _schema(command)
    _original(command)
    _seed(command, required=True)
    _set(command)
    command.add_argument("--out", required=True, metavar="Y.csv", help="the table to write")
    command.add_argument("--rows", required=True, metavar="R.csv", help="the row file to write")


def _add_validate(commands: Commands[Parser]) -> None:
    text = "check a submission as the server does and list every problem"
    command = _add(commands, "validate", text)
    _schema(command)
    _submission(command)


def _add_score(commands: Commands[Parser]) -> None:
    command = _add(commands, "score", "compute the official utility and safety of a submission")
    command.add_argument(
        "--ruleset",
        default="pwscup2015",
        metavar="NAME",
        help="a ruleset of the library or a TOML file (pwscup2015)",
    )
    _schema(command, "the ruleset's")
    _submission(command)


def _add_attack(commands: Commands[Parser]) -> None:
    text = "guess which original record each anonymized record was made from"
    command = _add(commands, "attack", text, _ATTACK_EPILOG)
    command.add_argument("method", metavar="METHOD", help=f"one of {', '.join(ATTACK_IDS)}")
    _schema(command)
    _original(command)
    _anonymized(command)
    _seed(command, required=False)
    _set(command)
    command.add_argument("--out", required=True, metavar="G.csv", help="the guess file to write")


def _add_mark(commands: Commands[Parser]) -> None:
    command = _add(commands, "mark", "compare a guess file with the declared row numbers")
    command.add_argument("--rows", required=True, metavar="R.csv", help="the declared row numbers")
    command.add_argument("--guess", required=True, metavar="G.csv", help="the guessed row numbers")
    command.add_argument(
        "--original", metavar="X.csv", help="the original table, to check the numbers against"
    )


def _schema(command: Parser, default: str = "households") -> None:
    command.add_argument("--schema", metavar="S.toml", help=f"the table's columns ({default})")


def _original(command: Parser) -> None:
    command.add_argument("--original", required=True, metavar="X.csv", help="the original table")


def _anonymized(command: Parser) -> None:
    command.add_argument(
        "--anonymized", required=True, metavar="Y.csv", help="the anonymized table"
    )


def _submission(command: Parser) -> None:
    _original(command)
    _anonymized(command)
    command.add_argument(
        "--rows",
        metavar="R.csv",
        help="its row numbers (none where the table has a column source_row)",
    )


def _seed(command: Parser, *, required: bool) -> None:
    default = None if required else 1
    text = "seed of all randomness" + ("" if required else " (1)")
    command.add_argument(
        "--seed", type=_natural, required=required, default=default, metavar="N", help=text
    )


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


# argparse names the type in its message: "invalid integer of 0 or more value: '-1'".
_natural.__name__ = "integer of 0 or more"


def _set(command: Parser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the method, see below; may be repeated",
    )
