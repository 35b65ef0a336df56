# SPDX-License-Identifier: Apache-2.0
"""A call of a webhook with the standard library, which can connect to a given IP address.

Higher-level libraries resolve the name themselves, a second time after it was checked, and follow redirects.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping

from pwscup.notices.webhooks import addresses

TIMEOUT_SECONDS = 5
MOST_BYTES = 16 * 1024  # of a response; its content is ignored


class CallFailedError(Exception):
    """The call did not end with a 2xx; `code` is one of `kinds.ERRORS`."""

    def __init__(self, code: str, status: int | None = None) -> None:
        super().__init__(code)
        self.code, self.status = code, status


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send the body; return the status.

    Raises
    ------
    CallFailedError
        If the URL may not be called, does not answer in time, or answers other than 2xx.
    """
    try:
        target = addresses.check(url)
        status = _answer(target, body, headers)
    except addresses.BadAddressError as refusal:
        raise CallFailedError(refusal.code) from None
    except ssl.SSLError:
        raise CallFailedError("tls") from None
    except TimeoutError:
        raise CallFailedError("timeout") from None
    except OSError:
        raise CallFailedError("connection") from None
    except (http.client.HTTPException, ValueError):
        raise CallFailedError("answer") from None
    if 300 <= status < 400:
        raise CallFailedError("redirect", status)
    if not 200 <= status < 300:
        raise CallFailedError("status", status)
    return status


def _answer(target: addresses.Target, body: bytes, headers: Mapping[str, str]) -> int:
    with _socket(target) as sock, _ended_in_time(sock) as late:
        try:
            connection = http.client.HTTPConnection(target.host, target.port)
            connection.sock = _secured(sock, target)
            connection.request("POST", target.path, body, {"Host": target.host_header, **headers})
            response = connection.getresponse()
            response.read(MOST_BYTES)
            if late.is_set():
                raise TimeoutError  # a truncated response looks complete
            return response.status
        except (OSError, http.client.HTTPException, ValueError):
            if late.is_set():
                raise TimeoutError from None
            raise


def _socket(target: addresses.Target) -> socket.socket:
    return socket.create_connection((target.ip, target.port), timeout=TIMEOUT_SECONDS)


def _secured(sock: socket.socket, target: addresses.Target) -> socket.socket:
    """The host name, not the IP address, must be in the certificate."""
    if target.scheme == "http":
        return sock
    return ssl.create_default_context().wrap_socket(sock, server_hostname=target.host)


@contextlib.contextmanager
def _ended_in_time(sock: socket.socket) -> Iterator[threading.Event]:
    """Close the connection after the timeout, however slowly the server sends."""
    late = threading.Event()
    # wrap_socket detaches the given socket: keep a separate handle of the connection.
    handle = sock.dup()

    def end() -> None:
        late.set()
        with contextlib.suppress(OSError):
            handle.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(TIMEOUT_SECONDS, end)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        handle.close()
