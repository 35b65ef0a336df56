# SPDX-License-Identifier: Apache-2.0
"""Every change to users and teams: one transaction and one audit event each."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts import names, policies, selectors
from pwscup.accounts.addresses import digest_of, network_of
from pwscup.accounts.models import (
    FormerAddress,
    Invitation,
    Membership,
    Readmission,
    SeatSource,
    SignInLink,
    Team,
    User,
)
from pwscup.accounts.names import short_names
from pwscup.core.audit_log import record
from pwscup.core.texts.refusals import RefusedByCode

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from pwscup.contests.models import Contest, Division

REASONS: dict[str, _StrPromise] = {
    "not_published": _("The contest is not published yet, so nobody can play in it."),
    "organizer": _("Organizers can see the answer key and may not play in their own contest."),
    "judge": _("Judges of this contest, and those who were, may not play in it."),
    "invited_only": _(
        "The organizers of this contest set up its teams. Open the invitation link that you were sent, "
        "or ask them for a link."
    ),
    "no_people_left": _(
        "Every team of this contest has its own individuals in its tables, and none are left for another team. "
        "Ask the organizers, or join a team with an invitation link from its captain."
    ),
    "contest_over": _("The last round of the contest has closed; teams no longer change."),
    "has_team": _("You already play in a team of this contest. One person plays in one team."),
    "has_played": _(
        "You were in another team of this contest, which has submitted files. "
        "One person plays in one team."
    ),
    "has_had_table": _(
        "You were in another team of this contest, which has got its table. One person plays in one team."
    ),
    "has_asked": _(
        "You were in another team of this contest, which has paid for answers. One person plays in one team."
    ),
    "came_back": _(
        "Somebody with your email address plays or played in a team of this contest under another account. "
        "One person plays in one team. The organizers can admit you."
    ),
    "tables_published": _(
        "The tables of the teams are published already, so no new teams are created. Join a team with an "
        "invitation link from its captain, or ask the organizers."
    ),
    "too_many_teams": _(
        "You have created as many teams in this contest as one person may. Join a team with an invitation "
        "link from its captain."
    ),
    "too_many_teams_today": _(
        "You have created as many teams today as one person may. Wait a day, or join a team with an "
        "invitation link from its captain."
    ),
    "team_used": _("The team has members, or has been active, so it cannot be removed."),
    "team_gone": _("This team no longer exists: everybody has left it."),
    "is_member": _("You are already in this team."),
    "team_full": _("The team is full: every seat is taken."),
    "invitation_revoked": _("This invitation has been revoked. Ask the captain for a new link."),
    "invitation_expired": _("This invitation has expired. Ask the captain for a new link."),
    "invitation_used": _(
        "This invitation was for one person and has been used. Ask the captain for a link of your own."
    ),
    "division_unknown": _("This contest has no such division."),
    "name_taken": _("Another team of this contest already has this name."),
    "short_name_taken": _(
        "Another team of this contest has or had this short name, or one that looks like it."
    ),
    "short_name_fixed": _(
        "Files, tables or decisions carry the short name of the team already; it can no longer be changed."
    ),
    "division_fixed": _("A round has closed; only the organizers can still change the division."),
    "name_fixed": _(
        "A round has closed and results are published under this name; it can no longer be changed."
    ),
    "captain_only": _("Only the captain of the team may do this."),
    "not_member": _("This person is not in the team."),
    "captain_stays": _("Transfer the captaincy before you leave the team."),
    "hand_over_first": _(
        "You are the captain of a team with other members. Transfer the captaincy first."
    ),
    "account_closed": _("This account has been deleted."),
    "guest_elsewhere": _(
        "You joined another contest by a class code, without an email address. Add an address on the page of "
        "your account to play here, or log out and join as somebody else."
    ),
    "code_gone": _("This class code is no longer valid. Ask the organizers for the new one."),
    "code_used_up": _("As many people have joined by this class code as may. Ask the organizers."),
    "link_needless": _(
        "This account has an email address or a password: log in with it, or reset the password."
    ),
    "administrator_creates": _("Administrators of the site may always create contests."),
    "guest_creates_none": _(
        "This account has no email address. It can create contests once it has one."
    ),
    "captain_invites": _(
        "The captain decides who joins this team now. Ask for the team's invitation link or its QR code."
    ),
}


class RefusedError(RefusedByCode):
    """A change of users or teams that the rules do not allow."""

    TEXTS = REASONS


# Teams


@transaction.atomic
def create_team(
    *,
    user: User,
    contest: Contest,
    name: str,
    short_name: str = "",
    division: Division | None = None,
    source: str = "",
) -> Team:
    """Create a team with this user as its captain and only member; `source` is the visitor's network address.

    Its short name, as `clean_short_name` returns it, is made from its name if it is empty.
    """
    _lock_person(user)
    # The contest's row is the lock on the seats, names and slugs of its teams.
    contest = type(contest).objects.select_for_update(no_key=True).get(pk=contest.pk)
    _refuse(policies.refusal_to_play(user, contest, timezone.now()))
    _refuse_taken_name(contest, name)
    _refuse_foreign_division(contest, division)
    if short_name:
        _refuse_taken_short_name(contest, short_name)
    slug = short_name or short_names.short_name_of(name, selectors.taken_slugs(contest))
    team = Team.objects.create(
        contest=contest, name=name, slug=slug, captain=user, division=division
    )
    _seat(user, team, source)
    _record("team.created", user, team, name=name, **_division_data(division))
    return team


@transaction.atomic
def choose_division(*, user: User, team: Team, division: Division | None) -> Team:
    """Move the team to another division, if it may still change its name."""
    team = _lock_as_captain(user, team)
    if not policies.may_rename(user, team, timezone.now()):
        raise RefusedError("division_fixed")
    return _divide(user, team, division)


@transaction.atomic
def move_to_division(*, actor: User, team: Team, division: Division | None) -> Team:
    """Move a team to a division as an organizer: at any time."""
    return _divide(actor, _lock(team), division)


def _divide(actor: User, team: Team, division: Division | None) -> Team:
    _refuse_foreign_division(team.contest, division)
    before, team.division = team.division, division
    if before != division:
        team.save(update_fields=["division"])
        keys = [before.key if before else None, division.key if division else None]
        _record("team.division_changed", actor, team, division=keys)
    return team


@transaction.atomic
def rename_team(*, user: User, team: Team, name: str) -> Team:
    """Rename the team; its short name stays, see `choose_short_name`."""
    _lock_contest(team)
    team = _lock_as_captain(user, team)
    if not policies.may_rename(user, team, timezone.now()):
        raise RefusedError("name_fixed")
    _refuse_taken_name(team.contest, name, but=team)
    before, team.name = team.name, name
    team.save(update_fields=["name"])
    _record("team.renamed", user, team, before=before, name=name)
    return team


@transaction.atomic
def set_profile(
    *, user: User, team: Team, shows_name: bool | None = None, affiliation: str | None = None
) -> Team:
    """Change the public page of a team: a member's own name, and the affiliation, which the captain sets.

    The trail says that the affiliation was changed, not the text: archives call teams by numbers.
    """
    _lock_contest(team)
    team = _lock(team) if affiliation is None else _lock_as_captain(user, team)
    seat = team.memberships.filter(user=user).first()
    if seat is None:
        raise RefusedError("not_member")
    changed = []
    if shows_name is not None and seat.shows_name != shows_name:
        seat.shows_name = shows_name
        seat.save(update_fields=["shows_name"])
        changed.append("shows_name")
    if affiliation is not None and team.affiliation != affiliation:
        team.affiliation = affiliation
        team.save(update_fields=["affiliation"])
        changed.append("affiliation")
    if changed:
        _record("team.profile_changed", user, team, changed=changed)
    return team


@transaction.atomic
def choose_short_name(*, user: User, team: Team, short_name: str) -> Team:
    """Give the team another short name, as its captain."""
    _lock_contest(team)
    return _shorten(user, _lock_as_captain(user, team), short_name)


@transaction.atomic
def give_short_name(*, actor: User, team: Team, short_name: str) -> Team:
    """Give the team another short name, as an organizer."""
    _lock_contest(team)
    return _shorten(actor, _lock(team), short_name)


def _shorten(actor: User, team: Team, short_name: str) -> Team:
    """Change the short name while nothing carries it; the trail says what it was."""
    if not policies.may_shorten(team, timezone.now()):
        raise RefusedError("short_name_fixed")
    before = team.slug
    if short_name == before:
        return team
    _refuse_taken_short_name(team.contest, short_name, but=team)
    team.slug = short_name
    team.save(update_fields=["slug"])
    _record(selectors.SHORTENED, actor, team, before=before, short_name=short_name)
    return team


@transaction.atomic
def invite(*, user: User, team: Team) -> Invitation:
    """Create a link that opens the team for a week; it replaces an earlier link."""
    team = _lock_as_captain(user, team)
    if policies.is_over(team.contest, timezone.now()):
        raise RefusedError("contest_over")
    _revoke_all(team, timezone.now())
    invitation = Invitation.objects.create(team=team, created_by=user)
    _record("team.invitation_created", user, team, expires_at=invitation.expires_at.isoformat())
    return invitation


@transaction.atomic
def revoke_invitation(*, user: User, team: Team) -> None:
    """Revoke the team's link."""
    team = _lock_as_captain(user, team)
    if _revoke_all(team, timezone.now()):
        _record("team.invitation_revoked", user, team)


