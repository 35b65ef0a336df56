# SPDX-License-Identifier: Apache-2.0
"""A full disk and a busy database: what is answered, that nothing is lost, and what is kept free before."""

from __future__ import annotations

import errno
import io
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.test import Client
from django.urls import reverse

from pwscup.archives.models import Archive, ContestImport
from pwscup.archives.services import receive_archive, request_archive
from pwscup.contests.services.common import ContestRefused
from pwscup.core import jobs
from pwscup.core.files import space, storage
from pwscup.core.http import unavailable
from pwscup.core.installation.supervisor import Service, Supervisor
from pwscup.core.management.commands import up
from pwscup.core.models import StoredFile
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import archives
from tests.web.api import Program, codes


def upload(client: Client, contest, **headers: str):
    files = {
        "anonymized": SimpleUploadedFile("y.csv", factories.NOISY),
        "rows": SimpleUploadedFile("rows.csv", factories.ROWS),
    }
    address = reverse("round", args=[contest.slug, "anonymization"])
    return client.post(address, files, headers=headers)


@contextmanager
def full_disk(code: int = errno.ENOSPC) -> Iterator[None]:
    """The one writer of files finds no space."""
    with pytest.MonkeyPatch.context() as patched:

        def no_space(_handle: int) -> None:
            raise OSError(code, "No space left on device")

        patched.setattr(storage.os, "fsync", no_space)
        yield


# A full disk


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "has no space left"), ("ja", "空き容量がありません")],
)
def test_an_upload_to_a_full_disk_says_so_and_uses_nothing(
    cast, round, as_user, sent, language, says
):
    before = selectors.tries_left(cast.red, round, None)
    with full_disk():
        answer = upload(as_user(cast.alice), cast.contest, **{"Accept-Language": language})
    assert answer.status_code == unavailable.FULL
    page = answer.content.decode()
    assert says in page
    assert cast.alice.display_name in page  # a page of the site, for who is logged in
    assert not Submission.objects.exists()
    assert selectors.tries_left(cast.red, round, None) == before
    assert sorted(storage.paths_on_disk()) == sorted(
        StoredFile.objects.values_list("path", flat=True)
    )


def test_once_there_is_space_the_same_upload_is_taken(cast, round, as_user, sent):
    client = as_user(cast.alice)
    with full_disk(errno.EDQUOT):
        assert upload(client, cast.contest).status_code == unavailable.FULL
    assert upload(client, cast.contest).status_code == 302
    assert Submission.objects.get().number == 1


