# SPDX-License-Identifier: Apache-2.0
"""Pages of proofs: receipts, and the secret that a contest reveals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from pwscup.contests.organize.common import carry_out, for_organizers, version_of
from pwscup.contests.selectors import contest_page, download_name, visible_contest
from pwscup.core.files import storage
from pwscup.core.http.attachments import attached, file_response
from pwscup.submissions import selectors
from pwscup.submissions.pages import results
from pwscup.submissions.proof import reveals
from pwscup.submissions.proof.receipts import receipt_of

if TYPE_CHECKING:
    from uuid import UUID

    from pwscup.contests.models import Contest


@require_safe
def receipt(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = selectors.get_visible(request.user, public_id)
    page = contest_page(request, found.round.contest, found.round.key)
    page |= {"receipt": receipt_of(found), "submission": found, "titles": results.titles(found)}
    return render(request, "submissions/receipt.html", page)


@require_safe
def receipt_json(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = selectors.get_visible(request.user, public_id)
    name = f"receipt-{found.team.slug}-{found.round.key}-{found.number}.json"
    response = JsonResponse(
        receipt_of(found).to_dict(), json_dumps_params={"ensure_ascii": False, "indent": 1}
    )
    return attached(response, download_name(found.round.contest, name), is_private=True)


@require_POST
@for_organizers
def organize_reveal(request: HttpRequest, contest: Contest) -> HttpResponse:
    return carry_out(
        request,
        contest,
        reveals.publish_reveal,
        done=_("The secret is published. Everybody can check the draws now."),
        back="organize-events",
        version=version_of(request),
    )


@require_safe
def reveal(request: HttpRequest, slug: str) -> FileResponse:
    contest = visible_contest(request.user, slug)
    if contest.reveal is None:
        raise Http404
    path = storage.path_of(contest.reveal)
    return file_response(path, download_name(contest, "reveal.json"), "application/json")
