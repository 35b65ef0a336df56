# SPDX-License-Identifier: Apache-2.0
"""The organizer's pages of rules and re-scorings."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.contests import policies
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    version_of,
)
from pwscup.contests.services.common import ContestRefused
from pwscup.core.http.attachments import attached
from pwscup.core.http.polling import polled
from pwscup.core.http.requests import SignedIn
from pwscup.rescores import keys, pages, selectors, services
from pwscup.rescores.forms import MAX_NOTE, KeysForm, RulesForm
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from pwscup.contests.models import Contest


# Rules


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def rules(request: SignedIn, contest: Contest) -> HttpResponse:
    """The text of the rules and the resulting page."""
    if request.method != "POST":
        return _editor(request, contest, _form_of(contest))
    if "keys" in request.POST:
        return _keys(request, contest)
    form = RulesForm(request.POST)
    if not form.is_valid():
        return _editor(request, contest, form)
    try:
        services.change_rules(actor=request.user, contest=contest, **form.cleaned_data)
    except ProblemsFound as found:
        return _editor(request, contest, form, found)
    except ContestRefused as refusal:
        for message in refusal.messages:
            form.add_error(None, message)
        return _editor(request, contest, form)
    return _saved(request, contest)


def _saved(request: HttpRequest, contest: Contest) -> HttpResponse:
    if selectors.undecided(contest) is not None:
        messages.success(request, _("The new version is saved. Its results are being computed."))
        return redirect("organize-rescore", contest.slug)
    messages.success(request, _("The new rules are in force."))
    return redirect("organize-rules", contest.slug)


def _keys(request: SignedIn, contest: Contest) -> HttpResponse:
    """Show what the form of the usual keys would change, or change it."""
    form = KeysForm(contest, request.POST)
    if not form.is_valid():
        return _editor(request, contest, _form_of(contest), keys_form=form)
    text = form.text(with_rounds=not policies.has_submissions(contest))
    proposed = RulesForm(initial={"text": text, "version": contest.version})
    if "preview" in request.POST:
        return _editor(request, contest, proposed, keys_form=form)
    try:
        services.change_keys(
            actor=request.user,
            contest=contest,
            version=form.cleaned_data["version"],
            text=text,
            note=keys.note_of(keys.changes_between(contest.ruleset_text, text), MAX_NOTE),
            plans=form.plans(),
        )
    except ProblemsFound as found:
        return _editor(request, contest, proposed, found, keys_form=form)
    except ContestRefused as refusal:
        for message in refusal.messages:
            form.add_error(None, message)
        return _editor(request, contest, _form_of(contest), keys_form=form)
    return _saved(request, contest)


def _form_of(contest: Contest) -> RulesForm:
    return RulesForm(initial={"text": contest.ruleset_text, "version": contest.version})


def _editor(
    request: HttpRequest,
    contest: Contest,
    form: RulesForm,
    found: ProblemsFound | None = None,
    *,
    keys_form: KeysForm | None = None,
) -> HttpResponse:
    text = form["text"].value() or contest.ruleset_text
    page = organizer_page(request, contest, "rules") | {
        "form": form,
        "keys_form": keys_form or KeysForm(contest),
        "is_text_open": bool(form.errors or (found and keys_form is None)),
        "has_begun": policies.has_submissions(contest),
        "versions": selectors.versions(contest),
        "digest": contest.ruleset.digest,
        **pages.preview(contest, text, found),
    }
    wrong = form.errors or found or (keys_form is not None and keys_form.errors)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else 200
    return render(request, "rescores/rules.html", page, status=status)


@require_POST
@for_organizers
def rules_preview(request: HttpRequest, contest: Contest) -> HttpResponse:
    """A preview of the rules page; nothing is saved."""
    page = pages.preview(contest, _entered_text(request, contest))
    return render(request, "rescores/_preview.html", {"contest": contest} | page)


def _entered_text(request: HttpRequest, contest: Contest) -> str:
    """The text as entered, or with the usual keys as entered; invalid fields of those change nothing."""
    if "keys" not in request.POST:
        form = RulesForm(request.POST)
        form.is_valid()
        return form.cleaned_data.get("text", "")
    keys_form = KeysForm(contest, request.POST)
    if not keys_form.is_valid():
        return contest.ruleset_text
    return keys_form.text(with_rounds=not policies.has_submissions(contest))


@require_safe
@for_organizers
def rules_version(request: HttpRequest, contest: Contest, number: int) -> HttpResponse:
    """The text of one version, as a file."""
    found = get_object_or_404(contest.ruleset_versions, number=number)
    response = HttpResponse(found.text, content_type="application/toml; charset=utf-8")
    return attached(response, f"{contest.slug}-rules-{number}.toml")


# Re-scoring


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def rescore(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The progress, the resulting difference, and the decision."""
    if request.method != "POST":
        return render(request, "rescores/rescore.html", _rescore_page(request, contest))
    service, done = _action(request)
    what = {} if service is services.complete else {"version": version_of(request)}
    return carry_out(request, contest, service, done=done, back="organize-rescore", **what)


def _action(request: HttpRequest) -> tuple[Callable[..., Any], str]:
    actions = {
        "start": (services.start, _("Everything is being computed again.")),
        "complete": (services.complete, _("The rest is being computed.")),
        "apply": (services.apply, _("Applied: the boards use the new results.")),
        "drop": (services.drop, _("Discarded: nothing has changed.")),
    }
    chosen = actions.get(request.POST.get("action", ""))
    if chosen is None:
        raise Http404
    return chosen


def _rescore_page(request: HttpRequest, contest: Contest) -> dict[str, Any]:
    current = selectors.undecided(contest)
    return organizer_page(request, contest, "rescore") | {
        "current": current,
        "past": selectors.rescores(contest),
        "has_submissions": policies.has_submissions(contest),
        **pages.state_of(current),
        **pages.difference(current),
        **pages.library(contest),
    }


@require_safe
@for_organizers
def rescore_status(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    """The progress, for polling."""
    current = selectors.undecided(contest)
    if current is None:
        raise Http404
    state = {"contest": contest, "current": current} | pages.state_of(current)
    return polled(request, "rescores/_status.html", state, is_final=current.is_final)
