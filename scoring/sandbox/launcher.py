# SPDX-License-Identifier: Apache-2.0
"""Runs one program under limits; started as a process of its own by `scoring.sandbox.running`.

It imports the standard library only and is run by its path, with one argument: a JSON object with the keys `command`,
`folder`, `readable`, `limits` and `user`. `folder` holds `input`, `output` and `tmp`. It prints a JSON object:
`status`, `signal`, `exceeded`, `printed` and `enforced`.

What the system does not allow is left out and missing in `enforced`. Sources: the manual pages landlock(7), seccomp(2),
user_namespaces(7), pid_namespaces(7) and getrlimit(2) of Linux.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

POLL_SECONDS = 0.05
KEPT_BYTES = 8192
"""Of what a program prints, the end that is kept."""
OTHER_THREADS = 512
"""Processes without a namespace: all of the user are counted, and others may come while the program runs."""

PR_SET_KEEPCAPS, PR_CAP_AMBIENT, CAP_DAC_READ_SEARCH = 8, 47, 2
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER, PR_SET_SECCOMP = 1, 38, 36, 22
NEW_UTS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = (
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL_DEV = 1, 2, 4, 8, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of rights to files that a version of Landlock knows."""

REFUSED_CALLS = {
    # socket, ptrace, mount, unshare, perf_event_open, setns, bpf, io_uring_setup, keyctl
    "x86_64": (0xC000003E, (41, 101, 165, 272, 298, 308, 321, 425, 250)),
    "aarch64": (0xC00000B7, (198, 117, 40, 97, 241, 268, 280, 425, 219)),
}
"""By machine: the number of its architecture, and the system calls that a program gets no answer to."""

