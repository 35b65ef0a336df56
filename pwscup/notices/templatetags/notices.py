# SPDX-License-Identifier: Apache-2.0
"""Template tags about news for other apps."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

from pwscup.notices import selectors

register = template.Library()
MOST = 9
FEW = 3


@register.simple_tag(takes_context=True)
def unread_news(context: dict[str, Any]) -> str:
    """The number of news that a member or organizer has not seen; empty if none."""
    if context.get("my_team") is None and not context.get("is_organizer"):
        return ""
    user, contest, holes = context["user"].pk, context["contest"].pk, context.get("holes")
    if holes is None:
        return _counted(selectors.n_unread(user, contest))
    return holes.add(lambda answer: _counted(selectors.n_unread(user, contest, answer.numbers)))


@register.simple_tag(takes_context=True)
def latest_news(context: dict[str, Any]) -> list[selectors.Item]:
    """The first news of a contest as its page lists them: pinned ones, then the newest."""
    return selectors.news(context["contest"])[:FEW]


def _counted(n: int) -> str:
    if n == 0:
        return ""
    shown = str(n) if n <= MOST else f"{MOST}+"
    html = ' <span class="tab-count">{}</span><span class="visually-hidden"> {}</span>'
    return format_html(html, shown, _("unread"))
