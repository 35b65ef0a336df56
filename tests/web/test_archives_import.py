# SPDX-License-Identifier: Apache-2.0
"""Archives that were changed, cut, forged or come from elsewhere: refused with all that is wrong, and nothing made."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import TestCase, override_settings
from django.urls import reverse

from pwscup.accounts.models import User
from pwscup.archives import layout, problems, services
from pwscup.archives import row_texts as formats
from pwscup.archives.models import ContestImport
from pwscup.archives.reading import checking, restoring
from pwscup.archives.reading.rows import Reader
from pwscup.archives.writing import history
from pwscup.contests.models import Contest, Round
from pwscup.contests.services import ContestRefused, free_slug
from pwscup.core import jobs, seals
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.leaderboards import facts
from pwscup.submissions.models import Evaluation, JudgeMark, Submission
from scoring.proof.trail import first_broken
from tests import factories
from tests.web import archives, board_facts
from tests.web.archives import bytes_of, entries, imported, listed, world, written, zipped
from tests.web.conftest import make_cast
from tests.web.pipeline import hand_in, scored

pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def played(cast):
    """Three teams with made-up results, everything over, and what a clerk of each kind wrote."""
    return board_facts.game(cast.contest)


@pytest.fixture(scope="module")
def whole(django_db_setup, django_db_blocker, tmp_path_factory) -> dict[str, bytes]:
    """The entries of a whole archive of such a contest, which does not outlive them."""
    files = override_settings(PRIVATE_ROOT=tmp_path_factory.mktemp("files"))
    with django_db_blocker.unblock(), files, transaction.atomic():
        cast = make_cast()
        board_facts.game(cast.contest)
        found = entries(bytes_of(written(cast.contest, cast.oscar)))
        transaction.set_rollback(True)
    return found


@pytest.fixture
def found(whole) -> dict[str, bytes]:
    return dict(whole)


def refused(cast, data: bytes) -> list[str]:
    """What is said of an archive that leaves nothing behind."""
    before = world()
    job = imported(cast.oscar, data)
    assert (job.state, job.contest, job.file) == ("refused", None, None)
    assert job.problems
    assert world() == before
    assert Event.objects.filter(kind="import.refused").last().actor == cast.oscar
    return problems.sentences(job.problems)


def changed(found: dict[str, bytes], entry: str, before: str, after: str) -> dict[str, bytes]:
    """Entries of which one was edited, with a manifest that fits."""
    text = found[entry].decode()
    assert before in text
    return listed(found | {entry: text.replace(before, after, 1).encode()})


# The file


def test_a_changed_byte_is_found(cast, found):
    data = found["standings.json"].replace(b'"rank": 1', b'"rank": 3', 1)
    said = refused(cast, zipped(found | {"standings.json": data}))
    assert said[0].startswith("standings.json — it was changed: its SHA-256")
    assert said[-1] == "Export the contest again and import the file unchanged."


def test_no_changed_byte_of_the_file_changes_what_is_read(cast, found, tmp_path):
    whole, rng = zipped(found), random.Random(5)
    path = tmp_path / "archive.zip"
    n_refused = 0
    for _ in range(150):
        place = rng.randrange(len(whole))
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :]
        )
        try:
            with checking.checked(path) as checked:
                read = {name: b"".join(checked.files[name].chunks()) for name in checked.entries}
        except problems.ArchiveRefused:
            n_refused += 1
        else:  # a byte that says nothing of the content, such as a date
            assert read == {name: data for name, data in found.items() if name != layout.MANIFEST}
    assert n_refused > 75


def test_boards_of_an_archive_are_parsed_once(cast, played, monkeypatch):
    read = []
    reads = Reader.read
    monkeypatch.setattr(Reader, "read", lambda self, name: read.append(name) or reads(self, name))
    done = imported(cast.oscar, bytes_of(written(cast.contest, cast.oscar)))
    assert done.contest is not None
    assert read.count(layout.STANDINGS) == 1


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.99])
def test_a_cut_archive_is_refused(cast, found, share):
    whole = zipped(found)
    said = refused(cast, whole[: int(share * len(whole))])
    assert said[0].startswith("This is not a zip archive, or it was truncated or damaged")


def test_a_newer_version_is_refused_and_says_what_to_do(cast, found):
    said = refused(cast, zipped(listed(found, version=layout.VERSION + 1)))
    assert said == [
        "The archive was made by a newer version — "
        f"expected format {layout.VERSION} or older — got {layout.VERSION + 1}. "
        "Update this installation, then import it."
    ]


def test_without_the_answer_key_nothing_can_be_imported(cast, played):
    data = bytes_of(written(cast.contest, cast.oscar, with_key=False))
    said = refused(cast, data)
    assert said == [
        "The archive was made without the answer key, so nothing in it can be evaluated and it cannot be "
        "imported. Ask for an archive with the answer key."
    ]


@pytest.mark.parametrize("name", ["../teams.csv", "notes.txt"])
def test_an_entry_of_another_name_is_refused(cast, found, name):
    found[name] = found.pop("teams.csv")
    assert refused(cast, zipped(found)) == [
        f"{name} — this entry does not belong in an archive of a contest.",
        "Export the contest again and import the file unchanged.",
    ]


def test_an_entry_that_the_manifest_names_is_missing(cast, found):
    del found["late.csv"]
    for data in (zipped(found), zipped(listed(found))):
        assert refused(cast, data) == [
            "late.csv — this entry is missing.",
            "Export the contest again and import the file unchanged.",
        ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_that_is_there_twice_is_refused(cast, found):
    said = refused(cast, zipped(found, twice="teams.csv"))
    assert said[0] == "teams.csv — duplicate entry — expected each entry once."


def test_an_entry_that_the_manifest_does_not_name_is_refused(cast, found):
    name = f"files/{'a' * 64}"
    said = refused(cast, zipped(found | {name: b"x"}))
    assert said[0] == f"{name} — this entry is not in the manifest."


def test_no_bomb_is_unpacked(cast, found, settings):
    settings.MAX_ARCHIVE_BYTES = 200_000
    bomb = {f"files/{'b' * 64}": bytes(5_000_000)}
    said = refused(cast, zipped(listed(found | bomb)))
    assert said[0].startswith("The unpacked archive is too large")
    lies = json.loads(listed(found | bomb)[layout.MANIFEST])
    for entry in lies["entries"]:
        if entry["name"] in bomb:
            entry["size_bytes"] = 10
    said = refused(cast, zipped(found | bomb | {layout.MANIFEST: json.dumps(lies).encode()}))
    assert "its size is not that of the manifest — expected 10 bytes — got 5000000" in said[0]
    settings.MAX_ARCHIVE_BYTES = 1000
    assert refused(cast, zipped(found))[0].startswith("The archive is too large")


def test_a_size_that_no_page_can_show_is_refused(cast, found):
    document = json.loads(found[layout.MANIFEST])
    document["entries"][0]["size_bytes"] = 10**400
    said = refused(cast, zipped(found | {layout.MANIFEST: json.dumps(document).encode()}))
    assert said[0] == "MANIFEST.json — it is not the manifest of an archive of a contest."


def test_too_many_entries_are_not_even_listed(cast, found, monkeypatch):
    monkeypatch.setattr(checking, "MAX_ENTRIES", 5)
    assert refused(cast, zipped(found))[0].startswith("The archive has too many entries")


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format": "zip"}',
        b"\xff",
        b'{"format": "pwscup-archive", "version": 0}',
    ],
)
def test_what_is_no_manifest_is_refused(cast, found, manifest):
    said = refused(cast, zipped(found | {layout.MANIFEST: manifest}))
    assert said[0] == "MANIFEST.json — it is not the manifest of an archive of a contest."


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_refused(cast, data):
    assert refused(cast, data)


@pytest.mark.parametrize(
    ("entry", "data"),
    [
        ("teams.csv", b"\n" + b"1," * 9_000),
        ("teams.csv", b"\n" + b'"\n",' * 5_000),
        ("evaluations.json", b"\n[" + b"[]," * 6_000),
    ],
)
def test_a_row_without_end_is_not_read_into_memory(cast, found, entry, data, monkeypatch):
    monkeypatch.setattr(formats, "MAX_ROW", 16 * 1024)
    first = found[entry].splitlines()[0]
    said = refused(cast, zipped(listed(found | {entry: first + data})))
    assert any(entry in line and "a row of more than" in line for line in said), said


def test_a_manifest_that_is_small_on_disk_alone_is_refused(cast, found):
    lists = b'{"format": "pwscup-archive", "version": 1, "x": [' + b"[]," * 500_000 + b"[]]}"
    said = refused(cast, zipped(found | {"MANIFEST.json": lists}))
    assert any("it is not the manifest" in line for line in said)


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_a_moment_that_has_no_date_in_every_zone_is_refused(cast, found, year):
    other = changed(
        found, layout.CONTEST, 'closes_at = "20', f'closes_at = "{year}-01-01T00:00:00Z" #"'
    )
    said = refused(cast, zipped(other))
    assert any("closes_at — expected a date and a time with a zone" in line for line in said), said


def test_a_table_that_is_about_another_one_is_refused(cast, found):
    lines = found["submissions.csv"].decode().splitlines()
    column = lines[0].split(",").index("target")
    cells = lines[1].split(",")
    assert cells[column] == ""
    cells[column] = "1"
    text = "\r\n".join([lines[0], ",".join(cells), *lines[2:], ""])
    said = refused(cast, zipped(listed(found | {"submissions.csv": text.encode()})))
    assert said == ["submissions.csv, row 1 — its values contradict each other."]


def test_a_number_that_no_board_can_hold_is_refused(cast, found):
    other = changed(found, "evaluations.json", '"values": {', '"values": {"Q": ' + "9" * 400 + ", ")
    assert any("evaluations.json, row 1, values" in line for line in refused(cast, zipped(other)))


# The rows


def test_the_first_problem_refuses_an_archive(cast, found):
    other = changed(found, "releases.csv", "1,attack,", "1,no-such-round,")
    other = changed(other, "teams.csv", "1,red,", "1,blue,")
    said = refused(cast, zipped(other))
    assert said == ["teams.csv, row 2 — another row has the same slug — got “blue”."]


def test_a_round_that_the_rules_do_not_have_is_refused(cast, found):
    other = changed(found, "contest.toml", 'key = "attack"', 'key = "raid"')
    for name in ("releases.csv", "submissions.csv"):
        other[name] = other[name].replace(b",attack,", b",raid,")
    [said] = refused(cast, zipped(listed(other)))
    assert said.startswith(
        "contest.toml, round “raid” — the rules of the contest have no such round"
    )


@pytest.mark.parametrize(
    ("entry", "before", "after", "says"),
    [
        ("submissions.csv", "\r\n1,", "\r\n2,", "rows are numbered from 1 without gaps"),
        ("submissions.csv", "\r\n1,", "\r\n1,2,", "wrong number of cells"),
        ("teams.csv", "n,slug", "n,slugs", "other columns"),
        ("teams.csv", "n,slug", "slug,slug", "other columns"),
        ("teams.csv", ",true,", ",yes,", "expected true or false"),
        (
            "contest.toml",
            'timezone = "Asia/Tokyo"',
            'timezone = "Mars"',
            "not valid for this column — got “Mars”",
        ),
        (
            "contest.toml",
            'title = "Test Cup"',
            'title = "' + 200 * "x" + '"',
            "valid for this column",
        ),
        (
            "contest.toml",
            "hidden_measures = []",
            'hidden_measures = ["no measure"]',
            "not valid for this column",
        ),
        ("contest.toml", "rules = 1", "rules = 7", "there is no such row in rules"),
        ("contest.toml", "[contest]", "[contest", "cannot be read"),
        ("contest.toml", "\n[contest]", "\n[other]", "cannot be read"),
        (
            "releases.csv",
            "1,attack,",
            "1,no-such-round,",
            "there is no such row in contest.toml — got “no-such-round”",
        ),
        ("submissions.csv", ",scored,", ",wonderful,", "expected one of waiting, running, scored"),
        ("evaluations.json", '"fence": 1', '"fence": "many"', "expected a whole number within"),
        ("contest.toml", 'kind = "attack"', 'kind = "anonymization"', "no such round of this kind"),
        ("rules/1.toml", "[scoring]", '[scoring]\nsurprise = "yes"', "surprise"),
        ("rules/1.toml", "tries", "# tries", "rules/1.toml"),
        ("rules/1.toml", "[scoring]", "# a comment\n[scoring]", "do not match their digest"),
        ("schema.toml", 'role = "sensitive"', 'role = "secret"', "schema.toml"),
        (
            "evaluations.json",
            '"values": {',
            '"values": {"Q": "good", ',
            "not valid for this column",
        ),
        (
            "evaluations.json",
            '"submission": 1',
            '"submission": 99',
            "there is no such row in submissions.csv",
        ),
        ("evaluations.json", "[\n", "", "cannot be read"),
        ("evaluations.json", "\n]\n", "", "cannot be read"),
        (
            "files.csv",
            "table.csv",
            "../table.csv",
            "not valid for this column — got “../table.csv”",
        ),
        ("files.csv", ",sealed,", ",draft,", "not valid for this column — got “draft”"),
        ("teams.csv", ",Red,", ",Re\u200bd,", "not valid for this column"),
        ("standings.json", '"as_of"', '"of"', "standings.json — it cannot be read"),
    ],
)
def test_what_is_wrong_is_named(cast, found, entry, before, after, says):
    if entry == "teams.csv" and before == ",true,":
        found = changed(found, entry, ",false,", ",true,")
    said = refused(cast, zipped(changed(found, entry, before, after)))
    assert any(entry in line and says in line for line in said), said


def test_what_is_sealed_is_not_published_by_a_changed_word(cast, found):
    said = refused(cast, zipped(changed(found, "files.csv", ",sealed,", ",published,")))
    assert said == [
        "tables.csv, row 1, sealed — the file belongs to another area — expected sealed."
    ]
    assert imported(cast.oscar, zipped(listed(found))).state == "done"


def test_rounds_that_end_before_they_start_are_refused(cast, found):
    opens = re.search(r'opens_at = "([^"]+)"', found[layout.CONTEST].decode())
    closes = re.search(r'closes_at = "([^"]+)"', found[layout.CONTEST].decode())
    other = changed(found, layout.CONTEST, closes.group(), f'closes_at = "{opens.group(1)}"')
    assert "contest.toml, row 1 — its values contradict each other." in refused(cast, zipped(other))


def test_another_secret_than_the_one_committed_to_is_refused(cast, draft):
    factories.attach_original(draft)
    found = entries(bytes_of(written(draft, cast.oscar)))
    commitment = re.search(r'commitment = "(\w+)"', found[layout.CONTEST].decode()).group(1)
    other = changed(found, layout.CONTEST, commitment, 64 * "0")
    said = refused(cast, zipped(other))
    assert "contest.toml — the secret is not the one that the contest has committed to." in said
    assert imported(cast.oscar, zipped(found)).state == "done"


def test_what_only_the_database_finds_is_refused_too(cast, found):
    """A submission's evaluation of one claim, twice."""
    lines = found["evaluations.json"].decode().splitlines()
    n = len(lines) - 1
    first = lines[1].removesuffix(",")
    again = first.replace('"n": 1', f'"n": {n}')
    assert again != first
    lines[-2] += ","
    lines.insert(-1, again)
    other = listed(found | {"evaluations.json": ("\n".join(lines) + "\n").encode()})
    assert refused(cast, zipped(other))[0].startswith(
        "The rows of the archive contradict each other"
    )


