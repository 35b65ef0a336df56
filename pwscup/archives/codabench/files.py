# SPDX-License-Identifier: Apache-2.0
"""The files of a bundle: found below the folder of its competition.yaml, and read under limits."""

from __future__ import annotations

import hashlib
import io
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pwscup.archives.codabench.notes import BundleRefused, Note
from scoring.errors import Collector, Problem, ProblemsFound
from scoring.tables.archives import Archive, DamagedFile, Entry, Limits
from scoring.tables.text import visible

YAML_NAMES = ("competition.yaml", "competition.yml")
METADATA_NAMES = ("metadata.yaml", "metadata")
MIB = 1024 * 1024
MAX_FILES = 5_000
MAX_READ = 64 * MIB
"""Bytes that are unpacked of a bundle: its data are never read."""
MAX_TEXT = 256 * 1024
"""Bytes of a page."""
MAX_PROGRAM = 16 * MIB


class Unreadable(Exception):  # noqa: N818 — the file is at fault, not the program
    """A file of a bundle that is damaged or too large."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A program of a bundle: its files by their names, its metadata, and a digest."""

    names: tuple[str, ...]
    metadata: bytes | None
    sha256: str


@dataclass
class Files:
    """The files of an open bundle by their path below the folder of competition.yaml."""

    yaml_path: str
    entries: Mapping[str, Entry]
    left: int = field(default=MAX_READ)
    programs: dict[str, Folder | None] = field(default_factory=dict)

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def read(self, path: str, most: int = MAX_TEXT) -> bytes:
        """The bytes of a file; Unreadable where it is damaged, or larger than `most`."""
        pieces, size = [], 0
        most = min(most, self.left)
        try:
            for chunk in self.entries[path].chunks(most):
                size += len(chunk)
                pieces.append(chunk)
        except DamagedFile as error:
            raise Unreadable(path) from error
        self.left = max(0, self.left - size)
        if size > most:
            raise Unreadable(path)
        return b"".join(pieces)

    def program(self, path: str) -> Folder | None:
        """A folder, or an archive in the bundle, read once; None where there is neither."""
        if path not in self.programs:
            self.programs[path] = self._program(path)
        return self.programs[path]

    def _program(self, path: str) -> Folder | None:
        below = {
            name.removeprefix(f"{path}/"): name
            for name in self.entries
            if path == "." or name.startswith(f"{path}/")
        }
        if below:
            return self._folder(below)
        return self._archive(path) if path in self else None

    def _folder(self, below: Mapping[str, str]) -> Folder:
        metadata = next((below[name] for name in METADATA_NAMES if name in below), None)
        whole = hashlib.sha256()
        for name in sorted(below):
            whole.update(f"{name}\0".encode())
            whole.update(hashlib.sha256(self.read(below[name], MAX_PROGRAM)).digest())
        found = None if metadata is None else self.read(metadata)
        return Folder(tuple(sorted(below)), found, whole.hexdigest())

    def _archive(self, path: str) -> Folder:
        data, problems = self.read(path, MAX_PROGRAM), Collector()
        limits = Limits(MAX_FILES, MAX_PROGRAM, may_nest=True)
        try:
            with Archive(io.BytesIO(data), limits, name=path) as archive:
                entries = {entry.path: entry for entry in archive.files(problems)}
                metadata = _metadata(entries)
        except (ProblemsFound, DamagedFile) as error:
            raise Unreadable(path) from error
        if problems:
            raise Unreadable(path)
        names = tuple(sorted(map(visible, entries)))
        return Folder(names, metadata, hashlib.sha256(data).hexdigest())


def _metadata(entries: Mapping[str, Entry]) -> bytes | None:
    """The metadata of a program, in its archive or in one folder of it."""
    found = [path for path in entries if posixpath.basename(path) in METADATA_NAMES]
    if not found:
        return None
    path = min(found, key=lambda path: (path.count("/"), METADATA_NAMES.index(_base(path)), path))
    data = b"".join(entries[path].chunks(MAX_TEXT))
    return data if len(data) <= MAX_TEXT else None


def _base(path: str) -> str:
    return posixpath.basename(path)


@contextmanager
def opened(source: Path | IO[bytes], name: str) -> Iterator[Files]:
    """The files of a bundle, while it is open.

    Parameters
    ----------
    source : path or binary file
    name : str
        The name of the bundle in problems.

    Raises
    ------
    BundleRefused
        Where it is no archive that can be read safely, or has no competition.yaml.
    """
    problems = Collector()
    limits = Limits(MAX_FILES, MAX_READ, may_nest=True)
    try:
        with Archive(source, limits, name=name) as archive:
            entries = archive.files(problems)
            problems.raise_if_any()
            yield _files(entries, name)
    except ProblemsFound as found:
        raise BundleRefused(map(_note, found.problems)) from found


def _files(entries: list[Entry], name: str) -> Files:
    found = sorted(
        (entry.path for entry in entries if _base(entry.path).lower() in YAML_NAMES),
        key=lambda path: (path.count("/"), path),
    )
    nearest = [path for path in found if path.count("/") == found[0].count("/")]
    if not found:
        raise BundleRefused([Note("no_yaml", name)])
    if len(nearest) > 1:
        shown = ", ".join(map(visible, nearest))[:200]
        raise BundleRefused([Note("several_yaml", name, {"got": shown})])
    folder = posixpath.dirname(nearest[0])
    prefix = f"{folder}/" if folder else ""
    below = {
        entry.path.removeprefix(prefix): entry for entry in entries if entry.path.startswith(prefix)
    }
    return Files(nearest[0].removeprefix(prefix), below)


def plain_path(path: str) -> str | None:
    """A path of competition.yaml without what means nothing; None where it leads out of the bundle.

    Examples
    --------
    >>> [plain_path(path) for path in ("./a/b/", "a//b.md", "../b", "/etc/passwd")]
    ['a/b', 'a/b.md', None, None]
    """
    plain = posixpath.normpath(path)
    if "\\" in path or plain.startswith(("/", "../")) or plain == ".." or "\0" in path:
        return None
    return plain


def _note(problem: Problem) -> Note:
    got = str(problem.params.get("got", ""))
    where = f"{problem.file}, {got}" if got else str(problem.file)
    expected = problem.params.get("expected", "")
    return Note(problem.code, where, {"expected": str(expected)})
