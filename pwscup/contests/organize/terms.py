# SPDX-License-Identifier: Apache-2.0
"""The organizer's terms: their text, who accepted them, and the retention of the data."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.accounts.policies import is_over
from pwscup.contests import services
from pwscup.contests.forms import EraseForm, RetentionForm, TermsForm
from pwscup.contests.models import Contest
from pwscup.contests.organize import staff
from pwscup.contests.organize.common import carry_out, for_organizers, organizer_page, tell
from pwscup.core.http.requests import SignedIn


def _page(request: HttpRequest, contest: Contest, status: int = 200, **bound: Any) -> HttpResponse:
    """The page; `bound` are forms with errors that replace those with the current values."""
    page = organizer_page(request, contest, "terms")
    version = {"version": contest.version}
    words = {"terms": contest.terms, "terms_ja": contest.terms_ja}
    page |= {
        "terms_form": TermsForm(initial=version | words),
        "retention_form": RetentionForm(initial=version | {"days": contest.retention_days}),
        "erase_form": EraseForm(slug=contest.slug, initial=version),
        "erased_from": services.erased_from(contest),
        "is_over": is_over(contest, page["now"]),
        "acceptances": staff.acceptances_of(contest),
    }
    return render(request, "organize/terms.html", page | bound, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def terms(request: HttpRequest, contest: Contest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, contest)
    form = TermsForm(request.POST)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, terms_form=form)
    return _change(request, contest, services.update_terms, _("Saved."), **form.cleaned_data)


@require_POST
@for_organizers
def retention(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = RetentionForm(request.POST)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, retention_form=form)
    return _change(request, contest, services.set_retention, _("Saved."), **form.cleaned_data)


@require_POST
@for_organizers
def erase(request: SignedIn, contest: Contest) -> HttpResponse:
    form = EraseForm(request.POST, slug=contest.slug)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, erase_form=form)
    try:
        n = services.erase(
            actor=request.user, contest=contest, version=form.cleaned_data["version"]
        )
    except services.ContestRefused as refusal:
        tell(request, refusal)
    else:
        messages.success(
            request, ngettext("%(n)d file was deleted.", "%(n)d files were deleted.", n) % {"n": n}
        )
    return redirect("organize-terms", contest.slug)


def _change(
    request: HttpRequest, contest: Contest, service: Any, done: str, **what: Any
) -> HttpResponse:
    return carry_out(request, contest, service, done=done, back="organize-terms", **what)
