"""Zip archives of CSV files that are called by a letter and a number: T1.csv, T2.csv … or R1.csv, C1.csv …

Nothing here trusts a path, a declared size or a declared count.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
import unicodedata
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from scoring.errors import Collector, Problem, ProblemsFound, shorten

MAX_TIMES = 100
"""Files of one letter."""
MAX_BYTES = 256 * 1024 * 1024
"""All files together, unpacked."""
_BY_PRODUCTS = 4  # folders, dot files and what macOS adds may be so many times the files that count
_CHUNK = 64 * 1024
_MIB = 1024 * 1024
_IS_UTF8 = 0x800  # among an entry's flags
_EPOCH = (1980, 1, 1, 0, 0, 0)
_ENTRY_SIGNATURE = b"PK\x01\x02"
_ARCHIVES = frozenset({".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst", ".jar"})
# Other methods unpack a whole block at once, so that counting comes too late.
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

Parts = dict[str, dict[int, bytes]]
"""Files by letter and number."""
_Key = tuple[str, int]


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip archive that depends on the files alone: sorted, without times, always compressed alike.

    Examples
    --------
    >>> data = pack({"R10.csv": b"b", "R2.csv": b"a"})
    >>> zipfile.ZipFile(io.BytesIO(data)).namelist()
    ['R2.csv', 'R10.csv']
    >>> data == pack({"R2.csv": b"a", "R10.csv": b"b"})
    True
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files, key=_natural):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every machine
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name], compresslevel=6)
    return out.getvalue()


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
        Where the archive is broken, too large, encrypted, or compressed unusually, holds a path that leads out of
        it, another archive, a file of another name, one name twice, or where a file is missing. All at once, unless
        the archive itself cannot be read.

    Examples
    --------
    >>> found = unpack(pack({"my/R1.csv": b"a", "r02.CSV": b"b"}), "RC", file="series")
    >>> found
    {'R': {1: b'a', 2: b'b'}, 'C': {}}
    >>> unpack(pack({"R2.csv": b""}), "R", file="series")
    Traceback (most recent call last):
    scoring.errors.ProblemsFound: series — a file is missing — expected R1.csv
    """
    archive = _opened(data, len(letters) * MAX_TIMES, file)
    problems = Collector()
    named = _named(archive, letters, n, file, problems)
    n = n or max((number for letter, number in named if letter == letters[0]), default=1)
    for key in [(letters[0], number) for number in range(1, n + 1)]:
        if key not in named:
            problems.add("bundle.missing", file=file, expected=_name(*key))
    for key in sorted(key for key in named if key[1] > n):
        expected = _names(letters, n)
        problems.add("bundle.unknown", file=file, expected=expected, got=_name(*key))
    found = _read(archive, named, file, problems)
    problems.raise_if_any()
    parts: Parts = {letter: {} for letter in letters}
    for (letter, number), content in sorted(found.items()):
        parts[letter][number] = content
    return parts


def unpacked(data: bytes, letter: str, *, file: str) -> list[bytes]:
    """The files of an archive that has those of one letter alone, in order; see `unpack`.

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


def is_archive(data: bytes) -> bool:
    """Whether a file begins as a zip archive does.

    Examples
    --------
    >>> is_archive(pack({"T1.csv": b""})), is_archive(b"name,age")
    (True, False)
    """
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Numbers in a name by their value, and before letters."""
    pieces = re.split(r"([0-9]+)", name)
    return [(0, int(p), p) if p.isascii() and p.isdigit() else (1, 0, p) for p in pieces]


def _opened(data: bytes, most_files: int, file: str) -> zipfile.ZipFile:
    if data.count(_ENTRY_SIGNATURE) > most_files * (1 + _BY_PRODUCTS):
        raise _refused("bundle.too_many", file, expected=most_files)
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as error:
        raise _refused("bundle.broken", file) from error


def _refused(code: str, file: str, **params: str | int | float) -> ProblemsFound:
    return ProblemsFound([Problem(code, params, file)])


def _path(entry: zipfile.ZipInfo) -> str:
    """The path of an entry. Where it is not said to be UTF-8, it may be so all the same, or Shift_JIS.

    In Shift_JIS the second byte of some letters, as in 表, is that of a backslash.
    """
    path = entry.orig_filename
    if entry.flag_bits & _IS_UTF8:
        return path
    for encoding in ("utf-8", "cp932"):
        with contextlib.suppress(UnicodeError):
            return path.encode("cp437").decode(encoding)
    return path


