# SPDX-License-Identifier: Apache-2.0
"""Staff pages of organizers: accepted terms, and the teams with their invitations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Count, Prefetch
from django.utils import timezone

from pwscup.accounts import policies, selectors
from pwscup.accounts.models import Invitation, Membership, Team
from pwscup.contests.terms import digest_of

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Division


@dataclass(frozen=True, slots=True)
class Accepted:
    """A member of a team, with the accepted terms and the time."""

    name: str
    team: str
    accepted_at: datetime | None
    is_present: bool


def acceptances_of(contest: Contest) -> list[Accepted]:
    """Members and their acceptance of the terms, by team; two queries."""
    accepted = {
        acceptance.user_id: acceptance
        for acceptance in contest.acceptances.order_by("accepted_at", "id")
    }
    present = digest_of(contest)
    seats = Membership.objects.filter(contest=contest).select_related("user", "team")
    return [
        Accepted(
            seat.user.display_name,
            seat.team.name,
            found.accepted_at if (found := accepted.get(seat.user_id)) else None,
            found is not None and found.digest == present,
        )
        for seat in seats.order_by("team__name", "joined_at", "id")
    ]


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A team with the values that organizers may change."""

    team: Team
    n_members: int
    invitations: tuple[Invitation, ...]  # the personal ones, including used and revoked ones
    has_seat: bool
    may_be_removed: bool
    may_be_shortened: bool
    guests: tuple[User, ...]


def team_lines(contest: Contest) -> list[TeamLine]:
    """The teams by name, in a constant number of queries; teams of the platform itself are left out."""
    personal = Invitation.objects.exclude(email="").order_by("id")
    seats = Membership.objects.filter(user__guest_of=contest).select_related("user").order_by("id")
    teams = (
        contest.teams.filter(is_house=False)
        .select_related("captain", "division")
        .annotate(n_members=Count("memberships"))
        .prefetch_related(
            Prefetch("invitations", queryset=personal, to_attr="personal"),
            Prefetch("memberships", queryset=seats, to_attr="guest_seats"),
        )
    )
    untouched = set(selectors.untouched(contest.teams.all()).values_list("pk", flat=True))
    is_over = policies.is_over(contest, timezone.now())
    return [
        TeamLine(
            team,
            team.n_members,
            tuple(team.personal),
            team.n_members + sum(map(is_waiting, team.personal)) < contest.max_team_size,
            team.pk in untouched and not team.n_members,
            team.pk in untouched and not is_over,
            tuple(seat.user for seat in team.guest_seats),
        )
        for team in teams.order_by("name", "id")
    ]


def divisions_of(contest: Contest) -> list[Division]:
    """The divisions in order, each with `n_teams`."""
    return list(contest.divisions.annotate(n_teams=Count("teams")))


def is_waiting(invitation: Invitation) -> bool:
    """The invitation can still be used."""
    return invitation.used_at is None and invitation.revoked_at is None
