# SPDX-License-Identifier: Apache-2.0
"""The ranks of one submission among those that count."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.boards import counting_instances, play
from pwscup.contests.models import Contest, Round
from pwscup.core import audit_log
from pwscup.leaderboards import facts, services
from pwscup.leaderboards.boards import build as boards
from pwscup.leaderboards.boards import measures
from pwscup.leaderboards.scope import scope_of
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db


def address(submission):
    return reverse("submission-ranks", args=[submission.public_id])


def ranks(answer):
    return {row["measure"].id: row["rank"] for row in answer.context["rows"]}


def test_the_counted_submission_has_its_ranks_of_the_board(cast, as_user):
    played = board_facts.game(cast.contest, phase="anonymization")
    answer = as_user(cast.alice).get(address(played.submissions["Red"]))
    assert ranks(answer) == {
        "U1": 1, "U2": 1, "U3": 1, "U4": 1, "U5": 2, "U6": 1, "S1": 3, "S2": 2,
        "E1": 3, "E2": 3, "E3": 1, "E4": 2, "EUC1": 2, "EUC2": 3,
    }  # fmt: skip
    assert answer.context["standing"].rank == 2
    assert answer.context["standing"].total == 1.916666667
    html = answer.content.decode()
    assert "rank <strong>2</strong> of 3" in html
    assert "95.00 %" in html  # EUC2 is a rate, U5 is not
    assert '<td class="num">0.2</td>' in html


def test_the_result_page_finds_the_parts_it_takes(cast, as_user):
    played = board_facts.game(cast.contest, phase="anonymization")
    html = as_user(cast.alice).get(address(played.submissions["Red"])).content.decode()
    assert html.count('class="rank-summary') == 1
    for measure in board_facts.MEASURES:
        assert html.count(f'id="rank-{measure}"') == 1


def test_another_submission_takes_the_place_of_the_teams_counted_one(cast, as_user):
    played = board_facts.game(cast.contest, phase="anonymization")
    values = board_facts.values_of(board_facts.RED)
    worse = board_facts.scored(played.teams["Red"], played.anonymization, values | {"U1": 99})
    old = as_user(cast.alice).get(address(played.submissions["Red"]))
    new = as_user(cast.alice).get(address(worse))
    assert ranks(old)["U1"] == 1
    assert ranks(new)["U1"] == 3
    best = {row["measure"].id: row["best"] for row in new.context["rows"]}
    assert (best["U1"], best["S2"]) == (1.25, 7.7)


def test_a_missing_value_has_the_last_rank(cast, as_user):
    played = board_facts.game(cast.contest, phase="anonymization")
    board_facts.evaluate(
        played.submissions["Red"], board_facts.values_of(board_facts.RED) | {"U4": None}
    )
    assert ranks(as_user(cast.bob).get(address(played.submissions["Red"])))["U4"] == 3


def test_attacks_count_against_the_released_submission_once_their_round_has_closed(cast, as_user):
    played = board_facts.game(cast.contest, phase="attack")
    blue = played.submissions["Blue"]
    values = board_facts.values_of(board_facts.BLUE)
    other = board_facts.scored(played.teams["Blue"], played.anonymization, values)
    board_facts.add_guesses(played)
    carol = as_user(cast.carol)
    assert carol.get(address(blue)).context["standing"].worst_rate == 0.4
    board_facts.move_to(cast.contest, "after")
    assert carol.get(address(blue)).context["standing"].worst_rate == 0.6
    assert carol.get(address(other)).context["standing"].worst_rate == 0.4


def test_strangers_are_told_nothing(cast, as_user):
    played = board_facts.game(cast.contest, phase="anonymization")
    red = address(played.submissions["Red"])
    people = (cast.alice, cast.bob, cast.oscar, cast.carol, cast.eve)
    assert [as_user(p).get(red).status_code for p in people] == [200, 200, 200, 404, 404]
    assert as_user(None).get(red).status_code == 302


def test_only_a_scored_anonymization_has_ranks(cast, as_user):
    played = board_facts.game(cast.contest)
    guess = Submission.objects.filter(round=played.attack, team=cast.red).first()
    alice = as_user(cast.alice)
    assert alice.get(address(guess)).status_code == 404
    red = played.submissions["Red"]
    for state in set(Submission.State) - {Submission.State.SCORED}:
        Submission.objects.filter(pk=red.pk).update(state=state)
        assert alice.get(address(red)).status_code == 404


@pytest.mark.parametrize("feedback", ["coarse", "after_close"])
def test_ranks_are_hidden_as_long_as_the_values_are(cast, as_user, feedback):
    played = board_facts.game(cast.contest, phase="anonymization")
    Round.objects.filter(pk=played.anonymization.pk).update(feedback=feedback)
    answer = as_user(cast.alice).get(address(played.submissions["Red"]))
    assert "Ranks are shown when the round has closed." in answer.content.decode()
    assert "<table" not in answer.content.decode()


def test_the_number_of_queries_does_not_grow_with_the_teams(cast, as_user):
    played = board_facts.game(cast.contest)
    alice = as_user(cast.alice)

    def count():
        services.boards_of(Contest.objects.get(pk=cast.contest.pk), timezone.now())
        with CaptureQueriesContext(connection) as queries:
            assert alice.get(address(played.submissions["Red"])).status_code == 200
        return len(queries)

    few = count()
    for i in range(10):
        team = factories.make_team(cast.contest, f"team {i}")
        values = board_facts.values_of(board_facts.GREEN)
        board_facts.release(board_facts.scored(team, played.anonymization, values), played.attack)
    assert count() == few


@pytest.mark.parametrize("n_teams", [3, 20])
def test_a_rank_reads_no_rate_where_the_boards_are_stored(n_teams, cast, as_user, monkeypatch):
    contest = play(n_teams, f"cup-{n_teams}")
    audit_log.record("contest.imported", contest_id=contest.pk)
    team = contest.teams.order_by("pk")[1]
    rates = facts.gather(scope_of(contest, timezone.now()))[0]
    client = as_user(cast.oscar)
    contest.organizers.add(cast.oscar)
    for submission in team.submissions.filter(target=None):
        worst = {defender: rate for defender, (rate, _) in rates.strongest.items()}
        if not submission.releases.exists():
            del worst[team.pk]
        values = {**rates.measured, team.pk: submission.evaluations.get().values}
        expected = measures.defence_of(rates, values, worst)
        services.boards_of(contest, timezone.now())
        with monkeypatch.context() as patched:
            patched.setattr(boards, "build", None)
            patched.setattr(facts, "counted_rates", None)
            with counting_instances() as instances, CaptureQueriesContext(connection) as queries:
                page = client.get(address(submission))
        assert page.context["standing"] == expected[team.pk]
        assert page.context["as_of"] is None
        assert instances[0] <= 20
        assert len(queries) <= 35
