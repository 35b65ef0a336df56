# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of debriefings: plain functions of facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.http.polling import etag
from pwscup.debriefings import selectors

if TYPE_CHECKING:
    from collections.abc import Collection

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from pwscup.debriefings.models import Debriefing, DebriefingPart
    from pwscup.submissions.policies import Person


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part on a page, with the context of its template."""

    title: str
    round: str
    debrief: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Overview:
    """A part in the organizer's list."""

    part: DebriefingPart
    sentence: str
    url: str


def shown(part: DebriefingPart, title: str, hidden: Collection[str]) -> ShownPart:
    contest = part.round.contest
    values = contest.format.debriefing.shown(part.values, hidden)
    return ShownPart(title, part.round.local_title, values)


def own_parts(found: Debriefing | None, team: Team | None, viewer: Person) -> list[ShownPart]:
    """The parts of the viewer's own team."""
    if team is None:
        return []
    hidden = hidden_measures(team.contest, viewer)
    return [shown(part, team.name, hidden) for part in selectors.parts_of_team(found, team)]


def examples(found: Debriefing | None, contest: Contest) -> list[ShownPart]:
    """The examples of the class, for everybody: hidden measures are left out for organizers, too."""
    hidden = frozenset(contest.hidden_measures)
    return [
        shown(part, part.team.name if named else _("A team"), hidden)
        for part, named in selectors.class_examples(found, contest)
    ]


def overview(found: Debriefing | None) -> list[Overview]:
    """All parts, for organizers."""
    return [
        Overview(
            part,
            part.round.contest.format.debriefing.shown(part.values, ()).get("sentence", ""),
            reverse(
                "organize-debriefing-part",
                args=[part.round.contest.slug, part.team.slug, part.round.key],
            ),
        )
        for part in selectors.all_parts(found)
    ]


def status(contest: Contest, found: Debriefing | None) -> dict[str, Any]:
    """The context of the polled fragment."""
    return {
        "contest": contest,
        "found": found,
        "share": 100 * found.done_parts // found.n_parts if found and found.n_parts else 0,
        "is_awaited": found is not None and not found.is_final,
        "etag": etag(found and (found.pk, found.state, found.done_parts, found.attempts)),
    }
