# SPDX-License-Identifier: Apache-2.0
"""The team page of a contest and the pages of invitation links."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from pwscup.accounts import policies as team_policies
from pwscup.accounts import selectors as team_selectors
from pwscup.accounts import services
from pwscup.accounts.addresses import source_of
from pwscup.accounts.forms import (
    DivisionChoiceForm,
    FoundingForm,
    GuestForm,
    ShortNameForm,
    TeamForm,
    TeamProfileForm,
)
from pwscup.accounts.guests import class_code
from pwscup.accounts.invitations import keep_proof
from pwscup.accounts.models import Invitation, Team, User
from pwscup.accounts.views import sign_in
from pwscup.contests import policies
from pwscup.contests import services as contest_services
from pwscup.contests.guidance import next_step
from pwscup.contests.models import Contest
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.contests.services import commitment
from pwscup.contests.terms import digest_of, local_terms
from pwscup.core.http.posted import posted_number
from pwscup.core.http.requests import SignedIn, is_signed_in
from pwscup.core.qr import svg

View = Callable[..., HttpResponse]


# The team page


@login_required
@never_cache
def team(request: SignedIn, slug: str) -> HttpResponse:
    return team_page(request, visible_contest(request.user, slug))


def team_page(
    request: SignedIn, contest: Contest, form: Form | None = None, status: int = 200
) -> HttpResponse:
    """The viewer's team, or how to join one; `form` is a refused input."""
    context = contest_page(request, contest, "team")
    own = context["my_team"]
    if own is None:
        context |= without_team(request.user, contest, form)
        return render(request, "accounts/no_team.html", context, status=status)
    context |= with_team(request, own, form)
    context["step"] = next_step(context, request.user)
    return render(request, "accounts/team.html", context, status=status)


def without_team(user: User, contest: Contest, form: Form | None) -> dict[str, Any]:
    code = team_policies.refusal_to_play(user, contest, timezone.now())
    return {
        "form": form or FoundingForm(divisions=contest.divisions.all()),
        "reason": services.REASONS[code] if code else None,
    }


def with_team(request: HttpRequest, own: Team, form: Form | None) -> dict[str, Any]:
    now = timezone.now()
    captain = team_policies.is_captain(request.user, own)
    members = list(team_selectors.members_of(own))
    invitation = team_selectors.live_invitation(own, now) if captain else None
    link = request.build_absolute_uri(invitation_path(invitation)) if invitation else ""
    return {
        "members": members,
        "is_captain": captain,
        "seats_left": max(0, own.contest.max_team_size - len(members)),
        "invitation": invitation,
        "link": link,
        "qr": svg(link, _("QR code of the invitation link")) if link else "",
        "takes_guests": invitation is not None and class_code(own.contest) is not None,
        "is_over": team_policies.is_over(own.contest, now),
        "may_rename": team_policies.may_rename(request.user, own, now),
        "may_shorten": captain and team_policies.may_shorten(own, now),
        "form": form if isinstance(form, TeamForm) else TeamForm(initial={"name": own.name}),
        "short_form": form
        if isinstance(form, ShortNameForm)
        else ShortNameForm(initial={"short_name": own.slug}),
        "profile_form": form
        if isinstance(form, TeamProfileForm)
        else TeamProfileForm(
            is_captain=captain,
            initial={
                "affiliation": own.affiliation,
                "shows_name": any(m.shows_name for m in members if m.user_id == request.user.pk),
            },
        ),
        "contribution": commitment.contribution_of(own),
        "invited": list(team_selectors.personal_invitations(own)),
    } | division_of(own)


def division_of(own: Team) -> dict[str, Any]:
    """The division of the team, and the form to change it, if the contest has divisions."""
    divisions = own.contest.divisions.all()
    if not divisions:
        return {}
    initial = {"division": own.division.key if own.division else None}
    form = DivisionChoiceForm(divisions=divisions, initial=initial)
    return {"division": own.division, "division_form": form}


def invitation_path(invitation: Invitation) -> str:
    return reverse("invitation", args=[invitation.token])


