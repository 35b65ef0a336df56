# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of dry runs, and the choice of baseline teams."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.bots import copies, selectors, services
from pwscup.bots.models import Rehearsal
from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    version_of,
)
from pwscup.contests.selectors import missing_for_publication
from pwscup.contests.services.games import red_lines
from pwscup.core.http.polling import etag, polled


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def dry_run(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The result of the last dry run; a POST requests one, or removes its copy."""
    if request.method == "POST":
        return _changed(request, contest)
    found = selectors.newest(contest)
    page = organizer_page(request, contest, "dry-run") | {
        "rehearsal": found,
        "missing": missing_for_publication(contest),
        "n_bots": copies.n_bots(contest),
        "lines": selectors.report_of(found) if found else [],
        "certificate": selectors.certificate_of(found) if found else [],
        "is_certified": red_lines(contest) is not None,
        **_status(found),
    }
    return render(request, "bots/dry_run.html", page)


def _changed(request: HttpRequest, contest: Contest) -> HttpResponse:
    if answer := request.POST.get("answer"):
        words = _("The rule is added. Run the bots again for another certificate.")
        given = {"version": version_of(request), "name": answer}
        back = "organize-dry-run"
        return carry_out(request, contest, services.add_answer, done=words, back=back, **given)
    removes = "remove" in request.POST
    service = services.discard_dry_run if removes else services.request_dry_run
    done = _("Removed.") if removes else _("The dry run has started.")
    what = {"version": version_of(request)}
    return carry_out(request, contest, service, done=done, back="organize-dry-run", **what)


def _status(rehearsal: Rehearsal | None) -> dict[str, Any]:
    if rehearsal is None:
        return {}
    titles = {round.key: round.local_title for round in rehearsal.contest.rounds.all()}
    return {
        "is_final": rehearsal.is_final,
        "step": titles.get(rehearsal.step, rehearsal.step),
        "etag": etag(rehearsal.pk, rehearsal.state, rehearsal.step),
    }


@require_safe
@for_organizers
def dry_run_status(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    """The progress, for polling."""
    found = selectors.newest(contest)
    if found is None:
        raise Http404
    status = _status(found)
    context = {"contest": contest, "rehearsal": found} | status
    return polled(request, "bots/_status.html", context, is_final=found.is_final)


@require_POST
@for_organizers
def baseline_teams(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Add the baseline team that the button names, or remove it."""
    removes = "remove" in request.POST
    service = contests.remove_baseline_team if removes else contests.add_baseline_team
    words = _("The baseline team is removed.") if removes else _("The baseline team is added.")
    name = request.POST.get("remove" if removes else "add", "")
    return carry_out(request, contest, service, done=words, back="organize-teams", name=name)
