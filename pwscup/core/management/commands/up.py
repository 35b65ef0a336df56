# SPDX-License-Identifier: Apache-2.0
"""`manage.py up`: the whole platform on one machine, with one command."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import get_commands
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from filelock import FileLock, Timeout

from pwscup.core.http import health
from pwscup.core.installation import broker, prepare, private
from pwscup.core.installation.diagnosis import message_of
from pwscup.core.installation.supervisor import Service, Supervisor
from pwscup.env import (
    HOME,
    IS_INSTALLED,
    MANAGE,
    broker_socket,
    env,
    make_private,
    unusable_data,
)

DEFAULT_ADDRESS = "127.0.0.1:8000"
QUIET = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
LOOK_SECONDS = 0.1
MAX_EARLY_DEATHS = 3
DEMO_SECONDS = 60
LOGIN = re.compile(r"\S+@\S+\s+\S+")
# Two processes: housekeeping goes on while one of them scores for minutes. Longer jobs have a separate worker.
QUEUES = {"worker": "housekeeping,scoring,trials,notices", "long": "audits"}
CONCURRENCY = {"worker": str(settings.WORKER_CONCURRENCY), "long": "1"}


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of "host:port", ":port" or "port"."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise CommandError(f"--address: expected HOST:PORT such as {DEFAULT_ADDRESS} — got {text}")
    return host.strip("[]") or "127.0.0.1", int(port)


def allowed_hosts(host: str) -> list[str]:
    """The names that the site answers to: those of the settings, and the address that it listens on."""
    own = f"[{host}]" if ":" in host else host
    return list(dict.fromkeys([*settings.ALLOWED_HOSTS, own]))


def joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_taken(host: str, port: int) -> bool:
    """Something listens there already."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False


def about_file() -> Path:
    return settings.DATA_DIR / "up.json"


def _replace(path: Path, text: str) -> None:
    """Write a whole file or leave the old one."""
    part = path.with_suffix(".part")
    try:
        part.write_text(text)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


