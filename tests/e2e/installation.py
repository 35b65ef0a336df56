"""The real thing: `manage.py up` in a folder of its own, started once and stopped as Ctrl-C would."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pwscup.core.mailbox import SEPARATOR
from pwscup.env import BASE_DIR
from tests.services import START_SECONDS, free_port, wait_until

if TYPE_CHECKING:
    from tests.e2e.browser import Person

STOP_SECONDS = 180
COMMAND_SECONDS = 600
LINK = re.compile(r"https?://\S+")
# Short times, so that nobody waits for a release or for a lost worker's lease.
QUICK = {
    "SWEEP_SECONDS": "2",
    "UPLOAD_GRACE_SECONDS": "0",
    "SCORING_LEASE_SECONDS": "6",
    "SCORING_HEARTBEAT_SECONDS": "1",
}
# What would lead it to another database, broker or mail server than its own.
FOREIGN = ("DATABASE_URL", "CACHE_URL", "REDIS_URL", "EMAIL_URL", "PWSCUP_DEMO", "PWSCUP_HTTPS")


class Installation:
    """Web server, worker, clock and broker over SQLite, all kept in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "up.log"
        inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        self.env = inherited | QUICK
        self.env |= {"PWSCUP_DATA_DIR": str(self.data), "DJANGO_SETTINGS_MODULE": "pwscup.settings"}
        address = f"127.0.0.1:{self.port}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--no-demo", "--address", address],
                cwd=BASE_DIR,
                env=self.env,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            wait_until(self._is_ready, "the installation is ready", START_SECONDS)
        except TimeoutError as error:
            self.stop()
            raise RuntimeError(f"{error}\n{self.story()}") from error

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError(f"the installation ended at once\n{self.story()}")
        return self._answers() and "is ready" in self.log.read_text()

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def story(self) -> str:
        """The ends of what it and its services have written."""
        logs = [self.log, *sorted((self.data / "logs").glob("*.log"))]
        written = [(log.name, log.read_text(errors="replace")) for log in logs if log.exists()]
        return "\n".join(f"--- {name}\n{text[-3000:]}" for name, text in written)

    # What an operator does at the machine

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=BASE_DIR,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

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
        group = json.loads((self.data / "up.json").read_text())["services"]["worker"]
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
