# SPDX-License-Identifier: Apache-2.0
"""Zip archives from others: the files in them, and their bytes under limits.

Nothing here trusts a path, a declared size or a declared count.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from scoring.errors import Collector, Problem, ProblemsFound
from scoring.tables.text import visible

CHUNK = 64 * 1024
MAX_SHOWN = 100
"""Characters of a path in a message."""
BY_PRODUCTS = 4
"""Folders, dot files and what macOS adds may be so many times the files that count."""
_MIB = 1024 * 1024
MAX_TABLES_BYTES = 256 * _MIB
"""The tables of an archive together, unpacked."""
_IS_ENCRYPTED, _IS_UTF8 = 0x1, 0x800  # among an entry's flags
_ENTRY_SIGNATURE = b"PK\x01\x02"
_ARCHIVES = frozenset({".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst", ".jar"})
# Other methods unpack a whole block in one step, so that counting comes too late.
_BY_PRODUCTS = frozenset({"", "thumbs.db", "desktop.ini"})  # in lower case; a folder has no name
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    UnicodeError,
    ValueError,
    OverflowError,
)


class DamagedFile(Exception):  # noqa: N818 — the archive is at fault, not the program
    """A file of an archive that cannot be unpacked."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of an archive: the number of its files, and their unpacked bytes, together and of each one.

    `by_products` says how many further entries there may be, in multiples of `n_files`. Archives among the files are
    a problem unless `may_nest` is true; they are files like any other then, and are not opened.
    """

    n_files: int
    n_bytes: int
    file_bytes: int | None = None
    by_products: int = BY_PRODUCTS
    may_nest: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an open archive."""

    path: str
    _info: zipfile.ZipInfo
    _archive: zipfile.ZipFile

    @property
    def shown(self) -> str:
        """The path as a message shows it: printable, and cut at the front, where folders are."""
        clean = visible(self.path)
        return clean if len(clean) <= MAX_SHOWN else "…" + clean[1 - MAX_SHOWN :]

    @property
    def declared_bytes(self) -> int:
        """The unpacked size that the archive claims."""
        return self._info.file_size

    @property
    def is_safe(self) -> bool:
        """True where the path stays inside the archive."""
        path = self.path
        return not (
            "\\" in path
            or path.startswith("/")
            or ".." in path.split("/")
            or re.match(r"[A-Za-z]:", path)
        )

    @property
    def is_by_product(self) -> bool:
        """True for a folder, and for what an operating system adds."""
        parts = self.path.split("/")
        is_hidden = any(p.startswith(".") or p == "__MACOSX" for p in parts)
        return is_hidden or parts[-1].lower() in _BY_PRODUCTS

    @property
    def packing(self) -> str | None:
        """The code of what is unusual about its packing; None where it can be read under a limit."""
        if self._info.flag_bits & _IS_ENCRYPTED:
            return "bundle.encrypted"
        return None if self._info.compress_type in _METHODS else "bundle.compression"

    def open(self) -> IO[bytes]:
        """The unpacked bytes as a stream, which raises its own errors."""
        return self._archive.open(self._info)

    def chunks(self, most: int | None = None) -> Iterator[bytes]:
        """The unpacked bytes, up to the first piece with which there are more than `most`.

        Raises
        ------
        DamagedFile
            Where they cannot be unpacked.
        """
        size = 0
        try:
            with self.open() as handle:
                while (most is None or size <= most) and (chunk := handle.read(CHUNK)):
                    size += len(chunk)
                    yield chunk
        except _BROKEN as error:
            raise DamagedFile(self.shown) from error


class Archive:
    """An open zip archive; `name` is what problems call it. To be closed, or used as a context.

    Parameters
    ----------
    source : path or binary file
    limits : Limits
    name : str

    Raises
    ------
    ProblemsFound
        Where it is no zip archive, a damaged one, or one that lists more than the limits allow.

    Examples
    --------
    >>> import io
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("my/guess.csv", "1")
    ...     archive.writestr("__MACOSX/my/._guess.csv", "")
    >>> problems = Collector()
    >>> with Archive(packed, Limits(n_files=10, n_bytes=1000), name="guesses.zip") as archive:
    ...     [(entry.path, archive.take(entry, problems)) for entry in archive.files(problems)]
    [('my/guess.csv', 1)]
    """

    def __init__(self, source: Path | IO[bytes], limits: Limits, *, name: str) -> None:
        self.name, self.limits = name, limits
        self._left = limits.n_bytes
        if _n_listed(source) > limits.n_files * (1 + limits.by_products):
            raise self._too_many()
        try:
            self._zip = zipfile.ZipFile(source)
        except _BROKEN as error:
            raise self._refused("bundle.broken") from error
        infos = self._zip.infolist()
        self.entries = tuple(Entry(_path(info), info, self._zip) for info in infos)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._zip.close()

    def files(self, problems: Collector) -> list[Entry]:
        """The files that can be read under the limits, without by-products; the others are noted as problems.

        Raises
        ------
        ProblemsFound
            Where there are more files than the limits allow, or entries without a name.
        """
        if not all(entry.path and "\0" not in entry.path for entry in self.entries):
            raise self._refused("bundle.broken")
        found = [entry for entry in self.entries if not (entry.is_safe and entry.is_by_product)]
        if len(found) > self.limits.n_files:
            raise self._too_many()
        readable = []
        for entry in found:
            if (code := _unreadable(entry, may_nest=self.limits.may_nest)) is None:
                readable.append(entry)
            else:
                problems.add(code, file=self.name, got=entry.shown)
        return readable

    def take(self, entry: Entry, problems: Collector, keep: Callable[[bytes], object] = len) -> int:
        """Give the bytes of a file to `keep`, piece by piece, and count them; its size.

        A file that is damaged or too large is noted as a problem.

        Raises
        ------
        ProblemsFound
            Where all files taken so far are too large together.
        """
        size, limit = 0, self.limits.file_bytes
        try:
            for chunk in entry.chunks(self._left if limit is None else min(limit, self._left)):
                size += len(chunk)
                keep(chunk)
        except DamagedFile:
            problems.add("bundle.broken_file", file=self.name, got=entry.shown)
        self._left -= size
        if limit is not None and size > limit:
            code, expected = "bundle.file_too_large", _size(limit)
            problems.add(code, file=self.name, expected=expected, got=entry.shown)
        elif self._left < 0:
            raise self._refused("bundle.too_large", expected=_size(self.limits.n_bytes))
        return size

    def _too_many(self) -> ProblemsFound:
        return self._refused("bundle.too_many", expected=self.limits.n_files)

    def _refused(self, code: str, **params: str | int) -> ProblemsFound:
        return ProblemsFound([Problem(code, params, self.name)])


