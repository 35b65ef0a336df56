# SPDX-License-Identifier: Apache-2.0
"""Boards as a contest offers them to download, read as facts: the measures of tables, and the rates of attacks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from scoring.errors import Collector, shorten
from scoring.tables.text import decode, finite_number, numbered_lines, read_header, records

TEAM, WORST_RATE = "team", "worst_rate"
ATTACKER, KIND, BUILT_IN = "attacker", "kind", "built-in attack"


@dataclass(frozen=True, slots=True)
class TablesFile:
    """The teams of a board of tables, the measures of those with a table, and the worst rates that it names."""

    teams: tuple[str, ...]
    measured: dict[str, dict[str, float | None]]
    worst: dict[str, float]
    columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class RatesFile:
    """The published tables, the rates by (attacker, defender), and those of built-in attacks by attack and team."""

    defenders: tuple[str, ...]
    rates: dict[tuple[str, str], float] = field(default_factory=dict)
    built_in: dict[str, dict[str, float]] = field(default_factory=dict)


def read_tables(data: bytes, measures: Collection[str], *, file: str) -> TablesFile:
    """The measures of every team's table.

    Parameters
    ----------
    data : bytes
        CSV with the columns `team` and some of the measures, among any others; one line for each team, without any
        value where it has no table. The column `worst_rate` is read where there is one.
    measures : collection of str
    file : str
        The name of the file in problems.

    Raises
    ------
    ProblemsFound
        All problems: a missing column, a team without a name or with two lines, a value that is no finite number.

    Examples
    --------
    >>> found = read_tables(b"rank,team,U1,U1_rank\\n1,a,0.5,1\\n,b,,\\n", ["U1", "S1"], file="board")
    >>> found.teams, found.measured
    (('a', 'b'), {'a': {'U1': 0.5}})
    """
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    problems = Collector()
    named = [measure for measure in measures if measure in header]
    for wanted, is_there in ((TEAM, TEAM in header), (", ".join(measures), named)):
        if not is_there:
            problems.add("header.missing", file=file, column=wanted, expected=wanted)
    problems.raise_if_any()
    teams: dict[str, int] = {}
    found = TablesFile((), {}, {}, frozenset(header))
    for row, line in numbered_lines(rows, len(header), file, problems):
        cells = dict(zip(header, line, strict=True))
        team = cells[TEAM]
        _check_name(team, teams, TEAM, row, file, problems)
        values = {m: finite_number(cells[m], m, row, file, problems) for m in named}
        if any(value is not None for value in values.values()):
            found.measured[team] = values
        worst = finite_number(cells.get(WORST_RATE, ""), WORST_RATE, row, file, problems)
        if worst is not None:
            found.worst[team] = worst
    if not teams and not problems:
        problems.add("file.header_only", file=file)
    problems.raise_if_any()
    return TablesFile(tuple(teams), found.measured, found.worst, found.columns)


def read_rates(data: bytes, *, file: str) -> RatesFile:
    """The rates of an attack matrix, from 0 to 1.

    Parameters
    ----------
    data : bytes
        CSV. The header is `attacker`, `kind` and the teams whose tables were published; then a line for each attacker,
        whose kind is "team" or "built-in attack". An empty cell is an attack that was not made.
    file : str
        The name of the file in problems.

    Raises
    ------
    ProblemsFound
        All problems.

    Examples
    --------
    >>> read_rates(b"attacker,kind,a,b\\na,team,,0.5\\nE1,built-in attack,0.1,\\n", file="matrix")
    RatesFile(defenders=('a', 'b'), rates={('a', 'b'): 0.5}, built_in={'E1': {'a': 0.1}})
    """
    rows = records(decode(data, file=file), file=file)
    problems = Collector()
    header = next(rows, [])
    for position, name in enumerate((ATTACKER, KIND)):
        if header[position : position + 1] != [name]:
            problems.add("header.missing", file=file, column=name, expected=name)
    problems.raise_if_any()
    defenders = read_header(iter([header[2:]]), file=file)
    found = RatesFile(tuple(defenders))
    first: dict[str, dict[str, int]] = {}
    for row, (name, kind, *cells) in numbered_lines(rows, len(header), file, problems):
        _check_name(name, first.setdefault(kind, {}), ATTACKER, row, file, problems)
        rates = {
            defender: rate
            for defender, cell in zip(defenders, cells, strict=True)
            if (rate := _rate(cell, defender, row, file, problems)) is not None
        }
        if kind == BUILT_IN:
            found.built_in[name] = rates
        else:
            found.rates.update({(name, defender): rate for defender, rate in rates.items()})
    problems.raise_if_any()
    return found


def _rate(cell: str, column: str, row: int, file: str, problems: Collector) -> float | None:
    value = finite_number(cell, column, row, file, problems)
    if value is None or 0 <= value <= 1:
        return value
    code, bound = ("cell.below_minimum", 0) if value < 0 else ("cell.above_maximum", 1)
    problems.add(code, file=file, row=row, column=column, expected=bound, got=shorten(cell))
    return None


def _check_name(
    name: str, first: dict[str, int], column: str, row: int, file: str, problems: Collector
) -> None:
    if not name:
        problems.add("cell.empty", file=file, row=row, column=column)
    elif first.setdefault(name, row) != row:
        got = shorten(name)
        problems.add(
            "scores.repeated", file=file, row=row, column=column, got=got, first=first[name]
        )
