# SPDX-License-Identifier: Apache-2.0
"""Targets and results come as soon as every upload that began in time is in, and not before."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.submissions import releases, sweeper
from pwscup.submissions.intake import inflight
from pwscup.submissions.intake.inflight import Reporter
from pwscup.submissions.models import UploadProcess
from pwscup.submissions.policies import may_see_rate
from tests.web import pipeline
from tests.web.pipeline import hand_in, scored

pytestmark = pytest.mark.usefixtures("sent")
GRACE = timedelta(seconds=60)
SECOND = timedelta(seconds=1)
PATH = "/c/cup/round/anonymization/"


@pytest.fixture
def just_closed(cast, round, settings):
    """A table of Red and of Blue; the round closed two seconds ago, and the attack opened then."""
    settings.UPLOAD_GRACE_SECONDS = GRACE.total_seconds()
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        scored(hand_in(user, team, round))
    closes_at = timezone.now() - 2 * SECOND
    pipeline.move(round, closes_at - timedelta(hours=1), closes_at)
    attack = cast.contest.rounds.get(key="attack")
    pipeline.move(attack, closes_at, closes_at + timedelta(hours=1))
    return round


class Uploads:
    """What a web server knows of the uploads that are on their way to it."""

    def __init__(self):
        self.on_their_way = {}

    def begin(self, arrived_at, path):
        ticket = len(self.on_their_way)
        self.on_their_way[ticket] = arrived_at.timestamp(), path
        return ticket

    def end(self, ticket):
        del self.on_their_way[ticket]

    def look(self):
        return timezone.now(), inflight.arrivals_of(self.on_their_way.values())


def a_process() -> Reporter:
    """A process that takes uploads and was known before the round closed."""
    reporter = Reporter(Uploads())
    reporter.look(is_first=True)
    long_ago = timezone.now() - timedelta(hours=1)
    UploadProcess.objects.filter(token=reporter.token).update(
        complete_until=long_ago, reported_at=long_ago
    )
    return reporter


def is_settled(round) -> bool:
    round.refresh_from_db()
    return round.is_settled(timezone.now())


def test_with_nothing_on_its_way_targets_are_published_at_once(just_closed):
    reporter = a_process()
    assert not is_settled(just_closed)
    reporter.look()
    sweeper.sweep()
    assert is_settled(just_closed)
    assert releases.Release.objects.count() == 2


def test_an_upload_that_began_in_time_is_waited_for(just_closed):
    reporter = a_process()
    ticket = reporter._uploads.begin(just_closed.closes_at - SECOND, PATH)
    reporter.look()
    sweeper.sweep()
    assert not is_settled(just_closed)
    assert inflight.waited_for(just_closed, timezone.now()).n_uploads == 1
    reporter._uploads.end(ticket)
    reporter.look()
    sweeper.sweep()
    assert is_settled(just_closed)


def test_nothing_is_published_over_the_head_of_an_upload_that_waits_for_its_turn(
    just_closed, settings
):
    """In a burst the queue may be longer than the grace; what arrived in time is not refused for that."""
    reporter = a_process()
    ticket = reporter._uploads.begin(just_closed.closes_at - SECOND, PATH)
    settings.UPLOAD_GRACE_SECONDS = 1  # is over
    reporter.look()
    sweeper.sweep()
    assert is_settled(just_closed)
    assert not releases.Release.objects.exists()
    reporter._uploads.end(ticket)
    reporter.look()
    sweeper.sweep()
    assert releases.Release.objects.count() == 2


def test_an_upload_that_takes_for_ever_holds_up_nothing_for_ever(just_closed, settings):
    reporter = a_process()
    reporter._uploads.begin(just_closed.closes_at - SECOND, PATH)
    reporter.look()
    later = timezone.now() + inflight.LONGEST
    sweeper.sweep(later)
    assert releases.Release.objects.count() == 2


def test_an_upload_that_began_after_the_close_is_not_waited_for(just_closed):
    reporter = a_process()
    reporter._uploads.begin(just_closed.closes_at, PATH)
    reporter.look()
    sweeper.sweep()
    assert is_settled(just_closed)


@pytest.mark.parametrize("path", ["/c/other/round/attack/", "/accounts/login/", "/nowhere/"])
def test_what_is_on_its_way_elsewhere_is_neither_waited_for_nor_shown(
    cast, just_closed, as_user, path
):
    """A slow log-in, or an upload to a contest that nobody here knows of."""
    reporter = a_process()
    for where in (path, path, PATH):
        reporter._uploads.begin(just_closed.closes_at - SECOND, where)
    reporter.look()
    assert inflight.waited_for(just_closed, timezone.now()).n_uploads == 1
    reporter._uploads.end(2)
    reporter.look()
    sweeper.sweep()
    assert is_settled(just_closed)
    assert releases.Release.objects.count() == 2


def test_no_report_grows_by_invented_contests():
    """Two thousand connections may each name one of 30,000 letters."""
    slug = "x" * Contest._meta.get_field("slug").max_length
    paths = (f"/c/{slug}/round/attack/", f"/c/{slug}x/round/attack/")
    assert inflight.arrivals_of((1.5, path) for path in paths) == {slug: [1.5]}


def test_an_upload_that_began_too_late_is_not_counted(just_closed):
    reporter = a_process()
    for seconds in (-1, 0, 1):
        reporter._uploads.begin(just_closed.closes_at + seconds * SECOND, PATH)
    reporter.look()
    assert inflight.waited_for(just_closed, timezone.now()).n_uploads == 1


def test_every_process_that_takes_uploads_is_waited_for(just_closed):
    quick, slow = a_process(), a_process()
    quick.look()
    sweeper.sweep()
    assert not is_settled(just_closed)
    slow.look()
    sweeper.sweep()
    assert is_settled(just_closed)


@pytest.mark.parametrize("has_upload", [False, True])
def test_a_killed_process_is_asked_and_then_forgotten(just_closed, has_upload):
    alive, killed = a_process(), a_process()
    alive.look()
    if has_upload:  # it was killed over it, after the close
        killed._uploads.begin(just_closed.closes_at - SECOND, PATH)
        killed.look()
        long_ago = timezone.now() - timedelta(hours=1)
        UploadProcess.objects.filter(token=killed.token).update(reported_at=long_ago)
    sweeper.sweep()
    row = UploadProcess.objects.filter(token=killed.token)
    assert row.get().asked_at is not None
    sweeper.sweep()
    assert row.exists()  # it gets its time to answer
    row.update(asked_at=timezone.now() - inflight.SILENCE - SECOND)
    sweeper.sweep()
    assert not row.exists()
    assert is_settled(just_closed)


def test_a_process_that_was_only_held_up_answers_and_is_known_again(just_closed):
    reporter = a_process()
    sweeper.sweep()
    reporter.look()
    assert UploadProcess.objects.get().asked_at is None
    UploadProcess.objects.all().delete()
    reporter.look()
    assert UploadProcess.objects.get().token == reporter.token


def test_where_nobody_reports_the_clock_decides(just_closed):
    sweeper.sweep()
    assert not is_settled(just_closed)
    assert just_closed.is_settled(just_closed.closes_at + GRACE)
    assert not just_closed.is_settled(just_closed.closes_at + GRACE - SECOND)


def test_what_is_known_of_one_end_says_nothing_of_a_later_one(just_closed):
    a_process().look()
    sweeper.sweep()
    assert is_settled(just_closed)
    pipeline.move(just_closed, just_closed.opens_at, timezone.now() + timedelta(seconds=5))
    assert not just_closed.is_settled(just_closed.closes_at)
    assert just_closed.is_settled(just_closed.closes_at + GRACE)


def test_behind_a_proxy_that_keeps_uploads_the_whole_time_is_waited(just_closed):
    reporter = Reporter(Uploads(), GRACE)
    reporter.look(is_first=True)
    reporter.look()
    sweeper.sweep()
    assert not is_settled(just_closed)


def test_rates_are_shown_once_the_round_is_complete(cast, just_closed):
    first = just_closed.submissions.filter(team=cast.red).first()
    type(just_closed).objects.filter(pk=just_closed.pk).update(feedback="after_close")
    first.round.refresh_from_db()
    assert not may_see_rate(cast.alice, first, timezone.now())
    a_process().look()
    sweeper.sweep()
    first.round.refresh_from_db()
    assert may_see_rate(cast.alice, first, timezone.now())


# The process


def test_a_look_is_one_query_and_writes_nothing_where_nobody_waits(cast):
    reporter = a_process()
    before = UploadProcess.objects.get()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        reporter.look()
    assert len(asked) == 1
    assert UploadProcess.objects.get().reported_at == before.reported_at


def test_a_sweep_asks_once_where_nothing_has_closed(cast, settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    with CaptureQueriesContext(connection) as asked:
        assert inflight.note_complete(timezone.now()) == 0
    assert len(asked) == 1


def test_a_database_that_went_away_ends_no_reporter(cast, monkeypatch):
    reporter = a_process()

    def fail(**_):
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(reporter, "look", fail)
    monkeypatch.setattr(inflight.connection, "close", lambda: None)
    reporter._safely(reporter.look)


@pytest.mark.django_db(transaction=True)
def test_a_process_is_known_while_it_takes_uploads():
    inflight.start(Uploads())
    assert UploadProcess.objects.count() == 1
    inflight.stop()
    assert not UploadProcess.objects.exists()


# The page


def test_the_round_says_what_its_results_wait_for(cast, just_closed, as_user):
    reporter = a_process()
    ticket = reporter._uploads.begin(just_closed.closes_at - SECOND, PATH)
    reporter.look()
    address = reverse("round", args=[cast.contest.slug, just_closed.key])
    page = as_user(cast.alice).get(address).content.decode()
    latest = (just_closed.closes_at + GRACE).astimezone(cast.contest.tz)
    assert (
        f"waiting for 1 upload that started before the deadline, until {latest:%H:%M:%S} at the latest"
        in page
    )
    reporter._uploads.end(ticket)
    reporter.look()
    sweeper.sweep()
    assert "on its way" not in as_user(cast.alice).get(address).content.decode()


def test_the_round_of_targets_says_what_they_wait_for_and_updates_itself(
    cast, just_closed, as_user
):
    reporter = a_process()
    ticket = reporter._uploads.begin(just_closed.closes_at - SECOND, PATH)
    reporter.look()
    alice, names = as_user(cast.alice), [cast.contest.slug, "attack"]
    waiting = "waiting for 1 upload that started before the deadline"
    type(cast.contest).objects.update(has_trials=True)
    for page in ("round", "trials"):
        assert waiting in alice.get(reverse(page, args=names)).text
    polled = reverse("round-awaited", args=names)
    part = alice.get(polled, headers={"hx-request": "true"})
    assert waiting in part.text
    assert "HX-Refresh" not in part
    again = alice.get(polled, headers={"if-none-match": part["ETag"]})
    assert again.status_code == 304
    reporter._uploads.end(ticket)
    reporter.look()
    sweeper.sweep()
    assert alice.get(polled, headers={"hx-request": "true"})["HX-Refresh"] == "true"
    assert "awaited" not in alice.get(reverse("round", args=names)).text


def test_no_page_calls_a_contest_finished_before_its_results_are_complete(
    cast, just_closed, as_user
):
    attack = cast.contest.rounds.get(key="attack")
    pipeline.move(attack, just_closed.closes_at, just_closed.closes_at + SECOND)
    alice, slug = as_user(cast.alice), cast.contest.slug
    overview, board = reverse("contest", args=[slug]), reverse("board", args=[slug])
    assert "Results will follow" in alice.get(overview).text
    assert all(
        "results will follow" in alice.get(reverse(name)).text for name in ("home", "contests")
    )
    assert "this board is provisional" in alice.get(board).text
    assert "See the leaderboard" not in alice.get(reverse("round", args=[slug, "attack"])).text
    a_process().look()
    sweeper.sweep()
    unscored = just_closed.submissions.filter(team=cast.red)
    unscored.update(state="running")
    assert "Results will follow" in alice.get(overview).text
    unscored.update(state="scored")
    assert "The results are on the leaderboard. The debriefing" in alice.get(overview).text
    assert "this board is provisional" not in alice.get(board).text
    assert "results will follow" not in alice.get(reverse("home")).text
