# SPDX-License-Identifier: Apache-2.0
"""Results in brief, for pages of other apps."""

from __future__ import annotations

from typing import Any

from django import template

from pwscup.contests.models import Contest
from pwscup.leaderboards.brief.numbers import Numbers, recent
from pwscup.leaderboards.brief.podium import Podium, podium_of

register = template.Library()


@register.simple_tag(takes_context=True)
def podium(context: dict[str, Any], contest: Contest) -> Podium:
    """The first places of the contest's main board."""
    return podium_of(context["user"], contest, context["now"])


@register.simple_tag
def site_numbers() -> Numbers:
    """The size of this installation."""
    return recent()
