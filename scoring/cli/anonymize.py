"""The commands that make tables: draw one, or anonymize one."""

from __future__ import annotations

from argparse import Namespace

import numpy as np

from scoring.anonymizers import anonymize
from scoring.anonymizers.back_mapping import BACK_MAPPING
from scoring.cli.input import (
    files_read,
    read_original,
    read_schema,
)
from scoring.cli.options import anonymizer_options
from scoring.cli.output import Output, UsageError, check_writable, write_files
from scoring.cli.seeds import secret_seed
from scoring.errors import ProblemsFound
from scoring.formats.lecture.release import positions_of
from scoring.tables.aligned import write_aligned
from scoring.tables.reading import (
    write_rows,
    write_table,
)


def generate(arguments: Namespace, output: Output) -> None:
    from scoring.datasets.households import HOUSEHOLDS_SCHEMA, MAX_RECORDS, households

    if not 1 <= arguments.records <= MAX_RECORDS:
        raise UsageError(f"--records: expected 1 to {MAX_RECORDS}, got {arguments.records}")
    check_writable(arguments.out, arguments.schema_out)
    output.step(f"drawing {arguments.records} records")
    table = households(
        arguments.records,
        seed=arguments.seed,
        progress=lambda done, total: output.step(f"drawing column {done} of {total}"),
    )
    output.step("writing")
    written = {arguments.out: write_table(table, HOUSEHOLDS_SCHEMA)}
    if arguments.schema_out:
        written[arguments.schema_out] = HOUSEHOLDS_SCHEMA.to_toml().encode()
    write_files(written)
    values = {"n_records": len(table), "out": arguments.out, "schema_out": arguments.schema_out}
    output.result(values, f"{len(table)} records → {', '.join(written)}")


def anonymize_table(arguments: Namespace, output: Output) -> None:
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
