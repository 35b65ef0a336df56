# SPDX-License-Identifier: Apache-2.0
"""Boards for the teams alone, and measures whose values nobody but organizers is shown."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from pwscup.contests.models import Contest
from pwscup.contests.policies import may_see_board
from pwscup.contests.rules.measures import visible_measures
from pwscup.core.models import Event
from pwscup.leaderboards.boards.build import BOARDS
from pwscup.leaderboards.models import Standing
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db
PAGES = ("board", "board-fragment", "board-csv", "ceremony", "ceremony-fragment")


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


@pytest.fixture
def closed(cast):
    """A finished contest whose boards are for its teams."""
    board_facts.game(cast.contest)
    Contest.objects.update(board_audience=Contest.Audience.TEAMS)
    return cast.contest


@pytest.mark.parametrize("name", PAGES)
def test_boards_of_the_teams_are_nobody_elses(cast, closed, as_user, name):
    judge = factories.make_user("judge")
    closed.judges.add(judge)
    address = reverse(name, args=[closed.slug])
    people = (cast.alice, cast.bob, cast.carol, cast.oscar, judge, cast.eve)
    assert [as_user(p).get(address).status_code for p in people] == [200] * 5 + [404]
    visitor = as_user(None).get(address)
    assert visitor.status_code == 302
    assert "/accounts/login/" in visitor["Location"]
    assert "next=" in visitor["Location"]


def test_who_may_not_see_the_boards_is_not_led_there(cast, closed, as_user):
    address = reverse("board", args=[closed.slug])
    pages = [reverse("home"), reverse("contest", args=[closed.slug])]
    for user in (None, cast.eve):
        for page in pages:
            html = as_user(user).get(page).content.decode()
            assert f'href="{address}"' not in html, (user, page)
    for user in (cast.alice, cast.oscar):
        for page in pages:
            assert f'href="{address}"' in as_user(user).get(page).content.decode()
    Contest.objects.update(board_audience=Contest.Audience.PUBLIC)
    for page in pages:
        assert f'href="{address}"' in as_user(None).get(page).content.decode()


def test_a_superuser_sees_every_board(closed):
    root = factories.make_user("root", is_superuser=True)
    assert may_see_board(root, closed)


# Hidden measures


@pytest.fixture
def hiding(cast):
    """U5, S2 and EUC2 are hidden; EUC2 is what reached the worst rates."""
    board_facts.game(cast.contest, phase="anonymization")
    Contest.objects.update(hidden_measures=["U5", "S2", "EUC2"])
    return fresh(cast.contest)


SECRETS = ("U5", "S2", "EUC2")
# What the hidden measures say of the three tables: 0.2 0.1 0.3, 2 2 7.7, .95 .35 .2.
VALUES = ("7.7", "95.00", "0.95", "0.35")


def test_hidden_measures_are_in_no_public_answer(cast, hiding, as_user):
    for user in (None, cast.eve, cast.alice, cast.carol):
        for name in ("board", "board-fragment", "board-csv"):
            for board in BOARDS:
                address = reverse(name, args=[hiding.slug])
                answer = as_user(user).get(address, {"board": board})
                body = answer.content.decode()
                assert answer.status_code == 200
                for secret in (*SECRETS, *VALUES):
                    assert f">{secret}<" not in body, (name, board, secret)
                    assert secret not in body or name != "board-csv", (board, secret)
                    assert secret not in VALUES or secret not in body, (name, board, secret)


def test_no_stored_board_of_the_public_holds_a_hidden_value(cast, hiding, as_user):
    address = reverse("board", args=[hiding.slug])
    as_user(None).get(address)
    as_user(cast.oscar).get(address)
    rows = Standing.objects.values_list("variant", "boards", "matrix")
    stored = {variant: boards for variant, *boards in rows}
    assert set(stored) == {"contest//less/live", "contest//all/live"}
    # A moment may have any digits: "47.750543" holds a 7.7.
    public, all_of_it = (
        re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+", "", repr(stored[f"contest//{who}/live"]))
        for who in ("less", "all")
    )
    for secret in (*SECRETS, "7.7", "0.95"):
        assert secret not in public
        assert secret in all_of_it


def test_organizers_see_hidden_measures_and_totals_are_the_same(cast, hiding, as_user):
    address = reverse("board", args=[hiding.slug])
    theirs = as_user(cast.oscar).get(address).context["section"]
    public = as_user(None).get(address).context["section"]
    assert set(theirs["measures"]) - set(public["measures"]) == {"U5", "S2"}
    totals = [
        {row["name"]: (row["rank"], row["total"]) for row in section["rows"]}
        for section in (theirs, public)
    ]
    assert totals[0] == totals[1]
    worst = {row["name"]: (row["worst_rate"], row["worst_hidden"]) for row in public["rows"]}
    assert worst == {"Red": (None, True), "Blue": (0.4, False), "Green": (0.2, False)}
    html = as_user(None).get(address).content.decode()
    assert "hidden" in html


def test_the_ranks_of_a_submission_leave_hidden_measures_out(cast, hiding, as_user):
    red = hiding.teams.get(name="Red").submissions.get()
    address = reverse("submission-ranks", args=[red.public_id])
    mine = as_user(cast.alice).get(address)
    shown = {row["measure"].id for row in mine.context["rows"]}
    assert shown == set(board_facts.MEASURES) - set(SECRETS)
    assert mine.context["standing"].worst_rate is None
    assert "95.00" not in mine.content.decode()
    theirs = as_user(cast.oscar).get(address)
    assert {row["measure"].id for row in theirs.context["rows"]} == set(board_facts.MEASURES)
    assert theirs.context["standing"].worst_rate == 0.95


def test_a_hidden_utility_measure_hides_the_utility_of_a_score_board(client, as_user):
    oscar = factories.make_user("oscar", is_organizer=True)
    played = board_facts.lecture()
    played.contest.organizers.add(oscar)
    Contest.objects.update(hidden_measures=["LOSS"])
    address = reverse("board", args=[played.contest.slug])
    page = client.get(address)
    assert "58.33" not in page.content.decode()
    assert "46.50" in page.content.decode()
    assert page.context["chart"]["stacked"] is False
    assert [s["name"] for s in page.context["chart"]["series"]] == [
        "Protection",
        "Attack",
        "Presentation",
    ]
    csv = client.get(reverse("board-csv", args=[played.contest.slug])).content.decode()
    assert "58.33" not in csv
    assert client.get(address, {"board": "measures"}).context["section"]["measures"] == []
    assert "58.33" in as_user(oscar).get(address).content.decode()


def test_a_hidden_built_in_attack_hides_the_protection_it_stands_for(client):
    contest = board_facts.contest_of("microdata-classroom", n_closed=0)
    table = contest.rounds.first()
    table.opens_at -= 2 * (table.closes_at - table.opens_at)
    table.save()
    Contest.objects.update(hidden_measures=["EUC1"])
    for name, e1, euc1 in (("Red", 0.25, 0.75), ("Blue", 0.5, 0.1)):
        team = factories.make_team(contest, name)
        board_facts.scored(team, table, {"LOSS": 0.5, "E1": e1, "EUC1": euc1})
    page = client.get(reverse("board", args=[contest.slug]))
    cells = {
        row["name"]: {cell["part"]: (cell["value"], cell["hidden"]) for cell in row["cells"]}
        for row in page.context["section"]["rows"]
    }
    assert cells["Red"]["protection"] == (None, True)
    assert cells["Blue"]["protection"] == (50.0, False)


def test_visible_measures_are_those_of_the_viewer(cast, hiding):
    all_of_them = hiding.ruleset.measures
    assert visible_measures(hiding, cast.oscar) == all_of_them
    public = tuple(m for m in all_of_them if m not in SECRETS)
    assert visible_measures(hiding, cast.alice) == visible_measures(hiding, cast.eve) == public


# Who decides


def test_an_organizer_chooses_audience_and_hidden_measures(cast, oscar):
    address = reverse("organize-board", args=[cast.contest.slug])
    assert "Hidden measures" in oscar.get(address).content.decode()
    version = fresh(cast.contest).version
    chosen = {"version": version, "audience": "teams", "hidden_measures": ["U5", "EUC2"]}
    oscar.post(address, chosen)
    contest = fresh(cast.contest)
    assert (contest.board_audience, contest.hidden_measures) == ("teams", ["EUC2", "U5"])
    event = Event.objects.get(kind="contest.board_changed")
    assert event.data == {
        "board_audience": ["public", "teams"],
        "hidden_measures": [[], ["EUC2", "U5"]],
    }
    again = oscar.post(address, chosen, follow=True)
    assert "Another organizer changed this contest" in again.content.decode()
    unknown = oscar.post(address, chosen | {"hidden_measures": ["X9"]})
    assert "X9" in unknown.content.decode()
    assert fresh(cast.contest).hidden_measures == ["EUC2", "U5"]
