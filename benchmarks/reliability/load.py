# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.reliability.load`: a bounded load on a real installation in both modes, as one table."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reliability import document
from benchmarks.reliability.installation import MODES, Installation, interrupt_when_terminated
from benchmarks.reliability.scenarios import SCENARIOS, SMALL, Cells, Run, Sizes

LIMIT_SECONDS, RUN_SECONDS = 120, 900
"""A scenario that takes longer is reported as such, and none begins later."""
HEAD = ("what", "before", "reach", *(f"now ({mode})" for mode in MODES.values()))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: what was measured before the work on it, and what it is to reach."""

    scenario: str
    what: str
    before: str
    reach: str


ROWS = {
    "burst": Row(
        "burst",
        "300 uploads of 1.3 MB sent together, the round closes 6 s later",
        "208 of 300 refused as late",
        "none refused that was in time",
    ),
    "rush": Row(
        "rush",
        "300 uploads over 45 s with 300 viewers of the board: time of an upload",
        "p50/p99 48/77 s (SQLite), 39/46 s (PostgreSQL)",
        "p99 < 5 s",
    ),
    "stamp": Row("rush", "… stamped after it was sent", "–", "within 1 s"),
    "views": Row("rush", "… time of a viewer's request", "–", "–"),
    "polls": Row(
        "polls",
        "a board that did not change, asked for again (100 teams)",
        "15/s, 10 queries",
        "≥ 500/s, at most 1 query",
    ),
    "pages": Row(
        "pages", "board page, 100 teams, stored, 12 connections", "p50 0.8 s", "p99 < 100 ms"
    ),
    "rebuilds": Row(
        "rebuilds",
        "processor time from a fact to the board that shows it, 100 / 200 teams",
        "2.7 / 10.6 s",
        "≤ 0.2 / 0.6 s",
    ),
    "crowd": Row(
        "rebuilds",
        "… the slowest of 24 viewers together after a fact, 100; 200 teams",
        "200 teams: 50 s, home page 50 s",
        "the previous board immediately",
    ),
    "ranks": Row("ranks", "rank of a submission, 100 / 200 teams", "2.7 / 9.8 s", "≤ 50 ms"),
    "matrix": Row(
        "matrix",
        "attack matrix page on the wire, 100 / 200 teams",
        "720 kB / 2.8 MB",
        "≤ 100 / 300 kB",
    ),
    "cost": Row("cost", "processor time per submission, upload to result", "70 ms", "≤ 30 ms"),
    "rate": Row(
        "cost", "… scored per second, end to end", "20 (SQLite), 7–12 (PostgreSQL)", "≥ 40"
    ),
    "export": Row("export", "submissions.csv of 41,800 rows", "17 s", "≤ 1.5 s, streamed"),
    "slow": Row(
        "slow",
        "300 slow connections (headers, bodies), not logged in: a visitor's page meanwhile",
        "13 stop the whole site",
        "nothing noticed",
    ),
    "history": Row(
        "history",
        "what a round's page asks for every 3 s while a submission waits",
        "itself whole, without an ETag",
        "a fragment with an ETag",
    ),
    "experiment": Row("experiment", "start of an experiment on idle workers", "52–65 s", "< 3 s"),
    "targets": Row("turns", "opening of a round → targets", "60–65 s", "< 5 s"),
    "results": Row("turns", "closing of a round → results", "60–65 s", "< 5 s"),
    "mixed": Row(
        "mixed", "one experiment and one audit at work: a submission waits", "104 s", "< 3 s"
    ),
    "processes": Row("processes", "processes", "one web process", "more than one where possible"),
}


async def measured(
    site: Installation, names: list[str], sizes: Sizes, until: float, cells: Cells
) -> None:
    """Note what the scenarios find; one that fails says so in its rows and stops no other."""
    run = Run(site, sizes)
    for name in names:
        started = time.monotonic()
        try:
            if started > until:
                raise TimeoutError("the time of the whole run was over")
            async with asyncio.timeout(LIMIT_SECONDS):
                found = await SCENARIOS[name](run)
        except Exception as error:
            reason = str(error).strip().rpartition("\n")[2].replace("|", "/")[:120]
            text = f"failed: {type(error).__name__} {reason}".strip()
            found = {key: text for key, row in ROWS.items() if row.scenario == name}
        cells |= found
        document.say(f"{site.mode}: {name} ({time.monotonic() - started:.0f} s): {found}")


def measure(mode: str, names: list[str], sizes: Sizes, until: float, cells: Cells) -> None:
    """Fill in the cells of one mode, from an installation of its own."""
    try:
        site = Installation(mode)
    except (RuntimeError, TimeoutError) as error:
        document.say(f"{mode}: does not start: {error}")
        cells |= {key: "failed: no start" for key, row in ROWS.items() if row.scenario in names}
        return
    try:
        asyncio.run(measured(site, names, sizes, until, cells))
    finally:
        site.stop()


def table(known: dict[str, list[str]], cells: dict[str, Cells]) -> dict[str, list[str]]:
    """All rows of the table: new cells where there are some, else what the page had."""
    rows = {}
    for key, row in ROWS.items():
        old = dict(zip(MODES, known.get(row.what, [])[2:], strict=False))
        new = [
            cells.get(mode, {}).get(key) or old.get(mode) or document.NOT_MEASURED for mode in MODES
        ]
        rows[row.what] = [row.before, row.reach, *new]
    return rows


def write(
    cells: dict[str, Cells], json_file: Path | None, page: Path | None, *, is_small: bool
) -> None:
    """Write the figures to a file, or the table into the page."""
    if json_file:
        json_file.write_text(json.dumps(cells, indent=1, ensure_ascii=False) + "\n")
    if page is None and not is_small and not json_file:
        page = document.PAGE
    if page:
        text = page.read_text(encoding="utf-8")
        rows = table(document.rows_of(text, "load"), cells)
        page.write_text(document.written(text, "load", HEAD, rows, document.machine()))
        document.say(f"written to {page}")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.reliability.load", description=__doc__
    )
    made.add_argument(
        "scenarios", nargs="*", metavar="SCENARIO", help=f"of {', '.join(SCENARIOS)}; default: all"
    )
    made.add_argument("--mode", choices=MODES, action="append", help="default: both")
    made.add_argument("--small", action="store_true", help="tiny sizes, to see that it runs")
    made.add_argument("--json", type=Path, help="write what was measured there, for comparisons")
    made.add_argument("--page", type=Path, help="the page to write; none with --small or --json")
    return made


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    if unknown := set(given.scenarios) - set(SCENARIOS):
        parser().error(f"expected of {', '.join(SCENARIOS)} — got {', '.join(sorted(unknown))}")
    names = [name for name in SCENARIOS if not given.scenarios or name in given.scenarios]
    sizes = SMALL if given.small else Sizes()
    until, modes = time.monotonic(), given.mode or list(MODES)
    cells: dict[str, Cells] = {}
    try:
        for mode in modes:
            until += RUN_SECONDS / len(modes)
            measure(mode, names, sizes, until, cells.setdefault(mode, {}))
    finally:  # also of a run that was ended
        write(cells, given.json, given.page, is_small=given.small)
    failed = [
        f"{mode} {k}" for mode, own in cells.items() for k, v in own.items() if "failed:" in v
    ]
    return 1 if failed else 0


if __name__ == "__main__":
    interrupt_when_terminated()
    sys.exit(main())
