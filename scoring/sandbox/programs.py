# SPDX-License-Identifier: Apache-2.0
"""Programs that an administrator allows as scorers: their list, and a run with the contract of Codabench's bundles.

A program finds what a team submitted in `input/res`, what it is compared with in `input/ref`, and writes `scores.json`,
an object of numbers, into the output folder. Exit status 0 is success. To reject a submission it writes
`rejected.json`, `{"message": "…"}`, with the name of a message of the ruleset.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeGuard

from scoring.errors import Collector, Problem, ProblemsFound, ScorerError, shorten
from scoring.sandbox.running import DEFAULT, MEBIBYTE, Limits, run

KEYS = ("command", "folder", "readable", "seconds", "memory_mb", "processes")
MOST_FILES, MOST_BYTES = 2_000, 100 * MEBIBYTE
"""Bounds of a program's own folder, which is read for its digest."""
SCORES, REJECTED = "scores.json", "rejected.json"


class ProgramError(ScorerError):
    """A program failed; the message holds nothing that the program printed."""

    def __init__(self, code: str, **params: str | int | float) -> None:
        super().__init__(f"program.{code}", **params)


@dataclass(frozen=True, slots=True)
class Program:
    """A program that rulesets may name.

    `command` begins with an absolute path; "{input}" and "{output}" in it stand for the two folders. `folder` holds the
    program's own files, which its digest covers; `readable` are further paths that it may read, such as libraries.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    readable: tuple[Path, ...] = ()
    limits: Limits = DEFAULT

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the command and of all files in the folder, with their names.

        Raises
        ------
        ProgramError
            Where a file cannot be read, and where the folder holds more than `MOST_FILES` or `MOST_BYTES`.
        """
        try:
            files = tuple(_stamped(self.name, self.folder))
            return _digest(self.command, self.folder, files)
        except OSError as error:
            raise ProgramError("unreadable", name=self.name) from error


