# SPDX-License-Identifier: Apache-2.0
"""The own team: creation, names, members, invitations; and roles that organizers offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from ninja import Status
from ninja.errors import Throttled

from pwscup.accounts import guests, limits, policies, selectors, services
from pwscup.accounts.addresses import source_of
from pwscup.accounts.forms import (
    DivisionChoiceForm,
    FoundingForm,
    ShortNameForm,
    TeamForm,
    TeamProfileForm,
)
from pwscup.accounts.invitations import link
from pwscup.accounts.models import Team, User
from pwscup.accounts.tokens import TEAM as TEAM_SCOPE
from pwscup.api import schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations
from pwscup.api.problems import ApiRefused
from pwscup.api.teams.common import CONTEST, own_team
from pwscup.archives.services import set_consent
from pwscup.contests import services as contest_services
from pwscup.contests.policies import may_see
from pwscup.contests.selectors import office_invitation, visible_contest
from pwscup.contests.services.commitment import contribute, contribution_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pwscup.accounts.models import Invitation
    from pwscup.contests.models import Contest
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["team"])
TEAM = f"{CONTEST}/team"
MINUTE = 60


def _own(request: ApiRequest, slug: str) -> Team:
    team = own_team(request, visible_contest(request.user, slug))
    return Team.objects.select_related("contest", "division").get(pk=team.pk)


@router.looks(TEAM, "team", schemas.OwnTeam, _("Your team and its members"))
def team(request: ApiRequest, slug: str) -> schemas.OwnTeam:
    return _shown(request, _own(request, slug))


def _shown(request: ApiRequest, own: Team) -> schemas.OwnTeam:
    now, is_captain = timezone.now(), policies.is_captain(request.user, own)
    may_invite = (
        is_captain and TEAM_SCOPE in request.auth.all_scopes
    )  # its link is more than reading
    invitation = selectors.live_invitation(own, now) if may_invite else None
    return schemas.OwnTeam(
        slug=own.slug,
        name=own.name,
        division=own.division.key if own.division else None,
        members=[
            schemas.Member(
                number=one.user_id,
                name=one.user.display_name,
                is_captain=one.user_id == own.captain_id,
                joined_at=one.joined_at,
            )
            for one in selectors.members_of(own)
        ],
        seats=own.contest.max_team_size,
        is_captain=is_captain,
        may_rename=policies.may_rename(request.user, own, now),
        may_shorten=is_captain and policies.may_shorten(own, now),
        is_named_in_archive=own.is_named_in_archive,
        affiliation=own.affiliation,
        contribution=contribution_of(own),
        invitation=_invitation(invitation) if invitation else None,
    )


def _invitation(found: Invitation) -> schemas.Invitation:
    return schemas.Invitation(token=found.token, url=link(found), expires_at=found.expires_at)


@router.acts(
    TEAM,
    "team",
    schemas.OwnTeam,
    _("Create a team, whose captain you are"),
    as_="team-create",
    status=201,
)
def create(request: ApiRequest, slug: str, body: schemas.NewTeam) -> Status:
    contest = visible_contest(request.user, slug)
    form = checked(FoundingForm(data_of(body), divisions=contest.divisions.all()))
    made = services.create_team(
        user=request.user, contest=contest, source=source_of(request), **form.cleaned_data
    )
    return Status(201, _shown(request, _own(request, made.contest.slug)))


@router.acts(
    TEAM,
    "team",
    schemas.OwnTeam,
    _("Change the name, the short name, the division or the consent to be named in archives"),
    as_="team-change",
    method="PATCH",
)
def change(request: ApiRequest, slug: str, body: schemas.TeamChange) -> schemas.OwnTeam:
    own, given = _own(request, slug), body.dict(exclude_unset=True)
    names = checked(TeamForm(given)).cleaned_data if "name" in given else None
    short = checked(ShortNameForm(given)).cleaned_data if "short_name" in given else None
    profile = _profile_of(given)
    divisions = own.contest.divisions.all()
    if "division" in given:
        data = {"division": given["division"] or ""}
        division = checked(DivisionChoiceForm(data, divisions=divisions)).cleaned_data
        services.choose_division(user=request.user, team=own, **division)
    if names:
        services.rename_team(user=request.user, team=own, **names)
    if short:
        services.choose_short_name(user=request.user, team=own, **short)
    if (is_named := given.get("is_named_in_archive")) is not None:
        set_consent(user=request.user, team=own, is_named=is_named)
    if profile:
        services.set_profile(user=request.user, team=own, **profile)
    contribute(user=request.user, team=own, text=given.get("contribution") or "")
    return _shown(request, _own(request, slug))


def _profile_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values of the public page, checked like those of its form."""
    names = [name for name in ("affiliation", "shows_name") if given.get(name) is not None]
    form = checked(TeamProfileForm(given, is_captain=True)) if names else None
    return {name: form.cleaned_data[name] for name in names} if form else {}


@router.acts(f"{TEAM}/leave", "team-leave", None, _("Leave your team"), status=204)
def leave(request: ApiRequest, slug: str) -> Status:
    services.leave_team(user=request.user, team=_own(request, slug))
    return Status(204, None)


