# SPDX-License-Identifier: Apache-2.0
"""The figures as tables and as a plot."""

from __future__ import annotations

import io
from typing import Any

from benchmarks.cases import TITLES

Rows = list[dict[str, Any]]
_SERIES = {
    ("scoring", "13"): ("#4477aa", "scoring, 13 QI match"),
    ("scoring", "6"): ("#66ccee", "scoring, 6 QI match"),
    ("scoring", "none"): ("#228833", "scoring, nothing matches"),
    ("pandas + SciPy", "13"): ("#ee6677", "pandas + SciPy, 13 QI"),
    ("pandas + SciPy", "6"): ("#ccbb44", "pandas + SciPy, 6 QI"),
    ("pandas + SciPy", "none"): ("#aa3377", "pandas + SciPy, nothing matches"),
    ("plain Python", "13"): ("#bbbbbb", "plain Python, 13 QI"),
}


def tables(figures: dict[str, Any]) -> str:
    """Markdown: a table for each set of contenders, ratios against the first of them."""
    machine = figures["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in machine.items() if k not in ("cores", "load"))
    parts = [
        f"Processor time; of two threads, time on the clock. {machine['cores']} cores, "
        f"load {machine['load']:.1f} at the end; {versions}.",
        "",
    ]
    for name in ("whole", "EUC2", "S1"):
        rows = [row for row in figures["rows"] if row["set"] == name]
        if rows:
            parts += [_table(rows), ""]
    if (found := figures["throughput"]) is not None:
        parts += [
            f"{found['n_workers']} workers with one process each scored {found['n_submissions']} "
            f"submissions of {found['n_records']:,} records in {found['seconds']:.1f} s: "
            f"**{found['per_second']:.1f} submissions per second**.",
            "",
        ]
    return "\n".join(parts)


def _table(rows: Rows) -> str:
    lines = [
        "| case | records | way | least time | ratio | peak memory |",
        "|---|---:|---|---:|---:|---:|",
    ]
    first: dict[tuple[str, int], float] = {}
    for row in rows:
        key = row["case"], row["n_records"]
        base = first.setdefault(key, row["seconds"])
        lines.append(
            f"| {TITLES[row['case']]} | {row['n_records']:,} | {row['contender']} "
            f"| {_time(row['seconds'])} | {_ratio(row['seconds'] / base)} "
            f"| {row['peak_bytes'] / 2**20:,.0f} MiB |"
        )
    return "\n".join(lines)


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:,.1f} ms"
    return f"{seconds:,.2f} s"


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f} ×" if ratio < 10 else f"{ratio:,.0f} ×"


def plot(figures: dict[str, Any]) -> str:
    """Cost against the number of records, both axes logarithmic."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "pwscup", "font.size": 10}
    with rc_context(style):
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = figure.subplots()
        for (contender, case), (colour, label) in _SERIES.items():
            points = [
                (row["n_records"], row["seconds"])
                for row in figures["rows"]
                if (row["set"], row["contender"], row["case"]) == ("whole", contender, case)
            ]
            if points:
                axes.plot(*zip(*points, strict=True), "o-", color=colour, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("records")
        axes.set_ylabel("processor seconds for all 14 values")
        axes.grid(visible=True, which="major", color="#d9dee4")
        axes.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