def read_programs(text: str, *, file: str = "programs") -> dict[str, Program]:
    """The programs of a TOML file, a table for each name.

    Raises
    ------
    ProblemsFound
        Every key that is unknown, missing or has a value outside its domain.

    Examples
    --------
    >>> text = '[auc]\\ncommand = ["/opt/auc/score.py", "{input}", "{output}"]\\nfolder = "/opt/auc"\\nseconds = 20'
    >>> read_programs(text)["auc"].limits.seconds
    20.0
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Problem("toml.syntax", {"got": shorten(error, 200)}, file=file)
        raise ProblemsFound([problem]) from error
    problems = Collector()
    found = {name: _program(name, table, problems, file) for name, table in content.items()}
    problems.raise_if_any()
    return {name: program for name, program in found.items() if program is not None}


def scored(
    program: Program,
    values: Iterable[tuple[str, float, float | None]],
    messages: Mapping[str, Mapping[str, str]],
    *,
    submitted: Mapping[str, bytes],
    reference: Mapping[str, bytes],
) -> dict[str, float]:
    """The values that a program gives a submission, by their ids.

    Parameters
    ----------
    values : iterable of (id, low, high)
        The values that `scores.json` must have, each from low to high, both included; other keys are ignored.
    messages : mapping of str to mapping
        The texts for the team by their name; each has "en" and "ja".
    submitted, reference : mapping of str to bytes
        The files in `input/res` and `input/ref`.

    Raises
    ------
    ProblemsFound
        Where the program names one of the messages in `rejected.json`.
    ProgramError
        Where it fails: a limit, an exit status other than 0, or a result that is not as agreed.
    OSError
        Where the sandbox does not work.
    """
    inputs = {f"res/{name}": data for name, data in submitted.items()}
    inputs |= {f"ref/{name}": data for name, data in reference.items()}
    done = run(
        program.command,
        inputs,
        limits=program.limits,
        readable=[program.folder, *program.readable],
    )
    name = program.name
    if done.exceeded:
        raise ProgramError("limit", name=name, got=done.exceeded)
    if REJECTED in done.files:
        _reject(name, done.files[REJECTED], messages)
    if done.signal is not None:
        raise ProgramError("signal", name=name, got=done.signal)
    if done.status != 0:
        raise ProgramError("status", name=name, got=str(done.status))
    if SCORES not in done.files:
        raise ProgramError("no_result", name=name, expected=SCORES)
    content = _object(name, SCORES, done.files[SCORES])
    return {id_: _value(name, content, id_, low, high) for id_, low, high in values}


def _reject(program: str, data: bytes, messages: Mapping[str, Mapping[str, str]]) -> None:
    message = _object(program, REJECTED, data).get("message")
    if not isinstance(message, str) or message not in messages:
        raise ProgramError("no_message", name=program, file=REJECTED)
    texts = messages[message]
    params = {"got": texts["en"], "got_ja": texts["ja"]}
    raise ProblemsFound([Problem("program.rejected", params)])


def _object(program: str, file: str, data: bytes) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ProgramError("no_object", name=program, got=file)
    return content


def _value(
    program: str, content: Mapping[str, Any], id_: str, low: float, high: float | None
) -> float:
    value = content.get(id_)
    if not _is_number(value) or not _is_finite(value):
        raise ProgramError("no_number", name=program, file=SCORES, id=id_)
    if value < low or (high is not None and value > high):
        ends = {"low": f"{low:g}", "high": "∞" if high is None else f"{high:g}"}
        raise ProgramError("out_of_range", name=program, file=SCORES, id=id_, **ends)
    return float(value)


def _is_finite(value: float) -> bool:
    """False also for an integer that is larger than any number with a decimal point."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _program(name: str, table: object, problems: Collector, file: str) -> Program | None:
    def wrong(key: str, expected: str, got: object) -> None:
        params = {"key": f"{name}.{key}", "expected": expected, "got": shorten(got)}
        problems.extend([Problem("toml.wrong_value", params, file=file)])

    if not isinstance(table, dict):
        problems.add("toml.wrong_type", file=file, key=name, expected="a table", got=shorten(table))
        return None
    before = problems.n_total
    for key in table.keys() - set(KEYS):
        expected = ", ".join(KEYS)
        problems.add("toml.unknown_key", file=file, key=f"{name}.{key}", expected=expected)
    command = table.get("command")
    if not (_texts(command) and os.path.isabs(command[0])):
        wrong("command", "a list of texts, the first an absolute path", command)
    folder = table.get("folder")
    if not (isinstance(folder, str) and os.path.isabs(folder)):
        wrong("folder", "the absolute path of the program's own files", folder)
    readable = table.get("readable", [])
    if readable and not (_texts(readable) and all(map(os.path.isabs, readable))):
        wrong("readable", "a list of absolute paths", readable)
    numbers = {"seconds": (60, 3600), "memory_mb": (1024, 65536), "processes": (16, 256)}
    chosen = {key: table.get(key, default) for key, (default, _) in numbers.items()}
    for key, (_, most) in numbers.items():
        value = chosen[key]
        if not _is_number(value) or not 1 <= value <= most:
            wrong(key, f"a number from 1 to {most}", value)
    if problems.n_total > before or not isinstance(folder, str) or not _texts(command):
        return None
    limits = Limits(
        seconds=float(chosen["seconds"]),
        cpu_seconds=float(chosen["seconds"]),
        memory=int(chosen["memory_mb"]) * MEBIBYTE,
        processes=int(chosen["processes"]),
    )
    return Program(name, tuple(command), Path(folder), tuple(map(Path, readable)), limits)


def _texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)


def _stamped(program: str, folder: Path) -> Iterator[tuple[str, int, int]]:
    """Every file of a program by its relative path, with its size and the time of its last change."""
    n_files = n_bytes = 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or "__pycache__" in path.parts:
            continue
        found = path.stat()
        n_files, n_bytes = n_files + 1, n_bytes + found.st_size
        if n_files > MOST_FILES or n_bytes > MOST_BYTES:
            raise ProgramError("too_large", name=program, n=MOST_FILES, expected=MOST_BYTES)
        yield path.relative_to(folder).as_posix(), found.st_size, found.st_mtime_ns
    if not n_files:
        raise ProgramError("empty", name=program)


@lru_cache(maxsize=32)
def _digest(command: tuple[str, ...], folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    """Each file is read once, as long as neither its size nor its time changes."""
    whole = hashlib.sha256(json.dumps(command).encode())
    for name, _, _ in files:
        data = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        whole.update(json.dumps([name, data]).encode())
    return whole.hexdigest()
