# SPDX-License-Identifier: Apache-2.0
"""The event loop of one process: it accepts, closes what takes too long, and makes room for others."""

from __future__ import annotations

import errno
import resource
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from pwscup.web.channel import Channel, ask_for_timestamps, without_bodies_for_head
from pwscup.web.frames import with_room

if TYPE_CHECKING:
    from pwscup.web.channel import Application
    from pwscup.web.request import Rules

MAX_CONNECTIONS = 2_000
FILES_PER_CONNECTION = 3  # the socket, a body on the disk, an answer on the disk
FILES_OF_THE_SITE = 200
MAX_HELD_BYTES = 1024**3
ACCEPTED_AT_ONCE = 16
LOOK_SECONDS = 1.0
UPLOAD_BYTES = 64 * 1024
MAX_HEADER_BYTES = 32 * 1024
READ_BYTES = 128 * 1024
# How much of a body waits in memory and not on the disk: most tables, where a file would cost 1–2 ms.
IN_MEMORY_BYTES, FEW_CONNECTIONS = 2 * 1024**2, 128
IN_MEMORY_BYTES_OF_MANY = 256 * 1024
ANSWER_IN_MEMORY_BYTES = 1024**2  # pages are answered though the disk is full
# A thread that has written its answer is free for others, however slowly that is read.
WRITTEN_BYTES = 512 * 1024**2


class Server(TcpWSGIServer):
    """Waitress's server over a socket that listens already, with an eye on each connection.

    Where there are too many connections or bodies, the peer that has most of them loses those that have been silent
    longest: one client that opens thousands stands in its own way, not in that of others.
    """

    channel_class = Channel

    def __init__(
        self,
        application: Application,
        rules: Rules,
        listener: socket.socket,
        *,
        n_threads: int,
        max_connections: int = MAX_CONNECTIONS,
        max_held_bytes: int = MAX_HELD_BYTES,
        has_space: Callable[[], bool] = lambda: True,
        dispatchers: tuple[Any, Any] | None = None,
    ) -> None:
        ask_for_timestamps(listener)
        self.rules = rules
        self.max_connections = max_connections
        self.max_held_bytes = max_held_bytes
        self.has_space = has_space
        self.looked_at = 0.0
        self.greedy: frozenset[str] = frozenset()
        self.read_until = self._accepted_until = time.time()
        self._is_drained = True
        n_for_uploads = max(1, n_threads // 3)
        self.uploads: Dispatcher
        pages, self.uploads = dispatchers or (
            threads(max(1, n_threads - n_for_uploads)),
            threads(n_for_uploads),
        )
        adjustments = Adjustments(
            sockets=[listener],
            threads=n_threads,
            ident=None,
            clear_untrusted_proxy_headers=False,  # Django decides which of them it believes
            log_socket_errors=False,  # a client that goes away is no error
            max_request_header_size=MAX_HEADER_BYTES,
            recv_bytes=READ_BYTES,
            inbuf_overflow=IN_MEMORY_BYTES,
            outbuf_overflow=ANSWER_IN_MEMORY_BYTES,
            outbuf_high_watermark=WRITTEN_BYTES,
        )
        super().__init__(
            without_bodies_for_head(application),
            {},
            True,
            listener,
            dispatcher=pages,
            adj=adjustments,
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
            bind_socket=False,
        )

    # The loop

    def step(self, seconds: float = LOOK_SECONDS) -> None:
        """Wait for connections that can be read or written, serve them, and look at all of them once a second."""
        began, self._is_drained = time.time(), True
        self.asyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)
        # Connections made before the last step began are accepted by now, and were asked for bytes in this one.
        self.read_until = self._accepted_until
        if self._is_drained:
            self._accepted_until = began
        now = time.monotonic()
        if now - self.looked_at >= LOOK_SECONDS:
            self.looked_at = now
            self.look(now)

    def accept_connections(self) -> None:
        """The socket listens already, in the process that started this one."""
        self.accepting = True

    def readable(self) -> bool:
        can_accept = self.accepting and (self._has_room() or any(self._unfinished()))
        self._is_drained &= can_accept
        return can_accept

    def handle_accept(self) -> None:
        """Accept several together: each step of the loop reads from all other connections in between."""
        self._share_memory()
        self._make_room()
        for _ in range(ACCEPTED_AT_ONCE):
            before = len(self.active_channels)
            if not self._has_room():
                break
            super().handle_accept()
            if len(self.active_channels) == before:
                return
        self._is_drained = False

    def add_task(self, channel: Channel) -> None:
        """Queue what a connection has read; uploads have threads of their own, so that pages do not wait for them."""
        request = channel.requests[0]
        if self.greedy and request.content_length and channel.peer in self.greedy:
            request.refuse(OSError(errno.EBUSY, "its sender holds more than a fair share"))
        is_upload = request.content_length > UPLOAD_BYTES and not request.is_refused
        (self.uploads if is_upload else self.task_dispatcher).add_task(channel)

    def finish(self, seconds: float) -> None:
        """Accept nothing more, and answer what has been received."""
        self.accepting = False
        self.del_channel()
        self.socket.close()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and any(not c.is_idle for c in self.channels()):
            self.step(0.05)

    # What clients hold

    def channels(self) -> list[Channel]:
        return list(self.active_channels.values())

    def look(self, now: float) -> None:
        """Close what has taken too long, and what holds too much."""
        for channel in self.channels():
            if channel.is_overdue(now):
                channel.drop()
        self._give_back_space()
        self._share_out()
        self._share_memory()

    def _share_memory(self) -> None:
        """Let bodies wait in memory as long as few connections could have some there."""
        is_few = len(self.active_channels) + ACCEPTED_AT_ONCE <= FEW_CONNECTIONS
        self.adj.inbuf_overflow = IN_MEMORY_BYTES if is_few else IN_MEMORY_BYTES_OF_MANY

    def _share_out(self) -> None:
        """If bodies take too much together, trim those of the peers that hold most, until each has a fair share.

        Their unfinished ones are dropped. Whole ones wait for a thread: a peer that has too many of these has further
        ones refused until the next look, so that nobody pushes others out by sending fast.
        """
        held = {c: n_bytes for c in self.channels() if (n_bytes := c.held_bytes)}
        self.greedy = frozenset()
        if sum(held.values()) <= self.max_held_bytes:
            return
        peers, by_peer = by_senders(held)
        share = fair_share(by_peer.values(), self.max_held_bytes)
        for channel in sorted(filter(held.get, self._unfinished()), key=lambda c: c.touched):
            if by_peer[peers[channel]] > share:
                by_peer[peers[channel]] -= held[channel]
                channel.drop()
        self.greedy = frozenset(peer for peer, n_bytes in by_peer.items() if n_bytes > share)

    def _give_back_space(self) -> None:
        """Drop answers that are read slowly where the disk on which they wait has no space left but for uploads."""
        while not self.has_space():
            weights = {c: n_bytes for c in self.channels() if (n_bytes := c.spooled_bytes)}
            if not weights:
                return
            heaviest(weights).drop()

    def _has_room(self) -> bool:
        return len(self.active_channels) < self.max_connections

    def _make_room(self) -> None:
        """At the limit close one connection that waits for its client, if there is one."""
        if not self._has_room() and (waiting := dict.fromkeys(self._unfinished(), 1)):
            heaviest(waiting).drop()

    def _unfinished(self) -> Iterator[Channel]:
        return (channel for channel in self.channels() if channel.is_reading)

    def answered_until(self) -> tuple[float, list[tuple[float, str]]]:
        """Up to when every request is answered but for those with a body, in seconds since 1970, and when these arrived
        and at which paths.

        Nobody knows of a request whether it has a body before its headers are complete. Another thread may ask: what
        is read meanwhile arrived later than `read_until`, which is looked at first.
        """
        until, found = self.read_until, []
        for channel in self.channels():
            for request in channel.unanswered():
                if request.headers_at is None:
                    until = min(until, request.arrived_at)
                elif request.content_length > 0:
                    found.append((request.arrived_at, request.path))
        return until, found


