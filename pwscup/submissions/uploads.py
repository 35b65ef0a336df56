"""What a browser sends: names made harmless, archives unpacked under limits, guesses matched to their targets.

Nothing here trusts a path, a declared size or a declared count.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

CHUNK = 64 * 1024
MAX_NAME = 100
MAX_ENTRIES = 300
# Folders, dot files and what macOS adds to an archive come on top of the files that count.
MAX_LISTED = 4 * MAX_ENTRIES
MAX_UNPACKED_BYTES = 100 * 1024 * 1024
ENTRY_SIGNATURE = b"PK\x01\x02"
ARCHIVES = frozenset({".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst", ".jar"})
# Other methods unpack a whole block at once, so that counting comes too late.
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    UnicodeError,
    ValueError,
    OverflowError,
)
MAX_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Part:
    """One received file: its name for people, its counted size, and its bytes as often as asked for."""

    name: str
    size_bytes: int
    chunks: Callable[[], Iterable[bytes]]


def plain_name(name: str) -> str:
    """The last part of a file name without control and direction characters, shortened before its suffix."""
    last = re.split(r"[/\\]", name)[-1]
    clean = "".join(letter for letter in last if unicodedata.category(letter)[0] != "C").strip()
    path = PurePosixPath(clean.strip(". ") or "file")
    return path.stem[: MAX_NAME - len(path.suffix[:20])] + path.suffix[:20]


def limited(upload: UploadedFile, max_bytes: int) -> Part:
    """The upload as a part; ValidationError where it is larger than allowed."""
    if (upload.size or 0) > max_bytes:
        raise _too_large(plain_name(upload.name or ""), upload.size or 0, max_bytes)
    return Part(plain_name(upload.name or ""), upload.size or 0, upload.chunks)


def _too_large(name: str, size: int, max_bytes: int) -> ValidationError:
    return ValidationError(
        _("“%(name)s” is too large — expected at most %(expected)s — got %(got)s"),
        code="too_large",
        params={
            "name": name,
            "expected": filesizeformat(max_bytes),
            "got": filesizeformat(size),
        },
    )


# Archives


def is_zip(name: str) -> bool:
    """Whether a file calls itself a zip archive."""
    return name.lower().endswith(".zip")


def unpacked(upload: UploadedFile, max_bytes: int) -> list[Part]:
    """The files of a zip archive, each within `max_bytes`; ValidationError names what cannot be taken."""
    name = plain_name(upload.name or "")
    file = upload.file
    if file is None or _listed(file) > MAX_LISTED:
        raise _too_many(name)
    try:
        archive = zipfile.ZipFile(file)
    except BROKEN as error:
        raise _broken(name) from error
    entries = [entry for entry in archive.infolist() if not _ignored(name, entry)]
    if len(entries) > MAX_ENTRIES:
        raise _too_many(name)
    if not entries:
        raise ValidationError(_("“%(name)s” holds no files"), "empty_zip", {"name": name})
    return list(_parts(name, archive, entries, max_bytes))


def _listed(file: IO[bytes]) -> int:
    """How many entries an archive lists, counted before the listing is read into memory."""
    file.seek(0)
    count = sum(chunk.count(ENTRY_SIGNATURE) for chunk in iter(lambda: file.read(1 << 20), b""))
    file.seek(0)
    return count


def _ignored(archive_name: str, entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a folder or a by-product of an operating system; ValidationError for an unsafe path."""
    path = entry.orig_filename
    if not entry.filename:  # the standard library cannot even say whether it is a folder
        raise _broken(archive_name)
    parts = path.split("/")
    if "\\" in path or path.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", path):
        raise ValidationError(
            _(
                "“%(name)s” holds the path “%(path)s” — expected file names, or folders with “/” "
                "between their names, that stay inside the archive"
            ),
            "unsafe_path",
            {"name": archive_name, "path": _shown(path)},
        )
    return entry.is_dir() or any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _parts(
    name: str, archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], max_bytes: int
) -> Iterator[Part]:
    left = MAX_UNPACKED_BYTES
    for entry in entries:
        _check_kind(name, entry)
        size = _size(name, archive, entry, max_bytes, left)
        left -= size
        yield Part(_shown(entry.filename), size, lambda entry=entry: _chunks(archive, entry))


def _check_kind(name: str, entry: zipfile.ZipInfo) -> None:
    """Refuse what cannot be read under a limit: archives in archives, encryption, other compressions."""
    shown = {"name": name, "entry": _shown(entry.filename)}
    if PurePosixPath(entry.filename.lower()).suffix in ARCHIVES:
        raise ValidationError(
            _("“%(name)s” holds another archive, “%(entry)s” — expected CSV files"), "nested", shown
        )
    if entry.flag_bits & 0x1:
        raise ValidationError(
            _("“%(name)s” is encrypted (“%(entry)s”) — expected an archive without a password"),
            "encrypted",
            shown,
        )
    if entry.compress_type not in METHODS:
        raise ValidationError(
            _("“%(name)s” uses an unusual compression (“%(entry)s”) — expected “deflate” or none"),
            "compression",
            shown,
        )


