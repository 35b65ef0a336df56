# SPDX-License-Identifier: Apache-2.0
"""Links to certificates and the final report on a contest's overview."""

from __future__ import annotations

from typing import Any

from django import template

from pwscup.reports import selectors
from pwscup.reports.outcome import is_decided
from pwscup.submissions.selectors import disqualified

register = template.Library()


@register.inclusion_tag("reports/_papers.html", takes_context=True)
def papers(context: dict[str, Any]) -> dict[str, Any]:
    """The links to documents for this reader; none during the contest."""
    contest, now, team = context["contest"], context["now"], context["my_team"]
    if not context["is_over"]:
        return {}
    gets_one = (
        team is not None and is_decided(contest, now) and team.pk not in disqualified(contest)
    )
    return {
        "contest": contest,
        "has_certificate": gets_one,
        "report": selectors.public_report(context["user"], contest, now),
    }
