# SPDX-License-Identifier: Apache-2.0
"""The boards: values worked out on paper, what counts, what is hidden, and for whom."""

from __future__ import annotations

import csv
import gzip
import io
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from benchmarks.boards import play
from pwscup.contests.models import Contest, Round
from pwscup.leaderboards import services
from pwscup.leaderboards.boards import sections
from pwscup.leaderboards.boards.build import BOARDS
from pwscup.leaderboards.boards.heat import heat, top_of
from pwscup.leaderboards.models import Standing
from pwscup.submissions.models import Choice, Submission
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest():
    return factories.make_contest()


def boards(contest, now=None):
    contest = Contest.objects.get(pk=contest.pk)
    return services.boards_of(contest, now or timezone.now()).data


def column(rows, *names):
    return {row["name"]: tuple(row[name] for name in names) for row in rows}


def parsed(response):
    text = response.content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def every_answer(client, contest):
    """All bytes that the public gets of the boards."""
    page = [
        client.get(reverse("board-fragment", args=[contest.slug]), {"board": b}) for b in BOARDS
    ]
    table = [client.get(reverse("board-csv", args=[contest.slug]), {"board": b}) for b in BOARDS]
    return [(answer.status_code, answer.content, answer["ETag"]) for answer in page + table]


# Values worked out on paper (board_facts)


def test_the_anonymization_board_before_the_attack(contest):
    board_facts.game(contest, phase="anonymization")
    section = boards(contest)["anonymization"]
    assert column(section["rows"], "utility_rank", "safety_rank", "total", "rank") == {
        "Green": (2.5, 1.0, 1.75, 1),
        "Red": (1.166666667, 2.666666667, 1.916666667, 2),
        "Blue": (1.833333333, 2.0, 1.916666667, 2),
    }
    assert [row["name"] for row in section["rows"]] == ["Green", "Blue", "Red"]
    assert column(section["rows"], "worst_rate", "worst_by", "worst_rank", "worst_by_team") == {
        "Red": (0.95, "EUC2", 3, False),
        "Blue": (0.4, "E3", 2, False),
        "Green": (0.2, "E2", 1, False),
    }
    assert section["measures"] == ["U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2"]
    ranks = {row["name"]: [cell["rank"] for cell in row["cells"]] for row in section["rows"]}
    assert ranks == {
        "Red": [1, 1, 1, 1, 2, 1, 3, 2],
        "Blue": [2, 3, 1, 3, 1, 1, 2, 2],
        "Green": [2, 2, 3, 2, 3, 3, 1, 1],
    }


def test_the_anonymization_board_with_the_teams_attacks(contest):
    board_facts.game(contest)
    rows = boards(contest)["anonymization"]["rows"]
    assert column(rows, "worst_rate", "worst_by", "safety_rank", "total", "rank") == {
        "Red": (0.95, "EUC2", 2.333333333, 1.75, 1),
        "Blue": (0.6, "Red", 1.666666667, 1.75, 1),
        "Green": (0.97, "Red", 1.666666667, 2.083333333, 3),
    }


def test_the_attack_board(contest):
    board_facts.game(contest)
    rows = boards(contest)["attack"]["rows"]
    assert column(rows, "mean_rate", "n_guessed", "n_targets", "rank") == {
        "Red": (0.785, 2, 2, 1),
        "Green": (0.3, 2, 2, 2),
        "Blue": (0.25, 1, 2, 3),
    }


def test_the_attack_board_by_the_median_as_the_rules_say(contest):
    contest.ruleset_text = contest.ruleset_text.replace(
        "[ranking]\n", '[ranking]\nattackers = "median"\n'
    )
    contest.save()
    board_facts.game(contest)
    board = boards(contest)["attack"]
    assert board["average"] == "median"
    values = {rate for _, rate in board_facts.GUESSES.items()}
    assert {row["mean_rate"] for row in board["rows"]} - values  # of two rates it is their mean
    assert column(board["rows"], "rank")["Red"] == (1,)


def test_the_overall_board(contest):
    board_facts.game(contest)
    rows = boards(contest)["overall"]["rows"]
    assert column(rows, "anonymization_rank", "attack_rank", "total", "rank") == {
        "Red": (1, 1, 1.0, 1),
        "Blue": (1, 3, 2.0, 2),
        "Green": (3, 2, 2.5, 3),
    }


