# SPDX-License-Identifier: Apache-2.0
"""The command `audit`: every attacker and every measure on one table, and a report."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from scoring import __version__
from scoring.cli.arguments import Parser, add_control, add_schema, add_seed, add_submission
from scoring.cli.measuring import add_measuring, chosen_measures, measure_options
from scoring.cli.output import Output, UsageError, aligned, check_writable, read_file, write_files
from scoring.extras import check_pictures

if TYPE_CHECKING:
    from scoring.audits.audit import Audit


def add_arguments(command: Parser) -> None:
    add_schema(command)
    add_submission(command)
    add_control(command)
    command.add_argument(
        "--attacks", metavar="ID,ID…", help="attackers to run, with commas between them (all)"
    )
    add_measuring(command)
    add_seed(command, required=False)
    command.add_argument("--report", metavar="A.html", help="the report to write as well")


def run(arguments: Namespace, output: Output) -> None:
    """Attack and measure the table, and write the report where it is wanted."""
    import numpy as np

    from scoring.audits.audit import audit
    from scoring.audits.report import report
    from scoring.audits.summary import summary
    from scoring.cli.input import (
        files_read,
        read_control,
        read_declared,
        read_original,
        read_schema,
    )
    from scoring.scores.controls import ControlError
    from scoring.scores.options import Options

    if arguments.report is not None:
        check_pictures()
    check_writable(arguments.report, reads=files_read(arguments))
    attacks = _attacks(arguments.attacks)
    schema = read_schema(arguments)
    measures = chosen_measures(arguments.measures)
    options = measure_options(arguments, Options(), schema)
    original = read_original(arguments, schema, output)
    table, source = read_declared(arguments, original, schema, output)
    control = None
    if arguments.control is not None:
        control = read_control(arguments, schema, output).to_frame()
    try:
        found = audit(
            original.to_frame(),
            table.to_frame(),
            source,
            schema,
            rng=np.random.default_rng(arguments.seed),
            control=control,
            attacks=attacks,
            measures=measures,
            options=options,
            progress=lambda i, n, name: output.step(f"{name}, step {i + 1} of {n}"),
        )
    except ControlError as error:
        raise UsageError(f"--{error}") from error
    if arguments.report is not None:
        output.step("writing the report")
        write_files({arguments.report: report(found, _facts(arguments)).encode()})
    values = summary(found) | {"report": arguments.report}
    output.result(values, _text(found, arguments.report))


def _attacks(names: str | None) -> list[str] | None:
    from scoring import plugins
    from scoring.registry import ATTACKS

    plugins.load()
    if names is None:
        return None
    chosen = list(dict.fromkeys(name.strip() for name in names.split(",")))
    if problems := ATTACKS.unknown(chosen):
        raise UsageError("--attacks", problems)
    return chosen


def _facts(arguments: Namespace) -> dict[str, str]:
    """The provenance shown in the report: files by name and digest, version, seed."""
    files = {
        "original": arguments.original,
        "anonymized": arguments.anonymized,
        "rows": arguments.rows,
        "control": arguments.control,
    }
    facts = {
        name: f"{Path(path).name}, SHA-256 {hashlib.sha256(read_file(path)).hexdigest()}"
        for name, path in files.items()
        if path is not None
    }
    return facts | {"scoring": __version__, "seed": str(arguments.seed)}


def _text(found: Audit, path: str | None) -> str:
    from scoring.audits.numbers import percent
    from scoring.audits.report import verdict
    from scoring.audits.single import sentences

    head = ("attack", "rate", "found", "interval", "what it searches")
    rows = [
        (
            finding.attack.id,
            percent(finding.rate),
            f"{finding.found.hits:,}",
            f"{percent(finding.found.low)} – {percent(finding.found.high)}",
            finding.attack.title,
        )
        for finding in found.findings
    ]
    compared = [
        f"{name}: {percent(d.risk.value)} above non-members "
        f"({percent(d.main.value)} against {percent(d.control.value)})"
        + ("" if d.is_above_control else ", not significantly above")
        for name, d in found.disclosures.items()
    ]
    if found.membership is not None:
        area = found.membership.area
        rates = ", ".join(
            f"{percent(share.value)} found at {rate:.1%} false alarms"
            for rate, share in found.membership.at_false_positives.items()
        )
        compared.append(
            f"membership: AUC {area.value:.3f} ({area.low:.3f} – {area.high:.3f}), {rates}"
        )
    others = "".join(f"\n{line}" for line in ["", *compared]) if compared else ""
    where = "" if path is None else f"\n\nreport → {path}"
    by_column = "".join(f"\n{words}" for words in sentences(found.columns, percent))
    return f"{verdict(found)}{by_column}\n\n{aligned([head, *rows], right=[1, 2])}{others}{where}"