def test_where_we_fail_nothing_is_left(cast, found, monkeypatch):
    def broken(*args):
        raise RuntimeError("disk on fire")

    monkeypatch.setattr(restoring, "_compared", broken)
    before = world()
    job = imported(cast.oscar, zipped(found))
    assert (job.state, job.contest) == ("failed", None)
    assert len(job.reference) == 10
    assert world() == before


def test_a_worker_that_comes_too_late_makes_nothing(cast, found, monkeypatch):
    job = services.receive_archive(actor=cast.oscar, name="a.zip", chunks=zipped(found))
    compared = restoring._compared

    def taken_meanwhile(work):
        ContestImport.objects.filter(pk=job.pk).update(fence=99)
        return compared(work)

    monkeypatch.setattr(restoring, "_compared", taken_meanwhile)
    before = world()
    assert not jobs.work_on(ContestImport, job.pk)
    assert world() == before


# What becomes of it


def test_a_contest_that_runs_goes_on_elsewhere(cast, round):
    scored(hand_in(cast.alice, cast.red, round))
    hand_in(cast.carol, cast.blue, round)
    job = imported(cast.oscar, bytes_of(written(cast.contest, cast.oscar)))
    copies = Submission.objects.filter(round__contest=job.contest)
    waiting = copies.get(state="waiting")
    assert waiting.sent_at is None
    assert scored(waiting).state == "scored"
    assert Evaluation.objects.filter(submission=waiting).count() == 1
    ids = set(Submission.objects.values_list("public_id", flat=True))
    assert len(ids) == 4


