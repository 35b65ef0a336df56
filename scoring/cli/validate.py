"""The command `validate`: read a submission, as it is read before it is scored."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.arguments import Parser, add_ruleset, add_schema, add_submission
from scoring.cli.output import Output


def add_arguments(command: Parser) -> None:
    add_ruleset(command, None)
    add_schema(command)
    add_submission(command)


def run(arguments: Namespace, output: Output) -> None:
    """Read the files; every problem is listed."""
    from scoring.cli.input import read_declared, read_original, read_ruleset, read_schema

    ruleset = None if arguments.ruleset is None else read_ruleset(arguments.ruleset)
    schema = read_schema(arguments, ruleset)
    original = read_original(arguments, schema, output)
    table, _ = read_declared(arguments, original, schema, output, ruleset)
    values = {
        "n_original": len(original),
        "n_anonymized": len(table),
        "problems": [],
        "n_problems": 0,
    }
    output.result(values, f"valid: {len(table)} records of {len(original)}, no problems")
