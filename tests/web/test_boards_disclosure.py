# SPDX-License-Identifier: Apache-2.0
"""The boards of a contest about a hidden table: worked out on paper, shown late, the same for everybody."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.core.files import storage
from pwscup.disclosure import ledger
from pwscup.disclosure.models import Answer, BatchRelease, epsilon_of
from pwscup.leaderboards import services
from pwscup.leaderboards.boards.build import DISCLOSURE_BOARDS
from pwscup.leaderboards.models import Standing
from pwscup.submissions.models import Choice, Ruling, Submission
from scoring.formats.disclosure.curves import asked_once
from tests import factories
from tests.web.disclosure_facts import HOUR, answer, estimate, game

pytestmark = pytest.mark.django_db


def boards(contest, now=None, **asked):
    contest = Contest.objects.get(pk=contest.pk)
    return services.boards_of(contest, now or timezone.now(), **asked).data


def column(rows, *names):
    return {row["name"]: tuple(row.get(name) for name in names) for row in rows}


def of_round(section, key):
    return [row for row in section["rows"] if row["round"] == key]


def parsed(response):
    return list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"), newline="")))


def answers(client, contest, **asked):
    """All that the public gets of the boards."""
    return {
        (name, board): client.get(
            reverse(name, args=[contest.slug]), {"board": board, **asked}
        ).content
        for name in ("board-fragment", "board-csv")
        for board in DISCLOSURE_BOARDS
    }


# Values worked out on paper (disclosure_facts)


def test_the_boards_of_the_rounds():
    section = boards(game().contest)["estimates"]
    assert section["measures"] == ["table-L2", "table-spearman"]
    batch, interactive = of_round(section, "batch"), of_round(section, "interactive")
    assert [(row["name"], row["rank"], row.get("total")) for row in batch] == [
        ("Blue", 1, 1.0),
        ("Green", 2, 2.0),
        ("Red", 3, 2.5),
        ("Grey", None, None),
    ]
    assert [(row["name"], row["rank"], row.get("total")) for row in interactive] == [
        ("Red", 1, 1.0),
        ("Blue", 2, 2.0),
        ("Green", None, None),
        ("Grey", None, None),
    ]
    ranks = {row["name"]: [cell["rank"] for cell in row.get("cells", [])] for row in batch}
    assert ranks == {"Blue": [1, 1], "Green": [1, 3], "Red": [3, 2], "Grey": []}


def test_the_comparison():
    section = boards(game().contest)["comparison"]
    assert column(section["rows"], "rank", "total", "submitted") == {
        "Blue": (1, 1.5, True),
        "Red": (2, 1.75, True),
        "Green": (3, 3.0, True),
        "Grey": (None, None, False),
    }
    cells = {row["name"]: [c["total"] for c in row["cells"]] for row in section["rows"]}
    assert cells["Red"] == [2.5, 1.0]
    assert cells["Green"] == [2.0, None]


def test_the_earlier_estimate_parts_equal_totals():
    rows = boards(equals())["comparison"]["rows"]
    assert column(rows, "rank", "total", "tie_broken_by") == {
        "Red": (1, 1.5, "earlier"),
        "Blue": (2, 1.5, "earlier"),
    }


def equals():
    """Red and Blue win a round each; Red was done an hour earlier."""
    contest = factories.make_dp_contest(phase="after")
    batch, interactive = contest.rounds.order_by("position")
    for name, one, other, late in (("Blue", 2.0, 8.0, 3 * HOUR), ("Red", 1.0, 9.0, 2 * HOUR)):
        team = factories.make_team(contest, name)
        estimate(team, batch, (one, -one), batch.opens_at + HOUR)
        estimate(team, interactive, (other, -other), interactive.opens_at + late)
    return contest


def test_a_missing_rank_correlation_is_the_last():
    played = game()
    estimate(played.teams["Blue"], played.batch, (30.0, None), played.batch.closes_at - HOUR)
    rows = of_round(boards(played.contest)["estimates"], "batch")
    assert column(rows, "total", "rank")["Blue"] == (2.5, 3)


def test_a_choice_and_a_ruling_decide_what_counts():
    played = game()
    Choice.objects.create(
        submission=played.submissions["Red", "first"],
        team=played.teams["Red"],
        round=played.interactive,
    )
    section = boards(played.contest)
    assert column(of_round(section["estimates"], "interactive"), "total")["Red"] == (2.0,)
    counting = [row["counts"] for row in section["curve"]["rows"] if row["name"] == "Red"]
    assert counting == [True, True, False]
    Ruling.objects.create(
        team=played.teams["Blue"],
        submission=played.submissions["Blue", "batch"],
        kind=Ruling.Kind.WITHDRAWN,
    )
    Ruling.objects.create(team=played.teams["Green"], kind=Ruling.Kind.DISQUALIFIED)
    section = boards(played.contest)
    assert [row["name"] for row in section["comparison"]["rows"]] == ["Red", "Blue", "Grey"]
    assert [(row["name"], row["round"]) for row in section["curve"]["rows"]] == [
        ("Red", "batch"),
        ("Red", "interactive"),
        ("Red", "interactive"),
        ("Blue", "interactive"),
    ]


# The budget curve


def test_every_estimate_stands_at_what_its_team_had_spent():
    played = game()
    rows = boards(played.contest)["curve"]["rows"]
    found = [(row["round"], row["name"], row["epsilon"], row["value"]) for row in rows]
    assert sorted(found) == [
        ("batch", "Blue", "1", 30.0),
        ("batch", "Green", "1", 30.0),
        ("batch", "Red", "1", 40.0),
        ("interactive", "Blue", "0", 9.0),
        ("interactive", "Red", "0.25", 20.0),
        ("interactive", "Red", "0.75", 5.0),
    ]
    formulas = {row["epsilon"]: row["asked_once"] for row in rows}
    assert formulas["0"] is None
    assert formulas["0.25"] == pytest.approx(asked_once(6, 0.25))


def test_the_line_is_the_formula():
    curve = boards(game().contest)["curve"]
    assert curve["n_cells"] == 6
    assert curve["line"][-1] == [1.0, pytest.approx(asked_once(6, 1))]
    assert len(curve["line"]) == 60
    assert all(value == pytest.approx(asked_once(6, at)) for at, value in curve["line"])


def test_a_release_costs_what_was_released():
    played = game()
    table = storage.store(b"sex\nF\n", area=storage.Area.PUBLISHED, name="batch.csv")
    BatchRelease.objects.create(round=played.batch, table=table, cost=2_000_000, n_records=12)
    rows = of_round(boards(played.contest)["curve"], "batch")
    assert {row["epsilon"] for row in rows} == {"2"}


def spent_before(submission):
    """What the team's answers before this estimate cost, one by one."""
    asked = Answer.objects.filter(team=submission.team, round=submission.round)
    return sum(a.epsilon for a in asked if a.asked_at < submission.arrived_at)