def test_judges_stay_apart_and_nobody_can_be_them(cast):
    contest = archives.lecture_contest(cast, random.Random(7))
    job = imported(cast.oscar, bytes_of(written(contest, cast.oscar)))
    marks = JudgeMark.objects.filter(round__contest=job.contest)
    judges = User.objects.filter(pk__in=marks.values("judge"))
    assert sorted(judge.display_name for judge in judges) == ["Judge 1", "Judge 2"]
    assert not any(judge.is_active or judge.has_usable_password() for judge in judges)
    assert not judges.filter(email__contains="example").exists()


def test_other_boards_are_told_by_team_and_rank(cast, found):
    document = json.loads(found["standings.json"])
    row = document["boards"][0]["boards"]["overall"]["rows"][0]
    row["rank"] = 9
    other = listed(found | {"standings.json": json.dumps(document).encode()})
    job = imported(cast.oscar, zipped(other))
    assert job.state == "done"
    assert [(d["board"], d["team"], d["expected"][0]) for d in job.differences] == [
        ("contest/overall", row["name"], 9)
    ]


def test_a_cell_that_no_rank_depends_on_is_told_as_well(cast, found):
    document = json.loads(found["standings.json"])
    document["boards"][0]["boards"]["matrix"]["rows"] = []
    other = listed(found | {"standings.json": json.dumps(document).encode()})
    job = imported(cast.oscar, zipped(other))
    assert job.differences == [{"board": "", "team": "", "expected": None, "got": None}]


