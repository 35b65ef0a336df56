"""What may be read about people and their teams."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from pwscup.accounts.models import Invitation, Membership, Team, User

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


def team_of(user: User | AnonymousUser, contest: Contest) -> Team | None:
    """The team in which this person plays in the contest."""
    if not user.is_authenticated:
        return None
    return Team.objects.filter(memberships__user=user, contest=contest).first()


def members_of(team: Team) -> QuerySet[Membership]:
    """The members in the order they joined, each with its person."""
    return team.memberships.select_related("user").order_by("joined_at", "id")


def live_invitation(team: Team, now: datetime) -> Invitation | None:
    """The captain's link that still opens the team, if there is one."""
    shared = team.invitations.filter(email="", revoked_at=None, expires_at__gt=now)
    return shared.order_by("-created_at").first()


def invitation_by_token(token: str) -> Invitation | None:
    return Invitation.objects.select_related("team__contest").filter(token=token).first()


def memberships_of(user: User) -> QuerySet[Membership]:
    """The teams a person plays in, the newest contest first."""
    return user.memberships.select_related("team", "contest").order_by("-contest__created_at", "id")


def teams_to_hand_over(user: User) -> QuerySet[Team]:
    """The teams this person captains that have other members."""
    others = Membership.objects.exclude(user=user).values("team")
    return Team.objects.filter(captain=user, pk__in=others).select_related("contest")


def contests_left_without_organizer(user: User) -> list[Contest]:
    """The contests that nobody else organizes."""
    return [
        contest
        for contest in user.organizes.prefetch_related("organizers")
        if len(contest.organizers.all()) == 1
    ]


def personal_invitations(team: Team) -> QuerySet[Invitation]:
    """What organizers sent to single people who have not come yet."""
    waiting = team.invitations.filter(revoked_at=None, used_at=None)
    return waiting.exclude(email="").order_by("id")
