# SPDX-License-Identifier: Apache-2.0
"""Archives of CSV files: what is packed comes back, and nothing that is broken or hostile is believed."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from scoring.errors import ProblemsFound
from scoring.formats.sequential import bundles
from scoring.formats.sequential.bundles import pack, unpack
from tests.zips import zipped, zipped_raw

FILES = {"R1.csv": b"a" * 300, "R2.csv": b"b,c\n", "C2.csv": b"", "N1.csv": b"group\n1\n"}


def found(data: bytes, letters: str = "RCND", n: int | None = None) -> dict[str, list[str]]:
    """What is wrong with an archive: codes with what they were found in or what was expected."""
    with pytest.raises(ProblemsFound) as refused:
        unpack(data, letters, file="series", n=n)
    problems: dict[str, list[str]] = {}
    for problem in refused.value.problems:
        assert problem.file == "series"
        assert problem.message
        params = problem.params
        told = params.get("got", params.get("expected", ""))
        problems.setdefault(problem.code.removeprefix("bundle."), []).append(str(told))
    return problems


def test_what_is_packed_comes_back():
    parts = unpack(pack(FILES), "RCND", file="series", n=2)
    assert parts == {
        "R": {1: FILES["R1.csv"], 2: FILES["R2.csv"]},
        "C": {2: b""},
        "N": {1: FILES["N1.csv"]},
        "D": {},
    }
    assert unpack(pack(FILES), "RCND", file="series") == parts


def test_an_archive_depends_on_its_files_only():
    data = pack(FILES)
    assert data == pack(dict(reversed(FILES.items())))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["C2.csv", "N1.csv", "R1.csv", "R2.csv"]
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    names = [f"T{n}.csv" for n in range(12, 0, -1)]
    with zipfile.ZipFile(io.BytesIO(pack(dict.fromkeys(names, b"")))) as archive:
        assert archive.namelist() == names[::-1]


@pytest.mark.parametrize("name", ["R1.csv", "r1.CSV", "R01.csv", "a/b/R1.csv", "a b/R0001.Csv"])
def test_names_are_matched_in_any_folder_and_case(name):
    assert unpack(zipped((name, b"x")), "R", file="series") == {"R": {1: b"x"}}


@pytest.mark.parametrize("encoding", ["cp932", "utf-8"])
@pytest.mark.parametrize("folder", ["表", "公開データ", "十二月の予定表"])
def test_folders_may_have_japanese_names_as_windows_writes_them(folder, encoding):
    data = zipped_raw((f"{folder}/R1.csv".encode(encoding), b"x"))
    assert unpack(data, "R", file="series") == {"R": {1: b"x"}}
    data = zipped_raw((f"{folder}/x.csv".encode(encoding), b"x"))
    assert found(data)["unknown"] == [f"{folder}/x.csv"]


@pytest.mark.parametrize(
    "name",
    [
        "R0.csv",
        "R1.txt",
        "R.csv",
        "R-1.csv",
        "R1.csv.csv",
        "X1.csv",
        "R1",
        "R１.csv",
        "R3.csv",
        "ſ1.csv",
    ],
)
def test_other_names_are_reported(name):
    data = zipped(("R1.csv", b""), ("R2.csv", b""), (name, b""))
    assert found(data, "RS", n=2) == {"unknown": [name]}


def test_everything_that_is_wrong_is_reported_together():
    data = zipped(
        ("R1.csv", b""),
        ("a/r01.csv", b""),
        ("R4.csv", b""),
        ("C3.csv", b""),
        ("notes.txt", b""),
        ("more.zip", b""),
        ("../R2.csv", b""),
    )
    assert found(data, n=4) == {
        "unknown": ["notes.txt"],
        "nested": ["more.zip"],
        "path": ["../R2.csv"],
        "repeated": ["R1.csv, a/r01.csv"],
        "missing": ["R2.csv", "R3.csv"],
    }
    assert found(zipped(("R2.csv", b""), ("N3.csv", b""))) == {
        "missing": ["R1.csv"],
        "unknown": ["N3.csv"],
    }
    assert found(zipped(("C1.csv", b""))) == {
        "missing": ["R1.csv"],
    }
    assert found(zipped()) == {"missing": ["R1.csv"]}


def test_all_files_together_are_limited(monkeypatch):
    monkeypatch.setattr(bundles, "MAX_BYTES", 1024 * 1024)
    assert found(zipped(("R1.csv", bytes(1024 * 1024)), ("R2.csv", b"x"))) == {
        "too_large": ["1 MiB"]
    }
    fine = zipped(("R1.csv", bytes(1024 * 1024)))
    assert len(unpack(fine, "R", file="series")["R"][1]) == 1024 * 1024


def test_many_files_are_refused_before_they_are_read():
    names = [f"R{n}.csv" for n in range(1, 102)]
    assert found(zipped(*((name, b"") for name in names)), "R") == {"too_many": ["100"]}
    hidden = [(f".{n}", b"") for n in range(501)]
    assert found(zipped(*hidden), "R") == {"too_many": ["100"]}


@pytest.mark.parametrize("data", [b"", b"name,age\n", b"PK\x03\x04", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_refused(data):
    assert set(found(data)) <= {"broken", "missing"}


def test_a_damaged_file_is_reported_next_to_the_others():
    data = bytearray(zipped(("R1.csv", b"abc" * 400), ("X.csv", b""), method=zipfile.ZIP_STORED))
    data[60] ^= 1
    assert found(bytes(data)) == {"unknown": ["X.csv"], "broken_file": ["R1.csv"]}


def test_whatever_is_broken_is_refused_and_nothing_else_happens():
    rng = np.random.default_rng(5)
    whole = np.frombuffer(pack(FILES), dtype=np.uint8)
    outcomes = set()
    for _ in range(1_500):
        data = whole.copy()
        at = rng.integers(len(data), size=rng.integers(1, 4))
        data[at] = rng.choice([0, 1, 2, 80, 127, 255, *rng.integers(0, 256, 6)], size=len(at))
        if rng.random() < 0.2:
            data = data[: rng.integers(len(data))]
        try:
            unpack(data.tobytes(), "RCND", file="series", n=2)
            outcomes.add("fine")
        except ProblemsFound as error:
            outcomes |= {problem.code for problem in error.problems}
    assert {"fine", "bundle.broken", "bundle.broken_file", "bundle.missing"} <= outcomes
