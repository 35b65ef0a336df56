"""The account of a user."""

from __future__ import annotations

from http import HTTPStatus

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.accounts import selectors, services
from pwscup.accounts.forms import PasswordForm, ProfileForm, TokenForm
from pwscup.accounts.tokens import TokenRefused, create_token, live_tokens, revoke_token


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, initial={"display_name": request.user.display_name})
    if form.is_valid():
        services.change_display_name(user=request.user, **form.cleaned_data)
        messages.success(request, _("Your name is changed."))
        return redirect("account")
    memberships = selectors.memberships_of(request.user)
    return render(request, "accounts/account.html", {"form": form, "memberships": memberships})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="reauthenticate")
def tokens(request: HttpRequest) -> HttpResponse:
    """A new token is shown only in the response to the form: it is not stored."""
    form = TokenForm(request.POST or None, user=request.user)
    made = text = None
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            made, text = create_token(user=request.user, name=chosen["name"], days=chosen["days"])
            form = TokenForm(user=request.user)
        except TokenRefused as refusal:
            form.add_error(None, refusal.message)
    live = live_tokens(request.user, timezone.now())
    page = {"form": form, "tokens": live, "made": made, "text": text}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else None
    return render(request, "accounts/tokens.html", page, status=status)


@require_POST
@login_required
def token_revoke(request: HttpRequest, number: int) -> HttpResponse:
    revoke_token(token=get_object_or_404(request.user.access_tokens, pk=number))
    messages.success(request, _("The token is revoked: it opens nothing any more."))
    return redirect("tokens")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="reauthenticate")
def account_delete(request: HttpRequest) -> HttpResponse:
    user = request.user
    form = PasswordForm(request.POST or None, user=user)
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
