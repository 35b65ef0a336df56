# SPDX-License-Identifier: Apache-2.0
"""The web server: when a request arrived, and what clients that are slow, large or many may hold."""

from __future__ import annotations

import errno
import io
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pwscup.core.http.bodies import TAKES_FILES
from pwscup.web import channel as channels
from pwscup.web import request as requests
from pwscup.web import server as servers
from pwscup.web.arrival import arrived_at, stamp
from pwscup.web.channel import Channel, stamp_of
from pwscup.web.processes import listen
from pwscup.web.request import Rules
from pwscup.web.server import LOOK_SECONDS, Server, fair_share, heaviest, threads
from pwscup.web.site import Reception, peer_of
from tests.services import START_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]

LARGE, MOST = 1_000, 3_000
HUGE = 20 * 1024**2  # more than sockets hold
NOON = 1_800_000_000.0


class Clock:
    """The time of day and the clock that measures, moved by the test."""

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        return NOON + self.now

    def monotonic(self) -> float:
        return self.now


class Later:
    """A queue of requests that the test takes from."""

    def __init__(self) -> None:
        self.waiting: list[Channel] = []

    def add_task(self, channel: Channel) -> None:
        self.waiting.append(channel)

    def serve(self) -> None:
        while self.waiting:
            self.waiting.pop(0).service()