class Command(BaseCommand):
    help = "Start the web server, the worker and the broker; Ctrl-C stops everything."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--address", default=DEFAULT_ADDRESS, help="HOST:PORT of the pages")
        parser.add_argument("--no-demo", action="store_true", help="without the demo contests")
        parser.add_argument("--data-dir", help="the data folder (default: data)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["data_dir"]:
            self._move_to(Path(options["data_dir"]))
        self.host, self.port = parse_address(options["address"])
        self.address = joined(self.host, self.port)
        self.demo = not options["no_demo"] and "demo" in get_commands()
        try:
            make_private(settings.DATA_DIR)
            for path in private.tighten():
                self._say(f"Other users of this machine could read {path}: it is private now.")
            (settings.DATA_DIR / "up.lock").touch()
        except OSError as error:
            raise CommandError(unusable_data(error)) from None
        self.stopping = threading.Event()
        self.said: set[str] = set()
        self.signals = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        try:
            with FileLock(settings.DATA_DIR / "up.lock", timeout=2):
                self._run()
        except Timeout:
            raise CommandError(self._already_running()) from None
        except broker.NoBrokerError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(unusable_data(error)) from None
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(
                f"The database cannot be used: {message_of(error)}\nDATABASE_URL names it."
            ) from None

    def _move_to(self, folder: Path) -> None:
        """Restart with another data folder: the loaded settings name the old one."""
        if folder.resolve() != settings.DATA_DIR:
            os.environ["PWSCUP_DATA_DIR"] = str(folder.resolve())
            start = [*MANAGE, *sys.argv[1:]] if IS_INSTALLED else sys.argv
            os.execv(sys.executable, [sys.executable, *start])  # noqa: S606 — itself

    def _on_signal(self, *_: Any) -> None:
        self.signals += 1
        self.stopping.set()

    def _already_running(self) -> str:
        try:
            running = json.loads(about_file().read_text())
        except (OSError, ValueError):
            running = {"address": "an unknown address", "pid": "?"}
        return (
            f"PWSCup is already running at http://{running['address']} "
            f"(process {running['pid']}, data in {settings.DATA_DIR})."
        )

    def _run(self) -> None:
        self._check_port()
        self._check_broker()
        self._say(f"PWSCup starts; its data is in {settings.DATA_DIR}.")
        self.supervisor = Supervisor(self._say)
        self.pids: dict[str, int] | None = None
        self._note()
        prepare.prepare()
        try:
            if not self.stopping.is_set():
                self._start()
            while not self.stopping.wait(LOOK_SECONDS):
                self.supervisor.tick()
                self._note()
        finally:
            self._say("Stopping …")
            self.supervisor.stop(is_urgent=lambda: self.signals > 1)
            with contextlib.suppress(OSError):
                about_file().unlink(missing_ok=True)
            self._say("Stopped.")

    def _note(self) -> None:
        """Record what runs here, for a second start and `manage.py doctor`."""
        if self.pids != self.supervisor.pids():
            self.pids = self.supervisor.pids()
            about = {"address": self.address, "pid": os.getpid(), "services": self.pids}
            try:
                _replace(about_file(), json.dumps(about))
            except OSError as error:  # the site keeps running on a full disk
                self.pids = None
                self._say_once(f"{about_file().name} cannot be written: {error.strerror or error}")

    def _check_port(self) -> None:
        """A killed predecessor may need some seconds to release its port."""
        deadline = time.monotonic() + 2
        while is_taken(self.host, self.port):
            if time.monotonic() > deadline:
                other = joined(self.host, self.port + 1)
                again = (
                    f"pwscup up --address {other}" if IS_INSTALLED else f"make run ADDRESS={other}"
                )
                raise CommandError(
                    f"Port {self.port} on {self.host} is taken by another program. "
                    f"Choose another one: {again}"
                )
            time.sleep(LOOK_SECONDS)

    def _check_broker(self) -> None:
        """Without the requested broker, pages would be served but nothing would be scored."""
        url = env.str("REDIS_URL", default="")
        if url and (reason := broker.silence(url)):
            raise CommandError(
                f"The broker named in REDIS_URL does not answer ({reason}). "
                "Start it, or leave REDIS_URL out to use the embedded one."
            )

    # Starting: the page first, then what works behind it

    def _start(self) -> None:
        if not env.str("REDIS_URL", default=""):
            self._start_broker()
        web = self._service("web", "pwscup.web", self.address)
        demo = self._service("demo", "manage.py", "demo", once=True) if self.demo else None
        self._until(self._page_is_served, web)
        if self.stopping.is_set():
            return
        self._worker("worker")
        self._service("beat", "celery", "-A", "pwscup", "beat", "--pidfile=")
        if demo is not None:
            self._say(f"Pages at http://{self.address}; the demo contests are being created …")
            self._await_demo(demo)
        if not self.stopping.is_set():
            self._worker("long")  # last, as it is not needed at the start
        self._note()
        if not self.stopping.is_set():
            self._say(self._welcome(demo))

    def _worker(self, name: str) -> Service:
        takes = ["-n", f"{name}@%h", "-Q", QUEUES[name], "--concurrency", CONCURRENCY[name]]
        return self._service(name, "celery", "-A", "pwscup", "worker", *takes, *QUIET)

    def _start_broker(self) -> None:
        path = broker_socket()
        broker.prepare_socket(path)
        command = broker.command(path, settings.DATA_DIR)
        service = Service("broker", command, self._log("broker"), HOME)
        self.supervisor.start(service)

    def _service(self, name: str, program: str, *arguments: str, once: bool = False) -> Service:
        start = MANAGE if program == "manage.py" else ("-m", program)
        given = {
            "PWSCUP_DEMO": "1" if self.demo else "0",
            "ALLOWED_HOSTS": ",".join(allowed_hosts(self.host)),
            "PWSCUP_SITE_URL": env.str("PWSCUP_SITE_URL", default=f"http://{self.address}"),
            "PYTHONUNBUFFERED": "1",
            "OMP_NUM_THREADS": os.environ.get(
                "OMP_NUM_THREADS", "1"
            ),  # the processes share the cores
        }
        command = [sys.executable, *start, *arguments]
        return self.supervisor.start(Service(name, command, self._log(name), HOME, given, once))

    def _log(self, name: str) -> Path:
        return settings.DATA_DIR / "logs" / f"{name}.log"

    def _until(self, is_ready: Any, service: Service) -> None:
        """Wait for a required service; give up if it or the broker keeps failing."""
        while not self.stopping.is_set() and not is_ready():
            self.supervisor.tick()
            for dead in self.supervisor.services:
                if dead.deaths >= MAX_EARLY_DEATHS:
                    advice = broker.ADVICE.format(reason=f"see {dead.log}")
                    reason = advice if dead.name == "broker" else f"see {dead.log}"
                    raise CommandError(f"The {dead.name} does not start: {reason}")
            time.sleep(LOOK_SECONDS)

    def _page_is_served(self) -> bool:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
        try:
            connection.request("GET", health.READY)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _await_demo(self, demo: Service) -> None:
        deadline = time.monotonic() + DEMO_SECONDS
        while demo.is_running and time.monotonic() < deadline and not self.stopping.is_set():
            self.supervisor.tick()
            time.sleep(LOOK_SECONDS)
        if demo.exit_status:
            self._say(f"The demo contests could not be created: see {demo.log}")

    # Texts

    def _welcome(self, demo: Service | None) -> str:
        lines = ["", f"  PWSCup is ready:  http://{self.address}", ""]
        if demo is not None and demo.exit_status == 0:
            logins = [line for line in demo.output().splitlines() if LOGIN.fullmatch(line)]
            lines += ["  Demo log-ins (email address, password):", *(f"    {s}" for s in logins)]
            lines.append("")
            if self.host not in ("127.0.0.1", "localhost", "::1"):
                lines += [
                    "  These log-ins are public. Use --no-demo if others can reach this address.",
                    "",
                ]
        lines += [
            f"  Data: {settings.DATA_DIR}",
            f"  Logs: {settings.DATA_DIR / 'logs'}",
            "  Ctrl-C stops everything; the data stays.",
            "",
        ]
        return "\n".join(lines)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the output may be a file on a full disk
            self.stdout.write(text)
            self.stdout.flush()

    def _say_once(self, text: str) -> None:
        if text not in self.said:
            self.said.add(text)
            self._say(text)
