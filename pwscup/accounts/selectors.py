# SPDX-License-Identifier: Apache-2.0
"""Queries about users and their teams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, Q, QuerySet

from pwscup.accounts.addresses import digest_of
from pwscup.accounts.models import FormerAddress, Invitation, Membership, Team, User
from pwscup.accounts.names.short_names import base_of
from pwscup.core.db.prepared import Prepared
from pwscup.core.models import Event

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

TOOK_A_SEAT = ("team.created", "team.joined")
# Facts that refer to a team: a team with one of these is never deleted.
FACTS = (
    "submissions",
    "releases",
    "datasets",
    "answers",
    "trials",
    "choices",
    "rulings",
    "late_allowances",
    "marks",
    "comments",
    "audience_votes",
    "questions",
)
SHORTENED = "team.short_name_changed"
ORGANIZER_GRANTED, ORGANIZER_REVOKED = "account.organizer_granted", "account.organizer_revoked"
LEFT_OFFICE = ("contest.organizer_removed", "contest.judge_removed")


def team_of(user: User | AnonymousUser, contest: Contest) -> Team | None:
    """The team in which this user plays in the contest."""
    if not user.is_authenticated:
        return None
    return _TEAM.first(user.pk, contest.pk)


def _team_of(user_id: int, contest_id: int) -> QuerySet[Team]:
    found = Team.objects.filter(memberships__user=user_id, contest=contest_id)
    return found.order_by("pk")[:1]


_TEAM = Prepared(_team_of, int, int)


def members_of(team: Team) -> QuerySet[Membership]:
    """The members in the order they joined, each with its user."""
    return team.memberships.select_related("user").order_by("joined_at", "id")


def live_invitation(team: Team, now: datetime) -> Invitation | None:
    """The captain's link that is still valid, if there is one."""
    shared = team.invitations.filter(email="", revoked_at=None, expires_at__gt=now)
    return shared.order_by("-created_at").first()


def invitation_by_token(token: str) -> Invitation | None:
    return Invitation.objects.select_related("team__contest").filter(token=token).first()


def memberships_of(user: User) -> QuerySet[Membership]:
    """The teams of a user, the newest contest first."""
    return user.memberships.select_related("team", "contest").order_by("-contest__created_at", "id")


def namesakes(contests: Iterable[Contest]) -> set[int]:
    """The keys of contests whose title in the reader's language another one of them has, too."""
    titles = {contest.pk: contest.local_title for contest in contests}
    count = Counter(titles.values())
    return {pk for pk, title in titles.items() if count[title] > 1}


def teams_to_hand_over(user: User) -> QuerySet[Team]:
    """The teams with other members whose captain is this user."""
    others = Membership.objects.exclude(user=user).values("team")
    return Team.objects.filter(captain=user, pk__in=others).select_related("contest")


def contests_left_without_organizer(user: User) -> list[Contest]:
    """The contests whose only organizer is this user."""
    return [
        contest
        for contest in user.organizes.prefetch_related("organizers")
        if len(contest.organizers.all()) == 1
    ]


def personal_invitations(team: Team) -> QuerySet[Invitation]:
    """Unused invitations that organizers sent to individual addresses."""
    waiting = team.invitations.filter(revoked_at=None, used_at=None)
    return waiting.exclude(email="").order_by("id")


def untouched(teams: QuerySet[Team]) -> QuerySet[Team]:
    """The teams without activity; never one that the platform itself plays."""
    return without_activity(teams).filter(is_house=False)


def without_activity(teams: QuerySet[Team]) -> QuerySet[Team]:
    """The teams that have done and received nothing yet."""
    return teams.filter(**{f"{name}__isnull": True for name in FACTS})


def is_untouched(team: Team) -> bool:
    return untouched(Team.objects.filter(pk=team.pk)).exists()


def unused(teams: QuerySet[Team]) -> QuerySet[Team]:
    """The teams without members and without activity; never one that the platform itself plays."""
    return untouched(teams).filter(memberships__isnull=True)


def with_free_seat(teams: QuerySet[Team]) -> QuerySet[Team]:
    """The teams with a seat that neither a member nor a waiting personal invitation takes."""
    personal = Q(invitations__email__gt="", invitations__used_at=None, invitations__revoked_at=None)
    return teams.annotate(
        n_seated=Count("memberships", distinct=True),
        n_invited=Count("invitations", filter=personal, distinct=True),
    ).filter(contest__max_team_size__gt=F("n_seated") + F("n_invited"))


def teams_hiding_nothing(contest: Contest) -> QuerySet[Team]:
    """The teams by name without submissions, a table of their own, trials, and answers that they have paid for."""
    return Team.objects.filter(
        contest=contest,
        is_house=False,
        submissions__isnull=True,
        datasets__isnull=True,
        answers__isnull=True,
        trials__isnull=True,
    ).order_by("name", "id")


def is_abandoned(team: Team) -> bool:
    """Everybody has left a team that users created, and it has no activity."""
    set_up = team.invitations.exclude(email="")
    return unused(Team.objects.filter(pk=team.pk)).exists() and not set_up.exists()


# Several accounts of one user


