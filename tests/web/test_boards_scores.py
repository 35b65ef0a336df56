# SPDX-License-Identifier: Apache-2.0
"""Boards of scores: the lecture contest worked out on paper, by every formula, while it is played."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.leaderboards import services
from pwscup.leaderboards.models import Standing
from scoring.formulas import FORMULAS, PARTS
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db

WEIGHTED = 'formula = "weighted-sum"'
SETTINGS = "\nutility = 30\nprotection = 30\nattack = 20\npresentation = 20"

ON_PAPER = [
    ("harmonic", "", {"Blue": 84.705882353, "Green": 54.545454545, "Red": 42.424242424}),
    ("minimum", "", {"Blue": 80.0, "Green": 50.0, "Red": 33.333333333}),
    ("sum", "", {"Blue": 170.0, "Green": 110.0, "Red": 91.666666667}),
    ("penalised-sum", "", {"Blue": 170.0, "Green": 110.0, "Red": 58.333333333}),
    # k = 1: the table of Blue alone, whose own cell counts its worst rate
    ("top-k-attack", "\nk = 1", {"Blue": 10.0, "Red": 10.0, "Green": 0.0}),
    # R(10) with p = 1/2 is 9 hits: nobody had success, everybody withstood all
    (
        "binomial-threshold",
        "\nn = 10\np = 0.5\nalpha = 0.05",
        {"Blue": 50.0, "Green": 50.0, "Red": 50.0},
    ),
    # R(10) with p = 1/4 is 6 hits: 2/3 of Red's records were found; the others lose 0.2 and 0.5
    (
        "surviving-loss",
        "\nn = 10\np = 0.25\nalpha = 0.05",
        {"Blue": 0.2, "Green": 0.5, "Red": 9999.0},
    ),
]


def boards(contest, now=None, **asked):
    contest = Contest.objects.get(pk=contest.pk)
    return services.boards_of(contest, now or timezone.now(), **asked).data


def totals(section):
    return {row["name"]: (row["rank"], row["total"]) for row in section["rows"]}


def cells(section):
    return {
        row["name"]: {cell["part"]: cell["value"] for cell in row["cells"]}
        for row in section["rows"]
    }


def by_formula(formula: str, settings: str = ""):
    loss = '\nloss_measure = "LOSS"' if "loss" in FORMULAS[formula].uses else ""
    return ((WEIGHTED, f'formula = "{formula}"{loss}'), (SETTINGS, settings))


def test_the_lecture_contest_worked_out_by_hand():
    section = boards(board_facts.lecture().contest)["score"]
    assert cells(section) == {
        "Red": {
            "utility": 58.333333333,
            "protection": 33.333333333,
            "attack": 25.0,
            "presentation": 70.0,
        },
        "Blue": {
            "utility": 80.0,
            "protection": 90.0,
            "attack": 43.333333333,
            "presentation": 50.0,
        },
        "Green": {"utility": 50.0, "protection": 60.0, "attack": 25.0, "presentation": None},
    }
    # .3·80 + .3·90 + .2·43.33 + .2·50; 17.5 + 10 + 5 + 14; 15 + 18 + 5 + 0
    assert totals(section) == {
        "Blue": (1, 69.666666667),
        "Red": (2, 46.5),
        "Green": (3, 38.0),
    }
    assert section["missing"] == []


@pytest.mark.parametrize(
    ("formula", "chosen", "expected"),
    ON_PAPER,
)
def test_every_formula_makes_a_board(client, formula, chosen, expected):
    played = board_facts.lecture(replace=by_formula(formula, chosen))
    section = boards(played.contest)["score"]
    assert {name: total for name, (_, total) in totals(section).items()} == expected
    assert section["parts"] == [part for part in FORMULAS[formula].uses if part in PARTS]
    page = client.get(reverse("board", args=[played.contest.slug]))
    assert page.status_code == 200
    for total in expected.values():
        assert f"{total:.2f}" in page.content.decode()


def test_every_formula_is_worked_out_on_paper():
    assert {formula for formula, _, _ in ON_PAPER} | {"part-ranks", "weighted-sum"} == set(FORMULAS)


def test_equal_totals_are_parted_by_the_tie_breaks():
    replace = (
        *by_formula("top-k-attack", "\nk = 1"),
        ('["protection", "utility", "earlier"]', '["earlier"]'),
    )
    played = board_facts.lecture(replace=replace)
    first = played.submissions["Red"]
    first.arrived_at -= timedelta(minutes=1)
    first.save()
    section = boards(played.contest)["score"]
    assert totals(section) == {"Red": (1, 10.0), "Blue": (2, 10.0), "Green": (3, 0.0)}
    broken = {row["name"]: row["tie_broken_by"] for row in section["rows"]}
    assert broken == {"Red": "earlier", "Blue": "earlier", "Green": None}


# While it is played


def test_before_the_attack_is_shown_utility_alone_is_known(client):
    played = board_facts.lecture(n_closed=1)
    section = boards(played.contest)["score"]
    assert section["missing"] == ["protection", "attack", "presentation"]
    assert totals(section) == {
        "Blue": (1, 80.0),
        "Red": (2, 58.333333333),
        "Green": (3, 50.0),
    }
    assert cells(section)["Red"] == {
        "utility": 58.333333333,
        "protection": None,
        "attack": None,
        "presentation": None,
    }
    page = client.get(reverse("board", args=[played.contest.slug])).content.decode()
    assert "Provisional" in page
    assert "protection from the teams" in page


def test_a_formula_that_needs_the_attack_has_no_ranks_before_it():
    played = board_facts.lecture(n_closed=1, replace=by_formula("harmonic"))
    section = boards(played.contest)["score"]
    assert [(row["name"], row["rank"], row["total"]) for row in section["rows"]] == [
        ("Blue", None, None),
        ("Red", None, None),
        ("Green", None, None),
    ]
    assert cells(section)["Green"] == {"utility": 50.0, "protection": None}


def test_built_in_attacks_stand_for_protection_until_the_teams_attacks_are_shown():
    contest = board_facts.contest_of("microdata-classroom", n_closed=0)
    first, attack = contest.rounds.all()
    teams = {name: factories.make_team(contest, name) for name in ("Red", "Blue")}
    values = {"Red": (0.4, 0.25, 0.1), "Blue": (0.2, 0.5, 0.75)}
    released = []
    for name, (loss, e1, e2) in values.items():
        submission = board_facts.scored(teams[name], first, {"LOSS": loss, "E1": e1, "EUC1": e2})
        released.append(submission)
    section = boards(contest, first.opens_at + timedelta(hours=1))["score"]
    assert section["is_built_in"]
    assert cells(section)["Red"]["protection"] == 75.0
    assert cells(section)["Blue"]["protection"] == 25.0
    # 40 : 40, because no attack is known: (60 + 75)/2 and (80 + 25)/2
    assert totals(section) == {"Red": (1, 67.5), "Blue": (2, 52.5)}
    releases = [board_facts.release(submission, attack) for submission in released]
    board_facts.scored(teams["Red"], attack, board_facts.rate_of(0.3), target=releases[1])
    section = boards(contest, attack.closes_at)["score"]
    assert not section["is_built_in"]
    assert cells(section)["Blue"]["protection"] == 70.0
    # (40·60 + 40·100 + 20·30)/100 and (40·80 + 40·70 + 0)/100
    assert totals(section) == {"Red": (1, 70.0), "Blue": (2, 60.0)}


def test_marks_are_shown_once_the_presentations_are_over(client):
    played = board_facts.lecture()
    close = played.presentation.closes_at
    before = boards(played.contest, close - timedelta(microseconds=1))["score"]
    assert {row["presentation"] for row in cells(before).values()} == {None}
    assert before["missing"] == ["presentation"]
    # without presentations: (30·58.33 + 30·33.33 + 20·25)/80
    assert totals(before)["Red"] == (3, 40.625)
    key = services.boards_of(played.contest, close - timedelta(microseconds=1)).key
    board_facts.mark(played, "Green", "first", (100, 100, 100))
    assert services.boards_of(played.contest, close - timedelta(microseconds=1)).key == key
    after = boards(played.contest, close)["score"]
    assert cells(after)["Green"]["presentation"] == 100.0


def test_presentations_without_any_mark_are_still_missing():
    played = board_facts.lecture()
    played.presentation.marks.all().delete()
    section = boards(played.contest)["score"]
    assert section["missing"] == ["presentation"]
    assert totals(section)["Red"] == (3, 40.625)


def test_a_new_mark_changes_the_board():
    played = board_facts.lecture()
    assert cells(boards(played.contest)["score"])["Blue"]["presentation"] == 50.0
    board_facts.mark(played, "Blue", "second", (100, 70, 100))
    assert cells(boards(played.contest)["score"])["Blue"]["presentation"] == 70.0


def test_a_team_that_did_nothing_has_no_rank():
    played = board_facts.lecture()
    factories.make_team(played.contest, "Aaa")
    section = boards(played.contest)["score"]
    assert section["rows"][-1]["name"] == "Aaa"
    assert (section["rows"][-1]["rank"], section["rows"][-1]["total"]) == (None, None)


# Pages and files


def test_score_boards_have_their_own_tabs_files_and_picture(client):
    played = board_facts.lecture()
    address = reverse("board", args=[played.contest.slug])
    page = client.get(address)
    assert [tab["key"] for tab in page.context["tabs"]] == ["score", "measures", "matrix"]
    chart = page.context["chart"]
    assert (chart["stacked"], chart["teams"]) == (True, ["Blue", "Red", "Green"])
    stacked = [sum(s["values"][i] or 0 for s in chart["series"]) for i in range(3)]
    assert stacked == pytest.approx([69.666666667, 46.5, 38.0])
    assert client.get(address, {"board": "overall"}).status_code == 404
    answer = client.get(reverse("board-csv", args=[played.contest.slug]))
    lines = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    assert lines[0] == [
        "rank", "team", "house_team", "total",
        "utility", "protection", "attack", "presentation", "tie_broken_by",
    ]  # fmt: skip
    assert lines[3] == ["3", "Green", "0", "38.0", "50.0", "60.0", "25.0", "", ""]
    measures = client.get(address, {"board": "measures"})
    assert measures.context["section"]["measures"] == ["LOSS"]
    matrix = client.get(address, {"board": "matrix"})
    assert [row["name"] for row in matrix.context["section"]["defenders"]] == [
        "Blue",
        "Red",
        "Green",
    ]


def test_other_formulas_are_drawn_part_by_part(client):
    played = board_facts.lecture(replace=by_formula("harmonic"))
    chart = client.get(reverse("board", args=[played.contest.slug])).context["chart"]
    assert chart["stacked"] is False
    assert [series["values"][0] for series in chart["series"]] == [80.0, 90.0]


def test_the_number_of_queries_does_not_grow_with_the_teams(client):
    def count(address):
        Standing.objects.all().delete()
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    played = board_facts.lecture()
    address = reverse("board", args=[played.contest.slug])
    few = count(address)
    for i in range(27):
        team = factories.make_team(played.contest, f"team {i}")
        table = board_facts.scored(team, played.anonymization, {"LOSS": 0.1})
        target = board_facts.release(table, played.attack)
        for name in ("Red", "Blue"):
            rate = board_facts.rate_of(0.5)
            board_facts.scored(played.teams[name], played.attack, rate, target=target)
    assert count(address) == few
