# SPDX-License-Identifier: Apache-2.0
"""Requests to one site: retries, limits, and errors that say what happened.

The token goes to this site only: redirects are not followed. A request is sent again only if the site says that nothing
was done, or if a second one does the same as the first.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any, NoReturn
from urllib.parse import urlencode, urlsplit

from pwscup.client.errors import (
    BadAnswerError,
    BusyError,
    MovedError,
    Problem,
    Refused,
    TokenError,
    UncertainError,
    UnreachableError,
)
from pwscup.client.sites import API, is_loopback
from scoring import __version__

JSON, PROBLEM = "application/json", "application/problem+json"
MAX_JSON_BYTES = 64 * 1024 * 1024
CHUNK = 64 * 1024
ATTEMPTS = 5
SECONDS = 60.0
"""Without a byte from the site."""
ANSWER_SECONDS = 300.0
"""For a whole answer of JSON."""
MOST_WAIT = 60.0
FIRST_WAIT = 0.5
_BUSY = frozenset({429, 502, 503, 504})
_NOTHING_DONE = frozenset({429, 503})
_MOVED = frozenset({301, 302, 303, 307, 308})
_CERTIFICATE = (
    "the certificate of {site} is not trusted ({reason}). Where a company or a university inspects connections, "
    "ask its administrators for the file of their certificate (PEM), and set SSL_CERT_FILE to its path"
)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Requests that a token may make: how many a minute, how many are left, and seconds until all are back."""

    limit: int
    left: int
    reset_seconds: int


class Answer:
    """A successful answer; its body is read once."""

    def __init__(self, response: Any, where: str) -> None:
        self.status: int = response.status
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._where = where

    @property
    def content_type(self) -> str:
        """The media type, without parameters."""
        return _media(self.headers)

    def chunks(self) -> Iterator[bytes]:
        """The bytes of the body, as they arrive.

        Raises
        ------
        UncertainError
            Where the connection ends before the body does.
        """
        expected = self.headers.get("Content-Length")
        n_bytes = 0
        with self._response:
            try:
                while chunk := self._response.read1(CHUNK):
                    n_bytes += len(chunk)
                    yield chunk
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise self._lost(str(error)) from error
        if expected is not None and expected.isdecimal() and int(expected) != n_bytes:
            raise self._lost(f"{n_bytes} of {expected} bytes")

    def _lost(self, reason: str) -> UncertainError:
        return UncertainError(f"{self._where}: the answer was lost on its way ({reason})")

    def body(self, most: int = MAX_JSON_BYTES, seconds: float = ANSWER_SECONDS) -> bytes:
        """The whole body, of a bounded size and in a bounded time."""
        until, found, n_bytes = time.monotonic() + seconds, [], 0
        for chunk in self.chunks():
            found.append(chunk)
            n_bytes += len(chunk)
            if n_bytes > most:
                raise BadAnswerError(
                    f"{self._where}: the answer is too large — expected at most {most:,} bytes"
                )
            if time.monotonic() > until:
                raise self._lost(f"not complete after {seconds:.0f} s")
        return b"".join(found)

    def json(self) -> Any:
        """The body as JSON.

        Raises
        ------
        BadAnswerError
            Where it is something else.
        """
        if self.status == http.HTTPStatus.NO_CONTENT:
            return None
        if self.content_type != JSON:
            raise _no_api(self._where, self.content_type)
        try:
            return json.loads(self.body())
        except ValueError as error:
            raise BadAnswerError(f"{self._where}: expected JSON — got something else") from error


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any) -> None:
        """No redirect is followed: the next address would get the token."""