def test_the_overall_board_follows_the_rulesets_weights(contest):
    contest.ruleset_text = contest.ruleset_text.replace(
        "anonymization_weight = 0.5", "anonymization_weight = 0.25"
    ).replace("attack_weight = 0.5", "attack_weight = 0.75")
    contest.save()
    board_facts.game(contest)
    rows = boards(contest)["overall"]["rows"]
    assert column(rows, "total") == {"Red": (1.0,), "Blue": (2.5,), "Green": (2.25,)}


def test_the_matrix_has_the_teams_then_the_built_in_attacks(contest):
    board_facts.game(contest)
    matrix = boards(contest)["matrix"]
    assert [row["name"] for row in matrix["defenders"]] == ["Blue", "Red", "Green"]
    rates = {row["name"]: [cell["rate"] for cell in row["cells"]] for row in matrix["rows"]}
    assert rates == {
        "Red": [0.6, None, 0.97],
        "Green": [0.2, 0.4, None],
        "Blue": [None, 0.5, None],
        "E1": [0.25, 0.5, 0.1],
        "E2": [0.3, 0.9, 0.2],
        "E3": [0.4, 0.1, 0.1],
        "E4": [0.4, 0.2, 0.1],
        "EUC1": [0.3, 0.9, None],
        "EUC2": [0.35, 0.95, 0.2],
    }
    own = {
        (row["name"], i) for row in matrix["rows"] for i, c in enumerate(row["cells"]) if c["own"]
    }
    assert own == {("Red", 1), ("Green", 2), ("Blue", 0)}


def test_a_missing_value_ranks_as_the_number_of_teams(contest):
    played = board_facts.game(contest, phase="anonymization")
    board_facts.scored(
        played.teams["Red"],
        played.anonymization,
        board_facts.values_of(board_facts.RED) | {"U1": None},
    )
    rows = boards(contest)["anonymization"]["rows"]
    first = {row["name"]: row["cells"][0] for row in rows}
    assert first["Red"] == {"value": None, "rank": 3, "best": False}
    assert {first[name]["rank"] for name in ("Blue", "Green")} == {1}


def test_teams_without_a_submission_stand_at_the_end_and_count_as_last(contest):
    played = board_facts.game(contest)
    factories.make_team(contest, "Aaa")
    attacker = factories.make_team(contest, "Bbb")
    target = played.releases["Green"]
    board_facts.scored(attacker, played.attack, board_facts.rate_of(0.9), target=target)
    made = boards(contest)
    assert [(r["name"], r["rank"]) for r in made["anonymization"]["rows"][-2:]] == [
        ("Aaa", None),
        ("Bbb", None),
    ]
    overall = made["overall"]["rows"]
    assert overall[-1]["name"] == "Aaa"
    assert overall[-1]["rank"] is None
    # Bbb: no table, so the last of five ranks; 0.9 over three targets is the second best mean, a tie with Green.
    assert column(overall, "anonymization_rank", "attack_rank", "total")["Bbb"] == (5, 2, 3.5)
    assert made["attack"]["rows"][-1]["name"] == "Aaa"


# What counts


def test_the_latest_submission_counts_until_another_is_chosen(contest):
    played = board_facts.game(contest, phase="anonymization")
    red, first = played.teams["Red"], played.submissions["Red"]
    better = board_facts.values_of(board_facts.RED) | {"U1": 7.5}
    board_facts.scored(red, played.anonymization, better)

    def u1():
        rows = boards(contest)["anonymization"]["rows"]
        return {row["name"]: row["cells"][0]["value"] for row in rows}["Red"]

    assert u1() == 7.5
    Choice.objects.create(submission=first, team=red, round=played.anonymization)
    assert u1() == 0


def test_the_released_submission_counts_whatever_is_scored_later(contest):
    played = board_facts.game(contest, phase="attack")
    red = played.teams["Red"]
    before = boards(contest)["anonymization"]
    late = board_facts.scored(red, played.anonymization, board_facts.values_of(board_facts.GREEN))
    Choice.objects.create(submission=late, team=red, round=played.anonymization)
    assert boards(contest)["anonymization"] == before


