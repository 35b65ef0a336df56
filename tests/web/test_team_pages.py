# SPDX-License-Identifier: Apache-2.0
"""Pages of teams: places and entries as the boards show them, ranks over time, and names by consent only."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.names.pictures import TONES, cells_of, picture, tone_of
from pwscup.contests.models import Contest
from pwscup.core.models import Event
from pwscup.leaderboards import history
from pwscup.leaderboards.services import boards_of
from pwscup.participants import teams
from pwscup.submissions.models import Ruling
from tests import factories
from tests.web import board_facts
from tests.web.api import Program
from tests.web.test_boards_frozen import freeze, fresh, long_ago, plain

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def address(team) -> str:
    return reverse("team-page", args=[team.contest.slug, team.pk])


@pytest.fixture
def played(cast):
    game = board_facts.game(cast.contest)
    long_ago(game)
    return game


def page_of(viewer, played, name):
    contest = fresh(played.contest)
    return teams.page_of(viewer, contest, contest.teams.get(name=name).pk, timezone.now())


def test_a_picture_follows_from_the_name_and_is_symmetric():
    assert picture("Red") == picture("Red") != picture("Blue")
    for name in ("Red", "Blue", "力チーム", ""):
        assert 0 <= tone_of(name) < TONES
        assert {(4 - x, y) for x, y in cells_of(name)} == set(cells_of(name))
    assert len({picture(f"team {n}") for n in range(200)}) > 195


def test_places_are_those_of_the_boards(cast, played, as_user):
    boards = boards_of(fresh(played.contest), timezone.now())
    for name in ("Red", "Blue", "Green"):
        found = page_of(cast.eve, played, name)
        for place in found.standings:
            rows = {row["name"]: row for row in boards.section(place.board)["rows"]}
            assert (place.rank, place.total) == (rows[name]["rank"], rows[name].get("total"))
        assert [place.board for place in found.standings] == ["overall", "anonymization", "attack"]
        assert found.history[-1].rank == found.standings[0].rank
    text = as_user(None).get(address(cast.red)).text
    assert "Red" in text
    assert 'class="team-picture' in text
    assert "Rank over time" in text
    rate = next(place.rate for place in page_of(cast.eve, played, "Red").standings[2:])
    assert f">{100 * rate:.2f} %<" in text


def test_the_ranks_over_time_as_csv_are_those_of_the_page(cast, played, client):
    page = page_of(cast.eve, played, "Red")
    text = client.get(address(page.team) + "history.csv").content.decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text))
    assert tuple(header) == teams.HISTORY_HEADER
    assert [row[1:] for row in rows] == [
        [str(seen.rank), str(seen.n_ranked), str(seen.total)] for seen in page.history
    ]
    assert len(rows) > 1


def test_the_history_is_what_the_boards_were(cast, played):
    contest = fresh(played.contest)
    anonymization, attack = contest.rounds.order_by("position")
    points = history.history_of(contest, timezone.now())
    assert [point.at for point in points] == sorted(point.at for point in points)
    assert len(points) <= history.N_POINTS
    assert all(anonymization.opens_at < point.at for point in points)
    during = points[:-1]  # the rates of the attack are shown last
    assert during[-1].at < attack.closes_at
    # the anonymization board: totals 23/12, 23/12, 7/4
    green = cast.contest.teams.get(name="Green")
    assert {point.places[green.pk].rank for point in during} == {1}
    boards = boards_of(contest, timezone.now())
    last = {row["team"]: row["rank"] for row in boards.section("overall")["rows"]}
    assert {team: place.rank for team, place in points[-1].places.items()} == last


def test_names_of_members_are_shown_by_consent_only(cast, played, as_user):
    page = address(cast.red)
    for user in (None, cast.eve, cast.carol):
        text = as_user(user).get(page).text
        assert "Alice" not in text
        assert "Bob" not in text
        assert "2 members do not show their names." in text
    for user in (cast.alice, cast.bob, cast.oscar):
        assert "Bob" in as_user(user).get(page).text
    own = reverse("team-profile", args=["cup"])
    assert (
        as_user(cast.bob).post(own, {"shows_name": "on", "affiliation": "Lab"}).status_code == 302
    )
    text = as_user(None).get(page).text
    assert "Bob" in text
    assert "Alice" not in text
    assert "Lab" not in text
    as_user(cast.alice).post(own, {"affiliation": "Lab of Red"})
    text = as_user(None).get(page).text
    assert "Lab of Red" in text
    assert "Alice" not in text
    assert "Bob" in text
    events = Event.objects.filter(kind="team.profile_changed")
    assert "Lab" not in str(list(events.values_list("data", flat=True)))
    as_user(cast.bob).post(own, {})
    assert "Bob" not in as_user(None).get(page).text


def test_a_frozen_board_ends_the_page(cast, played, as_user):
    contest = played.contest
    at = timezone.now() - HOUR
    freeze(contest, at)
    before = plain(as_user(None).get(address(cast.blue)))
    anonymization = contest.rounds.get(key="anonymization")
    board_facts.scored(
        cast.red, anonymization, board_facts.values_of(board_facts.GREEN), at=at + HOUR / 2
    )
    late = factories.make_team(contest, "Latecomers")
    assert plain(as_user(None).get(address(cast.blue))) == before
    assert b"frozen" in before[2]
    assert all(seen.at <= at for seen in page_of(cast.eve, played, "Red").history)
    assert as_user(None).get(address(late)).status_code == 404
    assert as_user(cast.oscar).get(address(late)).status_code == 200


def test_hidden_rounds_and_measures_do_not_show(cast, as_user):
    """Canary: nothing of a round whose values are hidden, not even the number of its submissions."""
    contest = cast.contest
    round = contest.rounds.get(key="anonymization")
    type(round).objects.filter(pk=round.pk).update(feedback="after_close")
    team = contest.teams.get(name="Red")
    empty = as_user(None).get(address(team)).content
    board_facts.scored(
        team, fresh(contest).rounds.get(pk=round.pk), board_facts.values_of(board_facts.RED)
    )
    assert as_user(None).get(address(team)).content == empty
    assert b"No results that everybody may see yet." in empty


def test_a_board_for_teams_only_closes_the_page(cast, played, as_user):
    Contest.objects.filter(pk=played.contest.pk).update(board_audience=Contest.Audience.TEAMS)
    answers = {
        name: as_user(user).get(address(cast.red)).status_code
        for name, user in {"visitor": None, "eve": cast.eve, "carol": cast.carol}.items()
    }
    assert answers == {"visitor": 302, "eve": 404, "carol": 200}


def test_a_disqualified_team_has_no_page(cast, played, as_user):
    Ruling.objects.create(
        team=cast.red, kind=Ruling.Kind.DISQUALIFIED, reason="x", decided_by=cast.oscar
    )
    assert as_user(None).get(address(cast.red)).status_code == 404
    assert as_user(cast.alice).get(address(cast.red)).status_code == 200


def test_the_number_of_queries_does_not_grow_with_the_teams(cast, played):
    def n_queries() -> int:
        with CaptureQueriesContext(connection) as context:
            page_of(AnonymousUser(), played, "Red")
        return len(context)

    factories.make_team(cast.contest, "One")
    few = n_queries()
    for n in range(20):
        factories.make_team(cast.contest, f"More {n}")
    assert n_queries() <= few


def test_the_api_gives_the_same(cast, played):
    found = Program(cast.eve).get(f"/contests/cup/teams/{cast.red.pk}").json()
    page = page_of(cast.eve, played, "Red")
    assert [place["rank"] for place in found["places"]] == [one.rank for one in page.standings]
    assert found["members"] == []
    assert found["n_members"] == 2
    assert [point["rank"] for point in found["history"]] == [seen.rank for seen in page.history]
