# SPDX-License-Identifier: Apache-2.0
"""The web server over this site: its settings, its addresses, its uploads."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from allauth.core.internal.ratelimit import truncate_ip
from django.conf import settings
from django.db import connections
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template
from django.urls import resolve, reverse
from django.utils.translation import override

from pwscup.contests.models import upload_grace
from pwscup.core.files import space
from pwscup.core.help.links import help_address
from pwscup.core.http.bodies import is_too_large
from pwscup.core.installation import probe
from pwscup.core.management.commands.up import DEFAULT_ADDRESS, parse_address
from pwscup.env import RESOURCES
from pwscup.submissions.intake import inflight
from pwscup.web.arrival import arrived_at, trusts_a_proxy
from pwscup.web.processes import PATIENCE_SECONDS, STOPPING, Processes, listen
from pwscup.web.request import Rules
from pwscup.web.server import Server, allow_connections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.web.channel import Application

logger = logging.getLogger(__name__)
SPOOL = "spool"
STALE_SECONDS = 24 * 3600
SWITCH_SECONDS = 0.001


def is_refused(n_bytes: int, path: str) -> bool:
    """A body is too large for its URL."""
    return is_too_large(n_bytes, _text(path))


def _text(path: str) -> str:
    """A path that WSGI spells in Latin-1."""
    return path.encode("latin-1").decode(errors="replace")


def peer_of(address: str, headers: Mapping[str, str]) -> str:
    """The sender: the address, or the one that trusted proxies name; all of a network /64 of IPv6 are one."""
    n_proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    named = headers.get("X_FORWARDED_FOR", "").split(",")
    if 0 < n_proxies <= len(named):
        address = named[-n_proxies].strip() or address
    return truncate_ip(address)


def has_space() -> bool:
    """The reserve for uploads is free on the disk of buffered bodies and responses."""
    try:
        return space.has_room_for(0)
    except OSError:
        return True  # the health check says what is wrong with the folder


def serve(application: Application, listener: socket.socket, stopping: threading.Event) -> None:
    """Serve until it is to end, then answer what has been received."""
    sys.setswitchinterval(SWITCH_SECONDS)  # threads that compute give way to the one that reads
    server = Server(
        application,
        Rules(arrived_at, is_refused, peer_of),
        listener,
        n_threads=settings.WEB_THREADS,
        max_connections=allow_connections(),
        has_space=has_space,
    )

    def stop(*_: Any) -> None:
        stopping.set()
        server.pull_trigger()

    for number in STOPPING:
        signal.signal(number, stop)
    inflight.start(Reception(server), _delay())
    while not stopping.is_set():
        server.step()
    server.finish(PATIENCE_SECONDS)
    inflight.stop()


class Reception:
    """The requests of one process that are on their way, for those who wait until all have arrived."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def look(self) -> tuple[datetime, inflight.Arrivals]:
        until, requests = self._server.answered_until()
        paths = ((arrived_at, _text(path)) for arrived_at, path in requests)
        return datetime.fromtimestamp(until, UTC), inflight.arrivals_of(paths)


def _delay() -> timedelta:
    """The maximum time between arrival at a proxy and the first byte here."""
    return upload_grace() if trusts_a_proxy() else timedelta()


def prepare_spool() -> None:
    """Keep bodies that are being read in the data folder, as a folder for temporary files may be memory."""
    folder = settings.DATA_DIR / SPOOL
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in folder.iterdir():  # of processes that were killed
        if path.is_file() and path.stat().st_mtime < time.time() - STALE_SECONDS:
            path.unlink(missing_ok=True)
    tempfile.tempdir = str(folder)


def read_ahead() -> None:
    """Addresses and our own templates, so that no process has to read them while its first visitors wait."""
    resolve("/")
    for language, _name in settings.LANGUAGES:
        with override(language):
            reverse("home")
            help_address("problems", language)
    folder = RESOURCES / "templates"
    for path in folder.rglob("[!.]*.html"):
        try:
            get_template(path.relative_to(folder).as_posix())
        except (TemplateSyntaxError, TemplateDoesNotExist, UnicodeDecodeError):
            logger.exception("%s cannot be read: the pages that use it will fail", path)


def run(application: Application, arguments: list[str]) -> None:
    """Serve at HOST:PORT until the process is asked to end."""
    host, port = parse_address(arguments[0] if arguments else DEFAULT_ADDRESS)
    listener = listen(host, port)
    prepare_spool()
    probe.ensure()
    read_ahead()
    connections.close_all()
    Processes(listener, partial(serve, application), settings.WEB_PROCESSES).run()