def test_the_release_decides_at_once_who_is_on_the_board(contest):
    played = board_facts.game(contest, phase="anonymization")
    board_facts.scored(
        played.teams["Red"],
        played.anonymization,
        board_facts.values_of(board_facts.RED) | {"U1": 9},
    )
    assert len(boards(contest)["matrix"]["defenders"]) == 3
    board_facts.release(played.submissions["Red"], played.attack)
    board_facts.release(played.submissions["Blue"], played.attack)
    made = boards(contest)
    assert [row["name"] for row in made["matrix"]["defenders"]] == ["Blue", "Red"]
    rows = made["anonymization"]["rows"]
    assert column(rows, "rank", "submitted")["Green"] == (None, False)
    # ranks of two teams: Red 7/6 and 5/3, Blue 9/6 and 1
    assert [(row["name"], row["total"]) for row in rows[:2]] == [
        ("Blue", 1.25),
        ("Red", 1.416666667),
    ]
    assert rows[1]["cells"][0]["value"] == 0


def test_a_new_evaluation_replaces_the_old_one(contest):
    played = board_facts.game(contest, phase="attack")
    boards(contest)
    board_facts.evaluate(
        played.submissions["Red"], board_facts.values_of(board_facts.RED) | {"U1": 9}
    )
    rows = boards(contest)["anonymization"]["rows"]
    assert {r["name"]: r["cells"][0]["value"] for r in rows}["Red"] == 9


def test_only_the_last_guess_against_a_team_counts(contest):
    played = board_facts.game(contest)
    board_facts.scored(
        played.teams["Red"],
        played.attack,
        board_facts.rate_of(0.1),
        target=played.releases["Blue"],
    )
    assert column(boards(contest)["attack"]["rows"], "mean_rate")["Red"] == (0.535,)


# Hidden until the close


@pytest.mark.parametrize("feedback", Round.Feedback.values)
def test_nothing_tells_of_the_attack_round_before_it_closes(contest, client, feedback):
    played = board_facts.game(contest, phase="attack")
    Round.objects.filter(pk=played.attack.pk).update(feedback=feedback)
    before = every_answer(client, contest)
    stored = Standing.objects.values_list("key", "boards", "matrix").get()
    board_facts.add_guesses(played)
    assert every_answer(client, contest) == before
    assert Standing.objects.values_list("key", "boards", "matrix").get() == stored
    assert not stored[1]["attack"]["rows"]
    assert not stored[1]["overall"]["rows"]
    assert all(row["attack"] for row in stored[2]["rows"])


def test_the_rates_appear_at_the_moment_the_round_closes(contest):
    played = board_facts.game(contest, phase="attack")
    board_facts.add_guesses(played)
    close = played.attack.closes_at
    before = boards(contest, close - timedelta(microseconds=1))
    after = boards(contest, close)
    assert not before["attack"]["shown"]
    assert column(before["anonymization"]["rows"], "rank")["Green"] == (1,)
    assert column(after["anonymization"]["rows"], "rank")["Green"] == (3,)
    assert column(after["attack"]["rows"], "rank") == {"Red": (1,), "Green": (2,), "Blue": (3,)}
    assert boards(contest, close - timedelta(microseconds=1)) == before


def test_rates_wait_for_uploads_that_began_in_time(contest, settings):
    """Whoever could see the others' rates and still hand in, or drop, a guess would have an oracle."""
    settings.UPLOAD_GRACE_SECONDS = 60
    closes_at = board_facts.game(contest).attack.closes_at
    before = boards(contest, closes_at + timedelta(seconds=59))
    assert (before["attack"]["shown"], before["live"]) == (False, True)
    after = boards(contest, closes_at + timedelta(seconds=60))
    assert (after["attack"]["shown"], after["live"]) == (True, False)


