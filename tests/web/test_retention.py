# SPDX-License-Identifier: Apache-2.0
"""Deletion after a contest: bytes go, rows with hashes, results and boards stay, and pages say so."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from pwscup.contests import services, tasks
from pwscup.contests.models import Contest, Sample
from pwscup.contests.services import retention
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.installation.diagnosis import Level, check_stored
from pwscup.core.models import Event, StoredFile
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import pipeline

DAY = timedelta(days=1)


@pytest.fixture
def over(cast, sent, round):
    """The cast's contest when all is over: two scored tables, published, and a guess."""
    tables = [
        pipeline.scored(pipeline.hand_in(user, team, round))
        for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue))
    ]
    target = pipeline.publish(cast.contest)["Blue"]
    pipeline.scored(pipeline.guess(cast.alice, cast.red, target, factories.ROWS))
    file = storage.store(factories.NOISY, area=storage.Area.PUBLISHED, name="sample.csv")
    Sample.objects.create(contest=cast.contest, key="anonymized", file=file)
    pipeline.close(cast.contest.rounds.get(key="attack"))
    cast.table, cast.target = tables[0], target
    return cast


def bytes_left() -> int:
    return len(storage.paths_on_disk())


def erase(cast, **changes) -> int:
    return services.erase(actor=cast.oscar, contest=cast.contest, **changes)


def test_nothing_of_the_data_stays_on_the_disk(over, django_capture_on_commit_callbacks):
    hashes = set(StoredFile.objects.values_list("sha256", flat=True))
    assert bytes_left() == StoredFile.objects.count() > 9
    kept = StoredFile.objects.exclude(pk__in=retention.files_of(over.contest)).count()
    with django_capture_on_commit_callbacks(execute=True):
        n_files = erase(over)
    assert n_files == StoredFile.objects.filter(erased_at__isnull=False).count()
    assert bytes_left() == kept
    assert set(StoredFile.objects.values_list("sha256", flat=True)) == hashes
    event = Event.objects.get(kind="contest.data_erased")
    assert (event.actor, event.data["n_files"]) == (over.oscar, n_files)
    assert event.data["size_bytes"] > len(factories.ORIGINAL)


def test_only_this_contests_data_go(over, django_capture_on_commit_callbacks):
    other = factories.make_contest(slug="other", phase="after", organizer=over.oscar)
    with django_capture_on_commit_callbacks(execute=True):
        erase(over)
    dataset = other.datasets.get()
    assert storage.read(dataset.public) == factories.ORIGINAL
    assert not retention.files_of(over.contest).filter(erased_at=None).exists()
    assert not retention.files_of(other).filter(erased_at__isnull=False).exists()


def test_bytes_go_only_when_it_is_certain(over, django_capture_on_commit_callbacks):
    before = bytes_left()
    with django_capture_on_commit_callbacks(execute=False):
        erase(over)
    assert bytes_left() == before
    storage.remove_erased()  # the sweeper, after somebody was killed in between
    assert bytes_left() < before
    assert storage.remove_erased() == 0
    assert {finding.level for finding in check_stored()} == {Level.OK}


