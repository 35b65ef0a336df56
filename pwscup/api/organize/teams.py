# SPDX-License-Identifier: Apache-2.0
"""The teams of a contest for its organizers: lists, divisions, invitations, class code, baseline teams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.accounts import guests
from pwscup.accounts import services as accounts
from pwscup.accounts.forms import ShortNameForm
from pwscup.accounts.invitations import link
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.problems import ApiRefused, ListRefused
from pwscup.api.schemas import organize as shapes
from pwscup.bots.selectors import baseline_teams
from pwscup.contests import services
from pwscup.contests.forms import ClassCodeForm, DivisionForm, ReadmissionForm
from pwscup.contests.organize import staff
from pwscup.contests.teams import lists, tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import Invitation, Team
    from pwscup.contests.models import Contest
    from pwscup.contests.organize.staff import TeamLine
    from pwscup.contests.teams.lists import Planned
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: teams"])
TEAMS = f"{CONTEST}/teams"
TEAM = f"{TEAMS}/{{slug:team}}"


@router.looks(
    TEAMS,
    "organize-teams",
    shapes.Teams,
    _("The teams of a contest with their invitations, divisions, class code and baseline teams"),
)
def teams(request: ApiRequest, slug: str) -> shapes.Teams:
    return _teams(contest_of(request, slug))


def _teams(contest: Contest) -> shapes.Teams:
    code = guests.class_code(contest)
    return shapes.Teams(
        teams=[_line(line) for line in staff.team_lines(contest)],
        divisions=[
            shapes.Division(
                key=one.key,
                title=one.title,
                title_ja=one.title_ja,
                n_teams=one.n_teams,  # type: ignore[attr-defined]  # counted by the query
            )
            for one in staff.divisions_of(contest)
        ],
        class_code=shapes.ClassCode(
            code=code.code,
            url=settings.SITE_URL + reverse("join-class", args=[code.code]),
            seats=code.seats,
            n_joined=code.n_joined,
        )
        if code
        else None,
        baseline_teams=[
            shapes.BaselineTeam(name=line.name, plays=line.plays)
            for line in baseline_teams(contest)["lines"]
        ],
        n_left=tables.n_teams_left(contest),
    )


def _line(line: TeamLine) -> shapes.TeamLine:
    team = line.team
    return shapes.TeamLine(
        slug=team.slug,
        name=team.name,
        division=team.division.key if team.division else None,
        captain=team.captain.display_name if team.captain else None,
        n_members=line.n_members,
        has_seat=line.has_seat,
        may_be_removed=line.may_be_removed,
        may_be_shortened=line.may_be_shortened,
        invitations=[_invitation(one) for one in line.invitations],
    )


def _invitation(one: Invitation) -> shapes.TeamInvitation:
    is_open = staff.is_waiting(one)
    return shapes.TeamInvitation(
        number=one.pk,
        email=one.email,
        state="open" if is_open else "used" if one.used_at else "revoked",
        url=link(one) if is_open else "",
        mailed_at=one.mailed_at,
    )


def _team(contest: Contest, slug: str) -> Team:
    found = contest.teams.filter(slug=slug).first()
    if found is None:
        raise Http404
    return found


# Lists of teams, and one team


@router.acts(
    TEAMS,
    "organize-teams",
    shapes.TeamListRead,
    _("Set up the teams of a list, or read it only; everybody in it is invited by email"),
    as_="organize-team-list",
    status=201,
)
def set_up(
    request: ApiRequest, slug: str, body: shapes.TeamList, version: int | None = VERSION
) -> Status:
    contest = contest_of(request, slug)
    if len(body.text.encode()) > lists.MAX_BYTES:
        raise ApiRefused("request.too_large", expected=lists.MAX_BYTES)
    found = lists.read(contest, body.text)
    if found.problems:
        raise ListRefused((problem.line, problem.words) for problem in found.problems)
    if not body.is_preview:
        services.set_up_teams(actor=request.user, contest=contest, version=version, text=body.text)
    return Status(201, _read(found.teams, is_done=not body.is_preview))


def _read(teams: Iterable[Planned], *, is_done: bool) -> shapes.TeamListRead:
    return shapes.TeamListRead(
        teams=[
            shapes.ListedTeam(
                name=one.name,
                short_name=one.short_name,
                division=one.division.key if one.division else None,
                emails=one.emails,
            )
            for one in teams
        ],
        is_done=is_done,
    )


@router.acts(
    TEAM,
    "organize-team",
    shapes.Teams,
    _("Move a team to a division, or give it another short name"),
    as_="organize-team-change",
    method="PATCH",
)
def change(
    request: ApiRequest, slug: str, team: str, body: shapes.OrganizedTeamChange
) -> shapes.Teams:
    contest = contest_of(request, slug)
    found, given = _team(contest, team), body.dict(exclude_unset=True)
    if "division" in given:
        key = given["division"] or ""
        division = next((one for one in contest.divisions.all() if one.key == key), None)
        if key and division is None:
            raise accounts.RefusedError("division_unknown")
        accounts.move_to_division(actor=request.user, team=found, division=division)
    if given.get("short_name") is not None and not found.is_house:
        named = checked(ShortNameForm(given)).cleaned_data
        accounts.give_short_name(actor=request.user, team=found, **named)
    return _teams(contest)


@router.acts(
    TEAM,
    "organize-team",
    shapes.Teams,
    _("Remove a team without members and without activity"),
    as_="organize-team-remove",
    method="DELETE",
)
def remove(request: ApiRequest, slug: str, team: str) -> shapes.Teams:
    contest = contest_of(request, slug)
    accounts.remove_team(actor=request.user, team=_team(contest, team))
    return _teams(contest)


@router.acts(
    f"{CONTEST}/readmissions",
    "organize-team-readmit",
    None,
    _("Allow a person who was in another team to join one more"),
    status=204,
)
def readmit(request: ApiRequest, slug: str, body: shapes.Address) -> Status:
    contest = contest_of(request, slug)
    email = checked(ReadmissionForm(data_of(body))).cleaned_data["email"]
    accounts.readmit(actor=request.user, contest=contest, email=email)
    return Status(204, None)


# Invitations


@router.acts(
    f"{TEAM}/invitations",
    "organize-invitations",
    shapes.Teams,
    _("Invite one more person to a team by email"),
    status=201,
)
def invite(request: ApiRequest, slug: str, team: str, body: shapes.Address) -> Status:
    contest = contest_of(request, slug)
    email = checked(ReadmissionForm(data_of(body))).cleaned_data["email"]
    invited = _team(contest, team).pk
    services.invite_address(actor=request.user, contest=contest, team_id=invited, email=email)
    return Status(201, _teams(contest))


@router.acts(
    f"{CONTEST}/invitations/{{int:number}}/resend",
    "organize-invitation-resend",
    shapes.Teams,
    _("Send a personal invitation again"),
)
def resend(request: ApiRequest, slug: str, number: int) -> shapes.Teams:
    contest = contest_of(request, slug)
    services.resend_invitation(actor=request.user, contest=contest, invitation_id=number)
    return _teams(contest)


@router.acts(
    f"{CONTEST}/invitations/{{int:number}}",
    "organize-invitation",
    shapes.Teams,
    _("Revoke a personal invitation"),
    as_="organize-invitation-revoke",
    method="DELETE",
)
def revoke(request: ApiRequest, slug: str, number: int) -> shapes.Teams:
    contest = contest_of(request, slug)
    services.revoke_invitation(actor=request.user, contest=contest, invitation_id=number)
    return _teams(contest)


# Divisions


@router.acts(
    f"{CONTEST}/divisions",
    "organize-divisions",
    shapes.Teams,
    _("Create a division"),
    status=201,
)
def create_division(request: ApiRequest, slug: str, body: shapes.NewDivision) -> Status:
    contest = contest_of(request, slug)
    given = checked(DivisionForm(data_of(body))).cleaned_data
    services.create_division(actor=request.user, contest=contest, **given)
    return Status(201, _teams(contest))


@router.acts(
    f"{CONTEST}/divisions/{{slug:division}}",
    "organize-division",
    shapes.Teams,
    _("Rename a division"),
    as_="organize-division-rename",
    method="PUT",
)
def rename_division(
    request: ApiRequest, slug: str, division: str, body: shapes.NewDivision
) -> shapes.Teams:
    contest = contest_of(request, slug)
    given = checked(DivisionForm(data_of(body))).cleaned_data
    services.rename_division(actor=request.user, contest=contest, key=division, **given)
    return _teams(contest)


@router.acts(
    f"{CONTEST}/divisions/{{slug:division}}",
    "organize-division",
    shapes.Teams,
    _("Remove a division without teams"),
    as_="organize-division-remove",
    method="DELETE",
)
def remove_division(request: ApiRequest, slug: str, division: str) -> shapes.Teams:
    contest = contest_of(request, slug)
    services.remove_division(actor=request.user, contest=contest, key=division)
    return _teams(contest)


# The class code


@router.acts(
    f"{CONTEST}/class-code",
    "organize-class-code",
    shapes.Teams,
    _("Create a class code, which replaces an earlier one"),
    method="PUT",
)
def create_code(request: ApiRequest, slug: str, body: shapes.Seats) -> shapes.Teams:
    contest = contest_of(request, slug)
    seats = checked(ClassCodeForm({"seats": body.seats})).cleaned_data["seats"]
    guests.create_code(actor=request.user, contest=contest, seats=seats)
    return _teams(contest)


@router.acts(
    f"{CONTEST}/class-code",
    "organize-class-code",
    shapes.Teams,
    _("Revoke the class code"),
    as_="organize-class-code-revoke",
    method="DELETE",
)
def revoke_code(request: ApiRequest, slug: str) -> shapes.Teams:
    contest = contest_of(request, slug)
    guests.revoke_code(actor=request.user, contest=contest)
    return _teams(contest)


# Baseline teams


@router.acts(
    f"{CONTEST}/baseline-teams/{{str:name}}",
    "organize-baseline-teams",
    shapes.Teams,
    _("Let the platform play a baseline team"),
    method="PUT",
)
def add_baseline(request: ApiRequest, slug: str, name: str) -> shapes.Teams:
    contest = contest_of(request, slug)
    services.add_baseline_team(actor=request.user, contest=contest, name=name)
    return _teams(contest)


@router.acts(
    f"{CONTEST}/baseline-teams/{{str:name}}",
    "organize-baseline-teams",
    shapes.Teams,
    _("Remove a baseline team that has not played"),
    as_="organize-baseline-team-remove",
    method="DELETE",
)
def remove_baseline(request: ApiRequest, slug: str, name: str) -> shapes.Teams:
    contest = contest_of(request, slug)
    services.remove_baseline_team(actor=request.user, contest=contest, name=name)
    return _teams(contest)
