# SPDX-License-Identifier: Apache-2.0
"""Handing in: what is taken, what is refused and why, and what a refusal must not leave behind."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from pwscup.core import jobs
from pwscup.core.jobs import kinds
from pwscup.core.models import Event, StoredFile
from pwscup.submissions import releases, selectors, services
from pwscup.submissions.models import Submission
from pwscup.submissions.services import SubmissionRefused
from pwscup.submissions.states import State
from tests import factories
from tests.web.conftest import hear

FILES = {"anonymized": ("y.csv", factories.NOISY), "rows": ("r.csv", factories.ROWS)}


def round_of(cast, key="anonymization"):
    return cast.contest.rounds.get(key=key)


def submit(cast, *, user=None, team=None, files=FILES, **kwargs):
    given = {"round": round_of(cast), "arrived_at": timezone.now()} | kwargs
    return services.submit(user=user or cast.alice, team=team or cast.red, files=files, **given)


def bytes_on_disk() -> list[Path]:
    root = settings.PRIVATE_ROOT
    return [path for path in root.rglob("*") if path.is_file()] if root.exists() else []


def refusal(cast, **kwargs) -> SubmissionRefused:
    before = (Submission.objects.count(), StoredFile.objects.count(), len(bytes_on_disk()))
    with pytest.raises(SubmissionRefused) as caught:
        submit(cast, **kwargs)
    after = (Submission.objects.count(), StoredFile.objects.count(), len(bytes_on_disk()))
    assert after == before, "a refusal left something behind"
    return caught.value


def test_what_is_handed_in_waits_sealed_and_on_record(cast):
    submission = submit(cast, note="  first  ")

    assert submission.state == State.WAITING
    assert (submission.number, submission.note) == (1, "first")
    files = {f.key: f.file for f in submission.files.select_related("file")}
    assert {key: file.area for key, file in files.items()} == dict.fromkeys(FILES, "sealed")
    assert (settings.PRIVATE_ROOT / files["rows"].path).read_bytes() == factories.ROWS
    event = Event.objects.get(kind="submission.received")
    assert (event.actor, event.subject) == (cast.alice, str(submission.public_id))


def test_the_message_carries_only_the_id_and_only_after_commit(
    cast, monkeypatch, django_capture_on_commit_callbacks
):
    sent = hear(monkeypatch, Submission)
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(cast)
        assert sent == []
    assert sent == [submission.pk]


def test_a_broker_that_fails_costs_nobody_the_upload(
    cast, monkeypatch, django_capture_on_commit_callbacks
):
    def fail(_):
        raise ConnectionError("no broker")

    monkeypatch.setattr(kinds, "send_soon", fail)
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(cast)
    submission.refresh_from_db()
    assert (submission.state, submission.sent_at) == (State.WAITING, None)


def test_numbers_count_per_team_and_round(cast):
    assert [submit(cast).number for _ in range(3)] == [1, 2, 3]
    assert submit(cast, user=cast.carol, team=cast.blue).number == 1


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "file.missing"),
        ({"rows": FILES["rows"]}, "file.missing"),
        (FILES | {"extra": ("x.csv", b"x")}, "file.unknown"),
        (FILES | {"anonymized": ("y.csv", b"")}, "file.empty"),
        (FILES | {"rows": ("r.csv", iter([b"", b""]))}, "file.empty"),
    ],
)
def test_files_that_do_not_fit_the_round_are_refused(cast, files, code):
    assert refusal(cast, files=files).code == code


def test_one_file_is_enough_where_the_ruleset_says_so(cast):
    assert submit(cast, files={"anonymized": FILES["anonymized"]}).files.count() == 1


def test_a_file_above_the_limit_is_refused_while_it_streams(cast, settings):
    settings.MAX_UPLOAD_BYTES = 1000
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield b"x" * 400

    error = refusal(cast, files=FILES | {"rows": ("big.csv", endless())})
    assert error.code == "file.too_large"
    assert len(taken) == 3
    assert "big.csv" in error.message
    assert "1000" in error.message


def test_the_rulesets_own_limit_binds_where_it_is_smaller(cast):
    limit = cast.contest.ruleset.limits.max_file_bytes
    blocks = (b"x" * 1_000_000 for _ in range(limit // 1_000_000 + 1))
    assert refusal(cast, files={"anonymized": ("y.csv", blocks)}).code == "file.too_large"


def test_the_deadline_is_judged_by_the_time_of_arrival(cast):
    round = round_of(cast)
    instant = timedelta(microseconds=1)
    assert refusal(cast, arrived_at=round.opens_at - instant).code == "round.not_open_yet"
    assert refusal(cast, arrived_at=round.closes_at).code == "round.closed"
    assert submit(cast, arrived_at=round.opens_at).number == 1
    assert submit(cast, arrived_at=round.closes_at - instant).number == 2


def test_only_members_hand_in_and_only_for_their_team(cast):
    for user in (cast.carol, cast.eve, cast.oscar):
        assert refusal(cast, user=user).code == "not_allowed"
    other = factories.make_contest("other")
    assert refusal(cast, round=other.rounds.first()).code == "not_allowed"


def test_the_platform_plays_for_its_own_teams_alone(cast):
    house = factories.make_team(cast.contest, "House")
    arguments = {"user": None, "round": round_of(cast), "arrived_at": timezone.now()}
    with pytest.raises(SubmissionRefused):
        services.submit(team=house, files=FILES, **arguments)
    house.is_house = True
    assert services.submit(team=house, files=FILES, **arguments).submitted_by is None


def test_a_draft_contest_takes_nothing(cast):
    cast.contest.is_published = False
    cast.contest.save()
    assert refusal(cast).code == "not_allowed"


def test_names_from_a_browser_are_never_paths(cast):
    files = {"anonymized": ("../../etc\\pass\x00wd\n.csv", factories.NOISY)}
    file = submit(cast, files=files).files.get().file
    assert file.name == "passwd.csv"
    assert (settings.PRIVATE_ROOT / file.path).resolve().is_relative_to(settings.PRIVATE_ROOT)


@pytest.mark.parametrize("name", ["", "/", "\x00", "   "])
def test_a_file_without_a_name_is_called_after_its_key(cast, name):
    file = submit(cast, files=FILES | {"rows": (name, factories.ROWS)}).files.get(key="rows").file
    assert file.name == "rows.csv"


def test_a_note_that_is_too_long_is_refused(cast):
    assert refusal(cast, note="x" * 201).code == "note.too_long"


# Tries


def test_tries_count_what_waits_runs_or_was_scored(cast):
    round = round_of(cast)
    for state in State:
        Submission.objects.filter(pk=submit(cast).pk).update(state=state)
    assert selectors.tries_left(cast.red, round) == round.tries - 3


def test_no_try_left_is_refused(cast):
    round = round_of(cast)
    round.tries = 2
    round.save()
    submit(cast)
    submit(cast)
    assert refusal(cast).code == "tries.none_left"
    assert submit(cast, user=cast.carol, team=cast.blue).number == 1


def test_uploads_that_use_no_try_are_bounded_within_a_day(cast, settings):
    settings.MAX_WASTED_UPLOADS_PER_DAY = 2
    yesterday = submit(cast, arrived_at=round_of(cast).opens_at)
    wasted = [submit(cast) for _ in range(2)]
    for submission in (yesterday, *wasted):
        services.cancel(user=cast.alice, submission=submission)
    Submission.objects.filter(pk=yesterday.pk).update(
        arrived_at=timezone.now() - timedelta(hours=25)
    )

    assert refusal(cast).code == "tries.wasted"
    assert submit(cast, user=cast.carol, team=cast.blue).number == 1
    Submission.objects.filter(pk=wasted[0].pk).update(arrived_at=timezone.now() - timedelta(days=2))
    assert submit(cast).state == State.WAITING


def test_what_is_taken_back_costs_no_try(cast):
    round = round_of(cast)
    submission = submit(cast)
    services.cancel(user=cast.bob, submission=submission)
    assert submission.state == State.CANCELLED
    assert selectors.tries_left(cast.red, round) == round.tries
    assert Event.objects.filter(kind="submission.cancelled", actor=cast.bob).exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_uploads_with_one_try_left_exactly_one_is_taken(cast):
    round = round_of(cast)
    round.tries = 1
    round.save()
    barrier, outcomes = threading.Barrier(2), []

    def upload():
        try:
            barrier.wait()
            submit(cast, round=round)
            outcomes.append("taken")
        except SubmissionRefused as refused:
            outcomes.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=upload) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["taken", "tries.none_left"]
    assert Submission.objects.count() == 1
    assert len(bytes_on_disk()) == StoredFile.objects.count()


def test_a_transaction_that_fails_leaves_no_bytes(cast, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("disk full")

    before = len(bytes_on_disk())
    monkeypatch.setattr(services.audit_log, "record", fail)
    with pytest.raises(RuntimeError):
        submit(cast)
    assert len(bytes_on_disk()) == before
    assert not Submission.objects.exists()


# Attack rounds


@pytest.fixture
def attack(cast):
    """Both teams' tables are released and the attack round is open."""
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        jobs.work_on(Submission, submit(cast, user=user, team=team).pk)
    first, second = cast.contest.rounds.all()
    now = timezone.now()
    first.opens_at, first.closes_at = now - timedelta(days=3), now - timedelta(days=1)
    second.opens_at, second.closes_at = now - timedelta(hours=1), now + timedelta(days=1)
    first.save()
    second.save()
    assert len(releases.publish(second)) == 2
    cast.targets = {release.team.name: release for release in second.releases.all()}
    return second


