# SPDX-License-Identifier: Apache-2.0
"""A running contest at a glance: on the organizer's first page, polled, as CSV, and for programs."""

from __future__ import annotations

import csv
import io
import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from pwscup.contests import services as contests
from pwscup.core.files import space
from pwscup.core.installation import pulse
from pwscup.submissions.live import figures, pages
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import api

LIVE, CSV = "/organize/cup/live/", "/organize/cup/live.csv"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def worker():
    pulse.path().parent.mkdir(parents=True, exist_ok=True)
    pulse.beat()


def place(cast, team, state: str, ago: timedelta, code: str = "") -> Submission:
    """A submission of that state, which arrived so long ago."""
    last = Submission.objects.order_by("-number").first()
    problems = [{"code": code, "params": {}, "file": None, "row": None, "column": None}]
    return Submission.objects.create(
        round=cast.contest.rounds.first(),
        team=team,
        number=last.number + 1 if last else 1,
        state=state,
        arrived_at=timezone.now() - ago,
        problems=problems if code else [],
    )


def live(cast) -> figures.Live:
    found = figures.live_of(cast.contest, timezone.now())
    assert found is not None
    return found


def codes(cast) -> list[str]:
    return [alert.code for alert in live(cast).alerts]


def test_teams_are_active_or_silent_in_the_open_round(noon, cast):
    baseline = factories.make_team(cast.contest, "Noise")
    type(baseline).objects.filter(pk=baseline.pk).update(is_house=True)
    assert live(cast).teams == figures.Teams(2, 0, ("Blue", "Red"))
    place(cast, cast.red, "scored", 30 * HOUR)
    place(cast, cast.red, "rejected", HOUR, "csv.empty")
    found = live(cast)
    assert found.teams == figures.Teams(2, 1, ("Blue",))
    assert (found.round.key, found.is_open) == ("anonymization", True)


def test_hours_are_the_last_24_with_empty_ones(noon, cast):
    place(cast, cast.red, "rejected", 3 * HOUR)
    place(cast, cast.blue, "waiting", 3 * HOUR)
    place(cast, cast.blue, "scored", 24 * HOUR)
    hours = figures.hours(cast.contest, noon)
    assert len(hours) == 24
    assert hours[-1].starts_at == noon
    assert {
        (h.starts_at - noon) / -HOUR: (h.n_received, h.n_rejected) for h in hours if h.n_received
    } == {
        3: (2, 1),
    }


def test_an_hour_before_the_first_is_not_counted(noon, cast):
    place(cast, cast.red, "scored", 23 * HOUR)
    place(cast, cast.red, "scored", 23 * HOUR + MINUTE)
    assert live(cast).n_received == 1


def test_bars_share_one_scale(noon, cast):
    for _ in range(3):
        place(cast, cast.red, "scored", HOUR)
    place(cast, cast.red, "rejected", HOUR, "csv.empty")
    place(cast, cast.red, "scored", 2 * HOUR)
    picture = pages.picture_of(live(cast).hours, cast.contest)
    high, low = picture.bars[-2], picture.bars[-3]
    assert picture.highest == 4
    assert (high.accepted_y, high.accepted_height + high.rejected_height) == (
        picture.top,
        picture.base - picture.top,
    )
    assert high.accepted_height == 3 * high.rejected_height == 3 * low.accepted_height
    assert [bar.label for bar in picture.bars if bar.label] == ["13:00", "19:00", "01:00", "07:00"]


def test_the_queue_and_its_age(noon, cast):
    place(cast, cast.red, "running", 4 * MINUTE)
    place(cast, cast.red, "waiting", 3 * MINUTE)
    place(cast, cast.red, "waiting", 2 * MINUTE)
    assert live(cast).queue == figures.Queue(2, 1, noon - 3 * MINUTE)
    assert codes(cast) == []
    place(cast, cast.blue, "waiting", 6 * MINUTE)
    assert codes(cast) == ["slow_queue"]
    assert "since 11:54" in live(cast).alerts[0].text


