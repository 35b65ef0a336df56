# SPDX-License-Identifier: Apache-2.0
"""Zip archives of CSV files that are called by a letter and a number: T1.csv, T2.csv … or R1.csv, C1.csv …"""

from __future__ import annotations

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from scoring.errors import Collector, shorten
from scoring.tables.archives import Archive, Entry, Limits
from scoring.tables.text import marked, natural

MAX_TIMES = 100
"""Files of one letter."""
MAX_BYTES = 256 * 1024 * 1024
"""All files together, unpacked."""
_EPOCH = (1980, 1, 1, 0, 0, 0)

Parts = dict[str, dict[int, bytes]]
"""Files by letter and number."""
_Key = tuple[str, int]


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip archive that depends on the files only: sorted, without times, always compressed in the same way.

    Examples
    --------
    >>> data = pack({"R10.csv": b"b", "R2.csv": b"a"})
    >>> [entry.path for entry in Archive(io.BytesIO(data), Limits(2, 10), name="series").entries]
    ['R2.csv', 'R10.csv']
    >>> data == pack({"R2.csv": b"a", "R10.csv": b"b"})
    True
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files, key=natural):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every machine
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name], compresslevel=6)
    return out.getvalue()


def pack_for_people(files: Mapping[str, bytes]) -> bytes:
    """As `pack`; each file begins with a byte order mark, by which Excel recognises UTF-8.

    Examples
    --------
    >>> unpacked(pack_for_people({"T1.csv": b"age\\n20\\n"}), "T", file="tables")
    [b'\\xef\\xbb\\xbfage\\n20\\n']
    """
    return pack({name: marked(data) for name, data in files.items()})


def unpack(data: bytes, letters: str, *, file: str, n: int | None = None) -> Parts:
    """The files of an archive by letter and number.

    Names are matched in any folder and any case, with zeros before the number or without. Folders, dot files and
    what macOS adds are passed over.

    Parameters
    ----------
    data : bytes
    letters : str
        What file names may begin with. Of the first one there must be all numbers from 1 on.
    file : str
        What problems call the archive.
    n : int, optional
        The number of times; else the largest number of a file of the first letter.

    Returns
    -------
    dict
        For every letter the files by number, in order; no file of another letter than the first has a number above
        `n`.

    Raises
    ------
    ProblemsFound
        Where the archive is broken, too large, encrypted, or compressed unusually, holds a path that leads out of it,
        another archive, a file of another name, one name twice, or where a file is missing. All problems together,
        unless the archive itself cannot be read.

    Examples
    --------
    >>> found = unpack(pack({"my/R1.csv": b"a", "r02.CSV": b"b"}), "RC", file="series")
    >>> found
    {'R': {1: b'a', 2: b'b'}, 'C': {}}
    >>> unpack(pack({"R2.csv": b""}), "R", file="series")
    Traceback (most recent call last):
    scoring.errors.ProblemsFound: series — a file is missing — expected R1.csv
    """
    archive = Archive(io.BytesIO(data), Limits(len(letters) * MAX_TIMES, MAX_BYTES), name=file)
    problems = Collector()
    named = _named(archive, letters, n, problems)
    n = n or max((number for letter, number in named if letter == letters[0]), default=1)
    for key in [(letters[0], number) for number in range(1, n + 1)]:
        if key not in named:
            problems.add("bundle.missing", file=file, expected=_name(*key))
    for key in sorted(key for key in named if key[1] > n):
        expected = _names(letters, n)
        problems.add("bundle.unknown", file=file, expected=expected, got=_name(*key))
    found = {key: _bytes(archive, entry, problems) for key, entry in named.items()}
    problems.raise_if_any()
    parts: Parts = {letter: {} for letter in letters}
    for (letter, number), content in sorted(found.items()):
        parts[letter][number] = content
    return parts


def unpacked(data: bytes, letter: str, *, file: str) -> list[bytes]:
    """The files of an archive of one letter only, in order; see `unpack`.

    Examples
    --------
    >>> unpacked(pack(numbered("T", [b"a", b"b"])), "T", file="tables")
    [b'a', b'b']
    """
    return list(unpack(data, letter, file=file)[letter].values())


def numbered(letter: str, files: Sequence[bytes]) -> dict[str, bytes]:
    """Files by their names in an archive: a letter and a number from 1.

    Examples
    --------
    >>> numbered("T", [b"a", b"b"])
    {'T1.csv': b'a', 'T2.csv': b'b'}
    """
    return {_name(letter, number): data for number, data in enumerate(files, start=1)}


def _key(path: str, letters: str) -> _Key | None:
    """The letter and the number of a file's name; None where it has another form."""
    pattern = rf"([{letters}])0*([1-9][0-9]{{0,3}})\.csv"
    match = re.fullmatch(pattern, PurePosixPath(path).name, re.IGNORECASE | re.ASCII)
    return None if match is None else (match[1].upper(), int(match[2]))


def _name(letter: str, number: int) -> str:
    return f"{letter}{number}.csv"


def _names(letters: str, n: int | None) -> str:
    """The names that files may have."""
    return ", ".join(f"{letter}1.csv … {letter}{n or 'n'}.csv" for letter in letters)


def _named(archive: Archive, letters: str, n: int | None, problems: Collector) -> dict[_Key, Entry]:
    """The entries that count, by letter and number."""
    named: dict[_Key, list[Entry]] = defaultdict(list)
    expected = _names(letters, n)
    for entry in archive.files(problems):
        key = _key(entry.path, letters)
        if key is None or key[1] > (n or MAX_TIMES):
            problems.add("bundle.unknown", file=archive.name, expected=expected, got=entry.shown)
        else:
            named[key].append(entry)
    for key, same in sorted(named.items(), key=lambda item: item[0]):
        if len(same) > 1:
            got = shorten(", ".join(entry.shown for entry in same))
            problems.add("bundle.repeated", file=archive.name, expected=_name(*key), got=got)
    return {key: same[0] for key, same in named.items()}


def _bytes(archive: Archive, entry: Entry, problems: Collector) -> bytes:
    pieces: list[bytes] = []
    archive.take(entry, problems, pieces.append)
    return b"".join(pieces)
