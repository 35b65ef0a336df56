# SPDX-License-Identifier: Apache-2.0
"""The command `score`: the official values of a submission."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoring.cli.arguments import (
    Parser,
    add_control,
    add_ruleset,
    add_schema,
    add_seed,
    add_stage,
    add_submission,
)
from scoring.cli.measuring import add_measuring, chosen_measures, measure_options
from scoring.cli.output import Output, UsageError, aligned, drawn_with, read_file
from scoring.scores.options import DECIMALS, TABLE_MEASURES, Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.registry import Measure
    from scoring.rulesets import Ruleset
    from scoring.scores.prepared import Prepared
    from scoring.tables.equivalence import IntArray
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema


def add_arguments(command: Parser) -> None:
    add_ruleset(command, "pwscup2015")
    add_schema(command, "the ruleset's")
    add_submission(command)
    add_stage(command)
    command.add_argument(
        "--table-columns",
        metavar="NAME,NAME…",
        help="compute table-L2 and table-spearman too, records counted by these columns "
        "(the ruleset's measures, and the columns that it names for them)",
    )
    command.add_argument(
        "--model",
        metavar="FILE",
        help="the model that is submitted with the table; without it measures that read one have no value",
    )
    add_control(command, "for measures that compare with strangers or test a model on them: ")
    command.add_argument(
        "--programs",
        metavar="FILE",
        help="a TOML file with the program that the ruleset names; without it the program's values are left out",
    )
    add_measuring(command)
    add_seed(command, required=False)


def run(arguments: Namespace, output: Output) -> int:
    """Compute the official values and print them; a table outside of a gate is rejected."""
    from scoring.cli.input import (
        read_ruleset,
        read_schema,
        read_scored,
        read_scored_parts,
        stage_of,
    )
    from scoring.evaluate import prepared_parts, score, score_parts
    from scoring.measures.analyses.names import MODEL
    from scoring.registry import drawing
    from scoring.rulesets.gates import outside

    ruleset = read_ruleset(arguments.ruleset)
    schema = read_schema(arguments, ruleset)
    options, measures = _counted_by(arguments.table_columns, ruleset, schema)
    measures = chosen_measures(arguments.measures, ruleset) or measures
    options = measure_options(arguments, options, schema)
    options = replace(options, seed=arguments.seed)
    prepared = _prepared(arguments, schema, output)
    has_program = ruleset.program is not None and arguments.programs
    chosen = list(map(ruleset.measure, measures))
    chosen = [measure for measure in chosen if has_program or not measure.is_from_program]
    titles = {measure.id: measure.title for measure in chosen}
    how: dict[str, Any] = {
        "options": options,
        "measures": chosen,
        "progress": lambda id_: output.step(f"measuring {id_}, {titles[id_].lower()}"),
    }
    if ruleset.data.parts:
        tables, rows = read_scored_parts(arguments, prepared, schema, output, ruleset)
        columns = ruleset.data.columns_of_parts(schema)
        originals = prepared_parts(prepared.original, columns, schema)
        values = score_parts(originals, tables, rows, combine=ruleset.data.combine, **how)
    else:
        table, source = read_scored(arguments, prepared, schema, output, ruleset)
        files = {MODEL: read_file(arguments.model)} if arguments.model else None
        if has_program:
            how["given"] = _programmed(arguments.programs, ruleset, prepared, table, source, output)
        values = score(prepared, table, source, schema, files=files, **how)
    text = _score_table(values, chosen, [part.key for part in ruleset.data.parts])
    if drawn := drawing(chosen):
        values["seed"] = arguments.seed
        text += drawn_with(arguments.seed, drawn)
    if (utility := ruleset.ranking.utility_in(values)) is not None:
        values["utility"] = utility = round(utility, DECIMALS)
        text += f"\n\nutility {utility:.2f} = {ruleset.ranking.utility_formula}"
    problems = [] if arguments.measures else outside(ruleset, values, stage_of(arguments, ruleset))
    result: dict[str, Any] = dict(values)
    if problems:
        result["problems"] = [problem.to_dict() for problem in problems]
        text += "\n\n" + "\n".join(map(str, problems))
    output.result(result, text)
    return int(bool(problems))  # the exit status of a table that is rejected


def _programmed(
    path: str,
    ruleset: Ruleset,
    prepared: Prepared,
    table: Records,
    source: IntArray | None,
    output: Output,
) -> dict[str, float | int | None]:
    """The values of the ruleset's program, with the files that the platform gives it."""
    from scoring.cli.input import read_text
    from scoring.evaluate import program_files
    from scoring.sandbox.programs import ProgramError, read_programs, scored

    spec = ruleset.program
    assert spec is not None
    found = read_programs(read_text(path), file=path)
    if spec.name not in found:
        known = ", ".join(found) or "none"
        raise UsageError(f"--programs: expected a program {spec.name}, got {known}")
    output.step(f"running the program {spec.name}")
    files = program_files(prepared, table, source)
    try:
        values = scored(
            found[spec.name],
            spec.bounds,
            spec.messages,
            submitted=files.submitted,
            reference=files.reference,
        )
    except ProgramError as error:
        raise UsageError(f"--programs: {error}") from error
    return {id_: round(value, DECIMALS) for id_, value in values.items()}


def _prepared(arguments: Namespace, schema: Schema, output: Output) -> Prepared:
    """The original, prepared; the table itself is freed before the submission is read."""
    from scoring.cli.input import read_control, read_original
    from scoring.scores.prepared import Prepared

    original = read_original(arguments, schema, output)
    output.step("preparing the original")
    control = read_control(arguments, schema, output).to_frame() if arguments.control else None
    return Prepared.of(original, schema, control=control)


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


def _score_table(
    values: dict[str, float | int | None], measures: Sequence[Measure], parts: Sequence[str] = ()
) -> str:
    head = ("", "measure", "value", "better", "meaning")
    measured = []
    for m in measures:
        measured.append((m.id, m.name, _number(values[m.id]), m.direction, m.title))
        each = [(part, f"{m.id}.{part}") for part in parts]
        measured += [("", "", _number(values[k]), "", part) for part, k in each if k in values]
    counts = f"{values['n_anonymized']} anonymized records of {values['n_original']}"
    return f"{counts}\n\n{aligned([head, *measured], right=[2])}"


def _number(value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:,.6f}"
