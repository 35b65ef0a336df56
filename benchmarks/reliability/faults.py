# SPDX-License-Identifier: Apache-2.0
"""The faults of `make chaos`: each is done to a running installation and is over when its function returns."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reliability.installation import MODES, Installation
from benchmarks.reliability.processes import tree

CLOCK = Path(__file__).parent / "clock"
BLOCK = bytes(1 << 20)
LOCK_SECONDS, STOP_SECONDS, FULL_SECONDS, SLOW_SECONDS, SKEW_SECONDS = 45, 40, 15, 15, 40
BROKER_SECONDS, FLUSH_SECONDS = 5, 3
LONG_SECONDS = 120  # a lease ends, and a lost message is sent again


class NotHereError(RuntimeError):
    """A fault that cannot be done on this machine, and why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault: an action, its duration, the modes in which it makes sense, and the action that ends it."""

    name: str
    title: str
    do: Callable[[Installation], None]
    seconds: float = 0
    modes: tuple[str, ...] = tuple(MODES)
    undo: Callable[[Installation], None] | None = None


# Processes


def _kill(pid: int, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _kill_service(name: str) -> Callable[[Installation], None]:
    return lambda site: _kill(site.services()[name])


def _kill_children(name: str) -> Callable[[Installation], None]:
    """The processes that a service has started, or its only one."""

    def kill(site: Installation) -> None:
        for pid in site.children(name) or [site.services()[name]]:
            _kill(pid)

    return kill


def _kill_long(site: Installation) -> None:
    """Once while the audit runs, and once while the experiment does; they are done one after the other."""
    site.do("ask_long")
    for kind in ("audit", "experiment"):
        _until(lambda kind=kind: site.do("long_states")[kind] == "running", LONG_SECONDS)
        _kill(site.services()["long"])


def _await_long(site: Installation) -> None:
    """Killed work is finished by the next attempt."""
    deadline = time.monotonic() + LONG_SECONDS
    while set((found := site.do("long_states")).values()) != {"done"}:
        if time.monotonic() > deadline:
            raise RuntimeError(f"expected done, got {found}")
        time.sleep(0.2)


def _kill_broker(site: Installation) -> None:
    if site.redis is None:
        _kill(site.services()["broker"])
        return
    site.redis.kill()
    time.sleep(BROKER_SECONDS)
    site.redis.start()


def _flush(site: Installation) -> None:
    """While the worker stands still, so that messages are lost."""
    with _stopped(site):
        time.sleep(FLUSH_SECONDS)
        site.do("flush")


def _kill_supervisor(site: Installation, **env: str) -> None:
    """It is started again soon afterwards, in this environment."""
    site.kill()
    time.sleep(1)
    site.start(**env)


@contextlib.contextmanager
def _stopped(site: Installation) -> Iterator[None]:
    """The worker with all its processes stands still meanwhile."""
    pids = tree(site.services()["worker"])
    for pid in pids:
        _kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            _kill(pid, signal.SIGCONT)


def _stop_worker(site: Installation) -> None:
    with _stopped(site):
        time.sleep(STOP_SECONDS)


# The database


def _terminate(site: Installation) -> None:
    site.do("terminate")


def _kill_backend(site: Installation) -> None:
    """PostgreSQL then ends every connection and recovers from its log."""
    _kill(site.do("backends")[0])


def _hold_lock(site: Installation) -> None:
    if site.postgresql is None:
        with contextlib.closing(sqlite3.connect(site.data / "pwscup.sqlite3", timeout=30)) as base:
            base.execute("BEGIN IMMEDIATE")
            time.sleep(LOCK_SECONDS)
            base.rollback()
        return
    import psycopg

    with psycopg.connect(site.postgresql.url) as connection:
        connection.execute("LOCK TABLE submissions_submission IN SHARE ROW EXCLUSIVE MODE")
        time.sleep(LOCK_SECONDS)
        connection.rollback()


# The disk


def _fill(site: Installation) -> None:
    """Write until nothing more fits; meanwhile a service dies, so that the supervisor has to write."""
    if not os.path.ismount(site.folder):
        raise NotHereError("needs root, to mount a small file system")
    ballast = site.data / "ballast"
    try:
        _write_until_full(ballast)
        _kill(site.services()["beat"])
        deadline = time.monotonic() + FULL_SECONDS
        while time.monotonic() < deadline:
            time.sleep(1)
            _write_until_full(ballast)
    finally:
        ballast.unlink(missing_ok=True)


def _write_until_full(path: Path) -> None:
    with path.open("ab", buffering=0) as file:
        for block in (BLOCK, BLOCK[:4096], BLOCK[:1]):
            try:
                while file.write(block):
                    pass
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


def _slow_storage(site: Installation) -> None:
    control = site.data / "slow-storage"
    control.write_text("1")
    time.sleep(SLOW_SECONDS)
    control.unlink()


def _lose_file(site: Installation) -> None:
    """A waiting submission's files are away until it is final; then they are restored, and it is tried again."""
    with _stopped(site):
        waiting = _until(lambda: site.do("newest_waiting"), 10)
        moved = [Path(path) for path in site.do("files_of", public_id=waiting)]
        for path in moved:
            path.rename(path.with_suffix(".away"))
    site.do("final_of", public_id=waiting, seconds=20)
    for path in moved:
        path.with_suffix(".away").rename(path)
    site.manage("retry_failed")


