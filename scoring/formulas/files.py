# SPDX-License-Identifier: Apache-2.0
"""Files of rates and scores, read strictly with every problem named."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator

from scoring.errors import Collector, ProblemsFound, shorten
from scoring.formulas.base import Scores
from scoring.tables.text import MAX_UNUSABLE, decode, note_length, plain_number, records

ATTACKER, TEAM = "attacker", "team"
MIN, MAX = 0, 100

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_EXPONENT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)e[+-]?[0-9]+", re.IGNORECASE)


def read_matrix(data: bytes, *, file: str) -> Scores[str]:
    """The rates of a matrix file.

    Parameters
    ----------
    data : bytes
        CSV. The header is `attacker` and the defenders; then one line for each attacker: its name
        and its rate against each of them, 0 to 100, or nothing where it did not attack.
    file : str
        The name of the file in problems.

    Returns
    -------
    Scores
        Teams are the defenders and then the attackers that are none, in the order of the file.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> scores = read_matrix(b"attacker,a,b\\na,,50\\nc,12.5,0\\n", file="M.csv")
    >>> scores.teams, scores.rate("c", "a"), scores.rate("b", "a")
    (('a', 'b', 'c'), 12.5, None)
    """
    defenders, matrix = _read_cells(data, file, MAX)
    teams = tuple(dict.fromkeys([*defenders, *matrix]))
    return Scores(teams, matrix, defenders=frozenset(defenders))


def read_counts(data: bytes, *, file: str) -> dict[str, dict[str, int]]:
    """The numbers of records that attacks name, from a file with the lines and columns of a matrix of rates.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> read_counts(b"attacker,a,b\\na,,50\\n", file="N.csv")
    {'a': {'b': 50}}
    """
    _, matrix = _read_cells(data, file, math.inf)
    return {a: {d: round(n) for d, n in of.items() if n is not None} for a, of in matrix.items()}


def _read_cells(
    data: bytes, file: str, high: float
) -> tuple[list[str], dict[str, dict[str, float | None]]]:
    """The defenders of a matrix, and its cells."""
    problems = Collector()
    rows = records(decode(data, file=file), file=file)
    header = _header(rows, file)
    if header[0] != ATTACKER:
        got = shorten(header[0])
        problems.add("scores.first_column", file=file, expected=ATTACKER, got=got)
    if len(header) == 1:
        problems.add("scores.no_defenders", file=file, expected=ATTACKER)
    _check_defenders(header, file, problems)
    matrix = _read_lines(rows, header, file, problems, high=high)
    problems.raise_if_any()
    return header[1:], matrix


def read_part(
    data: bytes,
    part: str,
    *,
    teams: Collection[str] | None,
    file: str,
    high: float = MAX,
) -> dict[str, float]:
    """The values of a file of utility or presentation scores, or of other numbers of teams.

    Parameters
    ----------
    data : bytes
        CSV. The header is `team` and the part; then one line for each team: its name and its value,
        0 to 100 or to `high`, or nothing where it has none.
    part : str
        The second column, such as "utility".
    teams : collection of str, or None
        Those of the matrix; any other is a problem. None if unknown.
    file : str
        The name of the file in problems.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> read_part(b"team,utility\\na,58.33\\nb,\\n", "utility", teams=["a", "b"], file="U.csv")
    {'a': 58.33}
    """
    problems = Collector()
    rows = records(decode(data, file=file), file=file)
    header = _header(rows, file)
    _check_columns(header, [TEAM, part], file, problems)
    problems.raise_if_any()
    values = _read_lines(rows, header, file, problems, known=teams, high=high)
    problems.raise_if_any()
    return {t: value for t, cells in values.items() if (value := cells[part]) is not None}


def read_totals(
    data: bytes, boards: Collection[str], *, file: str
) -> dict[str, dict[str, float | None]]:
    """The totals of a season that were published, by board.

    Parameters
    ----------
    data : bytes
        CSV. The header is `team` and some of the boards; then one line for each team, 0 or more, or nothing where
        it has none.
    boards : collection of str
    file : str
        The name of the file in problems.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> read_totals(b"team,total\\na,146.5\\nb,\\n", ["total", "attack"], file="T.csv")
    {'total': {'a': 146.5, 'b': None}}
    """
    problems = Collector()
    rows = records(decode(data, file=file), file=file)
    header = _header(rows, file)
    named = [board for board in boards if board in header]
    if not named:
        expected = ", ".join(boards)
        problems.add("header.missing", file=file, column=expected, expected=expected)
    ordered = [TEAM, *(name for name in header[1:] if name in named)]
    _check_columns(header, ordered, file, problems)
    problems.raise_if_any()
    values = _read_lines(rows, header, file, problems, high=math.inf)
    problems.raise_if_any()
    return {board: {team: of[board] for team, of in values.items()} for board in named}


def _header(rows: Iterator[list[str]], file: str) -> list[str]:
    names = next(rows, None)
    problems = Collector()
    if not names:
        problems.add("file.empty" if names is None else "header.no_line", file=file)
    problems.raise_if_any()
    assert names is not None
    return names


def _check_defenders(header: list[str], file: str, problems: Collector) -> None:
    seen: set[str] = set()
    for position, name in enumerate(header[1:], start=2):
        got = shorten(name)
        if not name:
            problems.add("header.empty_name", file=file, position=position)
        elif name != name.strip():
            problems.add("scores.spaces", file=file, column=got, got=got)
        elif name in seen:
            problems.add("header.repeated", file=file, column=got, got=got)
        seen.add(name)


def _check_columns(header: list[str], expected: list[str], file: str, problems: Collector) -> None:
    for name in expected:
        if name not in header:
            problems.add("header.missing", file=file, column=name, expected=name)
    for name in dict.fromkeys(header):
        got = shorten(name)
        if name not in expected:
            problems.add("header.unexpected", file=file, column=got, got=got)
        elif header.count(name) > 1:
            problems.add("header.repeated", file=file, column=got, got=got)
    if not problems and header != expected:
        problems.add("header.order", file=file, expected=expected[0], got=shorten(header[0]))


def _read_lines(
    rows: Iterator[list[str]],
    header: list[str],
    file: str,
    problems: Collector,
    *,
    known: Collection[str] | None = None,
    high: float = MAX,
) -> dict[str, dict[str, float | None]]:
    """Each team's values by column; problems are added to `problems`."""
    found: dict[str, dict[str, float | None]] = {}
    first: dict[str, int] = {}
    n_lines = n_unusable = 0
    try:
        for row, cells in enumerate(rows, start=1):
            n_lines = row
            if len(cells) != len(header):
                note_length(cells, len(header), problems, file=file, row=row)
                n_unusable += 1
                if n_unusable > MAX_UNUSABLE:
                    problems.add("file.gave_up", file=file, expected=n_unusable)
                    break
                continue
            _check_team(cells[0], header[0], file, row, first, known, problems)
            values = (
                _value(cell, column, file, row, problems, high)
                for column, cell in zip(header[1:], cells[1:], strict=True)
            )
            found[cells[0]] = dict(zip(header[1:], values, strict=True))
    except ProblemsFound as error:  # from here on there are no cells
        problems.extend(error.problems, error.n_total)
    if not n_lines and not problems:
        problems.add("file.header_only", file=file)
    return found


