# SPDX-License-Identifier: Apache-2.0
"""The boards of rounds in which a hidden table was estimated, from the file that a contest offers."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.errors import Collector, shorten
from scoring.tables.text import decode, finite_number, numbered_lines, read_header, records

ROUND, TEAM = "round", "team"

Marks = dict[str, float | None]
"""The measures of a team's estimate; empty if it submitted none."""


def read_marks(data: bytes, measures: Sequence[str], *, file: str) -> dict[str, dict[str, Marks]]:
    """The errors of estimates in every round by team; each round has the teams of all rounds.

    Parameters
    ----------
    data
        CSV with the columns `round`, `team` and one for each measure, among any others; one line
        for each team in each round. An empty cell is a missing value.
    measures
        The ids of the measures to read.
    file
        What problems call the file.

    Raises
    ------
    ProblemsFound
        All problems: a missing column, a team without a name or twice in a round, a value that is no finite number.

    Examples
    --------
    >>> data = b"round,rank,team,table-L2\\nbatch,1,a,2.5\\nbatch,2,b,4\\ninteractive,1,b,1\\n"
    >>> read_marks(data, ["table-L2"], file="board")
    {'batch': {'a': {'table-L2': 2.5}, 'b': {'table-L2': 4.0}}, 'interactive': {'a': {}, 'b': {'table-L2': 1.0}}}
    """
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    problems = Collector()
    for name in (ROUND, TEAM, *measures):
        if name not in header:
            problems.add("header.missing", file=file, column=name, expected=name)
    problems.raise_if_any()
    found: dict[str, dict[str, Marks]] = {}
    first: dict[tuple[str, str], int] = {}
    for row, line in numbered_lines(rows, len(header), file, problems):
        cells = dict(zip(header, line, strict=True))
        marks = {m: finite_number(cells[m], m, row, file, problems) for m in measures}
        key = name_of_round, team = cells[ROUND], cells[TEAM]
        for name in (ROUND, TEAM):
            if not cells[name]:
                problems.add("cell.empty", file=file, row=row, column=name)
        if first.setdefault(key, row) != row:
            got = shorten(team)
            problems.add(
                "scores.repeated", file=file, row=row, column=TEAM, got=got, first=first[key]
            )
        has_any = any(mark is not None for mark in marks.values())
        found.setdefault(name_of_round, {})[team] = marks if has_any else {}
    if not found and not problems:
        problems.add("file.header_only", file=file)
    problems.raise_if_any()
    teams = dict.fromkeys(team for of_round in found.values() for team in of_round)
    return {name: {t: of_round.get(t, {}) for t in teams} for name, of_round in found.items()}
