# SPDX-License-Identifier: Apache-2.0
"""The terms, which are required before every download of a contest's data."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseRedirect
from django.urls import Resolver404, resolve, reverse

from pwscup.contests import policies

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


def terms_url(contest: Contest, following: str) -> str:
    """The page where the terms are accepted, which then leads to `following`."""
    return f"{reverse('terms', args=[contest.slug])}?{urlencode({'next': following})}"


FILES = frozenset(
    {
        *("original", "schema", "sample", "team-data", "material"),
        *("release", "release-candidates", "targets-zip", "batch-release", "estimate-template"),
        *("answer-csv", "answers-zip", "trial-file"),
    }
)
"""The names of addresses that answer files: a browser stays on the page from which it was sent there."""


def file_at(path: str) -> bool:
    """The path leads to a file, not to a page."""
    try:
        return resolve(path.partition("?")[0]).url_name in FILES
    except Resolver404:
        return False


def terms_first_url(request: HttpRequest, contest: Contest) -> str:
    """The target of links to data until the terms are accepted; it returns to this page."""
    return "" if policies.has_accepted(request.user, contest) else terms_url(contest, request.path)


def terms_first(request: HttpRequest, contest: Contest) -> HttpResponseRedirect | None:
    """A redirect for a user who may download but has not accepted the terms; otherwise None."""
    if policies.has_accepted(request.user, contest):
        return None
    return HttpResponseRedirect(terms_url(contest, request.get_full_path()))