@transaction.atomic
def join_team(*, user: User, invitation: Invitation, source: str = "") -> Team:
    """Join through an invitation; of two users at the last seat one gets it."""
    _lock_person(user)
    contest = invitation.team.contest
    type(contest).objects.select_for_update(no_key=True).get(pk=contest.pk)  # one seat per mailbox
    team = _lock(invitation.team)
    invitation = Invitation.objects.select_related("team__contest").get(pk=invitation.pk)
    if team.memberships.filter(user=user).exists():
        raise RefusedError("is_member")
    now = timezone.now()
    _refuse(policies.refusal_of_invitation(invitation, now))
    _refuse(policies.refusal_to_play(user, team.contest, now, team=team))
    if invitation.is_personal:
        invitation.used_at = now
        invitation.save(update_fields=["used_at"])
    return _join(user, team, source)


@transaction.atomic
def join_open_team(*, user: User, team: Team, source: str = "") -> Team:
    """Join, by the class code, a team that has nothing to hide yet."""
    _lock_person(user)
    type(team.contest).objects.select_for_update(no_key=True).get(pk=team.contest_id)
    team = _lock(team)
    _refuse(policies.refusal_of_open_team(team))
    _refuse(policies.refusal_to_play(user, team.contest, timezone.now(), team=team))
    return _join(user, team, source)


