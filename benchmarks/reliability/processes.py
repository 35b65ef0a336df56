# SPDX-License-Identifier: Apache-2.0
"""Processes as the kernel lists them: who started whom, and the processor time of a whole tree."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the name: parent, then user and system time, own and of ended children.
STATE, PARENT, TIMES = 0, 1, slice(11, 15)


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def tree(*roots: int) -> list[int]:
    """These processes and all that they started, directly or not; zombies are left out."""
    children: dict[int, list[int]] = {}
    alive = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (fields := _stat(int(entry.name))) is not None:
            if fields[STATE] != "Z":
                alive.add(int(entry.name))
            children.setdefault(int(fields[PARENT]), []).append(int(entry.name))
    found, todo = [], list(roots)
    while todo:
        pid = todo.pop()
        if pid in alive:
            found.append(pid)
        todo += children.get(pid, [])
    return found


def cpu_seconds(pids: Iterable[int]) -> float:
    """User and system time of these processes and of their children that have ended."""
    found = (_stat(pid) for pid in pids)
    return sum(int(ticks) for fields in found if fields for ticks in fields[TIMES]) / TICKS
