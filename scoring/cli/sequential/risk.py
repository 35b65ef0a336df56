# SPDX-License-Identifier: Apache-2.0
"""`sequential risk`: how sure an attacker may be of each record's sensitive value."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.cli.sequential.command import MAX_SAMPLES
from scoring.cli.sequential.files import (
    read_release_files,
    read_schema_file,
    read_tables,
    write_folder,
)
from scoring.extras import check_pictures
from scoring.formats.sequential.checking import check_number
from scoring.formats.sequential.files import read_each
from scoring.formats.sequential.release_files import read_counterfeits
from scoring.formats.sequential.risk import (
    Definition,
    Risks,
    identification_risks,
    pinned_by,
    risks_over_time,
)
from scoring.formats.sequential.tables import Microdata, Release

_MOST_LISTED = 20
_MOST_WORLDS = 2**53  # what every reader of JSON takes for a number


def risk(arguments: Namespace, output: Output) -> None:
    definition = Definition(arguments.definition)
    _check_use(arguments, definition)
    if arguments.pictures is not None:
        check_pictures()
    microdata = read_tables(arguments, read_schema_file(arguments), output)
    check_number(len(microdata.snapshots), len(arguments.releases))
    releases = _releases(arguments, microdata, output)
    output.step("finding the risks")
    rng = np.random.default_rng(arguments.seed)
    if arguments.over_time:
        history = risks_over_time(
            microdata,
            releases,
            definition,
            rng=rng,
            n_samples=arguments.samples,
            progress=lambda i, n: output.step(f"finding the risks after release {i + 1} of {n}"),
        )
    else:
        found = identification_risks(
            microdata, releases, definition, rng=rng, n_samples=arguments.samples
        )
        history = [found]
    files = []
    if arguments.pictures is not None:
        drawn = _drawn(microdata, releases, history, arguments.over_time)
        write_folder(arguments.pictures, drawn)
        files = sorted(drawn)
    values = _values(microdata, history, arguments.over_time) | {"pictures": files}
    output.result(values, _text(microdata, history[-1], values))


def _check_use(arguments: Namespace, definition: Definition) -> None:
    if not 1 <= arguments.samples <= MAX_SAMPLES:
        raise UsageError(f"--samples: expected 1 to {MAX_SAMPLES}, got {arguments.samples}")
    if (definition is Definition.COUNTERFEIT_KNOWN) != (arguments.counterfeits is not None):
        needed = Definition.COUNTERFEIT_KNOWN.value
        raise UsageError(f"--counterfeits and --definition {needed} need each other")
    given = arguments.counterfeits or arguments.releases
    if len(given) != len(arguments.releases):
        expected = f"a file for each of {len(arguments.releases)} releases"
        raise UsageError(f"--counterfeits: expected {expected}, got {len(given)}")


def _releases(arguments: Namespace, microdata: Microdata, output: Output) -> list[Release]:
    releases = read_release_files(arguments.releases, microdata, output)
    if arguments.counterfeits is None:
        return releases
    counts = read_each(
        [read_file(path) for path in arguments.counterfeits],
        "C",
        lambda data, file, time: read_counterfeits(data, releases[time], file=file),
    )
    return [replace(r, counterfeits=c) for r, c in zip(releases, counts, strict=True)]


def _drawn(
    microdata: Microdata, releases: Sequence[Release], history: Sequence[Risks], over_time: bool
) -> dict[str, bytes]:
    """The pictures by the names of their files."""
    from scoring.formats.sequential import pictures

    label = f"risk, {history[-1].definition.value}"
    drawn = {"risks.svg": pictures.histogram(history[-1], labels=(label, "people"))}
    if over_time:
        drawn["risk-over-time.svg"] = pictures.over_time(history)
    columns = (0, min(1, len(microdata.attributes) - 1))
    for time in range(1, len(releases)):
        pair = releases[time - 1], releases[time]
        if pictures.may_be_drawn(*pair):
            names = (f"T*({time})", f"T*({time + 1})")
            drawn[f"regions-{time}-{time + 1}.svg"] = pictures.boxes(
                microdata.attributes, *pair, columns=columns, names=names
            )
    return {name: picture.svg().encode() for name, picture in drawn.items()}


def _values(microdata: Microdata, history: Sequence[Risks], over_time: bool) -> dict[str, Any]:
    """The result as JSON-able data."""
    found = history[-1]
    records: list[dict[str, Any]] = [
        {"id": id_, "risk": _number(value)}
        for id_, value in zip(microdata.ids, found.values.tolist(), strict=True)
    ]
    for record, is_sampled, low, high in zip(
        records, found.is_sampled, found.low.tolist(), found.high.tolist(), strict=True
    ):
        if is_sampled:
            record |= {"low": _number(low), "high": _number(high), "sampled": True}
    if over_time:
        lines = np.column_stack([risks.values for risks in history]).tolist()
        for record, line, pins in zip(records, lines, pinned_by(history), strict=True):
            record |= {"over_time": [_number(value) for value in line], "pinned_by": pins}
    logarithm = found.log10_worlds
    return {
        "definition": found.definition.value,
        "max": found.max,
        "mean": found.mean,
        "worlds": found.worlds if (found.worlds or 0) <= _MOST_WORLDS else None,
        "log10_worlds": None if logarithm is None else _number(logarithm),
        "n_sampled": int(found.is_sampled.sum()),
        "n_samples": found.n_samples,
        "risks": records,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(microdata: Microdata, found: Risks, values: dict[str, Any]) -> str:
    if found.max is None:
        return "no risk: no possible world or row was found that fits these tables and releases"
    lines = [f"largest risk {found.max:.4f}, mean {found.mean:.4f}"]
    if found.worlds is not None and found.worlds <= _MOST_WORLDS:
        lines.append(f"{found.worlds:,} possible worlds")
    elif found.log10_worlds is not None:
        lines.append(f"about 10^{found.log10_worlds:,.1f} possible worlds")
    if values["n_sampled"]:
        lines.append(
            f"{values['n_sampled']} of {len(microdata.ids)} risks are sampled from "
            f"{found.n_samples} possible worlds; their 95 % intervals are in brackets"
        )
    if n_none := int(np.isnan(found.values).sum()):
        lines.append(
            f"{n_none} of {len(microdata.ids)} have no risk: no possible world or row was found for them"
        )
    order = np.argsort(-np.nan_to_num(found.values, nan=-1), kind="stable")[:_MOST_LISTED]
    rows = [_row(values["risks"][i]) for i in order]
    head = tuple(dict.fromkeys(key for row in rows for key in row))
    table = [head, *(tuple(row.get(key, "") for key in head) for row in rows)]
    lines += ["", aligned(table, right=[1])]
    if len(microdata.ids) > len(rows):
        lines.append(f"… and {len(microdata.ids) - len(rows)} more with at most that risk")
    if values["pictures"]:
        lines += ["", f"pictures → {', '.join(values['pictures'])}"]
    return "\n".join(lines)


def _row(record: dict[str, Any]) -> dict[str, str]:
    """The line of one record."""
    value = record["risk"]
    cells = {"record": record["id"], "risk": "none" if value is None else f"{value:.4f}"}
    if record.get("low") is not None:
        cells["interval"] = f"[{record['low']:.4f}, {record['high']:.4f}]"
    if "pinned_by" in record:
        cells["pinned by"] = ", ".join(map(str, record["pinned_by"]))
    return cells
