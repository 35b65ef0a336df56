# SPDX-License-Identifier: Apache-2.0
"""Requests that fail because of the infrastructure: a full disk, or a busy or unavailable database."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from pwscup.core.files.space import ReserveReachedError

logger = logging.getLogger(__name__)

BUSY, FULL = 503, 507
HEADINGS = {BUSY: _("The platform is busy"), FULL: _("The platform has no space left")}
RETRY_SECONDS = 10
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
# Primary result codes of SQLite: https://www.sqlite.org/rescode.html
SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL = 5, 6, 13
# Of PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html
DISK_FULL = "53100"
TRANSIENT = ("08", "40001", "40P01", "53300", "55P03", "57P0")


def is_full(error: BaseException | None) -> bool:
    """The disk of the files or of the database is full, or a write that can wait reached the reserve."""
    return any(
        isinstance(one, ReserveReachedError)
        or (isinstance(one, OSError) and one.errno in NO_SPACE)
        or _sqlite_code(one) == SQLITE_FULL
        or getattr(one, "sqlstate", None) == DISK_FULL
        for one in _causes(error)
    )


def is_busy(error: BaseException | None) -> bool:
    """The same request may succeed soon: the database is locked, has no free connection, restarts, or does
    not answer; or the sender uses more than its share of the web server."""
    if isinstance(error, OSError):
        return error.errno == errno.EBUSY
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    return any(
        _sqlite_code(one) in (SQLITE_BUSY, SQLITE_LOCKED) or _is_transient(one)
        for one in _causes(error)
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _sqlite_code(error: BaseException) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _is_transient(error: BaseException) -> bool:
    """An error of psycopg without a state concerns the connection itself."""
    if not hasattr(error, "sqlstate") or type(error).__module__.partition(".")[0] != "psycopg":
        return False
    state = error.sqlstate
    if state is None:
        return type(error).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout")
    return state.startswith(TRANSIENT)


def status_of(request: HttpRequest, error: BaseException | None) -> int | None:
    """The status of the response, which is logged; None for other errors."""
    status = FULL if is_full(error) else BUSY if is_busy(error) else None
    if status is not None:
        logger.warning(
            "%s %s answered %s: %s", request.method, request.path, status, _first_line(error)
        )
    return status


def answer(request: HttpRequest, error: BaseException | None) -> HttpResponse | None:
    """A page with the problem and advice; None for other errors."""
    if (status := status_of(request, error)) is None:
        return None
    with translation.override(translation.get_language_from_request(request)):
        response = HttpResponse(_page(request, f"{status}.html"), status=status)
    if status == BUSY:
        response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def _first_line(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _page(request: HttpRequest, template: str) -> str:
    """The usual page if the database can be read, otherwise a page without its data."""
    try:
        return render_to_string(template, request=request)
    except (DatabaseError, InterfaceError, OSError):
        return render_to_string(template)
