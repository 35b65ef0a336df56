"""The cells of an attack matrix: there may be 40,000 of them, so their HTML is minimal."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pwscup.leaderboards.boards.cells import Rate
from pwscup.leaderboards.boards.heat import heat

register = template.Library()


@register.simple_tag
def rates(cells: Iterable[Rate], own: str, top: int) -> SafeString:
    """Rates in per cent, with a color scale that ends at `top`; `own` names a team's own cell.

    In HTML a cell ends where the next one begins.
    """
    owned = f'<td class="own"><span class="visually-hidden">{escape(own)}</span>'
    return mark_safe("".join(_cell(cell, owned, top) for cell in cells))  # noqa: S308 — numbers


def _cell(cell: Rate, owned: str, top: int) -> str:
    if cell.is_own:
        return owned
    if cell.rate is None:
        return "<td>–"
    return f"<td class=r{heat(cell.rate, top)}>{100 * cell.rate:.2f}"
