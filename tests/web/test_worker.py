# SPDX-License-Identifier: Apache-2.0
"""What comes of a submission: values, problems or a reference, and nothing that nobody may see."""

from __future__ import annotations

import errno
import hashlib
import json
import subprocess
import sys
import threading
import time
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

import scoring
from pwscup.core import jobs
from pwscup.core.jobs import heartbeat, kinds, rows
from pwscup.core.models import Event, StoredFile
from pwscup.formats.common.evaluation import SEED_BITS, original_of
from pwscup.submissions import evaluation, selectors, services
from pwscup.submissions.jobs import finish_overdue
from pwscup.submissions.models import Evaluation, Submission
from pwscup.submissions.results import feedback
from pwscup.submissions.results.feedback import Band
from pwscup.submissions.selectors import tries_left
from pwscup.submissions.states import State
from scoring.errors import Problem
from scoring.evaluate import score
from scoring.proof.commitments import shuffled
from scoring.scores.ladder import coarse_range
from scoring.tables.reading import read_records, read_table
from tests import factories
from tests.services import wait_until
from tests.web import pipeline
from tests.web.pipeline import hand_in, scored

pytestmark = pytest.mark.usefixtures("sent")
PATIENCE_SECONDS = 120  # with what another thread does on a busy machine


def test_the_values_are_those_of_the_library_at_home(cast, submission):
    result = scored(submission).evaluations.get()

    schema = cast.contest.datasets.get().schema
    original = read_table(factories.ORIGINAL, schema, file="original", original=True)
    anonymized = read_table(factories.NOISY, schema, file="anonymized")
    assert result.values == score(original, anonymized, np.arange(4), schema)
    assert result.values["U1"] == 1.25
    assert result.values["E3"] == 1


def test_an_evaluation_says_what_it_was_made_from(cast, submission):
    began = time.perf_counter()
    result = scored(submission).evaluations.get()

    assert result.ruleset_digest == cast.contest.ruleset.digest
    assert result.scoring_version == scoring.__version__
    contents = {
        "original": factories.ORIGINAL,
        "anonymized": factories.NOISY,
        "rows": factories.ROWS,
    }
    hashes = {key: hashlib.sha256(data).hexdigest() for key, data in contents.items()}
    assert result.input_hashes == hashes
    assert 0 < result.seconds < time.perf_counter() - began
    assert int(result.seed).bit_length() <= SEED_BITS


def test_seeds_are_fresh(cast, round):
    seeds = {scored(hand_in(cast.alice, cast.red, round)).evaluations.get().seed for _ in range(4)}
    assert len(seeds) == 4


def test_rows_and_declared_rows_move_together():
    records = read_records(factories.NOISY, evaluation_schema(), file="anonymized")
    moved, source = shuffled(records, np.array([3, 1, 0, 2]), seed=7)
    again, same = shuffled(records, np.array([3, 1, 0, 2]), seed=7)
    table = moved.to_frame()
    assert table.equals(again.to_frame())
    assert list(source) == list(same)
    pairs = {(row.sa1, int(where)) for row, where in zip(table.itertuples(), source, strict=True)}
    assert pairs == {(110, 3), (220, 1), (280, 0), (390, 2)}
    unmoved = records.to_frame().iloc[[1, 2, 0, 3]]
    assert set(table.itertuples(index=False)) == set(unmoved.itertuples(index=False))


def evaluation_schema():
    from scoring.tables.schema import Schema

    return Schema.from_toml(factories.SCHEMA)


def test_one_file_with_source_rows_scores_the_same(cast, round, submission):
    lines = factories.NOISY.decode().splitlines()
    both = "\n".join(
        [lines[0] + ",source_row", *(f"{line},{i}" for i, line in enumerate(lines[1:], 1))]
    )
    one = scored(hand_in(cast.alice, cast.red, round, anonymized=both.encode(), rows=None))
    assert one.evaluations.get().values == scored(submission).evaluations.get().values


def test_every_problem_of_both_files_is_kept(cast, round):
    bad = factories.NOISY.replace(b"110", b"abc").replace(b"390,520", b"390,99999")
    submission = scored(hand_in(cast.alice, cast.red, round, anonymized=bad, rows=b"1\n1\n3\n9\n"))

    assert submission.state == State.REJECTED
    problems = [Problem.from_dict(d) for d in submission.problems]
    assert submission.n_problems == len(problems)
    assert {(p.file, p.code, p.row) for p in problems} >= {
        ("anonymized", "cell.not_a_number", 1),
        ("anonymized", "cell.above_maximum", 4),
        ("rows", "row_number.repeated", 2),
        ("rows", "row_number.too_large", 4),
    }
    assert not submission.evaluations.exists()


