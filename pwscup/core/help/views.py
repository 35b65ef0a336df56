# SPDX-License-Identifier: Apache-2.0
"""The documentation under /help/, in the reader's language, searched on the server."""

from __future__ import annotations

import mimetypes

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from pwscup.core.help import pages
from pwscup.core.help.rendering import address_of, rendered
from pwscup.core.help.search import search

NOTEBOOK = "application/x-ipynb+json"
MOST_CHARACTERS = 200


@require_safe
def help_page(request: HttpRequest, address: str = "") -> HttpResponse:
    """A page of the documentation."""
    language = _language()
    page = pages.by_address(language).get(address)
    if page is None:
        raise Http404
    ordered = list(pages.by_address(language).values())
    at = ordered.index(page)
    shown = {
        "page": page,
        "rendered": rendered(page, language),
        "before": ordered[at - 1] if at else None,
        "after": ordered[at + 1] if at + 1 < len(ordered) else None,
    }
    return render(request, "core/help.html", _navigation(language, page) | shown)


@require_safe
def help_search(request: HttpRequest) -> HttpResponse:
    """The sections of all pages that have every term of the query."""
    language = _language()
    query = request.GET.get("q", "").strip()[:MOST_CHARACTERS]
    hits = [(address_of(hit.section.page), hit) for hit in search(query, language)]
    found = {"query": query, "hits": hits}
    return render(request, "core/help_search.html", _navigation(language) | found)


@require_safe
def help_file(_request: HttpRequest, name: str) -> FileResponse:
    """A picture that a page shows, or a notebook to download."""
    path = pages.file(name)
    if path is None:
        raise Http404
    is_notebook = path.suffix == pages.NOTEBOOK
    content_type = NOTEBOOK if is_notebook else mimetypes.guess_type(path.name)[0]
    return FileResponse(path.open("rb"), as_attachment=is_notebook, content_type=content_type)


def _language() -> str:
    return (get_language() or "en").partition("-")[0]


def _navigation(language: str, page: pages.Page | None = None) -> dict[str, object]:
    parts = [
        {
            "title": part.title,
            "is_open": page in part.pages,
            "pages": [(address_of(one), one.title, one == page) for one in part.pages],
        }
        for part in pages.parts(language)
    ]
    return {"parts": parts}
