# SPDX-License-Identifier: Apache-2.0
"""The command `validate`: read a submission, as it is read before it is scored."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from scoring.cli.arguments import Parser, add_ruleset, add_schema, add_stage, add_submission
from scoring.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.rulesets import Ruleset
    from scoring.tables.equivalence import IntArray, Table
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema


def add_arguments(command: Parser) -> None:
    add_ruleset(command, None)
    add_schema(command)
    add_submission(command)
    add_stage(command)


def run(arguments: Namespace, output: Output) -> None:
    """Read the files; every problem is listed."""
    from scoring.cli.input import (
        read_declared,
        read_original,
        read_ruleset,
        read_schema,
        read_scored,
        read_scored_parts,
        stage_of,
    )

    ruleset = None if arguments.ruleset is None else read_ruleset(arguments.ruleset)
    schema = read_schema(arguments, ruleset)
    stage = None if ruleset is None else stage_of(arguments, ruleset)
    original = read_original(arguments, schema, output)
    table: Table
    if ruleset is None:
        table, _ = read_declared(arguments, original, schema, output)
    elif ruleset.data.parts:
        tables, rows = read_scored_parts(arguments, original, schema, output, ruleset)
        if ruleset.gates:
            _check_gates_of_parts(ruleset, schema, original, tables, rows, stage)
        table = next(iter(tables.values()))
    else:
        table, source = read_scored(arguments, original, schema, output, ruleset)
        if ruleset.gates:
            _check_gates(ruleset, schema, original, table, source, stage)
    values = {
        "n_original": len(original),
        "n_anonymized": len(table),
        "problems": [],
        "n_problems": 0,
    }
    output.result(values, f"valid: {len(table)} records of {len(original)}, no problems")


def _check_gates_of_parts(
    ruleset: Ruleset,
    schema: Schema,
    original: Records,
    tables: Mapping[str, Records],
    source: IntArray,
    stage: str | None,
) -> None:
    from scoring.errors import ProblemsFound
    from scoring.evaluate import prepared_parts, score_parts
    from scoring.rulesets.gates import outside

    bounded = [ruleset.measure(gate.measure) for gate in ruleset.gates]
    originals = prepared_parts(original, ruleset.data.columns_of_parts(schema), schema)
    how: dict[str, Any] = {"options": ruleset.options, "combine": ruleset.data.combine}
    values = score_parts(originals, tables, source, measures=bounded, **how)
    if problems := outside(ruleset, values, stage):
        raise ProblemsFound(problems)


def _check_gates(
    ruleset: Ruleset,
    schema: Schema,
    original: Table,
    table: Table,
    source: IntArray | None,
    stage: str | None,
) -> None:
    """Measure what has bounds.

    Raises
    ------
    ProblemsFound
        With every value that is out of them.
    """
    from scoring.errors import ProblemsFound
    from scoring.rulesets.gates import gated, outside
    from scoring.scores.comparison import Comparison

    comparison = Comparison.of(original, table, source, schema)
    if problems := outside(ruleset, gated(ruleset, comparison, ruleset.options), stage):
        raise ProblemsFound(problems)
