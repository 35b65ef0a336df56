# SPDX-License-Identifier: Apache-2.0
"""The live part of the organizer's first page, for the template of an app below this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from pwscup.submissions.live import figures, pages

if TYPE_CHECKING:
    from django.template import RequestContext

register = template.Library()


@register.simple_tag(takes_context=True)
def live_panel(context: RequestContext) -> SafeString:
    """The panel of a running contest; nothing while it does not run."""
    contest: Any = context["contest"]
    found = figures.live_of(contest, context["now"])
    if found is None:
        return SafeString("")
    page = pages.live_page(contest, found)
    return mark_safe(render_to_string("submissions/_live_panel.html", page, context["request"]))  # noqa: S308