def test_a_failure_of_ours_leaves_a_reference_and_no_trace_on_the_row(
    submission, monkeypatch, caplog
):
    def fail(_):
        raise RuntimeError("the secret is xyzzy")

    monkeypatch.setattr(evaluation, "evaluate", fail)
    assert scored(submission).state == State.FAILED
    assert len(submission.reference) == 10
    assert submission.problems == []
    assert submission.reference in caplog.text
    assert "Traceback" in caplog.text
    shown = json.dumps([str(vars(submission)), *(e.data for e in Event.objects.all())])
    assert "xyzzy" not in shown
    assert "RuntimeError" not in shown


PASSING = [
    OperationalError("server closed the connection"),
    OSError(errno.EIO, "Input/output error"),
    OSError(errno.ENOSPC, "No space left on device"),
    FileNotFoundError(errno.ENOENT, "No such file or directory"),
]


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_a_database_or_storage_that_does_not_work_uses_up_no_attempt(
    submission, monkeypatch, caplog, sent, error
):
    def fail(_):
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(evaluation, "evaluate", fail)
        for _ in range(jobs.MAX_ATTEMPTS + 1):
            assert not jobs.work_on(Submission, submission.pk)
            submission.refresh_from_db()
            assert (submission.state, submission.attempts) == (State.WAITING, 0)
    assert submission.reference in caplog.text
    sent.clear()
    jobs.resend_forgotten(Submission)
    assert sent == []  # it does not spin
    waited = submission.sent_at - rows.BACK_OFF
    Submission.objects.filter(pk=submission.pk).update(sent_at=waited)
    jobs.resend_forgotten(Submission)
    assert sent == [submission.pk]
    assert scored(submission).state == State.SCORED
    assert submission.reference == ""


def test_what_does_not_work_for_long_has_failed(submission, monkeypatch):
    def fail(_):
        raise FileNotFoundError

    monkeypatch.setattr(evaluation, "evaluate", fail)
    jobs.work_on(Submission, submission.pk)
    Submission.objects.update(put_off_at=timezone.now() - rows.PATIENCE - timedelta(seconds=1))
    assert scored(submission).state == State.FAILED
    assert submission.reference


def test_a_file_that_was_erased_fails_at_once(submission):
    for entry in submission.files.all():
        StoredFile.objects.filter(pk=entry.file_id).update(erased_at=timezone.now())
    assert scored(submission).state == State.FAILED


def test_a_database_that_comes_back_takes_the_job_back(submission, monkeypatch):
    put_off, calls = rows.put_off, []

    def fail(_):
        raise OperationalError("the server is shutting down")

    def away(*args):
        calls.append(args)
        if len(calls) < 3:
            raise OperationalError("connection refused")
        return put_off(*args)

    monkeypatch.setattr(evaluation, "evaluate", fail)
    monkeypatch.setattr(heartbeat.rows, "put_off", away)
    monkeypatch.setattr(heartbeat.time, "sleep", lambda _: None)
    monkeypatch.setattr(heartbeat, "connection", SimpleNamespace(in_atomic_block=False, close=int))
    jobs.work_on(Submission, submission.pk)
    submission.refresh_from_db()
    assert (submission.state, len(calls)) == (State.WAITING, 3)


def test_a_message_delivered_twice_scores_once(submission):
    for _ in range(3):
        kinds.run_job.apply(["submissions.submission", submission.pk])
    submission.refresh_from_db()
    assert submission.attempts == 1
    assert Evaluation.objects.count() == 1


def test_a_message_about_nothing_does_nothing(db):
    kinds.run_job("submissions.submission", 999_999)
    assert not Evaluation.objects.exists()
    assert not Event.objects.exists()


def n_asked(captured) -> int:
    """How many statements but for those that begin and end transactions."""
    return sum(not query["sql"].startswith(("SAVEPOINT", "RELEASE")) for query in captured)


def test_a_submission_asks_little_of_the_database(cast, round, as_user):
    """Of the upload's request from the session to the event, and of its scoring from the claim to the result."""
    scored(hand_in(cast.alice, cast.red, round))  # what is read once for a process is read now
    client = as_user(cast.alice)
    files = {
        "anonymized": SimpleUploadedFile("y.csv", factories.NOISY),
        "rows": SimpleUploadedFile("rows.csv", factories.ROWS),
        "nonce": "as every form has one",
    }
    with CaptureQueriesContext(connection) as uploading:
        assert client.post(reverse("round", args=["cup", round.key]), files).status_code == 302
    submission = Submission.objects.order_by("pk").last()
    with CaptureQueriesContext(connection) as scoring_it:
        assert jobs.work_on(Submission, submission.pk)
    assert submission.number == 2
    assert n_asked(uploading) <= 18
    assert n_asked(scoring_it) <= 11
    kinds = Event.objects.filter(subject=str(submission.public_id)).values_list("kind", flat=True)
    assert sorted(kinds) == ["submission.received", "submission.scored", "truth.read"]