def _size(
    name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, max_bytes: int, left: int
) -> int:
    """Count an entry's bytes while reading them, and stop at the first one too many."""
    size = 0
    try:
        for chunk in _chunks(archive, entry):
            size += len(chunk)
            if size > min(max_bytes, left):
                break
    except BROKEN as error:
        raise _broken(name, entry.filename) from error
    if size > max_bytes:
        raise ValidationError(
            _("“%(entry)s” in “%(name)s” is too large — expected at most %(expected)s — got more"),
            "too_large",
            {
                "name": name,
                "entry": _shown(entry.filename),
                "expected": filesizeformat(max_bytes),
            },
        )
    if size > left:
        raise ValidationError(
            _("“%(name)s” unpacks to too much — expected at most %(expected)s — got more"),
            "zip_too_large",
            {"name": name, "expected": filesizeformat(MAX_UNPACKED_BYTES)},
        )
    return size


def _chunks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(entry) as handle:
        while chunk := handle.read(CHUNK):
            yield chunk


def _too_many(name: str) -> ValidationError:
    return ValidationError(
        _("“%(name)s” holds too many files — expected at most %(expected)s"),
        "too_many_entries",
        {"name": name, "expected": MAX_ENTRIES},
    )


def _broken(name: str, entry: str = "") -> ValidationError:
    if entry:
        message = _("“%(entry)s” in “%(name)s” is damaged — pack the files again")
        return ValidationError(message, "broken_zip", {"name": name, "entry": _shown(entry)})
    message = _("“%(name)s” is not a zip archive, or a damaged one — pack the files again")
    return ValidationError(message, "broken_zip", {"name": name})


def _shown(path: str) -> str:
    """A path as a message shows it: printable, and cut at the front, where folders are."""
    clean = "".join(letter for letter in path if unicodedata.category(letter)[0] != "C")
    return clean if len(clean) <= MAX_NAME else "…" + clean[1 - MAX_NAME :]


# Guesses and their targets


def target_of(name: str, slugs: Iterable[str], *, own: str = "") -> str | None:
    """The team that a guess file's name says, in any folder.

    `<slug>.csv`, `attack_<slug>.csv`, or with `own` before it `team<own>_attack_team<slug>.csv`.
    """
    path = PurePosixPath(name.lower())
    if path.suffix != ".csv":
        return None
    known = set(slugs)
    stems = [path.stem, path.stem.removeprefix("attack_")]
    for prefix in (f"team{own}_attack_", f"{own}_attack_") if own else ():
        if path.stem.startswith(prefix):
            rest = path.stem.removeprefix(prefix)
            stems += [rest, rest.removeprefix("team")]
    return next((stem for stem in stems if stem in known), None)


def matched(
    parts: Iterable[Part],
    targets: Mapping[str, str],
    *,
    own: str = "",
    names: Iterable[str] | None = None,
) -> dict[str, Part]:
    """Each part by the slug of its target; ValidationError lists every part that fits none and every target met twice.

    `targets` are slugs and team names; `own` is the slug of the team that hands in, `names` what
    files are called in this contest.
    """
    names = list(names or [f"{slug}.csv" for slug in targets])
    found: dict[str, list[Part]] = defaultdict(list)
    errors: list[ValidationError] = []
    for part in parts:
        slug = target_of(part.name, [*targets, own], own=own)
        if slug in targets:
            found[slug].append(part)
        else:
            errors.append(_stray(part, names, own=slug is not None))
    errors += [_twice(targets[slug], same) for slug, same in found.items() if len(same) > 1]
    if errors:
        raise ValidationError(errors)
    return {slug: same[0] for slug, same in found.items()}


def _stray(part: Part, names: Sequence[str], *, own: bool) -> ValidationError:
    if own:
        message = _("“%(got)s” names your own team — expected guesses for the other teams' tables")
        return ValidationError(message, "own_table", {"got": part.name})
    shown = ", ".join(names[:MAX_NAMES_SHOWN]) + (", …" if len(names) > MAX_NAMES_SHOWN else "")
    message = _("“%(got)s” fits no target — expected one of %(expected)s")
    return ValidationError(message, "unknown_target", {"got": part.name, "expected": shown})


def _twice(team: str, parts: list[Part]) -> ValidationError:
    return ValidationError(
        _("several files for %(team)s — expected one — got %(got)s"),
        "repeated_target",
        {"team": team, "got": ", ".join(f"“{part.name}”" for part in parts)},
    )
