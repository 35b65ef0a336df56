# SPDX-License-Identifier: Apache-2.0
"""Joining a contest by its class code: the page of the code, the page where one types it, and the next step."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from allauth.decorators import rate_limit
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from pwscup.accounts import guests, limits, policies, selectors, services
from pwscup.accounts.addresses import source_of
from pwscup.accounts.forms import ClassForm
from pwscup.accounts.views import sign_in
from pwscup.contests import guidance
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.contests.services import ContestRefused, join_class
from pwscup.contests.services.commitment import contribute
from pwscup.contests.terms import digest_of, local_terms
from pwscup.core.http.requests import SignedIn

if TYPE_CHECKING:
    from pwscup.accounts.models import ClassCode
    from pwscup.contests.models import Contest

AT_A_FIELD = {"name_taken": "team_name", "captain_invites": "team", "team_full": "team"}


class CodeConverter:
    """A class code in a URL, in either case; invitation links, which have the same form of URL, are longer."""

    regex = f"[0-9A-Za-z]{{{guests.LENGTH}}}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter_code(request: HttpRequest) -> HttpResponse:
    """The page where somebody without the link types the code."""
    typed = request.POST.get("code", "")
    if request.method != "POST":
        return render(request, "accounts/enter_code.html")
    if limits.is_exhausted(request, "wrong_code"):
        return limits.refusal(request)
    code = public_code(typed)
    if code is not None:
        return redirect("join-class", code.code)
    limits.count(request, "wrong_code")
    page = {"typed": typed[:50], "problem": _("No contest has this code. Check each character.")}
    return render(request, "accounts/enter_code.html", page, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def public_code(typed: str) -> ClassCode | None:
    """The code of a contest that everybody sees, or None."""
    code = guests.code_by_text(typed)
    return code if code is not None and code.contest.is_public else None


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="join")
def join(request: HttpRequest, code: str) -> HttpResponse:
    """One form: name, team, and the terms; a POST joins and leads to the next step."""
    if limits.is_exhausted(request, "wrong_code"):
        return limits.refusal(request)
    found = public_code(code)
    if found is None:
        limits.count(request, "wrong_code")
        raise Http404
    contest = visible_contest(request.user, found.contest.slug)
    if request.user.is_authenticated and selectors.team_of(request.user, contest):
        return redirect("joined", contest.slug)
    form = form_of(request, contest)
    if form.is_valid():
        try:
            return _joined(request, found, form.cleaned_data)
        except services.RefusedError as refusal:
            field = AT_A_FIELD.get(refusal.code)
            form.add_error(field if field in form.fields else None, refusal.message)
        except ContestRefused as refusal:
            form.add_error(None, str(refusal))
    return join_page(request, contest, form, found)


def form_of(request: HttpRequest, contest: Contest) -> ClassForm:
    user = request.user if request.user.is_authenticated else None
    return ClassForm(
        request.POST if request.method == "POST" else None,
        user=user,
        teams=list(policies.open_teams(contest)),
        may_create=_refusal(request, contest) is None,
        divisions=contest.divisions.all(),
    )


def _joined(request: HttpRequest, code: ClassCode, chosen: dict[str, Any]) -> HttpResponse:
    known = request.user if request.user.is_authenticated else None
    person, team = join_class(
        code=code,
        user=known,
        name=chosen.get("display_name", ""),
        team=chosen["team"],
        team_name=chosen.get("team_name", ""),
        division=chosen.get("division"),
        digest=request.POST.get("digest", ""),
        source=source_of(request),
    )
    contribute(user=person, team=team, text=request.POST.get("contribution", ""))
    if known is None:
        sign_in(request, person)
    return redirect("joined", team.contest.slug)


def join_page(
    request: HttpRequest, contest: Contest, form: ClassForm, code: ClassCode
) -> HttpResponse:
    context = contest_page(request, contest, "team")
    context |= terms_of(contest) | {"form": form, "code": code, "reason": _reason(request, code)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "accounts/join.html", context, status=status)


def terms_of(contest: Contest) -> dict[str, str]:
    """The terms that the button of a form accepts, and their digest."""
    return {"terms": local_terms(contest), "digest": digest_of(contest)}


def _reason(request: HttpRequest, code: ClassCode) -> str:
    """Why this viewer cannot join at all; empty if a team is open, or a new one may be created."""
    contest = code.contest
    if code.n_joined >= code.seats:
        return str(services.REASONS["code_used_up"])
    refused = _refusal(request, contest)
    about_new_teams = refused in policies.ABOUT_NEW_TEAMS
    if refused is None or (about_new_teams and policies.open_teams(contest).exists()):
        return ""
    return str(services.REASONS[refused])


def _refusal(request: HttpRequest, contest: Contest) -> str | None:
    """Why this viewer cannot create a team: a code of `services.REASONS`."""
    now = timezone.now()
    if request.user.is_authenticated:
        return policies.refusal_to_play(request.user, contest, now)
    return policies.refusal_of_guests(contest, now)


@require_safe
@login_required
@never_cache
def joined(request: SignedIn, slug: str) -> HttpResponse:
    """The team, and the one next step."""
    contest = visible_contest(request.user, slug)
    page = contest_page(request, contest, "team")
    if page["my_team"] is None:
        return redirect("team", slug)
    page |= {
        "step": guidance.next_step(page, request.user),
        "is_captain": policies.is_captain(request.user, page["my_team"]),
        "may_have_link": guests.may_have_link(request.user),
    }
    return render(request, "accounts/joined.html", page)