SYSTEM: tuple[str, ...] = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
SYSTEM += ("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/fonts")
SYSTEM += ("/etc/alternatives", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")
SYSTEM += ("/dev/urandom", "/dev/random", "/dev/zero")
"""Paths that every program may read."""


def main() -> None:
    """Run the program that the first argument describes."""
    task = json.loads(sys.argv[1])
    print(json.dumps(Run(task).outcome()))  # noqa: T201


class Run:
    """One program, from its start until the last process that it left is gone."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.task = task
        self.limits: dict[str, float] = task["limits"]
        self.folder = Path(task["folder"])
        self.enforced: list[str] = ["time", "cpu", "files"]
        self.printed = b""
        self.n_printed = 0
        self.ends_at = time.monotonic() + self.limits["seconds"]

    def outcome(self) -> dict[str, Any]:
        """The program's end, as JSON-able data."""
        self._confine()
        read, write = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(read)
            try:
                self._become(write)
            except (OSError, ValueError) as error:
                with suppress(OSError):
                    os.write(2, f"{error}\n".encode())
            finally:
                os._exit(127)
        os.close(write)
        exceeded = self._attend(read)
        status = self._end()
        os.close(read)
        if exceeded is None and status == -signal.SIGXCPU:
            exceeded = "cpu"
        if exceeded is None and status == -signal.SIGXFSZ:
            exceeded = "output"
        return {
            "status": status if status >= 0 else None,
            "signal": -status if status < 0 else None,
            "exceeded": exceeded,
            "printed": self.printed.decode("utf-8", "replace"),
            "enforced": self.enforced,
        }

    # what holds for launcher and program

    def _confine(self) -> None:
        """Enter namespaces, as far as the system allows; in one of users the program is `user` if this one is root."""
        if sys.platform != "linux":
            return
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.task["parent"]:
            os._exit(1)
        if _entered(self.task["user"]):
            self.enforced += ["children", "processes"]
        elif prctl(PR_SET_CHILD_SUBREAPER, 1):
            self.enforced.append("children")
        if self.task["user"] is not None:
            self.enforced.append("user")
        if os.path.isdir("/proc/self"):
            self.enforced.append("memory")

    # the side of the program

    def _become(self, output: int) -> None:
        """Turn this process into the program; where it is the first one of a namespace, into its parent."""
        if os.getpid() == 1:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if (child := os.fork()) != 0:
                os.close(output)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                while True:
                    pid, status = os.wait()
                    if pid == child:  # the other processes of the namespace end with this one
                        code = os.waitstatus_to_exitcode(status)
                        os._exit(code if code >= 0 else 128 - code)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 256)
        os.chdir(self.folder)
        for sign in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, signal.SIG_DFL)
        self._limit()
        if self.task["user"] is not None:
            change_user(self.task["user"], reads_all=self.task["reads_all"] and landlock() > 0)
        command = self.task["command"]
        if sys.platform == "linux":
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            prctl(PR_SET_NO_NEW_PRIVS, 1)
            if landlock() > 0 and not restrict_files(self.task["readable"], self.folder):
                raise OSError("files cannot be restricted")
            refuse_calls()
        os.execve(command[0], command, self.task["environment"])  # noqa: S606 — a shell would read the arguments again

    def _limit(self) -> None:
        import resource  # which Windows lacks, where this module can be imported but not run

        cpu = max(1, round(self.limits["cpu_seconds"]))
        memory = int(self.limits["memory"])
        limits = {
            resource.RLIMIT_CPU: (cpu, cpu + 1),
            resource.RLIMIT_FSIZE: (int(self.limits["output_bytes"]),) * 2,
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_NOFILE: (256, 256),
            resource.RLIMIT_AS: (2 * memory, 2 * memory),
        }
        others = 2 if "processes" in self.enforced else threads_of(os.getuid()) + OTHER_THREADS
        limits[resource.RLIMIT_NPROC] = (int(self.limits["processes"]) + others,) * 2
        for which, (soft, hard) in limits.items():
            with suppress(OSError, ValueError):
                resource.setrlimit(which, (soft, hard))
        if sys.platform == "linux":
            with suppress(OSError):
                _write("/proc/self/oom_score_adj", "1000")

    # the side of the launcher

    def _attend(self, read: int) -> str | None:
        """Read what the program prints and watch it until it ends; the limit that it exceeds."""
        os.set_blocking(read, False)
        while True:
            ready, _, _ = select.select([read], [], [], POLL_SECONDS)
            if ready:
                self._keep(read)
            if exceeded := self._exceeded():
                return exceeded
            if self._ended():
                self._keep(read)
                return self._exceeded_at_the_end()

    def _keep(self, read: int) -> None:
        while self.n_printed <= self.limits["output_bytes"]:
            try:
                found = os.read(read, 65536)
            except BlockingIOError:
                return
            if not found:
                time.sleep(POLL_SECONDS / 5)
                return
            self.n_printed += len(found)
            self.printed = (self.printed + found)[-KEPT_BYTES:]

    def _ended(self) -> bool:
        """True if the program itself has ended, without reaping it."""
        return os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _exceeded(self) -> str | None:
        if time.monotonic() > self.ends_at:
            return "time"
        if self.n_printed > self.limits["output_bytes"]:
            return "output"
        processes = memory = 0
        for pid in descendants():
            processes += 1
            memory += resident(pid)
        if processes > self.limits["processes"] + ("processes" in self.enforced):
            return "processes"
        if memory > self.limits["memory"]:
            return "memory"
        return self._exceeded_at_the_end()

    def _exceeded_at_the_end(self) -> str | None:
        n_files = n_bytes = 0
        for size in sizes(self.folder / "output", self.folder / "tmp"):
            n_files, n_bytes = n_files + 1, n_bytes + size
            if n_files > self.limits["files"] or n_bytes > self.limits["output_bytes"]:
                return "output"
        return None

    def _end(self) -> int:
        """End all that is left; the program's exit status, or the negative number of its signal."""
        if not self._ended():
            with suppress(OSError):
                os.kill(self.child, signal.SIGKILL)
        with suppress(OSError):
            os.killpg(self.child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        if "children" in self.enforced:
            while left := list(
                descendants()
            ):  # those of a namespace have ended with its first process
                for pid in left:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(POLL_SECONDS / 50)
        return 128 - status if "processes" in self.enforced and status > 128 else status


def _entered(user: int | None) -> bool:
    """Enter namespaces of users, processes, network, messages and names; True where the system allowed it."""
    ids = sorted({os.getuid(), os.getuid() if user is None else user})
    groups = sorted({os.getgid(), os.getgid() if user is None else user})
    this = os.getpid()
    wait, go = os.pipe()
    helper = os.fork()  # who enters a namespace can no longer give it several users
    if helper == 0:
        os.close(go)
        if os.read(wait, 1) == b"":
            os._exit(1)
        try:
            if user is None:
                _write(f"/proc/{this}/setgroups", "deny")
            _write(f"/proc/{this}/uid_map", "".join(f"{i} {i} 1\n" for i in ids))
            _write(f"/proc/{this}/gid_map", "".join(f"{i} {i} 1\n" for i in groups))
        except OSError:
            os._exit(1)
        os._exit(0)
    os.close(wait)
    entered: bool = _libc().unshare(NEW_USER | NEW_PID | NEW_NET | NEW_IPC | NEW_UTS) == 0
    if entered:
        os.write(go, b"x")
    os.close(go)
    mapped = os.waitpid(helper, 0)[1] == 0
    if entered and not mapped:
        raise OSError("a namespace without users")
    return entered


def change_user(user: int, *, reads_all: bool) -> None:
    """Become another user; with `reads_all` it reads what root may read, as far as the other rules let it."""
    os.setgroups([])
    os.setresgid(user, user, user)
    if reads_all:
        prctl(PR_SET_KEEPCAPS, 1)
    os.setresuid(user, user, user)
    if reads_all:
        only = 1 << CAP_DAC_READ_SEARCH
        header = struct.pack("Ii", 0x20080522, 0)
        _libc().capset(header, struct.pack("6I", only, only, only, 0, 0, 0))
        prctl(PR_CAP_AMBIENT, 2, CAP_DAC_READ_SEARCH)


def landlock() -> int:
    """The version of Landlock, below 1 where the kernel has none."""
    version: int = _libc().syscall(LANDLOCK_CREATE, None, 0, 1)
    return version


def restrict_files(readable: list[str], folder: Path) -> bool:
    """Let this process and its children read `readable` and the system, and write in two folders only."""
    version = landlock()
    rights = (1 << RIGHTS.get(version, 16)) - 1
    attributes = struct.pack("QQQ", rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _libc().syscall(LANDLOCK_CREATE, attributes, size, 0)
    reading = EXECUTE | READ_FILE | READ_DIR
    allowed = dict.fromkeys((*SYSTEM, *readable, str(folder / "input")), reading)
    allowed |= {str(folder / name): rights & ~EXECUTE for name in ("output", "tmp")}
    allowed["/dev/null"] = READ_FILE | WRITE_FILE
    for path, access in allowed.items():
        try:
            at = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        within = access & rights if os.path.isdir(path) else access & rights & OF_FILES
        _libc().syscall(LANDLOCK_ADD, rules, 1, struct.pack("=Qi", within, at), 0)
        os.close(at)
    done: int = _libc().syscall(LANDLOCK_RESTRICT, rules, 0)
    os.close(rules)
    return done == 0


def refuse_calls() -> bool:
    """Refuse the system calls of `REFUSED_CALLS`; a call of another architecture ends the program."""
    if platform.machine() not in REFUSED_CALLS:
        return False
    architecture, calls = REFUSED_CALLS[platform.machine()]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    kill, refuse, allow = 0x80000000, 0x00050000 | 13, 0x7FFF0000
    n = len(calls)
    program = [  # what to do, how many lines to skip where it holds and where not, with which number
        (load, 0, 0, 4),
        (equal, 1, 0, architecture),
        (give, 0, 0, kill),
        (load, 0, 0, 0),
        (at_least, n + 1, 0, 0x40000000),
        *((equal, n - i, 0, call) for i, call in enumerate(calls)),
        (give, 0, 0, allow),
        (give, 0, 0, refuse),
    ]
    filters = b"".join(struct.pack("HBBI", *line) for line in program)
    kept = ctypes.create_string_buffer(filters, len(filters))
    whole = struct.pack("HxxxxxxP", len(program), ctypes.addressof(kept))
    return prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(whole, len(whole)))


def threads_of(user: int) -> int:
    """The threads of all processes of a user."""
    n_threads = 0
    for pid in pids():
        try:
            if os.stat(f"/proc/{pid}").st_uid == user:
                n_threads += int(_stat(pid)[17])
        except OSError:
            continue
    return n_threads


def pids() -> list[int]:
    """The processes of the system; none where it does not list them."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _stat(pid: int) -> list[bytes]:
    """State, parent and what follows in the status of a process."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def descendants() -> Iterator[int]:
    """The processes below this one that have not ended."""
    parents: dict[int, list[int]] = {}
    for pid in pids():
        try:
            state, parent, *_ = _stat(pid)
        except (OSError, ValueError):
            continue
        if state not in b"ZX":
            parents.setdefault(int(parent), []).append(pid)
    below = [os.getpid()]
    while below:
        found = parents.get(below.pop(), [])
        below += found
        yield from found


def resident(pid: int) -> int:
    """The memory of a process in bytes, 0 where it has ended."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def sizes(*folders: Path) -> Iterator[int]:
    """The size of every file and folder below some folders, in bytes."""
    for folder in folders:
        for where, _, names in os.walk(folder):
            for name in names:
                try:
                    yield os.lstat(os.path.join(where, name)).st_size
                except OSError:
                    yield 0
            yield 0


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: Any, more: Any = 0) -> bool:
    done: int = _libc().prctl(option, value, more, 0, 0)
    return done == 0


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
