# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL and a Redis server of the tests' own, in a temporary folder: nothing that runs already is touched."""

from __future__ import annotations

import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# All waits end as soon as their condition holds. A busy machine without compiled kernels takes minutes.
START_SECONDS = 600
PORTS = (20_000, 30_000)  # below those that Linux and macOS give to clients
WORKERS = 16
HINT = "`make test` installs it where it runs as root on Debian; elsewhere install it first."


class MissingProgramError(RuntimeError):
    """A server that the tests need is not installed."""


def free_port() -> int:
    """A port that no client is given as its own: while a server there is down, others try to reach it,
    and one that is given the server's port connects to itself and keeps the server from coming back.
    Each worker of the tests has ports of its own: what one has chosen and not taken yet is no other's."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
    while True:
        port = random.randrange(PORTS[0] + worker, PORTS[1], WORKERS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def program(name: str, folders: str = "") -> str:
    """The path of a program, in PATH or in the newest of the folders."""
    found = shutil.which(name)
    beside = sorted(Path("/").glob(f"{folders}/{name}")) if folders else []
    if found is None and not beside:
        raise MissingProgramError(f"{name} is not installed. {HINT}")
    return found or str(beside[-1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], object], what: str, seconds: float = START_SECONDS) -> None:
    """Return as soon as the condition holds; fail where it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


class Redis:
    """A server that can be killed, stopped and started again at the same port."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [program("redis-server"), *f"--port {self.port} --bind 127.0.0.1 --save".split(), ""],
            stdout=subprocess.DEVNULL,
            cwd=tempfile.gettempdir(),
            start_new_session=True,
        )
        wait_until(lambda: listens(self.port), "Redis listens")

    def flush(self) -> None:
        import redis

        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


class PostgreSQL:
    """A cluster that lives as long as this object is not stopped."""

    BINARIES = "usr/lib/postgresql/*/bin"

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pwscup-pg-"))
        self.port = free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        self.user = self._other_user()
        data = self.folder / "data"
        data.mkdir()
        if self.user is not None:
            for path in (self.folder, data):
                shutil.chown(path, self.user)
        self._run("initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8")
        options = f"-p {self.port} -h 127.0.0.1 -F -D {data} -k {self.folder}"  # -F: no fsync
        self.process = subprocess.Popen(
            [program("postgres", self.BINARIES), *options.split()],
            stderr=subprocess.DEVNULL,
            user=self.user,
            cwd=self.folder,
        )
        wait_until(self._answers, "PostgreSQL answers")

    @staticmethod
    def _other_user() -> str | None:
        """PostgreSQL refuses to run as root."""
        if os.getuid() != 0:
            return None
        names = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in names else "nobody"

    def _run(self, name: str, *arguments: str) -> None:
        command = [program(name, self.BINARIES), *arguments]
        done = subprocess.run(
            command, user=self.user, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(START_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)
