# SPDX-License-Identifier: Apache-2.0
"""Output of a command: results, problems, progress, and files that are written completely or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.catalogs import hint
from scoring.errors import Problem, ProblemsFound


class UsageError(Exception):
    """Wrong usage: a file is missing, a name is unknown, an option is invalid."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UnprintedError(Exception):
    """Standard output takes no more, for example because a disk is full."""


class Output:
    """Standard output for results, standard error for everything else."""

    def __init__(self, *, as_json: bool, progress: bool, command: str) -> None:
        self.as_json = as_json
        self.notes: list[Problem] = []
        """On the files that the command has read so far."""
        self._command = command
        self._is_terminal = sys.stderr.isatty()
        self._shows_progress = progress or self._is_terminal
        self._line_is_open = False

    def result(self, values: Mapping[str, Any], text: str) -> None:
        """Print a result: the values as JSON, or the text for people, with the notes on the files if there are any."""
        self._close_line()
        if self.notes:
            values = {**values, "notes": [_shown(note) for note in self.notes]}
            text = "\n".join([text, "", *(f"note: {note}" for note in self.notes)])
        _print(_json(values) if self.as_json else text)

    def rejected(self, error: ProblemsFound) -> None:
        """Print every problem of the submitted files."""
        self._close_line()
        shown = error.problems
        if self.as_json:
            values = {
                "problems": [_shown(problem) for problem in shown],
                "n_problems": error.n_total,
            }
            _print(_json(values))
            return
        noun = "problem" if error.n_total == 1 else "problems"
        cells = [
            (p.file or "", str(p.row or ""), p.column or "", f"{p.message}{_hint(p)}")
            for p in shown
        ]
        lines = [f"rejected: {error.n_total} {noun}\n"]
        lines.append(aligned([("file", "record", "column", "problem"), *cells]))
        if error.n_total > len(shown):
            lines.append(f"… and {error.n_total - len(shown)} more")
        _print("\n".join(lines))

    def wrong_use(self, error: UsageError) -> None:
        """Print a usage error on standard error."""
        self._close_line()
        messages = [f"{problem}{_hint(problem)}" for problem in error.problems] or [str(error)]
        for message in messages:
            self.note(f"error: {message}")
        if self.as_json:
            problems = [problem.to_dict() for problem in error.problems]
            values = {"error": "; ".join(messages), "problems": problems}
            _print(_json(values))

    def note(self, text: str) -> None:
        """A line on standard error."""
        self._close_line()
        print(f"python -m scoring {self._command}: {text}", file=sys.stderr)

    def step(self, text: str) -> None:
        """Progress: the step that is running."""
        if not self._shows_progress:
            return
        if self._is_terminal:
            print(f"\r\x1b[K{text} …", end="", file=sys.stderr, flush=True)
            self._line_is_open = True
        else:
            print(f"{text} …", file=sys.stderr, flush=True)

    def _close_line(self) -> None:
        if self._line_is_open:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._line_is_open = False


def _hint(problem: Problem) -> str:
    """A question that names similar names, for a problem about an unknown one."""
    if "unknown" not in problem.code:
        return ""
    params = problem.params
    got = params.get("got") or params.get("key") or params.get("option") or ""
    return hint(str(got), str(params.get("expected", "")).split(", "))


def _shown(problem: Problem) -> dict[str, Any]:
    return problem.to_dict() | {"message": problem.message}


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnprintedError(error.strerror) from error


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, indent=2)


def aligned(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Rows of cells as a table; the columns numbered in `right` are set flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def read_file(path: str) -> bytes:
    """The bytes of a file that the user named."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def check_writable(*paths: str | None, reads: Mapping[str, str | None] | None = None) -> None:
    """Refuse, before the work is done, to write where no file can be or two files at one place.

    `reads` has the files that the command reads, by their options: none of them is written over.
    """
    targets = [Path(os.path.realpath(path)) for path in paths if path is not None]
    readers = {os.path.realpath(path): name for name, path in (reads or {}).items() if path}
    for target in targets:
        try:
            _check_place(target)
        except OSError as error:
            raise UsageError(f"cannot write {target}: {error.strerror}") from error
        if (name := readers.get(str(target))) is not None:
            raise UsageError(f"cannot write {target}: {name} reads it")
    if len(set(targets)) < len(targets):
        raise UsageError(f"cannot write two files to {targets[-1]}")


def _check_place(target: Path) -> None:
    if target.is_dir():
        raise UsageError(f"cannot write {target}: it is a folder")
    if not target.parent.is_dir():
        raise UsageError(f"cannot write {target}: there is no folder {target.parent}")
    target.exists()  # for what it raises where the name is too long


def write_files(files: Mapping[str, bytes]) -> None:
    """Write all files or none: each next to its target first, and then renamed."""
    beside: dict[Path, Path] = {}
    target = Path()
    try:
        for path, data in files.items():
            target = Path(path).resolve()
            if target.exists() and not target.is_file():
                target.write_bytes(data)  # a device or a pipe has no place to rename to
            else:
                beside[target] = _write_beside(target, data)
        for target, temporary in beside.items():
            temporary.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    finally:
        for temporary in beside.values():
            temporary.unlink(missing_ok=True)


def _write_beside(target: Path, data: bytes) -> Path:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        # mkstemp keeps others out; what a command writes is as readable as any other file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def drawn_with(seed: int, measures: Iterable[str]) -> str:
    """The note below a table about values that are drawn at random."""
    return f"\n\ndrawn at random with seed {seed}: {', '.join(measures)}"
