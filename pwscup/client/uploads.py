# SPDX-License-Identifier: Apache-2.0
"""Files to submit: paths, bytes, frames, arrays and results of the library as the bytes that a round takes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwscup.client.errors import FileError, Problem
from scoring.catalogs import hint

if TYPE_CHECKING:
    from pwscup.client.answers import FileRule

SUFFIXES = {
    "text/csv": ".csv",
    "application/zip": ".zip",
    "application/pdf": ".pdf",
    "application/json": ".json",
}
_TYPES = {suffix: media for media, suffix in SUFFIXES.items()}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to submit: the field of the form, its name, and its bytes."""

    key: str
    name: str
    data: bytes

    @property
    def content_type(self) -> str:
        """The media type by its name."""
        return _TYPES.get(Path(self.name).suffix.lower(), "application/octet-stream")


def read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a local file.

    Raises
    ------
    FileError
        Where it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        shown = os.fspath(path)
        raise FileError(
            [Problem("file.unreadable", f"cannot read {shown}: {error.strerror}", file=str(shown))]
        ) from error


def bytes_of(given: Any, kind: str, where: str) -> tuple[str, bytes]:
    """The name and the bytes of what was given for a file of some kind.

    Parameters
    ----------
    given : path, bytes, DataFrame, array of int, or a result of the library
        Rows and guesses as arrays count from 0, and -1 is no guess, as everywhere in the library.
    kind : str
        Of the file, as the rules name it.
    where : str
        The key of the file, for its name and for errors.
    """
    if isinstance(given, str | os.PathLike):
        return Path(given).name, read(given)
    if isinstance(given, bytes | bytearray | memoryview):
        return "", bytes(given)
    if _is_frame(given):
        from scoring.tables.frames import csv_of

        return "", csv_of(given)
    for name in ("file", "archive"):  # an anonymized table, a published series
        made = getattr(given, name, None)
        if callable(made):
            return "", bytes(made())
    guess = getattr(given, "guess", None)  # the guesses of an attack
    numbers = given if guess is None else guess
    write = _writers().get(kind)
    if write is None or not hasattr(numbers, "__len__"):
        expected = "a path, bytes or a frame" if write is None else "a path, bytes or integers"
        raise FileError(
            [
                Problem(
                    "file.type",
                    f"{where}: expected {expected} — got {type(given).__name__}",
                    field=where,
                )
            ]
        )
    return "", write(_integers(numbers, where))


def _is_frame(given: Any) -> bool:
    return callable(getattr(given, "to_csv", None)) and hasattr(given, "columns")


def _writers() -> Mapping[str, Callable[[Any], bytes]]:
    """The kinds of files that arrays of row numbers become."""
    from scoring.tables.number_lists import write_candidate_guess, write_guess, write_rows

    return {
        "row_numbers": write_rows,
        "guess": write_guess,
        "candidate_guess": write_candidate_guess,
    }


def _integers(given: Any, where: str) -> Any:
    import numpy as np

    found = np.asarray(given)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise FileError(
            f"{where}: expected one integer for each record — got {found.dtype} of shape {found.shape}"
        )
    return found


def uploads_of(rules: Sequence[FileRule], given: Mapping[str, Any]) -> list[Upload]:
    """The files of a submission by their keys.

    Raises
    ------
    FileError
        Where the round has no such file, or one that it needs is missing.
    """
    known = {rule.key: rule for rule in rules}
    for key in given:
        if key not in known:
            text = f"no file {key!r}{hint(key, known)} — the round takes {', '.join(known)}"
            raise FileError([Problem("file.unknown", text, field=key)])
    for rule in rules:
        if rule.is_required and rule.key not in given:
            text = f"{rule.key} is missing — {rule.title}: {rule.format}"
            raise FileError([Problem("file.missing", text, field=rule.key)])
    found = []
    for key, one in given.items():
        rule = known[key]
        name, data = bytes_of(one, rule.kind, key)
        found.append(Upload(key, name or f"{key}{SUFFIXES.get(rule.content_type, '')}", data))
    return found


def matched(rules: Sequence[FileRule], paths: Sequence[str]) -> dict[str, str]:
    """Each path by the key of the file that it is: named as `KEY=PATH`, called like the key, or in the rules' order.

    Raises
    ------
    FileError
        Where there are too many.
    """
    known = {rule.key: rule for rule in rules}
    found: dict[str, str] = {}
    rest = []
    for path in paths:
        key, equals, named = path.partition("=")
        stem = Path(path).stem.casefold()
        own = next((one for one in known if one.casefold() == stem and one not in found), None)
        if equals and key in known and not Path(path).exists():
            found[key] = named
        elif own is not None:
            found[own] = path
        else:
            rest.append(path)
    free = [rule for rule in rules if rule.key not in found]
    for path in rest:
        suffix = Path(path).suffix.lower()
        fitting = [rule for rule in free if SUFFIXES.get(rule.content_type) == suffix] or free
        if not fitting:
            takes = ", ".join(known) or "no files"
            text = f"one file too many — the round takes {takes} — got {path}"
            raise FileError([Problem("file.too_many", text, file=path)])
        found[fitting[0].key] = path
        free.remove(fitting[0])
    return found


def form_of(uploads: Sequence[Upload]) -> tuple[bytes, str]:
    """The files as a form, and its media type."""
    boundary = secrets.token_hex(16)
    parts = []
    for one in uploads:
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(one.key)}"; '
            f'filename="{_quoted(one.name)}"\r\nContent-Type: {one.content_type}\r\n\r\n'
        )
        parts += [head.encode(), one.data, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _quoted(text: str) -> str:
    """As browsers write names in the head of a part."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
