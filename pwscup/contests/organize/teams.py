# SPDX-License-Identifier: Apache-2.0
"""The organizer's teams: divisions, lists of teams, personal invitations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from pwscup.accounts import guests
from pwscup.accounts import invitations as mails
from pwscup.accounts import services as accounts
from pwscup.accounts.forms import ShortNameForm
from pwscup.accounts.guests import class_code
from pwscup.accounts.policies import is_over
from pwscup.accounts.views import link_page
from pwscup.contests import selectors, services
from pwscup.contests.forms import (
    ClassCodeForm,
    DivisionForm,
    InviteForm,
    ReadmissionForm,
    TeamListForm,
)
from pwscup.contests.models import Contest
from pwscup.contests.organize import hints, staff
from pwscup.contests.organize.common import (
    attempt,
    carry_out,
    for_organizers,
    organizer_page,
    tell,
)
from pwscup.contests.teams import lists, tables
from pwscup.core.files.exports import csv_response
from pwscup.core.http.posted import posted_number
from pwscup.core.http.requests import SignedIn
from pwscup.core.qr import svg
from pwscup.core.texts.parts import joined

BACK = "organize-teams"
HERE_ONLY = ("localhost", "127.0.0.1", "::1")
HEADER = ("team", "division", "email", "link", "mailed", "state")


@require_safe
@for_organizers
def teams(request: HttpRequest, contest: Contest) -> HttpResponse:
    return _page(request, contest)


def _page(request: HttpRequest, contest: Contest, status: int = 200, **bound: Any) -> HttpResponse:
    """The page; `bound` are forms with errors that replace empty ones."""
    page = organizer_page(request, contest, "teams")
    page |= {
        "hints": hints.hints_of(contest, opens_files="compare" in request.GET),
        "is_compared": "compare" in request.GET,
        "lines": staff.team_lines(contest),
        "divisions": staff.divisions_of(contest),
        "code": class_code(contest),
        "code_form": ClassCodeForm(prefix="code"),
        "is_over": is_over(contest, page["now"]),
        "n_teams_left": tables.n_teams_left(contest),
        "division_form": DivisionForm(prefix="new"),
        "readmission_form": ReadmissionForm(prefix="readmit"),
        "list_form": TeamListForm(initial={"version": contest.version}),
    }
    return render(request, "organize/teams.html", page | bound, status=status)


def _change(
    request: HttpRequest, contest: Contest, service: Callable[..., Any], done: str, **what: Any
) -> HttpResponse:
    return carry_out(request, contest, service, done=done, back=BACK, **what)


# Joining by a code


@require_POST
@for_organizers
def code(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Create a class code, which replaces an earlier one; or revoke it."""
    if "revoke" in request.POST:
        words = _("The class code is revoked. Those who joined by it stay.")
        return _change(request, contest, guests.revoke_code, words)
    form = ClassCodeForm(request.POST, prefix="code")
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, code_form=form)
    words = _("The class code is ready.")
    return _change(request, contest, guests.create_code, words, **form.cleaned_data)


@require_safe
@never_cache
@for_organizers
def poster(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The code, its link and a large QR code, to print or to project."""
    held = class_code(contest)
    if held is None:
        raise Http404
    link = request.build_absolute_uri(reverse("join-class", args=[held.code]))
    page = {
        "contest": contest,
        "code": held,
        "link": link,
        "page_of_codes": request.build_absolute_uri(reverse("join")),
        "qr": svg(link, _("QR code of the link")),
        "is_here_only": urlsplit(link).hostname in HERE_ONLY,
    }
    return render(request, "organize/poster.html", page)


@require_POST
@for_organizers
@never_cache
def guest_link(request: SignedIn, contest: Contest) -> HttpResponse:
    """A new sign-in link for a guest who lost theirs; it is shown once."""
    guest = contest.guests.filter(
        pk=posted_number(request, "guest") or 0, memberships__contest=contest
    ).first()
    if guest is None:
        raise Http404
    try:
        token = guests.new_link(actor=request.user, user=guest)
    except accounts.RefusedError as refusal:
        tell(request, refusal)
        return redirect(BACK, contest.slug)
    return link_page(request, guest, token)


# Divisions


@require_POST
@for_organizers
def divisions(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Add a division; or rename or remove the one named by the button."""
    if key := request.POST.get("remove"):
        words = _("The division is removed.")
        return _change(request, contest, services.remove_division, words, key=key)
    key = request.POST.get("rename")
    form = DivisionForm(request.POST, prefix=None if key else "new")
    if not form.is_valid():
        if not key:
            return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, division_form=form)
        messages.error(request, joined(*(e for one in form.errors.values() for e in one)))
        return redirect(BACK, contest.slug)
    if key:
        return _change(
            request, contest, services.rename_division, _("Saved."), key=key, **form.cleaned_data
        )
    return _change(
        request,
        contest,
        services.create_division,
        _("The division is created."),
        **form.cleaned_data,
    )


