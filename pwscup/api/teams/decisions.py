# SPDX-License-Identifier: Apache-2.0
"""Decisions of organizers about a team, and the thread about one submission."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.api import schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations
from pwscup.api.teams.common import CONTEST, SUBMISSION, own_team
from pwscup.contests.selectors import visible_contest
from pwscup.submissions import policies, selectors
from pwscup.submissions.decisions import appeals
from pwscup.submissions.decisions.forms import AppealForm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import Team
    from pwscup.core.http.requests import ApiRequest
    from pwscup.submissions.models import LateAllowance, Ruling, Submission

router = Operations(tags=["decisions"])


@router.looks(
    f"{CONTEST}/decisions",
    "decisions",
    schemas.Decisions,
    _("Decisions of the organizers about your team"),
)
def decisions(request: ApiRequest, slug: str) -> schemas.Decisions:
    contest = visible_contest(request.user, slug)
    team = own_team(request, contest)
    rulings, allowances = selectors.decisions_in(contest)
    return shown_decisions(
        (one for one in rulings if one.team_id == team.pk),
        (one for one in allowances if one.team_id == team.pk),
        {team.pk: team} if team.pk in selectors.disqualified(contest) else {},
    )


def shown_decisions(
    rulings: Iterable[Ruling], allowances: Iterable[LateAllowance], out: dict[int, Team]
) -> schemas.Decisions:
    """Rulings and allowances, and the teams that are disqualified now."""
    return schemas.Decisions(
        disqualified=[team.slug for team in out.values()],
        rulings=[
            schemas.Ruling(
                kind=one.kind,
                reason=one.reason,
                decided_at=one.decided_at,
                decided_by=one.decided_by.display_name if one.decided_by else None,
                team=one.team.slug,
                submission=one.submission.public_id if one.submission else None,
            )
            for one in rulings
        ],
        late=[
            schemas.Late(
                round=one.round.key,
                team=one.team.slug,
                until=one.until,
                reason=one.reason,
                granted_at=one.granted_at,
            )
            for one in allowances
        ],
    )


# The appeal


@router.looks(
    f"{SUBMISSION}/appeal",
    "submission-appeal",
    schemas.Appeal,
    _("The thread between a team and the organizers about a submission"),
)
def appeal(request: ApiRequest, public_id: UUID) -> schemas.Appeal:
    return thread_of(_appealable(request, public_id))


@router.acts(
    f"{SUBMISSION}/appeal",
    "submission-appeal",
    schemas.Appeal,
    _("Write to the organizers about a submission"),
    as_="appeal",
    status=201,
)
def write(request: ApiRequest, public_id: UUID, body: schemas.Message) -> Status:
    found = _appealable(request, public_id)
    text = checked(AppealForm(data_of(body))).cleaned_data["text"]
    appeals.write(user=request.user, submission=found, text=text)
    return Status(201, thread_of(found))


def _appealable(request: ApiRequest, public_id: UUID) -> Submission:
    found = selectors.get_visible(request.user, public_id)
    if not policies.may_appeal(request.user, found):
        raise Http404
    return found


def thread_of(found: Submission) -> schemas.Appeal:
    """The thread about a submission."""
    ruling = selectors.newest_ruling(found.team, found)
    return schemas.Appeal(
        is_open=appeals.is_open(found),
        is_withdrawn=ruling is not None and ruling.kind == ruling.Kind.WITHDRAWN,
        messages=[
            schemas.AppealMessage(
                text=one.text,
                written_at=one.written_at,
                written_by=one.author.display_name if one.author else None,
                is_organizer=one.is_organizer,
                closes=one.closes,
            )
            for one in appeals.thread(found)
        ],
    )
