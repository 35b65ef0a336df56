# SPDX-License-Identifier: Apache-2.0
"""The live part of the organizer's first page, for polling, and its hours as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from pwscup.contests.organize.common import for_organizers
from pwscup.contests.selectors import download_name
from pwscup.core.files.exports import csv_stream
from pwscup.core.http.polling import polled, wants_part
from pwscup.submissions.live import figures, pages

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


@require_safe
@for_organizers
def live(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    """The figures; once the contest no longer runs, the whole page is loaded again."""
    found = figures.live_of(contest, timezone.now())
    if found is None:
        response = HttpResponse()
        if wants_part(request):
            response["HX-Refresh"] = "true"
        return response
    page = pages.live_page(contest, found)
    return polled(request, "submissions/_live_panel.html", page, is_final=False)


@require_safe
@for_organizers
def live_csv(request: HttpRequest, contest: Contest) -> StreamingHttpResponse:
    """Submissions per hour of the last 24 hours."""
    rows = pages.csv_rows(contest, figures.hours(contest, timezone.now()))
    return csv_stream(download_name(contest, "hours.csv"), pages.HEADER, rows)
