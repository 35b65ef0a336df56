"""The command `score`: the official values of a submission."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from scoring.cli.arguments import Parser, add_ruleset, add_schema, add_seed, add_submission
from scoring.cli.measuring import add_measuring, chosen_measures, measure_options
from scoring.cli.output import Output, UsageError, aligned, drawn_with
from scoring.scores.options import DECIMALS, TABLE_MEASURES, Options

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset
    from scoring.scores.prepared import Prepared
    from scoring.tables.schema import Schema


def add_arguments(command: Parser) -> None:
    add_ruleset(command, "pwscup2015")
    add_schema(command, "the ruleset's")
    add_submission(command)
    command.add_argument(
        "--table-columns",
        metavar="NAME,NAME…",
        help="compute table-L2 and table-spearman too, records counted by these columns "
        "(the ruleset's measures, and the columns that it names for them)",
    )
    add_measuring(command)
    add_seed(command, required=False)


def run(arguments: Namespace, output: Output) -> None:
    """Compute the official values and print them."""
    from scoring.cli.input import read_declared, read_ruleset, read_schema
    from scoring.evaluate import score
    from scoring.registry import MEASURES, drawing

    ruleset = read_ruleset(arguments.ruleset)
    schema = read_schema(arguments, ruleset)
    options, measures = _counted_by(arguments.table_columns, ruleset, schema)
    measures = chosen_measures(arguments.measures) or measures
    options = measure_options(arguments, options, schema)
    options = replace(options, seed=arguments.seed)
    prepared = _prepared(arguments, schema, output)
    table, source = read_declared(arguments, prepared, schema, output, ruleset)
    values = score(
        prepared,
        table,
        source,
        schema,
        options=options,
        measures=measures,
        progress=lambda id_: output.step(f"measuring {id_}, {MEASURES[id_].title.lower()}"),
    )
    text = _score_table(values)
    if drawn := drawing(measures):
        values["seed"] = arguments.seed
        text += drawn_with(arguments.seed, drawn)
    measure = ruleset.ranking.utility_measure
    if measure is not None and (loss := values.get(measure)) is not None:
        values["utility"] = utility = round(100 * (1 - loss), DECIMALS)
        text += f"\n\nutility {utility:.2f} = 100 · (1 − {measure})"
    output.result(values, text)


def _prepared(arguments: Namespace, schema: Schema, output: Output) -> Prepared:
    """The original, prepared; the table itself is freed before the submission is read."""
    from scoring.cli.input import read_original
    from scoring.scores.prepared import Prepared

    original = read_original(arguments, schema, output)
    output.step("preparing the original")
    return Prepared.of(original, schema)


def _counted_by(
    names: str | None, ruleset: Ruleset, schema: Schema
) -> tuple[Options, tuple[str, ...]]:
    """The options and measures of a score: the ruleset's, but for columns that the command chooses."""
    if names is None:
        return ruleset.options, ruleset.measures
    columns = tuple(name.strip() for name in names.split(","))
    known = schema.public().names
    if not set(columns) <= set(known) or len(set(columns)) < len(columns):
        expected = f"different columns out of {', '.join(known)}"
        raise UsageError(f"--table-columns: expected {expected}, got {names}")
    options = replace(ruleset.options, table_columns=columns)
    return options, tuple(dict.fromkeys((*ruleset.measures, *TABLE_MEASURES)))


def _score_table(values: dict[str, float | int | None]) -> str:
    from scoring.registry import MEASURES

    head = ("", "measure", "value", "better", "meaning")
    measured = [
        (id_, MEASURES[id_].name, _number(value), MEASURES[id_].direction, MEASURES[id_].title)
        for id_, value in values.items()
        if id_ in MEASURES
    ]
    counts = f"{values['n_anonymized']} anonymized records of {values['n_original']}"
    return f"{counts}\n\n{aligned([head, *measured], right=[2])}"


def _number(value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:,.6f}"
