# SPDX-License-Identifier: Apache-2.0
"""Common parts of all organizer's pages: access, frame, and the response to a refused change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from pwscup.contests import faults, selectors
from pwscup.contests.models import Contest
from pwscup.contests.organize import nav, wizard
from pwscup.core.http.posted import posted_number
from pwscup.core.texts.refusals import Refused

View = Callable[..., HttpResponseBase]


def for_organizers(view: View) -> View:
    """Pass the contest to the view; Http404 for users who do not organize it."""

    @login_required
    @wraps(view)
    def entered(request: HttpRequest, slug: str, **names: Any) -> HttpResponseBase:
        return view(request, selectors.organized_contest(request.user, slug), **names)

    return entered


def organizer_page(request: HttpRequest, contest: Contest, section: str) -> dict[str, Any]:
    """The context of `organize/base.html`."""
    steps = wizard.steps(contest, section)
    frame = {
        "section": section,
        "organizer_nav": nav.nav(contest, section),
        "faults": faults.of(contest),
        "absent": contest.ruleset.absent,
        "steps": steps,
        "next_step": wizard.next_step(steps),
    }
    return selectors.contest_page(request, contest, "organize") | frame


def tell(request: HttpRequest, refusal: Refused) -> None:
    """Show on the next page why nothing was changed, and what to do."""
    for message in refusal.messages:
        messages.error(request, message)


def carry_out(
    request: HttpRequest,
    contest: Contest,
    service: Callable[..., Any],
    *,
    done: str,
    back: str,
    **what: Any,
) -> HttpResponse:
    """Change a contest, and show on the page `back` that it was done, or why it was refused."""
    change = partial(service, contest=contest, **what)
    return attempt(request, contest, change, done=done, back=back)


def attempt(
    request: HttpRequest, contest: Contest, change: Callable[..., Any], *, done: str, back: str
) -> HttpResponse:
    """The same for a change with all its arguments bound."""
    try:
        change(actor=request.user)
    except Refused as refusal:
        tell(request, refusal)
    else:
        messages.success(request, done)
    return redirect(back, contest.slug)


def version_of(request: HttpRequest) -> int | None:
    """The version for which the button's page was rendered."""
    return posted_number(request, "version")
