# SPDX-License-Identifier: Apache-2.0
"""What every answer shares: compressed text, nothing personal kept, one line in the log for a bad request."""

from __future__ import annotations

import gzip
import io
import logging

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from pwscup.core.installation.logs import OneLine, spelled_out
from pwscup.core.middleware import CompressionMiddleware, PrivateMiddleware
from tests.every import some
from tests.web.test_permissions import GET, arguments, stage, table

__all__ = ["stage"]
GZIP = {"Accept-Encoding": "gzip"}
TEXT = b"the same words again and again, " * 100


# Compression


def test_pages_are_compressed_for_who_can_read_that(cast):
    url = reverse("contest", args=[cast.contest.slug])
    plain, packed = Client().get(url), Client().get(url, headers=GZIP)

    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain["Vary"]
    assert b"Test Cup" in gzip.decompress(packed.content)
    assert len(packed.content) < len(plain.content) / 2
    assert packed["Content-Length"] == str(len(packed.content))


def test_an_unchanged_board_is_recognized_in_both_forms(cast):
    url = reverse("board-fragment", args=[cast.contest.slug])
    for headers in ({}, GZIP):
        first = Client().get(url, headers=headers)
        assert first.status_code == 200
        again = Client().get(url, headers={**headers, "If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


def answer(response, path="/", **headers):
    request = RequestFactory(headers=headers | GZIP).get(path)
    return CompressionMiddleware(lambda request: response)(request)


def test_text_in_pieces_is_compressed_as_it_comes():
    made = []

    def pieces():
        for _ in range(50):
            made.append(1)
            yield TEXT

    response = answer(StreamingHttpResponse(pieces(), content_type="text/csv"))
    assert response["Content-Encoding"] == "gzip"
    assert not made
    assert gzip.decompress(b"".join(response)) == TEXT * 50


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse(TEXT, content_type="application/zip"),
        HttpResponse(TEXT, content_type="application/octet-stream"),
        FileResponse(io.BytesIO(TEXT), content_type="text/csv"),
        HttpResponse(b"short", content_type="text/html"),
    ],
)
def test_stored_files_and_archives_stay_as_they_are(response):
    assert "Content-Encoding" not in answer(response)


# Nothing is kept

# The same for everybody who may have it; pictures of a draft are private, see test_branding.py.
SAY_NOTHING_OF_ANYBODY = {"health", "brand-style", "contest-picture"}


@pytest.mark.parametrize("role", some(1, ["alice", "oscar"]))
def test_nobody_keeps_what_a_known_visitor_is_shown(stage, role):
    for name in table(GET):
        if name in SAY_NOTHING_OF_ANYBODY:
            continue
        response = stage.clients[role].get(reverse(name, kwargs=arguments(name, stage)))
        kept = response.get("Cache-Control", "")
        assert "private" in kept, name
        assert "no-store" in kept or ("no-cache" in kept and response.has_header("ETag")), name


def private(response, **extra) -> str:
    request = RequestFactory(**extra).get("/")
    request.COOKIES.update(extra.get("cookies", {}))
    return PrivateMiddleware(lambda request: response)(request).get("Cache-Control", "")


def test_the_rule_for_what_is_kept(settings):
    cookie = {settings.SESSION_COOKIE_NAME: "x"}
    assert private(HttpResponse()) == ""
    assert private(HttpResponse(), cookies=cookie) == "private, no-store"
    assert private(HttpResponse(), headers={"Authorization": "Bearer x"}) == "private, no-store"
    public = HttpResponse(headers={"Cache-Control": "public, max-age=60"})
    assert private(public, cookies=cookie) == "private, no-store"
    asked_again = HttpResponse(headers={"Cache-Control": "private, no-cache", "ETag": '"1"'})
    assert private(asked_again, cookies=cookie) == "private, no-cache"


# The log


@pytest.fixture
def lines(monkeypatch):
    """What the log of the installation has, line by line."""
    (handler,) = (h for h in logging.getLogger().handlers if isinstance(h.formatter, OneLine))
    stream = io.StringIO()
    monkeypatch.setattr(handler, "stream", stream)
    return lambda: stream.getvalue().splitlines()


BROKEN = [
    ("multipart/form-data; boundary=", b"x", "MultiPartParserError"),
    ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 10_001), "TooManyFieldsSent"),
    ("application/x-www-form-urlencoded; charset=utf-7", b"a=1", "BadRequest"),
]


@pytest.mark.parametrize(("content_type", "body", "reason"), BROKEN)
def test_a_malformed_body_is_one_line_of_the_log(db, lines, content_type, body, reason):
    url = "/accounts/login/"
    answer = Client(raise_request_exception=False).generic("POST", url, body, content_type)

    assert answer.status_code == 400
    assert lines()
    assert all(" WARNING " in line for line in lines())
    assert any(reason in line for line in lines())
    assert not any("Traceback" in line for line in lines())


def test_an_address_starts_no_line_of_its_own(db, lines):
    Client().get("/nowhere%0A2026-01-01%20CRITICAL%20all%20is%20lost%1b[31m")
    (line,) = lines()
    assert r"\n2026-01-01 CRITICAL" in line
    assert "\x1b" not in line


def test_a_name_of_a_host_that_is_none_is_one_line(db, lines):
    response = Client(raise_request_exception=False).get("/", headers={"Host": "a\nb.example"})
    assert response.status_code == 400
    assert len(lines()) == len([line for line in lines() if " WARNING " in line])


def test_an_error_of_ours_keeps_its_traceback(lines):
    try:
        raise ValueError("ours")
    except ValueError:
        logging.getLogger("pwscup.test").exception("went\nwrong")
    first, second, *_rest = lines()
    assert first.endswith(r"ERROR pwscup.test went\nwrong")
    assert second.startswith("Traceback")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain 表 é", "plain 表 é"), ("a\r\nb", r"a\r\nb"), ("\u2028\u202e", r"\u2028\u202e")],
)
def test_control_characters_are_spelled_out(text, expected):
    assert spelled_out(text) == expected
