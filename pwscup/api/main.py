# SPDX-License-Identifier: Apache-2.0
"""The API as a whole: its routers, its parser, and its error responses."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, RawPostDataException
from ninja import NinjaAPI
from ninja.errors import HttpError, Throttled, ValidationError
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from pwscup.api import problems
from pwscup.api.auth import TokenAuth, is_for_organizers
from pwscup.api.organize import appearance, archives, materials, preparing, rounds, rules, table
from pwscup.api.organize import boards as organized_boards
from pwscup.api.organize import contests as organized
from pwscup.api.organize import notices as organized_notices
from pwscup.api.organize import reports as organized_reports
from pwscup.api.organize import submissions as organized_submissions
from pwscup.api.organize import teams as organized_teams
from pwscup.api.problems import ApiRefused, Listed
from pwscup.api.repeats import Repeated
from pwscup.api.teams import (
    boards,
    contests,
    decisions,
    disclosure,
    files,
    judging,
    notices,
    reports,
    submissions,
    teams,
    trials,
)
from pwscup.core.texts.refusals import Refused
from scoring.errors import MAX_REPORTED, ProblemsFound

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

JSON = "application/json"
MAX_BODY_BYTES = 64 * 1024
MAX_ORGANIZERS_BYTES = 1024 * 1024
"""Rules and lists of teams are long texts."""


class StrictParser(Parser):
    """Strict JSON of bounded size."""

    def parse_body(self, request: HttpRequest) -> Any:
        if request.content_type != JSON:
            raise ApiRefused("request.content_type", expected=JSON, got=request.content_type or "—")
        most = MAX_ORGANIZERS_BYTES if is_for_organizers(request.path_info) else MAX_BODY_BYTES
        if len(request.body) > most:
            raise ApiRefused("request.too_large", expected=most)
        content = json.loads(request.body, parse_constant=_no_constant)
        if (
            b"\\u" in request.body
        ):  # half of a surrogate pair is no text: nothing can store or encode it
            json.dumps(content, ensure_ascii=False).encode()
        return content


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"expected JSON, got {name}")


class ExactEncoder(NinjaJSONEncoder):
    """Times to the microsecond: sent back as they were read, they change nothing."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return o.isoformat().replace("+00:00", "Z")
        return super().default(o)


class ExactRenderer(JSONRenderer):
    encoder_class = ExactEncoder


api = NinjaAPI(
    title="PWSCup",
    version="1",
    description=(
        "What teams and organizers do in the browser, for programs. Create a token on your account's page and "
        "send it as “Authorization: Bearer …”. Messages are in the language of Accept-Language."
    ),
    openapi_url=None,
    auth=TokenAuth(),
    parser=StrictParser(),
    renderer=ExactRenderer(),
)
TEAMS = (contests, teams, files, submissions, trials, disclosure, boards, notices, decisions)
ORGANIZERS = (
    organized,
    table,
    preparing,
    rounds,
    organized_teams,
    materials,
    appearance,
    organized_notices,
    organized_submissions,
    organized_boards,
    rules,
    organized_reports,
    archives,
)
for part in (*TEAMS, judging, reports, *ORGANIZERS):
    api.add_router("", part.router)


@api.exception_handler(Http404)
def not_found(_request: HttpRequest, _error: Http404) -> HttpResponse:
    return problems.of_status(404)


@api.exception_handler(Repeated)
def repeated(_request: HttpRequest, found: Repeated) -> HttpResponse:
    return found.response


@api.exception_handler(RequestDataTooBig)
def too_large(_request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    return problems.of_status(413)


@api.exception_handler(RawPostDataException)
def sent_as_form(_request: HttpRequest, _error: RawPostDataException) -> HttpResponse:
    """The site has already read the body, as for every form."""
    return problems.of_status(415)


@api.exception_handler(HttpError)
def failed(_request: HttpRequest, error: HttpError) -> HttpResponse:
    """Without a token, or with an unreadable body; then the cause has the reason."""
    if isinstance(error.__cause__, ApiRefused):
        return problems.refusal(error.__cause__)
    response = problems.of_status(error.status_code)
    if error.status_code == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Throttled)
def throttled(_request: HttpRequest, error: Throttled) -> HttpResponse:
    response = problems.of_status(error.status_code)
    response["Retry-After"] = str(error.wait)
    return response


@api.exception_handler(ValidationError)
def of_wrong_types(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    found = problems.of_envelope(error)
    return problems.answer(422, found[:MAX_REPORTED], len(found))


@api.exception_handler(ProblemsFound)
def of_wrong_values(_request: HttpRequest, found: ProblemsFound) -> HttpResponse:
    return problems.answer(422, map(problems.of_problem, found.problems), found.n_total)


@api.exception_handler(Listed)
def of_wrong_fields(_request: HttpRequest, refused: Listed) -> HttpResponse:
    found = refused.problems
    return problems.answer(422, found[:MAX_REPORTED], len(found))


@api.exception_handler(Refused)
def refused(_request: HttpRequest, refusal: Refused) -> HttpResponse:
    return problems.refusal(refusal)