@pytest.mark.parametrize("feedback", ["coarse", "after_close"])
def test_measures_are_hidden_where_the_anonymization_round_hides_them(contest, client, feedback):
    move = board_facts.game(contest, phase="anonymization")
    Round.objects.filter(pk=move.anonymization.pk).update(feedback=feedback)
    made = boards(contest)
    assert not any(row["submitted"] for row in made["anonymization"]["rows"])
    assert made["matrix"]["rows"] == []
    before = every_answer(client, contest)
    board_facts.scored(
        move.teams["Red"], move.anonymization, board_facts.values_of(board_facts.GREEN)
    )
    assert every_answer(client, contest) == before
    assert boards(contest, move.anonymization.closes_at)["anonymization"]["rows"][0]["submitted"]


def test_a_hidden_board_says_when_it_is_shown(contest, client):
    played = board_facts.game(contest, phase="attack")
    for board in ("attack", "overall", "matrix"):
        page = client.get(reverse("board", args=[contest.slug]), {"board": board})
        assert "when the attack round has closed" in page.content.decode()
        assert played.attack.closes_at.isoformat(timespec="seconds") in page.content.decode()


def test_a_closed_round_with_unfinished_submissions_is_provisional(contest, client):
    played = board_facts.game(contest)
    assert boards(contest)["live"] is False
    waiting = board_facts.scored(
        played.teams["Blue"],
        played.attack,
        board_facts.rate_of(1.0),
        target=played.releases["Green"],
    )
    Submission.objects.filter(pk=waiting.pk).update(state=Submission.State.WAITING)
    page = client.get(reverse("board", args=[contest.slug])).content.decode()
    assert "1 submission is still being scored" in page
    assert "hx-trigger" in page
    Submission.objects.filter(pk=waiting.pk).update(state=Submission.State.SCORED)
    page = client.get(reverse("board", args=[contest.slug])).content.decode()
    assert "still being scored" not in page
    assert "hx-trigger" not in page


# Pages


@pytest.mark.parametrize(
    ("house", "is_demo", "live"),
    [("Red", True, False), ("Blue", True, True), ("Blue", False, False)],
)
def test_boards_stay_live_until_the_house_teams_have_played(contest, house, is_demo, live):
    """Red attacked both others, Blue has still to attack Green; only in a demo it does so after the end."""
    played = board_facts.game(contest)
    contest.is_demo = is_demo
    contest.save(update_fields=["is_demo"])
    contest.teams.filter(pk=played.teams[house].pk).update(is_house=True)
    assert boards(contest)["live"] is live


def test_everybody_sees_the_boards_of_a_published_contest(contest, client):
    board_facts.game(contest)
    for board in BOARDS:
        page = client.get(reverse("board", args=[contest.slug]), {"board": board})
        assert page.status_code == 200
        for name in ("Red", "Blue", "Green"):
            assert name in page.content.decode()


@pytest.mark.parametrize("name", ["board", "board-fragment", "board-csv"])
def test_a_draft_is_seen_by_its_organizers_only(cast, as_user, name):
    Contest.objects.filter(pk=cast.contest.pk).update(is_published=False)
    address = reverse(name, args=[cast.contest.slug])
    people = (None, cast.alice, cast.eve, cast.oscar)
    assert [as_user(p).get(address).status_code for p in people] == [404, 404, 404, 200]


@pytest.mark.parametrize("name", ["board", "board-fragment", "board-csv"])
def test_an_unknown_board_or_contest_is_not_found(contest, client, name):
    assert client.get(reverse(name, args=[contest.slug]), {"board": "secret"}).status_code == 404
    assert client.get(reverse(name, args=["nowhere"])).status_code == 404
    assert client.post(reverse(name, args=[contest.slug])).status_code == 405


def test_a_contest_without_rounds_and_teams_has_an_empty_board(contest, client):
    Round.objects.filter(contest=contest).delete()
    page = client.get(reverse("board", args=[contest.slug]))
    assert "No submission has been scored yet." in page.content.decode()
    for board in BOARDS:
        for name in ("board-fragment", "board-csv"):
            answer = client.get(reverse(name, args=[contest.slug]), {"board": board})
            assert answer.status_code == 200


def test_teams_without_any_score_have_an_empty_board(cast, client):
    page = client.get(reverse("board", args=[cast.contest.slug])).content.decode()
    assert "2 teams have joined." in page


def test_the_page_opens_on_what_says_most(contest, client):
    played = board_facts.game(contest, phase="attack")
    address = reverse("board", args=[contest.slug])
    assert client.get(address).context["board"] == "anonymization"
    board_facts.move_to(contest, "after")
    board_facts.add_guesses(played)
    assert client.get(address).context["board"] == "overall"