@router.acts(
    f"{TEAM}/invitation",
    "team-invite",
    schemas.Invitation,
    _("Create an invitation link for a week, which replaces the one before"),
    status=201,
)
def invite(request: ApiRequest, slug: str) -> Status:
    made = services.invite(user=request.user, team=_own(request, slug))
    return Status(201, _invitation(made))


@router.acts(
    f"{TEAM}/invitation",
    "team-invite",
    None,
    _("Revoke the invitation link"),
    as_="team-revoke",
    method="DELETE",
    status=204,
)
def revoke(request: ApiRequest, slug: str) -> Status:
    services.revoke_invitation(user=request.user, team=_own(request, slug))
    return Status(204, None)


def _member(own: Team, number: int) -> User:
    return get_object_or_404(User, pk=number, memberships__team=own)


@router.acts(
    f"{TEAM}/members/{{int:number}}/captain",
    "team-transfer",
    schemas.OwnTeam,
    _("Make another member the captain"),
)
def transfer(request: ApiRequest, slug: str, number: int) -> schemas.OwnTeam:
    own = _own(request, slug)
    services.transfer_captaincy(user=request.user, team=own, to=_member(own, number))
    return _shown(request, _own(request, slug))


@router.acts(
    f"{TEAM}/members/{{int:number}}",
    "team-remove",
    schemas.OwnTeam,
    _("Remove a member"),
    method="DELETE",
)
def remove(request: ApiRequest, slug: str, number: int) -> schemas.OwnTeam:
    own = _own(request, slug)
    services.remove_member(user=request.user, team=own, member=_member(own, number))
    return _shown(request, _own(request, slug))


# Joining


@router.looks(
    "/invitations/{slug:token}",
    "invitation",
    schemas.Invited,
    _("The team of an invitation link, and why you cannot join it"),
)
def invitation(request: ApiRequest, token: str) -> schemas.Invited:
    found = _opened(request, token)
    contest, now = found.team.contest, timezone.now()
    code = policies.refusal_of_invitation(found, now)
    code = code or policies.refusal_to_play(request.user, contest, now, team=found.team)
    return schemas.Invited(
        contest=contest.slug,
        team=found.team.name,
        n_members=found.team.memberships.count(),
        reason=str(services.REASONS[code]) if code else None,
    )


@router.acts(
    "/invitations/{slug:token}",
    "invitation",
    schemas.OwnTeam,
    _("Join the team of an invitation link"),
    as_="team-join",
)
def join(request: ApiRequest, token: str) -> schemas.OwnTeam:
    found = _opened(request, token)
    joined = services.join_team(user=request.user, invitation=found, source=source_of(request))
    return _shown(request, _own(request, joined.contest.slug))


def _opened(request: ApiRequest, token: str) -> Invitation:
    found = selectors.invitation_by_token(token)
    if found is None or not may_see(request.user, found.team.contest):
        raise Http404
    return found


@router.acts(
    f"{CONTEST}/join",
    "join-class",
    schemas.OwnTeam,
    _("Join a team, or create one, by the class code of a contest"),
    status=201,
)
def join_by_code(request: ApiRequest, slug: str, body: schemas.JoinByCode) -> Status:
    contest = visible_contest(request.user, slug)
    if limits.is_exhausted(request, "wrong_code"):
        raise Throttled(wait=MINUTE)
    code = guests.code_by_text(body.code)
    if code is None or code.contest_id != contest.pk or not code.contest.is_public:
        limits.count(request, "wrong_code")
        raise ApiRefused("code.unknown")
    _person, joined = contest_services.join_class(
        code=code, user=request.user, source=source_of(request), **_chosen_team(contest, body)
    )
    return Status(201, _shown(request, _own(request, joined.contest.slug)))


def _chosen_team(contest: Contest, body: schemas.JoinByCode) -> dict[str, Any]:
    """The open team of that short name; or the names of a new one."""
    if body.team:
        team = policies.open_teams(contest).filter(slug=body.team).first()
        if team is None:
            raise services.RefusedError("team_gone")
        return {"team": team, "digest": body.digest}
    form = FoundingForm(
        {"name": body.name, "short_name": body.short_name, "division": body.division},
        divisions=contest.divisions.all(),
    )
    given = checked(form).cleaned_data
    return {
        "team_name": given["name"],
        "short_name": given["short_name"],
        "division": given.get("division"),
        "digest": body.digest,
    }


# Roles


@router.looks(
    "/offices/{slug:token}",
    "office-invitation",
    schemas.Office,
    _("The role that an invitation offers, and why you cannot accept it"),
)
def office(request: ApiRequest, token: str) -> schemas.Office:
    found = office_invitation(token)
    code = contest_services.staff.refusal_of_office(request.user, found)
    return schemas.Office(
        contest=found.contest.slug,
        office=found.office,
        reason=str(contest_services.staff.REFUSALS[code]) if code else None,
    )


@router.acts(
    "/offices/{slug:token}",
    "office-invitation",
    schemas.Office,
    _("Accept the role that an invitation offers"),
    as_="office-accept",
)
def accept_office(request: ApiRequest, token: str) -> schemas.Office:
    found = office_invitation(token)
    accepted = contest_services.accept_office(user=request.user, invitation=found)
    return schemas.Office(contest=accepted.slug, office=found.office, reason=None)
