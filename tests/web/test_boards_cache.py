# SPDX-License-Identifier: Apache-2.0
"""The stored boards and the boards made from the facts are the same bytes, at a constant price."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.leaderboards import services
from pwscup.leaderboards.boards.build import BOARDS
from pwscup.leaderboards.models import Standing
from tests import factories
from tests.every import some
from tests.web import board_facts
from tests.web.board_game import Game

pytestmark = pytest.mark.django_db


def served(client, contest) -> list[bytes]:
    cache.clear()
    answers = []
    for board in BOARDS:
        for name in ("board-fragment", "board-csv"):
            answers.append(client.get(reverse(name, args=[contest.slug]), {"board": board}).content)
    return answers


@pytest.mark.parametrize("seed", some(1, range(8)))
def test_cached_boards_are_the_boards_made_anew(client, seed):
    game = Game(seed)
    for _ in range(25):
        event = game.step()
        contest = Contest.objects.get(pk=game.contest.pk)
        from_cache = services.boards_of(contest, timezone.now())
        assert json.dumps(from_cache.data) == json.dumps(
            services.boards_of(contest, timezone.now()).data
        ), event
        made = services.rebuild(contest, timezone.now())
        assert made.key == from_cache.key, event
        assert json.dumps(made.data) == json.dumps(from_cache.data), event
    cached = served(client, game.contest)
    Standing.objects.all().delete()
    assert served(client, game.contest) == cached


def test_a_board_is_not_made_twice_from_the_same_facts(client):
    contest = factories.make_contest()
    board_facts.game(contest)
    first = served(client, contest)
    built = Standing.objects.values_list("built_at", flat=True).get()
    assert served(client, contest) == first
    assert Standing.objects.values_list("built_at", flat=True).get() == built


def test_stored_boards_survive_a_database_that_reorders_keys(client):
    contest = factories.make_contest()
    board_facts.game(contest)
    first = served(client, contest)
    standing = Standing.objects.get()
    standing.boards = json.loads(json.dumps(standing.boards, sort_keys=True))
    standing.save()
    assert served(client, contest) == first


@pytest.mark.parametrize(
    ("name", "query"), [("board-fragment", {"board": "attack"}), ("board-csv", {"board": "matrix"})]
)
def test_an_unchanged_answer_is_a_304_without_a_body(client, name, query):
    contest = factories.make_contest()
    played = board_facts.game(contest)
    address = reverse(name, args=[contest.slug])
    first = client.get(address, query)
    again = client.get(address, query, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert "no-cache" in again["Cache-Control"]
    assert {"Accept-Language", "Cookie"} <= set(again["Vary"].split(", "))
    board_facts.scored(
        played.teams["Blue"],
        played.attack,
        board_facts.rate_of(1),
        target=played.releases["Green"],
    )
    changed = client.get(address, query, headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_a_fragment_says_nothing_of_who_asks(cast, as_user):
    board_facts.game(cast.contest)
    address = reverse("board-fragment", args=[cast.contest.slug])
    everybody = (None, cast.alice, cast.carol, cast.eve, cast.oscar)
    answers = [as_user(user).get(address) for user in everybody]
    assert len({(answer["ETag"], answer.content) for answer in answers}) == 1
    Contest.objects.update(hidden_measures=["U1"])
    tags = {user: as_user(user).get(address)["ETag"] for user in everybody}
    assert len({tags.pop(cast.oscar), *tags.values()}) == 2


def grown(n_teams: int) -> Contest:
    contest = factories.make_contest(slug=f"cup-{n_teams}")
    board_facts.move_to(contest, "after")
    anonymization, attack = board_facts.rounds_of(contest)
    teams = [factories.make_team(contest, f"team {i}") for i in range(n_teams)]
    releases = [
        board_facts.release(
            board_facts.scored(team, anonymization, board_facts.values_of(board_facts.RED)), attack
        )
        for team in teams
    ]
    for attacker in teams[:3]:
        for release in releases:
            if release.team != attacker:
                board_facts.scored(attacker, attack, board_facts.rate_of(0.5), target=release)
    return contest


def n_queries(client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_the_number_of_queries_does_not_grow_with_the_teams(cast, as_user):
    client = as_user(cast.eve)
    for name in ("board", "board-fragment", "board-csv"):
        small, large = [], []
        for counts, contest in ((small, _once(3)), (large, _once(30))):
            address = reverse(name, args=[contest.slug])
            Standing.objects.all().delete()
            counts += [n_queries(client, address), n_queries(client, address)]
        assert small == large, name
        assert small[1] < small[0]


@pytest.mark.long
def test_frozen_boards_of_a_division_cost_the_same_for_any_number_of_teams(client):
    counts = []
    for n_teams in (3, 30):
        contest = _once(n_teams)
        division = Division.objects.create(contest=contest, key="students", title="Students")
        contest.teams.update(division=division)
        Contest.objects.filter(pk=contest.pk).update(frozen_at=timezone.now())
        address = f"{reverse('board', args=[contest.slug])}?division=students"
        counts.append([n_queries(client, address), n_queries(client, address)])
    assert counts[0] == counts[1]


def _once(n_teams: int) -> Contest:
    return Contest.objects.filter(slug=f"cup-{n_teams}").first() or grown(n_teams)
