# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks`: measures, and writes a table, a plot and the raw figures."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import contenders, report, throughput
from benchmarks.cases import TITLES, Case, case
from benchmarks.contenders import Contender
from benchmarks.timing import timed

SIZES = (1_000, 8_333, 100_000, 1_000_000)
SETS = {"whole": contenders.WHOLE, "EUC2": contenders.EUC2, "S1": contenders.S1}
CASES = {"whole": ("13", "6", "none"), "EUC2": ("none",), "S1": ("13",)}


def main() -> None:
    arguments = _parser().parse_args()
    sizes = [int(size) for size in arguments.records.split(",")]
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    rows = _kept(folder / "figures.json", sizes) if arguments.keep else []
    rows += [row for n_records in sizes for row in _rows(n_records)]
    figures = {
        "machine": _machine(),
        "rows": sorted(rows, key=lambda row: row["n_records"]),
        "throughput": None if arguments.without_workers else throughput.measure(),
    }
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    (folder / "benchmarks.md").write_text(report.tables(figures))
    (folder / "cost.svg").write_text(report.plot(figures))
    print(report.tables(figures))  # noqa: T201
    _say(f"written to {folder}/")


def _kept(file: Path, sizes: list[int]) -> list[dict[str, Any]]:
    """The figures of other sizes that the folder has."""
    found = json.loads(file.read_text())["rows"] if file.exists() else []
    return [row for row in found if row["n_records"] not in sizes]


def _rows(n_records: int) -> list[dict[str, Any]]:
    """All contenders one after another on each case: ratios are of one run."""
    rows: list[dict[str, Any]] = []
    for case_id in TITLES:
        with tempfile.TemporaryDirectory(prefix="pwscup-bench-") as folder:
            _say(f"{n_records:,} records, case {case_id}: drawing …")
            drawn = case(case_id, n_records, Path(folder))
            for name, known in SETS.items():
                if case_id in CASES[name]:
                    found = [row for contender in known for row in _row(name, contender, drawn)]
                    _check_equal(found, name)
                    rows += found
    return rows


def _row(name: str, contender: Contender, drawn: Case) -> list[dict[str, Any]]:
    timing = timed(contender, drawn)
    if timing is None:
        return []
    _say(f"  {contender.name}: {timing.seconds * 1000:,.1f} ms")
    facts = {"set": name, "case": drawn.id, "n_records": drawn.n_records}
    return [facts | {"contender": contender.name} | asdict(timing)]


def _check_equal(rows: list[dict[str, Any]], name: str) -> None:
    """Contenders that compute all fourteen values have to find the same ones; sums may differ in the last bits."""
    for row in rows[1:] if name == "whole" else []:
        for id_, value in rows[0]["values"].items():
            other = row["values"].get(id_, value)  # how many records there are, nobody else says
            if not math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-9):
                raise SystemExit(f"{id_}: {value} by scoring, {other} by {row['contender']}")


def _machine() -> dict[str, object]:
    libraries = ("numpy", "numba", "pandas", "scipy", "scikit-learn")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        **{name: version(name) for name in libraries},
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--records", default=",".join(map(str, SIZES)), help="sizes, with commas")
    parser.add_argument("--out", default="benchmarks/results", help="the folder to write to")
    parser.add_argument(
        "--keep", action="store_true", help="keep the figures of other sizes in the folder"
    )
    parser.add_argument(
        "--without-workers", action="store_true", help="leave out submissions per second"
    )
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
