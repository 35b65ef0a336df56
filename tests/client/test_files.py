# SPDX-License-Identifier: Apache-2.0
"""Files of the client: tokens, downloads with hostile names, archives, uploads, and keys of open submissions."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import sys
import types
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import scoring
from pwscup.client import (
    Client,
    FileError,
    Kit,
    Refused,
    TokenError,
    UnsafeFileError,
    downloads,
    places,
    repeats,
    tokens,
    uploads,
)
from pwscup.client.answers import FileRule
from pwscup.client.cli.main import main
from pwscup.client.errors import UnreachableError
from pwscup.client.uploads import Upload
from scoring.examples import SCHEMA, table
from tests.client.fake import Reply, Site, as_json, running

TOKEN, SITE = "pwscup_secret", "https://cup.example.org"


# Tokens


class FakeKeyring(types.ModuleType):
    """A keyring in memory."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__("keyring")
        self.held: dict[tuple[str, str], str] = {}
        self.fails = fails

    def _use(self) -> None:
        if self.fails:
            raise RuntimeError("no recommended backend was available")

    def get_password(self, service: str, name: str) -> str | None:
        self._use()
        return self.held.get((service, name))

    def set_password(self, service: str, name: str, password: str) -> None:
        self._use()
        self.held[service, name] = password

    def delete_password(self, service: str, name: str) -> None:
        self._use()
        del self.held[service, name]


def test_a_token_is_kept_in_a_file_of_its_owner(home):
    place = tokens.keep(SITE, TOKEN)
    file = home / "tokens.json"
    assert str(file) in place
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert tokens.kept_token(SITE) == TOKEN
    assert tokens.default_site() == SITE
    assert tokens.kept_token("https://other.example.org") is None
    file.chmod(0o644)
    assert tokens.kept_token(SITE) == TOKEN
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert tokens.forget(SITE)
    assert tokens.kept_token(SITE) is None
    assert not tokens.forget(SITE)


def test_a_token_is_kept_in_the_keyring_where_there_is_one(home, monkeypatch):
    keyring = FakeKeyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert tokens.keep(SITE, TOKEN) == tokens.KEYRING
    assert not (home / "tokens.json").exists()
    assert tokens.kept_token(SITE) == TOKEN
    assert tokens.keep(SITE, TOKEN, in_keyring=False) != tokens.KEYRING
    assert keyring.held == {}
    assert tokens.forget(SITE)


