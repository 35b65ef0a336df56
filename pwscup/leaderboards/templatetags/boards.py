# SPDX-License-Identifier: Apache-2.0
"""The cells of boards. An attack matrix may have 40,000 of them, so their HTML is minimal there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pwscup.leaderboards.boards.cells import Board, Cell, Line, Rate, ranks_of, verdict_of
from pwscup.leaderboards.boards.heat import heat

register = template.Library()


@register.simple_tag
def rates(cells: Iterable[Rate], own: str, top: int) -> SafeString:
    """Rates in per cent, with a color scale that ends at `top`; `own` names a team's own cell.

    In HTML a cell ends where the next one begins.
    """
    owned = f'<td class="own"><span class="visually-hidden">{escape(own)}</span>'
    return mark_safe("".join(_cell(cell, owned, top) for cell in cells))  # noqa: S308 — numbers


def mean_of(cells: Iterable[Rate]) -> float | None:
    """The mean of the known rates; None if there is none."""
    known = [cell.rate for cell in cells if cell.rate is not None and not cell.is_own]
    return sum(known) / len(known) if known else None


@register.filter
def ranks(interval: Mapping[str, Any] | None) -> str:
    """The ranks that the data admit, "2–9"; nothing where there is one only."""
    return ranks_of(interval)


@register.filter
def verdict(rank: int | None, interval: Mapping[str, Any] | None) -> str:
    """The same as a sentence, with the rank from which the team is not separable."""
    return verdict_of(rank, interval)


@register.simple_tag
def row_mean(cells: Iterable[Rate]) -> SafeString:
    """The cell with the mean of an attacker's rates."""
    return _mean_cell(mean_of(cells))


@register.simple_tag
def column_means(rows: Sequence[Line]) -> SafeString:
    """The cells with the mean of the teams' rates against each attacked team; nothing before there is one."""
    columns = zip(*(row.cells for row in rows if row.team is not None), strict=True)
    means = [mean_of(column) for column in columns]
    if all(mean is None for mean in means):
        return mark_safe("")
    return mark_safe("".join(map(_mean_cell, means)))  # noqa: S308 — numbers


def _mean_cell(mean: float | None) -> SafeString:
    return mark_safe("<td>–" if mean is None else f"<td>{100 * mean:.2f}")  # noqa: S308


@register.simple_tag
def most(table: Board) -> float:
    """The largest total of a board, for bars; 0 if there is none."""
    if not table.is_ranked:
        return 0.0
    firsts = (row.cells[0] for row in table.rows if row.cells and not row.is_empty)
    totals = (first.value for first in firsts if isinstance(first, Cell))
    return max((total for total in totals if isinstance(total, int | float)), default=0.0)


@register.simple_tag
def row_cells(cells: Sequence[Cell], table: Board, top: float) -> SafeString:
    """The cells of a team; the first one has the bar of its total, whose length is its share of `top`."""
    html = [_shown(cell) for cell in cells]
    if cells and table.is_ranked and not cells[0].is_muted:
        html[0] += _bar(cells[0].value, top)
    return mark_safe("</td>".join([*html, ""]))  # noqa: S308 — every text is escaped


def _shown(cell: Cell) -> str:
    """A cell, not closed."""
    text = escape(cell.text)
    return "".join(
        (
            f'<td class="{cell.css}"' if cell.css else "<td",
            f' title="{escape(cell.full)}">' if cell.full else ">",
            f'<span class="none">{text}</span>' if cell.is_muted else text,
            f'<span title="{escape(cell.mark)}">*</span>' if cell.mark else "",
            _rank(cell) if cell.rank else "",
        )
    )


def _rank(cell: Cell) -> str:
    """The rank of a value, and whose it is."""
    apart = "<br>" if cell.is_rank_below else " "
    owner = f'<br><span class="worst-by">{escape(cell.by)}</span>' if cell.by else ""
    return f'{apart}<span class="measure-rank">({cell.rank})</span>{owner}'


def _bar(value: Any, top: float) -> str:
    if not isinstance(value, int | float) or top <= 0 or value < 0:
        return ""
    return f'<i class="bar" style="width:{100 * value / top:.0f}%"></i>'


def _cell(cell: Rate, owned: str, top: int) -> str:
    if cell.is_own:
        return owned
    if cell.rate is None:
        return "<td>–"
    return f"<td class=r{heat(cell.rate, top)}>{100 * cell.rate:.2f}"
