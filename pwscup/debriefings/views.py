# SPDX-License-Identifier: Apache-2.0
"""Pages of debriefings: a team's own, the examples of the class, and the organizer's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    version_of,
)
from pwscup.contests.policies import may_see_board
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.core.http.polling import polled
from pwscup.debriefings import facts, forms, pages, selectors, services

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


def _contest(request: HttpRequest, slug: str) -> Contest | None:
    """The contest for users who may see its boards; None asks visitors to log in."""
    contest = visible_contest(request.user, slug)
    if may_see_board(request.user, contest):
        return contest
    if request.user.is_anonymous:
        return None
    raise Http404


@require_safe
def debriefing(request: HttpRequest, slug: str) -> HttpResponse:
    contest = _contest(request, slug)
    if contest is None:
        return redirect_to_login(request.get_full_path())
    page = contest_page(request, contest, "debriefing")
    found = services.ensure(contest, page["now"])
    page |= pages.status(contest, found) | {
        "own": pages.own_parts(found, page["my_team"], request.user),
        "examples": pages.examples(found, contest),
        "discloses": facts.settings_of(contest).discloses_table,
    }
    return render(request, "debriefings/debriefing.html", page)


@require_safe
def debriefing_status(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The progress, for polling."""
    contest = _contest(request, slug)
    if contest is None:
        return redirect_to_login(request.get_full_path())
    status = pages.status(contest, services.ensure(contest, timezone.now()))
    return polled(request, "debriefings/_status.html", status, is_final=not status["is_awaited"])


# For organizers


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def organize(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Settings, and all parts; a POST changes the settings."""
    form = forms.SettingsForm(contest, request.POST or None, instance=facts.settings_of(contest))
    if request.method == "POST" and form.is_valid():
        return carry_out(
            request,
            contest,
            services.change,
            done=_("Saved."),
            back="organize-debriefing",
            version=version_of(request),
            **form.chosen,
        )
    found = services.ensure(contest, timezone.now())
    parts = pages.overview(found)
    chosen = selectors.examples_in(contest)
    initial = {"version": contest.version}
    examples = forms.ExamplesForm([one.part for one in parts], chosen, initial=initial)
    page = organizer_page(request, contest, "debriefing") | pages.status(contest, found)
    page |= {
        "form": form,
        "rows": [(one, examples[forms.field_of(one.part)]) for one in parts],
        "examples_form": examples,
    }
    return render(request, "debriefings/organize.html", page)


@require_safe
@for_organizers
def organize_part(request: HttpRequest, contest: Contest, team: str, key: str) -> HttpResponse:
    """The debriefing of one team."""
    found = services.ensure(contest, timezone.now())
    part = selectors.part_of_slug(found, team, key)
    page = organizer_page(request, contest, "debriefing")
    page |= {"one": pages.shown(part, part.team.name, ())}
    return render(request, "debriefings/organize_part.html", page)


@require_POST
@for_organizers
def organize_examples(request: HttpRequest, contest: Contest) -> HttpResponse:
    found = services.ensure(contest, timezone.now())
    form = forms.ExamplesForm(selectors.all_parts(found), {}, request.POST)
    if not form.is_valid():
        raise Http404  # made by no page of ours
    return carry_out(
        request,
        contest,
        services.choose_examples,
        done=_("Saved: the class sees these examples on the page of the debriefing."),
        back="organize-debriefing",
        version=form.cleaned_data["version"],
        examples=form.examples,
    )


@require_POST
@for_organizers
def organize_again(request: HttpRequest, contest: Contest) -> HttpResponse:
    return carry_out(
        request,
        contest,
        services.compute_again,
        done=_("The debriefing is being computed."),
        back="organize-debriefing",
        version=version_of(request),
    )
