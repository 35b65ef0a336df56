# SPDX-License-Identifier: Apache-2.0
"""Predicates about who plays, who organizes, and who may do what with a team."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings

from pwscup.accounts import selectors
from pwscup.accounts.addresses import digest_of
from pwscup.accounts.models import Invitation, Membership, Team, User
from pwscup.core.models import Event

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django.db.models import QuerySet

    from pwscup.contests.models import Contest

DAY = timedelta(days=1)
# The states of submissions that use an attempt, and the one that organizers retry. The models are in an app
# above this one, so the names are repeated here.
PLAYED = ("waiting", "running", "scored", "failed")


def is_organizer(user: User | AnonymousUser, contest: Contest) -> bool:
    """An organizer of this contest, or an operator of the installation: they know the answer key."""
    if not user.is_authenticated:
        return False
    return user.is_superuser or contest.organizers.filter(pk=user.pk).exists()


def may_make_organizers(user: User | AnonymousUser) -> bool:
    """Administrators of the site decide who may create contests."""
    return user.is_authenticated and user.is_superuser


def has_organized(people: frozenset[int], contest: Contest) -> bool:
    """One of these accounts is or was an organizer of the contest: a former organizer still knows the answer key."""
    left = selectors.left_office(contest, "contest.organizer_removed")
    return bool(left & people) or contest.organizers.filter(pk__in=people).exists()


def is_judge(user: User | AnonymousUser, contest: Contest) -> bool:
    """The user grades the presentations of this contest."""
    return user.is_authenticated and contest.judges.filter(pk=user.pk).exists()


def has_judged(people: frozenset[int], contest: Contest) -> bool:
    """One of these accounts is or was a judge of the contest."""
    left = selectors.left_office(contest, "contest.judge_removed")
    return bool(left & people) or contest.judges.filter(pk__in=people).exists()


def plays_in(user: User, contest: Contest) -> bool:
    return has_seat({user.pk}, contest)


def has_seat(people: Iterable[int], contest: Contest) -> bool:
    """One of these accounts plays in the contest."""
    return Membership.objects.filter(user__in=people, contest=contest).exists()


def is_over(contest: Contest, now: datetime) -> bool:
    """The last round has closed; a contest without scheduled rounds is not over."""
    rounds = contest.rounds.all()
    return bool(rounds) and all(round.has_closed(now) for round in rounds)


def is_captain(user: User | AnonymousUser, team: Team) -> bool:
    return user.is_authenticated and team.captain_id == user.pk


def may_rename(user: User | AnonymousUser, team: Team, now: datetime) -> bool:
    """The captain, until the first round closes: then results are published under the name.

    The same holds for the division of the team.
    """
    closed = any(round.has_closed(now) for round in team.contest.rounds.all())
    return is_captain(user, team) and not closed


def may_shorten(team: Team, now: datetime) -> bool:
    """The team may get another short name: no file, table or decision carries it, and the contest is not over."""
    return not is_over(team.contest, now) and selectors.is_untouched(team)


def has_taken_part(user: User, contest: Contest) -> bool:
    """The user plays, or has had a seat that excludes another one, under this account or another.

    Such a user knows the answer key of a team, and is not neutral.
    """
    people = selectors.same_person(user, contest)
    return has_seat(people, contest) or _refusal_of_seats(people, contest, None) is not None


def _refusal_of_seats(people: Iterable[int], contest: Contest, but: Team | None) -> str | None:
    """The reason why former seats of these accounts, in teams other than `but`, exclude another seat; empty if none.

    Such a user knows the answer key of the former team, and would get a second set of attempts.
    """
    sat_in = _sat_in(people, contest, but)
    if sat_in.filter(submissions__state__in=PLAYED).exists():
        return "has_played"
    # Anyone who saw a team's own table recognizes its records among the candidates.
    if sat_in.filter(datasets__isnull=False).exists():
        return "has_had_table"
    if sat_in.filter(answers__isnull=False).exists():  # a second budget
        return "has_asked"
    return None


def _sat_in(people: Iterable[int], contest: Contest, but: Team | None) -> QuerySet[Team]:
    """The teams of the contest, other than `but`, in which one of these accounts has a seat or had one."""
    seats = Event.objects.filter(
        contest_id=contest.pk, actor__in=people, kind__in=selectors.TOOK_A_SEAT
    )
    now = selectors.current_slugs(contest)
    slugs = {subject.removeprefix("team ") for subject in seats.values_list("subject", flat=True)}
    teams = contest.teams.filter(slug__in=[now.get(slug, slug) for slug in slugs])
    return teams.exclude(pk=but.pk) if but else teams


def is_readmitted(user: User, contest: Contest) -> bool:
    """The organizers allow the user to play again after leaving another team."""
    return contest.readmissions.filter(digest=digest_of(user.email, contest)).exists()


def has_published_tables(contest: Contest) -> bool:
    """Tables of teams are published: a new account could attack the table of its owner's old team."""
    return contest.rounds.filter(releases__isnull=False).exists()


