# SPDX-License-Identifier: Apache-2.0
"""A site of the tests: a server on this machine that answers what a test lists, and keeps what it was asked."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """An answer: status, body, headers; or what happens in its place."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    media: str = "application/json"
    after: float = 0
    breaks: bool = False
    """The connection ends without an answer, after the request was read."""
    length: int | None = None
    """A wrong length of the body."""


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(status, json.dumps(value).encode(), headers)


def refusal(status: int, code: str, message: str = "no", **headers: str) -> Reply:
    place = dict.fromkeys(("field", "file", "row", "column"))
    one = {"code": code, "where": place, "expected": None, "got": None, "message": message}
    body = {"type": "about:blank", "title": "-", "status": status, "detail": message}
    data = json.dumps(body | {"problems": [one], "n_problems": 1}).encode()
    return Reply(status, data, headers, "application/problem+json")


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Site:
    """Replies in their order, the last one again and again; or by a function of the request."""

    def __init__(self, *replies: Reply, by: Callable[[Request], Reply] | None = None) -> None:
        self.replies, self.by = list(replies), by
        self.asked: list[Request] = []
        self.url = ""

    def answer(self, request: Request) -> Reply:
        self.asked.append(request)
        if self.by is not None:
            return self.by(request)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextlib.contextmanager
def running(site: Site) -> Iterator[Site]:
    """The site on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, *_args: object) -> None:
            """Nothing is printed."""

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, self.rfile.read(length))
            reply = site.answer(request)
            time.sleep(reply.after)
            if reply.breaks:
                self.close_connection = True
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.media)
            size = len(reply.body) if reply.length is None else reply.length
            self.send_header("Content-Length", str(size))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 — the names of the server's protocol

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