def _join(user: User, team: Team, source: str) -> Team:
    _seat(user, team, source)
    if team.captain_id is None:  # a team that organizers set up: the first member becomes captain
        team.captain = user
        team.save(update_fields=["captain"])
    _record("team.joined", user, team)
    return team


@transaction.atomic
def transfer_captaincy(*, user: User, team: Team, to: User) -> Team:
    """Make another member the captain."""
    team = _lock_as_captain(user, team)
    _membership(team, to)
    team.captain = to
    team.save(update_fields=["captain"])
    _record("team.captain_transferred", user, team, to=to.pk)
    return team


@transaction.atomic
def remove_member(*, user: User, team: Team, member: User) -> None:
    """Remove another member; submissions of that user stay with the team.

    The link through which the user joined is revoked, as it would open the team again.
    """
    team = _lock_as_captain(user, team)
    if member.pk == user.pk:
        raise RefusedError("captain_stays")
    _membership(team, member).delete()
    _revoke_all(team, timezone.now())
    _record("team.member_removed", user, team, member=member.pk)


@transaction.atomic
def leave_team(*, user: User, team: Team) -> None:
    """Leave a team; a captain only as the last member.

    Then the team stays without members, or is removed if it was never active.
    """
    team = _lock(team)
    membership = _membership(team, user)
    if team.captain_id == user.pk and team.memberships.exclude(user=user).exists():
        raise RefusedError("captain_stays")
    membership.delete()
    if team.captain_id == user.pk:
        _close(team)
    _record("team.left", user, team)
    if selectors.is_abandoned(team):
        _remove(user, team)


