# SPDX-License-Identifier: Apache-2.0
"""The pictures of a contest, and the style sheet of an accent colour."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.http import FileResponse, Http404, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import condition, require_safe

from pwscup.contests.branding.colours import is_colour, style_sheet, style_sheet_of_site
from pwscup.contests.branding.pictures import TYPES
from pwscup.contests.branding.shown import SITE, file_named
from pwscup.contests.selectors import visible_contest
from pwscup.core.files import storage

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from pwscup.contests.models import Contest

A_YEAR = 365 * 24 * 3600
A_DAY = 24 * 3600


@require_safe
def picture(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """A picture of a contest that the viewer may see; its address changes with its content."""
    return picture_response(request, visible_contest(request.user, slug), name)


def picture_response(request: HttpRequest, contest: Contest, name: str) -> HttpResponseBase:
    """The picture of that name; Http404 if the contest has none."""
    file, kind = file_named(contest, name), TYPES.get(name.rpartition(".")[2])
    if file is None or kind is None:
        raise Http404
    etag = f'"{file.sha256}"'
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        response = FileResponse(storage.path_of(file).open("rb"), content_type=kind)
    response["ETag"] = etag
    scope = {"public": True} if contest.is_public else {"private": True}
    patch_cache_control(response, max_age=A_YEAR, immutable=True, **scope)
    return response


def _style_sheet(name: str) -> str | None:
    if name == SITE:
        return style_sheet_of_site()
    return style_sheet(f"#{name}") if is_colour(f"#{name}") else None


def _etag(request: HttpRequest, name: str) -> str | None:
    text = _style_sheet(name)
    return None if text is None else f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


@require_safe
@condition(etag_func=_etag)
def style(request: HttpRequest, name: str) -> HttpResponse:
    """The tokens of an accent colour; they depend on nothing else, so all contests share them."""
    text = _style_sheet(name)
    if text is None:
        raise Http404
    response = HttpResponse(text, content_type="text/css; charset=utf-8")
    patch_cache_control(response, public=True, max_age=A_DAY)
    return response
