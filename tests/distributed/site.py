# SPDX-License-Identifier: Apache-2.0
"""An installation made of processes of its own: a driver that plays the site, workers, a beat."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.distributed.slow import HOLD
from tests.services import wait_until

ROOT = Path(__file__).resolve().parents[2]
QUIET = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
# Soon, yet a busy machine renews a lease in time, and does not spend all of it on housekeeping.
IMPATIENT = {
    "DATABASE_IDLE_SECONDS": "5",
    "SCORING_LEASE_SECONDS": "15",
    "SCORING_HEARTBEAT_SECONDS": "0.5",
    "SCORING_TIME_LIMIT": "300",
    "SWEEP_SECONDS": "3",
    "RESEND_SECONDS": "3",
}


class Site:
    """Everything is bound to this process's life and ended by `stop`."""

    def __init__(
        self,
        folder: Path,
        driver: str = "tests.distributed.driver",
        *,
        without: Collection[str] = (),
        **environment: str,
    ) -> None:
        self.folder = folder
        self.env = {
            **{name: value for name, value in os.environ.items() if name not in without},
            **IMPATIENT,
            "DJANGO_SETTINGS_MODULE": "tests.distributed.settings",
            "PWSCUP_DATA_DIR": str(folder),
            "OMP_NUM_THREADS": "1",
            **environment,
        }
        self.processes: list[subprocess.Popen[Any]] = []
        self.workers: dict[str, subprocess.Popen[Any]] = {}
        self.driver = self._start(
            "driver",
            "-m",
            driver,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def _start(
        self, name: str, *arguments: str, env: Mapping[str, str] = {}, **streams: Any
    ) -> subprocess.Popen[Any]:
        with (self.folder / f"{name}.log").open("ab") as log:
            given = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log} | streams
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=self.env | env,
                start_new_session=True,
                **given,
            )
        self.processes.append(process)
        return process

    def do(self, command: str, **arguments: Any) -> Any:
        """Let the driver do something and return its answer."""
        self.driver.stdin.write(json.dumps({"do": command, **arguments}).encode() + b"\n")
        self.driver.stdin.flush()
        answer = self.driver.stdout.readline()
        assert answer, self.log("driver")
        return json.loads(answer)

    def worker(self, name: str, concurrency: int = 2, **env: str) -> subprocess.Popen[Any]:
        """Start a worker; `wait_for_worker` returns when it takes work."""
        options = ["-n", f"{name}@%h", "-c", str(concurrency), *QUIET]
        return self._start(name, "-m", "celery", "-A", "pwscup", "worker", *options, env=env)

    def wait_for_worker(self, name: str) -> None:
        wait_until(lambda: " ready." in self.log(name), f"{name} is ready")

    def beat(self) -> subprocess.Popen[Any]:
        return self._start("beat", "-m", "celery", "-A", "pwscup", "beat", "--pidfile=")

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def states(self, keys: list[int]) -> list[str]:
        return self.do("states", keys=keys)

    def wait_for(self, keys: list[int], state: str, *, at_least: int | None = None) -> None:
        """Wait until all of them, or at least so many, are in a state."""
        wanted = len(keys) if at_least is None else at_least
        try:
            wait_until(lambda: self.states(keys).count(state) >= wanted, f"{wanted} × {state}")
        except TimeoutError as error:
            raise AssertionError(
                f"{error}\n{self.do('rows', keys=keys)}\n{self.story()}"
            ) from error

    def story(self) -> str:
        """What the processes said last, and which of them have ended."""
        ended = [(process.args[1:], process.poll()) for process in self.processes]
        logs = sorted(self.folder.glob("*.log"))
        tails = [f"== {log.name}\n" + "\n".join(log.read_text().splitlines()[-40:]) for log in logs]
        return "\n".join([str(ended), *tails])

    def wait_until_all_work(self) -> None:
        """Wait until each worker has scored something from now on: all of them are connected again."""
        before = {name: len(self.log(name)) for name in self.workers}

        def each_has_scored() -> bool:
            self.wait_for(self.do("submit", n=4, note="0.2")["keys"], "scored")
            return all(" evaluated in " in self.log(name)[at:] for name, at in before.items())

        wait_until(each_has_scored, "every worker scores")

    @contextmanager
    def held(self) -> Iterator[None]:
        """What workers begin to score they do not end meanwhile, however long that takes."""
        hold = self.folder / HOLD
        hold.touch()
        try:
            yield
        finally:
            hold.unlink()

    def stop(self) -> None:
        for process in self.processes:
            send_group(process, signal.SIGKILL)
            process.wait()


def send_group(process: subprocess.Popen[Any], number: int) -> None:
    """Signal a process and all it has started."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
