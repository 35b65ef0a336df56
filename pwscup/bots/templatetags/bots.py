# SPDX-License-Identifier: Apache-2.0
"""Template tags about baseline teams for other apps."""

from __future__ import annotations

from typing import Any

from django import template

from pwscup.bots import selectors

register = template.Library()


@register.inclusion_tag("bots/_baseline_teams.html", takes_context=True)
def baseline_teams(context: dict[str, Any]) -> dict[str, Any]:
    """The section of the page of teams in which organizers choose them."""
    contest = context["contest"]
    return {
        "contest": contest,
        "csrf_token": context.get("csrf_token"),
        **selectors.baseline_teams(contest),
    }
