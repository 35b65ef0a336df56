# SPDX-License-Identifier: Apache-2.0
"""One connection: requests one after the other, each with the time of its own first byte."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import time
from typing import TYPE_CHECKING, Any

from waitress.channel import HTTPChannel
from waitress.task import WSGITask
from waitress.wasyncore import _DISCONNECTED

from pwscup.web.request import SILENT_SECONDS, SLOWEST_BYTES_PER_SECOND, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from waitress.adjustments import Adjustments

    Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

IDLE_SECONDS = 65
"""Without a request; longer than proxies keep a connection."""
LINGER_SECONDS = 30
# The kernel's time of arrival, whatever keeps this process from reading: Linux on 64 bits.
TIMESTAMP = 35 if sys.platform == "linux" and struct.calcsize("P") == 8 else None
TIMESPEC = struct.Struct("qq")
ANCILLARY = socket.CMSG_SPACE(TIMESPEC.size)
EARLIEST = 3600


def ask_for_timestamps(listener: socket.socket) -> None:
    """Let the kernel note when bytes arrive at the connections that this socket accepts, where it can."""
    if TIMESTAMP is not None:
        with contextlib.suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, TIMESTAMP, 1)


def stamp_of(ancillary: list[tuple[int, int, bytes]], now: float) -> float:
    """When the bytes reached the socket: by the kernel where it says so, never later than `now`."""
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == TIMESTAMP and len(data) >= TIMESPEC.size:
            seconds, nanoseconds = TIMESPEC.unpack_from(data)
            stamp = seconds + nanoseconds / 1e9
            if now - EARLIEST <= stamp <= now:
                return stamp
    return now


def without_bodies_for_head(application: Application) -> Application:
    """The application with nothing after the headers of an answer to HEAD, which waitress leaves to it."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answer


class Task(WSGITask):
    """A request on its way through the site."""

    request: Request

    def service(self) -> None:
        if self.request.is_refused:
            self.set_close_on_finish()
        super().service()

    def get_environment(self) -> dict[str, Any]:
        environ = super().get_environment()
        environ["pwscup.arrived_at"] = self.request.arrived_at
        environ["pwscup.unreadable"] = self.request.unreadable
        environ["wsgi.multiprocess"] = True
        return environ

    def finish(self) -> None:
        if self.request.command == "HEAD":
            self.chunked_response = False
        super().finish()


class Channel(HTTPChannel):
    """A connection whose reader never waits: how long it may stay is asked once a second by `is_overdue`."""

    task_class = Task
    request: Request | None
    requests: list[Request]

    def __init__(
        self, server: Any, sock: socket.socket, addr: Any, adj: Adjustments, map: Any = None
    ) -> None:
        self.stamp = time.time()
        self.touched = time.monotonic()
        self.answered_at = 0.0
        self.lingers_from: float | None = None
        self.answered_early = False
        self.drains_from: float | None = None
        self.sent_bytes = 0
        super().__init__(server, sock, addr, adj, map=map)

    def parser_class(self, adj: Adjustments) -> Request:
        """A request that begins now: not before the answer to the last one was sent, as nothing is read meanwhile.

        Else bytes that wait in the socket behind an answer that is not read would keep a deadline open unnoticed.
        """
        answered_at = min(self.answered_at, time.time())  # the clock may have been set back since
        return Request(adj, self.server.rules, max(self.stamp, answered_at), self.touched)

    # Reading

    def recv(self, buffer_size: int) -> bytes:
        try:
            data, ancillary, _flags, _address = self.socket.recvmsg(buffer_size, ANCILLARY)
        except OSError as error:
            if error.errno not in _DISCONNECTED:
                raise
            data, ancillary = b"", []
        if not data:
            self.handle_close()
            return b""
        self.stamp = stamp_of(ancillary, time.time())
        self.touched = time.monotonic()
        return data

    def received(self, data: bytes) -> bool:
        if self.lingers_from is not None:
            return False
        return super().received(data)

    # Answering

    def send(self, data: bytes, do_close: bool = True) -> int:
        began = time.time()
        n_bytes = super().send(data, do_close=do_close)
        if n_bytes:
            self.touched = time.monotonic()
            self.answered_at = began
            self.sent_bytes += n_bytes
        return n_bytes

    def service(self) -> None:
        request = self.requests[0]
        self.answered_early = request.is_refused or request.error is not None
        super().service()

    # Ending

    def handle_close(self) -> None:
        """Close; after an early answer only the writing half, so that the client can read it before it is cut off."""
        if self.answered_early and self.connected and self.lingers_from is None:
            self.lingers_from = time.monotonic()
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.will_close = self.close_when_flushed = False
                return
        super().handle_close()

    def drop(self) -> None:
        """Close immediately, whatever the client still sends."""
        self.answered_early = False
        self.handle_close()

    # For how long

    @property
    def is_reading(self) -> bool:
        """It waits for data from the client, with no request to answer."""
        return not self.requests and not self.total_outbufs_len

    @property
    def is_idle(self) -> bool:
        """It has nothing to do, or only reads data that is discarded."""
        return self.lingers_from is not None or (self.is_reading and self.request is None)

    def unanswered(self) -> list[Request]:
        """The requests that are being read, that wait for a thread, or that one works on."""
        request = self.request  # first, as it moves to the others when it has been read
        return [*self.requests, *([] if request is None else [request])]

    @property
    def peer(self) -> str:
        """The sender, as far as it is known: a proxy has requests of many, who are named in their headers."""
        known = (r.headers for r in self.unanswered() if r.headers_at is not None)
        return self.server.rules.peer(self.addr[0], next(known, {}))

    @property
    def held_bytes(self) -> int:
        """The buffered bytes of bodies."""
        return sum(request.body_bytes_received for request in self.unanswered())

    @property
    def spooled_bytes(self) -> int:
        """The bytes of its response that wait on the disk for the client."""
        return sum(len(part) for part in list(self.outbufs) if getattr(part, "overflowed", False))

    def is_overdue(self, now: float) -> bool:
        """It may be closed: it takes too long over a request or an answer, or no request comes."""
        if self.lingers_from is not None:
            return now - self.lingers_from > LINGER_SECONDS
        if not self.total_outbufs_len:
            self.drains_from = None
        if self.requests:
            return False
        silence = now - self.touched
        if self.total_outbufs_len:
            return silence > SILENT_SECONDS or self._drains_too_slowly(now)
        if self.request is None:
            return silence > IDLE_SECONDS
        return silence > SILENT_SECONDS or self.request.is_overdue(now)

    def _drains_too_slowly(self, now: float) -> bool:
        if self.drains_from is None:
            self.drains_from, self.sent_bytes = now, 0
        allowed = SILENT_SECONDS + self.sent_bytes / SLOWEST_BYTES_PER_SECOND
        return now - self.drains_from > allowed