def program_of(cast):
    """What a program of Red does to submit an estimate."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    address = "/contests/dp/rounds/interactive/submissions"
    return partial(Program(cast.alice).post, address, factories.DP_TRUTH, "text/csv")


def test_the_api_says_it_in_its_own_form(cast, sent):
    hand_in = program_of(cast)
    with full_disk():
        answer = hand_in()
    assert (answer.status_code, codes(answer)) == (unavailable.FULL, ["server.full"])
    assert not Submission.objects.exists()


def test_a_full_database_counts_the_same(tmp_path):
    other = sqlite3.connect(tmp_path / "small.sqlite3")
    other.execute("CREATE TABLE t (x)")
    other.execute("PRAGMA max_page_count = 3")
    with pytest.raises(sqlite3.OperationalError, match="full") as found:
        other.execute("INSERT INTO t VALUES (zeroblob(100000))")
    other.close()
    error = caused(OperationalError(str(found.value)), found.value)
    assert unavailable.is_full(error)
    assert not unavailable.is_busy(error)


# A busy database


@contextmanager
def write_lock() -> Iterator[None]:
    """Somebody else writes, and for longer than a request waits."""
    if connection.vendor == "sqlite":
        other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
    else:
        other = connection.copy()
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("LOCK TABLE accounts_team, django_session IN EXCLUSIVE MODE")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 50")
    try:
        yield
    finally:
        other.rollback()
        other.close()
        with connection.cursor() as cursor:
            reset = (
                "PRAGMA busy_timeout = 10000"
                if connection.vendor == "sqlite"
                else "SET lock_timeout = 0"
            )
            cursor.execute(reset)


@pytest.mark.django_db(transaction=True)
def test_while_the_write_lock_is_held_an_upload_may_come_again_and_is_then_taken(
    cast, round, as_user, sent
):
    client = as_user(cast.alice)
    with write_lock():
        answer = upload(client, cast.contest)
        assert answer.status_code == unavailable.BUSY
        assert int(answer["Retry-After"]) > 0
        assert "is busy" in answer.content.decode()
        assert client.get(reverse("round", args=["cup", "anonymization"])).status_code == 200
    assert not Submission.objects.exists()
    kept = set(StoredFile.objects.values_list("path", flat=True))
    assert storage.paths_on_disk() == kept  # the bytes of what was not taken are gone
    assert upload(client, cast.contest).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_program_is_told_when_to_come_again(cast, sent):
    hand_in = program_of(cast)
    with write_lock():
        answer = hand_in()
    assert (answer.status_code, codes(answer)) == (unavailable.BUSY, ["server.busy"])
    assert int(answer["Retry-After"]) > 0


@pytest.mark.django_db(transaction=True)
def test_what_fails_outside_of_a_page_is_answered_in_the_same_way(cast):
    """The session is written by a middleware: no page sees its error."""
    given = {"login": cast.alice.email, "password": factories.PASSWORD}
    with write_lock():
        answer = Client(raise_request_exception=False).post(reverse("account_login"), given)
    assert answer.status_code == unavailable.BUSY
    assert int(answer["Retry-After"]) > 0


def test_other_errors_are_still_our_mistake(cast, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ProgrammingError("no such table: x")

    monkeypatch.setattr("pwscup.contests.views.render", broken)
    assert Client(raise_request_exception=False).get("/").status_code == 500


def test_a_database_that_cannot_even_be_read_has_a_page(rf):
    class Away:
        @property
        def is_authenticated(self) -> bool:
            raise OperationalError("the server is away")

        is_organizer = is_authenticated

    request = rf.get("/")
    request.user = Away()
    found = caused(OperationalError("connection refused"), psycopg_error("OperationalError"))
    answer = unavailable.answer(request, found)
    assert answer.status_code == unavailable.BUSY
    assert b"is busy" in answer.content


# Which errors


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def psycopg_error(name: str) -> Exception:
    import psycopg

    found = getattr(psycopg.errors, name, None) or getattr(psycopg, name)
    return found("its own words")


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("DiskFull", "full"),
        ("OperationalError", "busy"),
        ("LockNotAvailable", "busy"),
        ("DeadlockDetected", "busy"),
        ("SerializationFailure", "busy"),
        ("TooManyConnections", "busy"),
        ("AdminShutdown", "busy"),
        ("CannotConnectNow", "busy"),
        ("UndefinedTable", ""),
        ("UniqueViolation", ""),
        ("OutOfMemory", ""),
    ],
)
def test_errors_of_postgresql(name, status):
    error = caused(OperationalError("its own words"), psycopg_error(name))
    assert unavailable.is_full(error) == (status == "full")
    assert unavailable.is_busy(error) == (status == "busy")


def test_an_unexpected_error_is_neither():
    for error in (None, ValueError(), OSError(errno.EACCES, "no"), DatabaseError("no such column")):
        assert not unavailable.is_full(error)
        assert not unavailable.is_busy(error)


# The reserve


@pytest.fixture
def little_space(settings) -> None:
    settings.DISK_RESERVE_BYTES = 2**62


def test_organizers_are_warned_and_nobody_else(cast, round, as_user, sent, settings):
    warning = "disk is nearly full"
    assert warning not in as_user(cast.oscar).get("/").content.decode()
    settings.DISK_RESERVE_BYTES = (space.free_bytes() * 3) // 4
    assert space.has_room_for(0)
    assert warning in as_user(cast.oscar).get("/").content.decode()
    for user in (cast.alice, None):
        assert warning not in as_user(user).get("/").content.decode()


def test_uploads_may_use_the_reserve(cast, round, as_user, sent, little_space):
    assert upload(as_user(cast.alice), cast.contest).status_code == 302


def test_archives_are_not_even_begun(cast, little_space):
    with pytest.raises(ContestRefused, match="oo little disk space"):
        request_archive(actor=cast.oscar, contest=cast.contest)
    assert not Archive.objects.exists()


def test_an_archive_that_grows_into_the_reserve_is_given_up(cast, settings, caplog):
    job = request_archive(actor=cast.oscar, contest=cast.contest)
    job.refresh_from_db()
    if job.state == Archive.State.DONE:  # the eager worker was first
        Archive.objects.update(state=Archive.State.WAITING, file=None)
    settings.DISK_RESERVE_BYTES = 2**62
    before = storage.paths_on_disk()
    assert jobs.work_on(Archive, job.pk)
    job.refresh_from_db()
    assert (job.state, storage.paths_on_disk()) == (Archive.State.FAILED, before)
    assert "ReserveReachedError" in caplog.text


def test_the_form_of_imports_says_that_there_is_no_space(cast, as_user, little_space):
    sent = {"archive": SimpleUploadedFile("cup.zip", b"PK")}
    answer = as_user(cast.oscar).post(reverse("organize-import"), sent)
    assert answer.status_code == 422
    assert "oo little disk space" in answer.content.decode()
    assert not ContestImport.objects.exists()


def test_an_archive_that_unpacks_to_too_much_is_refused_before_anything_is_written(
    cast, settings, tmp_path
):
    data = archives.bytes_of(archives.written(cast.contest, cast.oscar, with_key=True, names="all"))
    job = receive_archive(actor=cast.oscar, name="cup.zip", chunks=data, announces=False)
    settings.DISK_RESERVE_BYTES = 2**62
    before = storage.paths_on_disk()
    assert jobs.work_on(ContestImport, job.pk)
    job.refresh_from_db()
    assert job.state == ContestImport.State.REFUSED
    assert [problem["code"] for problem in job.problems] == ["space"]
    assert storage.paths_on_disk() == before


def test_writing_looks_at_the_space_again_and_again(settings, monkeypatch):
    left = iter([2 * space.LOOK_BYTES, 0])
    monkeypatch.setattr(space, "free_bytes", lambda: next(left))
    taken = []
    with pytest.raises(space.ReserveReachedError):
        taken.extend(space.within_reserve([b"x" * space.LOOK_BYTES] * 5))
    assert len(list(left)) == 0


# The supervisor


def test_a_note_that_cannot_be_written_does_not_end_the_site(settings, tmp_path, monkeypatch):
    """What killed it on a full disk: it is said once, and written as soon as there is space."""
    settings.DATA_DIR = tmp_path
    out = io.StringIO()
    command = up.Command(stdout=out)
    command.said, command.pids, command.address = set(), None, "127.0.0.1:8000"
    command.supervisor = SimpleNamespace(pids=lambda: {"web": 7})
    with monkeypatch.context() as patched:

        def no_space(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        patched.setattr(Path, "write_text", no_space)
        command._note()
        command._note()
    assert out.getvalue().count("No space left on device") == 1
    assert not up.about_file().exists()
    command._note()
    assert '"web": 7' in up.about_file().read_text()


def test_words_that_cannot_be_written_end_nothing():
    class Full(io.StringIO):
        def write(self, _text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    up.Command(stdout=Full())._say("PWSCup starts")


def test_a_service_whose_log_cannot_be_opened_is_started_later(tmp_path, monkeypatch):
    said: list[str] = []
    supervisor = Supervisor(said.append)
    service = Service("web", ["/bin/true"], tmp_path / "web.log", tmp_path)
    service.open_log()
    supervisor.services.append(service)
    service.due_at = 0.1  # it died and is due
    calls = []

    def start() -> None:
        calls.append(1)
        if len(calls) < 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(service, "start", start)
    for _ in range(3):
        supervisor.tick()
        service.due_at = service.due_at and 0.1
    assert (len(calls), service.due_at) == (3, 0)
    assert said == ["[web] [Errno 28] No space left on device"]
