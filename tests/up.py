# SPDX-License-Identifier: Apache-2.0
"""`manage.py up` in a folder of its own: started, asked, and what it has written."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from tests.services import START_SECONDS, free_port, wait_until

ROOT = Path(__file__).resolve().parents[1]
COMMAND_SECONDS = 600
# What would lead it to another database, broker or mail server than its own.
FOREIGN = ("DATABASE_URL", "CACHE_URL", "REDIS_URL", "EMAIL_URL", "PWSCUP_DEMO", "PWSCUP_HTTPS")


class Up:
    """Web server, workers, clock and broker, and all that they write, in one folder."""

    start_seconds: ClassVar[float] = START_SECONDS

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "up.log"
        inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        own = {"PWSCUP_DATA_DIR": str(self.data), "DJANGO_SETTINGS_MODULE": "pwscup.settings"}
        self.env = inherited | own | env
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self, **env: str) -> None:
        """Start it and return at once."""
        address = f"127.0.0.1:{self.port}"
        with self.log.open("ab") as log:
            self._began = log.tell()
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
        """Start it and wait until it says that it is ready."""
        self.launch(**env)
        wait_until(self._is_ready, "the installation is ready", self.start_seconds)

    def _is_ready(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(f"the installation ended\n{self.story()}")
        with self.log.open("rb") as log:
            log.seek(self._began)
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

    def services(self) -> dict[str, int]:
        """The process of each service of the supervisor."""
        try:
            return json.loads((self.data / "up.json").read_text())["services"]
        except (OSError, ValueError):
            return {}

    def story(self) -> str:
        """The ends of what it and its services have written."""
        logs = [*self.folder.glob("*.log"), *(self.data / "logs").glob("*.log")]
        written = [(log.name, log.read_text(errors="replace")) for log in sorted(logs)]
        return "\n".join(f"--- {name}\n{text[-3000:]}" for name, text in written)

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end; what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        return done.stdout
