# SPDX-License-Identifier: Apache-2.0
"""One request as it is read: when it arrived, how long it may take, how large it may be."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waitress.parser import HTTPRequestParser
from waitress.utilities import BadRequest, Error

if TYPE_CHECKING:
    from waitress.adjustments import Adjustments

HEADER_SECONDS = 20
BODY_SECONDS = 30
# Over the whole body; a file of 30 MB may take two hours.
SLOWEST_BYTES_PER_SECOND = 4_000
SILENT_SECONDS = 60


class LengthRequiredError(Error):
    code = 411
    reason = "Length Required"


@dataclass(frozen=True, slots=True)
class Rules:
    """Decisions of the site: when a request arrived, by first byte, last byte and headers; which bodies are too large,
    by their length and path; who sends, by address and headers."""

    arrived_at: Callable[[float, float, dict[str, str]], float]
    is_too_large: Callable[[int, str], bool]
    peer: Callable[[str, dict[str, str]], str] = lambda address, _headers: address


class Request(HTTPRequestParser):
    """A request that knows its times. Refused early, it goes on to the site without its body.

    Parameters
    ----------
    first_byte_at : float
        When its first byte reached the socket, in seconds since 1970.
    now : float
        The same time on the clock that measures how long reading takes.
    """

    received_at: float | None = None
    headers_at: float | None = None
    path = ""
    is_refused = False
    unreadable: OSError | None = None
    """Why its body could not be kept: the disk is full, or who sends it has too much here already."""

    def __init__(self, adj: Adjustments, rules: Rules, first_byte_at: float, now: float) -> None:
        super().__init__(adj)
        self.rules = rules
        self.first_byte_at = first_byte_at
        self.started = now

    def received(self, data: bytes) -> int:
        """Take in bytes, and look at the headers as soon as they are complete."""
        try:
            consumed = super().received(data)
        except ValueError:  # a length of thousands of digits
            self.error, self.completed = BadRequest("Content-Length is invalid"), True
            consumed = len(data)
        except OSError as error:
            self.refuse(error)
            consumed = len(data)
        if self.headers_finished and self.headers_at is None:
            if self.path.startswith("/"):
                self.path = "/" + self.path.lstrip("/")  # the site is given no other
            self.headers_at = time.monotonic()
            self._look_at_headers()
        if self.completed and self.received_at is None:
            self.received_at = time.time()
        return consumed

    def _look_at_headers(self) -> None:
        if self.error is not None or self.empty:
            self.expect_continue = False
        elif self.chunked or "TRANSFER_ENCODING" in self.headers:
            # Two ways to say where a request ends are how requests are smuggled: this server knows one.
            self.error = LengthRequiredError("expected a Content-Length and no Transfer-Encoding")
            self._end_early()
        elif self.rules.is_too_large(self.content_length, self.path):
            self.is_refused = True
            self._end_early()

    def refuse(self, error: OSError) -> None:
        """Go on to the site without the body, and with the reason."""
        self.unreadable, self.is_refused = error, True
        self._end_early()

    def _end_early(self) -> None:
        with contextlib.suppress(OSError):
            self.close()
        self.body_rcv, self.body_bytes_received = None, 0
        self.expect_continue = False
        self.completed = True

    @property
    def arrived_at(self) -> float:
        """When it counts as arrived, in seconds since 1970."""
        return self.rules.arrived_at(
            self.first_byte_at, self.received_at or time.time(), self.headers
        )

    def is_overdue(self, now: float) -> bool:
        """Reading its headers or its body has taken too long, or goes on too slowly."""
        if self.headers_at is None:
            return now - self.started > HEADER_SECONDS
        allowed = BODY_SECONDS + self.body_bytes_received / SLOWEST_BYTES_PER_SECOND
        return now - self.headers_at > allowed
