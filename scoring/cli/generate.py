# SPDX-License-Identifier: Apache-2.0
"""The command `generate`: draw a table of pseudo microdata."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.arguments import Parser, add_seed
from scoring.cli.output import Output, UsageError, check_writable, write_files

DATASETS = ("households", "census", "diabetes", "health", "profile", "ratings", "survival")
RAW_HOSPITAL = "raw-hospital"


def add_arguments(command: Parser) -> None:
    command.add_argument(
        "dataset",
        metavar="DATASET",
        help=f"what to draw: {', '.join(DATASETS)}, a format of a plugin that draws tables, or {RAW_HOSPITAL}: a raw "
        "export in CP932 without a schema, for `prepare`",
    )
    command.add_argument(
        "--records", type=int, default=8333, metavar="N", help="how many, up to 1,000,000 (8333)"
    )
    add_seed(command, required=True)
    command.add_argument("--out", required=True, metavar="X.csv", help="the table to write")
    command.add_argument("--schema-out", metavar="S.toml", help="the schema to write as well")


def run(arguments: Namespace, output: Output) -> None:
    """Draw the table and write it, its schema too where that is wanted."""
    if arguments.dataset == RAW_HOSPITAL:
        _write_raw(arguments, output)
        return
    from scoring import plugins
    from scoring.datasets import MAX_RECORDS
    from scoring.datasets.catalog import generated
    from scoring.errors import PluginError
    from scoring.rulesets.installed import generators
    from scoring.rulesets.loader import load_schema
    from scoring.tables.writing import write_table

    plugins.load()
    known = (*DATASETS, *generators(), RAW_HOSPITAL)
    if arguments.dataset not in known:
        raise UsageError(f"expected one of {', '.join(known)}, got {arguments.dataset}")
    if not 1 <= arguments.records <= MAX_RECORDS:
        raise UsageError(f"--records: expected 1 to {MAX_RECORDS}, got {arguments.records}")
    check_writable(arguments.out, arguments.schema_out)
    output.step(f"drawing {arguments.records} records")
    try:
        table = generated(
            arguments.dataset,
            arguments.records,
            seed=arguments.seed,
            progress=lambda done, total: output.step(f"drawing column {done} of {total}"),
        )
    except PluginError as error:
        raise UsageError(str(error)) from error
    output.step("writing")
    schema = load_schema(arguments.dataset)
    written = {arguments.out: write_table(table, schema)}
    if arguments.schema_out:
        written[arguments.schema_out] = schema.to_toml().encode()
    write_files(written)
    values = {"n_records": len(table), "out": arguments.out, "schema_out": arguments.schema_out}
    output.result(values, f"{len(table)} records → {', '.join(written)}")


def _write_raw(arguments: Namespace, output: Output) -> None:
    """Draw and write a table as an office exports it, which no schema fits."""
    from scoring.datasets.hospital import MAX_RECORDS
    from scoring.datasets.raw_hospital import raw_hospital

    if arguments.schema_out:
        raise UsageError(f"--schema-out: {RAW_HOSPITAL} has no schema; run `prepare` first")
    if not 1 <= arguments.records <= MAX_RECORDS:
        raise UsageError(f"--records: expected 1 to {MAX_RECORDS}, got {arguments.records}")
    check_writable(arguments.out)
    output.step(f"drawing {arguments.records} records")
    write_files({arguments.out: raw_hospital(arguments.records, seed=arguments.seed)})
    values = {"n_records": arguments.records, "out": arguments.out}
    output.result(values, f"{arguments.records} records → {arguments.out}")