def is_archive(data: bytes) -> bool:
    """True where a file begins as a zip archive does.

    Examples
    --------
    >>> is_archive(b"PK\\x03\\x04"), is_archive(b"name,age")
    (True, False)
    """
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def matched(
    names: Sequence[str],
    keys: Collection[str],
    problems: Collector,
    *,
    optional: Collection[str] = (),
    suffixes: Mapping[str, str] | None = None,
) -> dict[str, int]:
    """The position of the file `<key>.csv` of each table, in any folder and any case; `suffixes` are those of the keys
    that have another one.

    Files of other names, several of one table, and missing ones are noted as problems.

    Examples
    --------
    >>> problems = Collector()
    >>> matched(["my/A.csv", "c.csv"], ["a", "b"], problems)
    {'a': 0}
    >>> [str(problem) for problem in problems.problems]
    ['c.csv — a file of another name — expected a.csv, b.csv — got “c.csv”', 'a file is missing — expected b.csv']
    """
    file_names = {key: f"{key}.{(suffixes or {}).get(key, 'csv')}" for key in keys}
    by_name = {name.lower(): key for key, name in file_names.items()}
    found: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        last = PurePosixPath(name.lower()).name
        if last in by_name:
            found[by_name[last]].append(position)
        else:
            expected = ", ".join(file_names.values())
            problems.add("bundle.unknown", file=name, expected=expected, got=name)
    for key in keys:
        same = found.get(key, [])
        if len(same) > 1:
            got = ", ".join(f"“{names[at]}”" for at in same)
            problems.add("bundle.repeated", expected=file_names[key], got=got)
        elif not same and key not in optional:
            problems.add("bundle.missing", expected=file_names[key])
    return {key: found[key][0] for key in keys if key in found}


def unpacked(
    data: bytes, keys: Collection[str], *, file: str, optional: Collection[str] = ()
) -> dict[str, bytes]:
    """The tables of a zip archive by their key, in the order of `keys`.

    Raises
    ------
    ProblemsFound
        All that is wrong with the archive.
    """
    problems, limits = Collector(), Limits(max(len(keys), 1), MAX_TABLES_BYTES)
    with Archive(io.BytesIO(data), limits, name=file) as archive:
        entries, read = archive.files(problems), []
        for entry in entries:
            pieces: list[bytes] = []
            archive.take(entry, problems, pieces.append)
            read.append(b"".join(pieces))
        places = matched([e.path for e in entries], keys, problems, optional=optional)
    problems.raise_if_any()
    return {key: read[at] for key, at in places.items()}


def _n_listed(source: Path | IO[bytes]) -> int:
    """The number of entries at most, counted before the list is read into memory."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
        file.seek(0)
        pieces = iter(lambda: file.read(_MIB), b"")
        return sum(piece.count(_ENTRY_SIGNATURE) for piece in pieces)


def _path(info: zipfile.ZipInfo) -> str:
    """The path of an entry. Where it is not said to be UTF-8, it may be so all the same, or CP932.

    macOS writes the one and a Japanese Windows the other. In CP932 the second byte of some letters, as in 表, is
    that of a backslash.
    """
    path = info.orig_filename
    if info.flag_bits & _IS_UTF8 or path.isascii():
        return path
    for encoding in ("utf-8", "cp932"):
        with contextlib.suppress(UnicodeError):
            return path.encode("cp437").decode(encoding)
    return path


def _unreadable(entry: Entry, *, may_nest: bool) -> str | None:
    """The code of what keeps a file from being read under a limit."""
    if not entry.is_safe:
        return "bundle.path"
    if not may_nest and PurePosixPath(entry.path.lower()).suffix in _ARCHIVES:
        return "bundle.nested"
    return entry.packing


def _size(n_bytes: int) -> str:
    """A size as a message shows it.

    >>> _size(5_000_000), _size(1000)
    ('4.8 MiB', '1000 B')
    """
    return f"{round(n_bytes / _MIB, 1):g} MiB" if n_bytes >= _MIB else f"{n_bytes} B"