def test_a_keyring_that_fails_is_replaced_by_the_file(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", FakeKeyring(fails=True))
    assert "only you can read" in tokens.keep(SITE, TOKEN)
    assert tokens.kept_token(SITE) == TOKEN


def test_the_token_of_the_environment_is_for_its_site(monkeypatch):
    monkeypatch.setenv(tokens.TOKEN, TOKEN)
    assert tokens.token_for(SITE) == TOKEN
    assert tokens.token_for(SITE, is_trusted=False) is None
    monkeypatch.setenv(tokens.URL, f"{SITE}/")
    assert tokens.token_for(SITE, is_trusted=False) == TOKEN
    assert tokens.token_for("https://other.example.org") is None


def test_a_folder_of_somebody_else_gets_no_token(tmp_path, monkeypatch, capsys):
    """Its file names a site of its own."""
    with running(Site(as_json([]))) as thief:
        Kit(tmp_path, thief.url, "cup").save()
        monkeypatch.setenv(tokens.TOKEN, TOKEN)
        monkeypatch.chdir(tmp_path)
        assert main(["status"]) == 2
        assert thief.asked == []
    assert "no token for" in capsys.readouterr().err


def test_without_a_site_or_a_token_it_says_what_to_do():
    with pytest.raises(TokenError, match="no site"):
        Client()
    with pytest.raises(
        TokenError, match=r"create one on https://cup\.example\.org/account/tokens/"
    ):
        Client(SITE)


def test_a_folder_that_cannot_be_written(home, capsys):
    home.write_text("a file in place of the folder")
    with pytest.raises(FileError, match="cannot"):
        tokens.keep(SITE, TOKEN)


# Downloads

HOSTILE = [
    "../evil",
    "..\\evil",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "C:evil",
    ".bashrc",
    "..",
    "",
    "-rf",
    "~x",
    "nul",
    "con.csv",
    "COM1",
    "a\nb",
    "a\x00b",
    "a\x1b[2J",
    "a.",
    "a ",
    "a" * 200,
    "a\u202ecsv.exe",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(UnsafeFileError, match="must not be written"):
        downloads.checked_name(name)


@pytest.mark.parametrize("name", ["demo-running-original.csv", "チーム青.csv", "a b.csv", "a..b"])
def test_plain_names_are_kept(name):
    assert downloads.checked_name(name) == name


def contest_site(files: list[dict], contents: dict[str, Reply]) -> Site:
    """A site with one contest and these files."""
    info = {"slug": "cup", "title": "Cup", "state": "running", "summary": "", "team": None}
    info |= {"terms_accepted": True, "rounds": []}
    routes = {
        "/contests/cup": as_json(info),
        "/contests/cup/files": as_json(files),
        "/contests/cup/materials": as_json([]),
        "/contests/cup/rules.toml": Reply(200, b"rules", media="application/toml"),
        **contents,
    }
    return Site(by=lambda r: routes.get(r.path.removeprefix("/api/v1"), Reply(404)))


def listed(name: str, **fields: object) -> dict:
    return {"name": name, "key": "original", "is_available": True, "file_name": name, **fields}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_site_writes_nothing_outside_of_the_folder(name, tmp_path):
    folder = tmp_path / "in" / "cup"
    for file in (listed("original.csv", file_name=name), listed(name, file_name="original.csv")):
        if not file["file_name"]:
            continue
        with running(contest_site([file], {})) as site, pytest.raises(UnsafeFileError):
            Client(site.url, TOKEN).contest("cup").download(folder)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_damaged_download_is_not_kept(tmp_path):
    right = hashlib.sha256(b"table").hexdigest()
    content = {"/contests/cup/files/original.csv": Reply(200, b"other", media="text/csv")}
    with (
        running(contest_site([listed("original.csv", sha256=right)], content)) as site,
        pytest.raises(UnsafeFileError, match="damaged on its way"),
    ):
        Client(site.url, TOKEN).contest("cup").download(tmp_path / "cup")
    assert list((tmp_path / "cup").iterdir()) == []


def test_a_file_of_ones_own_is_not_replaced(tmp_path):
    content = {"/contests/cup/files/original.csv": Reply(200, b"table", media="text/csv")}
    with running(contest_site([listed("original.csv")], content)) as site:
        contest = Client(site.url, TOKEN).contest("cup")
        kit = contest.download(tmp_path / "cup")
        assert kit.path("original").read_bytes() == b"table"
        contest.download(kit.folder)
        kit.path("original").write_bytes(b"mine")
        with pytest.raises(FileError, match=r"original\.csv\.new"):
            contest.download(kit.folder)
        assert kit.path("original").read_bytes() == b"mine"
        contest.download(kit.folder, overwrite=True)
        assert kit.path("original").read_bytes() == b"table"


def packed(*entries: tuple[str, bytes], link: bool = False) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            if link:
                info.external_attr = 0o120777 << 16
            archive.writestr(info, data)
    return found.getvalue()


@pytest.mark.parametrize(
    "name", ["../a.csv", "/a.csv", "x/../../a.csv", "..\\a.csv", "C:\\a.csv", "x/.a", "nul"]
)
def test_archives_stay_in_their_folder(name):
    with pytest.raises(UnsafeFileError, match="must not be written"):
        downloads.unpacked(packed((name, b"x")))


def test_archives_are_bounded(monkeypatch):
    assert downloads.unpacked(packed(("x/a.csv", b"1"), ("b.csv", b"2"))) == {
        "a.csv": b"1",
        "b.csv": b"2",
    }
    with pytest.raises(UnsafeFileError, match="must not be written"):
        downloads.unpacked(packed(("a.csv", b"/etc/passwd"), link=True))
    with pytest.raises(UnsafeFileError, match="two files"):
        downloads.unpacked(packed(("x/a.csv", b"1"), ("y/A.csv", b"2")))
    for broken in (b"", b"PK", packed(("a.csv", b"1" * 500))[:300]):
        with pytest.raises(UnsafeFileError, match="damaged"):
            downloads.unpacked(broken)
    monkeypatch.setattr(downloads, "MAX_BYTES", 10)
    with pytest.raises(UnsafeFileError, match="too large"):
        downloads.unpacked(packed(("a.csv", b"1" * 11)))
    monkeypatch.setattr(downloads, "MAX_FILES", 1)
    with pytest.raises(UnsafeFileError, match="too many"):
        downloads.unpacked(packed(("a.csv", b"1"), ("b.csv", b"2")))


# Uploads


def rule(key: str, kind: str, media: str = "text/csv", *, required: bool = True) -> FileRule:
    return FileRule(key, key.title(), kind, "in words", media, required)


TABLE = (rule("anonymized", "table"), rule("rows", "row_numbers", required=False))


def test_whatever_is_given_becomes_the_bytes_of_a_file(tmp_path):
    made = scoring.anonymize(table("original"), "mondrian", SCHEMA, k=2, seed=1)
    assert uploads.bytes_of(made, "table", "anonymized")[1] == made.file()
    (tmp_path / "y.csv").write_bytes(b"1")
    assert uploads.bytes_of(tmp_path / "y.csv", "table", "y") == ("y.csv", b"1")
    assert uploads.bytes_of(b"2", "table", "y") == ("", b"2")
    frame = pd.DataFrame({"id": [1], "guess": ["x"], "file": [2]})
    assert uploads.bytes_of(frame, "value_guess", "g")[1] == b"id,guess,file\n1,x,2\n"
    assert uploads.bytes_of([0, -1], "row_numbers", "rows")[1] == b"row\n1\n0\n"
    assert uploads.bytes_of(np.array([0, -1]), "candidate_guess", "guess")[1] == b"1\n0\n"
    guesses = scoring.attack(table("original"), made, "EUC2", SCHEMA, seed=1)
    assert uploads.bytes_of(guesses, "guess", "guess")[1].startswith(b"row\n")
    for wrong in (1.5, None, object()):
        with pytest.raises(FileError, match="expected"):
            uploads.bytes_of(wrong, "guess", "guess")
    with pytest.raises(FileError, match="one integer for each record"):
        uploads.bytes_of([0.5], "guess", "guess")


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["y.csv", "r.csv"], {"anonymized": "y.csv", "rows": "r.csv"}),
        (["rows.csv", "y.csv"], {"rows": "rows.csv", "anonymized": "y.csv"}),
        (["rows=y.csv", "anonymized=r.csv"], {"rows": "y.csv", "anonymized": "r.csv"}),
        (["a/Anonymized.csv"], {"anonymized": "a/Anonymized.csv"}),
    ],
)
def test_paths_are_matched_with_the_files_of_a_round(paths, found):
    assert uploads.matched(TABLE, paths) == found


