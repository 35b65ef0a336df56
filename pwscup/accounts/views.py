"""A person's own account."""

from __future__ import annotations

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from pwscup.accounts import selectors, services
from pwscup.accounts.forms import DeleteAccountForm, ProfileForm


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
def account_delete(request: HttpRequest) -> HttpResponse:
    user = request.user
    form = DeleteAccountForm(request.POST or None, user=user)
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
