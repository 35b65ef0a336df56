# SPDX-License-Identifier: Apache-2.0
"""The processes of the web server: one listens and starts the others, which serve the same socket.

Connections wait at the socket while a process that died is replaced, so none of them is refused.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable

from pwscup.core.installation.keeper import die_with_parent

BACKLOG = 4096
LOOK_SECONDS = 0.2
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
STEADY_SECONDS = 10
PATIENCE_SECONDS = 6.0
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

Serve = Callable[[socket.socket, threading.Event], None]
logger = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """A socket that accepts connections immediately and keeps them until a process serves them."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(BACKLOG)
    return listener


class Processes:
    """Keeps `n_processes` children running until it is asked to stop.

    Parameters
    ----------
    serve : Serve
        Called in each child with the socket and an event that is set when it is to end.
    """

    def __init__(self, listener: socket.socket, serve: Serve, n_processes: int) -> None:
        self._listener = listener
        self._serve = serve
        self._n_processes = n_processes
        self._started: dict[int, float] = {}
        self._pause = FIRST_PAUSE
        self._due_at = 0.0
        self._stopping = threading.Event()

    def run(self) -> None:
        """Start the children, replace those that die, and end them all."""
        for number in STOPPING:
            signal.signal(number, lambda *_: self._stopping.set())
        gc.collect()
        gc.freeze()  # what is loaded by now stays shared with the children
        while not self._stopping.is_set():
            self._bury()
            if time.monotonic() >= self._due_at:
                while len(self._started) < self._n_processes:
                    self._start()
            self._stopping.wait(LOOK_SECONDS)
        self._end()

    def _start(self) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._be_a_child(parent)
        self._started[pid] = time.monotonic()

    def _be_a_child(self, parent: int) -> None:
        status = 1
        try:
            die_with_parent()
            stopping = threading.Event()
            for number in STOPPING:
                signal.signal(number, lambda *_: stopping.set())
            if os.getppid() == parent:  # else it died before it could be watched
                self._serve(self._listener, stopping)
                status = 0
        except BaseException:
            logger.exception("a web process has failed")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)  # nothing of the parent's is cleaned up here

    def _bury(self) -> None:
        """Forget children that have ended; where they end soon after their start, wait before the next one."""
        for pid, status in self._ended():
            lived = time.monotonic() - self._started.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            logger.error("web process %s ended with status %s and is started again", pid, code)
            if lived > STEADY_SECONDS:
                self._pause = FIRST_PAUSE
            else:
                self._due_at = time.monotonic() + self._pause
                self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _ended(self) -> list[tuple[int, int]]:
        found = [os.waitpid(pid, os.WNOHANG) for pid in self._started]
        return [(pid, status) for pid, status in found if pid]

    def _end(self) -> None:
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_SECONDS + 1
        while self._started and time.monotonic() < deadline:
            for pid, _status in self._ended():
                del self._started[pid]
            time.sleep(0.05)
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for pid in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
