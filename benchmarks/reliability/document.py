# SPDX-License-Identifier: Apache-2.0
"""The tables of `docs/explanation/reliability.md`: written between markers, a row that was not measured stays."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "reliability.md"
NOT_MEASURED = "–"
Cells = Mapping[str, Sequence[str]]
"""By the first cell of a row, the others."""


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {name}: .*? -->\n)(.*?)(<!-- end {name} -->)", re.DOTALL)


def rows_of(text: str, name: str) -> dict[str, list[str]]:
    """The rows of a table by their first cell, without its head."""
    found = _pattern(name).search(text)
    if found is None:
        raise ValueError(f"the page has no markers for {name}")
    lines = [line for line in found[2].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {first: rest for first, *rest in cells}


def written(text: str, name: str, head: Sequence[str], rows: Cells, note: str) -> str:
    """The page with a table in place of the one between the markers, and a line on the run under it."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join([first, *cells])} |" for first, cells in rows.items()]
    table = "\n".join([*lines, "", note, ""])
    pattern = _pattern(name)
    if not pattern.search(text):
        raise ValueError(f"the page has no markers for {name}")
    return pattern.sub(lambda found: f"{found[1]}{table}{found[3]}", text)


def machine() -> str:
    """The machine, the version and the time of a run, in one line."""
    at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=PAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        f"Measured {at} at commit {commit.stdout.strip() or 'unknown'} on {os.cpu_count()} cores "
        f"({platform.machine()}, {platform.system()}), Python {platform.python_version()}; "
        f"load average at the end {os.getloadavg()[0]:.1f}."
    )


def say(text: str) -> None:
    """The progress of a run."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201
