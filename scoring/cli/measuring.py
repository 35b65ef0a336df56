# SPDX-License-Identifier: Apache-2.0
"""The measures of a command, and their options."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoring.cli.output import UsageError
from scoring.errors import Problem, ProblemsFound, shorten
from scoring.scores.options import OPTIONAL_CHOICES, Options

if TYPE_CHECKING:
    from scoring.cli.arguments import Parser
    from scoring.rulesets import Ruleset
    from scoring.tables.schema import Schema


def add_measuring(command: Parser) -> None:
    """The measures, and the options that they have beyond those of every ruleset."""
    command.add_argument(
        "--measures", metavar="ID,ID…", help="the measures to compute, with commas between them"
    )
    command.add_argument(
        "--population-fraction",
        metavar="F",
        help="the share of the population that the table is: for zayatz, pitman, individual-max, "
        "individual-mean, suda-mean, suda-max",
    )
    command.add_argument(
        "--weight-column",
        metavar="NAME",
        help="the column with sampling weights: for individual-max and individual-mean",
    )
    command.add_argument(
        "--hierarchies",
        metavar="H.json",
        help="generalization hierarchies of sensitive categories: for t-closeness",
    )
    command.add_argument(
        "--closeness",
        choices=OPTIONAL_CHOICES["closeness"],
        help="the table that t-closeness compares classes with (anonymized)",
    )


def chosen_measures(names: str | None, ruleset: Ruleset | None = None) -> tuple[str, ...] | None:
    """The measures of `--measures`, of the library or of the ruleset; None where it is left out."""
    from scoring.registry import MEASURES

    if names is None:
        return None
    chosen = tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    own = () if ruleset is None else ruleset.measures
    if problems := MEASURES.unknown(name for name in chosen if name not in own):
        raise UsageError("--measures", problems)
    return chosen


def measure_options(arguments: Namespace, options: Options, schema: Schema) -> Options:
    """The options of a ruleset, but for those that the command names.

    Raises
    ------
    UsageError
        A number or a file that cannot be used.
    ProblemsFound
        Columns that the table does not have.
    """
    chosen: dict[str, Any] = {}
    if arguments.population_fraction is not None:
        chosen["population_fraction"] = _fraction(arguments.population_fraction)
    if arguments.weight_column is not None:
        chosen["weight_column"] = arguments.weight_column
    if arguments.hierarchies is not None:
        chosen["hierarchies"] = _hierarchies(arguments.hierarchies)
    if arguments.closeness is not None:
        chosen["closeness"] = arguments.closeness
    found = replace(options, **chosen)
    if problems := found.problems(schema):
        raise ProblemsFound(problems)
    return found


def _fraction(text: str) -> float:
    try:
        fraction = float(text)
    except ValueError:
        fraction = 0.0
    if not 0 < fraction <= 1:
        raise _wrong("--population-fraction", "a number above 0 and at most 1", text)
    return fraction


def _hierarchies(name: str) -> dict[str, Any]:
    from scoring.options import Option

    option = Option("hierarchies", "hierarchy", "", "")
    content = option.parse(name)
    if not isinstance(content, dict):
        raise _wrong("--hierarchies", option.expected, name)
    return content


def _wrong(option: str, expected: str, got: str) -> UsageError:
    params = {"method": "score", "option": option, "expected": expected, "got": shorten(got)}
    return UsageError(option, [Problem("option.wrong_value", params)])