def test_the_history_is_kept_and_its_chain_verified(cast, found, as_user):
    url = "organize-archive-history"
    job = imported(cast.oscar, zipped(found))
    response = as_user(cast.oscar).get(reverse(url, args=[job.contest.slug]))
    assert b"".join(response.streaming_content) == found[layout.EVENTS]
    assert as_user(cast.alice).get(reverse(url, args=[job.contest.slug])).status_code == 404
    other = changed(found, layout.EVENTS, '"kind": "', '"kind": "x')
    job = imported(cast.oscar, zipped(other))
    assert job.chain["broken_at"] == 1
    page = as_user(cast.oscar).get(reverse("organize-archive", args=[job.contest.slug]))
    assert "The event history is not valid: the event at position 1" in page.content.decode()


def test_the_verdict_is_that_of_the_library(cast, played):
    seals.seal_all(cast.contest.pk)
    for n in range(5):
        Event.objects.create(kind=f"test.{n}", contest_id=cast.contest.pk)
    seals.seal_all(cast.contest.pk)
    chain = list(seals.chain(cast.contest.pk))
    variants = [chain, chain[1:], chain[:2] + chain[3:], chain[::-1], [*chain[:3], chain[1]]]
    for entries_ in variants:
        lines = [json.dumps(entry).encode() + b"\n" for entry in entries_]
        broken, verdict = first_broken(entries_), history.verified(lines)
        assert verdict["broken_at"] == (broken.position if broken else None)
    assert history.verified([b"{}"])["broken_at"] == history.verified([b"x"])["broken_at"] == 1


