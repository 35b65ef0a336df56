# SPDX-License-Identifier: Apache-2.0
"""The best teams over time: no more than the boards showed, and the picture of utility against safety."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.core.charts import Line, chart_of
from pwscup.core.db import revisions
from pwscup.leaderboards.history import course
from pwscup.leaderboards.history.course import N_BEST, over_time
from pwscup.leaderboards.pictures.scatter import _covers, _front, _is_left
from pwscup.leaderboards.services import boards_of
from tests import factories
from tests.web import board_facts, series_facts
from tests.web.test_boards_frozen import long_ago

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def contest():
    return factories.make_contest()


@pytest.fixture
def played(contest):
    made = board_facts.game(contest)
    long_ago(made)
    return made


def page_of(client, contest) -> str:
    return client.get(reverse("board-history", args=[contest.slug])).text


def test_the_last_time_is_the_board_of_now(contest, played):
    now = timezone.now()
    over = over_time(contest, now)
    rows = boards_of(contest, now).section("overall")["rows"]
    expected = {row["name"]: (row["rank"], row["total"]) for row in rows}
    assert {c.name: (c.rank, c.total) for c in over.courses} == expected
    assert all(c.totals[-1] == c.total and c.ranks[-1] == c.rank for c in over.courses)
    assert over.best == over.courses[:N_BEST]


def test_entries_are_those_of_the_pages_of_teams(contest, played, client):
    over = over_time(contest, timezone.now())
    assert {c.name: c.n_entries for c in over.courses} == {"Red": 3, "Blue": 2, "Green": 3}
    for one in over.courses:
        page = client.get(reverse("team-page", args=[contest.slug, one.team])).context["found"]
        assert sum(entry.n for entry in page.entries) == one.n_entries
        assert max(entry.last_at for entry in page.entries) == one.last_at
    assert '<th scope="col" class="num course course-entries">Entries</th>' in page_of(
        client, contest
    )


def test_every_team_has_its_place_and_the_best_have_a_line(contest, played, client, monkeypatch):
    monkeypatch.setattr(course, "N_BEST", 2)
    over = over_time(contest, timezone.now())
    assert [c.rank for c in over.courses] == [1, 2, 3]
    assert [c.name for c in over.best] == [line.title for line in over.chart.lines]
    assert len(over.best) == 2
    assert all(c.name in page_of(client, contest) for c in over.courses)


def test_every_line_has_a_value_in_the_table_for_each_of_its_dots(contest, played):
    over = over_time(contest, timezone.now())
    assert len(over.times) > 1
    for one, line in zip(over.best, over.chart.lines, strict=True):
        assert line.title == one.name
        assert len(line.dots) == sum(total is not None for total in one.totals)
    assert [at for at, _totals in over.rows] == list(over.times)


def test_a_line_marks_where_results_of_a_round_came(client, contest, played):
    """The totals before it are of another board."""
    over = over_time(contest, timezone.now())
    came = [r for r in contest.rounds.all() if over.times[0] < r.results_at < over.times[-1]]
    assert came
    assert over.marked == "Results: " + ", ".join(round.local_title for round in came)
    assert list(over.chart.marks) == sorted(over.chart.marks)
    dots = [dot.x for dot in over.chart.lines[0].dots]
    for round, x in zip(came, over.chart.marks, strict=True):
        n_before = sum(at < round.results_at for at in over.times)
        assert dots[n_before - 1] < x < dots[n_before]
    page = page_of(client, contest)
    assert page.count('class="line-mark"') == len(came)
    assert over.marked in page


def test_the_download_has_the_values_of_the_page(client, contest, played):
    answer = client.get(reverse("board-history-csv", args=[contest.slug]))
    lines = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    over = over_time(contest, timezone.now())
    assert len(lines) == len(over.times) * len(over.courses)
    last = {line["team"]: line["rank"] for line in lines if line["time"] == lines[-1]["time"]}
    assert last == {c.name: str(c.rank) for c in over.courses}


def test_nothing_is_shown_before_the_boards_show_it(client, contest):
    board_facts.game(contest, phase="attack")
    Contest.objects.update(board_audience=Contest.Audience.TEAMS)
    assert client.get(reverse("board-history", args=[contest.slug])).status_code == 302
    unknown = reverse("board-history", args=[contest.slug]) + "?stage=nowhere"
    Contest.objects.update(board_audience=Contest.Audience.PUBLIC)
    assert client.get(unknown).status_code == 404


def test_a_freeze_ends_the_lines(client, contest, played):
    frozen_at = played.attack.closes_at - HOUR
    Contest.objects.update(frozen_at=frozen_at)
    over = over_time(Contest.objects.get(pk=contest.pk), timezone.now())
    assert over.frozen_at == frozen_at
    assert all(at <= frozen_at for at in over.times)
    assert "frozen" in page_of(client, contest)


def test_a_name_is_text_on_the_page(client, contest, played):
    contest.teams.filter(name="Red").update(name="</script><b>=1+1")
    assert "<b>=1+1" not in page_of(client, contest)


def test_no_point_covers_the_name_of_another():
    alone, beside = (0.5, 0.9), (0.1, 0.5)
    assert not _is_left(0, [alone, beside])
    assert _is_left(0, [alone, (0.55, 0.9)])  # a point to the right
    assert not _is_left(0, [(0.1, 0.9), (0.15, 0.9)])  # no room to the left: the name stands above
    assert _covers(0, [(0.1, 0.9), (0.15, 0.9)], 1)
    assert not _covers(0, [(0.1, 0.9), (0.15, 0.7)], 1)
    assert _is_left(0, [(0.9, 0.5)])


def test_a_measure_of_a_series_stands_at_the_axis_by_its_name(client):
    contest = series_facts.made_up().contest
    page = client.get(reverse("board", args=[contest.slug]), {"board": "anonymization"}).text
    assert "↑ Utility: " in page
    assert "↑ Utility: series-" not in page


def test_no_line_lies_on_an_edge_of_its_chart(contest, played):
    over = over_time(contest, timezone.now())
    assert over.chart is not None
    ys = [dot.y for line in over.chart.lines for dot in line.dots]
    assert over.chart.top < min(ys)
    assert max(ys) < over.chart.bottom


def test_the_axis_has_round_numbers():
    lines = [Line("Red", "own", [1.42, 4.5])]
    options = {"label": "", "text": str, "low": 1.42, "high": 4.5}
    ticks = chart_of(lines, [0, 1], ["a", "b"], **options).ticks
    assert [float(tick.text) for tick in ticks] == [2, 3, 4]
    ranks = options | {"low": 1, "high": 6, "is_whole": True}
    ticks = chart_of(lines, [0, 1], ["a", "b"], **ranks).ticks
    assert [tick.text for tick in ticks] == ["1", "3", "5"]


def test_the_front_has_whom_nobody_beats_in_both():
    assert _front([(0.1, 0.9), (0.5, 0.5), (0.4, 0.4), (0.9, 0.1), (0.9, 0.05)]) == {
        (0.1, 0.9),
        (0.5, 0.5),
        (0.9, 0.1),
    }


def test_a_stage_that_was_shown_only_at_its_end_has_no_link(client, contest, played):
    board = reverse("board", args=[contest.slug])
    assert "Score over time" in client.get(board).text
    contest.rounds.update(feedback="after_close")
    for round in contest.rounds.all():  # both are shown with the last one
        round.closes_at = played.attack.closes_at
        round.save()
    revisions.touch(contest.pk)
    assert over_time(contest, timezone.now()).chart is None
    page = client.get(board).text
    assert "Score over time" not in page
    assert "data-moves" not in page
