# SPDX-License-Identifier: Apache-2.0
"""Trials: methods and first attacks on the workers of the site, and their submission."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.accounts.selectors import team_of
from pwscup.api import problems, schemas
from pwscup.api.forms import checked, refuse_unknown
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.teams.common import ROUND, after_terms, own_team
from pwscup.api.teams.submissions import one_submission
from pwscup.contests.rules.measures import visible_measures
from pwscup.core.files import storage
from pwscup.submissions.middleware import arrival
from pwscup.submissions.pages.downloads import upload_response
from pwscup.trials import pages, selectors, services
from pwscup.trials.models import Trial

if TYPE_CHECKING:
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["trials"])
TRIAL = "/trials/{uuid:public_id}"


@router.looks(
    f"{ROUND}/methods",
    "methods",
    list[schemas.Method],
    _("The methods that your team may try in a round, with their numbers"),
)
def methods(request: ApiRequest, slug: str, key: str) -> list[schemas.Method]:
    round = selectors.round_with_trials(request.user, slug, key)
    return [
        schemas.Method(
            key=method.key,
            title=str(method.title),
            summary=str(method.summary),
            values=[
                schemas.Slider(
                    name=one.name,
                    title=str(one.title),
                    low=one.low,
                    high=one.high,
                    step=one.step,
                    default=one.default,
                )
                for one in method.sliders
            ],
        )
        for method in pages.trying_of(round).methods(round)
    ]


@router.looks(
    f"{ROUND}/trials",
    "trials",
    list[schemas.Trial],
    _("The kept trials of your team in a round, the newest first"),
)
def trials(
    request: ApiRequest, response: HttpResponse, slug: str, key: str, paging: Query[Paging]
) -> list[schemas.Trial]:
    round = selectors.round_with_trials(request.user, slug, key)
    team = own_team(request, round.contest)
    found = paged(request, response, selectors.trials_of(team, round), paging)
    for one in found:
        one.round = round  # with its contest, whose rules are already read
    return [_shown(one, request) for one in found]


@router.acts(
    f"{ROUND}/trials",
    "trials",
    schemas.Trial,
    _("Try a method on your team's table, or an attack on a target"),
    as_="trial-begin",
    status=201,
)
def begin(request: ApiRequest, slug: str, key: str, body: schemas.NewTrial) -> Status:
    round = selectors.round_with_trials(request.user, slug, key)
    team, now = own_team(request, round.contest), arrival(request)
    after_terms(request, round.contest)
    data = {
        "method": body.method,
        "base": body.base,
        "target": body.target or "",
        "original": body.original or "",
        **{f"{body.method}-{name}": value for name, value in body.values.items()},
    }
    form = pages.trial_form(round, team, now, data)
    known = {f"{body.method}-{name}" for name in body.values} & set(form.fields)
    refuse_unknown(
        (name for name in body.values if f"{body.method}-{name}" not in known),
        "body",
        "body",
        "values",
    )
    checked(form)
    made = services.request_trial(
        user=request.user, team=team, round=round, arrived_at=now, **form.request()
    )
    return Status(201, _shown(selectors.own_trial(request.user, made.public_id), request))


@router.looks(TRIAL, "trial", schemas.Trial, _("A trial of your team: its state and its values"))
def trial(request: ApiRequest, public_id: UUID) -> schemas.Trial:
    return _shown(_own(request, public_id), request)


def _own(request: ApiRequest, public_id: UUID) -> Trial:
    found = selectors.own_trial(request.user, public_id)
    after_terms(request, found.round.contest)
    return found


@router.file(
    f"{TRIAL}/files/{{slug:key}}",
    "trial-file",
    ["application/octet-stream"],
    _("A file that a trial has made"),
)
def trial_file(request: ApiRequest, public_id: UUID, key: str) -> HttpResponse:
    found = _own(request, public_id)
    entry = found.files.select_related("file").filter(key=key).first()
    if entry is None or entry.file.erased_at is not None:
        raise Http404
    data = services.file_of(found, key, request.user, "download of")
    return upload_response(entry.file.name, storage.for_people(data, entry.file.name))


@router.acts(
    f"{TRIAL}/submit",
    "trial-submit",
    schemas.Submission,
    _("Submit what a trial has made"),
    status=201,
)
def submit(request: ApiRequest, public_id: UUID) -> Status:
    found = selectors.own_trial(request.user, public_id)
    made = services.submit_trial(user=request.user, trial=found, arrived_at=arrival(request))
    return Status(201, one_submission(request.user, made.public_id))


def _shown(found: Trial, request: ApiRequest) -> schemas.Trial:
    """Without the seeds of its random choices."""
    contest = found.round.contest
    shown = visible_measures(contest, request.user)
    team = team_of(request.user, contest)
    own = team is not None and team.pk == found.team_id
    values: dict[str, Any] = found.values if own else {}
    return schemas.Trial(
        id=found.public_id,
        number=found.number,
        round=found.round.key,
        state=found.state,
        is_final=found.is_final,
        requested_at=found.requested_at,
        original=found.original,
        target=found.target.team.slug if found.target else None,
        steps=[
            schemas.TrialStep(method=step["method"], values=step["values"]) for step in found.steps
        ],
        values={id_: values[id_] for id_ in shown if id_ in values},
        attack_rate=(found.facts.get("attack") or {}).get("rate"),
        problems=[schemas.Problem(**problems.of_stored(one)) for one in found.problems],
        files=[
            schemas.File(
                key=one.key,
                name=one.file.name,
                size_bytes=one.file.size_bytes,
                sha256=one.file.sha256,
                erased=one.file.erased_at is not None,
            )
            for one in found.files.select_related("file")
        ],
        submission=found.submission.public_id if found.submission else None,
        reference=found.reference,
    )
