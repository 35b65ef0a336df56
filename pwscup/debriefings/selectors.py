# SPDX-License-Identifier: Apache-2.0
"""Queries about debriefings, restricted to the viewer's permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404

from pwscup.debriefings.models import Debriefing, DebriefingExample, DebriefingPart

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest


def _parts(found: Debriefing | None) -> QuerySet[DebriefingPart]:
    """The parts that may be shown: none before all of them are computed."""
    if found is None or found.state != Debriefing.State.DONE:
        return DebriefingPart.objects.none()
    return found.parts.select_related("team", "round__contest").order_by("round__position", "pk")


def parts_of_team(found: Debriefing | None, team: Team) -> list[DebriefingPart]:
    """Its own parts, by round."""
    return list(_parts(found).filter(team=team))


def all_parts(found: Debriefing | None) -> list[DebriefingPart]:
    """Those of all teams, for organizers, by round and name."""
    return list(_parts(found).order_by("round__position", "team__name", "pk"))


def part_of_slug(found: Debriefing | None, slug: str, key: str) -> DebriefingPart:
    """The part of a team and a round, for organizers; Http404 if there is none."""
    part = _parts(found).filter(team__slug=slug, round__key=key).first()
    if part is None:
        raise Http404
    return part


def examples_in(contest: Contest) -> dict[tuple[int, int], bool]:
    """The examples for the class by (team, round): whether the team is named."""
    rows = DebriefingExample.objects.filter(round__contest=contest)
    return {
        (team, round): named
        for team, round, named in rows.values_list("team", "round", "names_team")
    }


def class_examples(found: Debriefing | None, contest: Contest) -> list[tuple[DebriefingPart, bool]]:
    """The examples as everybody sees them, with or without the name; teams without a name by the order of choice."""
    chosen = examples_in(contest)
    parts = {(part.team_id, part.round_id): part for part in _parts(found)}
    return [(parts[at], named) for at, named in chosen.items() if at in parts]
