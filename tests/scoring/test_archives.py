# SPDX-License-Identifier: Apache-2.0
"""Zip archives from others: what is well made is read, and nothing that is broken or hostile is believed."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from scoring.errors import Collector, ProblemsFound
from scoring.tables import archives
from scoring.tables.archives import Archive, DamagedFile, Limits
from tests.zips import zipped, zipped_raw

ROOT = Path(__file__).parents[2]
KIB = 1024
LIMITS = Limits(n_files=10, n_bytes=100 * KIB)


def read(data: bytes, limits: Limits = LIMITS) -> tuple[dict[str, bytes], dict[str, list[str]]]:
    """The files by path, and codes of problems with what was found."""
    problems, found = Collector(), {}
    try:
        with Archive(io.BytesIO(data), limits, name="a.zip") as archive:
            for entry in archive.files(problems):
                pieces: list[bytes] = []
                size = archive.take(entry, problems, pieces.append)
                found[entry.path] = b"".join(pieces)
                assert size == len(found[entry.path])
    except ProblemsFound as refused:
        problems.extend(refused.problems)
    return found, named(problems)


def named(problems: Collector) -> dict[str, list[str]]:
    codes: dict[str, list[str]] = {}
    for problem in problems.problems:
        assert problem.file == "a.zip"
        assert problem.message
        got = problem.params.get("got", problem.params.get("expected", ""))
        codes.setdefault(problem.code.removeprefix("bundle."), []).append(str(got))
    return codes


def refused(data: bytes, limits: Limits = LIMITS) -> dict[str, list[str]]:
    return read(data, limits)[1]


def patched(data: bytes, fields: Iterable[tuple[bytes, int]], form: str, value: int) -> bytes:
    """The archive with a number written at an offset after the first of each signature."""
    changed = bytearray(data)
    for signature, offset in fields:
        struct.pack_into(form, changed, changed.index(signature) + offset, value)
    return bytes(changed)


OTHER_READERS = {
    # What a site sends, before it is written to somebody's folder:
    ROOT / "pwscup" / "client" / "downloads.py",
    # Files that the same module wrote:
    ROOT / "scoring" / "tables" / "coded.py",
}


def test_the_product_reads_zip_archives_of_people_in_one_place():
    sources = [path for folder in ("scoring", "pwscup") for path in (ROOT / folder).rglob("*.py")]
    assert len(sources) > 100
    reading = re.compile(r'\b(?:ZipFile|unpack_archive|is_zipfile)\((?!\w+, "w")')
    found = {path for path in sources if reading.search(path.read_text("utf-8"))}
    assert found - OTHER_READERS == {ROOT / "scoring" / "tables" / "archives.py"}
    assert found > OTHER_READERS


# Names


@pytest.mark.parametrize("encoding", ["cp932", "utf-8"])
@pytest.mark.parametrize("folder", ["表", "ソ", "能", "公開データ", "ａ～－"])
def test_names_of_no_declared_encoding_are_those_of_a_japanese_windows_or_of_macos(
    folder, encoding
):
    """In CP932 the second byte of 表, ソ and 能 is that of a backslash."""
    raw = zipped_raw(
        *((f"{folder}/{name}".encode(encoding), b"x") for name in ("1.csv", "2.zip", "../3.csv"))
    )
    assert read(raw) == (
        {f"{folder}/1.csv": b"x"},
        {"nested": [f"{folder}/2.zip"], "path": [f"{folder}/../3.csv"]},
    )


def test_a_declared_encoding_is_believed():
    data = zipped(("表/Å.csv", b"x"))
    assert read(data) == ({"表/Å.csv": b"x"}, {})


def test_bytes_of_no_encoding_are_a_name_all_the_same():
    found, problems = read(zipped_raw((b"\x80\x81 \xff/1.csv", b"x"), (b"a\\2.csv", b"x")))
    assert list(found.values()) == [b"x"]
    assert problems == {"path": ["a\\2.csv"]}


def test_by_products_are_passed_over():
    extra = ["a/", "表/", "__MACOSX/a/._1.csv", ".DS_Store", "a/.hidden/7.csv", "__MACOSX/1.csv"]
    extra += ["Thumbs.db", "a/desktop.ini", "表/Desktop.ini"]
    assert read(zipped(("a/1.csv", b"x"), *((name, b"") for name in extra))) == (
        {"a/1.csv": b"x"},
        {},
    )


@pytest.mark.parametrize(
    "path", ["/1.csv", "a/../1.csv", "../1.csv", "..\\1.csv", "C:1.csv", "c:/1.csv", "../.1.csv"]
)
def test_paths_that_lead_out_are_refused(path):
    entry = zipfile.ZipInfo("x")
    entry.filename = entry.orig_filename = path
    assert read(zipped((entry, b""))) == ({}, {"path": [path]})


def test_a_file_without_a_name_is_refused():
    data = zipped(("1.csv", b"x"))
    assert refused(data.replace(b"1.csv", b"\x00.csv")) == {"broken": [""]}
    nameless = patched(data, [(b"PK\x01\x02", 28)], "<H", 0)
    assert refused(patched(nameless, [(b"PK\x01\x02", 32)], "<H", 5)) == {"broken": [""]}


def test_a_long_or_unprintable_path_is_shown_by_its_end():
    [path] = refused(zipped(("\u202e" + "x" * 200 + "/a.zip", b"")))["nested"]
    assert path == "…" + "x" * (archives.MAX_SHOWN - 7) + "/a.zip"


# What cannot be read under limits


@pytest.mark.parametrize("suffix", ["zip", "GZ", "tar", "7z"])
def test_an_archive_in_an_archive_is_refused(suffix):
    assert refused(zipped((f"1.{suffix}", b"x"))) == {"nested": [f"1.{suffix}"]}


def test_an_encrypted_file_is_refused():
    data = patched(zipped(("1.csv", b"secret")), [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)], "<H", 1)
    assert refused(data) == {"encrypted": ["1.csv"]}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(method):
    assert refused(zipped(("1.csv", b"x" * KIB), method=method)) == {"compression": ["1.csv"]}


@pytest.mark.parametrize("cut", [slice(0), slice(-10), slice(10, None), slice(0, 30)])
def test_what_is_no_archive_is_refused(cut):
    data = zipped(("1.csv", b"1\n2\n3\n" * 50))[cut]
    assert set(refused(data)) <= {"broken", "broken_file"}
    assert refused(data)


def test_a_damaged_file_is_named_with_what_else_is_wrong():
    data = zipped(("1.csv", b"1234"), ("x.zip", b""), method=zipfile.ZIP_STORED)
    data = data.replace(b"1234", b"1235")
    assert refused(data) == {"nested": ["x.zip"], "broken_file": ["1.csv"]}
    with Archive(io.BytesIO(data), LIMITS, name="a.zip") as archive, pytest.raises(DamagedFile):
        list(archive.entries[0].chunks())


# Sizes and counts


def test_a_bomb_is_left_after_the_first_bytes_too_many():
    bomb = zipped(("1.csv", bytes(64 * KIB * KIB)))
    assert len(bomb) < 100 * KIB
    with Archive(io.BytesIO(bomb), LIMITS, name="a.zip") as archive:
        assert sum(map(len, archive.entries[0].chunks(20 * KIB))) <= archives.CHUNK
    assert refused(bomb) == {"too_large": ["102400 B"]}


def test_each_file_is_limited_and_named():
    data = zipped(("1.csv", bytes(KIB)), ("2.csv", bytes(KIB + 1)))
    limits = Limits(n_files=10, n_bytes=100 * KIB, file_bytes=KIB)
    assert refused(data, limits) == {"file_too_large": ["2.csv"]}


def test_all_files_together_are_limited():
    data = zipped(*((f"{n}.csv", bytes(40 * KIB)) for n in range(3)))
    assert refused(data) == {"too_large": ["102400 B"]}
    assert refused(data, Limits(n_files=3, n_bytes=120 * KIB)) == {}


def test_what_damaged_files_unpack_to_counts():
    """A wrong checksum at the end of each file would otherwise let any number of bytes be unpacked."""
    data = zipped(*((f"{n}.csv", bytes(80 * KIB)) for n in range(3)))
    for entry in zipfile.ZipFile(io.BytesIO(data)).infolist():
        data = data.replace(struct.pack("<I", entry.CRC), b"\1\2\3\4")
    assert refused(data) == {"broken_file": ["0.csv"], "too_large": ["102400 B"]}


def test_a_declared_size_is_not_believed():
    data = zipped(("1.csv", bytes(5000)))
    lying = patched(data, [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)], "<I", 10)
    assert set(refused(lying, Limits(n_files=1, n_bytes=100))) <= {"too_large", "broken_file"}
    assert refused(lying, Limits(n_files=1, n_bytes=100))


def test_many_files_are_refused_before_they_are_listed(monkeypatch):
    names = [f"{n}.csv" for n in range(11)]
    assert refused(zipped(*((name, b"") for name in names))) == {"too_many": ["10"]}
    hidden = zipped(*((f".{n}", b"") for n in range(51)))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert refused(hidden) == {"too_many": ["10"]}
