"""Archives under limits, harmless names, and guess files matched to their targets."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile

from pwscup.submissions import uploads
from pwscup.submissions.uploads import Part, matched, plain_name, target_of, unpacked

KILOBYTE = 1024
TARGETS = {"red": "Red", "blue": "Blue"}


def zipped(*entries: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=compression)
    return out.getvalue()


def opened(data: bytes, max_bytes: int = KILOBYTE) -> list[Part]:
    return unpacked(SimpleUploadedFile("guesses.zip", data), max_bytes)


def refusal(data: bytes, max_bytes: int = KILOBYTE) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        opened(data, max_bytes)
    return caught.value


def part(name: str) -> Part:
    return Part(name, 4, lambda: [b"row\n"])


def messages(error: ValidationError) -> str:
    return " | ".join(error.messages)


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

    assert len(name) == uploads.MAX_NAME
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


@pytest.mark.parametrize(
    "path", ["../red.csv", "a/../../red.csv", "/red.csv", "C:/red.csv", "a\\red.csv"]
)
def test_a_path_out_of_the_archive_is_refused_and_named(path):
    error = refusal(zipped((path, b"1\n")))

    assert error.code == "unsafe_path"
    assert path in messages(error)


def test_an_archive_in_an_archive_is_refused():
    error = refusal(zipped(("red.zip", zipped(("red.csv", b"1\n")))))

    assert error.code == "nested"
    assert "red.zip" in messages(error)


def test_a_bomb_is_left_after_the_first_byte_too_many(monkeypatch):
    bomb = zipped(("red.csv", b"0" * (64 * KILOBYTE * KILOBYTE)))
    assert len(bomb) < 100 * KILOBYTE
    read = []
    chunks = uploads._chunks

    def counting(archive, entry):
        for chunk in chunks(archive, entry):
            read.append(len(chunk))
            yield chunk

    monkeypatch.setattr(uploads, "_chunks", counting)

    error = refusal(bomb, max_bytes=20 * KILOBYTE)

    assert error.code == "too_large"
    assert "red.csv" in messages(error)
    assert sum(read) <= uploads.CHUNK


def test_a_declared_size_is_not_believed():
    data = bytearray(zipped(("red.csv", b"0" * 5000)))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(signature) + offset, 10)

    error = refusal(bytes(data), max_bytes=100)

    assert error.code in {"too_large", "broken_zip"}


def test_all_files_together_are_limited(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1500)

    error = refusal(zipped(*((f"t{n}.csv", b"0" * 800) for n in range(3))))

    assert error.code == "zip_too_large"


def test_three_hundred_files_are_taken_and_one_more_is_not():
    names = [(f"t{n}.csv", b"1\n") for n in range(uploads.MAX_ENTRIES)]

    assert len(opened(zipped(*names))) == uploads.MAX_ENTRIES
    assert refusal(zipped(*names, ("one-more.csv", b"1\n"))).code == "too_many_entries"


def test_a_huge_listing_is_refused_before_it_is_read(monkeypatch):
    data = zipped(*((f"__MACOSX/{n}", b"") for n in range(uploads.MAX_LISTED + 1)))
    monkeypatch.setattr(zipfile, "ZipFile", None)

    assert refusal(data).code == "too_many_entries"


def test_an_encrypted_archive_is_refused():
    data = bytearray(zipped(("red.csv", b"1\n")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1

    assert refusal(bytes(data)).code == "encrypted"


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(compression):
    assert refusal(zipped(("red.csv", b"1\n"), compression=compression)).code == "compression"


@pytest.mark.parametrize("cut", [0, 10, -10])
def test_a_broken_archive_is_refused(cut):
    data = zipped(("red.csv", b"1\n2\n3\n" * 50))
    broken = b"not a zip" if cut == 0 else data[cut:] if cut < 0 else data[:-cut]

    assert refusal(broken).code == "broken_zip"


def test_a_damaged_file_in_an_archive_is_named():
    data = bytearray(zipped(("red.csv", b"1\n2\n3\n"), compression=zipfile.ZIP_STORED))
    data[data.index(b"1\n2\n3\n")] = ord("9")

    error = refusal(bytes(data))

    assert error.code == "broken_zip"
    assert "red.csv" in messages(error)


def test_an_archive_without_files_is_refused():
    assert refusal(zipped(("folder/", b""), ("__MACOSX/x", b"y"))).code == "empty_zip"


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
