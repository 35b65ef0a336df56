"""The cells of an attack matrix: there may be 40,000 of them, so each says as little as it can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def rates(row: Mapping[str, Any], own: str) -> SafeString:
    """The cells of a row, rates in per cent: `{{ row|rates:own }}`, where `own` names a team's own cell.

    HTML closes a cell where the next one begins.
    """
    owned = f'<td class="own"><span class="visually-hidden">{escape(own)}</span>'
    return mark_safe("".join(_cell(cell, owned) for cell in row["cells"]))  # noqa: S308 — numbers


def _cell(cell: Mapping[str, Any], owned: str) -> str:
    if cell["own"]:
        return owned
    if cell["rate"] is None:
        return "<td>–"
    return f"<td class=h{cell['heat']}>{100 * cell['rate']:.2f}"
