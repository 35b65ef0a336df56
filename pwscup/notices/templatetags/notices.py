"""What other apps' pages show of news."""

from __future__ import annotations

from typing import Any

from django import template

from pwscup.notices import selectors

register = template.Library()
MOST = 9


@register.simple_tag(takes_context=True)
def unread_news(context: dict[str, Any]) -> str:
    """How much news there is that a member or organizer has not seen; empty where there is none."""
    if context.get("my_team") is None and not context.get("is_organizer"):
        return ""
    n = selectors.n_unread(context["user"], context["contest"])
    return "" if n == 0 else str(n) if n <= MOST else f"{MOST}+"
