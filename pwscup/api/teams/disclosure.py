# SPDX-License-Identifier: Apache-2.0
"""Disclosures of a hidden table: answers that a team pays for, and the table released once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.api import schemas
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.teams.common import ROUND, after_terms, own_team
from pwscup.contests.selectors import original_of, visible_round
from pwscup.disclosure import ledger, services
from pwscup.disclosure.downloads import answer_response, answers_response
from pwscup.disclosure.services import QueryRefused
from pwscup.formats import kinds_where
from pwscup.formats.files import CSV, ZIP
from pwscup.formats.hidden.disclosed import disclosed_attributes, spec_of, target_attributes
from pwscup.submissions.middleware import arrival
from pwscup.submissions.pages.downloads import published_response, table_response
from pwscup.submissions.policies import may_have_published

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from django.http import HttpResponseBase

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round
    from pwscup.core.http.requests import ApiRequest
    from pwscup.disclosure.models import Answer, BatchRelease

router = Operations(tags=["disclosure"])
DISCLOSING = kinds_where("tells_of_table")


@router.looks(
    f"{ROUND}/domain",
    "domain",
    schemas.Domain,
    _("The columns with their values, and the target table"),
)
def domain(request: ApiRequest, slug: str, key: str) -> schemas.Domain:
    from scoring.formats.disclosure.attributes import MAX_ANSWER_CELLS

    contest = _with_table(visible_round(request.user, slug, key, DISCLOSING).contest)
    return schemas.Domain(
        columns=[
            schemas.Column(name=attribute.name, values=list(attribute.values))
            for attribute in disclosed_attributes(contest)
        ],
        target=list(spec_of(contest).target),
        max_cells=MAX_ANSWER_CELLS,
    )


@router.file(
    f"{ROUND}/template.csv",
    "template",
    [CSV],
    _("A template of the file to submit, with all counts 0"),
)
def estimate_template(request: ApiRequest, slug: str, key: str) -> HttpResponseBase:
    from scoring.formats.disclosure.estimates import template  # imports SciPy

    contest = _with_table(_published(request, slug, key, DISCLOSING).contest)
    return table_response(f"{slug}-estimate.csv", template(target_attributes(contest)))


def _with_table(contest: Contest) -> Contest:
    """The contest itself; refused if it has no table."""
    if original_of(contest) is None:
        raise QueryRefused("data.missing")
    return contest


# Answers


@router.looks(f"{ROUND}/budget", "budget", schemas.Budget, _("The remaining budget of your team"))
def budget(request: ApiRequest, slug: str, key: str) -> schemas.Budget:
    return _budget(*_asking(request, slug, key))


@router.looks(
    f"{ROUND}/answers",
    "answers",
    list[schemas.AnswerLine],
    _("Your team's answers, the newest first, without their counts"),
)
def answers(
    request: ApiRequest, response: HttpResponse, slug: str, key: str, paging: Query[Paging]
) -> list[schemas.AnswerLine]:
    found = ledger.answers_of(*_asking(request, slug, key)).defer("counts")
    return [schemas.AnswerLine(**_line(one)) for one in paged(request, response, found, paging)]


@router.file(
    f"{ROUND}/answers.zip",
    "answers-zip",
    [ZIP],
    _("All answers of your team, and a list of the queries"),
)
def answers_zip(request: ApiRequest, slug: str, key: str) -> HttpResponseBase:
    team, round = _asking(request, slug, key)
    if not round.answers.filter(team=team).exists():
        raise Http404
    return answers_response(team, round)


@router.acts(
    f"{ROUND}/answers",
    "answers",
    schemas.Asked,
    _("Ask, and pay; answers that your team has already paid for are repeated without cost"),
    as_="ask",
    also={201: schemas.Asked},
)
def ask(request: ApiRequest, slug: str, key: str, asking: schemas.Asking) -> Status:
    team, round = _asking(request, slug, key)
    asked = services.ask(
        user=request.user,
        team=team,
        round=round,
        query=asking.query,
        epsilon=asking.epsilon,
        asked_at=arrival(request),
    )
    shown = schemas.Asked(
        **_answer(asked.answer, round), is_new=asked.is_new, budget=_budget(team, round)
    )
    return Status(201 if asked.is_new else 200, shown)


@router.looks(
    f"{ROUND}/answers/{{int:number}}", "answer", schemas.Answer, _("An answer of your team")
)
def answer(request: ApiRequest, slug: str, key: str, number: int) -> schemas.Answer:
    found, round = _one(request, slug, key, number)
    return schemas.Answer(**_answer(found, round))


@router.file(
    f"{ROUND}/answers/{{int:number}}.csv", "answer-csv", [CSV], _("An answer of your team as CSV")
)
def answer_file(request: ApiRequest, slug: str, key: str, number: int) -> HttpResponseBase:
    return answer_response(_one(request, slug, key, number)[0])


def _asking(request: ApiRequest, slug: str, key: str) -> tuple[Team, Round]:
    round = visible_round(request.user, slug, key, kinds_where("is_asked"))
    return own_team(request, round.contest), round


def _one(request: ApiRequest, slug: str, key: str, number: int) -> tuple[Answer, Round]:
    team, round = _asking(request, slug, key)
    found = ledger.answers_of(team, round).filter(number=number).first()
    if found is None:
        raise Http404
    return found, round


def _budget(team: Team, round: Round) -> schemas.Budget:
    now = ledger.budget_of(team, round)
    return schemas.Budget(total=f"{now.total:f}", spent=f"{now.spent:f}", left=f"{now.remaining:f}")


def _line(answer: Answer) -> dict[str, Any]:
    return {
        "number": answer.number,
        "query": answer.query,
        "epsilon": f"{answer.epsilon:f}",
        "spent": f"{answer.epsilon_so_far:f}",
        "asked_at": answer.asked_at,
        "asked_by": answer.asked_by and answer.asked_by.display_name,
    }


def _answer(answer: Answer, round: Round) -> dict[str, Any]:
    from scoring.formats.disclosure.queries import listed_values, parse_query, sensitivity_of

    attributes = disclosed_attributes(round.contest)
    query = parse_query(answer.query, attributes)
    return _line(answer) | {
        "columns": list(query.columns),
        "values": [list(values) for values in listed_values(query, attributes)],
        "counts": answer.counts,
        "sensitivity": sensitivity_of(query),
    }


# The batch release


@router.looks(f"{ROUND}/release", "release", schemas.Release, _("The release of a batch round"))
def release(request: ApiRequest, slug: str, key: str) -> schemas.Release:
    from scoring.formats.disclosure.releases import rho_at  # imports SciPy

    found, contest = _released(request, slug, key)
    attributes = disclosed_attributes(contest)
    return schemas.Release(
        epsilon=f"{found.epsilon:f}",
        rho=rho_at(found.epsilon, attributes),
        columns=[attribute.name for attribute in attributes],
        n_records=found.n_records,
        size_bytes=found.table.size_bytes,
        sha256=found.table.sha256,
        created_at=found.created_at,
    )


@router.file(f"{ROUND}/release.csv", "release-csv", [CSV], _("The released table"))
def release_file(request: ApiRequest, slug: str, key: str) -> HttpResponseBase:
    return published_response(_released(request, slug, key)[0].table)


def _released(request: ApiRequest, slug: str, key: str) -> tuple[BatchRelease, Contest]:
    """The release, created now if it is due."""
    round = _published(request, slug, key, kinds_where("is_release"))
    found = services.ensure_released(round)
    if found is None:
        raise Http404
    return found, round.contest


def _published(request: ApiRequest, slug: str, key: str, kinds: Collection[str]) -> Round:
    """The round whose files the caller may download: after its opening, with the terms accepted."""
    round = visible_round(request.user, slug, key, kinds)
    if not may_have_published(request.user, round, timezone.now()):
        raise Http404
    after_terms(request, round.contest)
    return round