def test_spent_before_says_what_the_ledger_says():
    played = game()
    annotated = Submission.objects.filter(round=played.interactive).annotate(
        spent=ledger.spent_before("arrived_at")
    )
    found = {s.pk: epsilon_of(s.spent) for s in annotated}
    assert found == {s.pk: spent_before(s) for s in annotated}
    assert len(set(found.values())) == 3


def test_an_answer_asked_as_the_estimate_arrives_is_not_what_it_was_made_from():
    played = game(asked=False)
    at = played.submissions["Red", "first"].arrived_at
    answer(played.teams["Red"], played.interactive, "0.125", at)
    rows = of_round(boards(played.contest)["curve"], "interactive")
    assert [row["epsilon"] for row in rows if row["name"] == "Red"] == ["0", "0.125"]


# What is shown when


def test_nothing_is_shown_before_the_last_round_is_settled(client):
    """A mark of the batch round is exact, and tells of the table that is still being asked."""
    played = game()
    now = timezone.now()
    shift(played.contest, now - played.interactive.closes_at + timedelta(minutes=5))
    data = boards(played.contest)
    assert not any(data[name]["rows"] for name in DISCLOSURE_BOARDS)
    assert data["live"]
    before = answers(client, played.contest)
    estimate(played.teams["Green"], played.interactive, (0.5, 1.0))
    estimate(played.teams["Green"], played.batch, (0.25, 1.0))
    answer(played.teams["Green"], played.interactive, "0.9", timezone.now())
    assert answers(client, played.contest) == before
    Standing.objects.all().delete()
    assert answers(client, played.contest) == before
    shift(played.contest, -timedelta(hours=1))
    assert answers(client, played.contest) != before