@pytest.mark.long
def test_pages_say_that_the_data_are_deleted(over, as_user, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        erase(over)
    alice = as_user(over.alice)
    for address in (
        "/c/cup/data/original.csv",
        "/c/cup/data/sample/anonymized.csv",
        f"/r/{over.target.public_id}.csv",
        "/c/cup/round/attack/targets.zip",
        f"/s/{over.table.public_id}/files/anonymized/",
    ):
        response = alice.get(address)
        assert (address, response.status_code) == (address, 410)
        assert "was deleted" in response.content.decode()
    assert "The data of this contest were deleted" in alice.get("/c/cup/").content.decode()
    for address in ("/c/cup/board/", "/c/cup/rules/", "/c/cup/round/attack/"):
        assert alice.get(address).status_code == 200
    assert alice.get(f"/s/{over.table.public_id}/").status_code == 200
    for page in ("", "data/", "rounds/", "terms/", "submissions/", "clock/"):
        assert as_user(over.oscar).get(f"/organize/cup/{page}").status_code == 200


def test_a_worker_that_finds_nothing_fails_with_a_reference(
    over, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        erase(over)
    Submission.objects.filter(pk=over.table.pk).update(state="waiting")
    jobs.work_on(Submission, over.table.pk)
    over.table.refresh_from_db()
    assert over.table.state == "failed"
    assert over.table.reference


def test_an_erased_file_is_named_as_such(over, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        erase(over)
    file = over.contest.datasets.get().public
    with pytest.raises(storage.ErasedFileError, match=f"file {file.pk} was erased"):
        storage.read(file)


# When


def test_the_sweeper_deletes_once_when_the_time_is_over(over, django_capture_on_commit_callbacks):
    now = timezone.now()
    services.set_retention(actor=over.oscar, contest=over.contest, days=30)
    assert retention.erase_due(now + 29 * DAY) == 0
    with django_capture_on_commit_callbacks(execute=True):
        assert retention.erase_due(now + 30 * DAY) == 1
    assert retention.erase_due(now + 31 * DAY) == 0
    event = Event.objects.get(kind="contest.data_erased")
    assert event.actor is None
    assert not retention.files_of(over.contest).filter(erased_at=None).exists()


def test_the_task_calls_the_sweeper(over, monkeypatch):
    called = []
    monkeypatch.setattr(retention, "erase_due", called.append)
    tasks.sweep.apply()
    assert len(called) == 1


def test_without_a_time_the_data_stay(over):
    assert retention.erase_due(timezone.now() + 9999 * DAY) == 0


def test_a_contest_that_was_extended_or_paused_keeps_its_data(over):
    now = timezone.now()
    services.set_retention(actor=over.oscar, contest=over.contest, days=30)
    services.reopen_round(
        actor=over.oscar, contest=over.contest, key="attack", by=20 * DAY, reason="S", now=now
    )
    assert retention.erase_due(now + 31 * DAY) == 0
    Contest.objects.update(paused_at=now + DAY)
    assert retention.erase_due(now + 99 * DAY) == 0


def test_what_is_being_scored_is_not_pulled_away(over):
    services.set_retention(actor=over.oscar, contest=over.contest, days=1)
    Submission.objects.filter(pk=over.table.pk).update(state="running")
    assert retention.erase_due(timezone.now() + 2 * DAY) == 0
    with pytest.raises(services.ContestRefused, match="still being scored"):
        erase(over)


def test_data_are_not_deleted_while_the_contest_runs(cast):
    with pytest.raises(services.ContestRefused, match="The contest is not over"):
        erase(cast)


def test_a_time_that_is_over_is_refused(over):
    Contest.objects.update(retention_days=None)
    later = timezone.now() + 10 * DAY
    with pytest.raises(services.ContestRefused, match="would be deleted immediately"):
        services.set_retention(actor=over.oscar, contest=over.contest, days=3, now=later)
    services.set_retention(actor=over.oscar, contest=over.contest, days=20, now=later)
    event = Event.objects.get(kind="contest.retention_changed")
    assert event.data == {"days": [None, 20]}
    services.set_retention(actor=over.oscar, contest=over.contest, days=20, now=later)
    assert Event.objects.filter(kind="contest.retention_changed").count() == 1


def test_what_is_deleted_is_not_deleted_again_nor_kept_for_longer(over):
    erase(over)
    for change in (
        lambda: erase(over),
        lambda: services.set_retention(actor=over.oscar, contest=over.contest, days=3),
    ):
        with pytest.raises(services.ContestRefused, match="deleted already"):
            change()
    with pytest.raises(services.ContestRefused, match="data of the contest are deleted"):
        services.reopen_round(
            actor=over.oscar, contest=over.contest, key="attack", by=DAY, reason="S"
        )


# The page


def post(client, name: str, **values):
    version = Contest.objects.get(slug="cup").version
    return client.post(f"/organize/cup/terms/{name}/", {"version": version} | values, follow=True)


def test_deleting_takes_the_contests_address(over, oscar):
    response = post(oscar, "erase", address="cub")
    assert response.status_code == 422
    assert "expected cup" in str(response.context["erase_form"].errors)
    assert Contest.objects.get(slug="cup").erased_at is None
    assert "files were deleted" in post(oscar, "erase", address=" cup ").content.decode()
    assert Contest.objects.get(slug="cup").erased_at is not None


def test_the_time_is_set_and_shown(cast, oscar, as_user):
    closing = cast.contest.rounds.get(key="attack").closes_at
    post(oscar, "retention", days="30")
    page = oscar.get("/organize/cup/terms/")
    assert page.context["erased_from"] == closing + 30 * DAY
    assert "The data will be deleted" in page.content.decode()
    services.update_terms(actor=cast.oscar, contest=cast.contest, terms="Be fair.", terms_ja="")
    assert "30 days after the last round" in as_user(None).get("/c/cup/terms/").content.decode()
    post(oscar, "retention", days="")
    assert oscar.get("/organize/cup/terms/").context["erased_from"] is None


@pytest.mark.parametrize("days", ["0", "-1", "4000", "many"])
def test_a_time_that_cannot_be_comes_back(cast, oscar, days):
    assert post(oscar, "retention", days=days).status_code == 422
    assert Contest.objects.get(slug="cup").retention_days is None