def _check_team(
    name: str,
    column: str,
    file: str,
    row: int,
    first: dict[str, int],
    known: Collection[str] | None,
    problems: Collector,
) -> None:
    got = shorten(name)
    if not name:
        problems.add("cell.empty", file=file, row=row, column=shorten(column))
    elif name != name.strip():
        problems.add("scores.spaces", file=file, row=row, column=shorten(column), got=got)
    elif first.setdefault(name, row) != row:
        params: dict[str, str | int | float] = {"got": got, "first": first[name]}
        problems.add("scores.repeated", file=file, row=row, column=shorten(column), **params)
    elif known is not None and name not in known:
        expected = shorten(", ".join(known), 200)
        problems.add(
            "scores.unknown_team", file=file, row=row, column=column, expected=expected, got=got
        )


def _value(
    cell: str, column: str, file: str, row: int, problems: Collector, high: float
) -> float | None:
    """The number of a cell; None where there is none, or it cannot be used."""
    if not cell:
        return None
    where = {"file": file, "column": shorten(column)}
    cell = plain_number(cell, _NUMBER, **where)
    got = shorten(cell)
    if not _NUMBER.fullmatch(cell):
        problems.add(_why_no_number(cell), row=row, got=got, **where)
        return None
    value = float(cell)
    if value < MIN:
        problems.add("cell.below_minimum", row=row, expected=MIN, got=got, **where)
    elif value > high:
        problems.add("cell.above_maximum", row=row, expected=high, got=got, **where)
    else:
        return value + 0.0  # turns -0.0 into 0.0
    return None


def _why_no_number(cell: str) -> str:
    if cell != cell.strip():
        return "cell.spaces"
    if _NOT_FINITE.fullmatch(cell):
        return "cell.not_finite"
    return "cell.exponent" if _EXPONENT.fullmatch(cell) else "cell.not_a_number"