def refusal_to_play(
    user: User, contest: Contest, now: datetime, *, team: Team | None = None
) -> str | None:
    """The reason (a code of `services.REASONS`) why this user may not join that team, or create one; or None."""
    people = selectors.same_person(user, contest)
    return (
        ("guest_elsewhere" if user.guest_of_id not in (None, contest.pk) else None)
        or _refusal_of_office(user, people, contest)
        or _refusal_of_time(contest, now)
        or ("has_team" if plays_in(user, contest) else None)
        or _refusal_of_past(user, people, contest, team)
        or (_refusal_of_new_team(people, contest, now) if team is None else None)
    )


ABOUT_NEW_TEAMS = frozenset(
    {
        "invited_only",
        "tables_published",
        "too_many_teams",
        "too_many_teams_today",
        "no_people_left",
    }
)
"""The reasons that keep somebody from creating a team, but not from joining one."""


def refusal_of_guests(contest: Contest, now: datetime) -> str | None:
    """The reason why somebody without an account may not create a team of the contest, or None."""
    return _refusal_of_time(contest, now) or _refusal_of_new_team((), contest, now)


def _refusal_of_office(user: User, people: frozenset[int], contest: Contest) -> str | None:
    if user.is_superuser or has_organized(people, contest):
        return "organizer"
    return "judge" if has_judged(people, contest) else None


def _refusal_of_time(contest: Contest, now: datetime) -> str | None:
    if not contest.is_published:
        return "not_published"
    return "contest_over" if is_over(contest, now) else None


def _refusal_of_past(
    user: User, people: frozenset[int], contest: Contest, team: Team | None
) -> str | None:
    """Another seat that the user had, or has or had under another account; that account may be deleted."""
    code = _refusal_of_seats({user.pk}, contest, team)
    if code is None and (has_seat(people, contest) or _refusal_of_seats(people, contest, team)):
        code = "came_back"
    return None if code is None or is_readmitted(user, contest) else code


def _refusal_of_new_team(people: Iterable[int], contest: Contest, now: datetime) -> str | None:
    if contest.admission == contest.Admission.INVITED:
        return "invited_only"
    if not contest.has_late_teams and has_published_tables(contest):
        return "tables_published"
    if selectors.n_teams_created(people, contest) >= settings.MAX_TEAMS_PER_PERSON:
        return "too_many_teams"
    if selectors.n_teams_created(people, since=now - DAY) >= settings.MAX_TEAMS_PER_DAY:
        return "too_many_teams_today"
    return None if contest.has_room() else "no_people_left"


def open_teams(contest: Contest) -> QuerySet[Team]:
    """The teams that anybody with the class code may join, without their captain.

    Somebody could come back as another guest: to read what a team hides, or to attack the old team's published table.
    """
    if not contest.has_late_teams and has_published_tables(contest):
        return Team.objects.none()
    return selectors.with_free_seat(selectors.teams_hiding_nothing(contest))


def refusal_of_open_team(team: Team) -> str | None:
    """The reason (a code of `services.REASONS`) why nobody joins this team by the class code, or None."""
    if not selectors.with_free_seat(Team.objects.filter(pk=team.pk)).exists():
        return "team_full"
    return None if open_teams(team.contest).filter(pk=team.pk).exists() else "captain_invites"


def refusal_of_invitation(invitation: Invitation, now: datetime) -> str | None:
    """The reason (a code of `services.REASONS`) why this link is invalid, or None."""
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
