# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of the hints for teams."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.contests.forms import HintForm
from pwscup.contests.models import RoundHint
from pwscup.contests.organize.common import carry_out, for_organizers, organizer_page, version_of
from pwscup.contests.selectors import rounds_of
from pwscup.contests.services import hints as services

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

BACK = "organize-hints"
BUTTONS = {"publish": services.publish_hint, "remove": services.remove_hint}


def _page(
    request: HttpRequest, contest: Contest, form: HintForm | None = None, status: int = 200
) -> HttpResponse:
    page = organizer_page(request, contest, "hints")
    found = RoundHint.objects.filter(round__contest=contest).select_related("round__contest")
    page |= {
        "hints": found.order_by("round__position", "published_at", "after_percent", "pk"),
        "form": form or HintForm(rounds_of(contest), initial={"version": contest.version}),
    }
    return render(request, "organize/hints.html", page, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def hints(request: HttpRequest, contest: Contest) -> HttpResponse:
    """All hints; a POST adds one."""
    if request.method != "POST":
        return _page(request, contest)
    form = HintForm(rounds_of(contest), request.POST)
    if not form.is_valid():
        return _page(request, contest, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    return _change(request, contest, services.add_hint, **form.cleaned_data)


@require_POST
@for_organizers
def hint(request: HttpRequest, contest: Contest, number: int) -> HttpResponse:
    """Publish or delete a hint."""
    if not RoundHint.objects.filter(round__contest=contest, pk=number).exists():
        raise Http404
    service = BUTTONS.get(request.POST.get("do", ""))
    if service is None:
        return redirect(BACK, contest.slug)
    return _change(request, contest, service, number=number, version=version_of(request))


def _change(request: HttpRequest, contest: Contest, service: Any, **what: Any) -> HttpResponse:
    return carry_out(request, contest, service, done=_("Saved."), back=BACK, **what)