# The actions of the page. Each answers a POST with a redirect to the team page.


def action(view: Callable[[SignedIn, Contest], HttpResponse | None]) -> View:
    """Resolve the contest, show refusals, return to the team page."""

    @wraps(view)
    def wrapped(request: SignedIn, slug: str) -> HttpResponse:
        contest = visible_contest(request.user, slug)
        if request.method == "POST":
            try:
                answer = view(request, contest)
            except services.RefusedError as refusal:
                messages.error(request, refusal.message)
                answer = None
            if answer is not None:
                return answer
        return redirect("team", slug)

    return login_required(never_cache(wrapped))


def own_team(request: HttpRequest, contest: Contest) -> Team:
    own = team_selectors.team_of(request.user, contest)
    if own is None:
        raise Http404
    return own


def member_named(request: HttpRequest, own: Team) -> User:
    """The member whose id was posted; only members of the team are accepted."""
    return get_object_or_404(User, pk=posted_number(request, "member"), memberships__team=own)


@action
def create(request: SignedIn, contest: Contest) -> HttpResponse | None:
    def save(**given: Any) -> str:
        made = services.create_team(
            user=request.user, contest=contest, source=source_of(request), **given
        )
        give(request, made, request.user)
        return _("The team %(team)s is created.") % {"team": made.name}

    form = FoundingForm(request.POST, divisions=contest.divisions.all())
    return named(request, contest, form, save)


def give(request: HttpRequest, team: Team, user: User) -> None:
    """Put the text that was sent with a form into the draws."""
    commitment.contribute(user=user, team=team, text=request.POST.get("contribution", ""))


@action
def contribute(request: SignedIn, contest: Contest) -> None:
    give(request, own_team(request, contest), request.user)


@action
def rename(request: SignedIn, contest: Contest) -> HttpResponse | None:
    own = own_team(request, contest)

    def save(**given: Any) -> str:
        services.rename_team(user=request.user, team=own, **given)
        return _("The team has a new name.")

    return named(request, contest, TeamForm(request.POST), save)


@action
def shorten(request: SignedIn, contest: Contest) -> HttpResponse | None:
    own = own_team(request, contest)

    def save(**given: Any) -> str:
        services.choose_short_name(user=request.user, team=own, **given)
        return _("The team has a new short name.")

    return named(request, contest, ShortNameForm(request.POST), save)


@action
def profile(request: SignedIn, contest: Contest) -> HttpResponse | None:
    """The own name and the affiliation on the public page of the team."""
    own = own_team(request, contest)
    is_captain = team_policies.is_captain(request.user, own)
    form = TeamProfileForm(request.POST, is_captain=is_captain)

    def save(**given: Any) -> str:
        services.set_profile(user=request.user, team=own, **given)
        return _("Saved.")

    return named(request, contest, form, save)


@action
def divide(request: SignedIn, contest: Contest) -> None:
    own = own_team(request, contest)
    form = DivisionChoiceForm(request.POST, divisions=contest.divisions.all())
    if not form.is_valid():
        raise services.RefusedError("division_unknown")
    services.choose_division(user=request.user, team=own, **form.cleaned_data)
    messages.success(request, _("The division is changed."))


