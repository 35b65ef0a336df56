# SPDX-License-Identifier: Apache-2.0
"""Common parts of what organizers do: the contest, the version that a program has seen, and the answer to a change."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from ninja import Query

from pwscup.api.schemas import organize as shapes
from pwscup.contests import selectors
from pwscup.contests.guidance import round_state
from pwscup.contests.models import Contest
from pwscup.contests.selectors import organized_contest

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pwscup.core.http.requests import ApiRequest

ORGANIZED = "/organize/contests"
CONTEST = f"{ORGANIZED}/{{slug:slug}}"
ROUND = f"{CONTEST}/rounds/{{slug:key}}"
VERSION = Query(
    None,
    ge=0,
    description="of the contest that you have read: a change of another organizer refuses yours",
)


def contest_of(request: ApiRequest, slug: str) -> Contest:
    """The contest with that slug for its organizers; Http404 for everybody else."""
    return organized_contest(request.user, slug)


def on_the_clock(start: datetime, zone_name: str) -> str:
    """A time on the clock of a zone, as a form takes it; an unknown zone is the form's problem."""
    try:
        zone = ZoneInfo(zone_name)
    except (LookupError, ValueError, OSError):
        zone = ZoneInfo("UTC")
    # A time in the first or the last year may have none there: as it stands it is refused.
    with suppress(OverflowError):
        start = start.astimezone(zone)
    return start.replace(tzinfo=None).isoformat()


def changed(
    request: ApiRequest,
    contest: Contest,
    service: Callable[..., Any],
    version: int | None = None,
    **what: Any,
) -> shapes.OrganizedContest:
    """Call a service that checks the version, and show the contest as it is then."""
    service(actor=request.user, contest=contest, version=version, **what)
    return shown(contest)


def done(
    request: ApiRequest, contest: Contest, service: Callable[..., Any], **what: Any
) -> shapes.OrganizedContest:
    """The same for a service without a version."""
    service(actor=request.user, contest=contest, **what)
    return shown(contest)


def shown(contest: Contest) -> shapes.OrganizedContest:
    """The settings of a contest and its rounds, as they are now."""
    now = timezone.now()
    held = Contest.objects.prefetch_related("rounds").get(pk=contest.pk)
    rounds = selectors.rounds_of(held)
    for round in rounds:
        round.contest = held
    return shapes.OrganizedContest(
        slug=held.slug,
        version=held.version,
        state=selectors.contest_state(rounds, now) if held.is_published else "draft",
        is_published=held.is_published,
        title=held.title,
        title_ja=held.title_ja,
        summary=held.summary,
        summary_ja=held.summary_ja,
        timezone=held.timezone,
        max_team_size=held.max_team_size,
        admission=held.admission,
        has_late_teams=held.has_late_teams,
        has_trials=held.has_trials,
        epsilon_cap=None if held.epsilon_cap is None else f"{held.epsilon_cap.normalize():f}",
        paused_at=held.paused_at,
        frozen_at=held.frozen_at,
        revealed_at=held.revealed_at,
        erased_at=held.erased_at,
        n_teams=held.teams.count(),
        missing=[str(text) for text in selectors.missing_for_publication(held)],
        rounds=[
            shapes.OrganizedRound(
                key=round.key,
                title=round.local_title,
                kind=round.kind,
                state=round_state(round, now),
                opens_at=round.opens_at,
                closes_at=round.closes_at,
                tries=round.tries,
                tries_per_day=round.tries_per_day,
                feedback=round.feedback,
            )
            for round in rounds
        ],
    )