def same_person(user: User, contest: Contest) -> frozenset[int]:
    """The accounts under which this user took part in the contest, this one included.

    Two accounts belong to one user if one of them has or had the mailbox that the other has or had.
    """
    former = FormerAddress.objects.filter(contest=contest).values_list("user_id", "digest")
    present = people_of(contest).values_list("pk", "email")
    pairs = {*former, *((pk, digest_of(email, contest)) for pk, email in present)}
    people, digests = {user.pk}, {digest_of(user.email, contest)}
    while found := {pair for pair in pairs if pair[0] in people or pair[1] in digests}:
        pairs -= found
        people |= {person for person, _digest in found}
        digests |= {digest for _person, digest in found}
    return frozenset(people)


def people_of(contest: Contest) -> QuerySet[User]:
    """The accounts, except deleted ones, that have or had a seat or a role in the contest."""
    seats = Event.objects.filter(contest_id=contest.pk, kind__in=TOOK_A_SEAT)
    named = (
        Q(pk__in=contest.organizers.values("pk"))
        | Q(pk__in=contest.judges.values("pk"))
        | Q(pk__in=left_office(contest))
        | Q(pk__in=Membership.objects.filter(contest=contest).values("user"))
        | Q(pk__in=seats.values("actor"))
    )
    return User.objects.filter(named, deleted_at=None)


def left_office(contest: Contest, *kinds: str) -> set[int]:
    """Former organizers or judges of the contest; `kinds` are the events of their leaving."""
    left = Event.objects.filter(contest_id=contest.pk, kind__in=kinds or LEFT_OFFICE)
    return {data["user_id"] for data in left.values_list("data", flat=True)}


def contests_touched(user: User) -> QuerySet[Contest]:
    """The contests with data in which the user took a seat, or has or had a role."""
    seats = Event.objects.filter(actor=user, kind__in=TOOK_A_SEAT)
    left = Event.objects.filter(kind__in=LEFT_OFFICE, data__user_id=user.pk)
    events = [
        *seats.values_list("contest_id", flat=True),
        *left.values_list("contest_id", flat=True),
    ]
    contests = apps.get_model("contests.Contest").objects.filter(erased_at=None)
    named = (
        Q(pk__in=events) | Q(teams__memberships__user=user) | Q(organizers=user) | Q(judges=user)
    )
    return contests.filter(named).distinct()


def taken_slugs(contest: Contest) -> set[str]:
    """The present and former slugs of present and former teams of the contest: the trail names teams by slug."""
    made = Event.objects.filter(contest_id=contest.pk, kind__in=("team.created", "team.set_up"))
    former = {subject.removeprefix("team ") for subject in made.values_list("subject", flat=True)}
    changed = current_slugs(contest)
    return former | {*changed, *changed.values(), *contest.teams.values_list("slug", flat=True)}


def current_slugs(contest: Contest) -> dict[str, str]:
    """The present slugs of teams that have changed theirs, by each former one, by which the trail names them."""
    now: dict[str, str] = {}
    changes = Event.objects.filter(contest_id=contest.pk, kind=SHORTENED).order_by("id")
    for data in changes.values_list("data", flat=True):
        before, after = data["before"], data["short_name"]
        now = {known: after if slug == before else slug for known, slug in now.items()}
        now[before] = after
    return now


def short_names_of_others(contest: Contest, team: Team | None = None) -> set[str]:
    """Names that a short name of this team must not look like: present and former slugs of others, and their names."""
    changed = current_slugs(contest)
    others = contest.teams.exclude(pk=team.pk) if team else contest.teams.all()
    own = {slug for slug, now in changed.items() if team and now == team.slug}
    own |= {team.slug} if team else set()
    read = {base_of(name) for name in others.values_list("name", flat=True)}
    return (taken_slugs(contest) - own) | (read - {""})


def n_teams_created(
    people: Iterable[int], contest: Contest | None = None, since: datetime | None = None
) -> int:
    """The number of teams that these accounts created: in a contest or in all of them; since a time, or ever."""
    created = Event.objects.filter(kind="team.created", actor__in=people)
    if contest is not None:
        created = created.filter(contest_id=contest.pk)
    return (created if since is None else created.filter(at__gt=since)).count()


# Who may create contests


def creators() -> QuerySet[User]:
    """Everybody who may create contests, with the number of contests that each organizes: for administrators."""
    allowed = User.objects.filter(Q(is_organizer=True) | Q(is_superuser=True), deleted_at=None)
    return allowed.annotate(n_contests=Count("organizes")).order_by("display_name", "pk")


def decisions_about_creators(most: int) -> list[tuple[Event, User | None]]:
    """The newest decisions about who may create contests, each with the account that it is about."""
    kinds = (ORGANIZER_GRANTED, ORGANIZER_REVOKED)
    found = list(
        Event.objects.filter(kind__in=kinds).select_related("actor").order_by("-id")[:most]
    )
    people = User.objects.in_bulk({_person_in(event) for event in found})
    return [(event, people.get(_person_in(event))) for event in found]


def _person_in(event: Event) -> int:
    return int(event.subject.removeprefix("user "))