def test_a_file_too_many_is_named():
    with pytest.raises(FileError, match=r"one file too many.*got c\.csv"):
        uploads.matched(TABLE, ["a.csv", "b.csv", "c.csv"])
    model = (rule("synthetic", "synthetic_table"), rule("model", "model", "application/json"))
    assert uploads.matched(model, ["m.json", "s.csv"]) == {"model": "m.json", "synthetic": "s.csv"}


def test_missing_files_are_named_before_anything_is_sent():
    with pytest.raises(FileError, match="anonymized is missing"):
        uploads.uploads_of(TABLE, {"rows": b"1"})


def test_names_in_a_form_cannot_leave_their_place():
    body, media = uploads.form_of([Upload("a", 'x"\r\nY: z.csv', b"1")])
    assert media.startswith("multipart/form-data; boundary=")
    assert b'filename="x%22%0D%0AY: z.csv"' in body


# Keys of submissions


def key_of(error: type[Exception] | None = None, data: bytes = b"1") -> str:
    found = ""
    try:
        with repeats.key_for(["site", "round"], [Upload("a", "a.csv", data)]) as found:
            if error is not None:
                raise error("x") if error is not Refused else Refused(409, [], 0)
    except (UnreachableError, Refused):
        pass
    return found


def test_a_key_lasts_until_the_site_has_answered(home):
    assert key_of() != key_of()
    lost = key_of(UnreachableError)
    assert key_of(data=b"2") != lost
    assert key_of(UnreachableError) == lost
    assert key_of() == lost
    assert key_of() != lost
    lost = key_of(UnreachableError)
    assert key_of(Refused) == lost
    assert key_of() != lost
    assert list((home / "unanswered").iterdir()) == []


def test_old_and_broken_keys_are_forgotten(home):
    lost = key_of(UnreachableError)
    (path,) = (home / "unanswered").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    os.utime(path, (1, 1))
    assert key_of(UnreachableError) != lost
    path.write_text("\r\nX: y")
    assert len(key_of(UnreachableError)) == 32


def test_keys_work_where_nothing_can_be_kept(home):
    home.write_text("no folder")
    assert len(key_of()) == 32


# The folder of a contest


def test_a_kit_names_plain_files_only(tmp_path):
    values = {"site": SITE, "contest": "cup", "files": {"original": "../../secret"}}
    (tmp_path / "pwscup.json").write_text(json.dumps(values))
    with pytest.raises(UnsafeFileError):
        Kit.find(tmp_path)
    for wrong in ("{}", "[]", '{"contest": 1}'):
        (tmp_path / "pwscup.json").write_text(wrong)
        with pytest.raises(FileError):
            Kit.find(tmp_path)
    with pytest.raises(FileError, match="pwscup download"):
        Kit.find(tmp_path / "other")


def test_files_are_written_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a"
    places.write(path, b"1")
    monkeypatch.setattr(Path, "replace", _fail)
    with pytest.raises(FileError, match="cannot write"):
        places.write(path, b"2")
    assert path.read_bytes() == b"1"
    assert list(tmp_path.glob(".a.*")) == []


def _fail(*_args: object) -> None:
    raise OSError(28, "No space left on device")
