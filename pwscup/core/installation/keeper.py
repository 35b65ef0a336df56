# SPDX-License-Identifier: Apache-2.0
"""Runs a command that must not outlive the process that started it: `python keeper.py PARENT COMMAND…`.

It uses only the standard library, so that it starts fast. Linux kills the command itself when its parent
dies; on other systems this process stays and watches.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 0.5


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies; no effect on systems without this feature."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(n_bytes: int) -> None:
    """Make allocations fail above this size of the address space, if the system supports it: only Linux is exact."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def run(parent: int, command: list[str]) -> None:
    """Replace this process by the command, bound to the parent's life."""
    die_with_parent()
    if os.getppid() == parent:  # else it died before it could be watched
        os.execv(command[0], command)  # noqa: S606 — the supervisor names the command


def watch(parent: int, command: list[str]) -> int:
    """Run the command in a child process, and end both when the parent has ended."""
    child = subprocess.Popen(command)  # noqa: S603 — the supervisor names the command
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _: child.send_signal(received))
    while child.poll() is None:
        if os.getppid() != parent:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(os.getpgrp(), signal.SIGKILL)
        time.sleep(LOOK_SECONDS)
    return child.returncode


if __name__ == "__main__":
    is_watching = sys.platform != "linux" or os.environ.get("PWSCUP_WATCH_PARENT") == "1"
    sys.exit((watch if is_watching else run)(int(sys.argv[1]), sys.argv[2:]))
