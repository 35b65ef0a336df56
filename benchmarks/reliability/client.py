# SPDX-License-Identifier: Apache-2.0
"""A cheap client: HTTP/1.1 over asyncio streams, with bodies that are prepared beforehand."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

BOUNDARY = "pwscup-boundary"
UPLOAD_FORM = re.compile(rb"<form[^>]*multipart.*?</form>", re.DOTALL)
HIDDEN = re.compile(rb'<input type="hidden" name="([\w-]+)" value="([^"]*)"')
CSRF = "x" * 32
"""The client's own token, as cookie and in forms: a page need not be read before a form is sent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers by lower-case name, body; when the first byte was sent, and how long all took."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    sent_at: float
    seconds: float
    wire_bytes: int = 0


@dataclass(slots=True)
class Connection:
    """One connection of one visitor; opened at the first request, and again after it was closed."""

    port: int
    session: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    def head(self, method: str, path: str, length: int | None, **headers: str) -> bytes:
        """The bytes before the body."""
        cookies = f"csrftoken={CSRF}" + (f"; sessionid={self.session}" if self.session else "")
        given = {"Host": f"127.0.0.1:{self.port}", "Cookie": cookies, **self.headers, **headers}
        if length is not None:
            given["Content-Length"] = str(length)
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items())]
        return "\r\n".join([*lines, "", ""]).encode()

    async def request(
        self,
        method: str,
        path: str,
        body: Sequence[bytes] = (),
        seconds: float = 60,
        **headers: str,
    ) -> Answer:
        """Send and read one answer; OSError, TimeoutError or EOFError where there is none."""
        try:
            async with asyncio.timeout(seconds):
                return await self._request(method, path, body, headers)
        except BaseException:
            self.close()
            raise

    async def _request(
        self, method: str, path: str, body: Sequence[bytes], headers: Mapping[str, str]
    ) -> Answer:
        sent_at, started = time.time(), time.perf_counter()
        if self.writer is None:
            opened = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
            self.reader, self.writer = opened
        assert self.reader is not None
        length = sum(map(len, body)) if method == "POST" else None
        self.writer.write(self.head(method, path, length, **headers))
        for part in body:
            self.writer.write(part)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")[:-2]
        got = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        status = int(first.split()[1])
        data = await self._body(status, got)
        if got.get("connection", "").lower() == "close":
            self.close()
        took = time.perf_counter() - started
        return Answer(status, got, data, sent_at, took, len(head) + len(data))

    async def _body(self, status: int, headers: Mapping[str, str]) -> bytes:
        assert self.reader is not None
        if status in (204, 304):
            return b""
        if "content-length" in headers:
            return await self.reader.readexactly(int(headers["content-length"]))
        if headers.get("transfer-encoding", "").lower() != "chunked":
            data = await self.reader.read()
            self.close()
            return data
        chunks = []
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            chunks.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
        await self.reader.readuntil(b"\r\n")
        return b"".join(chunks)


def files_part(files: Mapping[str, bytes], name: str = "") -> bytes:
    """The files of a form and its end, to follow `fields_part`; each is called after its key, or `name`."""
    parts = [
        (
            f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
            f'name="{key}"; filename="{name or key}.csv"\r\nContent-Type: text/csv\r\n\r\n'
        ).encode()
        + data
        + b"\r\n"
        for key, data in files.items()
    ]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def fields_part(fields: Mapping[str, str] | Iterable[tuple[str, str]]) -> bytes:
    """The fields of a form, the protection against forged requests included."""
    given = [*(fields.items() if isinstance(fields, Mapping) else fields)]
    return "".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in [*given, ("csrfmiddlewaretoken", CSRF)]
    ).encode()


def hidden_fields(page: bytes) -> dict[str, str]:
    """The hidden fields of the upload form of a page, except the CSRF token."""
    form = UPLOAD_FORM.search(page)
    pairs = HIDDEN.findall(form[0]) if form else []
    found = {name.decode(): value.decode() for name, value in pairs}
    return {name: value for name, value in found.items() if name != "csrfmiddlewaretoken"}


FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