def test_before_that_there_is_only_a_date(client):
    played = game(phase="batch")
    page = client.get(reverse("board", args=[played.contest.slug])).content.decode()
    assert "The comparison is shown when the last round about the hidden table has closed." in page
    shown_at = boards(played.contest)["comparison"]["shown_at"]
    assert shown_at == played.interactive.closes_at.isoformat()
    assert "countdown" in page
    assert "Red" not in page


def shift(contest, by):
    for round in contest.rounds.all():
        round.opens_at += by
        round.closes_at += by
        round.save()


def test_hidden_measures_stay_hidden_and_enter_the_totals(client, cast, as_user):
    played = game()
    played.contest.organizers.add(cast.oscar)
    before = boards(played.contest)
    played.contest.hidden_measures = ["table-L2"]
    played.contest.save()
    board = reverse("board", args=[played.contest.slug])
    for name in DISCLOSURE_BOARDS:
        page = client.get(board, {"board": name})
        assert "40" not in re.sub(r"<[^>]*>", "", page.content.decode()), name
    shown = client.get(board, {"board": "estimates"}).context["section"]
    assert shown["measures"] == ["table-spearman"]
    assert [row.get("total") for row in shown["rows"]] == [
        row.get("total") for row in before["estimates"]["rows"]
    ]
    curve = client.get(board, {"board": "curve"})
    assert curve.context["section"]["rows"] == curve.context["section"]["line"] == []
    assert "hide the distances" in curve.content.decode()
    theirs = as_user(cast.oscar).get(board, {"board": "curve"}).context["section"]
    assert len(theirs["rows"]) == 6


def test_a_division_ranks_its_own():
    played = game()
    division = Division.objects.create(contest=played.contest, key="students", title="Students")
    played.contest.teams.exclude(name="Blue").update(division=division)
    section = boards(played.contest, division=division)
    assert column(section["comparison"]["rows"], "rank", "total") == {
        "Red": (1, 1.25),  # batch: ranks 2 and 1
        "Green": (2, 2.25),  # batch: 1 and 2; interactive: the last of three
        "Grey": (None, None),
    }
    assert {row["name"] for row in section["curve"]["rows"]} == {"Red", "Green"}


# Pages and downloads


@pytest.mark.parametrize("name", DISCLOSURE_BOARDS)
def test_every_board_has_its_page(cast, as_user, name):
    contest = factories.make_dp_contest(phase="after")
    factories.make_team(contest, "Red", cast.alice)
    played = game(contest=contest)
    page = as_user(cast.alice).get(reverse("board", args=[contest.slug]), {"board": name})
    html = page.content.decode()
    assert 'class="mine"' in html
    assert 'hx-trigger="every' not in html
    assert html.count('aria-current="page"') >= 1
    for other in DISCLOSURE_BOARDS:
        assert f"board={other}" in html
    assert "Anonymization" not in html.partition("<main")[2]
    assert played.contest.title in html


def test_the_first_page_is_the_comparison(client):
    played = game()
    page = client.get(reverse("board", args=[played.contest.slug]))
    assert page.context["board"] == "comparison"
    assert client.get(
        reverse("board", args=[played.contest.slug]), {"board": "matrix"}
    ).status_code == (404)