def test_the_own_team_is_marked_for_its_members_alone(cast, as_user):
    board_facts.game(cast.contest)
    address = reverse("board", args=[cast.contest.slug])

    def marked(user):
        html = as_user(user).get(address, {"board": "attack"}).content.decode()
        rows = html.split("<tr")[1:]
        return [
            name
            for name in ("Red", "Blue", "Green")
            for row in rows
            if name in row and 'class="mine"' in row and "(your team)" in row
        ]

    assert marked(cast.alice) == ["Red"]
    assert marked(cast.bob) == ["Red"]
    assert marked(cast.carol) == ["Blue"]
    assert marked(cast.eve) == marked(None) == marked(cast.oscar) == []
    assert Standing.objects.count() == 1


def test_house_teams_are_marked(contest, client):
    played = board_facts.game(contest)
    address = reverse("board", args=[contest.slug])
    assert "house-mark" not in client.get(address).content.decode()
    played.teams["Red"].is_house = True
    played.teams["Red"].save()
    assert client.get(address).content.decode().count("house-mark") == 1


def test_a_team_name_is_text_everywhere(contest, client):
    played = board_facts.game(contest)
    red = played.teams["Red"]
    red.name = "</script><b>=1+1"
    red.save()
    for board in BOARDS:
        page = client.get(reverse("board", args=[contest.slug]), {"board": board}).content.decode()
        assert "<b>=1+1" not in page


def test_every_value_of_a_chart_is_in_its_table(contest, client):
    board_facts.game(contest)
    page = client.get(reverse("board", args=[contest.slug]), {"board": "matrix"})
    cells = re.findall(r"<td[^>]*>([0-9.]+|–|<span)", page.content.decode())
    cells, means = cells[: 9 * 4], cells[9 * 4 :]
    assert len(means) == 3
    for row in page.context["section"]["rows"]:
        rates = [c["rate"] for c in row["cells"] if c["rate"] is not None and not c["own"]]
        assert cells.pop(0) == (f"{100 * sum(rates) / len(rates):.2f}" if rates else "–")
        for cell, shown in zip(row["cells"], [cells.pop(0) for _ in range(3)], strict=True):
            rate = cell["rate"]
            said = "<span" if cell["own"] else "–" if rate is None else f"{100 * rate:.2f}"
            assert shown == said
    page = client.get(reverse("board", args=[contest.slug]), {"board": "anonymization"})
    section, rows = page.context["section"], page.context["section"]["rows"]
    values = {
        (name, value)
        for row in rows
        for name, value in zip(section["measures"], [c["value"] for c in row["cells"]], strict=True)
    }
    worst = {row["name"]: row["worst_rate"] for row in rows}
    points = page.context["chart"]["picture"].points
    assert {point.name for point in points} == worst.keys()
    for point in points:
        assert point.safety == worst[point.name]
        assert any(value == point.utility for name, value in values if name.startswith("U"))


def test_japanese_and_english_pages_are_told_apart(contest, client):
    board_facts.game(contest)
    address = reverse("board-fragment", args=[contest.slug])
    english = client.get(address, headers={"accept-language": "en"})
    japanese = client.get(address, headers={"accept-language": "ja"})
    assert english["ETag"] != japanese["ETag"]
    assert {"Accept-Language", "Cookie"} <= set(english["Vary"].split(", "))


@pytest.mark.parametrize(
    ("rate", "step"), [(0, 0), (0.04, 0), (0.05, 1), (0.949, 9), (1, 10), (None, None)]
)
def test_the_colour_scale_has_eleven_steps(rate, step):
    assert heat(rate, 100) == step


@pytest.mark.parametrize(
    ("rates", "top"), [([0.031, None], 10), ([0.07, 0.29], 29), ([0.2901], 30), ([None], 10)]
)
def test_the_colour_scale_ends_at_the_largest_rate(rates, top):
    """In whole per cent, and no lower than a tenth."""
    assert top_of({"rows": [{"cells": [{"rate": rate} for rate in rates]}]}) == top
    assert heat(top / 100, top) == 10
    assert heat(0.05, 10) == 5


