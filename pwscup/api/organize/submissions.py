# SPDX-License-Identifier: Apache-2.0
"""Submissions of all teams, and decisions about them and about teams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import prefetch_related_objects
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from ninja import Query

from pwscup.api import problems, schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.organize.common import CONTEST, ROUND, contest_of
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.decisions import shown_decisions, thread_of
from pwscup.api.teams.judging import award_of
from pwscup.api.teams.submissions import one_submission
from pwscup.core.files.exports import csv_stream
from pwscup.formats.files import CSV
from pwscup.submissions import policies, selectors, services
from pwscup.submissions.decisions import appeals, rulings
from pwscup.submissions.decisions.forms import AppealForm, LateForm, ReasonForm
from pwscup.submissions.judging import grades, votes
from pwscup.submissions.judging.pages import summary_of
from pwscup.submissions.live import figures
from pwscup.submissions.live import pages as live_pages
from pwscup.submissions.pages import listing
from pwscup.submissions.states import FINAL

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round
    from pwscup.core.http.requests import ApiRequest
    from pwscup.submissions.models import Submission

router = Operations(tags=["organizing: submissions"])
SUBMISSIONS = f"{CONTEST}/submissions"
SUBMISSION = "/organize/submissions/{uuid:public_id}"
TEAM = f"{CONTEST}/teams/{{slug:team}}"
OF_TEAM = Query("", description="the short name of a team")
OF_ROUND = Query("", description="the key of a round")
STATE = Query("", description="waiting, running, scored, rejected, failed or cancelled")


# All submissions


@router.looks(
    SUBMISSIONS,
    "organize-submissions",
    list[shapes.SubmissionLine],
    _("The submissions of all teams, the newest first"),
)
def submissions(
    request: ApiRequest,
    response: HttpResponse,
    slug: str,
    paging: Query[Paging],
    team: str = OF_TEAM,
    round: str = OF_ROUND,
    state: str = STATE,
) -> list[shapes.SubmissionLine]:
    contest = contest_of(request, slug)
    form = _filters(contest, team=team, round=round, state=state)
    return [_line(one) for one in paged(request, response, listing.found(contest, form), paging)]


def _filters(contest: Contest, **chosen: str) -> listing.FilterForm:
    """The filters of the list; here an invalid one is refused."""
    return checked(listing.FilterForm(contest, chosen))


def _line(found: Submission) -> shapes.SubmissionLine:
    evaluation = selectors.newest_evaluation(found)
    return shapes.SubmissionLine(
        id=found.public_id,
        team=found.team.slug,
        round=found.round.key,
        number=found.number,
        target=found.target.team.slug if found.target else None,
        state=found.state,
        is_final=found.state in FINAL,
        arrived_at=found.arrived_at,
        finished_at=found.finished_at,
        submitted_by=found.submitted_by.display_name if found.submitted_by else None,
        note=found.note,
        n_problems=found.n_problems,
        problems=[schemas.Problem(**problems.of_stored(one)) for one in found.problems],
        can_be_retried=found.can_be_retried,
        reference=found.reference,
        values=dict(evaluation.values) if evaluation and evaluation.values is not None else None,
    )


@router.file(
    f"{SUBMISSIONS}.csv",
    "organize-submissions-csv",
    [CSV],
    _("The submissions of all teams as CSV"),
)
def submissions_csv(
    request: ApiRequest,
    slug: str,
    team: str = OF_TEAM,
    round: str = OF_ROUND,
    state: str = STATE,
) -> StreamingHttpResponse:
    contest = contest_of(request, slug)
    chosen = _filters(contest, team=team, round=round, state=state).chosen()
    rows = listing.export_rows(contest, chosen)
    return csv_stream(f"{contest.slug}-submissions.csv", listing.header(contest), rows)


@router.acts(
    f"{SUBMISSIONS}/retry",
    "organize-retry",
    shapes.Count,
    _("Let every submission whose scoring failed wait again"),
)
def retry_all(request: ApiRequest, slug: str) -> shapes.Count:
    contest = contest_of(request, slug)
    return shapes.Count(n=services.retry_all(actor=request.user, contest=contest))


# A running contest


@router.looks(
    f"{CONTEST}/live",
    "organize-live",
    shapes.Live,
    _("A running contest: teams, submissions per hour, queue, refusals, deadlines and alerts"),
)
def live(request: ApiRequest, slug: str) -> shapes.Live:
    contest, now = contest_of(request, slug), timezone.now()
    found = figures.live_of(contest, now)
    if found is None:
        return shapes.Live(is_running=False)
    return shapes.Live(
        is_running=True,
        round=found.round.key if found.round else None,
        is_open=found.is_open,
        n_teams=found.teams.n,
        n_active=found.teams.n_active,
        silent=list(found.teams.silent),
        n_waiting=found.queue.n_waiting,
        n_being_scored=found.queue.n_running,
        oldest_at=found.queue.oldest_at,
        n_decided=found.refusals.n_decided,
        n_rejected=found.refusals.n_rejected,
        codes=[
            shapes.LiveCode(code=one.code, text=one.text, n=one.n) for one in found.refusals.codes
        ],
        hours=[
            shapes.LiveHour(
                starts_at=one.starts_at, n_received=one.n_received, n_rejected=one.n_rejected
            )
            for one in found.hours
        ],
        deadlines=[shapes.LiveDeadline(text=one.text, at=one.at) for one in found.deadlines],
        alerts=[shapes.LiveAlert(code=one.code, text=one.text) for one in found.alerts],
    )


@router.file(
    f"{CONTEST}/live.csv",
    "organize-live-csv",
    [CSV],
    _("Submissions per hour of the last 24 hours as CSV"),
)
def live_csv(request: ApiRequest, slug: str) -> StreamingHttpResponse:
    contest = contest_of(request, slug)
    rows = live_pages.csv_rows(contest, figures.hours(contest, timezone.now()))
    return csv_stream(f"{contest.slug}-hours.csv", live_pages.HEADER, rows)


# One submission


def _organized(request: ApiRequest, public_id: UUID) -> Submission:
    found = selectors.get_visible(request.user, public_id)
    if not policies.may_rule(request.user, found):
        raise Http404
    return found


@router.acts(
    f"{SUBMISSION}/retry",
    "organize-submission-retry",
    schemas.Submission,
    _("Score a submission again that failed or took too long"),
)
def retry(request: ApiRequest, public_id: UUID) -> schemas.Submission:
    services.retry(actor=request.user, submission=_organized(request, public_id))
    return one_submission(request.user, public_id)


@router.acts(
    f"{SUBMISSION}/withdraw",
    "submission-withdraw",
    schemas.Submission,
    _("Withdraw a submission of a team, with a reason"),
)
def withdraw(request: ApiRequest, public_id: UUID, body: shapes.Reason) -> schemas.Submission:
    found = _organized(request, public_id)
    rulings.withdraw(actor=request.user, submission=found, reason=_reason(body))
    return one_submission(request.user, public_id)


@router.acts(
    f"{SUBMISSION}/reinstate",
    "submission-reinstate",
    schemas.Submission,
    _("Reinstate a submission that was withdrawn, with a reason"),
)
def reinstate(request: ApiRequest, public_id: UUID, body: shapes.Reason) -> schemas.Submission:
    found = _organized(request, public_id)
    rulings.reinstate_submission(actor=request.user, submission=found, reason=_reason(body))
    return one_submission(request.user, public_id)


def _reason(body: shapes.Reason) -> str:
    return checked(ReasonForm(data_of(body))).cleaned_data["reason"]


@router.acts(
    f"{SUBMISSION}/appeal",
    "organize-appeal",
    schemas.Appeal,
    _("Answer an appeal about a submission, and perhaps close it"),
)
def answer(request: ApiRequest, public_id: UUID, body: shapes.AppealAnswer) -> schemas.Appeal:
    found = _organized(request, public_id)
    text = checked(AppealForm({"text": body.text})).cleaned_data["text"]
    appeals.write(user=request.user, submission=found, text=text, closes=body.closes)
    return thread_of(found)


# Teams


@router.looks(
    f"{CONTEST}/decisions",
    "organize-decisions",
    shapes.OrganizedDecisions,
    _("All decisions about teams, and the open appeals"),
)
def decisions(request: ApiRequest, slug: str) -> shapes.OrganizedDecisions:
    return _decisions(contest_of(request, slug))


def _decisions(contest: Contest) -> shapes.OrganizedDecisions:
    found, allowances = selectors.decisions_in(contest)
    prefetch_related_objects([*found, *allowances], "team")
    out = contest.teams.in_bulk(selectors.disqualified(contest))
    open_ones = appeals.open_appeals(contest)
    return shapes.OrganizedDecisions(
        **shown_decisions(found, allowances, out).dict(),
        open_appeals=[one.public_id for one in open_ones],
    )


def _team(contest: Contest, slug: str) -> Team:
    team = get_object_or_404(contest.teams, slug=slug)
    team.contest = contest
    return team


@router.acts(
    f"{TEAM}/disqualify",
    "organize-disqualify",
    shapes.OrganizedDecisions,
    _("Disqualify a team, with a reason"),
)
def disqualify(
    request: ApiRequest, slug: str, team: str, body: shapes.Reason
) -> shapes.OrganizedDecisions:
    contest = contest_of(request, slug)
    found = _team(contest, team)
    rulings.disqualify(actor=request.user, team=found, reason=_reason(body))
    return _decisions(contest)


@router.acts(
    f"{TEAM}/reinstate",
    "organize-reinstate",
    shapes.OrganizedDecisions,
    _("Bring a disqualified team back, with a reason"),
)
def reinstate_team(
    request: ApiRequest, slug: str, team: str, body: shapes.Reason
) -> shapes.OrganizedDecisions:
    contest = contest_of(request, slug)
    found = _team(contest, team)
    rulings.reinstate_team(actor=request.user, team=found, reason=_reason(body))
    return _decisions(contest)


@router.acts(
    f"{TEAM}/late",
    "organize-late",
    shapes.OrganizedDecisions,
    _("Allow a team to submit late in a round"),
)
def late(
    request: ApiRequest, slug: str, team: str, body: shapes.NewLate
) -> shapes.OrganizedDecisions:
    contest = contest_of(request, slug)
    round = get_object_or_404(contest.rounds, key=body.round)
    data = {
        "team": _team(contest, team).pk,
        "round": round.pk,
        "until": body.until,
        "reason": body.reason,
    }
    rulings.allow_late(actor=request.user, **checked(LateForm(contest, data)).cleaned_data)
    return _decisions(contest)


# Presentations


def _judged(request: ApiRequest, slug: str, key: str) -> Round:
    contest = contest_of(request, slug)
    round = get_object_or_404(contest.rounds.select_related("contest"), key=key)
    if not round.format.is_judged:
        raise Http404
    return round


@router.looks(
    f"{ROUND}/grades",
    "organize-grades",
    list[shapes.GradedTeam],
    _("The grades and comments of all judges, by team"),
)
def all_grades(request: ApiRequest, slug: str, key: str) -> list[shapes.GradedTeam]:
    round = _judged(request, slug, key)
    criteria = [key for key, _title in grades.titled_criteria(round)]
    return [
        shapes.GradedTeam(
            team=row.team.slug,
            means=dict(zip(criteria, (cell.mean for cell in row.cells), strict=True)),
            grades=[
                shapes.Grade(criterion=criterion, judge=judge, points=f"{points.normalize():f}")
                for criterion, cell in zip(criteria, row.cells, strict=True)
                for judge, points in cell.given
            ],
            comments=[shapes.Comment(judge=judge, text=text) for judge, text in row.comments],
        )
        for row in summary_of(round)
    ]


@router.acts(
    f"{ROUND}/vote",
    "organize-vote",
    shapes.OpenedVote,
    _("Open the vote of the audience, once"),
    method="PUT",
)
def open_vote(request: ApiRequest, slug: str, key: str, body: shapes.NewVote) -> shapes.OpenedVote:
    round = _judged(request, slug, key)
    votes.open_vote(actor=request.user, round=round, most=body.most, has_guests=body.has_guests)
    return _vote(round)


@router.acts(
    f"{ROUND}/vote/end",
    "organize-vote-end",
    shapes.OpenedVote,
    _("End the vote of the audience, and count it"),
)
def end_vote(request: ApiRequest, slug: str, key: str) -> shapes.OpenedVote:
    round = _judged(request, slug, key)
    votes.end_vote(actor=request.user, round=round)
    return _vote(round)


def _vote(round: Round) -> shapes.OpenedVote:
    found: Any = votes.vote_of(round)
    return shapes.OpenedVote(
        most=found.most,
        guests_token=found.token,
        ended_at=found.ended_at,
        award=award_of(found) if found.ended_at else None,
    )