def _is_passed_over(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a folder or a by-product of an operating system."""
    parts = _path(entry).split("/")
    return _is_safe(entry) and (
        parts[-1] == "" or any(part.startswith(".") or part == "__MACOSX" for part in parts)
    )


def _is_safe(entry: zipfile.ZipInfo) -> bool:
    path = _path(entry)
    return bool(entry.filename) and not (
        "\\" in path
        or "\0" in path
        or path.startswith("/")
        or ".." in path.split("/")
        or re.match(r"[A-Za-z]:", path)
    )


def _unreadable(entry: zipfile.ZipInfo) -> str | None:
    """The code of what keeps a file from being read under a limit."""
    if not _is_safe(entry):
        return "bundle.path"
    if PurePosixPath(_path(entry).lower()).suffix in _ARCHIVES:
        return "bundle.nested"
    if entry.flag_bits & 0x1:
        return "bundle.encrypted"
    if entry.compress_type not in _METHODS:
        return "bundle.compression"
    return None


def _key(entry: zipfile.ZipInfo, letters: str) -> _Key | None:
    """The letter and the number of a file's name; None where it has another form."""
    pattern = rf"([{letters}])0*([1-9][0-9]{{0,3}})\.csv"
    name = PurePosixPath(_path(entry)).name
    match = re.fullmatch(pattern, name, re.IGNORECASE | re.ASCII)
    return None if match is None else (match[1].upper(), int(match[2]))


def _name(letter: str, number: int) -> str:
    return f"{letter}{number}.csv"


def _names(letters: str, n: int | None) -> str:
    """The names that files may have."""
    return ", ".join(f"{letter}1.csv … {letter}{n or 'n'}.csv" for letter in letters)


def _shown(entry: zipfile.ZipInfo) -> str:
    """A path as a message shows it."""
    path = _path(entry)
    return shorten("".join(letter for letter in path if unicodedata.category(letter)[0] != "C"))


def _named(
    archive: zipfile.ZipFile, letters: str, n: int | None, file: str, problems: Collector
) -> dict[_Key, zipfile.ZipInfo]:
    """The entries that count, by letter and number."""
    entries = [entry for entry in archive.infolist() if not _is_passed_over(entry)]
    if len(entries) > len(letters) * MAX_TIMES:
        raise _refused("bundle.too_many", file, expected=len(letters) * MAX_TIMES)
    named: dict[_Key, list[zipfile.ZipInfo]] = defaultdict(list)
    for entry in entries:
        key = _key(entry, letters)
        if (code := _unreadable(entry)) is not None:
            problems.add(code, file=file, got=_shown(entry))
        elif key is None or key[1] > (n or MAX_TIMES):
            problems.add(
                "bundle.unknown", file=file, expected=_names(letters, n), got=_shown(entry)
            )
        else:
            named[key].append(entry)
    for key, same in sorted(named.items(), key=lambda item: item[0]):
        if len(same) > 1:
            got = shorten(", ".join(_shown(entry) for entry in same))
            problems.add("bundle.repeated", file=file, expected=_name(*key), got=got)
    return {key: same[0] for key, same in named.items()}


def _read(
    archive: zipfile.ZipFile,
    entries: Mapping[_Key, zipfile.ZipInfo],
    file: str,
    problems: Collector,
) -> dict[_Key, bytes]:
    """Unpack, and count the bytes while doing it."""
    found: dict[_Key, bytes] = {}
    left = MAX_BYTES
    for key, entry in entries.items():
        try:
            found[key] = _bytes(archive, entry, left)
        except _BROKEN:
            problems.add("bundle.broken_file", file=file, got=_shown(entry))
            continue
        left -= len(found[key])
        if left < 0:
            raise _refused("bundle.too_large", file, expected=f"{MAX_BYTES // _MIB} MiB")
    return found


def _bytes(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    """The bytes of a file, or the first ones where there are more than `left`."""
    pieces: list[bytes] = []
    size = 0
    with archive.open(entry) as handle:
        while size <= left and (piece := handle.read(_CHUNK)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces)
