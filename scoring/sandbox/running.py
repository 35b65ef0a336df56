# SPDX-License-Identifier: Apache-2.0
"""Runs a program on some files: from bytes to bytes, within limits."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

LAUNCHER = Path(__file__).with_name("launcher.py")
GRACE_SECONDS = 10
"""The launcher keeps the limits itself; after this time it is ended as well."""
NOBODY = 65534
MEBIBYTE = 1024 * 1024

PARTS = (
    "time",
    "cpu",
    "memory",
    "processes",
    "files",
    "children",
    "network",
    "reading",
    "user",
)
"""Parts of the sandbox: each is explained in “Own measures” of the documentation."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run.

    `seconds` of the wall clock; `cpu_seconds` of processor time for each process; `memory`, in bytes, for all
    processes together; `processes` at a time, threads of one process not counted; `output_bytes` for all files that are
    written, and again for what is printed; `files` are the most files and folders.
    """

    seconds: float = 60.0
    cpu_seconds: float = 60.0
    memory: int = 1024 * MEBIBYTE
    processes: int = 16
    output_bytes: int = 16 * MEBIBYTE
    files: int = 200


DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a run.

    `status` is the exit status, None where a signal ended the program; `exceeded` is the limit that did: "time", "cpu",
    "memory", "processes" or "output". `printed` is the end of what the program printed, and `files` are the regular
    files in its output folder by their names, none where a limit was exceeded.
    """

    status: int | None
    signal: int | None
    exceeded: str | None
    printed: str
    files: Mapping[str, bytes]
    enforced: Sequence[str]

    @property
    def ok(self) -> bool:
        """True if the program ended by itself with status 0."""
        return self.status == 0 and self.exceeded is None


def run(
    command: Sequence[str],
    inputs: Mapping[str, bytes],
    *,
    limits: Limits = DEFAULT,
    readable: Sequence[Path] = (),
) -> Finished:
    """A program's output files for its input files.

    The program gets an environment of its own, its working folder is new and holds `input` (read-only), `output` and
    `tmp`. Nothing of it is left when this function returns, child processes included.

    Parameters
    ----------
    command : sequence of str
        The absolute path of the program and its arguments, in which "{input}" and "{output}" stand for the two folders.
    inputs : mapping of str to bytes
        Files by their relative paths below `input`.
    limits : Limits
    readable : sequence of Path
        Files and folders that the program may read, in addition to the system's libraries and this Python.

    Raises
    ------
    OSError
        Where the folders cannot be made, or the launcher did not answer.
    ValueError
        Where a path of `inputs` leads out of its folder, or the command has no absolute path.
    """
    if not os.path.isabs(command[0]):
        raise ValueError("expected the absolute path of a program")
    with _folder(inputs) as folder:
        places = {name: str(folder / name) for name in ("input", "output")}
        task = {
            "command": [_filled(part, places) for part in command],
            "folder": str(folder),
            "readable": [*_python(), *map(str, readable)],
            "limits": asdict(limits),
            "user": NOBODY if _is_root() else None,
            "reads_all": not _others_read_python(),
            "parent": os.getpid(),
            "environment": _environment(folder),
        }
        answer = _launched(task, limits.seconds + GRACE_SECONDS)
        files = {} if answer["exceeded"] else dict(_outputs(folder / "output", limits))
        return Finished(**answer, files=files)


@cache
def enforcement() -> frozenset[str]:
    """Those of `PARTS` that hold on this machine, as a program experiences them; found by running one."""
    with tempfile.NamedTemporaryFile(prefix="pwscup-outside-") as outside:
        os.chmod(outside.name, 0o644)  # without the sandbox, a program could read it
        command = [sys.executable, "-I", "-S", "-c", PROBE, outside.name]
        done = run(command, {}, limits=Limits(seconds=20.0))
    found = set(done.enforced) if done.ok else set()
    refused = set(done.printed.split())
    return frozenset(
        found - {"network"} | {part for part in ("network", "reading") if part in refused}
    )


PROBE = """
import socket, sys
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
except OSError:
    print("network")
else:
    import os
    with open("/proc/net/dev") as file:
        interfaces = [line.split(":")[0].strip() for line in file if ":" in line]
    if interfaces == ["lo"] and os.access("/proc/self/ns/net", os.F_OK):
        print("network")
try:
    open(sys.argv[1]).close()
except OSError:
    print("reading")
"""
"""Reports what the program cannot do."""


def _filled(part: str, places: Mapping[str, str]) -> str:
    for name, path in places.items():
        part = part.replace("{" + name + "}", path)
    return part


def _launched(task: Mapping[str, object], seconds: float) -> dict[str, Any]:
    """The launcher's answer for a task."""
    command = [sys.executable, "-I", "-S", "-B", str(LAUNCHER), json.dumps(task)]
    try:
        done = subprocess.run(  # noqa: S603 — this file's own program
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            start_new_session=True,
            env={"LC_ALL": "C.UTF-8"},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError("the launcher of the sandbox did not answer") from error
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise OSError(f"the launcher of the sandbox failed: {last[:200]}") from error
    return answer


@contextmanager
def _folder(inputs: Mapping[str, bytes]) -> Iterator[Path]:
    """A new folder with the input files, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="pwscup-run-"))
    try:
        for name in ("input", "output", "tmp"):
            (folder / name).mkdir()
        for path, data in inputs.items():
            parts = PurePosixPath(path).parts
            if not parts or path.startswith("/") or ".." in parts:
                raise ValueError(f"expected a relative path, got {path!r}")
            target = folder.joinpath("input", *parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o444)
        if _is_root():
            for owned in (folder, folder / "output", folder / "tmp"):
                os.chown(owned, NOBODY, NOBODY)
        for where, _, _ in os.walk(folder / "input"):
            os.chmod(where, 0o555)  # noqa: S103 — the program's user reads it
        yield folder
    finally:
        for where, names, _ in os.walk(folder):  # a program may take away its own rights
            for found in (where, *(os.path.join(where, name) for name in names)):
                if not os.path.islink(found):
                    os.chmod(found, 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def _outputs(folder: Path, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """The regular files of the output folder; no link is followed."""
    left = limits.output_bytes
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            with _opened(path) as file:
                if file is None or (size := os.fstat(file).st_size) > left:
                    continue
                left -= size
                data = b""
                while len(data) < size and (part := os.read(file, size - len(data))):
                    data += part
                yield Path(path).relative_to(folder).as_posix(), data


@contextmanager
def _opened(path: str) -> Iterator[int | None]:
    """A regular file, opened; None for everything else."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield None
        return
    try:
        yield file if stat.S_ISREG(os.fstat(file).st_mode) else None
    finally:
        os.close(file)


def _environment(folder: Path) -> dict[str, str]:
    """The whole environment of a program: nothing of the platform's own, which holds its keys."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder / "tmp"),
        "TMPDIR": str(folder / "tmp"),
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _python() -> list[str]:
    """The folders of this Python and its packages."""
    return sorted({sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)})


def _is_root() -> bool:
    return hasattr(os, "getuid") and os.getuid() == 0


@cache
def _others_read_python() -> bool:
    """True if every user may start this Python."""
    ways = {Path(sys.executable), Path(sys.executable).resolve(), *map(Path, _python())}
    folders = {folder for way in ways for folder in (way, *way.parents)}
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