@require_POST
@for_organizers
def move(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Move a team to another division, or to none."""
    team = contest.teams.filter(pk=posted_number(request, "team") or 0).first()
    key = request.POST.get("division", "")
    division = next((found for found in contest.divisions.all() if found.key == key), None)
    if team is None or (key and division is None):
        raise Http404
    words = _("“%(team)s” is moved.") % {"team": team.name}
    moved = partial(accounts.move_to_division, team=team, division=division)
    return attempt(request, contest, moved, done=words, back=BACK)


@require_POST
@for_organizers
def shorten(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Give a team another short name."""
    team = contest.teams.filter(pk=posted_number(request, "team") or 0, is_house=False).first()
    if team is None:
        raise Http404
    form = ShortNameForm(request.POST)
    if not form.is_valid():
        for problem in form.errors["short_name"]:
            messages.error(request, str(problem))
        return redirect(BACK, contest.slug)
    words = _("“%(team)s” has a new short name.") % {"team": team.name}
    given = partial(accounts.give_short_name, team=team, **form.cleaned_data)
    return attempt(request, contest, given, done=words, back=BACK)


@require_POST
@for_organizers
def remove(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Remove a team without members and without activity."""
    team = contest.teams.filter(pk=posted_number(request, "team") or 0).first()
    if team is None:
        raise Http404
    words = _("The team “%(team)s” is removed; its name is free.") % {"team": team.name}
    removed = partial(accounts.remove_team, team=team)
    return attempt(request, contest, removed, done=words, back=BACK)


@require_POST
@for_organizers
def readmit(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Readmit a user who was in another team; the response is the same for any address."""
    form = ReadmissionForm(request.POST, prefix="readmit")
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, readmission_form=form)
    words = _("The person with this address may join another team, or create one.")
    return _change(request, contest, accounts.readmit, words, **form.cleaned_data)


# Lists of teams


@require_POST
@for_organizers
def team_list(request: SignedIn, contest: Contest) -> HttpResponse:
    """Preview a list; the button of the preview creates its teams."""
    form = TeamListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, list_form=form)
    text, version = form.words(), form.cleaned_data["version"]
    if "make" not in request.POST:
        return _preview(request, contest, lists.read(contest, text))
    try:
        made = services.set_up_teams(
            actor=request.user, contest=contest, version=version, text=text
        )
    except services.TeamListRefused as refusal:
        return _preview(request, contest, refusal.found)
    except services.ContestRefused as refusal:
        tell(request, refusal)
        return _preview(request, contest, lists.read(contest, text))
    words = ngettext("%(n)d team is set up.", "%(n)d teams are set up.", len(made))
    messages.success(request, words % {"n": len(made)})
    return redirect(BACK, contest.slug)


def _preview(request: HttpRequest, contest: Contest, found: lists.TeamList) -> HttpResponse:
    contest.refresh_from_db(fields=["version"])
    page = organizer_page(request, contest, "teams")
    initial = {"version": contest.version, "text": found.text}
    page |= {"found": found, "form": TeamListForm(initial=initial)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if found.problems else 200
    return render(request, "organize/team_list.html", page, status=status)


# Invitations


@require_POST
@for_organizers
def invitations(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Send a personal invitation again, revoke it, or create another one."""
    for action, service, words in (
        ("resend", services.resend_invitation, _("The invitation is sent again.")),
        ("revoke", services.revoke_invitation, _("The invitation no longer works.")),
    ):
        if action in request.POST:
            number = posted_number(request, action) or 0
            return _change(request, contest, service, words, invitation_id=number)
    form = InviteForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Enter an email address."))
        return redirect(BACK, contest.slug)
    email = form.cleaned_data["email"]
    words = _("We sent an invitation to %(email)s.") % {"email": email}
    what = {"team_id": form.cleaned_data["team"], "email": email}
    return _change(request, contest, services.invite_address, words, **what)


@require_safe
@never_cache
@for_organizers
def invitations_csv(request: HttpRequest, contest: Contest) -> HttpResponse:
    name = selectors.download_name(contest, "invitations.csv")
    return csv_response(name, HEADER, _rows(contest))


def _rows(contest: Contest) -> Iterator[tuple[object, ...]]:
    for line in staff.team_lines(contest):
        division = line.team.division.key if line.team.division else ""
        for invitation in line.invitations:
            mailed = invitation.mailed_at
            yield (
                line.team.name,
                division,
                invitation.email,
                mails.link(invitation) if staff.is_waiting(invitation) else "",
                mailed.astimezone(contest.tz).isoformat(timespec="seconds") if mailed else "",
                "used" if invitation.used_at else "revoked" if invitation.revoked_at else "open",
            )
