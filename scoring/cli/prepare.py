# SPDX-License-Identifier: Apache-2.0
"""The command `prepare`: make a table of a raw file, by steps."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.cli.arguments import Parser
from scoring.cli.output import Output, UsageError, aligned, check_writable, read_file, write_files
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from scoring.tables.preparing import Report, Steps

_FILES = (".toml", ".json")


def add_arguments(command: Parser) -> None:
    command.add_argument(
        "raw", metavar="RAW", help="a text with separators in any usual encoding, or an .xlsx file"
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STEPS",
        help="a file of steps (.toml, .json), a key of reading (encoding, separator, sheet, header) such as "
        "encoding=cp932, or a step such as drop=name,email; may be repeated",
    )
    command.add_argument(
        "--propose",
        action="store_true",
        help="begin with the steps that the table seems to need: look at the result",
    )
    command.add_argument("-o", "--out", required=True, metavar="X.csv", help="the table to write")
    command.add_argument(
        "--steps-out",
        metavar="S.toml",
        help="the steps to write as well, with the seeds that were drawn: keep these secret",
    )


def steps() -> str:
    """Every step with its fields, for the end of the help."""
    from scoring.tables.preparing import STEPS

    lines = ["steps, with their fields in the order of --set STEP=FIELD:FIELD…"]
    for kind in STEPS.values():
        lines.append(f"  {kind.id} — {kind.doc}")
        for field in kind.fields:
            default = (
                "" if field.is_required or field.kind in ("texts", "columns") else field.default
            )
            usual = f" ({default})" if default != "" else ""
            lines.append(f"      {field.name}: {field.expected}{usual}")
    return "\n".join(lines)


def run(arguments: Namespace, output: Output) -> None:
    """Read the raw file, apply the steps, and write the table."""
    from scoring.tables.coded import csv_bytes
    from scoring.tables.preparing import Steps, applied
    from scoring.tables.raw_files import read_raw

    reads = {"RAW": arguments.raw} | {
        f"--set {text}": text for text in arguments.set if _is_file(text)
    }
    check_writable(arguments.out, arguments.steps_out, reads=reads)
    try:
        given = _given(arguments)
    except ProblemsFound as error:
        raise UsageError("steps", error.problems) from error
    output.step("reading the raw table")
    raw = read_raw(read_file(arguments.raw), given.reading)
    output.notes += raw.notes
    proposed = _proposed(raw.table) if arguments.propose else ()
    chosen = Steps(raw.reading, (*proposed, *given.steps)).seeded()
    output.step("applying the steps")
    table, reports = applied(raw.table, chosen.steps)
    output.step("writing")
    written = {arguments.out: csv_bytes(table)}
    if arguments.steps_out:
        written[arguments.steps_out] = chosen.to_toml().encode()
    elif chosen.to_dict() != chosen.unseeded().to_dict():
        output.note("a sample was drawn: --steps-out keeps its seed, with which it can be repeated")
    write_files(written)
    values = {
        "n_raw": len(raw.table),
        "n_records": len(table),
        "n_columns": len(table.columns),
        "steps": [_shown(report) for report in reports],
        "out": arguments.out,
        "steps_out": arguments.steps_out,
    }
    output.result(values, _text(len(raw.table), len(table), reports, list(written)))


def _is_file(text: str) -> bool:
    return "=" not in text and Path(text).suffix in _FILES


def _given(arguments: Namespace) -> Steps:
    """The steps of all `--set`, in their order."""
    from scoring.tables.preparing import Steps
    from scoring.tables.step_settings import add_settings

    steps = Steps()
    for text in arguments.set:
        if _is_file(text):
            content = read_file(text).decode("utf-8", "replace")
            is_json = Path(text).suffix == ".json"
            more = Steps.from_json(content) if is_json else Steps.from_toml(content)
            steps = Steps(more.reading, (*steps.steps, *more.steps))
        else:
            steps = add_settings(steps, [text])
    return steps


def _proposed(table: object) -> tuple[dict[str, object], ...]:
    from datetime import UTC, datetime

    import pandas as pd

    from scoring.tables.proposing import proposed_steps

    assert isinstance(table, pd.DataFrame)
    return tuple(proposed_steps(table, today=datetime.now(UTC).date()))


def _shown(report: Report) -> dict[str, object]:
    """A report without values of the table, and without the seed."""
    step = {key: value for key, value in report.step.items() if key != "seed"}
    return {
        "step": step,
        "changed": report.n,
        "unit": report.unit,
        "left": report.left,
        "n_records": report.n_records,
        "n_columns": report.n_columns,
    }


def _text(n_raw: int, n_records: int, reports: list[Report], written: list[str]) -> str:
    lines = [f"{n_raw} records → {n_records} records → {', '.join(written)}"]
    if reports:
        rows = [("step", "columns", "changed", "", "left", "records")]
        for report in reports:
            columns = report.step.get("columns") or [report.step.get("column", "")]
            names = ", ".join(columns)
            counts = str(report.n), report.unit, str(report.left), str(report.n_records)
            rows.append((report.step["do"], names[:40], *counts))
        lines += ["", aligned(rows, right=(2, 4, 5))]
    return "\n".join(lines)