GUESS = {"guess": ("g.csv", factories.ROWS)}


def test_tries_are_counted_per_target(cast, attack):
    green = factories.make_team(cast.contest, "Green", cast.eve)
    given = {"user": cast.eve, "team": green, "files": GUESS, "round": attack}
    for _ in range(attack.tries):
        submit(cast, target=cast.targets["Red"], **given)
    assert refusal(cast, target=cast.targets["Red"], **given).code == "tries.none_left"
    assert submit(cast, target=cast.targets["Blue"], **given).number == attack.tries + 1
    left = selectors.tries_left_by_target(green, attack)
    assert left == {
        cast.targets["Red"].pk: 0,
        cast.targets["Blue"].pk: attack.tries - 1,
    }


def test_a_guess_names_another_teams_table_of_this_round(cast, attack):
    given = {"files": GUESS, "round": attack}
    assert refusal(cast, **given).code == "target.missing"
    assert refusal(cast, target=cast.targets["Red"], **given).code == "target.own"
    other = factories.make_contest("other", phase="attack")
    attack_elsewhere = other.rounds.get(key="attack")
    stranger = factories.make_team(other, "Stranger", cast.eve)
    elsewhere = {"user": cast.eve, "team": stranger, "round": attack_elsewhere, "files": GUESS}
    assert refusal(cast, target=cast.targets["Red"], **elsewhere).code == "target.unknown"


