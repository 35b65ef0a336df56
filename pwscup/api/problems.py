# SPDX-License-Identifier: Apache-2.0
"""Errors of a request as JSON (RFC 9457): every refusal has the same form, in the requested language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.http import JsonResponse
from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.parts import joined
from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.core.texts.refusals import Refused, RefusedByCode
from scoring.errors import Problem

if TYPE_CHECKING:
    from django.core.exceptions import ValidationError as FieldError
    from django.forms import BaseForm
    from ninja.errors import ValidationError

    Shown = dict[str, Any]

OF_STATUS = {
    400: ("request.unreadable", _("The request is not readable: its body is not JSON.")),
    401: (
        "token.unknown",
        _(
            "Send an access token in the header “Authorization: Bearer …”. There was none, or it is "
            "unknown, has ended or was revoked."
        ),
    ),
    404: ("not_found", _("There is nothing at this address, or you have no access.")),
    405: ("request.method", _("This address does not accept requests with this method.")),
    410: ("file.erased", _("The file was deleted after the retention period.")),
    413: ("request.too_large", _("The request's body is too large.")),
    415: ("request.content_type", _("The request's body has another type than expected.")),
    429: ("request.too_many", _("Too many requests: wait for the time in the header Retry-After.")),
    500: (
        "server.failed",
        _("The server failed to handle this request. The organizers can find the cause."),
    ),
    503: (
        "server.busy",
        _("The server is busy. Nothing was done: send it again after the time in Retry-After."),
    ),
    507: (
        "server.full",
        _(
            "The server has no space left. Nothing was done, and no attempt was used: send it again in a few minutes, "
            "and report it to the organizers."
        ),
    ),
}
"""The texts for responses with only a status."""
ENVELOPE = {
    "missing": ("request.missing_key", _("The key is missing.")),
    "extra_forbidden": ("request.unknown_key", _("There is no such key.")),
    "string_type": ("request.not_a_text", _("Not a text: numbers must be quoted, too.")),
}
OTHERWISE = ("request.unusable", _("The value cannot be used."))
PLACES = ("field", "file", "row", "column")
PROBLEM_JSON = "application/problem+json"
STATUS_OF = {
    **dict.fromkeys(("team.none", "not_allowed", "terms.first", "team.disqualified"), 403),
    **dict.fromkeys(("token.scope", "team.captain_only", "round.organizers"), 403),
    "browser.only": 403,
    **dict.fromkeys(("ceremony.move", "debriefing.unknown"), 422),
    **dict.fromkeys(("grade.not_judge", "vote.not_member", "vote.not_organizer"), 403),
    **dict.fromkeys(("grade.unknown", "vote.number", "vote.unknown", "code.unknown"), 422),
    **dict.fromkeys(("appeal.text.missing", "appeal.text.too_long", "ruling.reason.missing"), 422),
    **dict.fromkeys(("team.name_taken", "team.short_name_taken", "team.division_unknown"), 422),
    **dict.fromkeys(("request.too_large", "file.too_large"), 413),
    "request.content_type": 415,
    "request.key_used": 422,
    **dict.fromkeys(
        ("file.missing", "file.unknown", "file.none", "file.empty", "file.not_pdf"), 422
    ),
    **dict.fromkeys(("file.repeated", "note.too_long", "team.unknown"), 422),
    **dict.fromkeys(("data.other_columns", "data.unknown_role", "data.choice"), 422),
    **dict.fromkeys(("original.missing", "original.unknown", "original.only"), 422),
    **dict.fromkeys(("target.missing", "target.unknown", "target.own"), 422),
}
"""Status codes of refusals; all others have 409: the state of the contest does not allow them."""
WITHOUT_CODE = {
    "ChangedMeanwhile": "contest.changed_meanwhile",
    "ContestRefused": "contest.refused",
    "NoticeRefused": "notice.refused",
    "AuditRefused": "audit.refused",
    "TeamListRefused": "team_list.refused",
    "TooManyColumns": "table.too_many_columns",
}
"""Codes of refusals that have none of their own, by their class."""


GROUPS = {
    "RefusedError": "team",
    "MarkRefused": "grade",
    "VoteRefused": "vote",
    "AppealRefused": "appeal",
    "RulingRefused": "ruling",
    "TrialRefused": "trial",
}


class ApiRefused(RefusedByCode):
    """A refused request."""

    TEXTS = {
        "team.none": _("You are not in a team of this contest."),
        "team.unknown": _("The platform plays no team with this short name in this contest."),
        "terms.first": _("Accept the terms of the data first."),
        "browser.only": _("The answer key is not for programs: open it in the browser."),
        "code.unknown": _("This contest does not have this class code."),
        "data.no_draft": _("There is no uploaded table to confirm. Upload it first."),
        "data.no_raw": _("There is no raw table to prepare. Upload it first."),
        "data.other_columns": _(
            "The schema has other columns than the table — expected %(expected)s — got %(got)s"
        ),
        "data.unknown_role": _(
            "This format has only the roles %(expected)s. These columns have another one: %(got)s."
        ),
        "data.choice": _("Name at least one column of the table as “%(expected)s” — got %(got)s"),
        "ceremony.none": _("No ceremony is in progress. Start one first."),
        "ceremony.move": _("There is no such move — expected %(expected)s — got %(got)s"),
        "debriefing.unknown": _("There is no debriefing of this team and round: %(got)s."),
        "token.scope": _(
            "This token may not do this: it needs the permission “%(expected)s”, and has %(got)s. Create "
            "another token on the page of your account."
        ),
        "file.repeated": _("Send one file for “%(got)s”."),
        "request.too_large": _("The request's body is too large: at most %(expected)s bytes."),
        "request.key_used": _(
            "This Idempotency-Key was used for another request. Use a new one for each request."
        ),
        "request.in_progress": _(
            "The first request with this Idempotency-Key is still being carried out. Send it again in a few seconds."
        ),
        "request.content_type": _("Send a body of the type %(expected)s, not %(got)s."),
    }


class Listed(Exception):  # noqa: N818 — not an error of the program
    """Values that cannot be used, with all of their problems."""

    def __init__(self, problems: Iterable[Shown]) -> None:
        self.problems = list(problems)
        super().__init__(*(one["message"] for one in self.problems))


class FormRefused(Listed):
    """Values that a form of the site refuses."""

    def __init__(self, form: BaseForm) -> None:
        super().__init__(of_form(form))


class ListRefused(Listed):
    """A list of teams that cannot be read: the line, from 1, and the text of each problem."""

    def __init__(self, problems: Iterable[tuple[int, str]]) -> None:
        super().__init__(
            entry("team_list.line", words, {"field": "text", "row": line or None})
            for line, words in problems
        )


def answer(status: int, problems: Iterable[Shown], n_problems: int | None = None) -> JsonResponse:
    """The body of every refusal; `n_problems` if more were found than are listed."""
    listed = list(problems)
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": joined(*(problem["message"] for problem in listed)),
        "problems": listed,
        "n_problems": n_problems or len(listed),
    }
    return JsonResponse(body, status=status, content_type=PROBLEM_JSON)


def of_status(status: int) -> JsonResponse:
    """A refusal with only a status."""
    known = status if status in OF_STATUS else 500 if status >= 500 else 400
    code, message = OF_STATUS[known]
    return answer(status, [entry(code, str(message))])


def refusal(refused: Refused) -> JsonResponse:
    """A refusal by the rules for this caller, or at this time."""
    shown = of_refusal(refused)
    return answer(STATUS_OF.get(shown[0]["code"], 409), shown)


def of_refusal(refused: Refused) -> list[Shown]:
    """The problems of a refusal: one with its code, or each of its messages."""
    if isinstance(refused, RefusedByCode):
        params = refused.params
        expected, got = params.get("expected"), params.get("got")
        return [entry(_code_of(refused), refused.message, expected=expected, got=got)]
    code = WITHOUT_CODE.get(type(refused).__name__, "refused")
    return [entry(code, str(message)) for message in refused.messages]


def _code_of(refused: RefusedByCode) -> str:
    """The code with the part before the dot that it lacks on pages, where each kind of refusal stands by itself."""
    group = GROUPS.get(type(refused).__name__)
    is_common = refused.code == "not_allowed" or group is None
    return refused.code if is_common else f"{group}.{refused.code}"


def of_problem(problem: Problem) -> Shown:
    """A problem of a query or a file."""
    params = problem.params
    where = {
        "field": "epsilon" if problem.code == "query.epsilon" else params.get("key"),
        "file": problem.file,
        "row": problem.row,
        "column": problem.column,
    }
    message = SEPARATOR.join(parts(problem))
    return entry(
        problem.code, message, where, expected=params.get("expected"), got=params.get("got")
    )


def of_stored(problem: Mapping[str, Any]) -> Shown:
    """A problem or a note that was stored with a submission."""
    return of_problem(Problem.from_dict(problem))


def of_unavailable(status: int) -> list[Shown]:
    """The problem of a platform that is busy or full."""
    code, message = OF_STATUS[status]
    return [entry(code, str(message))]


def of_envelope(error: ValidationError) -> list[Shown]:
    """The problems of a body or a URL with values of wrong types."""
    shown = []
    for found in error.errors:
        code, message = ENVELOPE.get(found["type"], OTHERWISE)
        source, *keys = found["loc"]
        field = ".".join(map(str, keys[1:] if source == "body" else keys))
        shown.append(entry(code, str(message), {"field": field or None}))
    return shown


def of_form(form: BaseForm) -> list[Shown]:
    """The problems of the values in a form, by field."""
    return [
        shown
        for field, errors in form.errors.as_data().items()
        for error in errors
        for shown in (
            of_error(error, group="form") if field == NON_FIELD_ERRORS else of_error(error, field)
        )
    ]


def of_error(error: FieldError, field: str = "", group: str = "file") -> list[Shown]:
    """The problems of one value; their codes begin with `field.`, or with a group for what is no field of its own."""
    params = error.params or {}
    code = error.code or "invalid"
    named = code if "." in code else f"{'field' if field else group}.{code}"
    expected, got = params.get("expected"), params.get("got")
    return [
        entry(named, str(message), {"field": field or None}, expected=expected, got=got)
        for message in error.messages
    ]


def entry(
    code: str,
    message: str,
    where: dict[str, Any] | None = None,
    *,
    expected: Any = None,
    got: Any = None,
) -> Shown:
    """A problem as it is answered."""
    place = dict.fromkeys(PLACES) | (where or {})
    return {"code": code, "where": place, "expected": expected, "got": got, "message": message}
