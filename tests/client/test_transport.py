# SPDX-License-Identifier: Apache-2.0
"""The way to a site: what is sent again and what is not, where the token goes, and sites that are hostile or broken."""

from __future__ import annotations

import socket
import threading
import time
import warnings
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pwscup.client import (
    BadAnswerError,
    BusyError,
    Client,
    MovedError,
    Refused,
    TokenError,
    UncertainError,
    UnreachableError,
)
from pwscup.client.errors import ClientError
from pwscup.client.sites import site_of
from pwscup.client.transport import Transport, _asked_wait
from tests.client.fake import Reply, Site, as_json, refusal, running

TOKEN = "pwscup_secret"


def sent_by(site: Site, **options) -> tuple[Transport, list[float]]:
    """A transport to the site, and the seconds for which it slept."""
    naps: list[float] = []
    return Transport(site.url, TOKEN, sleep=naps.append, **options), naps


# Sent again


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_reading_goes_on_when_the_site_is_busy(status):
    with running(
        Site(Reply(status, b"<html>", {"Retry-After": "7"}, "text/html"), as_json({"a": 1}))
    ) as site:
        transport, naps = sent_by(site)
        assert transport.send("GET", "/me").json() == {"a": 1}
        assert naps == [7]
        assert len(site.asked) == 2


def test_a_request_that_changes_something_is_sent_again_only_if_nothing_was_done():
    busy = refusal(503, "server.busy", **{"Retry-After": "2"})
    with running(Site(busy, as_json({}))) as site:
        transport, naps = sent_by(site)
        transport.send("POST", "/x", body=b"{}")
        assert (len(site.asked), naps) == (2, [2])
    for uncertain in (Reply(502, media="text/html"), Reply(503, media="text/html")):
        with running(Site(uncertain, as_json({}))) as site:
            transport, naps = sent_by(site)
            with pytest.raises(BusyError):
                transport.send("POST", "/x", body=b"{}")
            assert (len(site.asked), naps) == (1, [])
    with running(Site(Reply(breaks=True), as_json({}))) as site:
        transport, _naps = sent_by(site)
        with pytest.raises(UncertainError, match="look whether it was done"):
            transport.send("POST", "/x", body=b"{}")
        assert len(site.asked) == 1


def test_a_request_with_a_key_is_sent_again_with_the_same_key_and_body():
    with running(Site(Reply(breaks=True), Reply(502, media="text/html"), as_json({}, 201))) as site:
        transport, _naps = sent_by(site)
        headers = {"Idempotency-Key": "k"}
        transport.send("POST", "/x", body=b"files", headers=headers, repeats=True)
        assert [one.body for one in site.asked] == [b"files"] * 3
        assert {one.headers["idempotency-key"] for one in site.asked} == {"k"}


def test_attempts_end():
    with running(Site(refusal(429, "request.too_many", "slower", **{"Retry-After": "1"}))) as site:
        transport, naps = sent_by(site, attempts=3)
        with pytest.raises(BusyError, match="slower"):
            transport.send("GET", "/me")
        assert (len(site.asked), naps) == (3, [1, 1])


def test_the_wait_is_that_of_the_site_within_bounds():
    at = datetime.now(UTC) + timedelta(seconds=30)
    assert _asked_wait({"Retry-After": "3"}, 1) == 3
    assert 25 < _asked_wait({"Retry-After": format_datetime(at, usegmt=True)}, 1) <= 30
    assert _asked_wait({"Retry-After": "999999"}, 1) == 60
    assert _asked_wait({"Retry-After": "0"}, 1) == 0.5
    for silent in ({}, {"Retry-After": "soon"}, {"Retry-After": "9" * 400}):
        assert 0.5 <= _asked_wait(silent, 1) <= 0.75
        assert 2 <= _asked_wait(silent, 3) <= 3


def test_what_is_left_of_the_rate_is_known():
    headers = {"RateLimit-Limit": "120", "RateLimit-Remaining": "7", "RateLimit-Reset": "30"}
    with running(
        Site(as_json({}, **headers), as_json({}, **{**headers, "RateLimit-Limit": "-"}))
    ) as site:
        transport, _naps = sent_by(site)
        assert transport.rate is None
        transport.send("GET", "/me")
        assert (transport.rate.limit, transport.rate.left, transport.rate.reset_seconds) == (
            120,
            7,
            30,
        )
        transport.send("GET", "/me")
        assert transport.rate.limit == 120


# The token


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_redirect_gets_the_token(status, method):
    with running(Site(as_json({}))) as thief:
        address = thief.url.replace("127.0.0.1", "localhost") + "/api/v1/me"
        with running(Site(Reply(status, headers={"Location": address}))) as site:
            transport, _naps = sent_by(site)
            with pytest.raises(MovedError) as caught:
                transport.send(method, "/me", body=b"{}" if method == "POST" else None)
        assert thief.asked == []
        assert address in str(caught.value)
        assert TOKEN not in str(caught.value)


def test_no_redirect_on_the_same_site_is_followed_either():
    with running(Site(Reply(302, headers={"Location": "/api/v1/other"}), as_json({}))) as site:
        transport, _naps = sent_by(site)
        with pytest.raises(MovedError):
            transport.send("GET", "/me")
        assert len(site.asked) == 1


