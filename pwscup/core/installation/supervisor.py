# SPDX-License-Identifier: Apache-2.0
"""Starts the processes of the embedded mode, restarts them after a failure, shows their errors, and stops them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pwscup.core.installation import keeper

Say = Callable[[str], None]
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
STEADY_SECONDS = 30
PATIENCE_SECONDS = 8
MAX_LOG_BYTES = 5_000_000
LOUD = (" ERROR ", " CRITICAL ")


@dataclass
class Service:
    """A process that runs permanently, or one time if `once` is set."""

    name: str
    command: Sequence[str]
    log: Path
    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    due_at: float = 0.0
    pause: float = FIRST_PAUSE
    deaths: int = 0
    began: int = 0
    shown: int = 0
    trouble: str = ""

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def exit_status(self) -> int | None:
        return None if self.process is None else self.process.poll()

    def start(self) -> None:
        """Start in a separate process group, bound to the life of this process."""
        guarded = [sys.executable, "-I", "-S", keeper.__file__, str(os.getpid()), *self.command]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 — the commands are ours
                guarded,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={**os.environ, **self.env},
                start_new_session=True,
            )
        self.started_at = time.monotonic()

    def signal(self, number: int) -> None:
        if self.process is not None and self.is_running:
            self.process.send_signal(number)

    def end_group(self) -> None:
        """Kill the remaining processes of its group."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def open_log(self) -> None:
        """Start a new log if the old one is large; show only lines written from now on."""
        self.log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.log.exists() and self.log.stat().st_size > MAX_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".1.log"))
        self.log.touch()
        self.began = self.shown = self.log.stat().st_size

    def output(self) -> str:
        """The output since the log was opened."""
        return self.log.read_bytes()[self.began :].decode(errors="replace")

    def new_lines(self) -> Iterator[str]:
        """Complete lines written since the last call."""
        with self.log.open("rb") as log:
            log.seek(self.shown)
            data = log.read()
        whole, newline, _ = data.rpartition(b"\n")
        self.shown += len(whole + newline)
        yield from whole.decode(errors="replace").splitlines()


class Supervisor:
    """Keeps services running; the caller decides when each is started for the first time."""

    def __init__(self, say: Say) -> None:
        self.services: list[Service] = []
        self._say = say

    def start(self, service: Service) -> Service:
        service.open_log()
        service.start()
        self.services.append(service)
        return service

    def pids(self) -> dict[str, int]:
        """The process ID of every started service."""
        return {s.name: s.process.pid for s in self.services if s.process is not None}

    def tick(self) -> None:
        """Check every service once: show its errors, note its end, restart it when it is due."""
        now = time.monotonic()
        for service in self.services:
            try:
                self._look_at(service, now)
            except OSError as error:
                self._put_off(service, now, error)

    def _look_at(self, service: Service, now: float) -> None:
        with contextlib.suppress(OSError):  # an unreadable log is ignored
            self._relay(service)
        if service.is_running or service.once:
            return
        if service.due_at == 0:
            self._note_death(service, now)
        elif now >= service.due_at:
            service.start()
            service.due_at = 0

    def _put_off(self, service: Service, now: float, error: OSError) -> None:
        """A full disk or a missing log does not stop the supervisor: the service is started later."""
        if service.due_at:
            service.due_at = now + LONGEST_PAUSE
        if str(error) != service.trouble:
            service.trouble = str(error)
            self._say(f"[{service.name}] {error}")

    def _relay(self, service: Service) -> None:
        for line in service.new_lines():
            if any(level in line for level in LOUD):
                self._say(f"[{service.name}] {line}")

    def _note_death(self, service: Service, now: float) -> None:
        service.end_group()  # its children must not run next to its successor
        if now - service.started_at > STEADY_SECONDS:
            service.pause = FIRST_PAUSE
        service.deaths += 1
        service.due_at = now + service.pause
        self._say(
            f"[{service.name}] ended ({describe(service.exit_status)}); starts again in {service.pause:g} s"
        )
        service.pause = min(2 * service.pause, LONGEST_PAUSE)

    def stop(self, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Stop everything: with a signal first, in reverse order of start, and by force after the time-out."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        first, rest = self.services[:1], self.services[1:]
        for group in (rest, first):
            for service in group:
                service.signal(signal.SIGTERM)
            while any(s.is_running for s in group) and time.monotonic() < deadline:
                if is_urgent():
                    break
                time.sleep(0.05)
        for service in self.services:
            service.end_group()


def describe(status: int | None) -> str:
    """An exit status as text."""
    if status is not None and status < 0:
        return f"signal {signal.Signals(-status).name}"
    return f"status {status}"
