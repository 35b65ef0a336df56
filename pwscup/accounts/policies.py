"""Who plays, who organizes, who may do what with a team: predicates that change nothing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pwscup.accounts.models import Invitation, Membership, Team, User
from pwscup.core.models import Event

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django.db.models import QuerySet

    from pwscup.contests.models import Contest

TOOK_A_SEAT = ("team.created", "team.joined")
# The states of submissions that use a try; this app stands below the one that names them.
PLAYED = ("waiting", "running", "scored")


def is_organizer(user: User | AnonymousUser, contest: Contest) -> bool:
    """The organizers of this very contest, and the operators of the installation: who knows the answer key."""
    if not user.is_authenticated:
        return False
    return user.is_superuser or contest.organizers.filter(pk=user.pk).exists()


def has_organized(user: User, contest: Contest) -> bool:
    """Whether the person was an organizer of the contest once: the answer key is not forgotten."""
    left = Event.objects.filter(contest_id=contest.pk, kind="contest.organizer_removed")
    return left.filter(data__user_id=user.pk).exists()


def is_judge(user: User | AnonymousUser, contest: Contest) -> bool:
    """Whether the person marks the presentations of this contest."""
    return user.is_authenticated and contest.judges.filter(pk=user.pk).exists()


def has_judged(user: User, contest: Contest) -> bool:
    """Whether the person was a judge of the contest once."""
    left = Event.objects.filter(contest_id=contest.pk, kind="contest.judge_removed")
    return left.filter(data__user_id=user.pk).exists()


def plays_in(user: User, contest: Contest) -> bool:
    return Membership.objects.filter(user=user, contest=contest).exists()


def is_over(contest: Contest, now: datetime) -> bool:
    """The last round has closed; a contest whose rounds are not set yet is not over."""
    rounds = contest.rounds.all()
    return bool(rounds) and all(round.has_closed(now) for round in rounds)


def is_captain(user: User | AnonymousUser, team: Team) -> bool:
    return user.is_authenticated and team.captain_id == user.pk


def may_rename(user: User | AnonymousUser, team: Team, now: datetime) -> bool:
    """The captain, until results stand under the name: when the first round closes.

    The same holds of the division in which the team plays.
    """
    closed = any(round.has_closed(now) for round in team.contest.rounds.all())
    return is_captain(user, team) and not closed


def has_played(user: User, contest: Contest, *, but: Team | None = None) -> bool:
    """Whether the person has sat in a team of the contest, other than `but`, that has handed in files.

    Such a person knows that team's answer key, and would have its tries a second time. Seats that
    were given up are told by the events alone.
    """
    return _sat_in(user, contest, but).filter(submissions__state__in=PLAYED).exists()


def has_had_table(user: User, contest: Contest, *, but: Team | None = None) -> bool:
    """The same of a team that has a table of its own by now: whoever saw it finds its records among the candidates."""
    return _sat_in(user, contest, but).filter(datasets__isnull=False).exists()


def has_asked(user: User, contest: Contest, *, but: Team | None = None) -> bool:
    """The same of a team that has paid for answers: such a person would have a second budget."""
    return _sat_in(user, contest, but).filter(answers__isnull=False).exists()


def _sat_in(user: User, contest: Contest, but: Team | None) -> QuerySet[Team]:
    """The teams of the contest, other than `but`, in which the person has a seat or had one."""
    seats = Event.objects.filter(contest_id=contest.pk, actor=user, kind__in=TOOK_A_SEAT)
    slugs = {subject.removeprefix("team ") for subject in seats.values_list("subject", flat=True)}
    teams = contest.teams.filter(slug__in=slugs)
    return teams.exclude(pk=but.pk) if but else teams


def refusal_to_play(
    user: User, contest: Contest, now: datetime, *, team: Team | None = None
) -> str | None:
    """Why this person may not enter that team, or a new one (a code of `services.REASONS`), or None."""
    if is_organizer(user, contest) or has_organized(user, contest):
        return "organizer"
    if is_judge(user, contest) or has_judged(user, contest):
        return "judge"
    if not contest.is_published:
        return "not_published"
    if is_over(contest, now):
        return "contest_over"
    if plays_in(user, contest):
        return "has_team"
    if has_played(user, contest, but=team):
        return "has_played"
    if has_had_table(user, contest, but=team):
        return "has_had_table"
    if has_asked(user, contest, but=team):
        return "has_asked"
    if team is None and contest.admission == contest.Admission.INVITED:
        return "invited_only"
    if team is None and not contest.has_room():
        return "no_people_left"
    return None


def refusal_of_invitation(invitation: Invitation, now: datetime) -> str | None:
    """Why this link opens nothing (a code of `services.REASONS`), or None."""
    team = invitation.team
    if invitation.used_at is not None:
        return "invitation_used"
    if invitation.revoked_at is not None:
        return "invitation_revoked"
    if invitation.expires_at <= now:
        return "invitation_expired"
    if team.memberships.count() >= team.contest.max_team_size:
        return "team_full"
    return None
