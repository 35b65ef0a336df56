# SPDX-License-Identifier: Apache-2.0
"""The command `anonymize`: one method, or several in a row."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.arguments import Parser, add_original, add_schema, add_secret_seed, add_set
from scoring.cli.output import Output, UsageError, check_writable, write_files
from scoring.cli.seeds import secret_seed
from scoring.errors import ProblemsFound


def add_arguments(command: Parser) -> None:
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


def methods() -> str:
    """Every anonymizer with its options, for the end of the help."""
    from scoring.cli.methods import anonymizers

    return anonymizers()


def run(arguments: Namespace, output: Output) -> None:
    """Anonymize the original and write the table with its row numbers."""
    import numpy as np

    from scoring.anonymizers import anonymize
    from scoring.anonymizers.back_mapping import BACK_MAPPING
    from scoring.cli.input import files_read, read_original, read_schema
    from scoring.cli.options import anonymizer_options
    from scoring.formats.lecture.release import positions_of
    from scoring.tables.aligned import write_aligned
    from scoring.tables.number_lists import write_rows
    from scoring.tables.writing import write_table

    steps = anonymizer_options(arguments.methods, arguments.set)
    if arguments.aligned and arguments.rows is not None:
        raise UsageError("--rows: an aligned table needs no row numbers")
    if not arguments.aligned and arguments.rows is None:
        raise UsageError("--rows is needed, unless the table is --aligned")
    check_writable(arguments.out, arguments.rows, reads=files_read(arguments, but=["rows"]))
    if arguments.aligned:  # a lecture contest takes values of the original only
        steps.append((BACK_MAPPING.id, {}))
    schema = read_schema(arguments)
    original = read_original(arguments, schema, output).to_frame()
    seed = secret_seed(arguments, output)
    try:
        done = anonymize(
            original,
            schema,
            steps,
            rng=np.random.default_rng(seed),
            progress=lambda i, n, method: output.step(f"{method}, step {i + 1} of {n}"),
        )
    except ProblemsFound as error:  # an option does not fit the table
        raise UsageError("options", error.problems) from error
    for warning in done.warnings:
        output.note(f"warning: {warning}")
    output.step("writing")
    if arguments.aligned:
        positions = positions_of(done.source, len(original))
        files = {arguments.out: write_aligned(done.table, positions, schema)}
    else:
        files = {
            arguments.out: write_table(done.table, schema),
            arguments.rows: write_rows(done.source),
        }
    write_files(files)
    values = {
        "methods": [{"method": method, "options": options} for method, options in steps],
        "n_original": len(original),
        "n_anonymized": len(done.table),
        "out": arguments.out,
        "rows": arguments.rows,
    }
    output.result(values, f"{len(done.table)} of {len(original)} records → {', '.join(files)}")