@transaction.atomic
def remove_team(*, actor: User, team: Team) -> None:
    """Remove a team without members and activity, as an organizer."""
    team = _lock(team)
    if not selectors.unused(Team.objects.filter(pk=team.pk)).exists():
        raise RefusedError("team_used")
    _remove(actor, team)


@transaction.atomic
def add_baseline_team(*, actor: User | None, contest: Contest, name: str) -> Team:
    """Create a team without members that the platform plays; the caller holds the lock of the contest."""
    _refuse_taken_name(contest, name)
    slug = short_names.short_name_of(name, selectors.taken_slugs(contest))
    team = Team.objects.create(contest=contest, name=name, slug=slug, is_house=True)
    _record("team.baseline_added", actor, team, name=name)
    return team


@transaction.atomic
def remove_baseline_team(*, actor: User, team: Team) -> None:
    """Remove a team of the platform that has not played, as an organizer."""
    team = _lock(team)
    if not selectors.without_activity(Team.objects.filter(pk=team.pk, is_house=True)).exists():
        raise RefusedError("team_used")
    _record("team.baseline_removed", actor, team, name=team.name)
    team.delete()


def _remove(actor: User, team: Team) -> None:
    """Free the name; the slug stays reserved, because the trail names the team by it."""
    _record("team.removed", actor, team, name=team.name)
    team.delete()


# Users


@transaction.atomic
def change_display_name(*, user: User, display_name: str) -> User:
    user.display_name = display_name
    user.save(update_fields=["display_name"])
    record("account.renamed", actor=user, subject=f"user {user.pk}")
    return user


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Remove all personal data; the row stays, because facts refer to it."""
    person = _lock_person(user)
    if selectors.teams_to_hand_over(person).exists():
        raise RefusedError("hand_over_first")
    for membership in selectors.memberships_of(person):
        leave_team(user=person, team=membership.team)
    _leave_offices(person)
    remember_address(user=person, address=person.email)
    EmailAddress.objects.filter(user=person).delete()
    person.access_tokens.all().delete()
    SignInLink.objects.filter(user=person).delete()
    person.email = f"deleted-{person.pk}@deleted.invalid"
    person.display_name = "deleted user"
    person.language = ""
    person.is_active = person.is_organizer = person.is_superuser = False
    person.deleted_at = timezone.now()
    person.last_login = None
    person.set_unusable_password()  # every session contains a hash of the password, so it ends
    person.save()
    record("account.deleted", actor=person, subject=f"user {person.pk}")


def _leave_offices(person: User) -> None:
    """Record former roles in the trail: former organizers and judges may not play under another account."""
    for kind, contests in (
        ("contest.organizer_removed", person.organizes),
        ("contest.judge_removed", person.judges),
    ):
        for contest_id in contests.values_list("pk", flat=True):
            subject = f"user {person.pk}"
            record(kind, actor=person, contest_id=contest_id, subject=subject, user_id=person.pk)
        contests.clear()


def remember_address(*, user: User, address: str) -> None:
    """Keep the hash of the former address of an account, for each contest that it took part in."""
    for contest in selectors.contests_touched(user):
        FormerAddress.objects.get_or_create(
            contest=contest, user=user, digest=digest_of(address, contest)
        )


def remember_language(*, user: User, language: str) -> None:
    """Write emails to this user in the language of the pages that the user reads."""
    if language in dict(settings.LANGUAGES) and user.language != language:
        user.language = language
        user.save(update_fields=["language"])


@transaction.atomic
def readmit(*, actor: User, contest: Contest, email: str) -> None:
    """Allow the user with this address to join one more team; the answer is the same for any address."""
    Readmission.objects.get_or_create(
        contest=contest, digest=digest_of(email, contest), defaults={"granted_by": actor}
    )
    record("team.readmitted", actor=actor, contest_id=contest.pk, subject=contest.slug)


@transaction.atomic
def grant_organizer(*, user: User, actor: User | None = None) -> User:
    """Allow this user to create contests; nothing is recorded if that is allowed already."""
    return _set_organizer(user, actor, is_organizer=True)


@transaction.atomic
def revoke_organizer(*, user: User, actor: User | None = None) -> User:
    """No longer allow this user to create contests; contests that the user organizes stay.

    Raises
    ------
    RefusedError
        If the user is an administrator of the site.
    """
    if user.is_superuser:
        raise RefusedError("administrator_creates")
    return _set_organizer(user, actor, is_organizer=False)


def _set_organizer(user: User, actor: User | None, *, is_organizer: bool) -> User:
    person = _lock_person(user)
    if person.is_guest:
        raise RefusedError("guest_creates_none")
    if person.is_organizer != is_organizer:
        person.is_organizer = user.is_organizer = is_organizer
        person.save(update_fields=["is_organizer"])
        kind = selectors.ORGANIZER_GRANTED if is_organizer else selectors.ORGANIZER_REVOKED
        record(kind, actor=actor, subject=f"user {person.pk}")
    return person


# Locks are taken in one order, user, contest, team, so that two changes never wait for each other.


def _lock_person(user: User) -> User:
    person = User.objects.select_for_update().get(pk=user.pk)
    if person.deleted_at is not None:
        raise RefusedError("account_closed")
    return person


def _lock_contest(team: Team) -> None:
    """The contest's row is the lock on the names of its teams."""
    type(team.contest).objects.select_for_update(no_key=True).get(pk=team.contest_id)


