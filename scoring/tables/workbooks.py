# SPDX-License-Identifier: Apache-2.0
"""Excel workbooks: the cells of one sheet as text, read by a process of its own under limits."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from scoring.errors import Problem, ProblemsFound, shorten
from scoring.tables import workbook_child
from scoring.tables.archives import MAX_TABLES_BYTES, Archive, DamagedFile, Limits

MAX_CELLS = 10_000_000
"""Records times columns of a raw table."""
MAX_MEMORY = 1536 * 1024 * 1024
"""Bytes of the process that reads a workbook."""
MAX_SECONDS = 60
_MAX_ENTRIES = 2_000
_FORMULAS = (b"<f>", b"<f ")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet as CSV text, and what is lost of it: merged cells keep the first one's value, formulas their results."""

    text: str
    name: str
    names: tuple[str, ...]
    n_merged: int
    n_formulas: int


def read_sheet(data: bytes, name: str = "", *, file: str) -> Sheet:
    """One sheet of an .xlsx workbook.

    Parameters
    ----------
    data : bytes
    name : str
        The first sheet where it is empty.
    file : str
        What problems call the file.

    Raises
    ------
    ProblemsFound
        Where the workbook is broken, has no such sheet, or is too large unpacked, in cells, memory or time.
    """
    n_formulas = _checked(data, file)
    answered = _run(data, name, file)
    head, _end, text = answered.partition("\n")
    try:
        found = json.loads(head)
    except ValueError:
        raise _refused("raw.workbook_broken", file) from None
    if found.get("error") == "raw.no_sheet":
        expected = shorten(", ".join(found["sheets"])) or "at least one sheet"
        raise _refused("raw.no_sheet", file, expected=expected, got=shorten(name))
    if found.get("error") == "raw.too_many_cells":
        raise _refused("raw.too_many_cells", file, expected=MAX_CELLS, got=found["got"])
    return Sheet(text, found["sheet"], tuple(found["sheets"]), found["merged"], n_formulas)


def _checked(data: bytes, file: str) -> int:
    """Unpack everything once under a limit, without keeping it; the number of formulas."""
    left, n_formulas = MAX_TABLES_BYTES, 0
    limits = Limits(_MAX_ENTRIES, MAX_TABLES_BYTES)
    try:
        with Archive(io.BytesIO(data), limits, name=file) as archive:
            for entry in archive.entries:
                if entry.packing is not None:
                    raise _refused("raw.workbook_broken", file)
                tail = b""
                for chunk in entry.chunks(left):
                    left -= len(chunk)
                    if entry.path.startswith("xl/worksheets/"):
                        piece = tail + chunk
                        n_formulas += sum(map(piece.count, _FORMULAS))
                        tail = piece[-2:]
                    if left < 0:
                        raise _refused("raw.too_large", file, expected=MAX_TABLES_BYTES >> 20)
    except DamagedFile:
        raise _refused("raw.workbook_broken", file) from None
    except ProblemsFound as error:
        if error.problems[0].code.startswith("bundle."):
            raise _refused("raw.workbook_broken", file) from None
        raise
    return n_formulas


def _run(data: bytes, name: str, file: str) -> str:
    """The output of the reading process."""
    numbers = map(str, (MAX_MEMORY, MAX_SECONDS, MAX_CELLS))
    command = [sys.executable, "-I", str(Path(workbook_child.__file__)), name, *numbers]
    environment = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 — the interpreter and a file of this package
            command,
            input=data,
            capture_output=True,
            timeout=2 * MAX_SECONDS,
            env=environment | {"PYTHONUTF8": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _refused("raw.too_large", file, expected=MAX_TABLES_BYTES >> 20) from None
    if done.returncode == 4:
        raise _refused("raw.workbook_broken", file)
    if done.returncode:  # no memory or time is left
        raise _refused("raw.too_large", file, expected=MAX_TABLES_BYTES >> 20)
    return done.stdout.decode("utf-8", "replace")


def _refused(code: str, file: str, **params: str | int) -> ProblemsFound:
    return ProblemsFound([Problem(code, params, file)])
