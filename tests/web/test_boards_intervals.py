# SPDX-License-Identifier: Apache-2.0
"""Intervals of totals and ranks on boards, downloads, API and ceremonies, from the records that guesses found."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import truth
from pwscup.contests.models import Contest
from pwscup.contests.rules.ranking import ranking_lines
from pwscup.leaderboards import services
from pwscup.leaderboards.boards.cells import verdict_of
from pwscup.leaderboards.boards.sections import INTERVAL
from pwscup.leaderboards.ceremony.services import _places
from pwscup.submissions.evaluation.found import found_records
from pwscup.submissions.models import Evaluation
from scoring.rulesets import load_ruleset, parse_ruleset
from tests import factories
from tests.web import board_facts
from tests.web.api import Program

pytestmark = pytest.mark.django_db


def with_bitmaps(played, n=1_000):
    """The guesses of a played contest with the records that they found, the same first ones."""
    for evaluation in Evaluation.objects.filter(submission__round=played.attack):
        right = np.arange(n) < round(n * evaluation.values["rate"])
        evaluation.right = truth.right_key(right)
        Evaluation.objects.filter(pk=evaluation.pk).update(right=evaluation.right)
    return played


@pytest.fixture
def lecture():
    return with_bitmaps(board_facts.lecture())


def rows_of(contest, board="score"):
    contest = Contest.objects.get(pk=contest.pk)
    return {r["name"]: r for r in services.boards_of(contest, timezone.now()).data[board]["rows"]}


def test_rows_have_intervals_around_totals_and_ranks(lecture):
    rows = rows_of(lecture.contest)
    assert rows.keys() == {"Red", "Blue", "Green"}
    for row in rows.values():
        found = row["interval"]
        assert found["total_low"] <= row["total"] <= found["total_high"]
        assert 1 <= found["rank_low"] <= row["rank"] <= found["rank_high"] <= 3
        assert found["total_low"] < found["total_high"]


def test_few_records_separate_nobody_and_many_do():
    few = rows_of(with_bitmaps(board_facts.lecture(), n=10).contest)
    assert any(row["interval"]["rank_low"] < row["interval"]["rank_high"] for row in few.values())
    many = rows_of(with_bitmaps(board_facts.lecture(slug="many"), n=20_000).contest)
    assert all(row["interval"]["separable"] for row in many.values())


SHARED = ("[ranking]\n", '[ranking]\nties = "not-separable"\n')


@pytest.mark.parametrize("n", [5, 20_000])
def test_teams_that_the_data_do_not_separate_share_a_rank(client, n):
    plain = rows_of(with_bitmaps(board_facts.lecture(slug="plain"), n=n).contest)
    played = with_bitmaps(board_facts.lecture(replace=(SHARED,)), n=n)
    rows = rows_of(played.contest)
    assert {name: row["total"] for name, row in rows.items()} == {
        name: row["total"] for name, row in plain.items()
    }
    ranks = sorted(row["rank"] for row in rows.values())
    assert sorted(row["rank"] for row in plain.values()) == [1, 2, 3]
    assert (ranks == [1, 2, 3]) == (n == 20_000)
    shared = [name for name, row in rows.items() if ranks.count(row["rank"]) > 1]
    assert all(rows[name]["tie_broken_by"] is None for name in shared)
    if shared:
        words = verdict_of(rows[shared[0]]["rank"], rows[shared[0]]["interval"])
        assert words in client.get(reverse("board", args=[played.contest.slug])).text
        assert rows[shared[0]]["interval"]["rival"] in ranks
    said = dict(ranking_lines(played.contest.ruleset))
    assert "do not separate" in said["Shared ranks"]


@pytest.mark.parametrize("board", ["overall", "anonymization", "attack"])
def test_boards_of_measures_share_ranks_too(board):
    rules = parse_ruleset(load_ruleset("pwscup2015").text.replace(*SHARED))
    played = with_bitmaps(board_facts.game(factories.make_contest(ruleset=rules)), n=5)
    ranks = [row["rank"] for row in rows_of(played.contest, board).values()]
    assert min(ranks) == 1
    assert len(set(ranks)) < len(ranks) == 3


def test_boards_of_measures_have_intervals_too():
    played = with_bitmaps(board_facts.game(factories.make_contest()), n=50)
    for board in ("overall", "anonymization", "attack"):
        rows = rows_of(played.contest, board)
        assert all(
            r["interval"]["rank_low"] <= r["rank"] <= r["interval"]["rank_high"]
            for r in rows.values()
        )


def test_without_bitmaps_or_before_the_attacks_are_shown_there_are_none():
    for n_closed, slug in ((3, "none"), (2, "early")):
        played = board_facts.lecture(n_closed=n_closed, slug=slug)
        if slug == "early":
            with_bitmaps(played)
            played.attack.closes_at = timezone.now() + timedelta(hours=1)
            played.attack.save()
        assert not any("interval" in row for row in rows_of(played.contest).values())


def test_a_frozen_board_keeps_the_intervals_of_its_time(lecture):
    contest = Contest.objects.get(pk=lecture.contest.pk)
    before = rows_of(contest)
    contest.frozen_at = timezone.now()
    contest.save()
    blue = lecture.teams["Blue"]
    later = board_facts.scored(
        blue,
        lecture.attack,
        board_facts.rate_of(1.0),
        target=lecture.releases["Green"],
        at=timezone.now(),
    )
    later.evaluations.update(right=truth.right_key(np.ones(1_000, bool)))
    assert {n: r["interval"] for n, r in rows_of(contest).items()} == {
        n: r["interval"] for n, r in before.items()
    }


def test_downloads_end_with_the_intervals(client, lecture):
    url = reverse("board-csv", args=[lecture.contest.slug])
    text = client.get(url, {"board": "score"}).content.decode("utf-8-sig")
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert tuple(header[-5:]) == INTERVAL
    rows = rows_of(lecture.contest)
    for line in lines:
        found = rows[line[1]]["interval"]
        assert line[-5:] == [str(found[name]) for name in INTERVAL]


def test_the_page_shows_ranks_and_a_sentence_in_both_languages(client):
    played = with_bitmaps(board_facts.lecture(), n=10)
    url = reverse("board", args=[played.contest.slug])
    row = next(r for r in rows_of(played.contest).values() if not r["interval"]["separable"])
    found = row["interval"]
    page = client.get(url).content.decode()
    assert f"{found['rank_low']}–{found['rank_high']}" in page
    assert verdict_of(row["rank"], found) in page
    assert "Small numbers, such as 2–9" in page
    page = client.get(url, headers={"Accept-Language": "ja"}).content.decode()
    assert f"{found['rival']}位とは統計的に区別できません" in page


@pytest.mark.parametrize(
    ("rank", "found", "said"),
    [
        (3, (2, 9, False, 2), "Rank 3 (2–9), not separable from no. 2."),
        (3, (3, 9, True, 2), "Rank 3 (3–9), separable from no. 2."),
        (1, (1, 2, False, 1), "Rank 1 (1–2), shared."),
        (3, (3, 3, True, 2), ""),
        (None, (3, 4, True, 2), ""),
    ],
)
@pytest.mark.whole
def test_sentences(rank, found, said):
    names = ("rank_low", "rank_high", "separable", "rival")
    assert verdict_of(rank, dict(zip(names, found, strict=True))) == said


def test_ceremonies_reveal_intervals_with_the_places(lecture):
    places = _places(rows_of(lecture.contest).values())
    assert all(row["interval"] for place in places for row in place["rows"])


def test_the_api_has_the_intervals(lecture):
    program = Program(factories.make_user("eve"))
    board = program.get("/contests/lecture/boards/score").json()
    assert board["columns"][-5:] == list(INTERVAL)
    page = program.get(f"/contests/lecture/teams/{lecture.teams['Blue'].pk}").json()
    own = rows_of(lecture.contest)["Blue"]["interval"]
    assert [page["places"][0][name] for name in INTERVAL] == [own[name] for name in INTERVAL]


def test_counts_are_read_again_only_of_tables_with_another_guess(
    lecture, django_assert_num_queries
):
    attackers = [team.pk for team in lecture.teams.values()]
    first = found_records(lecture.attack, attackers=attackers)
    with django_assert_num_queries(3):
        again = found_records(lecture.attack, attackers=attackers)
    assert all(first[team] is again[team] for team in first)
    assert all(found.n == 1_000 for found in first.values())