def test_an_anonymization_round_has_no_targets_and_ends_with_the_release(cast, attack):
    first = round_of(cast)
    late = {"round": first, "arrived_at": first.closes_at - timedelta(seconds=1)}
    assert refusal(cast, target=cast.targets["Red"], **late).code == "target.unknown"
    assert refusal(cast, **late).code == "round.released"


# Taking back, choosing, annotating


def test_a_worker_that_was_faster_wins_over_taking_back(cast):
    submission = submit(cast)
    assert jobs.claim(Submission, submission.pk)
    with pytest.raises(SubmissionRefused) as caught:
        services.cancel(user=cast.alice, submission=submission)
    assert caught.value.code == "cancel.too_late"
    assert jobs.claim(Submission, submission.pk) is None


def test_taking_back_wins_over_a_worker_that_is_later(cast):
    submission = submit(cast)
    services.cancel(user=cast.alice, submission=submission)
    assert jobs.claim(Submission, submission.pk) is None


def test_strangers_change_nothing(cast):
    submission = submit(cast)
    for user in (cast.carol, cast.eve, cast.oscar):
        for change in (
            lambda user: services.cancel(user=user, submission=submission),
            lambda user: services.choose(user=user, submission=submission),
            lambda user: services.annotate(user=user, submission=submission, note="mine"),
        ):
            with pytest.raises(SubmissionRefused) as caught:
                change(user)
            assert caught.value.code == "not_allowed"


def test_the_latest_scored_counts_until_the_team_chooses(cast):
    first, second, third = (submit(cast) for _ in range(3))
    for submission in (first, second):
        jobs.work_on(Submission, submission.pk)
        submission.refresh_from_db()
    round = round_of(cast)
    assert selectors.counted_submission(cast.red, round) == second
    services.choose(user=cast.alice, submission=first)
    assert selectors.counted_submission(cast.red, round) == first
    assert selectors.counted_submissions(round) == {cast.red.pk: first}
    with pytest.raises(SubmissionRefused) as caught:
        services.choose(user=cast.alice, submission=third)
    assert caught.value.code == "choose.not_scored"


def test_the_choice_is_frozen_once_the_round_has_closed(cast):
    submission = submit(cast)
    jobs.work_on(Submission, submission.pk)
    submission.refresh_from_db()
    round = submission.round
    round.closes_at = timezone.now()
    round.save()
    with pytest.raises(SubmissionRefused) as caught:
        services.choose(user=cast.alice, submission=submission)
    assert caught.value.code == "choose.too_late"


def test_a_note_can_be_changed_by_any_member(cast):
    submission = submit(cast)
    services.annotate(user=cast.bob, submission=submission, note="k = 5")
    submission.refresh_from_db()
    assert submission.note == "k = 5"


def test_every_refusal_has_a_message(cast):
    assert all(
        SubmissionRefused(
            code, file="f", name="n", expected=1, got="g", next="then", problem="p"
        ).message
        for code in services.REFUSALS
    )
