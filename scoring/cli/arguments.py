# SPDX-License-Identifier: Apache-2.0
"""The parser of a command, and the arguments that several commands have."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from scoring.catalogs import hint

OF_OPTIONS = 0.75
"""Similarity of two options, whose dashes are equal."""


class Parser(argparse.ArgumentParser):
    """A parser that names similar commands and options where one is unknown.

    Its help may end with a text that is only built when help is requested.
    """

    methods: Callable[[], str] | None = None
    _given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As always; what was typed is kept for errors."""
        self._given = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            known = [str(choice) for choice in action.choices or ()]
            raise argparse.ArgumentError(
                action, f"{error.message}{hint(str(value), known)}"
            ) from error

    def error(self, message: str) -> NoReturn:
        """Refuse what was typed, and name options like those that are unknown."""
        options = [name for action in self._reached() for name in action.option_strings]
        typed = [text.partition("=")[0] for text in self._given if text.startswith("--")]
        near = {name: hint(name, options, OF_OPTIONS) for name in typed if name not in options}
        super().error(
            message + "".join(f"; no {name}{text}" for name, text in near.items() if text)
        )

    def _reached(self) -> Iterator[argparse.Action]:
        """The arguments of this parser, and of the command that was typed."""
        for action in self._actions:
            yield action
            if isinstance(action, argparse._SubParsersAction):
                for name, inner in action.choices.items():
                    if name in self._given and isinstance(inner, Parser):
                        inner._given = self._given
                        yield from inner._reached()

    def format_help(self) -> str:
        if self.methods is not None:
            self.epilog = self.methods()
        return super().format_help()


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


def add_stage(command: Parser) -> None:
    """The stage whose gates are applied."""
    command.add_argument(
        "--stage", metavar="KEY", help="the stage of the ruleset whose bounds hold (those of all)"
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
    """The parts of a command: each with its name, a text, and its own arguments."""
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
        help="an option of the method, see below; repeatable",
    )


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


# argparse names the type in its message: "invalid integer of 0 or more value: '-1'".
_natural.__name__ = "integer of 0 or more"