def _lock(team: Team) -> Team:
    locked = Team.objects.select_for_update().filter(pk=team.pk).first()
    if locked is None:
        raise RefusedError("team_gone")
    return locked


def _lock_as_captain(user: User, team: Team) -> Team:
    team = _lock(team)
    if not policies.is_captain(user, team):
        raise RefusedError("captain_only")
    return team


def _seat(user: User, team: Team, source: str) -> None:
    """Write the membership; the database enforces one team per user and contest. A readmission is used up."""
    try:
        with transaction.atomic():
            Membership.objects.create(team=team, user=user, contest_id=team.contest_id)
    except IntegrityError as error:
        raise RefusedError("has_team") from error
    team.contest.readmissions.filter(digest=digest_of(user.email, team.contest)).delete()
    network = network_of(source, team.contest)
    SeatSource.objects.create(contest_id=team.contest_id, team=team, user=user, network=network)


def _membership(team: Team, user: User) -> Membership:
    membership = team.memberships.filter(user=user).first()
    if membership is None:
        raise RefusedError("not_member")
    return membership


def _close(team: Team) -> None:
    team.captain = None
    team.save(update_fields=["captain"])
    _revoke_all(team, timezone.now())


def _revoke_all(team: Team, now: datetime) -> int:
    """Revoke the captain's links; organizers revoke what they sent to individual addresses."""
    shared = team.invitations.filter(email="", revoked_at=None, expires_at__gt=now)
    return shared.update(revoked_at=now)


def _refuse(code: str | None) -> None:
    if code is not None:
        raise RefusedError(code)


def _refuse_taken_name(contest: Contest, name: str, *, but: Team | None = None) -> None:
    others = contest.teams.exclude(pk=but.pk) if but else contest.teams.all()
    taken = frozenset[str]().union(*(names.looks(other.name) for other in others))
    if names.looks(name) & taken:
        raise RefusedError("name_taken")


def _refuse_taken_short_name(contest: Contest, short_name: str, *, but: Team | None = None) -> None:
    if short_names.resembles(short_name, selectors.short_names_of_others(contest, but)):
        raise RefusedError("short_name_taken")


def _refuse_foreign_division(contest: Contest, division: Division | None) -> None:
    if division is not None and division.contest_id != contest.pk:
        raise RefusedError("division_unknown")


def _division_data(division: Division | None) -> dict[str, str]:
    return {"division": division.key} if division else {}


def _record(kind: str, user: User | None, team: Team, **data: object) -> None:
    record(kind, actor=user, contest_id=team.contest_id, subject=f"team {team.slug}", **data)
