# SPDX-License-Identifier: Apache-2.0
"""The administrator's page: who may create contests."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from pwscup.accounts import policies, selectors, services
from pwscup.accounts.forms import GrantForm
from pwscup.accounts.models import User
from pwscup.core.http.posted import posted_number

MOST_DECISIONS = 20


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def organizers(request: HttpRequest) -> HttpResponse:
    """The list, a form that adds a person by the address, and a button that removes one."""
    if not policies.may_make_organizers(request.user):
        raise Http404
    if (number := posted_number(request, "revoke")) is not None:
        person = get_object_or_404(User, pk=number, deleted_at=None)
        return _decide(request, services.revoke_organizer, person)
    form = GrantForm(request.POST or None)
    if form.is_valid():
        return _decide(request, services.grant_organizer, form.cleaned_data["email"])
    page = {
        "form": form,
        "people": selectors.creators(),
        "decisions": selectors.decisions_about_creators(MOST_DECISIONS),
        "granted": selectors.ORGANIZER_GRANTED,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else None
    return render(request, "accounts/organizers.html", page, status=status)


def _decide(request: HttpRequest, service: Callable[..., User], person: User) -> HttpResponse:
    try:
        changed = service(user=person, actor=request.user)
    except services.RefusedError as refusal:
        messages.error(request, refusal.message)
    else:
        allowed = _("%(name)s may create contests now.")
        ended = _("%(name)s can no longer create contests.")
        words = allowed if changed.is_organizer else ended
        messages.success(request, words % {"name": changed.display_name})
    return redirect("site-organizers")
