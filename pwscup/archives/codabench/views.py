# SPDX-License-Identifier: Apache-2.0
"""The pages of bundles: the upload, and the preview of a draft with all that is left out."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from pwscup.archives.codabench import services
from pwscup.archives.codabench.forms import BundleForm, DraftForm
from pwscup.archives.codabench.notes import BundleRefused, Note
from pwscup.archives.codabench.plan import draft_of, program_name
from pwscup.archives.models import CodabenchBundle
from pwscup.contests import policies, selectors
from pwscup.contests.organize.common import tell
from pwscup.contests.rules.measures import shown_measure
from pwscup.core.files.names import plain_name
from pwscup.core.http.requests import SignedIn
from pwscup.core.texts.refusals import Refused

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.archives.codabench.plan import Draft

FORM = require_http_methods(["GET", "HEAD", "POST"])
MOST_LISTED = 20


@FORM
@login_required
def upload(request: SignedIn) -> HttpResponse:
    """Upload a bundle, and the bundles of before."""
    if not policies.may_create_contests(request.user):
        raise Http404
    form = BundleForm(request.POST or None, request.FILES or None)
    problems: Iterable[Note] = ()
    if form.is_valid():
        given = form.cleaned_data["bundle"]
        try:
            received = services.receive(
                actor=request.user, name=plain_name(given.name), source=given.file
            )
        except BundleRefused as refused:
            problems = refused.problems
        else:
            return redirect("organize-codabench-bundle", received.pk)
    page = {"form": form, "problems": problems, "bundles": bundles_of(request.user)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else 200
    return render(request, "archives/codabench.html", page, status=status)


def bundles_of(user: User) -> list[CodabenchBundle]:
    """The bundles that a person has uploaded, the newest first."""
    found = CodabenchBundle.objects.filter(received_by=user).select_related("contest")
    return list(found.order_by("-pk")[:MOST_LISTED])


@FORM
@login_required
def bundle(request: SignedIn, number: int) -> HttpResponse:
    """The draft that a bundle would become, and after that what it became."""
    found = visible_bundle(request.user, number)
    if found.contest is not None:
        if request.method == "POST":
            return redirect("organize-codabench-bundle", found.pk)
        page = {"bundle": found, "left_out": services.left_out_of(found)}
        return render(request, "archives/codabench_bundle.html", page)
    if not policies.may_create_contests(request.user):
        raise Http404
    competition, now = services.competition_of(found), timezone.now()
    allowed = services.allowed_programs()
    what: dict[str, Any] = {"now": now, "allowed": allowed}
    draft = draft_of(competition, **what)
    form = DraftForm(
        request.POST or None,
        proposed=program_name(competition),
        allowed=allowed,
        is_over=draft.is_over(now),
    )
    if form.is_valid():
        draft = draft_of(
            competition,
            **what,
            starts_at=form.starting,
            program=form.cleaned_data["program"],
        )
        return _made(request, found, draft, form)
    page = {"bundle": found, "form": form, "left_out": draft.left_out} | _shown(draft)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else 200
    return render(request, "archives/codabench_bundle.html", page, status=status)


def _shown(draft: Draft) -> dict[str, Any]:
    """The draft with its rounds and measures as the page shows them."""
    rules = draft.ruleset
    measures = [shown_measure(rules.measure(id_)) for id_ in rules.measures]
    return {
        "draft": draft,
        "rounds": [(plan, rules.round(plan.key), plan.tries) for plan in draft.rounds],
        "measures": [(measure, measure.id in draft.hidden) for measure in measures],
    }


def visible_bundle(user: User, number: int) -> CodabenchBundle:
    """A bundle for the person who uploaded it, and for the organizers of its contest."""
    organized = selectors.organized_contests(user).values("pk")
    found = CodabenchBundle.objects.select_related("contest").filter(
        Q(received_by=user) | Q(contest__in=organized), pk=number
    )
    bundle = found.first()
    if bundle is None:
        raise Http404
    return bundle


def _made(
    request: SignedIn, bundle: CodabenchBundle, draft: Draft, form: DraftForm
) -> HttpResponse:
    zone = form.cleaned_data["timezone"]
    try:
        services.make_draft(actor=request.user, bundle=bundle, draft=draft, timezone=zone)
    except Refused as refusal:
        tell(request, refusal)
    else:
        messages.success(request, _("The contest is created as a draft. Read what was left out."))
    return redirect("organize-codabench-bundle", bundle.pk)
