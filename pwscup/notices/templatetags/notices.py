# SPDX-License-Identifier: Apache-2.0
"""Template tags about news for other apps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from pwscup.notices import selectors
from pwscup.submissions.decisions.appeals import n_open_appeals

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

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


@register.simple_tag
def open_matters(contest: Contest) -> dict[str, int]:
    """What waits for the organizers, by section of their menu: open questions, and open appeals."""
    return {
        "questions": selectors.n_open_questions(contest),
        "decisions": n_open_appeals(contest),
    }


@register.simple_tag
def open_count(matters: dict[str, int], section: str) -> str:
    """The number of a section next to its entry in the menu; empty if there is none."""
    return _counted(matters.get(section, 0), pgettext("questions or appeals", "open"))


def _counted(n: int, words: str = "") -> str:
    if n == 0:
        return ""
    shown = str(n) if n <= MOST else f"{MOST}+"
    html = ' <span class="tab-count">{}</span><span class="visually-hidden"> {}</span>'
    return format_html(html, shown, words or _("unread"))
