"""A real installation in a temporary folder, in either mode: `manage.py up`, its servers, and a driver."""

from __future__ import annotations

import http.client
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

ROOT = Path(__file__).resolve().parents[2]
MODES = {"embedded": "embedded", "distributed": "PostgreSQL + Redis"}
START_SECONDS = 120
STOP_SECONDS = 30
# What would lead it to another database, broker or mail server than its own.
FOREIGN = ("DATABASE_URL", "CACHE_URL", "REDIS_URL", "EMAIL_URL", "PWSCUP_DEMO", "PWSCUP_HTTPS")


def interrupt_when_terminated() -> None:
    """SIGTERM ends the tool as Ctrl-C does: with everything that it has started."""
    signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGINT))


class Installation:
    """Everything is bound to this process's life and ended by `stop`."""

    def __init__(
        self, mode: str, *, settings: str = "pwscup.settings", folder: Path | None = None
    ) -> None:
        self.mode = mode
        self.folder = folder or Path(tempfile.mkdtemp(prefix="pwscup-reliability-"))
        self.data = self.folder / "data"
        self.port = services.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        self.env = inherited | {
            "PWSCUP_DATA_DIR": str(self.data),
            "DJANGO_SETTINGS_MODULE": settings,
            "OMP_NUM_THREADS": "1",
        }
        self.postgresql: services.PostgreSQL | None = None
        self.redis: services.Redis | None = None
        self.others: list[subprocess.Popen[bytes]] = []
        self.is_stopped = False
        self._lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
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
        """Start `manage.py up` and return at once."""
        if self.is_stopped:
            raise RuntimeError("the installation was stopped")
        address = f"127.0.0.1:{self.port}"
        with (self.folder / "up.log").open("ab") as log:
            self.began = log.tell()
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--no-demo", "--address", address],
                cwd=ROOT,
                env=self.env | env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def start(self, **env: str) -> None:
        """Start `manage.py up` and wait until it says that it is ready."""
        self.launch(**env)
        services.wait_until(self._is_ready, "the installation is ready", START_SECONDS)

    def _is_ready(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(f"the installation ended\n{self.story()}")
        with (self.folder / "up.log").open("rb") as log:
            log.seek(self.began)
            return b"is ready" in log.read() and self.answers()

    def answers(self) -> bool:
        """Whether the web server answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

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

    def services(self) -> dict[str, int]:
        """The process of each service of the supervisor."""
        try:
            return json.loads((self.data / "up.json").read_text())["services"]
        except (OSError, ValueError):
            return {}

    def children(self, service: str) -> list[int]:
        """The processes that a service has started."""
        pid = self.services()[service]
        return [child for child in tree(pid) if child != pid]

    def pids(self) -> list[int]:
        """All processes of the installation, database and broker included."""
        roots = [self.process, self.postgresql and self.postgresql.process]
        roots += [self.redis and self.redis.process, *self.others]
        return tree(*(root.pid for root in roots if root is not None))

    def story(self) -> str:
        """The ends of what it and its services have written."""
        logs = [*self.folder.glob("*.log"), *(self.data / "logs").glob("*.log")]
        written = [(log.name, log.read_text(errors="replace")) for log in sorted(logs)]
        return "\n".join(f"--- {name}\n{text[-2000:]}" for name, text in written)

    # Commands at the machine

    def manage(self, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a management command to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

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