class Transport:
    """The way to one site.

    Parameters
    ----------
    site : str
        In its one form, as `sites.site_of` gives it.
    token : str, optional
        Without it requests have none.
    language : str
        Of messages: `en` or `ja`.
    seconds : float
        Without a byte from the site, after which an attempt ends.
    attempts : int
        For a request that may be sent again.
    sleep : callable
        Waits for so many seconds.
    """

    def __init__(
        self,
        site: str,
        token: str | None = None,
        *,
        language: str = "en",
        seconds: float = SECONDS,
        attempts: int = ATTEMPTS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.site = site
        self.token = token
        self.language = language
        self.rate: RateLimit | None = None
        self._seconds = seconds
        self._attempts = max(1, attempts)
        self._sleep = sleep
        handlers: list[Any] = [_Unfollowed]
        if is_loopback(urlsplit(site).hostname or ""):
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: bytes | Callable[[], IO[bytes]] | None = None,
        content_type: str = JSON,
        headers: Mapping[str, str] | None = None,
        repeats: bool | None = None,
        more_seconds: float = 0,
    ) -> Answer:
        """Send a request to the API, and again where that is safe.

        Parameters
        ----------
        method, path : str
            The path begins after `/api/v1`.
        query : mapping, optional
            Values that are None or empty are left out.
        body : bytes or callable, optional
            The callable opens the body for each attempt.
        content_type : str
        headers : mapping of str to str, optional
        repeats : bool, optional
            A second request does the same as the first: by default those to read and to replace.
        more_seconds : float
            The site may take so much longer to answer.

        Returns
        -------
        Answer
            Of a status below 300.

        Raises
        ------
        ClientError
            One of its kinds.
        """
        can_repeat = method in ("GET", "HEAD", "PUT", "DELETE") if repeats is None else repeats
        where = f"{method} {self.site}{API}{path}"
        address = f"{self.site}{API}{path}{_query(query)}"
        sent_headers = self._headers(body, content_type, headers)
        for attempt in range(1, self._attempts + 1):
            is_last = attempt == self._attempts
            try:
                response = self._once(method, address, body, sent_headers, more_seconds)
            except (OSError, http.client.HTTPException) as error:
                if is_last or not (can_repeat or _was_not_sent(error)) or _is_final(error):
                    self._raise_unreachable(where, error, can_repeat=can_repeat)
                self._sleep(_backoff(attempt))
                continue
            self._note_rate(response.headers)
            status = response.status
            if status < http.HTTPStatus.MULTIPLE_CHOICES:
                return Answer(response, where)
            with response:
                is_ours = status in _NOTHING_DONE and _media(response.headers) == PROBLEM
                if status in _BUSY and (can_repeat or is_ours) and not is_last:
                    self._sleep(_asked_wait(response.headers, attempt))
                    continue
                self._raise_refused(where, response)
        raise AssertionError  # the last attempt has returned or raised

    def _headers(
        self, body: object, content_type: str, more: Mapping[str, str] | None
    ) -> dict[str, str]:
        found = {
            "Accept": f"{JSON}, {PROBLEM}, */*",
            "Accept-Language": self.language,
            "User-Agent": f"pwscup/{__version__}",
            **(more or {}),
        }
        if body is not None:
            found["Content-Type"] = content_type
        if self.token:
            found["Authorization"] = f"Bearer {self.token}"
        return found

    def _once(
        self,
        method: str,
        address: str,
        body: bytes | Callable[[], IO[bytes]] | None,
        headers: Mapping[str, str],
        more_seconds: float,
    ) -> Any:
        content: Any = body() if callable(body) else body
        if content is None and method not in ("GET", "HEAD"):
            content = b""
        own = dict(headers)
        if content is not None and not isinstance(content, bytes):
            content.seek(0, 2)
            own["Content-Length"] = str(content.tell())
            content.seek(0)
        request = urllib.request.Request(address, content, own, method=method)  # noqa: S310 — checked by `site_of`
        try:
            return self._opener.open(request, timeout=self._seconds + more_seconds)
        except urllib.error.HTTPError as error:
            return error
        finally:
            if content is not None and not isinstance(content, bytes):
                content.close()

    def _note_rate(self, headers: Mapping[str, str]) -> None:
        names = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
        found = [headers.get(name, "") for name in names]
        if all(text.isdecimal() and len(text) < 10 for text in found):
            self.rate = RateLimit(*map(int, found))

    def _raise_refused(self, where: str, response: Any) -> NoReturn:
        status, media = response.status, _media(response.headers)
        if status in _MOVED:
            raise _moved(self.site, response.headers.get("Location") or "")
        if media != PROBLEM:
            if status in _BUSY:
                raise BusyError(f"{where}: the site is busy (status {status}): try again later")
            raise _no_api(where, media, status)
        problems, n_problems = _problems(where, response)
        if status == http.HTTPStatus.UNAUTHORIZED:
            raise TokenError(
                [*problems, Problem("token.login", f"log in: pwscup login {self.site}")]
            )
        if status in _NOTHING_DONE:
            raise BusyError(problems)
        raise Refused(status, problems, n_problems)

    def _raise_unreachable(self, where: str, error: Exception, *, can_repeat: bool) -> NoReturn:
        reason = _reason(error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            text = _CERTIFICATE.format(site=self.site, reason=reason.verify_message)
            raise UnreachableError(text, code="site.certificate") from error
        shown = str(reason) or type(reason).__name__
        if can_repeat or _was_not_sent(error):
            text = f"{self.site} does not answer ({shown}): check the address and the network"
            raise UnreachableError(text, code="site.unreachable") from error
        text = f"{where}: the answer was lost on its way ({shown}); look whether it was done"
        raise UncertainError(text, code="site.uncertain") from error


def _query(values: Mapping[str, Any] | None) -> str:
    given = {k: v for k, v in (values or {}).items() if v is not None and v != ""}
    return f"?{urlencode(given)}" if given else ""


def _media(headers: Mapping[str, str]) -> str:
    return (headers.get("Content-Type") or "").partition(";")[0].strip().lower()


def _reason(error: Exception) -> Exception:
    reason = getattr(error, "reason", None)
    return reason if isinstance(reason, Exception) else error


def _was_not_sent(error: Exception) -> bool:
    """No connection was made, so that no request can have arrived."""
    reason = _reason(error)
    return isinstance(reason, ConnectionRefusedError) or _is_final(error)


def _is_final(error: Exception) -> bool:
    """Another attempt has the same end."""
    return isinstance(_reason(error), ssl.SSLCertVerificationError)


def _backoff(attempt: int) -> float:
    """Seconds before the next attempt: twice as long each time, and not all clients together."""
    return FIRST_WAIT * 2.0 ** (attempt - 1) * (1 + random.random() / 2)  # noqa: S311 — no secret


def _asked_wait(headers: Mapping[str, str], attempt: int) -> float:
    """The seconds of Retry-After, a number or a date, within bounds; otherwise those of the attempt."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isdecimal() and len(text) < 10:
        return min(max(float(text), FIRST_WAIT), MOST_WAIT)
    try:
        at = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return _backoff(attempt)
    zoned = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max((zoned - datetime.now(UTC)).total_seconds(), FIRST_WAIT), MOST_WAIT)


def _problems(where: str, response: Any) -> tuple[list[Problem], int]:
    try:
        found = json.loads(Answer(response, where).body())
        listed = [Problem.of(one) for one in found["problems"]]
        n_problems = found.get("n_problems", 0)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadAnswerError(f"{where}: the refusal is unreadable") from error
    if not listed:
        listed = [Problem("unknown", f"{where}: refused (status {response.status})")]
    return listed, max(len(listed), n_problems if isinstance(n_problems, int) else 0)


def _moved(site: str, location: str) -> MovedError:
    problem = Problem(
        "site.moved",
        f"the site is at another address — expected an answer of {site} — got a redirect to "
        f"{location or 'nowhere'}: if you trust it, name it with --url",
        expected=site,
        got=location,
    )
    return MovedError([Problem.of(problem.to_dict())])


def _no_api(where: str, media: str, status: int = 200) -> BadAnswerError:
    problem = Problem(
        "site.no_api",
        f"{where}: no answer of PWSCup's API — expected {JSON} — got {media or 'nothing'} "
        f"(status {status}): check the address of the site",
        expected=JSON,
        got=media,
    )
    return BadAnswerError([Problem.of(problem.to_dict())])