def named(
    request: SignedIn, contest: Contest, form: Form, save: Callable[..., str]
) -> HttpResponse | None:
    """Save what names a team, and show the message of `save`; that a name is taken stands at its field."""
    if form.is_valid():
        try:
            messages.success(request, save(**form.cleaned_data))
        except services.RefusedError as refusal:
            field = {"name_taken": "name", "short_name_taken": "short_name"}.get(refusal.code)
            if field is None:
                raise
            form.add_error(field, refusal.message)
        else:
            return None
    return team_page(request, contest, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@action
def leave(request: SignedIn, contest: Contest) -> None:
    own = own_team(request, contest)
    services.leave_team(user=request.user, team=own)
    messages.success(request, _("You have left the team %(team)s.") % {"team": own.name})


@action
def invite(request: SignedIn, contest: Contest) -> None:
    services.invite(user=request.user, team=own_team(request, contest))
    messages.success(request, _("The invitation link is ready. Send it to your team mates."))


@action
def revoke(request: SignedIn, contest: Contest) -> None:
    services.revoke_invitation(user=request.user, team=own_team(request, contest))
    messages.success(request, _("The invitation link no longer works."))


@action
def transfer(request: SignedIn, contest: Contest) -> None:
    own = own_team(request, contest)
    to = member_named(request, own)
    services.transfer_captaincy(user=request.user, team=own, to=to)
    messages.success(request, _("%(name)s is the captain now.") % {"name": to.display_name})


@action
def remove(request: SignedIn, contest: Contest) -> None:
    own = own_team(request, contest)
    member = member_named(request, own)
    services.remove_member(user=request.user, team=own, member=member)
    messages.success(
        request, _("%(name)s is no longer in the team.") % {"name": member.display_name}
    )


# The invitation


@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link: the team and a button, or why it cannot be joined."""
    opened = team_selectors.invitation_by_token(token)
    if opened is None or not policies.may_see(request.user, opened.team.contest):
        raise Http404
    if request.method == "POST":
        if is_signed_in(request):
            return join(request, opened)
        if takes_guests(opened):
            return join_as_guest(request, opened)
        return redirect_to_login(invitation_path(opened))
    return invitation_page(request, opened)


def takes_guests(opened: Invitation) -> bool:
    """Visitors may join by a captain's link with a name only, while the contest has a class code."""
    return not opened.is_personal and class_code(opened.team.contest) is not None


@rate_limit(action="join")
def join_as_guest(request: HttpRequest, opened: Invitation) -> HttpResponse:
    form = GuestForm(request.POST)
    if not form.is_valid():
        return invitation_page(request, opened, form=form)
    try:
        guest, joined = contest_services.join_as_guest(
            invitation=opened,
            name=form.cleaned_data["display_name"],
            digest=request.POST.get("digest", ""),
            source=source_of(request),
        )
    except services.RefusedError as refusal:
        return invitation_page(request, opened, refusal.code)
    except contest_services.ContestRefused as refusal:
        form.add_error(None, str(refusal))
        return invitation_page(request, opened, form=form)
    give(request, joined, guest)
    sign_in(request, guest)
    return redirect("joined", joined.contest.slug)


def join(request: SignedIn, opened: Invitation) -> HttpResponse:
    try:
        joined = services.join_team(user=request.user, invitation=opened, source=source_of(request))
    except services.RefusedError as refusal:
        return invitation_page(request, opened, refusal.code)
    give(request, joined, request.user)
    return redirect("joined", joined.contest.slug)


def invitation_page(
    request: HttpRequest,
    opened: Invitation,
    code: str | None = None,
    form: GuestForm | None = None,
) -> HttpResponse:
    """The page; `code` is why the viewer was refused, `form` a refused name."""
    contest = opened.team.contest
    context = contest_page(request, contest, "team")
    status = 409 if code else HTTPStatus.UNPROCESSABLE_ENTITY if form else 200
    code = code or refusal(request.user, opened, context["my_team"])
    context |= {
        "invitation": opened,
        "team": opened.team,
        "n_members": opened.team.memberships.count(),
        "reason": services.REASONS[code] if code else None,
        "next": invitation_path(opened),
        "is_proved": not code and request.user.is_anonymous and keep_proof(request, opened),
        "guest_form": (form or GuestForm()) if takes_guests(opened) else None,
        "terms": local_terms(contest),
        "digest": digest_of(contest),
    }
    return render(request, "accounts/invitation.html", context, status=status)


def refusal(user: User | AnonymousUser, opened: Invitation, own: Team | None) -> str | None:
    """The reason why this viewer cannot join, the most useful one first."""
    if own == opened.team:
        return "is_member"
    now = timezone.now()
    code = team_policies.refusal_of_invitation(opened, now)
    if code or not user.is_authenticated:
        return code
    return team_policies.refusal_to_play(user, opened.team.contest, now, team=opened.team)