# CSV


def test_the_anonymization_board_as_csv(contest, client):
    board_facts.game(contest)
    answer = client.get(reverse("board-csv", args=[contest.slug]), {"board": "anonymization"})
    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="cup-anonymization.csv"' in answer["Content-Disposition"]
    header, *lines = parsed(answer)
    assert header[:10] == [
        "rank", "team", "house_team", "total", "utility_rank", "safety_rank",
        "worst_rate", "worst_rank", "worst_by", "U1",
    ]  # fmt: skip
    assert len(header) == 9 + 2 * 8
    blue = dict(zip(header, lines[0], strict=True))
    assert (blue["team"], blue["total"], blue["worst_by"], blue["U1"], blue["U1_rank"]) == (
        "Blue",
        "1.75",
        "Red",
        "1.25",
        "2",
    )


def test_the_other_boards_as_csv(contest, client):
    board_facts.game(contest)
    address = reverse("board-csv", args=[contest.slug])
    overall = parsed(client.get(address, {"board": "overall"}))
    assert overall[1] == ["1", "Red", "0", "1.0", "1", "1"]
    attack = parsed(client.get(address, {"board": "attack"}))
    assert attack[1:] == [
        ["1", "Red", "0", "0.785", "2", "2"],
        ["2", "Green", "0", "0.3", "2", "2"],
        ["3", "Blue", "0", "0.25", "1", "2"],
    ]
    matrix = parsed(client.get(address, {"board": "matrix"}))
    assert matrix[0] == ["attacker", "kind", "Blue", "Red", "Green"]
    assert matrix[1] == ["Red", "team", "0.6", "", "0.97"]
    assert matrix[-1] == ["EUC2", "built-in attack", "0.35", "0.95", "0.2"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_team_name_is_no_formula(contest, client, start):
    played = board_facts.game(contest)
    red = played.teams["Red"]
    red.name = f"{start}1+1"
    red.save()
    answer = client.get(reverse("board-csv", args=[contest.slug]), {"board": "matrix"})
    cells = [cell for line in parsed(answer) for cell in line]
    assert not [cell for cell in cells if cell.startswith(start)]
    assert sum(cell.startswith("'") for cell in cells) == 2


# Rebuilding


def test_the_command_makes_the_stored_boards_anew(contest, capsys):
    board_facts.game(contest)
    made = boards(contest)
    Standing.objects.update(boards={"wrong": True})
    call_command("rebuild_standings", contest.slug)
    stored = Standing.objects.get()
    assert sections.unpacked(stored.boards, stored.matrix) == made
    assert boards(contest) == made
    call_command("rebuild_standings")
    assert "cup: 3 teams" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no contest nowhere"):
        call_command("rebuild_standings", "nowhere")


# An attack matrix of many teams


def test_a_cell_of_the_matrix_takes_few_bytes(client):
    """What a further team adds to the page: its row, its column, and its name."""
    sizes = {}
    for n_teams in (5, 25):
        address = reverse("board", args=[play(n_teams, f"cup-{n_teams}").slug])
        page = client.get(address, {"board": "matrix"}).content
        sizes[n_teams] = len(page), len(gzip.compress(page, 6))
    cells = 25 * 25 - 5 * 5
    assert (sizes[25][0] - sizes[5][0]) / cells <= 32  # a cell, and its share of a row's head
    assert (sizes[25][1] - sizes[5][1]) / cells <= 6


def test_the_matrix_has_a_head_for_every_row_and_column(contest, client):
    board_facts.game(contest)
    html = client.get(reverse("board", args=[contest.slug]), {"board": "matrix"}).content.decode()
    table = html[html.index("<table") : html.index("</table>")]
    assert table.count('<th scope="col"') == 1 + 1 + 3  # with the mean
    assert table.count('<th scope="row"') == 9 + 1
    assert "Re-identification rate in per cent" in html
    for cell in ("<td class=r10>97.00", "<td class=r6>60.00", "<td>–"):
        assert cell in table
    assert not re.search(r"class=h[1-6]\b", table)  # Bootstrap's headings, in a larger font
    assert table.count('<td class="own"><span class="visually-hidden">own table</span>') == 3
