# SPDX-License-Identifier: Apache-2.0
"""Contests that are visible to the caller, with their rules, terms and rounds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_noop as _

from pwscup.accounts.policies import is_judge, is_organizer
from pwscup.accounts.selectors import team_of
from pwscup.api import schemas
from pwscup.api.operations import Operations
from pwscup.api.teams.bodies import content_types
from pwscup.api.teams.common import CONTEST, ROUND
from pwscup.contests import policies, selectors, services
from pwscup.contests.branding import pictures
from pwscup.contests.branding.shown import sponsors_of
from pwscup.contests.branding.views import picture_response
from pwscup.contests.guidance import interruptions, round_state
from pwscup.contests.rules.asked import shown_questions
from pwscup.contests.rules.pages import rules_of
from pwscup.contests.services.commitment import mixes_of
from pwscup.contests.terms import digest_of, has_terms, local_terms
from pwscup.core.http.attachments import attached
from pwscup.formats import FILES
from pwscup.submissions.intake import limits
from pwscup.submissions.intake.gates import gate
from pwscup.submissions.pages.rounds import hints_for
from pwscup.submissions.selectors import max_file_bytes, tries_left
from scoring.rulesets import localized

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from django.http.response import HttpResponseBase

    from pwscup.accounts.models import Team
    from pwscup.contests.branding.shown import Picture
    from pwscup.contests.models import Contest, Round
    from pwscup.contests.rules.pages import Rules as RulesPage
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["contests"])
TOML = "application/toml"


@router.looks("/me", "me", schemas.Me, _("Who you are, and what the token may do"))
def me(request: ApiRequest) -> schemas.Me:
    token = request.auth
    return schemas.Me(
        name=request.user.display_name,
        may_create_contests=policies.may_create_contests(request.user),
        token=token.name,
        scopes=list(token.all_scopes),
        expires_at=token.expires_at,
    )


@router.looks("/contests", "contests", list[schemas.ContestLine], _("Contests that you may see"))
def contests(request: ApiRequest) -> list[schemas.ContestLine]:
    groups = selectors.front_page(request.user, timezone.now())
    return [
        schemas.ContestLine(
            slug=line.contest.slug, title=line.contest.local_title, state=line.state
        )
        for lines in groups.values()
        for line in lines
    ]


@router.looks(CONTEST, "contest", schemas.Contest, _("A contest with its rounds"))
def contest(request: ApiRequest, slug: str) -> schemas.Contest:
    found, now = selectors.visible_contest(request.user, slug), timezone.now()
    rounds, team = selectors.rounds_of(found), team_of(request.user, found)
    return schemas.Contest(
        slug=found.slug,
        title=found.local_title,
        state=selectors.contest_state(rounds, now) if found.is_published else "draft",
        summary=found.local_summary,
        timezone=found.timezone,
        team=schemas.Team(slug=team.slug, name=team.name) if team else None,
        n_teams=found.teams.count(),
        max_team_size=found.max_team_size,
        is_organizer=is_organizer(request.user, found),
        is_judge=is_judge(request.user, found),
        terms_accepted=policies.has_accepted(request.user, found),
        paused_at=found.paused_at,
        interruptions=[
            schemas.Interruption(
                started_at=one.started_at, ended_at=one.ended_at, reason=one.reason
            )
            for one in interruptions(found, now)
        ],
        commitment=found.commitment,
        mixes=[schemas.Mix(**mix) for mix in mixes_of(found)],
        **shown_brand(found),
        rounds=[schemas.Round(**_round(round, team, now)) for round in rounds],
    )


@router.file(
    f"{CONTEST}/pictures/{{str:name}}",
    "contest-picture",
    [*pictures.TYPES.values()],
    _("The logo, the banner or a sponsor's logo of a contest: the last part of its `url`"),
)
def picture(request: ApiRequest, slug: str, name: str) -> HttpResponseBase:
    return picture_response(request, selectors.visible_contest(request.user, slug), name)


@router.looks(
    ROUND, "round", schemas.RoundDetail, _("A round: what to submit, and whether you may now")
)
def round(request: ApiRequest, slug: str, key: str) -> schemas.RoundDetail:
    found, now = selectors.visible_round(request.user, slug, key), timezone.now()
    team, language = team_of(request.user, found.contest), get_language() or "en"
    shown = _round(found, team, now)
    today = limits.left_today(team, found, now) if team and not found.format.has_targets else None
    in_all = limits.left_in_all(team, found) if team else None
    left = in_all if found.format.has_targets else shown["tries_left"]
    closed = gate(request, found, team, now, left=left, today=today)
    may_see_hints = team is not None or is_organizer(request.user, found.contest)
    return schemas.RoundDetail(
        **shown,
        description=localized(found.spec.description, language),
        files=[_file(spec, language) for spec in found.spec.files],
        questions=[
            schemas.AskedQuestion(
                key=one.key, title=one.title, header=one.header, sentences=list(one.lines)
            )
            for one in shown_questions(found.spec, language)
        ],
        content_types=content_types(found),
        max_file_bytes=max_file_bytes(found),
        counts=str(found.format.counts[found.spec.counts]),
        feedback=str(found.format.feedback[found.feedback]),
        left_today=today,
        left_in_all=in_all,
        not_now=None if closed is None else closed.text,
        hints=[
            schemas.Hint(text=hint.local_text, published_at=hint.published_at)
            for hint in (hints_for(found) if may_see_hints else ())
            if hint.published_at
        ],
    )


def _file(spec: Any, language: str) -> schemas.FileRule:
    format = FILES[spec.kind]
    return schemas.FileRule(
        key=spec.key,
        title=localized(spec.title, language),
        kind=spec.kind,
        format=str(format.text),
        content_type=format.content_type,
        is_required=spec.required,
    )


def shown_brand(contest: Contest) -> dict[str, Any]:
    """The appearance of a contest, in the caller's language."""
    brand = contest.brand
    sponsors = sponsors_of(contest)
    return {
        "colour": brand.colour,
        "logo": shown_picture(brand.logo),
        "picture": shown_picture(brand.picture),
        "sponsors": [
            schemas.Sponsor(name=one.name, url=one.url, logo=shown_picture(one.logo))
            for one in sponsors
        ],
    }


