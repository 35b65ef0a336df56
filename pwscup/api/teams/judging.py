# SPDX-License-Identifier: Apache-2.0
"""Presentations: their order and slides, the grades of a judge, and the vote of the audience."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from pwscup.api import schemas
from pwscup.api.forms import checked
from pwscup.api.operations import Operations
from pwscup.api.teams.common import ROUND, own_team
from pwscup.contests.selectors import visible_round
from pwscup.formats.files import PDF
from pwscup.submissions import policies
from pwscup.submissions.judging import grades, votes
from pwscup.submissions.judging.forms import MarksForm, comment_of, name_of
from pwscup.submissions.pages import downloads

if TYPE_CHECKING:
    from typing import Any

    from pwscup.contests.models import Round
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["presentations"])


def _judged(request: ApiRequest, slug: str, key: str) -> Round:
    round = visible_round(request.user, slug, key)
    if not round.format.is_judged:
        raise Http404
    return round


@router.looks(
    f"{ROUND}/talks",
    "talks",
    list[schemas.Talk],
    _("The order of the presentations, and whose slides you may have"),
)
def talks(request: ApiRequest, slug: str, key: str) -> list[schemas.Talk]:
    round = _judged(request, slug, key)
    return [
        schemas.Talk(
            position=one.position,
            team=schemas.Team(slug=one.team.slug, name=one.team.name),
            has_slides=one.has_slides,
            is_available=one.may_see and one.has_slides,
        )
        for one in grades.talks(round, request.user, timezone.now())
    ]


@router.file(f"{ROUND}/slides/{{slug:team}}", "slides", [PDF], _("The slides of a team"))
def slides(request: ApiRequest, slug: str, key: str, team: str) -> HttpResponse:
    round = visible_round(request.user, slug, key)
    found = grades.slides_for(request.user, round, team, timezone.now())
    name = f"{slug}-{team}-slides.pdf"
    response = downloads.own_upload_response(request.user, found, "slides", name=name)
    response["Content-Type"] = PDF
    return response


@router.looks(
    f"{ROUND}/own-grades",
    "own-grades",
    schemas.OwnGrades,
    _("The mean grades and the comments that your team got"),
)
def own_grades(request: ApiRequest, slug: str, key: str) -> schemas.OwnGrades:
    round = _judged(request, slug, key)
    team = own_team(request, round.contest)
    settled = round.is_settled(timezone.now())
    means = grades.means(round) if settled else {}
    return schemas.OwnGrades(
        are_shown=settled,
        means={key: means.get((team.pk, key)) for key, _title in grades.titled_criteria(round)}
        if settled
        else {},
        comments=grades.comments_on(round, team) if settled else [],
    )


# A judge's grades


@router.looks(f"{ROUND}/grades", "marks", schemas.Grades, _("Your grades and comments as a judge"))
def own_marks(request: ApiRequest, slug: str, key: str) -> schemas.Grades:
    return _grades(request, _graded(request, slug, key))


@router.acts(
    f"{ROUND}/grades",
    "marks",
    schemas.Grades,
    _("Give grades and comments as a judge, all or none"),
    as_="grade",
    method="PUT",
)
def grade(request: ApiRequest, slug: str, key: str, body: schemas.GradesGiven) -> schemas.Grades:
    round = _graded(request, slug, key)
    speakers = {team.slug: team for team in grades.speakers(round)}
    criteria = grades.titled_criteria(round)
    data: dict[str, Any] = {"seen": body.seen}
    for one in body.teams:
        team = speakers.get(one.team)
        if team is None or not set(one.points) <= {key for key, _title in criteria}:
            raise grades.MarkRefused("unknown")
        data |= {name_of(team, key): points for key, points in one.points.items()}
        if one.comment is not None:
            data[comment_of(team)] = one.comment
    named = [speakers[one.team] for one in body.teams]
    form = checked(MarksForm(named, criteria, {}, {}, data))
    grades.save(
        user=request.user,
        round=round,
        given=form.given(),
        seen=form.cleaned_data["seen"],
        comments=form.comments(),
    )
    return _grades(request, round)


def _graded(request: ApiRequest, slug: str, key: str) -> Round:
    round = visible_round(request.user, slug, key)
    if not policies.may_see_marks(request.user, round):
        raise Http404
    return round


def _grades(request: ApiRequest, round: Round) -> schemas.Grades:
    held = grades.own_marks(round, request.user)
    written = grades.own_comments(round, request.user)
    criteria = grades.titled_criteria(round)
    return schemas.Grades(
        seen=grades.last_of(round, request.user),
        may_grade=policies.may_mark(request.user, round, timezone.now()),
        criteria=[schemas.Titled(key=key, title=title) for key, title in criteria],
        teams=[
            schemas.TeamGrades(
                team=team.slug,
                points={
                    key: f"{held[team.pk, key].normalize():f}"
                    for key, _title in criteria
                    if (team.pk, key) in held
                },
                comment=written.get(team.pk, ""),
            )
            for team in grades.speakers(round)
        ],
    )


# The vote of the audience


@router.looks(
    f"{ROUND}/vote", "vote", schemas.Ballot, _("The vote of the audience, and your choice")
)
def vote(request: ApiRequest, slug: str, key: str) -> schemas.Ballot:
    return _ballot(request, _voted(request, slug, key))


@router.acts(
    f"{ROUND}/vote",
    "vote",
    schemas.Ballot,
    _("Choose presentations; another choice replaces it until the vote ends"),
    as_="vote-cast",
    method="PUT",
)
def cast(request: ApiRequest, slug: str, key: str, body: schemas.Choice) -> schemas.Ballot:
    round = _voted(request, slug, key)
    voter = votes.Voter(user=request.user)
    by_slug = {team.slug: team.pk for team in votes.candidates(round, voter)}
    if not set(body.teams) <= set(by_slug):
        raise votes.VoteRefused("unknown")
    votes.cast(voter=voter, round=round, teams=[by_slug[name] for name in body.teams])
    return _ballot(request, round)


def _voted(request: ApiRequest, slug: str, key: str) -> Round:
    round = visible_round(request.user, slug, key)
    if not votes.may_vote(request.user, round):
        raise Http404
    return round


def _ballot(request: ApiRequest, round: Round) -> schemas.Ballot:
    voter, found = votes.Voter(user=request.user), votes.vote_of(round)
    chosen = votes.chosen_by(found, voter) if found else set()
    candidates = votes.candidates(round, voter)
    return schemas.Ballot(
        state="none" if found is None else "ended" if found.ended_at else "open",
        most=found.most if found else 0,
        candidates=[schemas.Team(slug=team.slug, name=team.name) for team in candidates],
        chosen=[team.slug for team in candidates if team.pk in chosen],
        award=award_of(found) if found and found.ended_at else None,
    )


def award_of(found: Any) -> schemas.Award:
    """The result of a vote that has ended."""
    award = votes.result_of(found)
    return schemas.Award(
        winners=[team.slug for team in award.winners],
        n_votes=award.n_votes,
        n_voters=award.n_voters,
    )