def test_the_original_is_prepared_once_for_a_process(cast, round):
    evaluation._originals.clear()
    for _ in range(3):
        scored(hand_in(cast.alice, cast.red, round))
    reads = Event.objects.filter(kind="truth.read", data__reason__startswith="scoring: the orig")
    assert reads.count() == 1


def test_only_a_few_originals_are_kept(cast):
    evaluation._originals.clear()
    for number in range(evaluation.MAX_ORIGINALS + 2):
        contest = factories.make_contest(f"cup-{number}")
        evaluation.read_once(contest.datasets.get(), original_of)
    assert len(evaluation._originals) == evaluation.MAX_ORIGINALS


# Guesses


@pytest.fixture
def targets(cast, round):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        scored(hand_in(user, team, round))
    return pipeline.publish(cast.contest)


def truth_of(release) -> list[int]:
    """The declared rows of a release, 1-based, told by its noisy expenditures."""
    by_amount = {110: 1, 220: 2, 280: 3, 390: 4}
    lines = release_lines(release)
    return [by_amount[int(line.split(",")[3])] for line in lines[1:]]


def release_lines(release) -> list[str]:
    from pwscup.core.files import storage

    return storage.read(release.table).decode().splitlines()


@pytest.mark.parametrize("n_right", [0, 1, 3, 4])
def test_a_guess_is_marked_against_the_released_order(cast, targets, n_right):
    release = targets["Blue"]
    right = truth_of(release)
    rows = "".join(f"{row if i < n_right else 0}\n" for i, row in enumerate(right))
    submission = scored(pipeline.guess(cast.alice, cast.red, release, rows.encode()))
    result = submission.evaluations.get()
    assert result.values == {"n_records": 4, "hits": n_right, "rate": n_right / 4}
    assert set(result.input_hashes) == {"release", "guess"}


@pytest.mark.parametrize(
    ("rows", "code"),
    [(b"1\n2\n3\n", "row_number.count"), (b"1\n2\n3\n9\n", "row_number.too_large")],
)
def test_a_guess_that_cannot_be_read_is_rejected(cast, targets, rows, code):
    submission = scored(pipeline.guess(cast.alice, cast.red, targets["Blue"], rows))
    assert submission.state == State.REJECTED
    assert code in {problem["code"] for problem in submission.problems}


# Feedback


def seen(submission, viewer):
    result = submission.evaluations.get()
    return feedback.visible_values(submission, result, viewer, timezone.now())


def test_anonymization_results_are_shown_exactly_at_once(cast, submission):
    scored(submission)
    result = submission.evaluations.get()
    for viewer in (cast.alice, cast.bob, cast.oscar):
        assert seen(submission, viewer).values == result.values
    for viewer in (cast.carol, cast.eve):
        assert seen(submission, viewer) is None


@pytest.mark.parametrize(
    ("setting", "before", "after"),
    [
        ("after_close", (None, None), (None, 0.25)),
        ("coarse", (Band(20, 30), None), (None, 0.25)),
        ("exact", (None, 0.25), (None, 0.25)),
    ],
)
def test_a_rate_is_shown_as_the_round_says(cast, targets, setting, before, after):
    release = targets["Blue"]
    release.round.feedback = setting
    release.round.save()
    first, *_ = truth_of(release)
    submission = scored(
        pipeline.guess(cast.alice, cast.red, release, f"{first}\n0\n0\n0\n".encode())
    )

    def told(viewer):
        visible = seen(submission, viewer)
        if visible is None:
            return None, None
        return visible.band, visible.values and visible.values["rate"]

    assert told(cast.alice) == before
    assert told(cast.oscar) == (None, 0.25)
    assert told(cast.carol) == (None, None)
    pipeline.close(submission.round)
    assert told(cast.alice) == after


@pytest.mark.parametrize(
    ("hits", "n", "shown"),
    [
        (0, 100, "0–10 %"),
        (9, 100, "0–10 %"),
        (10, 100, "10–20 %"),
        (29, 100, "20–30 %"),  # 0.29 is slightly less in binary
        (3, 10, "30–40 %"),
        (99, 100, "90–100 %"),
        (100, 100, "90–100 %"),
    ],
)
def test_bands_of_ten_points(hits, n, shown):
    assert str(Band(*coarse_range(hits / n))) == shown


# The heartbeat


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_renewed_while_scoring_goes_on(submission, monkeypatch, settings):
    settings.SCORING_HEARTBEAT_SECONDS = 0.05
    leases = []

    def lease():
        submission.refresh_from_db()
        return submission.lease_until

    def slow(pk):
        leases.append(lease())
        wait_until(lambda: lease() > leases[0], "the lease is renewed", PATIENCE_SECONDS)
        leases.append(lease())
        raise RuntimeError

    monkeypatch.setattr(evaluation, "evaluate", slow)
    jobs.work_on(Submission, submission.pk)
    assert leases[1] > leases[0]
    assert not [t for t in threading.enumerate() if t.name == "heartbeat"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("busy_share", "state"), [(0.0, State.REJECTED), (99.0, State.FAILED)])
