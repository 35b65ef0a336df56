# SPDX-License-Identifier: Apache-2.0
"""The pages of archives: export for organizers, import for users who may create contests, consent of captains."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.policies import is_over
from pwscup.accounts.selectors import team_of
from pwscup.accounts.services import RefusedError
from pwscup.archives import pages, selectors, services
from pwscup.archives.forms import ArchiveForm, ImportForm
from pwscup.contests import policies
from pwscup.contests.models import Contest
from pwscup.contests.organize.common import carry_out, for_organizers, organizer_page
from pwscup.contests.selectors import download_name, visible_contest
from pwscup.core.files import storage
from pwscup.core.files.names import plain_name
from pwscup.core.http.attachments import file_response
from pwscup.core.http.polling import polled
from pwscup.core.http.requests import SignedIn

FORM = require_http_methods(["GET", "HEAD", "POST"])


# Export


@FORM
@for_organizers
def archive(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The existing archives, and a form to request another one."""
    page = organizer_page(request, contest, "archive")
    initial = {"version": contest.version, "names": "consent"}
    form = ArchiveForm(
        request.POST or None,
        initial=initial,
        slug=contest.slug,
        is_over=is_over(contest, page["now"]),
    )
    if form.is_valid():
        return _requested(request, contest, form)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else 200
    return render(
        request, "archives/archive.html", page | pages.archives(contest, form), status=status
    )


def _requested(request: HttpRequest, contest: Contest, form: ArchiveForm) -> HttpResponse:
    what, done = form.cleaned_data, _("The archive is being written.")
    return carry_out(
        request, contest, services.request_archive, done=done, back="organize-archive", **what
    )


@require_safe
@for_organizers
def archive_status(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    """The progress, for polling."""
    newest = selectors.newest(contest)
    if newest is None:
        raise Http404
    status = {"contest": contest} | pages.status_of(newest)
    return polled(request, "archives/_status.html", status, is_final=status["is_final"])


@require_safe
@for_organizers
def archive_file(request: SignedIn, contest: Contest, number: int) -> FileResponse:
    """The archive, as a download."""
    found, file = selectors.get_archive(contest, number)
    services.note_download(actor=request.user, archive=found)
    response = file_response(storage.archive_path(file), file.name, "application/zip")
    response["Cache-Control"] = "private, no-store"
    return response


@require_POST
@for_organizers
def archive_delete(request: HttpRequest, contest: Contest, number: int) -> HttpResponse:
    """Delete an archive."""
    what = {"done": _("The archive is deleted."), "back": "organize-archive"}
    return carry_out(request, contest, services.delete_archive, number=number, **what)


@require_safe
@for_organizers
def history(request: HttpRequest, contest: Contest) -> FileResponse:
    """The events of the original installation of an imported contest."""
    origin = selectors.origin_of(contest)
    if origin is None or origin.history is None:
        raise Http404
    path = storage.archive_path(origin.history)
    return file_response(path, download_name(contest, "history.jsonl"), "application/x-ndjson")


# Import


@FORM
@login_required
def import_contest(request: SignedIn) -> HttpResponse:
    """Upload an archive, and the results of earlier imports."""
    if not policies.may_create_contests(request.user):
        raise Http404
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        upload = form.cleaned_data["archive"]
        name = plain_name(upload.name)
        services.receive_archive(actor=request.user, name=name, chunks=upload.chunks())
        return redirect("organize-import")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else 200
    page: dict[str, Any] = {"form": form} | pages.imports(request.user)
    return render(request, "archives/import.html", page, status=status)


@require_safe
@login_required
def import_status(request: SignedIn) -> HttpResponseBase:
    """The progress, for polling."""
    newest = selectors.newest_import(request.user)
    if newest is None or not policies.may_create_contests(request.user):
        raise Http404
    status = pages.import_status(newest)
    return polled(request, "archives/_import_status.html", status, is_final=status["is_final"])


# Consent


@require_POST
@login_required
def consent(request: SignedIn, slug: str) -> HttpResponse:
    """The captain's consent on the team page."""
    team = team_of(request.user, visible_contest(request.user, slug))
    if team is None:
        raise Http404
    is_named = "is_named" in request.POST
    try:
        services.set_consent(user=request.user, team=team, is_named=is_named)
    except RefusedError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("Saved."))
    return redirect("team", slug)