class LastOneFirst(threading.Condition):
    """Wakes the thread that began to wait last: what it did is still at hand, as is its connection to the database."""

    def notify(self, n: int = 1) -> None:
        self._waiters.rotate(n)  # type: ignore[attr-defined]  # they are woken from the left
        super().notify(n)


class Dispatcher(ThreadedTaskDispatcher):
    """Its threads have room for the deep calls of a page."""

    def handler_thread(self, thread_no: int) -> None:
        with_room(super().handler_thread, thread_no)


def threads(n_threads: int) -> Dispatcher:
    """A queue and so many threads that take from it."""
    dispatcher = Dispatcher()
    dispatcher.queue_cv = LastOneFirst(dispatcher.lock)
    dispatcher.set_thread_count(n_threads)
    return dispatcher


def allow_connections() -> int:
    """Raise the limit of open files as far as the system lets us; return how many connections fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS * FILES_PER_CONNECTION + FILES_OF_THE_SITE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(50, min(MAX_CONNECTIONS, (soft - FILES_OF_THE_SITE) // FILES_PER_CONNECTION))


def heaviest(weights: dict[Channel, int]) -> Channel:
    """The connection that was silent longest among those of the peer with the largest sum of weights."""
    peers, by_peer = by_senders(weights)
    peer = max(by_peer, key=by_peer.__getitem__)
    return min((c for c in weights if peers[c] == peer), key=lambda c: c.touched)


def by_senders(weights: dict[Channel, int]) -> tuple[dict[Channel, str], dict[str, int]]:
    """The peer of each connection, and the sum of weights of each peer."""
    peers = {channel: channel.peer for channel in weights}
    by_peer: dict[str, int] = defaultdict(int)
    for channel, weight in weights.items():
        by_peer[peers[channel]] += weight
    return peers, by_peer


def fair_share(held: Iterable[int], most: int) -> int:
    """The largest amount that each may hold at most, so that all together hold no more than `most`."""
    ordered, left = sorted(held), most
    for n_left, one in zip(range(len(ordered), 0, -1), ordered, strict=True):
        if one * n_left > left:
            return left // n_left
        left -= one
    return most
