# SPDX-License-Identifier: Apache-2.0
"""An import in short transactions: others write meanwhile, nobody sees half a contest, and a crash leaves nothing."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.utils import timezone

from pwscup.archives import services
from pwscup.archives.models import ContestImport
from pwscup.archives.reading import restoring, unfinished
from pwscup.contests import selectors
from pwscup.contests.models import Contest
from pwscup.core import jobs
from pwscup.core.db import slices
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.submissions import sweeper
from pwscup.submissions.models import Submission
from tests.web import board_facts
from tests.web.archives import bytes_of, world, written
from tests.web.pipeline import hand_in


@pytest.fixture(autouse=True)
def small_slices(monkeypatch, unsent) -> None:
    monkeypatch.setattr(slices, "SIZE", 5)
    monkeypatch.setattr(unfinished, "SIZE", 5)


@pytest.fixture
def job(cast, round) -> ContestImport:
    """The archive of a contest that was played, in which one submission waits, is to be imported."""
    late = hand_in(cast.alice, cast.red, round)
    Submission.objects.filter(pk=late.pk).update(number=99)
    board_facts.game(cast.contest)
    data = bytes_of(written(cast.contest, cast.oscar))
    return services.receive_archive(actor=cast.oscar, name="cup.zip", chunks=data)


def can_write() -> bool:
    """Somebody else gets the lock of the database without having to wait."""
    if connection.vendor != "sqlite":
        return True
    other = sqlite3.connect(connection.settings_dict["NAME"], timeout=0, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return False
    finally:
        other.close()
    return True


@pytest.mark.django_db(transaction=True)
def test_others_write_between_the_slices_and_nobody_sees_or_works_on_half_a_contest(
    cast, job, sent, monkeypatch
):
    known = set(Contest.objects.values_list("pk", flat=True))
    people = (cast.oscar, cast.alice, cast.eve, AnonymousUser())
    said = []

    def look(_seconds: float) -> None:
        made = Contest.objects.exclude(pk__in=known)
        visible = [
            user
            for user in people
            if selectors.visible_contests(user).exclude(pk__in=known).exists()
        ]
        look_for_work()
        said.append((can_write(), visible, made.count()))

    sent.clear()
    look_for_work()
    before = list(sent)
    monkeypatch.setattr(slices, "pause", look)
    assert jobs.work_on(ContestImport, job.pk)
    job.refresh_from_db()
    assert job.state == "done"
    assert len(said) > 10
    assert {(free, *visible) for free, visible, _ in said} == {(True,)}
    assert {n for *_, n in said} == {0, 1}  # of the files first, then of its rows
    assert sent == before
    assert job.contest in selectors.visible_contests(cast.oscar)
    waiting = Submission.objects.get(round__contest=job.contest, state="waiting")
    assert waiting.sent_at is None
    look_for_work()
    assert waiting.pk in sent


def look_for_work() -> None:
    sweeper.sweep()
    jobs.sweep()


def killed(job: ContestImport, monkeypatch, where: str) -> None:
    """The worker ends in the middle, without a chance to clean up."""

    def end(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(restoring, where, end)
        patched.setattr(restoring.unfinished, "remove", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            jobs.work_on(ContestImport, job.pk)
    ContestImport.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(days=1))


STAGES = ["_contest", "_set_later", "_compared", "_complete"]


@pytest.mark.parametrize("where", STAGES)
def test_what_a_killed_worker_left_is_gone_before_the_next_attempt(cast, job, monkeypatch, where):
    killed(job, monkeypatch, where)
    assert list(unfinished_files(job))
    jobs.sweep()
    assert jobs.work_on(ContestImport, job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts, Contest.objects.count()) == ("done", 2, 2)
    first, copy = Contest.objects.order_by("pk")
    assert copy == job.contest
    for rows in (
        lambda c: c.teams.count(),
        lambda c: Submission.objects.filter(round__contest=c).count(),
    ):
        assert rows(first) == rows(copy)
    assert not any(f"/{unfinished.prefix_of(job.pk, 1)}" in path for path in unfinished_files(job))
    assert job.differences == []


@pytest.mark.long
@pytest.mark.parametrize("where", STAGES)
def test_what_the_last_attempt_left_is_gone_with_it(cast, job, monkeypatch, where):
    before = world()
    ContestImport.objects.filter(pk=job.pk).update(attempts=2)
    killed(job, monkeypatch, where)
    jobs.sweep()
    unfinished.remove_left()  # finds what a crash in between would leave
    job.refresh_from_db()
    assert (job.state, job.contest) == ("failed", None)
    unfinished.remove_of(job.pk)
    assert (world().counts, list(unfinished_files(job))) == (before.counts, [])


def test_of_an_import_that_is_done_nothing_is_removed(cast, job):
    assert jobs.work_on(ContestImport, job.pk)
    before = world()
    unfinished.remove_of(job.pk)
    assert world() == before


def unfinished_files(job: ContestImport) -> list[str]:
    """What lies on the disk or stands in a row under the name of the import."""
    name = f"/{unfinished.prefix_of(job.pk)}"
    known = set(StoredFile.objects.values_list("path", flat=True)) | storage.paths_on_disk()
    return sorted(path for path in known if name in path)
