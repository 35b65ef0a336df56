# SPDX-License-Identifier: Apache-2.0
"""Archives under limits, harmless names, and guess files matched to their targets."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from pwscup.core.files import names
from pwscup.core.files.names import plain_name
from pwscup.submissions.intake import uploads
from pwscup.submissions.intake.uploads import Part, matched, target_of, unpacked
from tests.zips import zipped

KILOBYTE = 1024
TARGETS = {"red": "Red", "blue": "Blue"}


def opened(data: bytes, max_bytes: int = KILOBYTE) -> list[Part]:
    return unpacked(SimpleUploadedFile("guesses.zip", data), max_bytes)


def refusals(data: bytes, max_bytes: int = KILOBYTE) -> dict[str, str]:
    """Codes with their messages."""
    with pytest.raises(ValidationError) as caught:
        opened(data, max_bytes)
    return {error.code: error.messages[0] for error in caught.value.error_list}


def part(name: str) -> Part:
    return Part(name, 4, lambda: [b"row\n"])


# Names


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ("y.csv", "y.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\y.csv", "y.csv"),
        ("a\x00b\r\n.csv", "ab.csv"),
        ("\u202egpj.csv", "gpj.csv"),
        ("..", "file"),
        ("", "file"),
        ("匿名加工.csv", "匿名加工.csv"),
    ],
)
def test_a_name_is_never_a_path(given, plain):
    assert plain_name(given) == plain


def test_a_long_name_keeps_its_suffix():
    name = plain_name("x" * 400 + ".csv")

    assert len(name) == names.MAX_NAME
    assert name.endswith("x.csv")


# Archives


def test_an_archive_gives_its_files_in_folders_and_without_what_macos_adds():
    data = zipped(
        ("out/", b""),
        ("out/red.csv", b"1\n2\n"),
        ("out/attack_blue.csv", b"3\n"),
        ("__MACOSX/out/._red.csv", b"junk"),
        (".DS_Store", b"junk"),
        ("out/.hidden/blue.csv", b"junk"),
    )

    parts = opened(data)

    assert [(p.name, p.size_bytes) for p in parts] == [
        ("out/red.csv", 4),
        ("out/attack_blue.csv", 2),
    ]
    assert b"".join(parts[0].chunks()) == b"1\n2\n"
    assert b"".join(parts[0].chunks()) == b"1\n2\n", "bytes can be had again"


def test_everything_that_is_wrong_with_an_archive_is_named_in_the_readers_language():
    data = zipped(
        ("../red.csv", b"1\n"), ("more/blue.zip", b""), ("big.csv", bytes(2000)), ("ok.csv", b"1\n")
    )

    assert refusals(data) == {
        "bundle.path": (
            "guesses.zip — a path that may lead out of the archive — expected file names, or folders "
            "with “/” between their names — got “../red.csv”"
        ),
        "bundle.nested": (
            "guesses.zip — another archive in the archive — expected CSV files — got “more/blue.zip”"
        ),
        "bundle.file_too_large": (
            "guesses.zip — a file in the archive is too large — expected at most 1024 B — got more in “big.csv”"
        ),
    }
    with translation.override("ja"):
        assert refusals(data)["bundle.nested"] == (
            "guesses.zip — アーカイブの中に別のアーカイブがあります — 期待：CSVファイル — 実際：「more/blue.zip」"
        )


def test_all_files_together_are_limited(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1500)

    assert set(refusals(zipped(*((f"t{n}.csv", b"0" * 800) for n in range(3))))) == {
        "bundle.too_large"
    }


def test_three_hundred_files_are_taken_and_one_more_is_not():
    names = [(f"t{n}.csv", b"1\n") for n in range(uploads.MAX_ENTRIES)]

    assert len(opened(zipped(*names))) == uploads.MAX_ENTRIES
    assert set(refusals(zipped(*names, ("one-more.csv", b"1\n")))) == {"bundle.too_many"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"not a zip", "bundle.broken"),
        (zipped(("folder/", b""), ("__MACOSX/x", b"y")), "bundle.empty"),
    ],
)
def test_what_holds_no_files_is_refused(data, code):
    assert set(refusals(data)) == {code}


# Targets


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("red.csv", "red"),
        ("attack_red.csv", "red"),
        ("RED.CSV", "red"),
        ("my/folder/attack_blue.csv", "blue"),
        ("red.xlsx", None),
        ("red", None),
        ("green.csv", None),
        ("red (1).csv", None),
    ],
)
def test_a_file_name_says_its_target(name, slug):
    assert target_of(name, TARGETS) == slug


def test_a_team_that_is_called_attack_something_is_met_by_its_own_name_first():
    assert target_of("attack_red.csv", ["red", "attack_red"]) == "attack_red"


def test_matched_files_are_given_by_target():
    red, blue = part("red.csv"), part("x/attack_blue.csv")

    assert matched([red, blue], TARGETS, own="green") == {"red": red, "blue": blue}


def test_everything_that_does_not_match_is_named_at_once():
    names = ["green.csv", "red.csv", "notes.txt", "a/blue.csv", "attack_blue.csv"]

    with pytest.raises(ValidationError) as caught:
        matched(map(part, names), TARGETS, own="green")

    own, unknown, twice = caught.value.messages
    assert "green.csv" in own
    assert "your own team" in own
    assert "notes.txt" in unknown
    assert "red.csv, blue.csv" in unknown
    assert "Blue" in twice
    assert "“a/blue.csv”, “attack_blue.csv”" in twice