def test_addresses_are_free_and_import_is_none(cast, found):
    assert free_slug("Import") == "import-2"
    first, second = (imported(cast.oscar, zipped(found)).contest.slug for _ in range(2))
    assert (first, second) == ("cup-2", "cup-3")


# Pages and the command


def test_the_page_imports_and_tells(cast, found, as_user):
    oscar, url = as_user(cast.oscar), reverse("organize-import")
    assert as_user(cast.eve).get(url).status_code == 404
    assert oscar.post(url).status_code == 422
    for data in (zipped(found), b"no archive"):
        upload = SimpleUploadedFile("../cup.zip", data)
        assert oscar.post(url, {"archive": upload}).status_code == 302
        assert "waiting" in oscar.get(reverse("organize-import-status")).content.decode()
        job = ContestImport.objects.select_related("file").last()
        path = storage.archive_path(job.file)
        assert path.exists()
        with TestCase.captureOnCommitCallbacks(execute=True):
            assert jobs.work_on(ContestImport, job.pk)
        assert not path.exists()  # what was imported or refused is not kept
    page = oscar.get(url).content.decode()
    assert "All boards were rebuilt and match" in page
    assert "This is not a zip archive" in page
    assert "../cup.zip" not in page
    assert reverse("organize-contest", args=["cup-2"]) in page
    page = oscar.get(reverse("organize-archive", args=["cup-2"])).content.decode()
    assert "This contest was imported" in page
    assert not jobs.expired(ContestImport)


