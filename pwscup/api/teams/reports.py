# SPDX-License-Identifier: Apache-2.0
"""Reports about tables and contests: audits, debriefings, certificates, the final report, and the revealed secret."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.accounts.selectors import team_of
from pwscup.api import schemas
from pwscup.api.operations import Operations
from pwscup.api.teams.common import CONTEST, SUBMISSION
from pwscup.audits import selectors as audit_selectors
from pwscup.audits.services import request_audit
from pwscup.contests.policies import may_see_board
from pwscup.contests.rules.measures import hidden_measures
from pwscup.contests.selectors import download_name, visible_contest
from pwscup.core.files import storage
from pwscup.core.http.attachments import attached, file_response
from pwscup.debriefings import selectors as debriefings
from pwscup.debriefings.services import ensure
from pwscup.formats.files import JSON, PDF
from pwscup.reports import certificates as awards
from pwscup.reports.selectors import page_of, public_report
from pwscup.submissions.pages.downloads import upload_response

if TYPE_CHECKING:
    from pwscup.audits.models import Audit
    from pwscup.contests.models import Contest
    from pwscup.core.http.requests import ApiRequest
    from pwscup.debriefings.models import DebriefingPart

router = Operations(tags=["reports"])
HTML, OCTETS = "text/html", "application/octet-stream"
RECORDS = ("records", "more_records")
"""The parts of a debriefing that only the own team reads."""
LANGUAGE = Query("", description="en or ja; without it that of Accept-Language")


def language_of(asked: str) -> str:
    """The language in the address, or the reader's."""
    return asked if asked in dict(settings.LANGUAGES) else get_language() or "en"


# Audits


@router.looks(
    f"{SUBMISSION}/audit",
    "audit",
    schemas.Audit,
    _("The audit of a scored table: its progress, and when it is done its summary"),
)
def audit(request: ApiRequest, public_id: UUID) -> schemas.Audit:
    submission = audit_selectors.auditable(request.user, public_id)
    found = audit_selectors.audit_of(submission)
    if found is None:
        raise Http404
    return _audit(found)


@router.acts(
    f"{SUBMISSION}/audit",
    "audit",
    schemas.Audit,
    _("Request the audit of a scored table"),
    as_="audit-request",
    status=201,
)
def ask_for_audit(request: ApiRequest, public_id: UUID) -> Status:
    submission = audit_selectors.auditable(request.user, public_id)
    return Status(201, _audit(request_audit(user=request.user, submission=submission)))


def _audit(found: Audit) -> schemas.Audit:
    waits = found.state == found.State.WAITING
    return schemas.Audit(
        state=found.state,
        is_final=found.is_final,
        done_steps=found.done_steps,
        n_steps=found.n_steps,
        n_before=audit_selectors.n_before(found) if waits else 0,
        summary=found.values or None,
        reference=found.reference,
    )


@router.file(
    f"{SUBMISSION}/audit/report", "audit-report", [OCTETS], _("The report of an audit, as HTML")
)
def audit_report(request: ApiRequest, public_id: UUID, language: str = LANGUAGE) -> HttpResponse:
    submission = audit_selectors.auditable(request.user, public_id)
    found = audit_selectors.audit_of(submission)
    if found is None:
        raise Http404
    html = audit_selectors.report_of(found, language_of(language))
    contest, number = submission.round.contest, submission.number
    name = f"{contest.slug}-{submission.team.slug}-{number}-audit.html"
    return upload_response(name, html.encode())


# Debriefings


@router.looks(
    f"{CONTEST}/debriefing",
    "debriefing",
    schemas.Debriefing,
    _("The debriefing of your team after the contest, and the examples of the class"),
)
def debriefing(request: ApiRequest, slug: str) -> schemas.Debriefing:
    contest = _with_boards(request, slug)
    found, team = ensure(contest, timezone.now()), team_of(request.user, contest)
    own = debriefings.parts_of_team(found, team) if team else []
    hidden = hidden_measures(contest, request.user)
    everywhere = frozenset(contest.hidden_measures)
    examples = debriefings.class_examples(found, contest)
    return schemas.Debriefing(
        state=found.state if found else "none",
        done_parts=found.done_parts if found else 0,
        n_parts=found.n_parts if found else 0,
        own=[shown_part(part, hidden, part.team.slug) for part in own],
        examples=[
            shown_part(part, everywhere, part.team.slug if named else None, is_example=True)
            for part, named in examples
        ],
    )


def _with_boards(request: ApiRequest, slug: str) -> Contest:
    contest = visible_contest(request.user, slug)
    if not may_see_board(request.user, contest):
        raise Http404
    return contest


def shown_part(
    part: DebriefingPart, hidden: Any, team: str | None, *, is_example: bool = False
) -> schemas.DebriefingPart:
    """A part in words and numbers: the records in it are for their own team, never in an example."""
    shown = part.round.contest.format.debriefing.shown(part.values, hidden)
    left_out = RECORDS if is_example else ()
    return schemas.DebriefingPart(
        team=team,
        round=part.round.key,
        sentence=str(shown.get("sentence", "")),
        details={
            name: _plain(value)
            for name, value in shown.items()
            if name not in left_out and name != "sentence"
        },
    )


def _plain(value: Any) -> Any:
    """A value of a debriefing as JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    return value if isinstance(value, (bool, int, float, type(None))) else str(value)


# Documents


@router.file(
    f"{CONTEST}/certificate", "certificate", [PDF], _("The certificate of your team, once decided")
)
def certificate(request: ApiRequest, slug: str, language: str = LANGUAGE) -> HttpResponse:
    from pwscup.reports import pdf  # imports the fonts, which few requests need

    contest = visible_contest(request.user, slug)
    team = team_of(request.user, contest)
    chosen = language_of(language)
    found = awards.for_team(contest, team, timezone.now(), chosen) if team else None
    if team is None or found is None:
        raise Http404
    response = HttpResponse(pdf.document([found]), content_type=PDF)
    return attached(response, f"{contest.slug}-{team.slug}-certificate.pdf", is_private=True)


@router.file(f"{CONTEST}/report", "report", [OCTETS], _("The published final report, as HTML"))
def report(request: ApiRequest, slug: str, language: str = LANGUAGE) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    found = public_report(request.user, contest, timezone.now())
    html = page_of(found, language_of(language)) if found else None
    if html is None:
        raise Http404
    return upload_response(f"{contest.slug}-report.html", html.encode())


@router.file(
    f"{CONTEST}/reveal", "reveal", [JSON], _("The secret behind all draws, once it is published")
)
def reveal(request: ApiRequest, slug: str) -> FileResponse:
    contest = visible_contest(request.user, slug)
    if contest.reveal is None:
        raise Http404
    path = storage.path_of(contest.reveal)
    return file_response(path, download_name(contest, "reveal.json"), JSON)