def _until(condition: Callable[[], str | None], seconds: float) -> str:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise NotHereError("nothing waited")


# Clocks


def shifted(seconds: int) -> dict[str, str]:
    """The environment of processes whose clock is wrong by so many seconds."""
    return {"CLOCK_OFFSET": str(seconds), "PYTHONPATH": str(CLOCK)}


def _skewed(seconds: int) -> Callable[[Installation], None]:
    """One more worker, on a machine whose clock is wrong."""

    def skew(site: Installation) -> None:
        worker = site.worker(f"skewed{seconds}", **shifted(seconds))
        time.sleep(SKEW_SECONDS)
        worker.terminate()
        worker.wait(STOP_SECONDS)

    return skew


def _set_back(site: Installation) -> None:
    """The machine stops hard, and comes back with a clock that is an hour behind."""
    _kill_supervisor(site, **shifted(-3600))


DISTRIBUTED = ("distributed",)
FAULTS = {
    fault.name: fault
    for fault in (
        Fault("web", "kill -9 of the web server", _kill_service("web")),
        Fault("web-children", "kill -9 of the processes of the web server", _kill_children("web")),
        Fault("worker", "kill -9 of the worker", _kill_service("worker")),
        Fault(
            "worker-children", "kill -9 of the processes of the worker", _kill_children("worker")
        ),
        Fault(
            "long",
            "kill -9 of the worker of audits and experiments, at work on each",
            _kill_long,
            10,
            undo=_await_long,
        ),
        Fault("beat", "kill -9 of the beat", _kill_service("beat")),
        Fault("broker", "kill -9 of the broker", _kill_broker, BROKER_SECONDS),
        Fault("flush", "flush of the broker", _flush, FLUSH_SECONDS),
        Fault("supervisor", "kill -9 of the supervisor, started again", _kill_supervisor, 5),
        Fault("terminate", "all database connections ended", _terminate, 0, DISTRIBUTED),
        Fault("backend", "kill -9 of a database backend", _kill_backend, 2, DISTRIBUTED),
        Fault("lock", f"the write lock held for {LOCK_SECONDS} s", _hold_lock, LOCK_SECONDS),
        Fault("disk", f"the disk full for {FULL_SECONDS} s", _fill, FULL_SECONDS),
        Fault("stop", f"SIGSTOP of the worker for {STOP_SECONDS} s", _stop_worker, STOP_SECONDS),
        Fault(
            "storage", f"storage slower by 1 s for {SLOW_SECONDS} s", _slow_storage, SLOW_SECONDS
        ),
        Fault("file", "a file lost, restored, tried again", _lose_file, 5),
        Fault("ahead", "a worker 60 s ahead", _skewed(60), SKEW_SECONDS, DISTRIBUTED),
        Fault("behind", "a worker 60 s behind", _skewed(-60), SKEW_SECONDS, DISTRIBUTED),
        Fault("back", "the clock set back by an hour", _set_back, 10, undo=_kill_supervisor),
    )
}