def test_who_may_not_create_contests_imports_none(cast, found):
    with pytest.raises(ContestRefused):
        services.receive_archive(actor=cast.eve, name="a.zip", chunks=zipped(found))


def test_the_command_imports_and_tells(cast, found, tmp_path: Path):
    path = tmp_path / "archive.zip"
    path.write_bytes(zipped(found))
    out = io.StringIO()
    call_command("import_contest", str(path), organizer="oscar@example.org", stdout=out)
    assert out.getvalue().splitlines()[:2] == [
        "Imported as the draft cup-2.",
        "All boards are equal to those in the archive.",
    ]
    path.write_bytes(b"no")
    with pytest.raises(CommandError, match="not a zip archive"):
        call_command("import_contest", str(path), organizer="oscar@example.org")
    for organizer, says in (
        ("nobody@example.org", "no account"),
        ("eve@example.org", "grant_organizer"),
    ):
        with pytest.raises(CommandError, match=says):
            call_command("import_contest", str(path), organizer=organizer)
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_contest", str(tmp_path / "none"), organizer="oscar@example.org")


def test_rows_are_counted_by_what_the_boards_read(cast, played):
    """Nothing that boards depend on is lost: equal keys of facts but for ids would need equal counts."""
    job = imported(cast.oscar, bytes_of(written(cast.contest, cast.oscar)))
    contests = (cast.contest, Contest.objects.get(pk=job.contest_id))
    for model, path in (
        (Round, "contest"),
        (Submission, "round__contest"),
        (Evaluation, "submission__round__contest"),
    ):
        counts = [model.objects.filter(**{path: contest}).count() for contest in contests]
        assert counts[0] == counts[1] > 0
    assert facts.LAYOUT


def test_reading_an_archive_leaves_the_limit_of_everybody_elses_cells_alone():
    limit = csv.field_size_limit()
    lines = formats.read_csv(io.BytesIO(b"a,b\r\n" + b"x" * (2 * limit) + b",y\r\n"))
    assert next(lines) == ["a", "b"]
    assert csv.field_size_limit() == limit
    assert len(next(lines)[0]) == 2 * limit
    assert csv.field_size_limit() == limit
    broken = formats.read_csv(io.BytesIO(b'a\r\n"x'))
    with pytest.raises(ValueError, match="end of data"):
        list(broken)
    assert csv.field_size_limit() == limit
