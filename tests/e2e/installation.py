# SPDX-License-Identifier: Apache-2.0
"""The real thing: `manage.py up` in a folder of its own, started once and stopped as Ctrl-C would."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pwscup.core.mailbox import SEPARATOR
from tests.database import copy_migrated
from tests.services import wait_until
from tests.up import COMMAND_SECONDS, Up

if TYPE_CHECKING:
    from tests.e2e.browser import Person

STOP_SECONDS = 180
LINK = re.compile(r"https?://\S+")
# Short times, so that nobody waits for a release or for a lost worker's lease.
QUICK = {
    "SWEEP_SECONDS": "2",
    "UPLOAD_GRACE_SECONDS": "0",
    "SCORING_LEASE_SECONDS": "15",
    "SCORING_HEARTBEAT_SECONDS": "1",
}


class Installation(Up):
    """Over SQLite, ready for people; it is ended by Ctrl-C."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, **QUICK)
        self.data.mkdir()
        copy_migrated(self.data / "pwscup.sqlite3")
        try:
            self.start()
        except TimeoutError as error:
            self.stop()
            raise RuntimeError(f"{error}\n{self.story()}") from error

    # What an operator does at the machine

    def admit(self, people: Sequence[Person], organizer: Person) -> None:
        """Give people accounts, and log them in; one of them may create contests."""
        names = {person.email: person.name for person in people}
        call = f"accounts.admit({names!r}, {organizer.email!r}, {people[0].password!r})"
        printed = self.manage("shell", "-c", f"from tests.e2e import accounts; {call}")
        sessions = dict(line.split() for line in printed.splitlines() if "@" in line)
        for person in people:
            person.come_logged_in(sessions[person.email])

    def links_mailed_to(self, address: str) -> list[str]:
        """The links in all mail to an address, the oldest first."""
        files = sorted((self.data / "mail").glob("*.log"), key=lambda file: file.stat().st_mtime)
        mails = [mail for file in files for mail in file.read_bytes().split(SEPARATOR)]
        to = f"To: {address}".encode()
        return [link for mail in mails if to in mail for link in LINK.findall(mail.decode())]

    # Its processes

    def descendants(self) -> list[int]:
        """Every process that it has started, directly or not."""
        children: dict[int, list[int]] = {}
        for pid, parent, state in _processes():
            if not state.startswith("Z"):
                children.setdefault(parent, []).append(pid)
        found, todo = [], [self.process.pid]
        while todo:
            started = children.get(todo.pop(), [])
            found += started
            todo += started
        return found

    @contextlib.contextmanager
    def worker_held(self) -> Iterator[None]:
        """Keep the worker from working, but not with the database's lock in its hands."""
        group = self.services()["worker"]
        try:
            wait_until(lambda: self._stops_harmlessly(group), "the worker stands still")
            yield
        finally:
            os.killpg(group, signal.SIGCONT)

    def _stops_harmlessly(self, group: int) -> bool:
        os.killpg(group, signal.SIGSTOP)
        with contextlib.closing(sqlite3.connect(self.data / "pwscup.sqlite3", timeout=1)) as base:
            try:
                base.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                os.killpg(group, signal.SIGCONT)
                return False
            base.rollback()
        return True

    def stop(self) -> None:
        """Press Ctrl-C and check that nothing is left running."""
        started = self.descendants()
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"did not stop in {STOP_SECONDS} s\n{self.story()}") from None
        left = {pid for pid, _, state in _processes() if not state.startswith("Z")}
        assert status == 0, self.story()
        assert not left.intersection(started), f"left running: {left.intersection(started)}"


def _processes() -> list[tuple[int, int, str]]:
    """Number, parent and state of every process on this machine."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat="],
        capture_output=True,
        text=True,
        check=True,
        timeout=COMMAND_SECONDS,
    )
    fields = [line.split() for line in listed.stdout.splitlines()]
    return [(int(pid), int(parent), state) for pid, parent, state in fields]