def test_the_charts_data_is_the_tables(client):
    played = game()
    page = client.get(reverse("board", args=[played.contest.slug]), {"board": "curve"})
    chart = page.context["chart"]
    points = [(p["team"], p["x"], p["y"]) for series in chart["series"] for p in series["points"]]
    rows = page.context["section"]["rows"]
    assert points == [(row["name"], float(row["epsilon"]), row["value"]) for row in rows]
    assert json.dumps(chart["line"]) in page.content.decode()


def test_an_exact_estimate_has_a_place_on_a_logarithmic_axis(client):
    played = game()
    estimate(played.teams["Green"], played.interactive, (0.0, 1.0))
    chart = client.get(reverse("board", args=[played.contest.slug]), {"board": "curve"}).context[
        "chart"
    ]
    lowest = min(p["y"] for series in chart["series"] for p in series["points"])
    assert lowest == 2.5
    assert "L2 0" in str(chart)


def test_the_downloads(client):
    played = game()

    def lines(board):
        return parsed(client.get(reverse("board-csv", args=["dp"]), {"board": board}))

    assert played.contest.slug == "dp"
    assert lines("comparison")[:3] == [
        ["rank", "team", "house_team", "total", "batch_total", "batch_rank",
         "interactive_total", "interactive_rank", "tie_broken_by"],
        ["1", "Blue", "0", "1.5", "1.0", "1", "2.0", "2", ""],
        ["2", "Red", "0", "1.75", "2.5", "3", "1.0", "1", ""],
    ]  # fmt: skip
    estimates = lines("estimates")
    assert estimates[0] == [
        "round", "rank", "team", "house_team", "total",
        "table-L2", "table-L2_rank", "table-spearman", "table-spearman_rank",
    ]  # fmt: skip
    assert estimates[1] == ["batch", "1", "Blue", "0", "1.0", "30.0", "1", "0.9", "1"]
    assert estimates[4] == ["batch", "", "Grey", "0", "", "", "", "", ""]
    curve = lines("curve")
    assert curve[0] == [
        "round",
        "team",
        "house_team",
        "epsilon",
        "table-L2",
        "asked_once",
        "counts",
    ]
    assert ["interactive", "Blue", "0", "0", "9.0", "", "1"] in curve


# What the boards cost


def grown(n_teams):
    contest = factories.make_dp_contest(f"dp-{n_teams}", phase="after")
    batch, interactive = contest.rounds.order_by("position")
    for i in range(n_teams):
        team = factories.make_team(contest, f"team {i}")
        answer(team, interactive, "0.125", interactive.opens_at + HOUR)
        for round in (batch, interactive):
            estimate(team, round, (1.0 + i, 0.5), round.opens_at + 2 * HOUR)
    return contest


def n_queries(client, address):
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_the_number_of_queries_does_not_grow_with_the_teams(client):
    contests = [grown(3), grown(30)]
    for name in DISCLOSURE_BOARDS:
        counts = []
        for contest in contests:
            Standing.objects.all().delete()
            address = f"{reverse('board', args=[contest.slug])}?board={name}"
            counts.append([n_queries(client, address), n_queries(client, address)])
        assert counts[0] == counts[1], name
        assert counts[0][1] < counts[0][0]


@pytest.mark.long
def test_stored_boards_are_the_boards_made_anew(client):
    played = game()
    first = answers(client, played.contest)
    built = Standing.objects.values_list("built_at", flat=True).get()
    assert answers(client, played.contest) == first
    assert Standing.objects.values_list("built_at", flat=True).get() == built
    Standing.objects.all().delete()
    assert answers(client, played.contest) == first


def test_every_fact_makes_them_anew():
    played = game()
    contest = Contest.objects.get(pk=played.contest.pk)
    keys = [services.boards_of(contest, timezone.now()).key]

    def changed():
        keys.append(services.boards_of(contest, timezone.now()).key)
        return keys[-1] not in keys[:-1]

    assert not changed()
    answer(played.teams["Blue"], played.interactive, "0.1", played.interactive.opens_at)
    assert changed()
    estimate(played.teams["Green"], played.interactive, (1.0, 1.0))
    assert changed()
    assert Answer.objects.count() == 3
