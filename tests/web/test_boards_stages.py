# SPDX-License-Identifier: Apache-2.0
"""Boards of a season's stages and of divisions."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.leaderboards import scope, services
from pwscup.leaderboards.models import Standing
from pwscup.submissions.models import Submission
from pwscup.submissions.selectors import attacked_round
from scoring.registry import MEASURES
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db


def boards(contest, now=None, **asked):
    contest = Contest.objects.get(pk=contest.pk)
    return services.boards_of(contest, now or timezone.now(), **asked).data


def ranks(section):
    return {row["name"]: row["rank"] for row in section["rows"]}


def totals(section):
    return {row["name"]: row["total"] for row in section["rows"]}


def season(n_closed: int = 4):
    """Red attacks best in the preliminary, Blue in the final."""
    contest = board_facts.contest_of("pwscup2015-season", n_closed=n_closed, slug="season")
    teams = {name: factories.make_team(contest, name) for name in ("Red", "Blue")}
    first, first_attack, last, last_attack = contest.rounds.all()
    for table, attack, best in ((first, first_attack, "Red"), (last, last_attack, "Blue")):
        published = {}
        for name, team in teams.items():
            values = board_facts.values_of(board_facts.GREEN if name == best else board_facts.RED)
            published[name] = board_facts.release(board_facts.scored(team, table, values), attack)
        other = {"Red": "Blue", "Blue": "Red"}
        for name, team in teams.items():
            rate = board_facts.rate_of(0.5 if name == best else 0.1)
            board_facts.scored(team, attack, rate, target=published[other[name]])
    return contest


# Stages


def test_the_stage_is_the_one_that_opened_last():
    contest = board_facts.contest_of("pwscup2015-season", n_closed=0)
    first, attack, last, last_attack = contest.rounds.all()
    moments = {
        timezone.now(): ("preliminary", first, attack),
        attack.closes_at: ("preliminary", first, attack),
        last.opens_at: ("final", last, last_attack),
        last_attack.closes_at + timedelta(days=9): ("final", last, last_attack),
    }
    for now, (key, table, about) in moments.items():
        stage = scope.scope_of(contest, now).stage
        assert (stage.spec.key, stage.anonymization, stage.attack) == (key, table, about)
    for attack_round in (attack, last_attack):
        stage = scope.scope_of(contest, timezone.now(), stage=attack_round.spec.stage).stage
        assert stage.attack == attack_round
        assert stage.anonymization == attacked_round(attack_round)


def test_a_stage_has_its_own_boards(client):
    contest = season()
    assert boards(contest)["overall"] == boards(contest, stage="final")["overall"]
    assert ranks(boards(contest, stage="preliminary")["overall"]) == {"Red": 1, "Blue": 2}
    assert ranks(boards(contest, stage="final")["overall"]) == {"Blue": 1, "Red": 2}
    address = reverse("board", args=[contest.slug])
    page = client.get(address, {"stage": "preliminary", "board": "attack"})
    assert [(tab["title"], tab["active"]) for tab in page.context["stages"]] == [
        ("Preliminary", True),
        ("Final", False),
    ]
    assert "stage=preliminary" in page.context["csv_url"]
    assert "stage=preliminary" in page.context["fragment_url"]
    assert all("stage=preliminary" in tab["url"] for tab in page.context["tabs"])
    for name in ("board", "board-fragment", "board-csv"):
        unknown = client.get(reverse(name, args=[contest.slug]), {"stage": "semifinal"})
        assert unknown.status_code == 404


def test_a_contest_of_one_stage_shows_no_stages(client):
    contest = factories.make_contest()
    page = client.get(reverse("board", args=[contest.slug]))
    assert page.context["stages"] == []
    assert "season" not in [tab["key"] for tab in page.context["tabs"]]
    assert client.get(reverse("board", args=[contest.slug]), {"board": "season"}).status_code == 404


def test_the_season_weighs_the_totals_of_its_stages(client):
    contest = season()
    section = boards(contest, is_season=True)["season"]
    # Both tables share the first rank, the attack ranks are 1 and 2, and the other way round.
    assert totals(boards(contest, stage="preliminary")["overall"]) == {"Red": 1.0, "Blue": 1.5}
    assert totals(section) == {"Blue": 1.05, "Red": 1.45}
    assert [stage["weight"] for stage in section["stages"]] == [1, 9]
    page = client.get(reverse("board", args=[contest.slug]), {"board": "season"})
    assert "Preliminary counts 1" in page.content.decode()
    assert "Final counts 9" in page.content.decode()
    answer = client.get(reverse("board-csv", args=[contest.slug]), {"board": "season"})
    lines = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    assert lines[1] == ["1", "Blue", "0", "1.05", "1.5", "2", "1.0", "1", ""]


def test_the_season_is_of_no_invented_stage(client):
    """Each would be an answer of its own in the memory of polls and of rendered boards."""
    contest = season()
    address = reverse("board-fragment", args=[contest.slug])
    for stage, status in (("final", 200), ("invented", 404)):
        query = {"board": "season", "stage": stage}
        assert client.get(address, query).status_code == status, stage


def test_a_stage_enters_the_season_when_its_attacks_are_shown(client):
    contest = season(n_closed=3)
    section = boards(contest, is_season=True)["season"]
    assert totals(section) == {"Red": 1.0, "Blue": 1.5}
    assert [stage["shown"] for stage in section["stages"]] == [True, False]
    page = client.get(reverse("board", args=[contest.slug]), {"board": "season"})
    assert "not known yet, left out" in page.content.decode()
    early = board_facts.contest_of("pwscup2015-season", n_closed=1, slug="early")
    assert not boards(early, is_season=True)["season"]["shown"]
    page = client.get(reverse("board", args=["early"]), {"board": "season"})
    assert "shown when the attack round of a stage has closed" in page.content.decode()


def test_who_missed_a_stage_counts_there_as_the_last():
    contest = season()
    table = contest.rounds.get(key="final-anonymization")
    late = factories.make_team(contest, "Late")
    board_facts.release(
        board_facts.scored(late, table, board_facts.values_of(board_facts.BLUE)),
        contest.rounds.get(key="final-attack"),
    )
    section = boards(contest, is_season=True)["season"]
    row = next(row for row in section["rows"] if row["name"] == "Late")
    assert row["cells"][0] == {"total": None, "rank": None}
    final = totals(boards(contest, stage="final")["overall"])["Late"]
    assert row["total"] == round((3 + 9 * final) / 10, 9)


def test_measures_weigh_as_the_rules_say(client):
    contest = factories.make_contest()
    text = contest.ruleset_text
    start = text.index("[scoring]\n")
    listed = text[start : text.index("]\n", start + 10) + 2]
    weighed = "".join(
        f'[[scoring.measure]]\nid = "{measure}"\n'
        f'direction = "{MEASURES[measure].direction}"\nweight = {4 if measure == "U5" else 1}\n'
        for measure in board_facts.MEASURES
    )
    contest.ruleset_text = text.replace(listed, weighed)
    contest.save()
    board_facts.game(contest, phase="anonymization")
    rows = boards(contest)["anonymization"]["rows"]
    # Red 1 1 1 1 2·4 1 over 9
    assert {r["name"]: r["utility_rank"] for r in rows}["Red"] == round(13 / 9, 9)
    page = client.get(reverse("board", args=[contest.slug])).content.decode()
    assert "U5 × 4" in page


@pytest.mark.parametrize(
    ("tie_break", "expected"),
    [
        ("", {"Green": 1, "Red": 2, "Blue": 2}),
        ("utility", {"Green": 1, "Red": 2, "Blue": 3}),  # LOSS .25 and .5
        ("protection", {"Green": 1, "Red": 3, "Blue": 2}),  # worst rates .95 and .4
        ("earlier", {"Green": 1, "Red": 3, "Blue": 2}),
    ],
)
def test_tie_breaks_part_equal_places_of_the_overall_board(tie_break, expected):
    """Without any guess the three share the first rank of attack; Red and Blue are second in the other."""
    contest = factories.make_contest()
    text = contest.ruleset_text.replace('"U1", "U2"', '"LOSS", "U1", "U2"', 1)
    keys = f"tie_breaks = {json.dumps([tie_break] if tie_break else [])}"
    contest.ruleset_text = text.replace("[ranking]", f'[ranking]\nutility_measure = "LOSS"\n{keys}')
    contest.save()
    played = board_facts.game(contest)
    for submission, row, loss in (("Red", board_facts.RED, 0.25), ("Blue", board_facts.BLUE, 0.5)):
        values = board_facts.values_of(row) | {"LOSS": loss}
        board_facts.evaluate(played.submissions[submission], values)
    Submission.objects.filter(round=played.attack).delete()
    blue = played.submissions["Blue"]
    blue.arrived_at -= timedelta(minutes=1)
    blue.save()
    section = boards(contest)["overall"]
    assert ranks(section) == expected
    assert totals(section) == {"Green": 1.0, "Red": 1.5, "Blue": 1.5}


# Divisions


def divided():
    """Red and Green are students; Blue, which attacks them, is not."""
    contest = factories.make_contest()
    students = Division.objects.create(contest=contest, key="students", title="Students")
    other = Division.objects.create(contest=contest, key="others", title="Others", position=1)
    played = board_facts.game(contest)
    for name, division in (("Red", students), ("Green", students), ("Blue", other)):
        played.teams[name].division = division
        played.teams[name].save()
    played.students = students
    return played


def test_a_division_is_ranked_anew_and_attacked_by_all():
    played = divided()
    board_facts.scored(
        played.teams["Blue"],
        played.attack,
        board_facts.rate_of(0.99),
        target=played.releases["Red"],
    )
    made = boards(played.contest, division=played.students)
    anonymization = made["anonymization"]
    assert {row["name"] for row in anonymization["rows"]} == {"Red", "Green"}
    worst = {row["name"]: (row["worst_rate"], row["worst_by"]) for row in anonymization["rows"]}
    assert worst == {"Red": (0.99, "Blue"), "Green": (0.97, "Red")}
    # Utility of two teams: Red 1 1 1 1 1 1, Green 2 2 2 2 2 2; safety Red 2 2 2, Green 1 1 1.
    assert totals(anonymization) == {"Red": 1.5, "Green": 1.5}
    attack = {row["name"]: (row["rank"], row["mean_rate"]) for row in made["attack"]["rows"]}
    assert attack == {"Red": (1, 0.785), "Green": (2, 0.3)}
    matrix = made["matrix"]
    assert {row["name"] for row in matrix["defenders"]} == {"Red", "Green"}
    teams = [row["name"] for row in matrix["rows"] if not row["attack"]]
    assert teams == ["Red", "Green", "Blue"]
    assert made["n_teams"] == 2


def test_the_pages_of_a_division(client):
    played = divided()
    address = reverse("board", args=[played.contest.slug])
    page = client.get(address, {"division": "students", "board": "overall"})
    assert [(tab["title"], tab["active"]) for tab in page.context["divisions"]] == [
        ("All teams", False),
        ("Students", True),
        ("Others", False),
    ]
    html = page.content.decode()
    assert "Attacks by teams of other divisions count as well" in html
    assert "Blue" not in html.split("<tbody>")[1].split("</tbody>")[0]
    everybody = client.get(address, {"board": "overall"})
    assert "Blue" in everybody.content.decode()
    answer = client.get(
        reverse("board-csv", args=[played.contest.slug]),
        {"board": "attack", "division": "students"},
    )
    assert "Blue" not in answer.content.decode()
    assert 'filename="cup-students-attack.csv"' in answer["Content-Disposition"]
    for name in ("board", "board-fragment", "board-csv"):
        unknown = reverse(name, args=[played.contest.slug])
        assert client.get(unknown, {"division": "nobody"}).status_code == 404


def test_scores_of_a_division_are_those_of_the_whole_contest():
    played = board_facts.lecture()
    division = Division.objects.create(contest=played.contest, key="d", title="D")
    for name in ("Red", "Green"):
        played.teams[name].division = division
        played.teams[name].save()
    made = boards(played.contest, division=division)["score"]
    assert totals(made) == {"Red": 46.5, "Green": 38.0}
    assert ranks(made) == {"Red": 1, "Green": 2}


def test_a_change_of_division_is_a_change_of_the_boards(client):
    played = divided()
    before = boards(played.contest, division=played.students)
    played.teams["Green"].division = None
    played.teams["Green"].save()
    after = boards(played.contest, division=played.students)
    assert (before["n_teams"], after["n_teams"]) == (2, 1)


# What is stored


def test_as_many_boards_are_kept_as_there_is_room_for(client, monkeypatch):
    monkeypatch.setattr(services, "MAX_VARIANTS", 3)
    played = divided()
    for division in ("", "students", "others"):
        for stage in ("", "contest"):
            address = reverse("board", args=[played.contest.slug])
            assert client.get(address, {"division": division, "stage": stage}).status_code == 200
    assert Standing.objects.count() == 3
    monkeypatch.setattr(services, "MAX_VARIANTS", 2)
    Division.objects.create(contest=played.contest, key="new", title="New")
    client.get(reverse("board", args=[played.contest.slug]), {"division": "new"})
    assert Standing.objects.count() == 2


@pytest.mark.parametrize("query", ["division", "stage", "board"])
def test_a_board_whose_name_no_database_takes_is_not_found(cast, as_user, query):
    """PostgreSQL takes no NUL, not even to compare with it."""
    assert as_user(None).get(reverse("board", args=["cup"]), {query: "\0"}).status_code == 404