class Site:
    """A server in this process: nothing is read or answered but when the test says so."""

    def __init__(self, clock: Clock, **limits: Any) -> None:
        self.clock = clock
        self.seen: list[dict] = []
        self.pages, self.uploads = Later(), Later()
        self.listener = listen("127.0.0.1", 0)
        self.server = Server(
            self.application,
            Rules(lambda first, last, _: first, lambda n, path: n > MOST),
            self.listener,
            n_threads=1,
            dispatchers=(self.pages, self.uploads),
            **limits,
        )
        self.clients: list[socket.socket] = []

    def application(self, environ, start_response):
        body = environ["wsgi.input"].read()
        self.seen.append({**environ, "body": body})
        answer = {"/large": b"large" * 100, "/huge": b"x" * HUGE}.get(environ["PATH_INFO"], b"ok")
        start_response("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]

    def client(self, data: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
        here = self.listener.getsockname()
        client = socket.create_connection(here, source_address=(address, 0))
        client.settimeout(10)
        self.clients.append(client)
        client.sendall(data)
        self.read()
        return client

    def send(self, client: socket.socket, data: bytes) -> None:
        client.sendall(data)
        self.read()

    def read(self) -> None:
        """Accept and read whatever has been sent; the loopback delivers at once."""
        for _ in range(4):
            self.server.step(0.01)

    def serve(self) -> None:
        self.pages.serve()
        self.uploads.serve()
        self.read()

    def look(self, after: float) -> None:
        self.clock.now += after
        self.server.look(self.clock.now)
        self.read()

    def is_open(self, client: socket.socket) -> bool:
        name = client.getsockname()
        return any(c.addr == name for c in self.server.channels())

    def close(self) -> None:
        for thing in (*self.clients, *self.server.channels(), self.server):
            thing.close()


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    for module in (requests, channels, servers):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(channels, "TIMESTAMP", None)
    return clock


@pytest.fixture
def make_site(clock) -> Iterator:
    sites = []

    def make(**limits: Any) -> Site:
        sites.append(Site(clock, **limits))
        return sites[-1]

    yield make
    for site in sites:
        site.close()


@pytest.fixture
def site(make_site) -> Site:
    return make_site()


def get(path: str = "/", **headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: x", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def post(n_bytes: int, body: bytes | None = None, extra: str = "") -> bytes:
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {n_bytes}\r\n{extra}\r\n"
    return head.encode() + (b"x" * n_bytes if body is None else body)


def status(client: socket.socket) -> bytes:
    return client.recv(65536).split(b"\r\n")[0]


# The time of arrival


def test_a_request_arrives_with_its_first_byte(site, clock):
    client = site.client(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Le")
    clock.now = 5
    site.send(client, b"ngth: 4\r\n\r\nab")
    clock.now = 9
    site.send(client, b"cd")
    clock.now = 30  # it waits for a thread
    site.serve()

    assert site.seen[0]["pwscup.arrived_at"] == NOON
    assert site.seen[0]["body"] == b"abcd"


def test_each_request_of_a_connection_has_a_time_of_its_own(site, clock):
    client = site.client(get())
    site.serve()
    clock.now = 40
    site.send(client, get())
    site.serve()

    assert [seen["pwscup.arrived_at"] for seen in site.seen] == [NOON, NOON + 40]
    assert client.recv(65536).count(b"200 OK") == 2


def test_after_a_clock_is_set_back_requests_of_an_old_connection_are_no_later_than_now(site, clock):
    client = site.client(get())
    site.serve()
    clock.now = -3600
    site.send(client, get())
    site.serve()

    assert [seen["pwscup.arrived_at"] for seen in site.seen] == [NOON, NOON - 3600]


def test_requests_sent_together_are_answered_in_turn(site):
    client = site.client(get("/one") + post(3) + get("/two"))
    site.serve()

    assert [seen["PATH_INFO"] for seen in site.seen] == ["/one", "/", "/two"]
    assert {seen["pwscup.arrived_at"] for seen in site.seen} == {NOON}
    assert client.recv(65536).count(b"200 OK") == 3


def test_what_the_kernel_noted_goes_before_the_time_of_reading(monkeypatch):
    monkeypatch.setattr(channels, "TIMESTAMP", 35)

    def noted(seconds: float) -> list:
        whole = int(seconds)
        data = struct.pack("qq", whole, int((seconds - whole) * 1e9))
        return [(socket.SOL_SOCKET, 35, data)]

    assert stamp_of(noted(NOON - 7.5), NOON) == NOON - 7.5
    assert stamp_of(noted(NOON + 5), NOON) == NOON  # no time to come
    assert stamp_of(noted(0), NOON) == NOON  # none at all
    assert stamp_of([], NOON) == NOON
    assert stamp_of([(socket.SOL_SOCKET, 35, b"")], NOON) == NOON


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("t=1700000000.123", 1_700_000_000.123),
        ("1700000000.5", 1_700_000_000.5),
        ("t=1700000000", 1_700_000_000),
        ("t=1700000000123", 1_700_000_000.123),
        ("t=1700000000123456", 1_700_000_000.123456),
        ("", None),
        ("t=", None),
        ("t=now", None),
        ("t=1700000000.1, t=1600000000.1", None),
        ("t=-1700000000", None),
        ("t=1700000000123.5", None),
        ("１７０００００００００", None),
    ],
)
def test_times_of_a_proxy(text, seconds):
    assert stamp(text) == (None if seconds is None else pytest.approx(seconds))


def test_a_proxy_is_believed_where_the_settings_trust_it(settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    headers = {"X_REQUEST_START": f"t={NOON - 20}"}
    first, last = NOON, NOON + 1

    assert arrived_at(first, last, headers) == first
    settings.ARRIVAL_HEADER = "X-Request-Start"
    assert arrived_at(first, last, headers) == first  # anybody may send it
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert arrived_at(first, last, headers) == NOON - 20
    assert arrived_at(first, last, {}) == first
    assert arrived_at(first, last, {"X_REQUEST_START": f"t={NOON + 9}"}) == first


def test_a_slow_body_keeps_no_deadline_open_and_a_long_queue_costs_nothing(settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    assert arrived_at(NOON, NOON + 60, {}) == NOON
    assert arrived_at(NOON, NOON + 61, {}) == NOON + 61

    settings.ARRIVAL_HEADER, settings.ALLAUTH_TRUSTED_PROXY_COUNT = "X-Request-Start", 1
    assert arrived_at(NOON, NOON, {"X_REQUEST_START": f"t={NOON - 61}"}) == NOON


# Slow clients


def test_headers_that_do_not_end_are_not_waited_for(site):
    client = site.client(b"GET / HTTP/1.1\r\n")
    for _ in range(2 * requests.HEADER_SECONDS):
        if site.is_open(client):
            site.send(client, b"X: a\r\n")
        site.look(LOOK_SECONDS)

    assert not site.is_open(client)
    assert not site.seen


def test_a_body_may_be_slow_but_not_endless(site):
    rate = requests.SLOWEST_BYTES_PER_SECOND
    site.server.rules = Rules(lambda first, last, _: first, lambda n, path: False)
    fast, slow = (site.client(post(100 * rate, b"")) for _ in range(2))
    for _ in range(3 * requests.BODY_SECONDS):
        site.send(fast, b"x" * rate)
        if site.is_open(slow):
            site.send(slow, b"x")
        site.look(LOOK_SECONDS)

    assert site.is_open(fast)
    assert not site.is_open(slow)


def test_credit_for_fast_bytes_does_not_keep_a_silent_connection(site):
    site.server.rules = Rules(lambda first, last, _: first, lambda n, path: False)
    client = site.client(post(20_000_000, b"x" * 300_000))
    site.look(requests.SILENT_SECONDS)
    assert site.is_open(client)
    site.look(1)
    assert not site.is_open(client)


def test_a_connection_without_a_request_is_closed_after_a_while(site):
    client = site.client(get())
    site.serve()
    site.look(channels.IDLE_SECONDS)
    assert site.is_open(client)
    site.look(1)
    assert not site.is_open(client)


def test_what_waits_for_a_thread_is_never_closed(site):
    client = site.client(post(10))
    site.look(100_000)
    assert site.is_open(client)
    site.serve()
    assert status(client) == b"HTTP/1.1 200 OK"


def test_pages_do_not_wait_behind_uploads(site, monkeypatch):
    monkeypatch.setattr(servers, "UPLOAD_BYTES", LARGE)
    upload, page = site.client(post(LARGE + 1)), site.client(get())
    assert len(site.uploads.waiting) == 1
    site.pages.serve()
    site.read()

    assert status(page) == b"HTTP/1.1 200 OK"
    site.serve()
    assert status(upload) == b"HTTP/1.1 200 OK"


# Many clients


def test_at_the_limit_a_silent_connection_makes_room(make_site):
    site = make_site(max_connections=3)
    first, second = site.client(), site.client(b"GET / HT")
    busy = site.client(get())
    newest = site.client(get())

    assert not site.is_open(first)  # longest without a word
    assert all(site.is_open(client) for client in (second, busy, newest))
    site.serve()
    assert status(busy) == status(newest) == b"HTTP/1.1 200 OK"


def test_the_address_with_most_connections_loses_one_first():
    lone, *crowd = (Waiting(*it) for it in (("a", 0), ("b", 5), ("b", 3), ("b", 9)))

    found = heaviest(dict.fromkeys([lone, *crowd], 1))

    assert (found.peer, found.touched) == ("b", 3)
    assert heaviest({lone: 10, **dict.fromkeys(crowd, 1)}) is lone


class Waiting:
    """A connection, as far as others are made room for."""

    def __init__(self, address: str, touched: float) -> None:
        self.peer, self.touched = address, touched


def test_unfinished_bodies_take_no_more_than_so_much_together(make_site):
    site = make_site(max_held_bytes=2 * LARGE)
    clients = [site.client(post(MOST, b"x" * LARGE)) for _ in range(3)]
    finished = site.client(post(LARGE))
    site.look(LOOK_SECONDS)

    assert [site.is_open(client) for client in clients].count(True) == 1
    assert site.is_open(finished)
    assert sum(c.held_bytes for c in site.server.channels()) <= 2 * LARGE


GREEDY = "127.0.0.2"


def test_who_sends_whole_bodies_does_not_push_out_the_unfinished_ones_of_others(make_site):
    """They wait for a thread, and count; what that client completes further is refused until there is room."""
    site = make_site(max_held_bytes=4 * LARGE)
    upload = site.client(post(MOST, b"x" * LARGE))
    begun = site.client(post(MOST, b"x" * LARGE), GREEDY)
    whole = [site.client(post(LARGE), GREEDY) for _ in range(4)]
    site.look(LOOK_SECONDS)
    assert [site.is_open(client) for client in (upload, begun, *whole)] == [
        True,
        False,
        *[True] * 4,
    ]

    refused, other = site.client(post(LARGE), GREEDY), site.client(post(LARGE))
    page = site.client(get(), GREEDY)
    site.serve()
    bodies = {seen["REMOTE_ADDR"]: [] for seen in site.seen}
    for seen in site.seen:
        why = seen["pwscup.unreadable"]
        bodies[seen["REMOTE_ADDR"]].append(len(seen["body"]) if why is None else why.errno)
    assert sorted(bodies[GREEDY]) == sorted([LARGE] * 4 + [errno.EBUSY, 0])
    assert bodies["127.0.0.1"] == [LARGE]
    assert status(other) == status(page) == b"HTTP/1.1 200 OK"
    assert b"Connection: close" in refused.recv(65536)

    site.look(LOOK_SECONDS)
    site.client(post(LARGE), GREEDY)
    site.serve()
    assert len(site.seen[-1]["body"]) == LARGE
    assert site.is_open(upload)


def test_behind_a_proxy_each_client_has_a_share_of_its_own(make_site, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    site = make_site(max_held_bytes=3 * LARGE)
    site.server.rules = Rules(lambda first, last, _: first, lambda n, path: False, peer_of)

    def begun(forwarded: str) -> socket.socket:
        return site.client(post(MOST, b"x" * LARGE, f"X-Forwarded-For: {forwarded}\r\n"))

    lone = begun("192.0.2.1")
    # What a client writes into the header itself is not believed; an IPv6 address may be any of its network.
    crowd = [begun(f"192.0.2.{number}, 2001:db8::{number}") for number in range(1, 5)]
    site.look(LOOK_SECONDS)
    assert site.is_open(lone)
    assert [site.is_open(client) for client in crowd] == [False, False, True, True]


@pytest.mark.parametrize(
    ("held", "share"),
    [
        ([], 12),
        ([5, 7], 12),
        ([1, 30], 11),
        ([1, 5, 30], 6),
        ([8, 8, 8], 4),
        ([2, 2, 9, 9], 4),
    ],
)
def test_a_fair_share_is_what_all_get_who_want_more(held, share):
    assert fair_share(held, 12) == share
    assert sum(min(one, share) for one in held) <= 12


# Requests that are refused


def test_a_body_too_large_for_its_address_is_answered_before_it_is_sent(site):
    client = site.client(post(MOST + 1, b"only the beginning"))
    site.serve()

    (seen,) = site.seen  # the site says so on a page of its own
    assert (seen["body"], seen["CONTENT_LENGTH"]) == (b"", str(MOST + 1))
    answer = client.recv(65536)
    assert b"Connection: close" in answer
    assert client.recv(65536) == b""  # nothing follows, and nothing is taken for a second request
    site.send(client, get() * 3)
    site.serve()
    assert len(site.seen) == 1


def test_a_client_that_asks_first_is_not_told_to_send_what_is_refused(site):
    client = site.client(post(MOST + 1, b"", "Expect: 100-continue\r\n"))
    site.serve()
    assert b"100 Continue" not in client.recv(65536)
    client = site.client(post(4, b"", "Expect: 100-continue\r\n"))
    assert status(client) == b"HTTP/1.1 100 Continue"


def test_answers_that_wait_on_the_disk_go_before_it_has_no_space_for_uploads(make_site, clock):
    refused: list[bool] = []
    site = make_site(has_space=lambda: not (refused and refused.pop()))
    upload = site.client(post(LARGE, b"x"))
    readers = []
    for clock.now in (1, 2, 3):
        readers.append(site.client(get("/huge")))
        site.serve()
    assert all(channel.spooled_bytes > 0 for channel in site.server.channels()[1:])
    site.look(1)
    assert all(map(site.is_open, [upload, *readers]))
    refused += [True, True]
    site.look(1)
    assert [site.is_open(client) for client in [upload, *readers]] == [True, False, False, True]


def test_where_nothing_waits_on_a_full_disk_nobody_is_dropped(make_site):
    site = make_site(has_space=lambda: False)
    clients = [site.client(get("/large")), site.client(post(LARGE, b"x"))]
    site.look(1)
    assert all(map(site.is_open, clients))


def test_after_an_early_answer_the_rest_is_read_away_for_a_while(site):
    client = site.client(post(MOST + 1, b""))
    site.serve()
    site.send(client, b"x" * MOST)
    assert site.is_open(client)
    site.look(channels.LINGER_SECONDS)
    assert site.is_open(client)
    site.look(1)
    assert not site.is_open(client)


def test_a_body_that_finds_no_room_on_the_disk_is_answered_by_the_site(site, monkeypatch):
    def full(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    site.server.rules = Rules(lambda first, last, _: first, lambda n, path: False)
    monkeypatch.setattr(servers, "IN_MEMORY_BYTES", 300_000)
    client = site.client(post(1_000_000, b"x" * 400_000))
    site.serve()

    (seen,) = site.seen
    assert seen["pwscup.unreadable"].errno == errno.ENOSPC
    assert seen["body"] == b""
    assert b"Connection: close" in client.recv(65536)


def test_bodies_wait_in_memory_while_few_connections_have_some_there(site, monkeypatch):
    made = []
    site.server.rules = Rules(lambda first, last, _: first, lambda n, path: False)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda *_: made.append(1) or io.BytesIO())
    site.client(post(1_000_000, b"x" * 400_000))
    site.read()
    assert not made
    monkeypatch.setattr(servers, "FEW_CONNECTIONS", 16)
    site.client(post(1_000_000, b"x" * 400_000))
    site.read()
    assert made


SMUGGLED = b"0\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"Content-Length: 4\r\nTransfer-Encoding: chunked", b"411"),
        (b"Transfer-Encoding: chunked", b"411"),
        (b"Transfer-Encoding: gzip, chunked", b"501"),
        (b"Transfer-Encoding: xchunked", b"501"),
        (b"Content-Length: 4\r\nContent-Length: 5", b"400"),
        (b"Content-Length: +4", b"400"),
        (b"Content-Length: -4", b"400"),
        (b"Content-Length: 0x4", b"400"),
        (b"Content-Length: 4_0", b"400"),
        (b"Content-Length: " + b"9" * 5_000, b"400"),
        (b"Content-Length : 4", b"400"),
        (b"A: b\nContent-Length: 4", b"400"),
        (b"X: " + b"a" * 40_000, b"431"),
    ],
)
def test_requests_whose_end_is_unclear_are_refused_and_nothing_after_them_is_read(
    site, head, expected
):
    client = site.client(b"POST / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n" + SMUGGLED)
    site.serve()

    assert status(client).split()[1] == expected
    assert not site.seen


def test_chunks_of_an_old_protocol_are_refused_too(site):
    client = site.client(
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + SMUGGLED
    )
    site.serve()
    assert status(client).split()[1] == b"411"
    assert not site.seen


def test_an_answer_to_head_ends_with_its_headers(site):
    client = site.client(b"HEAD /large HTTP/1.1\r\nHost: x\r\n\r\n" + get())
    site.serve()

    answer = client.recv(65536)
    assert b"Content-Length: 500\r\n" in answer
    assert b"large" not in answer
    assert answer.count(b"HTTP/1.1 200 OK") == 2


def test_a_path_that_is_no_text_is_an_address_of_nothing():
    from pwscup.web.site import is_refused

    assert is_refused(10**8, "/\xff\xfe")
    assert not is_refused(10, "/\xff\xfe")


def test_only_addresses_with_a_field_for_files_take_large_bodies(settings):
    from django.urls import get_resolver

    from pwscup.core.http.bodies import OVERHEAD_BYTES, is_too_large

    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert names >= TAKES_FILES
    large = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
    assert is_too_large(large, "/accounts/login/")
    assert is_too_large(large, "/nowhere/")
    assert not is_too_large(large, "/c/cup/round/attack/")
    assert is_too_large(settings.MAX_UPLOAD_BYTES + OVERHEAD_BYTES + 1, "/c/cup/round/attack/")


# Uploads on their way


def test_an_upload_is_on_its_way_until_it_is_answered(site, clock):
    clock.now = 5
    client = site.client(post(10, b"12345"))
    clock.now = 20
    site.read()
    assert site.server.answered_until() == (NOON + 20, [(NOON + 5, "/")])
    site.send(client, b"67890")
    assert site.server.answered_until() == (NOON + 20, [(NOON + 5, "/")])
    site.serve()
    assert site.server.answered_until() == (NOON + 20, [])


def test_what_is_on_its_way_is_reported_by_contest(site, clock):
    """Nobody waits for what is for no round: a log-in, a page of an organizer, nothing at all."""
    begun = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1234"
    paths = ("/c/cup/round/attack/", "/c/cup/round/attack/ask/", "/c/%E3%81%82/round/x/")
    same = ("//c/cup/round/attack/", "http://x//c/cup/round/attack/")  # as the site reads them
    api = "/api/v1/contests/other/rounds/series/submissions"
    for second, path in enumerate((*paths, api, "/accounts/login/", "/c/cup/team/leave/", *same)):
        clock.now = second
        site.client(begun % path.encode())
        site.read()
    clock.now = 20
    site.read()
    until, arrivals = Reception(site.server).look()
    assert until.timestamp() == NOON + 20
    assert arrivals == {"cup": [NOON, NOON + 1, NOON + 6, NOON + 7], "other": [NOON + 3]}


def test_a_request_without_complete_headers_may_be_an_upload(site, clock):
    clock.now = 5
    client = site.client(b"POST /x HTTP/1.1\r\nHost: x\r\n")
    clock.now = 20
    site.read()
    assert site.server.answered_until() == (NOON + 5, [])
    site.send(client, b"Content-Length: 2\r\n\r\nab")
    assert site.server.answered_until() == (NOON + 20, [(NOON + 5, "/x")])
    site.serve()
    assert site.server.answered_until() == (NOON + 20, [])


def test_what_waits_behind_an_answer_arrives_no_earlier_than_that_was_sent(
    site, clock, monkeypatch
):
    client = site.client(get())
    clock.now = 10
    client.sendall(post(4))  # nothing more is read of the connection before the answer
    site.read()
    assert site.server.answered_until() == (NOON + 10, [])
    monkeypatch.setattr(channels, "stamp_of", lambda *_: NOON + 10)  # as the kernel noted
    clock.now = 40
    site.serve()
    site.serve()
    assert [seen["pwscup.arrived_at"] for seen in site.seen] == [NOON, NOON + 40]


def test_a_connection_that_is_lost_holds_up_nothing(site, clock):
    client = site.client(post(10, b"12345"))
    client.close()
    clock.now = 20
    site.read()
    assert site.server.answered_until() == (NOON + 20, [])


def test_what_nobody_has_accepted_yet_may_be_an_upload(make_site, clock, monkeypatch):
    monkeypatch.setattr(servers, "ACCEPTED_AT_ONCE", 1)
    site = make_site()
    waiting = [socket.create_connection(site.listener.getsockname()) for _ in range(3)]
    site.clients += waiting
    clock.now = 20
    site.server.step(0)
    clock.now = 30
    site.server.step(0)
    assert site.server.answered_until() == (NOON, [])
    for _ in range(4):
        site.server.step(0)
    assert site.server.answered_until() == (NOON + 30, [])


# Processes of its own


@pytest.fixture
def started(tmp_path) -> Iterator:
    """Start a server over a small application; its port, its process and those of its children."""
    running = []

    def start(n_processes: int) -> Running:
        running.append(Running(tmp_path, n_processes))
        return running[-1]

    yield start
    for server in running:
        server.end()


PROGRAM = """
import os, sys, time
from pwscup.web.processes import Processes, listen
from pwscup.web.request import Rules
from pwscup.web.server import Server, allow_connections

def application(environ, start_response):
    n_bytes = len(environ["wsgi.input"].read())
    if n_bytes > 150_000:
        print("works on it", flush=True)
        time.sleep(1)
    body = f"{os.getpid()} {n_bytes}".encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]

def serve(listener, stopping):
    rules = Rules(lambda first, last, _: first, lambda n, path: False)
    server = Server(application, rules, listener, n_threads=3, max_connections=allow_connections())
    while not stopping.is_set():
        server.step(0.1)
    server.finish(5)

listener = listen("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
Processes(listener, serve, int(sys.argv[1])).run()
"""


class Running:
    def __init__(self, folder: Path, n_processes: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(n_processes)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.port = int(self.process.stdout.readline())
        self.clients: list[socket.socket] = []

    def client(self, data: bytes) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port))
        client.settimeout(START_SECONDS)
        client.sendall(data)
        self.clients.append(client)
        return client

    def answered_by(self, n_bytes: int = 0) -> int:
        """The process that answers, after it has read so many bytes."""
        request = post(n_bytes, extra="Connection: close\r\n")
        client = self.client(request)
        answer = b"".join(iter(lambda: client.recv(65536), b""))
        pid, read = answer.partition(b"\r\n\r\n")[2].split()
        assert int(read) == n_bytes
        return int(pid)

    def end(self) -> None:
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def test_three_hundred_slow_clients_keep_nobody_waiting(started):
    server = started(1)
    headers = [server.client(b"GET / HTTP/1.1\r\nX") for _ in range(150)]
    bodies = [server.client(post(1_000_000, b"x")) for _ in range(150)]

    for _ in range(10):
        assert server.answered_by(100_000)
    for client in headers + bodies:
        client.sendall(b"x")  # still open


def test_a_process_that_is_killed_is_replaced_and_no_connection_refused(started):
    server = started(1)
    first = server.answered_by()
    os.kill(first, signal.SIGKILL)
    second = server.answered_by(1000)

    assert second != first
    assert server.process.poll() is None


def test_several_processes_serve_one_address(started):
    server = started(3)
    seen = []
    for _ in range(3):
        seen.append(server.answered_by())
        os.kill(seen[-1], signal.SIGSTOP)  # so that another answers next
    for pid in seen:
        os.kill(pid, signal.SIGCONT)
    assert len({*seen}) == 3
    server.process.terminate()
    assert server.process.wait(START_SECONDS) == 0
    for pid in seen:
        wait_until(lambda pid=pid: gone(pid), "it has ended")


def test_children_do_not_outlive_a_parent_that_is_killed(started):
    server = started(2)
    child = server.answered_by()
    server.process.kill()
    server.process.wait()
    wait_until(lambda: gone(child), "the child has ended")


def test_what_has_been_received_is_answered_before_the_end(started):
    server = started(1)
    server.answered_by()
    client = server.client(post(200_000))
    assert server.process.stdout.readline() == b"works on it\n"
    server.process.terminate()

    assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
    assert server.process.wait(START_SECONDS) == 0


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_thread_that_worked_last_works_again():
    """Its connection to the database knows the statements already."""
    dispatcher, names = threads(3), []

    def idle() -> bool:
        with dispatcher.lock:
            return dispatcher.active_count == 0

    for _ in range(4):
        wait_until(idle, "all threads wait")
        done = threading.Event()

        def service(done: threading.Event = done) -> None:
            names.append(threading.current_thread().name)
            done.set()

        dispatcher.add_task(SimpleNamespace(service=service))
        assert done.wait(10)
    dispatcher.shutdown()
    assert len(set(names)) == 1
