# SPDX-License-Identifier: Apache-2.0
"""The own trail in utility against safety: a team's attempts at their places in the board's picture, for it alone."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.leaderboards import charts
from pwscup.leaderboards.services import boards_of
from tests.web import board_facts
from tests.web.test_boards_frozen import freeze, long_ago

pytestmark = pytest.mark.django_db
CIRCLE = re.compile(r'<circle cx="([\d.-]+)" cy="([\d.-]+)" r="4"><title>(#\d+): ')


@pytest.fixture
def played(cast):
    """Red, Blue and Green have submitted; Red once more, as good as Green."""
    made = board_facts.game(cast.contest, phase="anonymization")
    red = made.teams["Red"]
    board_facts.scored(red, made.anonymization, board_facts.values_of(board_facts.GREEN))
    return made


def trail(client, contest, board="anonymization"):
    return client.get(reverse("board-trail", args=[contest.slug]) + f"?board={board}")


def picture_of(contest):
    boards = boards_of(Contest.objects.get(pk=contest.pk), timezone.now())
    section = boards.section("anonymization")
    return charts.trade_off(section, boards.scope.rules)["picture"]


def test_the_last_attempt_is_at_the_own_point(cast, played, as_user):
    text = trail(as_user(cast.alice), cast.contest).text
    assert '=""' not in text  # a name that the picture no longer has
    steps = CIRCLE.findall(text)
    assert [number for _x, _y, number in steps] == ["#1", "#2"]
    (own,) = [point for point in picture_of(cast.contest).points if point.name == "Red"]
    assert steps[-1][:2] == (str(own.x), str(own.y))
    assert steps[0][:2] != steps[-1][:2]


def test_the_board_says_where_the_trail_is(cast, played, as_user):
    address = reverse("board", args=[cast.contest.slug]) + "?board=anonymization"
    page = as_user(cast.alice).get(address).text
    found = re.search(r'data-trail="([^"]+)"', page).group(1)
    assert as_user(cast.alice).get(found).headers["Content-Type"] == "image/svg+xml"
    assert "scatter-trail" not in page  # the board is the same for everybody


def test_one_attempt_leaves_no_trail(cast, played, as_user):
    text = trail(as_user(cast.carol), cast.contest).text
    assert "<svg" in text
    assert not CIRCLE.search(text)


def test_nobody_sees_the_attempts_of_another_team(cast, played, as_user):
    answers = [trail(as_user(who), cast.contest) for who in (None, cast.eve, cast.oscar)]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    own = trail(as_user(cast.bob), cast.contest).text
    assert own == trail(as_user(cast.alice), cast.contest).text
    assert own != trail(as_user(cast.carol), cast.contest).text


def test_hidden_values_leave_no_trail(cast, played, as_user):
    alice = as_user(cast.alice)
    cast.contest.rounds.update(feedback="after_close")
    assert trail(alice, cast.contest).status_code == 404
    cast.contest.rounds.update(feedback="exact")
    assert CIRCLE.search(trail(alice, cast.contest).text)
    Contest.objects.update(hidden_measures=["E1"])  # one of the attacks whose highest rate is shown
    assert not CIRCLE.search(trail(alice, cast.contest).text)
    Contest.objects.update(hidden_measures=[*board_facts.MEASURES])  # then the axes show ranks
    assert trail(alice, cast.contest).status_code == 404
    page = alice.get(reverse("board", args=[cast.contest.slug]) + "?board=anonymization").text
    assert 'class="scatter"' in page
    assert "data-trail" not in page  # so that no browser asks for what is not there


def test_of_a_frozen_board_the_picture_stays_and_the_team_sees_its_attempts(cast, played, as_user):
    long_ago(played)
    freeze(cast.contest, played.anonymization.opens_at + timedelta(minutes=1))
    before = picture_of(cast.contest).points
    later = played.anonymization.opens_at + timedelta(hours=1)
    red = played.teams["Red"]
    values = board_facts.values_of(board_facts.BLUE)
    board_facts.scored(red, played.anonymization, values, at=later)
    assert picture_of(cast.contest).points == before
    assert len(CIRCLE.findall(trail(as_user(cast.alice), cast.contest).text)) == 3


def test_other_boards_have_no_trail(cast, played, as_user):
    alice = as_user(cast.alice)
    assert trail(alice, cast.contest, "overall").status_code == 404
    assert trail(alice, cast.contest, "unknown").status_code == 404
