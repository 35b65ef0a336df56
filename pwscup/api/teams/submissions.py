# SPDX-License-Identifier: Apache-2.0
"""Submissions of a team: files of every kind of round, their state and results, and what the team decides of them."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.api import problems, schemas
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.problems import ApiRefused, FormRefused
from pwscup.api.teams import bodies
from pwscup.api.teams.common import ROUND, SUBMISSION, own_team
from pwscup.contests.selectors import visible_round
from pwscup.submissions import policies, selectors, services
from pwscup.submissions.intake.guesses import refused_in_advance, submit_each
from pwscup.submissions.middleware import arrival
from pwscup.submissions.models import Submission
from pwscup.submissions.pages import downloads, rounds
from pwscup.submissions.pages.lines import Line, lines
from pwscup.submissions.proof.receipts import receipt_of
from pwscup.submissions.results.feedback import Band
from pwscup.submissions.states import FINAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpResponseBase

    from pwscup.accounts.models import Team, User
    from pwscup.contests.models import Round
    from pwscup.core.http.requests import ApiRequest
    from pwscup.submissions.models import Release

router = Operations(tags=["submissions"])
MOST_SECONDS = 20
LOOK_SECONDS = 0.5
WAITERS = threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 6))
"""Requests of a process that may wait at the same time: the other threads are for pages."""
NOTE = Query("", description="for your team", pattern=schemas.PRINTABLE)
SHORT_NAME = r"^[-a-zA-Z0-9_]*$"


# Submitting


@router.looks(
    f"{ROUND}/submissions",
    "submissions",
    list[schemas.Submission],
    _("Submissions of your team in a round, the newest first"),
)
def submissions(
    request: ApiRequest, response: HttpResponse, slug: str, key: str, paging: Query[Paging]
) -> list[schemas.Submission]:
    round = visible_round(request.user, slug, key)
    team = own_team(request, round.contest)
    found = paged(request, response, selectors.submissions_of_team(team, round), paging)
    return _shown(found, request.user, _counting(team, round))


@router.acts(
    f"{ROUND}/submissions",
    "submissions",
    schemas.Submission,
    _("Submit the files of a round: one as the body, several as a zip archive or a form"),
    as_="submit",
    status=201,
    takes=bodies.SUBMISSION_BODY,
    repeats=True,
)
def submit(
    request: ApiRequest,
    slug: str,
    key: str,
    note: str = NOTE,
    target: str = Query(
        "", description="the short name of the team that guesses are about", pattern=SHORT_NAME
    ),
    original: int | None = Query(
        None,
        description="the number of the original that a table was made from, if teams have several",
    ),
    team: str = Query(
        "",
        description="the short name of a team of the platform, for which organizers submit",
        pattern=SHORT_NAME,
    ),
) -> Status:
    round = visible_round(request.user, slug, key)
    playing = _playing(request, round, team)
    bodies.check_type(request, bodies.content_types(round))
    arrived_at = arrival(request)
    release = _target(request, round, playing, target) if target else None
    submission = services.submit(
        user=request.user,
        team=playing,
        round=round,
        files=bodies.received(request, round),
        arrived_at=arrived_at,
        target=release,
        note=note,
        nonce=request.headers.get("Idempotency-Key", ""),
        original=original,
    )
    return Status(201, one_submission(request.user, submission.public_id))


@router.acts(
    f"{ROUND}/guesses",
    "guesses",
    schemas.Guesses,
    _("Submit guesses about several targets, each named by its file"),
    as_="submit_guesses",
    status=201,
    takes=bodies.GUESSES_BODY,
    repeats=True,
)
def submit_guesses(request: ApiRequest, slug: str, key: str, note: str = NOTE) -> Status:
    round = visible_round(request.user, slug, key)
    team, arrived_at = own_team(request, round.contest), arrival(request)
    if not round.format.has_targets:
        raise services.SubmissionRefused("target.unknown")
    files = bodies.guess_files(request)
    services.check_round(request.user, team, round, arrived_at)
    others = {r.team.slug: r for r in selectors.releases(round) if r.team_id != team.pk}
    form = rounds.guess_form(round, team, others.values(), {"note": ""}, files)
    if not form.is_valid():
        raise FormRefused(form)
    guesses = {others[name]: parts for name, parts in form.cleaned_data["guess"].items()}
    nonce = request.headers.get("Idempotency-Key", "")
    if errors := refused_in_advance(request, round, team, guesses, arrived_at, nonce):
        form.add_error(None, errors)
        raise FormRefused(form)
    outcome = submit_each(request, round, team, guesses, arrived_at, nonce, {"note": note})
    if outcome.refusal is not None and not outcome.taken:
        raise outcome.refusal
    refused = problems.of_refusal(outcome.refusal) if outcome.refusal else []
    if outcome.status is not None:
        refused = problems.of_unavailable(outcome.status)
    taken = selectors.submissions_of_team(team, round).filter(
        pk__in=[made.pk for made in outcome.taken.values()]
    )
    shown = schemas.Guesses(
        submissions=_shown(list(taken), request.user, _counting(team, round)),
        not_received=[one.team.slug for one in guesses if one not in outcome.taken],
        problems=[schemas.Problem(**one) for one in refused],
        n_problems=len(refused),
    )
    return Status(201, shown)


def _playing(request: ApiRequest, round: Round, slug: str) -> Team:
    """The caller's team; or the platform's team that an organizer names, where only these publish tables."""
    if not slug or not policies.publishes_for_house(request.user, round):
        return own_team(request, round.contest)
    team = round.contest.teams.filter(is_house=True, slug=slug).first()
    if team is None:
        raise ApiRefused("team.unknown")
    return team


def _target(request: ApiRequest, round: Round, team: Team, slug: str) -> Release:
    """The published table of that team."""
    release = selectors.releases(round).filter(team__slug=slug).first()
    if release is None:
        services.check_round(request.user, team, round, arrival(request))  # tables appear later
        raise services.SubmissionRefused("target.unknown")
    return release


# One submission


@router.looks(
    SUBMISSION,
    "submission",
    schemas.Submission,
    _("A submission of your team: its state, its problems, and its values when they are shown"),
)
def submission(
    request: ApiRequest,
    public_id: UUID,
    wait: int = Query(
        0, ge=0, le=MOST_SECONDS, description="seconds to wait until its state is final"
    ),
) -> schemas.Submission:
    found = selectors.get_visible(request.user, public_id)
    if wait and found.state not in FINAL and _awaited(found, wait):
        found = selectors.get_visible(request.user, public_id)
    return _detail(found, request.user)


def _awaited(found: Submission, seconds: float) -> bool:
    """The state becomes final in that time; False also if too many requests wait already."""
    if not WAITERS.acquire(blocking=False):
        return False
    try:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(LOOK_SECONDS, left))
            state = Submission.objects.filter(pk=found.pk).values_list("state", flat=True).first()
            if state is None or state in FINAL:
                return True
    finally:
        WAITERS.release()
    return False


@router.file(
    f"{SUBMISSION}/files/{{slug:key}}",
    "submission-file",
    ["application/octet-stream"],
    _("A file of a submission, exactly as it was sent"),
)
def submission_file(request: ApiRequest, public_id: UUID, key: str) -> HttpResponseBase:
    found = selectors.get_visible(request.user, public_id)
    if not policies.is_member(request.user, found.team):
        raise ApiRefused("browser.only")
    return downloads.own_upload_response(request.user, found, key)


@router.acts(
    f"{SUBMISSION}/cancel",
    "submission-cancel",
    schemas.Submission,
    _("Cancel a submission that waits: it uses no attempt"),
)
def cancel(request: ApiRequest, public_id: UUID) -> schemas.Submission:
    found = selectors.get_visible(request.user, public_id)
    services.cancel(user=request.user, submission=found)
    return one_submission(request.user, public_id)


@router.acts(
    f"{SUBMISSION}/choose",
    "submission-choose",
    schemas.Submission,
    _("Choose the submission that counts"),
)
def choose(request: ApiRequest, public_id: UUID) -> schemas.Submission:
    found = selectors.get_visible(request.user, public_id)
    services.choose(user=request.user, submission=found)
    return one_submission(request.user, public_id)


@router.acts(
    f"{SUBMISSION}/note",
    "submission-note",
    schemas.Submission,
    _("Change the note of a submission"),
    method="PUT",
)
def annotate(request: ApiRequest, public_id: UUID, body: schemas.Note) -> schemas.Submission:
    found = selectors.get_visible(request.user, public_id)
    services.annotate(user=request.user, submission=found, note=body.note)
    return one_submission(request.user, public_id)


@router.looks(
    f"{SUBMISSION}/receipt",
    "receipt",
    schemas.Receipt,
    _("The receipt of a submission, which binds the organizers"),
)
def receipt(request: ApiRequest, public_id: UUID) -> JsonResponse:
    return JsonResponse(receipt_of(selectors.get_visible(request.user, public_id)).to_dict())


# What is shown


def one_submission(viewer: User, public_id: UUID) -> schemas.Submission:
    return _detail(selectors.get_visible(viewer, public_id), viewer)


def _detail(found: Submission, viewer: User) -> schemas.Submission:
    """With what only its own page shows: the place in the queue, and the notes."""
    (shown,) = _shown([found], viewer, _counting(found.team, found.round))
    evaluation = selectors.latest_evaluation(found)
    notes = evaluation.notes if evaluation else []
    shown.place = selectors.queue_place(found)
    shown.notes = [schemas.Problem(**problems.of_stored(note)) for note in notes]
    return shown


def _counting(team: Team, round: Round) -> Iterable[int]:
    if round.format.has_targets:
        return selectors.counting_guesses(team, round).values()
    counted = selectors.counted_submission(team, round)
    return [counted.pk] if counted else []


def _shown(
    found: list[Submission], viewer: User, counting: Iterable[int]
) -> list[schemas.Submission]:
    """As on the pages of a round: values and bands as far as they are visible."""
    return [shown_line(line) for line in lines(found, viewer, timezone.now(), counting)]


def shown_line(line: Line) -> schemas.Submission:
    """A submission as its viewer may see it."""
    found, visible = line.submission, line.visible
    band = visible.band if visible else None
    return schemas.Submission(
        id=found.public_id,
        contest=found.round.contest.slug,
        round=found.round.key,
        team=found.team.slug,
        number=found.number,
        target=found.target.team.slug if found.target else None,
        original=found.original,
        state=found.state,
        is_final=found.state in FINAL,
        arrived_at=found.arrived_at,
        finished_at=found.finished_at,
        submitted_by=found.submitted_by.display_name if found.submitted_by else None,
        note=found.note,
        files=[
            schemas.File(
                key=one.key,
                name=one.file.name,
                size_bytes=one.file.size_bytes,
                sha256=one.file.sha256,
                erased=one.file.erased_at is not None,
            )
            for one in found.files.all()
        ],
        counts=line.counts,
        may_choose=line.may_choose,
        problems=[schemas.Problem(**problems.of_stored(one)) for one in found.problems],
        n_problems=found.n_problems,
        values=dict(visible.values) if visible and visible.values is not None else None,
        band=(band.low, band.high) if isinstance(band, Band) else None,
        band_title=None if band is None or isinstance(band, Band) else str(band),
        reference=found.reference,
    )