def shown_picture(found: Picture | None) -> schemas.Picture | None:
    return None if found is None else schemas.Picture(**asdict(found))


def _round(round: Round, team: Team | None, now: datetime) -> dict[str, Any]:
    epsilon = round.spec.epsilon
    counted = team is not None and not round.format.has_targets
    return {
        "key": round.key,
        "title": round.local_title,
        "kind": round.kind,
        "phase": round.format.phase,
        "state": round_state(round, now),
        "opens_at": round.opens_at,
        "closes_at": round.closes_at,
        "is_open": round.is_open(now),
        "is_settled": round.is_settled(now),
        "has_targets": round.format.has_targets,
        "epsilon": None if epsilon is None else f"{epsilon:f}",
        "tries": round.tries,
        "tries_per_day": round.tries_per_day,
        "tries_left": tries_left(team, round) if counted and team else None,
    }


# Rules and terms


@router.looks(f"{CONTEST}/rules", "rules", schemas.Rules, _("The rules of a contest in words"))
def rules(request: ApiRequest, slug: str) -> schemas.Rules:
    found = selectors.visible_contest(request.user, slug)
    dataset = selectors.original_of(found)
    shown = rules_of(
        found.ruleset,
        selectors.rounds_of(found),
        dataset.schema if dataset else None,
        max_team_size=found.max_team_size,
        unmeasured=selectors.unmeasured_of(found, dataset),
    )
    return rules_in_words(shown, found.ruleset.digest)


@router.file(
    f"{CONTEST}/rules.toml",
    "rules-toml",
    [TOML],
    _("The rules of a contest as TOML, for the library at home"),
)
def rules_toml(request: ApiRequest, slug: str) -> HttpResponse:
    found = selectors.visible_contest(request.user, slug)
    response = HttpResponse(found.ruleset.text, content_type=TOML)
    return attached(response, selectors.download_name(found, "rules.toml"))


def rules_in_words(shown: RulesPage, digest: str) -> schemas.Rules:
    """The page of rules."""
    return schemas.Rules(
        title=shown.title,
        version=shown.version,
        digest=digest,
        summary=shown.summary,
        data=list(shown.data),
        limits=list(shown.limits),
        columns=[
            schemas.ColumnRule(name=one.name, role=one.role, kind=one.kind, domain=one.domain)
            for one in shown.columns
        ],
        rounds=[
            schemas.RoundRule(key=one.key, title=one.title, sentences=list(one.sentences))
            for one in shown.rounds
        ],
        measures=[
            schemas.MeasureRule(
                id=rule.measure.id,
                title=str(rule.measure.title),
                family=family.title,
                is_measured=rule.is_measured,
            )
            for family in shown.families
            for rule in family.measures
        ],
        options=list(shown.options),
        ranking=[schemas.Part(name=name, text=text) for name, text in shown.ranking],
    )


@router.looks(f"{CONTEST}/terms", "terms", schemas.Terms, _("The terms of participation"))
def terms(request: ApiRequest, slug: str) -> schemas.Terms:
    return _terms(request, selectors.visible_contest(request.user, slug))


@router.acts(
    f"{CONTEST}/terms",
    "terms",
    schemas.Terms,
    _("Accept the terms that you have read, named by their digest"),
    as_="accept-terms",
)
def accept_terms(request: ApiRequest, slug: str, body: schemas.Accepting) -> schemas.Terms:
    found = selectors.visible_contest(request.user, slug)
    if not policies.may_accept_terms(request.user, found):
        raise Http404
    services.accept_terms(user=request.user, contest=found, digest=body.digest)
    return _terms(request, found)


def _terms(request: ApiRequest, contest: Contest) -> schemas.Terms:
    return schemas.Terms(
        exist=has_terms(contest),
        text=local_terms(contest),
        digest=digest_of(contest),
        accepted=policies.has_accepted(request.user, contest),
        may_accept=policies.may_accept_terms(request.user, contest),
    )
