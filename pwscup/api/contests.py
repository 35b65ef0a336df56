"""Contests that are visible to the caller, with their rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone
from ninja import Router

from pwscup.accounts.selectors import team_of
from pwscup.api import schemas
from pwscup.api.problems import ApiRefused
from pwscup.contests import policies, selectors
from pwscup.submissions.selectors import tries_left

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round

router = Router(tags=["contests"])
ROUND = "/contests/{slug:slug}/rounds/{slug:key}"
READING = frozenset({401, 403, 404, 409, 410, 429})
WRITING = READING | {400, 413, 415, 422}


def own_team(request: HttpRequest, contest: Contest) -> Team:
    """The caller's team; refused if there is none."""
    team = team_of(request.user, contest)
    if team is None:
        raise ApiRefused("team.none")
    return team


@router.get(
    "/contests",
    response={200: list[schemas.ContestLine], READING: schemas.Problems},
    url_name="api-contests",
    operation_id="contests",
    summary="Contests that you may see",
)
def contests(request: HttpRequest) -> list[schemas.ContestLine]:
    groups = selectors.front_page(request.user, timezone.now())
    return [
        schemas.ContestLine(
            slug=line.contest.slug, title=line.contest.local_title, state=line.state
        )
        for lines in groups.values()
        for line in lines
    ]


@router.get(
    "/contests/{slug:slug}",
    response={200: schemas.Contest, READING: schemas.Problems},
    url_name="api-contest",
    operation_id="contest",
    summary="A contest with its rounds",
)
def contest(request: HttpRequest, slug: str) -> schemas.Contest:
    found, now = selectors.visible_contest(request.user, slug), timezone.now()
    rounds, team = selectors.rounds_of(found), team_of(request.user, found)
    return schemas.Contest(
        slug=found.slug,
        title=found.local_title,
        state=selectors.contest_state(rounds, now) if found.is_published else "draft",
        summary=found.local_summary,
        timezone=found.timezone,
        team=team and schemas.Team(slug=team.slug, name=team.name),
        terms_accepted=policies.has_accepted(request.user, found),
        rounds=[_round(round, team, now) for round in rounds],
    )


def _round(round: Round, team: Team | None, now: datetime) -> schemas.Round:
    epsilon = round.spec.epsilon
    counted = team is not None and not round.format.has_targets
    return schemas.Round(
        key=round.key,
        title=round.local_title,
        kind=round.kind,
        phase=round.format.phase,
        opens_at=round.opens_at,
        closes_at=round.closes_at,
        is_open=round.is_open(now),
        epsilon=None if epsilon is None else f"{epsilon:f}",
        tries=round.tries,
        tries_left=tries_left(team, round) if counted else None,
    )
