"""Errors of a request as JSON: every refusal has the same form, in the requested language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.http import JsonResponse
from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.core.texts.refusals import RefusedByCode

if TYPE_CHECKING:
    from ninja.errors import ValidationError

    from scoring.errors import Problem

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
STATUS_OF = {
    **dict.fromkeys(("team.none", "not_allowed", "terms.first", "team.disqualified"), 403),
    **dict.fromkeys(("request.too_large", "file.too_large"), 413),
    "request.content_type": 415,
    **dict.fromkeys(
        ("file.missing", "file.unknown", "file.none", "file.empty", "note.too_long"), 422
    ),
    **dict.fromkeys(("original.missing", "original.unknown", "original.only"), 422),
}
"""Status codes of refusals; all others have 409: the state of the contest does not allow them."""


class ApiRefused(RefusedByCode):
    """A refused request."""

    TEXTS = {
        "team.none": _("You are not in a team of this contest."),
        "request.too_large": _("The request's body is too large: at most %(expected)s bytes."),
        "request.content_type": _("Send a body of the type %(expected)s, not %(got)s."),
    }


def answer(status: int, problems: Iterable[Shown], n_problems: int | None = None) -> JsonResponse:
    """The body of every refusal; `n_problems` if more were found than are listed."""
    listed = list(problems)
    body = {"problems": listed, "n_problems": n_problems or len(listed)}
    return JsonResponse(body, status=status)


def of_status(status: int) -> JsonResponse:
    """A refusal with only a status."""
    known = status if status in OF_STATUS else 500 if status >= 500 else 400
    code, message = OF_STATUS[known]
    return answer(status, [_shown(code, str(message))])


def refusal(refused: RefusedByCode) -> JsonResponse:
    """A refusal by the rules for this caller, or at this time."""
    code, params = refused.code, refused.params
    shown = _shown(code, refused.message, expected=params.get("expected"), got=params.get("got"))
    return answer(STATUS_OF.get(code, 409), [shown])


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
    return _shown(
        problem.code, message, where, expected=params.get("expected"), got=params.get("got")
    )


def of_envelope(error: ValidationError) -> list[Shown]:
    """The problems of a body or a URL with values of wrong types."""
    shown = []
    for found in error.errors:
        code, message = ENVELOPE.get(found["type"], OTHERWISE)
        source, *keys = found["loc"]
        field = ".".join(map(str, keys[1:] if source == "body" else keys))
        shown.append(_shown(code, str(message), {"field": field or None}))
    return shown


def _shown(
    code: str,
    message: str,
    where: dict[str, Any] | None = None,
    *,
    expected: Any = None,
    got: Any = None,
) -> Shown:
    place = dict.fromkeys(PLACES) | (where or {})
    return {"code": code, "where": place, "expected": expected, "got": got, "message": message}
