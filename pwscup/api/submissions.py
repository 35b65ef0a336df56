"""Submission of files by programs, and the results of the team's submissions."""

from __future__ import annotations

import io
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status

from pwscup.api import schemas
from pwscup.api.contests import READING, ROUND, WRITING, own_team
from pwscup.api.problems import ApiRefused, of_problem
from pwscup.contests.selectors import visible_round
from pwscup.formats import kinds_where
from pwscup.formats.files import CSV, SUFFIXES, ZIP
from pwscup.submissions import selectors, services
from pwscup.submissions.forms import is_in_parts
from pwscup.submissions.intake import uploads
from pwscup.submissions.middleware import arrival
from pwscup.submissions.pages.lines import Line, lines
from scoring.errors import Problem, ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.http import HttpRequest

    from pwscup.accounts.models import Team, User
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release, Submission

router = Router(tags=["submissions"])
CHUNK = 64 * 1024
MAX_LISTED = 200
PRINTABLE = r"^[^\x00]*$"  # PostgreSQL cannot store NUL
FILE_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}} for kind in (CSV, ZIP)
        },
    }
}


@router.get(
    f"{ROUND}/submissions",
    response={200: list[schemas.Submission], READING: schemas.Problems},
    url_name="api-submissions",
    operation_id="submissions",
    summary="Submissions of your team in a round, the newest first",
)
def submissions(request: HttpRequest, slug: str, key: str) -> list[schemas.Submission]:
    round = visible_round(request.user, slug, key)
    team = own_team(request, round.contest)
    found = selectors.submissions_of_team(team, round)[:MAX_LISTED]
    return _shown(list(found), request.user, _counting(team, round))


@router.post(
    f"{ROUND}/submissions",
    response={201: schemas.Submission, WRITING: schemas.Problems},
    url_name="api-submissions",
    operation_id="hand_in",
    summary="Submit a table, an estimate, a series of releases, guessed values or an archive of answers as the body",
    openapi_extra=FILE_BODY,
)
def hand_in(
    request: HttpRequest,
    slug: str,
    key: str,
    note: str = Query("", description="for your team", pattern=PRINTABLE),
    target: str = Query("", description="the team that guesses are about", pattern=PRINTABLE),
    original: int | None = Query(
        None,
        description="the number of the original that a table was made from, if teams have several",
    ),
) -> Status:
    round = visible_round(request.user, slug, key, kinds_where("content_type"))
    team = own_team(request, round.contest)
    expected = ZIP if len(round.spec.files) > 1 else round.format.content_type
    if request.content_type != expected:
        raise ApiRefused("request.content_type", expected=expected, got=request.content_type or "—")
    submission = services.submit(
        user=request.user,
        team=team,
        round=round,
        files=_files(request, round),
        arrived_at=arrival(request),
        target=_target(round, team, target) if round.format.has_targets else None,
        note=note,
        nonce=request.headers.get("Idempotency-Key", ""),
        original=original,
    )
    return Status(201, _one(request.user, submission.public_id))


@router.get(
    "/submissions/{uuid:public_id}",
    response={200: schemas.Submission, READING: schemas.Problems},
    url_name="api-submission",
    operation_id="submission",
    summary="A submission of your team: its state, its problems, and its errors when they are shown",
)
def submission(request: HttpRequest, public_id: UUID) -> schemas.Submission:
    return _one(request.user, public_id)


def _target(round: Round, team: Team, slug: str) -> Release:
    """The release of another team; Http404 if there is none."""
    return get_object_or_404(selectors.releases(round).exclude(team=team), team__slug=slug)


def _files(request: HttpRequest, round: Round) -> dict[str, services.Upload]:
    """The body as the file of the round, or as an archive of its files, each under its key."""
    is_several = is_in_parts(round)
    if len(round.spec.files) == 1 and not round.format.asks_questions:
        (spec,) = round.spec.files
        suffix = SUFFIXES[str(round.format.content_type)]
        return {spec.key: (f"{spec.key}.{suffix}", _chunks(request))}
    limit = selectors.max_file_bytes(round)
    body = bytearray()
    for chunk in _chunks(request):
        body += chunk
        if len(body) > settings.MAX_UPLOAD_BYTES:
            raise services.SubmissionRefused(
                "file.too_large", name="answers.zip", expected=settings.MAX_UPLOAD_BYTES
            )
    try:
        parts = uploads.parts_of(io.BytesIO(body), "answers.zip", limit)
    except ProblemsFound as refused:
        raise services.SubmissionRefused(
            "archive.unusable", problem=str(refused.problems[0])
        ) from refused
    if is_several:
        keys = [spec.key for spec in round.spec.files]
        found, errors = uploads.matched_tables(
            parts, keys, round.contest.ruleset.data.optional_parts
        )
        if errors:
            problem = "; ".join(message for error in errors for message in error.messages)
            raise services.SubmissionRefused("archive.unusable", problem=problem)
        return {key: (part.name, part.chunks()) for key, part in found.items()}
    return {PurePosixPath(part.name).stem: (part.name, part.chunks()) for part in parts}


def _chunks(request: HttpRequest) -> Iterator[bytes]:
    while chunk := request.read(CHUNK):
        yield chunk


def _one(viewer: User, public_id: UUID) -> schemas.Submission:
    found = selectors.get_visible(viewer, public_id)
    return _shown([found], viewer, _counting(found.team, found.round))[0]


def _counting(team: Team, round: Round) -> Iterable[int]:
    if round.format.has_targets:
        return selectors.counting_guesses(team, round).values()
    counted = selectors.counted_submission(team, round)
    return [counted.pk] if counted else []


def _shown(
    found: list[Submission], viewer: User, counting: Iterable[int]
) -> list[schemas.Submission]:
    """As on the pages of a round: errors and bands as far as they are visible."""
    return [_submission(line) for line in lines(found, viewer, timezone.now(), counting)]


def _submission(line: Line) -> schemas.Submission:
    found, visible = line.submission, line.visible
    band = visible.band if visible else None
    return schemas.Submission(
        id=found.public_id,
        contest=found.round.contest.slug,
        round=found.round.key,
        team=found.team.slug,
        number=found.number,
        original=found.original,
        state=found.state,
        arrived_at=found.arrived_at,
        files=[
            schemas.File(
                key=one.key,
                name=one.file.name,
                size_bytes=one.file.size_bytes,
                sha256=one.file.sha256,
            )
            for one in found.files.all()
        ],
        counts=line.counts,
        problems=[of_problem(Problem.from_dict(problem)) for problem in found.problems],
        n_problems=found.n_problems,
        marks=dict(visible.values) if visible and visible.values is not None else None,
        band=(band.low, band.high) if band else None,
    )