def test_refusals_by_their_code(noon, cast):
    for code in ("csv.empty", "csv.empty", "csv.no_header"):
        place(cast, cast.red, "rejected", HOUR, code)
    place(cast, cast.red, "scored", HOUR)
    place(cast, cast.red, "cancelled", HOUR)
    place(cast, cast.red, "rejected", 30 * HOUR, "csv.empty")
    found = live(cast).refusals
    assert (found.n_decided, found.n_rejected, found.share) == (4, 3, 0.75)
    assert [(one.code, one.n) for one in found.codes] == [("csv.empty", 2), ("csv.no_header", 1)]
    assert codes(cast) == []  # so few are no alert
    for _ in range(2):
        place(cast, cast.red, "rejected", HOUR, "csv.empty")
    assert codes(cast) == ["many_refusals"]


def test_other_alerts(noon, cast, monkeypatch):
    place(cast, cast.red, "failed", HOUR)
    monkeypatch.setattr(space, "is_low", lambda: True)
    os.utime(pulse.path(), (time.time() - 600, time.time() - 600))
    assert codes(cast) == ["silent_worker", "disk", "failed"]
    assert "10 minutes" in live(cast).alerts[0].text
    pulse.path().unlink()
    assert "No worker has reported yet" in live(cast).alerts[0].text


def test_deadlines_and_a_pause(noon, cast):
    first, second = cast.contest.rounds.all()
    assert [deadline.at for deadline in live(cast).deadlines] == [
        first.closes_at,
        second.opens_at,
        second.closes_at,
    ]
    contests.pause(actor=cast.oscar, contest=cast.contest, reason="Fire alarm")
    cast.contest.refresh_from_db()
    assert live(cast).deadlines == ()
    assert codes(cast) == ["paused"]


def test_the_first_page_shows_it_while_the_contest_runs(cast, oscar):
    place(cast, cast.red, "rejected", MINUTE, "csv.empty")
    page = oscar.get("/organize/cup/").content.decode()
    assert page.count("<h1") == 1
    assert "The contest is running" in page
    assert f'hx-get="{LIVE}"' in page
    assert "1 team is silent" in page
    assert "csv.empty" in page
    assert '<svg class="live-hours"' in page


@pytest.mark.parametrize("phase", ["before", "after"])
def test_there_is_nothing_live_before_and_after(cast, as_user, phase):
    factories.make_contest("other", organizer=cast.oscar, phase=phase)
    client = as_user(cast.oscar)
    page = client.get("/organize/other/").content.decode()
    assert page.count("<h1") == 1
    assert 'id="live"' not in page
    polled = client.get("/organize/other/live/", headers={"HX-Request": "true"})
    assert (polled.content, polled["HX-Refresh"]) == (b"", "true")


def test_a_poll_costs_nothing_while_nothing_changes(noon, cast, oscar):
    first = oscar.get(LIVE)
    again = oscar.get(LIVE, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    place(cast, cast.red, "scored", MINUTE)
    changed = oscar.get(LIVE, headers={"If-None-Match": first["ETag"]})
    assert (changed.status_code, changed["ETag"] != first["ETag"]) == (200, True)


def test_the_csv_has_every_hour(noon, cast, oscar):
    place(cast, cast.red, "rejected", 3 * HOUR)
    text = oscar.get(CSV).getvalue().decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text))
    assert tuple(header) == pages.HEADER
    assert len(rows) == 24
    assert rows[-4] == ["2031-05-14T09:00:00+09:00", "1", "1"]


def test_programs_read_the_same(noon, cast):
    place(cast, cast.red, "rejected", HOUR, "csv.empty")
    client = api.Program(cast.oscar)
    found = client.get("/organize/contests/cup/live").json()
    assert found["is_running"]
    assert (found["n_teams"], found["n_active"], found["silent"]) == (2, 1, ["Blue"])
    assert found["codes"][0]["code"] == "csv.empty"
    assert len(found["hours"]) == 24
    lines = client.get("/organize/contests/cup/live.csv").getvalue().decode().splitlines()
    assert len(lines) == 25
    factories.make_contest("other", organizer=cast.oscar, phase="before")
    assert client.get("/organize/contests/other/live").json()["is_running"] is False
