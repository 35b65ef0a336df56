# SPDX-License-Identifier: Apache-2.0
"""A real installation in a temporary folder, in either mode: `manage.py up`, its servers, and a driver."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.reliability.processes import tree
from tests import services
from tests.distributed.site import send_group
from tests.up import ROOT, Up

MODES = {"embedded": "embedded", "distributed": "PostgreSQL + Redis"}
STOP_SECONDS = 30


def interrupt_when_terminated() -> None:
    """SIGTERM ends the tool as Ctrl-C does: with everything that it has started."""
    signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGINT))


class Installation(Up):
    """Everything is bound to this process's life and ended by `stop`."""

    start_seconds = 120

    def __init__(
        self, mode: str, *, settings: str = "pwscup.settings", folder: Path | None = None
    ) -> None:
        self.mode = mode
        folder = folder or Path(tempfile.mkdtemp(prefix="pwscup-reliability-"))
        super().__init__(folder, DJANGO_SETTINGS_MODULE=settings, OMP_NUM_THREADS="1")
        self.postgresql: services.PostgreSQL | None = None
        self.redis: services.Redis | None = None
        self.others: list[subprocess.Popen[bytes]] = []
        self.is_stopped = False
        self._lock = threading.Lock()
        self.driver: subprocess.Popen[bytes] | None = None
        try:
            self._start_servers()
            self.start()
            self.driver = self._start_driver()
        except BaseException:
            self.stop()
            raise

    # Starting and stopping

    def _start_servers(self) -> None:
        if self.mode == "embedded":
            return
        self.postgresql, self.redis = services.PostgreSQL(), services.Redis()
        self.env |= {
            "DATABASE_URL": self.postgresql.url,
            "REDIS_URL": self.redis.url,
            "CACHE_URL": f"rediscache://127.0.0.1:{self.redis.port}/1",
        }

    def launch(self, **env: str) -> None:
        """Start `manage.py up` and return immediately."""
        if self.is_stopped:
            raise RuntimeError("the installation was stopped")
        super().launch(**env)

    def worker(self, name: str, **env: str) -> subprocess.Popen[bytes]:
        """Start one more worker, on a machine that differs by its environment."""
        options = f"-m celery -A pwscup worker -n {name}@%h -c 1 --without-gossip --without-mingle"
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *options.split(), "--without-heartbeat"],
                cwd=ROOT,
                env=self.env | env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.others.append(process)
        return process

    def stop(self) -> None:
        """End everything and remove the folder."""
        self.is_stopped = True
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        for process in [*self.others, *([self.driver] if self.driver else [])]:
            send_group(process, signal.SIGKILL)
            process.wait()
        if self.redis is not None:
            self.redis.kill()
        if self.postgresql is not None:
            self.postgresql.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        """Kill the supervisor; what it started ends with it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    # Its processes

    def children(self, service: str) -> list[int]:
        """The processes that a service has started."""
        pid = self.services()[service]
        return [child for child in tree(pid) if child != pid]

    def pids(self) -> list[int]:
        """All processes of the installation, database and broker included."""
        roots = [self.process, self.postgresql and self.postgresql.process]
        roots += [self.redis and self.redis.process, *self.others]
        return tree(*(root.pid for root in roots if root is not None))

    # The driver

    def _start_driver(self) -> subprocess.Popen[bytes]:
        with (self.folder / "driver.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "benchmarks.reliability.world"],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def do(self, command: str, **arguments: Any) -> Any:
        """Let the driver do something and return its answer; RuntimeError with what went wrong."""
        assert self.driver is not None
        assert self.driver.stdin is not None
        assert self.driver.stdout is not None
        with self._lock:
            self.driver.stdin.write(json.dumps({"do": command, **arguments}).encode() + b"\n")
            self.driver.stdin.flush()
            line = self.driver.stdout.readline()
        if not line:
            raise RuntimeError((self.folder / "driver.log").read_text()[-2000:])
        answer: Mapping[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["answer"]
