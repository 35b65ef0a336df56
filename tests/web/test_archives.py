# SPDX-License-Identifier: Apache-2.0
"""A contest as one file: what is in it, what is not, and that another installation makes the same of it."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

import pwscup
from pwscup.accounts.models import User
from pwscup.archives import layout, selectors, services, standings
from pwscup.archives.models import Archive, TeamNumber
from pwscup.archives.naming import called
from pwscup.archives.writing import export
from pwscup.contests.models import Contest
from pwscup.contests.services import erase
from pwscup.contests.services.common import ContestRefused
from pwscup.core import audit_log, jobs
from pwscup.core.models import Event, StoredFile
from pwscup.leaderboards.services import final_boards
from pwscup.submissions.models import Release, Submission
from tests import factories
from tests.web import archives, board_facts, lecture, pipeline
from tests.web.archives import bytes_of, entries, imported, written

CANARY = 0.12345678987
pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def played(cast):
    """Three teams with made-up results, everything over; Blue consents."""
    played = board_facts.game(cast.contest)
    cast.blue.is_named_in_archive = True
    cast.blue.save()
    return played


@pytest.mark.parametrize("with_key", [True, False])
@pytest.mark.parametrize("names", ["consent", "none"])
def test_what_organizers_wrote_calls_teams_as_the_archive_does(cast, played, names, with_key):
    cast.red.name = "力チーム"
    cast.red.save()
    audit_log.record(
        "team.renamed",
        contest_id=cast.contest.pk,
        subject="team red",
        before="Red",
        name="力チーム",
    )
    cast.contest.announcements.create(
        title="Red leads",
        text="Redder than Red: 力チームが優勝, then Blue.",
        title_ja="力チーム",
        text_ja="",
    )

    data = bytes_of(written(cast.contest, cast.oscar, names=names, with_key=with_key))

    (announced,) = json.loads(entries(data)["announcements.json"])
    teams = called(cast.contest, names)
    red, blue = teams[cast.red.pk].name, teams[cast.blue.pk].name
    assert announced["title"] == f"{red} leads"
    assert announced["text"] == f"Redder than {red}: {red}が優勝, then {blue}."
    assert announced["title_ja"] == red
    assert (blue == "Blue") == (names == "consent")
    all_named = json.loads(
        entries(bytes_of(written(cast.contest, cast.oscar)))["announcements.json"]
    )
    assert all_named[0]["title"] == "Red leads"


# The round trip


@pytest.mark.parametrize("format", archives.PLAYED)
def test_what_is_imported_has_the_same_boards_and_makes_the_same_archive(cast, format):
    """The season has a submission that was withdrawn and reinstated, the contest of 2015 one withdrawn for good."""
    contest = archives.PLAYED[format](cast, random.Random(1))
    first = written(contest, cast.oscar)
    job = imported(cast.oscar, bytes_of(first))
    assert (job.problems, job.state, job.differences) == ([], "done", [])
    assert job.chain["broken_at"] is None
    assert job.chain["n"] > 20
    copy = Contest.objects.get(pk=job.contest_id)
    assert not copy.is_published
    assert list(copy.organizers.all()) == [cast.oscar]
    assert copy.teams.filter(memberships__isnull=False).count() == 0
    assert_equal_boards(contest, copy)
    before, after = (entries(bytes_of(archive)) for archive in (first, written(copy, cast.oscar)))
    own = {layout.MANIFEST, layout.EVENTS, layout.CONTEST}
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == sorted(
        own, key=list(before).index
    )
    was, becomes = (tomllib.loads(found[layout.CONTEST].decode()) for found in (before, after))
    assert was["contest"].pop("slug") != becomes["contest"].pop("slug")
    assert was == becomes


def assert_equal_boards(contest: Contest, copy: Contest) -> None:
    """As organizers see them now; teams by their place instead of their key."""
    now, ranked = timezone.now(), []
    for stage in contest.ruleset.stages:
        boards = [
            _by_place(one, final_boards(one, now, stage=stage.key)) for one in (contest, copy)
        ]
        assert boards[0] == boards[1]
        ranked.append('"rank": 1' in boards[0])
    assert any(ranked)


def _by_place(contest: Contest, boards: dict[str, Any]) -> str:
    places = list(contest.teams.order_by("pk").values_list("pk", flat=True))
    text = json.dumps(boards, sort_keys=True)
    return re.sub(r'"team": (\d+)', lambda team: f"place {places.index(int(team[1]))}", text)


@pytest.mark.parametrize("names", ["consent", "none"])
def test_without_names_the_boards_are_equal_too(cast, played, names):
    data = bytes_of(written(cast.contest, cast.oscar, names=names))
    job = imported(cast.oscar, data)
    assert (job.state, job.problems, job.differences, job.chain) == ("done", [], [], {})
    found = set(job.contest.teams.values_list("name", flat=True))
    named = {"Blue"} if names == "consent" else set()
    numbers = set(TeamNumber.objects.filter(contest=cast.contest).values_list("number", flat=True))
    assert numbers == {1, 2, 3}
    assert {name for name in found if not name.startswith("Team ")} == named
    assert len(found) == 3


def test_frozen_boards_stay_frozen(cast, played):
    contest = cast.contest
    contest.frozen_at = played.attack.opens_at + timedelta(hours=2)
    contest.save()
    job = imported(cast.oscar, bytes_of(written(contest, cast.oscar)))
    assert job.differences == []
    now = timezone.now()
    made = [
        standings.boards_of(one, now, called(one, "all"), is_final=False)
        for one in (contest, job.contest)
    ]
    assert made[0] == made[1]
    assert standings.boards_of(contest, now, called(contest, "all"), is_final=True) != made[0]


# What is in it


def test_the_manifest_names_every_entry_with_size_and_digest(cast, played):
    archive = written(cast.contest, cast.oscar)
    data = bytes_of(archive)
    found = entries(data)
    manifest = json.loads(found[layout.MANIFEST])
    listed = {e["name"]: (e["sha256"], e["size_bytes"]) for e in manifest["entries"]}
    assert listed == {
        name: (hashlib.sha256(text).hexdigest(), len(text))
        for name, text in found.items()
        if name != layout.MANIFEST
    }
    assert (manifest["format"], manifest["version"]) == ("pwscup-archive", layout.VERSION)
    assert manifest["made_by"]["pwscup"] == pwscup.__version__
    assert archive.file.sha256 == hashlib.sha256(data).hexdigest()
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        names = opened.namelist()
        assert names == sorted(names)
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_distribution_has_the_version_of_the_library():
    """The one that stands on every evaluation; the platform is no wheel."""
    read = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())
    assert read["project"]["dynamic"] == ["version"]
    assert read["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "scoring.__version__"}


def test_the_same_facts_give_the_same_bytes(cast, played):
    options = {"names": "consent", "with_key": False}
    first, second = (bytes_of(written(cast.contest, cast.oscar, **options)) for _ in range(2))
    assert first == second
    first, second = (entries(bytes_of(written(cast.contest, cast.oscar))) for _ in range(2))
    changed = [name for name in first if first[name] != second[name]]
    assert changed == [layout.MANIFEST, layout.EVENTS]


def test_texts_that_spreadsheets_would_calculate_come_back_as_they_were(cast, played):
    notes = ["=1+1", "'=1", "＝cmd", "-", "a\r\nb", "c\rd", 'e"f,g', "", "お", "\ttab"]
    for note, submission in zip(notes, Submission.objects.order_by("pk"), strict=False):
        Submission.objects.filter(pk=submission.pk).update(note=note)
    archive = written(cast.contest, cast.oscar)
    assert b",=1+1" not in entries(bytes_of(archive))["submissions.csv"]
    job = imported(cast.oscar, bytes_of(archive))
    copies = Submission.objects.filter(round__contest=job.contest).order_by("pk")
    originals = Submission.objects.filter(round__contest=cast.contest).order_by("pk")
    assert [s.note for s in copies] == [s.note for s in originals]


def test_every_read_of_a_sealed_file_is_an_event(cast, played):
    reads = Event.objects.filter(kind="truth.read", data__reason="archive")
    written(cast.contest, cast.oscar, with_key=False)
    assert not reads.exists()
    written(cast.contest, cast.oscar)
    assert {event.actor for event in reads} == {cast.oscar}
    assert reads.count() >= 1


def test_members_are_written_only_where_that_was_asked_for(cast, played):
    assert layout.MEMBERS not in entries(bytes_of(written(cast.contest, cast.oscar)))
    found = entries(bytes_of(written(cast.contest, cast.oscar, with_members=True)))
    lines = found[layout.MEMBERS].decode().splitlines()
    assert lines[1].startswith("1,red,Alice,alice@example.org,true,")
    everything = b"".join(text for name, text in found.items() if name != layout.MEMBERS)
    assert b"@example.org" not in everything


# What is not


def text_of(data: bytes) -> bytes:
    return b"\n".join([name.encode() + b"\n" + text for name, text in entries(data).items()])


def test_nothing_sealed_is_in_an_archive_without_the_answer_key(cast):
    contest = archives.lecture_contest(cast, random.Random(3))
    contest.teams.filter(name="Blue").update(is_named_in_archive=True)
    with_key = text_of(bytes_of(written(contest, cast.oscar)))
    for names in ("consent", "none"):
        assert_nothing_sealed(contest, cast.oscar, names, with_key)


def assert_nothing_sealed(contest: Contest, actor: User, names: str, with_key: bytes) -> None:
    text = text_of(bytes_of(written(contest, actor, names=names, with_key=False)))
    hidden = [b"person-", b"@example.org", b"Alice", b"Red", b"teamred", b'"red"', b",red"]
    if names == "none":
        hidden += [b"Blue", b"teamblue", b'"blue"', b",blue"]
    for team in contest.teams.all():
        for rows in lecture.drawn(team).values():
            hidden += runs(rows)
    for release in Release.objects.filter(round__contest=contest):
        hidden += runs(lecture.key_of(release))
        key = json.loads((settings.PRIVATE_ROOT / release.key.path).read_bytes())
        hidden.append(key["seed"].encode())
        assert release.table.sha256.encode() in text
        assert release.candidates.sha256.encode() in text
    assert [needle for needle in hidden if needle in text] == []
    for submission in Submission.objects.filter(round__contest=contest):
        assert str(submission.public_id).encode() not in text
        for file in submission.files.select_related("file"):
            assert file.file.sha256.encode() not in text
    assert contest.datasets.get(team=None).sealed.sha256.encode() not in text
    assert all(needle in with_key for needle in (b"person-", b"Red", key["seed"].encode()))


def runs(numbers: list[int], length: int = 6) -> list[bytes]:
    """Stretches of a mapping as JSON, CSV and lines have it, counted from 0 or 1."""
    found = []
    for start in range(0, len(numbers) - length + 1, length):
        for first in (0, 1):
            texts = [str(number + first) for number in numbers[start : start + length]]
            found += [mark.join(texts).encode() for mark in (",", ", ", "\n", "\r\n")]
    return found


def test_values_of_hidden_measures_are_not_in_it(cast):
    played = board_facts.game(cast.contest)
    values = board_facts.values_of(board_facts.RED) | {"E1": CANARY}
    played.submissions["Red"].evaluations.update(values=values)
    shown = text_of(bytes_of(written(cast.contest, cast.oscar, with_key=False)))
    assert str(CANARY).encode() in shown
    Contest.objects.filter(pk=cast.contest.pk).update(hidden_measures=["E1"])
    text = text_of(bytes_of(written(cast.contest, cast.oscar, with_key=False)))
    assert str(CANARY).encode() not in text
    assert str(CANARY).encode() in text_of(bytes_of(written(cast.contest, cast.oscar)))


@pytest.mark.parametrize("hides", ["feedback", "freeze", "open attack"])
def test_values_that_nobody_may_see_yet_are_not_in_it(cast, hides):
    played = board_facts.game(
        cast.contest, phase="anonymization" if hides == "feedback" else "after"
    )
    values = board_facts.values_of(board_facts.RED) | {"S2": CANARY, "rate": CANARY}
    if hides == "feedback":
        played.anonymization.feedback = "after_close"
        played.anonymization.save()
        board_facts.scored(played.teams["Red"], played.anonymization, values)
    else:
        guess = {"n_records": 100, "hits": 12, "rate": CANARY}
        target = played.releases["Blue"]
        at = played.attack.closes_at - timedelta(minutes=1)
        board_facts.scored(played.teams["Red"], played.attack, guess, target=target, at=at)
    assert str(CANARY).encode() in text_of(bytes_of(written(cast.contest, cast.oscar)))
    if hides == "freeze":
        frozen_at = played.attack.closes_at - timedelta(minutes=2)
        Contest.objects.filter(pk=cast.contest.pk).update(frozen_at=frozen_at)
    if hides == "open attack":
        pipeline.move(played.attack, played.attack.opens_at, timezone.now() + timedelta(hours=1))
    text = text_of(bytes_of(written(cast.contest, cast.oscar, with_key=False)))
    assert str(CANARY).encode() not in text


def test_a_sealed_file_would_stop_the_export(cast, played, monkeypatch):
    """The last fence: were a column of sealed files taken for a public one, no archive is made."""
    columns = layout.columns_of
    monkeypatch.setattr(
        export.layout,
        "columns_of",
        lambda sheet, **kinds: columns(sheet, with_key=True, names_all=True),
    )
    archive = services.request_archive(actor=cast.oscar, contest=cast.contest)
    jobs.work_on(Archive, archive.pk)
    archive.refresh_from_db()
    assert (archive.state, archive.file) == ("failed", None)


OF_AN_INSTALLATION = {
    *("id", "public_id", "path", "contest", "version", "captain", "author", "rehearsal_of"),
    *("token", "user", "guest"),  # of a vote: nobody is named
    "affiliation",  # of a team, which may be called by a number
    *("sent_at", "sent_as", "lease_until", "put_off_at", "complete_until"),
    *("is_published", "is_demo", "has_late_teams", "has_trials", "epsilon_cap", "ruleset_text"),
}
"""Fields that no archive holds, but for who did something, which is in the events."""


@pytest.mark.whole
@pytest.mark.parametrize("sheet", layout.SHEETS, ids=[sheet.name for sheet in layout.SHEETS])
def test_every_field_is_in_the_archive_or_left_out_by_name(sheet):
    if sheet is layout.JUDGES:
        return  # accounts stay where they are
    fields = {field.name for field in sheet.model._meta.concrete_fields}
    lacking = fields - {column.name for column in sheet.columns} - OF_AN_INSTALLATION
    assert {name for name in lacking if not name.endswith("_by")} == set()


# Names


def test_a_number_is_drawn_once_and_nobody_gets_the_name_of_another(cast, played):
    cast.blue.name, cast.blue.slug = "Team 2", "team-2"
    cast.blue.save()
    first = called(cast.contest, "consent")
    assert first[cast.blue.pk].name == "Team 2"
    assert len({team.name for team in first.values()}) == 3
    assert len({team.slug for team in first.values()}) == 3
    factories.make_team(cast.contest, "Late")
    again = called(cast.contest, "consent")
    assert {pk: again[pk].name for pk in first} == {pk: team.name for pk, team in first.items()}
    assert [team.n for team in again.values()] == [1, 2, 3, 4]


def test_the_captain_says_whether_the_team_is_named(cast, as_user):
    url = reverse("team-archive", args=[cast.contest.slug])
    as_user(cast.bob).post(url, {"is_named": "on"})
    cast.red.refresh_from_db()
    assert not cast.red.is_named_in_archive
    alice = as_user(cast.alice)
    assert b'name="is_named"' in alice.get(reverse("team", args=[cast.contest.slug])).content
    alice.post(url, {"is_named": "on"})
    cast.red.refresh_from_db()
    assert cast.red.is_named_in_archive
    alice.post(url)
    events = Event.objects.filter(kind="team.archive_consent")
    assert [event.data["is_named"] for event in events] == [[False, True], [True, False]]


# Asking for one


def test_the_answer_key_leaves_early_only_for_who_types_the_address(cast):
    ask = {"actor": cast.oscar, "contest": cast.contest}
    for address in ("", "another"):
        with pytest.raises(ContestRefused, match="not over"):
            services.request_archive(**ask, with_key=True, address=address)
    services.request_archive(**ask, with_key=True, address=cast.contest.slug)
    with pytest.raises(ContestRefused, match="being written"):
        services.request_archive(**ask)


def test_members_need_the_answer_key_and_all_names(cast, played):
    for options in ({"names": "all"}, {"names": "none", "with_key": True}):
        with pytest.raises(ContestRefused, match="members"):
            services.request_archive(
                actor=cast.oscar, contest=cast.contest, with_members=True, **options
            )


def test_an_archive_is_written_downloaded_and_deleted_by_organizers(cast, played, as_user):
    oscar, url = as_user(cast.oscar), reverse("organize-archive", args=[cast.contest.slug])
    asked = {"version": cast.contest.version, "names": "consent"}
    assert oscar.post(url, asked).status_code == 302
    archive = selectors.newest(cast.contest)
    assert b"waiting" in oscar.get(url).content
    assert jobs.work_on(Archive, archive.pk)
    archive.refresh_from_db()
    page = oscar.get(url).content.decode()
    assert archive.file.sha256 in page
    status = oscar.get(reverse("organize-archive-status", args=[cast.contest.slug]))
    assert "written" in status.content.decode()
    file_url = reverse("organize-archive-file", args=[cast.contest.slug, archive.pk])
    assert file_url in page
    response = oscar.get(file_url)
    assert b"".join(response.streaming_content) == bytes_of(archive)
    assert Event.objects.get(kind="archive.downloaded").actor == cast.oscar
    assert as_user(cast.alice).get(file_url).status_code == 404
    path = settings.PRIVATE_ROOT / archive.file.path
    assert path.exists()
    with transaction_commits():
        oscar.post(reverse("organize-archive-delete", args=[cast.contest.slug, archive.pk]))
    assert not path.exists()
    assert oscar.get(file_url).status_code == 404
    kinds = Event.objects.filter(kind__startswith="archive.").order_by("pk")
    assert [event.kind for event in kinds] == [
        "archive.requested",
        "archive.written",
        "archive.downloaded",
        "archive.deleted",
    ]


def test_what_is_wrong_with_the_form_is_said_on_the_page(cast, played, as_user):
    url = reverse("organize-archive", args=[cast.contest.slug])
    asked = {"version": cast.contest.version, "names": "most"}
    assert as_user(cast.oscar).post(url, asked).status_code == 422
    asked |= {"names": "none", "with_members": "on"}
    page = as_user(cast.oscar).post(url, asked, follow=True).content.decode()
    assert "The members are written only into" in page
    assert not Archive.objects.exists()


def test_only_so_many_archives_are_kept(cast, played):
    for _ in range(services.MOST_KEPT):
        written(cast.contest, cast.oscar, with_key=False)
    with pytest.raises(ContestRefused, match="Delete one"):
        services.request_archive(actor=cast.oscar, contest=cast.contest)


def test_when_the_data_are_deleted_so_are_the_archives(cast, played):
    archive = written(cast.contest, cast.oscar)
    path = settings.PRIVATE_ROOT / archive.file.path
    services.erase_archives(timezone.now())
    assert path.exists()
    with transaction_commits():
        erase(actor=cast.oscar, contest=cast.contest)
        services.erase_archives(timezone.now())
    assert not path.exists()
    job = imported(cast.oscar, bytes_of(written(cast.contest, cast.oscar)))
    assert (job.problems, job.differences) == ([], [])
    release = Release.objects.filter(round__contest=job.contest).first()
    assert release.table.erased_at is not None


def transaction_commits():
    from django.test import TestCase

    return TestCase.captureOnCommitCallbacks(execute=True)


def test_a_file_that_is_missing_is_named_and_the_archive_works_once_it_is_back(
    cast, played, as_user
):
    lost = cast.contest.datasets.get(team=None).sealed
    same = StoredFile.objects.filter(sha256=lost.sha256)
    kept = {file.path: (settings.PRIVATE_ROOT / file.path).read_bytes() for file in same}
    for path in kept:
        (settings.PRIVATE_ROOT / path).unlink()
    asked = {"names": "all", "with_key": True, "address": cast.contest.slug}
    job = services.request_archive(actor=cast.oscar, contest=cast.contest, **asked)
    assert jobs.work_on(Archive, job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("failed", 1)
    page = as_user(cast.oscar).get(reverse("organize-archive", args=["cup"])).text
    assert f"No archive can be written: the file “{lost.name}” ({lost.sha256[:12]}…)" in page
    for path, data in kept.items():
        (settings.PRIVATE_ROOT / path).write_bytes(data)
    written(cast.contest, cast.oscar)
    page = as_user(cast.oscar).get(reverse("organize-archive", args=["cup"])).text
    assert "No archive can be written" not in page


def test_a_worker_that_comes_too_late_leaves_nothing(cast, played, monkeypatch):
    archive = services.request_archive(actor=cast.oscar, contest=cast.contest)
    on_disk = archives.world().on_disk

    def taken_meanwhile(*args, **kwargs):
        Archive.objects.filter(pk=archive.pk).update(fence=99)
        return export_entries(*args, **kwargs)

    export_entries = export.write_entries
    monkeypatch.setattr(export, "write_entries", taken_meanwhile)
    assert not jobs.work_on(Archive, archive.pk)
    archive.refresh_from_db()
    assert archive.file is None
    assert archives.world().on_disk == on_disk


@pytest.mark.django_db(transaction=True)
def test_rows_are_of_one_moment(cast):
    """What is written while an archive is read is not in it."""
    board_facts.game(cast.contest)
    mode = getattr(connection, "transaction_mode", None)
    with export.snapshot():
        before = cast.contest.teams.count()
        with ThreadPoolExecutor(1) as others:
            others.submit(another_team, cast.contest).result(timeout=60)
        assert cast.contest.teams.count() == before
    assert cast.contest.teams.count() == before + 1
    assert getattr(connection, "transaction_mode", None) == mode
    job = imported(cast.oscar, bytes_of(written(cast.contest, cast.oscar)))
    assert (job.problems, job.state, job.file) == ([], "done", None)


def another_team(contest: Contest) -> None:
    try:
        factories.make_team(contest, "Faster")
    finally:
        connection.close()


def test_what_a_dead_worker_held_is_written_by_another(cast, played):
    archive = services.request_archive(actor=cast.oscar, contest=cast.contest)
    assert jobs.claim(Archive, archive.pk)
    assert not jobs.work_on(Archive, archive.pk)
    Archive.objects.filter(pk=archive.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    assert jobs.work_on(Archive, archive.pk)
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == ("done", 2)


# Cost


def test_queries_do_not_grow_with_teams_or_archives(cast, played, as_user):
    def cost() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as writing:
            written(cast.contest, cast.oscar, with_key=False)
        with CaptureQueriesContext(connection) as page:
            as_user(cast.oscar).get(reverse("organize-archive", args=[cast.contest.slug]))
        return len(writing), len(page)

    cost()
    before = cost()
    for n in range(8):
        team = factories.make_team(cast.contest, f"More {n}")
        values = board_facts.values_of(board_facts.GREEN)
        made = board_facts.scored(team, played.anonymization, values)
        board_facts.release(made, played.attack)
        target = played.releases["Blue"]
        board_facts.scored(team, played.attack, board_facts.rate_of(0.1), target=target)
    after = cost()
    assert after[0] <= before[0] + 2  # the numbers of the new teams
    assert after[1] == before[1]
