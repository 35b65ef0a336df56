# SPDX-License-Identifier: Apache-2.0
"""The account of a user."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views import i18n
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.accounts import guests, selectors, services
from pwscup.accounts.forms import ConfirmationForm, PasswordForm, ProfileForm, TokenForm
from pwscup.accounts.models import User
from pwscup.accounts.tokens import (
    TokenRefused,
    create_token,
    live_tokens,
    revoke_token,
    scope_text,
)
from pwscup.core.http.requests import SignedIn
from pwscup.core.qr import svg

GUEST_SESSION = timedelta(days=120)
"""A guest who is logged out needs the sign-in link."""


def set_language(request: HttpRequest) -> HttpResponse:
    """Switch the language of the pages, and of the user's emails."""
    answer = i18n.set_language(request)
    if request.method == "POST" and request.user.is_authenticated:
        services.remember_language(user=request.user, language=request.POST.get("language", ""))
    return answer


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedIn) -> HttpResponse:
    form = ProfileForm(request.POST or None, initial={"display_name": request.user.display_name})
    if form.is_valid():
        services.change_display_name(user=request.user, **form.cleaned_data)
        messages.success(request, _("Your name is changed."))
        return redirect("account")
    memberships = list(selectors.memberships_of(request.user))
    page = {
        "form": form,
        "memberships": memberships,
        "namesakes": selectors.namesakes(membership.contest for membership in memberships),
        "may_have_link": guests.may_have_link(request.user),
    }
    return render(request, "accounts/account.html", page)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="reauthenticate")
def tokens(request: SignedIn) -> HttpResponse:
    """A new token is shown only in the response to the form: it is not stored."""
    form = TokenForm(request.POST or None, user=request.user)
    made = text = None
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            made, text = create_token(
                user=request.user,
                name=chosen["name"],
                days=chosen["days"],
                scopes=chosen["scopes"],
            )
            form = TokenForm(user=request.user)
        except TokenRefused as refusal:
            form.add_error(None, refusal.message)
    live = [(token, scope_text(token)) for token in live_tokens(request.user, timezone.now())]
    page = {"form": form, "tokens": live, "made": made, "text": text}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else None
    return render(request, "accounts/tokens.html", page, status=status)


# The sign-in link of a guest


@require_POST
@login_required
@never_cache
def link_new(request: SignedIn) -> HttpResponse:
    """A new link is shown only in the response to the form: it is not stored."""
    try:
        token = guests.new_link(actor=request.user, user=request.user)
    except services.RefusedError as refusal:
        messages.error(request, refusal.message)
        return redirect("account")
    request.user.refresh_from_db()
    update_session_auth_hash(request, request.user)
    return link_page(request, request.user, token)


def link_page(request: HttpRequest, person: User, token: str) -> HttpResponse:
    """The page that shows a new link once, with its QR code."""
    link = request.build_absolute_uri(reverse("enter", args=[token]))
    page = {"person": person, "link": link, "qr": svg(link, _("QR code of the link"))}
    return render(request, "accounts/link.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a sign-in link: a button, because programs that preview links must not sign in.

    Wrong links are not limited: nobody guesses 192 bits, and a limit would let one student lock out a class.
    """
    guest = guests.user_by_link(token)
    if guest is None:
        raise Http404
    if request.method != "POST":
        return render(request, "accounts/enter.html", {"person": guest, "token": token})
    sign_in(request, guest)
    messages.success(request, _("Welcome back, %(name)s.") % {"name": guest.display_name})
    seat = selectors.memberships_of(guest).first()
    return redirect("contest", seat.contest.slug) if seat else redirect("account")


def sign_in(request: HttpRequest, guest: User) -> None:
    """Log in somebody without a password, for the length of a course."""
    login(request, guest)
    services.remember_language(user=guest, language=get_language() or "")
    request.session.set_expiry(GUEST_SESSION)


@require_POST
@login_required
def token_revoke(request: SignedIn, number: int) -> HttpResponse:
    revoke_token(token=get_object_or_404(request.user.access_tokens, pk=number))
    messages.success(request, _("The token is revoked: it opens nothing any more."))
    return redirect("tokens")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="reauthenticate")
def account_delete(request: SignedIn) -> HttpResponse:
    user = request.user
    form = (
        PasswordForm(request.POST or None, user=user)
        if user.has_usable_password()
        else ConfirmationForm(request.POST or None)
    )
    to_hand_over = list(selectors.teams_to_hand_over(user))
    if form.is_valid() and not to_hand_over:
        services.delete_account(user=user)
        logout(request)
        messages.success(request, _("Your account is deleted."))
        return redirect("home")
    return render(
        request,
        "accounts/delete.html",
        {
            "form": form,
            "teams_to_hand_over": to_hand_over,
            "memberships": selectors.memberships_of(user),
            "orphaned_contests": selectors.contests_left_without_organizer(user),
        },
    )
