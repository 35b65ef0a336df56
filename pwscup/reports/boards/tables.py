# SPDX-License-Identifier: Apache-2.0
"""The boards of a final report as tables: every number is available with full precision."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
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

    from pwscup.leaderboards.boards.attack_texts import AttackTexts
    from pwscup.leaderboards.boards.cells import Board as BoardTable
    from pwscup.leaderboards.boards.cells import Cell, Column, Line
    from pwscup.reports.boards.facts import Board

Section = Mapping[str, Any]
EVENNESS = 20
"""The steps in which blocks of columns are made more equal."""
MOST_OF_HEAD = 9
"""A longer word of a header may be broken."""
TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Font:
    """The pixels of a character and between columns, and those of a page of A4 that rank and team leave."""

    per_character: float
    gap: float
    room: float


NORMAL, DENSE = Font(8.3, 9.6, 560), Font(7.3, 7.2, 590)
"""The two sizes of tables, see `pwscup.reports.style`: paper cannot be scrolled."""


def of_board(board: Board, said: AttackTexts | None = None) -> str:
    """A board with its title; one that is too wide for paper as several tables, each with ranks and teams."""
    made = table_of(board.name, board.data, said)
    start, cells, heads = _rendered(made, _start)
    blocks, is_dense = blocks_of(_lengths(heads, cells))
    kind = f"{'board dense' if is_dense else 'board'} board-{board.name}"
    parts = []
    for number, block in enumerate(blocks, start=1):
        numbered = {"title": board.title, "number": number, "of": len(blocks)}
        several = len(blocks) > 1
        title = _("%(title)s (part %(number)d of %(of)d)") % numbered if several else board.title
        numeric = [0, *_numeric(made.columns[block], 2)]
        head = [_("Rank"), _("Team"), *heads[block]]
        rows = ([*first, *row[block]] for first, row in zip(start, cells, strict=True))
        parts.append(table(title, head, rows, numeric=numeric, kind=kind))
    return "".join(parts)


def _rendered(
    made: BoardTable, start: Callable[[Line], list[str]]
) -> tuple[list[list[str]], list[list[str]], list[str]]:
    """The first cells of each row, its other cells, and the headers of these."""
    cells = [_cells(row, made.columns) for row in made.rows]
    return [start(row) for row in made.rows], cells, _heads(made.columns)


def _lengths(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """The characters of a line that each column needs; headers are broken between or within words."""
    lengths = [min(max(map(len, head.split()), default=0), MOST_OF_HEAD) for head in heads]
    for row in cells:
        shown = (len(TAG.sub("", cell)) for cell in row)
        lengths = [max(pair) for pair in zip(lengths, shown, strict=True)]
    return lengths


def blocks_of(lengths: Sequence[int]) -> tuple[list[slice], bool]:
    """The columns that fit a page together, and whether in the smaller font; `lengths` are in characters.

    >>> blocks_of([4, 4, 4])
    ([slice(0, 3, None)], False)
    >>> blocks_of([7] * 12)
    ([slice(0, 6, None), slice(6, 12, None)], True)
    >>> blocks_of([])
    ([slice(0, 0, None)], False)
    """
    for font, is_dense in ((NORMAL, False), (DENSE, True)):
        blocks = _packed([font.per_character * n + font.gap for n in lengths], font.room)
        if len(blocks) == 1:
            return blocks, is_dense
    return blocks, True


def _packed(widths: Sequence[float], room: float) -> list[slice]:
    """As few blocks as fit the room, and these of nearly equal widths."""
    fewest = len(_greedy(widths, room))
    even = sum(widths) / fewest
    steps = (even + (room - even) * n / EVENNESS for n in range(EVENNESS + 1))
    return next(
        blocks for step in steps if len(blocks := _greedy(widths, step)) == fewest or step >= room
    )


def _greedy(widths: Sequence[float], room: float) -> list[slice]:
    """Each block as full as possible; a column wider than the room has its own."""
    cuts, used = [0], 0.0
    for place, width in enumerate(widths):
        if place > cuts[-1] and used + width > room:
            cuts.append(place)
            used = 0.0
        used += width
    return [slice(*pair) for pair in pairwise([*cuts, len(widths)])]


def of_rounds(board: Board) -> Iterator[str]:
    """The boards of the rounds about a hidden table, each with its title."""
    for round, own in by_round(board.data):
        if own["rows"]:
            title = noted(title_of(round), f"ε {round['epsilon']}")
            yield of_board(replace(board, title=title, data=own))


def of_matrix(section: Section) -> str:
    """Attackers in rows, attacked teams in columns; of many teams several tables."""
    return _without_ranks("matrix", section, _("Attacker"), "board-matrix")


def of_curve(section: Section) -> str:
    """Every scored estimate with its ε and its distance."""
    return _without_ranks("curve", section, _("Team"), "board-matrix board-curve")


def _without_ranks(name: str, section: Section, first: str, kind: str) -> str:
    made = table_of(name, section)
    start, cells, heads = _rendered(made, lambda row: [escape(row.name)])
    blocks, is_dense = blocks_of(_lengths(heads, cells))
    parts = []
    for block in blocks:
        said = {"first": block.start + 1, "last": block.stop, "of": len(made.columns)}
        title = _("Columns %(first)d to %(last)d of %(of)d") % said if len(blocks) > 1 else ""
        rows = ([*name, *row[block]] for name, row in zip(start, cells, strict=True))
        numeric = _numeric(made.columns[block], 1)
        size = "board dense" if is_dense else "board"
        parts.append(
            table(title, [first, *heads[block]], rows, numeric=numeric, kind=f"{size} {kind}")
        )
    return "".join(parts)


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
    house = f" <small>{escape(_('baseline'))}</small>" if row.house else ""
    ranks = f" <small>{row.ranks}</small>" if row.ranks else ""
    return [rank, f"{escape(row.name)}{house}{ranks}"]


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