def test_the_token_of_this_machine_goes_past_proxies(monkeypatch):
    with running(Site(as_json({}))) as proxy, running(Site(as_json({"a": 1}))) as site:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        transport, _naps = sent_by(site)
        assert transport.send("GET", "/me").json() == {"a": 1}
        assert (len(proxy.asked), len(site.asked)) == (0, 1)
        assert site.asked[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_a_token_over_an_open_network_is_warned_of():
    with pytest.warns(UserWarning, match="unencrypted"):
        Client("http://cup.example.org", TOKEN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Client("https://cup.example.org", TOKEN)
        Client("http://127.0.0.1:8000", TOKEN)


@pytest.mark.parametrize("token", ["a\nHost: x", "a b", "", "é"])
def test_a_token_is_one_word(token):
    with pytest.raises(TokenError):
        Client("https://cup.example.org", token)


# Sites that are no PWSCup, or broken


@pytest.mark.parametrize(
    ("reply", "error", "text"),
    [
        (Reply(200, b"<html>", media="text/html"), BadAnswerError, "expected application/json"),
        (Reply(200, b"{", media="application/json"), BadAnswerError, "expected JSON"),
        (Reply(404, b"<html>", media="text/html"), BadAnswerError, "status 404"),
        (Reply(500, b"<html>", media="text/html"), BadAnswerError, "status 500"),
        (Reply(400, b"{}", media="application/problem+json"), BadAnswerError, "unreadable"),
        (Reply(400, b"[]", media="application/problem+json"), BadAnswerError, "unreadable"),
        (Reply(400, b'{"problems": 1}', media="application/problem+json"), BadAnswerError, "unrea"),
        (Reply(400, b'{"problems": []}', media="application/problem+json"), Refused, "status 400"),
        (Reply(200, b'{"a": 1}', length=100), UncertainError, "lost on its way"),
        (refusal(401, "token.unknown"), TokenError, "pwscup login"),
        (refusal(403, "terms.first", "Accept the terms"), Refused, "Accept the terms"),
    ],
)
def test_what_is_no_answer_of_the_api_is_an_error_of_the_client(reply, error, text):
    with running(Site(reply)) as site:
        transport, _naps = sent_by(site)
        with pytest.raises(error, match=text) as caught:
            transport.send("GET", "/me").json()
        assert isinstance(caught.value, ClientError)


def test_answers_of_other_types_are_refused():
    line = {"slug": "cup", "title": "Cup", "state": "running"}
    wrong = ([], None, 1, {"slug": "cup"}, [{**line, "slug": 1}], [{**line, "title": None}], [[]])
    for body in wrong[1:]:
        with running(Site(as_json(body))) as site, pytest.raises(BadAnswerError, match="expected"):
            list(Client(site.url, TOKEN).contests())
    with running(Site(as_json([{**line, "more": 1}]))) as site:
        assert [one.slug for one in Client(site.url, TOKEN).contests()] == ["cup"]


def test_control_characters_of_a_site_do_not_reach_the_terminal():
    with running(Site(refusal(409, "x", "\x1b[2Jgone\x07"))) as site:
        transport, _naps = sent_by(site)
        with pytest.raises(Refused) as caught:
            transport.send("GET", "/me")
        assert str(caught.value) == "\N{REPLACEMENT CHARACTER}[2Jgone\N{REPLACEMENT CHARACTER}"


def test_a_site_that_hangs_ends_in_time():
    with running(Site(Reply(200, b"{}", after=1.0))) as site:
        transport, naps = sent_by(site, seconds=0.1, attempts=2)
        began = time.monotonic()
        with pytest.raises(UnreachableError, match="does not answer"):
            transport.send("GET", "/me")
        assert time.monotonic() - began < 0.9
        assert len(naps) == 1


def test_a_body_that_drips_ends_in_time():
    """Each byte comes in time, but not the whole."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def drip() -> None:
        connection, _address = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n")
            while not stop.wait(0.02):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    try:
        transport = Transport(f"http://127.0.0.1:{listener.getsockname()[1]}", TOKEN)
        with pytest.raises(UncertainError, match="not complete after 0 s"):
            transport.send("GET", "/me").body(seconds=0.3)
    finally:
        stop.set()
        thread.join()
        listener.close()


def test_an_endless_answer_is_cut():
    with running(Site(Reply(200, b" " * 100_000))) as site:
        transport, _naps = sent_by(site)
        with pytest.raises(BadAnswerError, match="too large"):
            transport.send("GET", "/me").body(most=1_000)


def test_nobody_at_the_address():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    naps: list[float] = []
    transport = Transport(f"http://127.0.0.1:{port}", TOKEN, attempts=2, sleep=naps.append)
    with pytest.raises(UnreachableError, match="does not answer") as caught:
        transport.send("POST", "/x", body=b"{}")
    assert len(naps) == 1  # nothing was sent
    assert not isinstance(caught.value, UncertainError)


# Addresses


@pytest.mark.parametrize(
    ("given", "site"),
    [
        ("https://Cup.Example.org/", "https://cup.example.org"),
        ("cup.example.org", "https://cup.example.org"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[::1]:80/cups/api/v1/", "http://[::1]/cups"),
        ("https://cup.example.org:443", "https://cup.example.org"),
    ],
)
def test_a_site_has_one_address(given, site):
    assert site_of(given) == site_of(site) == site


@pytest.mark.parametrize(
    "given",
    [
        "",
        "ftp://x",
        "https://",
        "https://a@b",
        "https://x?y",
        "https://x#y",
        "https://x:99999",
        "http://a b",
        "file:///etc/passwd",
        "https://x\r\nHost: y",
        "http://[::1",
    ],
)
def test_other_addresses_are_refused(given):
    with pytest.raises(ClientError, match="not the address of a site"):
        site_of(given)