def test_what_takes_too_long_is_tried_again_and_then_decided(
    cast, submission, monkeypatch, settings, sent, busy_share, state
):
    """The files are at fault where they were computed with all the time; else the machine is."""
    settings.SCORING_TIME_LIMIT = 0.1
    monkeypatch.setattr(heartbeat, "BUSY_SHARE", busy_share)
    ended = threading.Event()
    monkeypatch.setattr(heartbeat, "end_process", ended.set)
    states = []

    def stuck(pk):
        assert ended.wait(PATIENCE_SECONDS)
        submission.refresh_from_db()
        states.append(submission.state)
        raise RuntimeError

    monkeypatch.setattr(evaluation, "evaluate", stuck)
    for _attempt in range(jobs.MAX_ATTEMPTS):
        ended.clear()
        assert not jobs.work_on(Submission, submission.pk)
        sent.clear()
        jobs.sweep()
        assert sent == []  # put off: what waits already goes first
    assert states == [State.WAITING, State.WAITING, state]
    submission.refresh_from_db()
    assert submission.state == state
    assert bool(submission.reference) == (state == State.FAILED)
    assert submission.n_problems == len(submission.problems) == (state == State.REJECTED)


def too_slow(submission: Submission) -> Submission:
    """Rejected after its last attempt."""
    Submission.objects.filter(pk=submission.pk).update(attempts=jobs.MAX_ATTEMPTS - 1)
    finish_overdue(jobs.claim(Submission, submission.pk), "abcdefghjk", True)
    submission.refresh_from_db()
    return submission


def test_what_was_too_slow_names_the_limit_costs_no_try_and_holds_nothing_up(
    cast, round, submission, as_user, oscar
):
    assert too_slow(submission).state == State.REJECTED
    page = as_user(cast.alice).get(reverse("submission", args=[submission.public_id])).text
    assert "scoring takes too long" in page
    assert "at most 300 seconds" in page
    assert tries_left(cast.red, round) == round.tries
    assert selectors.failed_that_would_count(round) == []
    listed = oscar.get(reverse("organize-submissions", args=[cast.contest.slug])).text
    assert "Retry" in listed
    services.retry(actor=cast.oscar, submission=submission)
    assert scored(submission).state == State.SCORED
    assert (submission.problems, submission.n_problems) == ([], 0)


def test_what_was_too_slow_is_not_retried_without_its_files(cast, submission):
    StoredFile.objects.filter(pk=too_slow(submission).files.first().file_id).update(
        erased_at=timezone.now()
    )
    with pytest.raises(services.SubmissionRefused) as refused:
        services.retry(actor=cast.oscar, submission=submission)
    assert refused.value.code == "retry.erased"


def test_what_was_rejected_for_its_contents_is_not_retried(cast, round):
    wrong = scored(hand_in(cast.alice, cast.red, round, rows=b"1\n1\n3\n9\n"))
    with pytest.raises(services.SubmissionRefused) as refused:
        services.retry(actor=cast.oscar, submission=wrong)
    assert refused.value.code == "retry.not_failed"


@pytest.mark.django_db(transaction=True)
def test_giving_up_touches_nothing_that_somebody_else_took_over(submission, monkeypatch, settings):
    settings.SCORING_TIME_LIMIT = 0.1
    ended = threading.Event()
    monkeypatch.setattr(heartbeat, "end_process", ended.set)
    claim = jobs.claim(Submission, submission.pk)
    type(submission).objects.update(fence=claim.fence + 1)
    with heartbeat.Heartbeat(claim, finish_overdue, settings.SCORING_TIME_LIMIT):
        assert ended.wait(PATIENCE_SECONDS)
    submission.refresh_from_db()
    assert submission.state == State.RUNNING


# The process


def test_an_allocation_above_the_limit_fails_and_leaves_the_process_alive():
    code = (
        "from pwscup.core.installation.keeper import limit_memory\n"
        "limit_memory(500_000_000)\n"
        "try: bytearray(600_000_000)\n"
        "except MemoryError: print('refused')\n"
        "print(len(bytearray(1_000_000)))"
    )
    expected = ["refused", "1000000"] if sys.platform == "linux" else ["1000000"]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected


def test_memory_that_runs_out_is_a_failure_of_ours(submission, monkeypatch):
    def fail(_):
        raise MemoryError

    monkeypatch.setattr(evaluation, "evaluate", fail)
    assert scored(submission).state == State.FAILED
    assert submission.reference
