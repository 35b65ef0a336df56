# SPDX-License-Identifier: Apache-2.0
"""`sequential audit`: every definition of risk and every attacker on one series, and a report."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring import __version__
from scoring.audits.numbers import percent
from scoring.audits.series import audit_series
from scoring.audits.series_report import report
from scoring.audits.series_summary import summary
from scoring.audits.series_texts import (
    DEFINITIONS,
    above_told,
    how_found,
    not_found,
    remarks,
    verdict,
    worlds_told,
)
from scoring.cli.input import read_ruleset
from scoring.cli.output import Output, UsageError, aligned, check_writable, read_file, write_files
from scoring.cli.sequential.contest import spec_asked
from scoring.cli.sequential.files import (
    read_schema_file,
    read_tables,
    tables_read,
)
from scoring.extras import check_pictures
from scoring.formats.sequential.files import identifier_of
from scoring.formats.sequential.series_files import read_series
from scoring.formats.sequential.tables import Microdata


def audit(arguments: Namespace, output: Output) -> None:
    if arguments.out is not None:
        check_pictures()
    check_writable(arguments.out, reads=tables_read(arguments, **{"--series": arguments.series}))
    spec = spec_asked(arguments, read_ruleset(arguments.ruleset).sequential)
    schema = read_schema_file(arguments)
    original = read_tables(arguments, schema, output)
    columns = _columns(arguments.attributes, original)
    output.step("checking the series")
    data = read_file(arguments.series)
    series = read_series(
        data, original, identifier_of(schema), m=spec.m, require=spec.require, limits=spec.limits
    )
    found = audit_series(
        original,
        series,
        m=spec.m,
        definition=spec.definition,
        seed=arguments.seed,
        progress=lambda i, n, name: output.step(f"{name}, step {i + 1} of {n}"),
    )
    if arguments.out is not None:
        output.step("writing the report")
        page = report(found, _facts(arguments), columns=columns)
        write_files({arguments.out: page.encode()})
    values = summary(found)
    output.result(values | {"report": arguments.out}, _text(values, arguments.out))


def _columns(names: str | None, original: Microdata) -> tuple[int, int] | None:
    """The positions of the two attributes on the axes."""
    if names is None:
        return None
    known = [attribute.name for attribute in original.attributes]
    chosen = [name.strip() for name in names.split(",")]
    if len(chosen) != 2 or not set(chosen) <= set(known):
        raise UsageError(f"--attributes: expected two of {', '.join(known)}, got {names}")
    return known.index(chosen[0]), known.index(chosen[1])


def _facts(arguments: Namespace) -> dict[str, str]:
    """The provenance shown in the report: files by name and digest, rules, version, seed."""
    files = {f"T{n}": path for n, path in enumerate(arguments.tables, start=1)}
    if len(arguments.tables) == 1:
        files = {"tables": arguments.tables[0]}
    facts = {
        name: f"{Path(path).name}, SHA-256 {hashlib.sha256(read_file(path)).hexdigest()}"
        for name, path in (files | {"series": arguments.series}).items()
    }
    return facts | {
        "ruleset": Path(arguments.ruleset).name,
        "scoring": __version__,
        "seed": str(arguments.seed),
    }


def _text(values: Mapping[str, Any], path: str | None) -> str:
    head = ("definition", "largest", "mean", "above 1/m", "worlds", "how found")
    rows = [
        (
            DEFINITIONS[found["definition"]][0],
            percent(risks["max"] or 0.0),
            percent(risks["mean"] or 0.0),
            ", ".join(above_told(risks, str)),
            worlds_told(found["definition"], risks, str),
            how_found(risks, str),
        )
        for found in values["findings"]
        for risks in found["after"][-1:]
    ]
    lines = [verdict(values, str), *remarks(values, str), ""]
    lines.append(aligned([head, *rows], right=[1, 2]))
    lines += [f"{title}: {reason}" for title, reason in not_found(values, str)]
    if path is not None:
        lines += ["", f"report → {path}"]
    return "\n".join(lines)
