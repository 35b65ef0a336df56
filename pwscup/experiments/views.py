# SPDX-License-Identifier: Apache-2.0
"""Pages of experiments: users see only their own."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.core.http.polling import polled
from pwscup.core.http.requests import SignedIn
from pwscup.core.texts.refusals import Refused
from pwscup.experiments import comparison, downloads, pages, selectors, services
from pwscup.experiments.setup.forms import ExperimentForm


@require_safe
@login_required
def experiments(request: SignedIn) -> HttpResponse:
    """The user's experiments, and those that can be compared."""
    return render(request, "experiments/list.html", pages.overview(request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: SignedIn) -> HttpResponse:
    """The form, with the settings of an earlier experiment if the URL names one."""
    user, like = request.user, request.GET.getlist("like")[:1]
    about: dict[str, Any] = {
        "kept": selectors.upload_of(user),
        "earlier": next(iter(selectors.named(user, like)), None),
        "blockers": selectors.blockers(user),
    }
    if request.method != "POST":
        return _form(request, ExperimentForm(**about))
    form = ExperimentForm(request.POST, request.FILES, **about)
    is_valid = form.is_valid()
    if form.received is not None:
        services.keep_upload(user=user, **asdict(form.received))
    if "read" in request.POST and form.received is not None:
        return _form(request, form.unchecked(selectors.upload_of(user)))
    return _requested(request, form) if is_valid else _form(request, form)


def _requested(request: SignedIn, form: ExperimentForm) -> HttpResponse:
    try:
        made = services.request_experiment(user=request.user, **form.request())
    except services.ExperimentRefused as refusal:
        form.add_error(None, str(refusal))
        return _form(request, form)
    return redirect("experiment", made.public_id)


def _form(request: HttpRequest, form: ExperimentForm) -> HttpResponse:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else 200
    return render(request, "experiments/new.html", pages.form_page(form), status=status)


@require_safe
@login_required
def experiment(request: SignedIn, public_id: UUID) -> HttpResponse:
    """The progress, or the results."""
    found = selectors.own(request.user, public_id)
    return render(request, "experiments/experiment.html", pages.experiment_page(found))


@require_safe
@login_required
def status(request: SignedIn, public_id: UUID) -> HttpResponseBase:
    """The progress, for polling."""
    found = selectors.own(request.user, public_id)
    shown = pages.status(found)
    return polled(request, "experiments/_status.html", shown, is_final=found.is_final)


@require_POST
@login_required
def stop(request: SignedIn, public_id: UUID) -> HttpResponse:
    """Stop an experiment that waits or runs."""
    services.stop(experiment=selectors.own(request.user, public_id))
    return redirect("experiment", public_id)


@require_POST
@login_required
def delete(request: SignedIn, public_id: UUID) -> HttpResponse:
    """Delete an experiment with all its files."""
    found = selectors.own(request.user, public_id)
    try:
        services.delete(experiment=found)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("experiment", public_id)
    messages.success(request, _("“%(name)s” is deleted.") % {"name": found.title})
    return redirect("experiments")


@require_safe
@login_required
def results(request: SignedIn, public_id: UUID) -> HttpResponse:
    """All tables and figures as a zip archive."""
    return downloads.archive(selectors.own(request.user, public_id))


@require_safe
@login_required
def figure(request: SignedIn, public_id: UUID, figure: str) -> HttpResponse:
    """A figure for the page."""
    return downloads.figure(selectors.own(request.user, public_id), f"{figure}.svg")


@require_safe
@login_required
def figure_csv(request: SignedIn, public_id: UUID, figure: str) -> HttpResponse:
    """The numbers of a figure."""
    return downloads.figure_csv(selectors.own(request.user, public_id), figure)


@require_safe
@login_required
def compare(request: SignedIn) -> HttpResponse:
    """Two or more experiments side by side, the oldest first."""
    named = selectors.named(request.user, request.GET.getlist("with"))
    chosen = sorted(named, key=lambda each: each.number)
    try:
        shown = comparison.page(chosen)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("experiments")
    return render(request, "experiments/compare.html", shown)
