"""The boards of a final report as tables: every number is available with full precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import measures_in
from pwscup.core.texts.parts import listed, named, noted
from pwscup.leaderboards.boards.cells import MEASURE, NOTHING, NUMBER, RATE, Rate
from pwscup.leaderboards.boards.columns import is_by_name
from pwscup.leaderboards.boards.tables import by_round, table_of
from pwscup.leaderboards.boards.texts import title_of
from scoring.reporting.document import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.leaderboards.boards.cells import Cell, Column, Line
    from pwscup.reports.boards.facts import Board

Section = Mapping[str, Any]
MOST_COLUMNS = 14
"""A table with more columns has a smaller font."""


def of_board(board: Board) -> str:
    """A board with its title."""
    made = table_of(board.name, board.data)
    head = [_("Rank"), _("Team"), *_heads(made.columns)]
    numeric = [0, *_numeric(made.columns, 2)]
    rows = ([*_start(row), *_cells(row, made.columns)] for row in made.rows)
    size = "board dense" if len(head) > MOST_COLUMNS else "board"
    return table(board.title, head, rows, numeric=numeric, kind=f"{size} board-{board.name}")


def of_rounds(board: Board) -> Iterator[str]:
    """The boards of the rounds about a hidden table, each with its title."""
    for round, own in by_round(board.data):
        if own["rows"]:
            title = f"{title_of(round)} (ε {round['epsilon']})"
            yield of_board(replace(board, title=title, data=own))


def of_matrix(section: Section) -> str:
    """Attackers in rows, attacked teams in columns."""
    return _without_ranks("matrix", section, _("Attacker"), "board board-matrix")


def of_curve(section: Section) -> str:
    """Every scored estimate with its ε and its distance."""
    return _without_ranks("curve", section, _("Team"), "board board-matrix board-curve")


def _without_ranks(name: str, section: Section, first: str, kind: str) -> str:
    made = table_of(name, section)
    head = [first, *_heads(made.columns)]
    rows = ([escape(row.name), *_cells(row, made.columns)] for row in made.rows)
    return table("", head, rows, numeric=_numeric(made.columns, 1), kind=kind)


def legend(section: Section) -> str:
    """The measures with only a short name as header; empty if all have their identifier."""
    columns = filter(is_by_name, measures_in(section))
    return listed(named(column.name, noted(column.title, column.id)) for column in columns)


# Columns and cells


def _heads(columns: Sequence[Column]) -> list[str]:
    return [column.brief or column.title for column in columns]


def _numeric(columns: Sequence[Column], start: int) -> list[int]:
    return [n for n, column in enumerate(columns, start) if column.css]


def _start(row: Line) -> list[str]:
    rank = NOTHING if row.rank is None else _data(row.rank, str(row.rank))
    house = f" <small>{escape(_('House team'))}</small>" if row.house else ""
    return [rank, f"{escape(row.name)}{house}"]


def _cells(row: Line, columns: Sequence[Column]) -> list[str]:
    return [_cell(cell) for cell in row.cells] or [NOTHING] * len(columns)


def _cell(cell: Cell | Rate) -> str:
    if isinstance(cell, Rate):
        return "×" if cell.is_own else percent(cell.rate)
    if cell.kind in (NUMBER, RATE):
        return number(cell.value) if cell.kind == NUMBER else percent(cell.value)
    if cell.kind == MEASURE and cell.value is not None:
        return _data(cell.value, cell.text)
    return escape(cell.text)


def number(value: float | None) -> str:
    """A number as on the board, with its exact value."""
    return NOTHING if value is None else _data(value, f"{value:.2f}")


def percent(value: float | None) -> str:
    """A rate from 0 to 1 in per cent."""
    return NOTHING if value is None else _data(value, f"{100 * value:.2f}\u00a0%")


def _data(value: float, words: str) -> str:
    return f'<data value="{value!r}">{words}</data>'
