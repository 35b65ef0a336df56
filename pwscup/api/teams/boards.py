# SPDX-License-Identifier: Apache-2.0
"""Leaderboards as tables, the ranks of one submission, and the closing ceremony."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_noop as _
from ninja import Query

from pwscup.api import problems, schemas
from pwscup.api.operations import Operations
from pwscup.api.teams.common import CONTEST, SUBMISSION
from pwscup.contests.policies import may_see_board
from pwscup.contests.selectors import visible_contest
from pwscup.formats.files import CSV
from pwscup.leaderboards import export, pages, ranks
from pwscup.leaderboards.boards.build import first_board_of
from pwscup.leaderboards.boards.sections import INTERVAL
from pwscup.leaderboards.boards.texts import board_title
from pwscup.leaderboards.ceremony.pages import status
from pwscup.participants import teams
from pwscup.submissions.selectors import get_visible
from scoring.rulesets import localized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.contests.models import Contest
    from pwscup.core.http.requests import ApiRequest
    from pwscup.leaderboards.pages import Shown

router = Operations(tags=["boards"])
BUSY_SECONDS = 2
STAGE = Query("", description="its key; without it the one that opened last")
DIVISION = Query("", description="its key; without it all teams")


def _contest(request: ApiRequest, slug: str) -> Contest:
    """The contest for those who may see its boards."""
    contest = visible_contest(request.user, slug)
    if not may_see_board(request.user, contest):
        raise Http404
    return contest


def _chosen(request: ApiRequest, contest: Contest, **query: str) -> Shown | None:
    asked = {key: value for key, value in query.items() if value}
    return pages.chosen(request.user, contest, timezone.now(), asked)


def _awaited() -> HttpResponse:
    """The boards are being computed for the first time."""
    response = problems.of_status(503)
    response["Retry-After"] = str(BUSY_SECONDS)
    return response


@router.looks(
    f"{CONTEST}/boards",
    "boards",
    schemas.Boards,
    _("The boards of a contest, its stages and its divisions"),
)
def boards(request: ApiRequest, slug: str) -> schemas.Boards | HttpResponse:
    contest, language = _contest(request, slug), get_language() or "en"
    shown = _chosen(request, contest)
    if shown is None:
        return _awaited()
    scope = shown.boards.scope
    return schemas.Boards(
        first=first_board_of(scope),
        boards=[
            schemas.Titled(key=key, title=str(board_title(key, scope.rules)))
            for key in pages.names_of(shown.boards)
        ],
        stages=[
            schemas.Titled(key=spec.key, title=localized(spec.title, language))
            for spec in scope.rules.stages
        ],
        divisions=[
            schemas.Titled(key=division.key, title=division.local_title)
            for division in contest.divisions.all()
        ],
        frozen_at=scope.before,
    )


@router.looks(
    f"{CONTEST}/teams/{{int:number}}",
    "team-page",
    schemas.TeamPage,
    _("What everybody may know of a team: places, entries, ranks over time"),
)
def team_page(request: ApiRequest, slug: str, number: int) -> schemas.TeamPage | HttpResponse:
    contest = _contest(request, slug)
    found = teams.page_of(request.user, contest, number, timezone.now())
    if found.standings is None:
        return _awaited()
    return schemas.TeamPage(
        number=found.team.pk,
        slug=found.team.slug,
        name=found.team.name,
        affiliation=found.team.affiliation,
        is_baseline=found.team.is_house,
        members=[one.name for one in found.members],
        n_members=found.n_members,
        places=[
            schemas.TeamPlace(
                board=one.board,
                rank=one.rank,
                n_ranked=one.n_ranked,
                total=one.total,
                **{name: (one.interval or {}).get(name) for name in INTERVAL},
            )
            for one in found.standings
        ],
        entries=[
            schemas.Entries(round=one.round.key, n_scored=one.n, last_at=one.last_at)
            for one in found.entries
        ],
        history=[
            schemas.PastPlace(at=one.at, rank=one.rank, n_ranked=one.n_ranked, total=one.total)
            for one in found.history
        ],
        frozen_at=found.frozen_at,
    )


@router.looks(
    f"{CONTEST}/boards/{{slug:board}}",
    "board",
    schemas.Board,
    _("A board as a table, such as score or matrix"),
)
def board(
    request: ApiRequest, slug: str, board: str, stage: str = STAGE, division: str = DIVISION
) -> schemas.Board | HttpResponse:
    contest = _contest(request, slug)
    shown = _chosen(request, contest, board=board, stage=stage, division=division)
    if shown is None:
        return _awaited()
    section = shown.boards.section(shown.name)
    header, *rows = export.lines_of(shown.name, section)
    return schemas.Board(
        key=shown.name,
        title=str(board_title(shown.name, shown.boards.scope.rules)),
        columns=header,
        rows=rows,
        frozen_at=shown.boards.scope.before,
        as_of=shown.boards.as_of,
        shown_at=pages.shown_at(shown.boards, section),
        is_live=bool(shown.boards.outline["live"]),
    )


@router.file(f"{CONTEST}/boards/{{slug:board}}.csv", "board-csv", [CSV], _("A board as CSV"))
def board_csv(
    request: ApiRequest, slug: str, board: str, stage: str = STAGE, division: str = DIVISION
) -> HttpResponse:
    contest = _contest(request, slug)
    shown = _chosen(request, contest, board=board, stage=stage, division=division)
    if shown is None:
        return _awaited()
    section = shown.boards.section(shown.name)
    return export.board_csv(pages.csv_name(contest, shown), section, shown.name)


@router.looks(
    f"{SUBMISSION}/ranks",
    "submission-ranks",
    schemas.Ranks,
    _("The ranks of a submission among those of the other teams that count"),
)
def submission_ranks(request: ApiRequest, public_id: UUID) -> schemas.Ranks | HttpResponse:
    found = get_visible(request.user, public_id)
    context = ranks.context(found, request.user, timezone.now())
    if context is None:
        raise Http404
    if context.get("awaited"):
        return _awaited()
    standing = context.get("standing")
    return schemas.Ranks(
        are_shown=context["shown"],
        n_teams=context.get("n_teams", 0),
        is_frozen=context.get("is_frozen", False),
        rank=standing.rank if standing else None,
        total=standing.total if standing else None,
        measures=[_rank(row) for row in context.get("rows", ())],
    )


def _rank(row: Mapping[str, Any]) -> schemas.Rank:
    measure = row["measure"]
    return schemas.Rank(measure=measure.id, value=row["value"], rank=row["rank"], best=row["best"])


@router.looks(
    f"{CONTEST}/ceremony",
    "ceremony",
    schemas.Ceremony,
    _("What the closing ceremony has revealed so far"),
)
def ceremony(request: ApiRequest, slug: str) -> schemas.Ceremony:
    return ceremony_of(_contest(request, slug))


def ceremony_of(contest: Contest, *, on_stage: bool = False) -> schemas.Ceremony:
    """The state of the ceremony, for everybody or for the organizers' screen."""
    shown = status(contest, timezone.now(), on_stage=on_stage)
    held = shown["ceremony"]
    if held is None:
        return schemas.Ceremony(exists=False, is_finished=False, title="", step=0, n_steps=0)
    return schemas.Ceremony(
        exists=True,
        is_finished=held.finished_at is not None,
        title=shown["stage_title"],
        step=shown["step"],
        n_steps=shown["n_steps"],
        revealed=[
            schemas.Place(
                rank=place["rank"],
                teams=[
                    schemas.Placed(**{k: row[k] for k in ("name", "total")})
                    for row in place["rows"]
                ],
            )
            for place in shown["revealed"]
        ],
        waiting=[row["name"] for row in shown["waiting"]],
    )
