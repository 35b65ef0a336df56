# SPDX-License-Identifier: Apache-2.0
"""Lines of the log: text from a client never starts a new line."""

from __future__ import annotations

import logging
import unicodedata

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError

OF_CLIENTS = (
    BadRequest,
    Http404,
    MultiPartParserError,
    PermissionDenied,
    SuspiciousOperation,
    UnreadablePostError,
)
MAX_REASON = 200


class OneLine(logging.Formatter):
    """A message on one line: control characters are escaped. A traceback follows as usual."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 — the name is logging's
        return spelled_out(super().formatMessage(record))


def spelled_out(text: str) -> str:
    """The text with line ends, escape sequences and bidirectional controls escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(
        repr(letter)[1:-1] if unicodedata.category(letter)[0] in "CZ" and letter != " " else letter
        for letter in text
    )


class ErrorsOfClients(logging.Filter):
    """Reduces errors of clients to their reason: a traceback would be useless, and any client can cause it."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OF_CLIENTS):
            cause = error.__cause__ or error
            reason = f"{type(cause).__name__}: {str(cause)[:MAX_REASON]}"
            record.msg, record.args = "%s (%s)", (record.getMessage(), reason)
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True
