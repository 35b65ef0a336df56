# SPDX-License-Identifier: Apache-2.0
"""The boards of a contest of sequential release, from results whose ranks are worked out on paper."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.leaderboards import services
from pwscup.leaderboards.boards.build import BOARDS, SCORE_BOARDS
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.leaderboards.models import Standing
from pwscup.submissions.models import Ruling
from scoring.rulesets import load_ruleset
from tests import factories
from tests.web import board_facts, series_facts
from tests.web.series_facts import OF_TABLES, download, page, text_of, weighted

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def boards(contest, now=None, **asked):
    contest = Contest.objects.get(pk=contest.pk)
    return services.boards_of(contest, now or timezone.now(), **asked).data


def rows_of(section):
    return {row["name"]: row for row in section["rows"]}


def column(section, *names):
    return {row["name"]: tuple(row.get(name) for name in names) for row in section["rows"]}


# Results worked out on paper


def test_the_boards_on_paper():
    found = boards(series_facts.made_up().contest)
    assert found["live"] is False
    assert column(found["anonymization"], "rank", "utility_rank", "safety_rank", "worst_by") == {
        "Blue": (1, 1.5, 1.25, "Red"),
        "Green": (2, 2.166666667, 1.25, "Blue"),
        "Red": (3, 1.333333333, 2.75, "Blue"),
    }
    assert column(found["attack"], "rank", "mean_rate") == {
        "Blue": (1, 0.5),
        "Green": (2, 0.25),
        "Red": (3, 0.125),
    }
    assert column(found["overall"], "rank", "total") == {
        "Blue": (1, 1.0),
        "Green": (2, 2.0),
        "Red": (3, 3.0),
    }


def test_before_the_attacks_are_over_only_the_risks_are_ranked(client):
    played = series_facts.made_up(n_closed=1)
    found = boards(played.contest)
    assert column(found["anonymization"], "safety_rank", "worst_rate", "worst_rank") == {
        "Green": (1.0, None, None),
        "Blue": (1.333333333, None, None),
        "Red": (3.0, None, None),
    }
    assert not any(found[name]["shown"] for name in ("attack", "overall", "matrix"))
    for name in ("attack", "overall", "matrix"):
        assert "when the attack round has closed" in text_of(page(client, played.contest, name))


def test_equal_series_share_a_place():
    played = series_facts.made_up(n_closed=0)
    blue = {"n_people": 4} | dict(
        zip(series_facts.MEASURES, series_facts.RESULTS["Blue"], strict=True)
    )
    board_facts.scored(played.teams["Red"], played.release, blue)
    found = boards(played.contest)["anonymization"]
    ranks = {name: row["rank"] for name, row in rows_of(found).items()}
    assert ranks["Red"] == ranks["Blue"] == 1
    assert ranks["Green"] == 3


def test_a_hidden_risk_counts_and_is_shown_to_nobody(client):
    played = series_facts.made_up()
    before = column(boards(played.contest)["anonymization"], "rank", "total")
    Contest.objects.filter(pk=played.contest.pk).update(hidden_measures=["series-risk-max"])
    shown = page(client, played.contest, "anonymization")
    assert column(shown.context["section"], "rank", "total") == before
    assert "series-risk-max" not in shown.content.decode()
    assert "series-risk-mean" in shown.content.decode()
    lines = download(client, played.contest, "anonymization")
    assert {name for name in lines[0] if "risk" in name} == {
        "series-risk-mean",
        "series-risk-mean_rank",
        "series-risk-share",
        "series-risk-share_rank",
    }


def test_a_disqualified_team_and_its_attacks_are_on_no_board():
    played = series_facts.made_up()
    Ruling.objects.create(team=played.teams["Blue"], kind=Ruling.Kind.DISQUALIFIED)
    found = boards(played.contest)
    assert set(rows_of(found["overall"])) == {"Red", "Green"}
    assert column(found["anonymization"], "worst_rate", "worst_by") == {
        "Red": (0.5, "Green"),
        "Green": (0.0, "Red"),
    }


def test_a_division_is_ranked_by_itself_and_attacked_by_all(client):
    played = series_facts.made_up()
    students = Division.objects.create(contest=played.contest, key="students", title="Students")
    for name in ("Red", "Green"):
        played.teams[name].division = students
        played.teams[name].save()
    found = boards(played.contest, division=students)
    assert column(found["anonymization"], "rank", "worst_rate", "worst_by") == {
        "Green": (1, 0.5, "Blue"),
        "Red": (2, 0.5, "Blue"),
    }
    assert [row["name"] for row in found["matrix"]["rows"]] == ["Green", "Red", "Blue"]
    assert page(client, played.contest, "overall", division="students").status_code == 200


def test_a_frozen_board_tells_of_nothing_later(client):
    played = series_facts.made_up()
    first = played.contest.rounds.earliest("opens_at")
    played.contest.teams.update(created_at=first.opens_at - HOUR)
    for release in played.releases.values():
        type(release).objects.filter(pk=release.pk).update(created_at=played.attack.opens_at)
    frozen_at = played.attack.closes_at - HOUR
    Contest.objects.filter(pk=played.contest.pk).update(frozen_at=frozen_at)
    before = {name: page(client, played.contest, name).content for name in BOARDS}
    assert b"The leaderboard is frozen" in before["overall"]
    late = series_facts.add_guess(played, "Green", "Blue", 1.0)
    type(late).objects.filter(pk=late.pk).update(arrived_at=frozen_at + HOUR / 2)
    Standing.objects.all().delete()
    assert {name: page(client, played.contest, name).content for name in BOARDS} == before
    Contest.objects.filter(pk=played.contest.pk).update(frozen_at=None)
    assert rows_of(boards(played.contest)["anonymization"])["Blue"]["worst_rate"] == 1.0


def test_a_ceremony_reveals_the_order(client):
    played = series_facts.made_up()
    organizer = factories.make_user("oscar", is_organizer=True)
    played.contest.organizers.add(organizer)
    frozen_at = played.attack.closes_at - HOUR
    Contest.objects.filter(pk=played.contest.pk).update(frozen_at=frozen_at)
    contest = Contest.objects.get(pk=played.contest.pk)
    stage = contest.ruleset.stages[0].key
    ceremony = ceremonies.start(actor=organizer, contest=contest, stage=stage)
    assert [[row["name"] for row in place["rows"]] for place in ceremony.places] == [
        ["Red"],
        ["Green"],
        ["Blue"],
    ]
    ceremonies.move(actor=organizer, contest=contest, ceremony_id=ceremony.pk, seen=0, to="all")
    shown = text_of(client.get(reverse("ceremony", args=[contest.slug])))
    assert not OF_TABLES.search(shown)
    assert shown.index("Blue") < shown.index("Green") < shown.index("Red")


# Other formulas, and a season


def test_scores_with_the_width_of_boxes_for_utility(client):
    played = weighted()
    found = boards(played.contest)
    parts = found["score"]["parts"]
    cells = {
        name: {cell["part"]: cell["value"] for cell in row["cells"]}
        for name, row in rows_of(found["score"]).items()
    }
    assert parts == ["utility", "protection", "attack"]
    assert cells["Red"] == pytest.approx({"utility": 80, "protection": 50, "attack": 12.5})
    assert cells["Blue"] == pytest.approx({"utility": 70, "protection": 75, "attack": 50})
    assert cells["Green"] == pytest.approx({"utility": 70, "protection": 50, "attack": 25})
    for name, row in rows_of(found["score"]).items():
        of = cells[name]
        total = (30 * of["utility"] + 30 * of["protection"] + 20 * of["attack"]) / 80
        assert row["total"] == pytest.approx(total, abs=1e-9)
    assert [row["name"] for row in found["score"]["rows"]] == ["Blue", "Red", "Green"]
    assert found["measures"]["measures"] == list(series_facts.MEASURES)
    words = text_of(page(client, played.contest, "score"))
    assert "100 × (1 − series-extent)" in words
    assert "the highest accuracy over the baseline that another team reached" in words
    for name in SCORE_BOARDS:
        assert not OF_TABLES.search(text_of(page(client, played.contest, name))), name


def test_scores_before_the_attacks_are_over(client):
    played = weighted(n_closed=1)
    found = boards(played.contest)["score"]
    assert column(found, "total")["Red"] == (80.0,)
    assert "attacks on the other teams' releases" in text_of(page(client, played.contest, "score"))


def season_text() -> tuple[str, str]:
    """The rounds of the ruleset, and the same rounds twice in stages that count 1 : 3."""
    text = load_ruleset("sequential-release").text
    rounds = text[text.index("[[round]]") : text.index("[scoring]")]
    stages = "".join(
        f'[[stage]]\nkey = "{key}"\nweight = {weight}\ntitle.en = "{key.title()}"\ntitle.ja = "{key}"\n\n'
        for key, weight in (("spring", 1), ("autumn", 3))
    )
    twice = "".join(
        re.sub(r'(?m)^key = "(release|attack)"', rf'key = "{key}-\1"\nstage = "{key}"', rounds)
        for key in ("spring", "autumn")
    )
    return rounds, stages + twice


def test_a_season_of_two_stages(client):
    contest = board_facts.contest_of("sequential-release", n_closed=4, replace=(season_text(),))
    teams = {name: factories.make_team(contest, name) for name in ("Red", "Blue")}
    rounds = list(contest.rounds.order_by("position"))
    other = {"Red": "Blue", "Blue": "Red"}
    for first, attack, best in ((*rounds[:2], "Red"), (*rounds[2:], "Blue")):
        published = {}
        for name, team in teams.items():
            row = series_facts.RESULTS["Blue" if name == best else "Green"]
            values = dict(zip(series_facts.MEASURES, row, strict=True))
            published[name] = board_facts.release(board_facts.scored(team, first, values), attack)
        for name, team in teams.items():
            rate = {"n_records": 4, "hits": 2, "rate": 0.25 if name == best else 0.0}
            board_facts.scored(team, attack, rate, target=published[other[name]])
    assert column(boards(contest, stage="spring")["overall"], "total") == {
        "Red": (1.0,),
        "Blue": (2.0,),
    }
    section = boards(contest, is_season=True)["season"]
    assert column(section, "rank", "total") == {"Blue": (1, 1.25), "Red": (2, 1.75)}
    words = text_of(page(client, contest, "season"))
    assert "Spring counts 1" in words
    assert not OF_TABLES.search(words)


# How one series stands


def test_the_ranks_of_a_series(as_user):
    played = series_facts.made_up()
    carol = factories.make_user("carol")
    played.teams["Green"].memberships.create(user=carol, contest=played.contest)
    address = reverse("submission-ranks", args=[played.submissions["Green"].public_id])
    answer = as_user(carol).get(address)
    assert {row["measure"].id: row["rank"] for row in answer.context["rows"]} == dict(
        zip(series_facts.MEASURES, (2, 3, 3, 1, 1, 3, 1, 1, 1), strict=True)
    )
    words = text_of(answer)
    assert "highest accuracy over the baseline that another team reached: 50.00 % (rank 2)" in words
    assert not OF_TABLES.search(words)
