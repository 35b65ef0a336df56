# SPDX-License-Identifier: Apache-2.0
"""The own home: contests, rank, attempts left, deadline and unread news of those who play, and of nobody else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.notices.models import Announcement
from pwscup.participants import home
from tests import factories
from tests.web import board_facts
from tests.web.pipeline import hand_in, scored
from tests.web.test_boards_frozen import freeze, long_ago

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "announced")]


def mine(user) -> list[home.Mine]:
    return home.contests_of(user, timezone.now())


def test_only_those_who_play_have_a_home_of_their_own(cast, as_user):
    for user, is_own in ((None, False), (cast.eve, False), (cast.oscar, False), (cast.bob, True)):
        text = as_user(user).get("/").text
        assert ("Your contests" in text) is is_own
        assert "Your contests" not in as_user(user).get("/contests/").text
        assert "Test Cup" in text


def test_attempts_deadline_and_rank(cast, round, as_user):
    (line,) = mine(cast.alice)
    assert (line.team, line.state, line.rank) == (cast.red, "running", None)
    assert [(one.left, one.of) for one in line.open] == [(round.tries, round.tries)]
    assert line.deadline.at == round.closes_at
    scored(hand_in(cast.alice, cast.red, round))
    (line,) = mine(cast.bob)
    assert line.open[0].left == round.tries - 1
    assert (line.rank.rank, line.rank.n_ranked) == (1, 1)
    (line,) = mine(cast.carol)
    assert (line.open[0].left, line.rank) == (round.tries, None)
    text = as_user(cast.bob).get("/").text
    assert "Attempts left" in text
    assert f"<strong>{round.tries - 1}</strong><small> of {round.tries}</small>" in text
    assert "<strong>1</strong><small> of 1 team</small>" in text
    assert 'class="countdown"' in text


def test_guesses_left_are_those_against_other_teams(cast):
    played = board_facts.game(cast.contest, phase="attack")
    board_facts.scored(
        played.teams["Red"], played.attack, board_facts.rate_of(0.5), target=played.releases["Blue"]
    )
    (line,) = mine(cast.alice)
    assert line.open[0].left == 2 * played.attack.tries - 1


def test_unread_news_are_counted_until_they_are_read(cast, as_user):
    Announcement.objects.create(contest=cast.contest, title="News")
    assert mine(cast.alice)[0].n_unread == 1
    alice = as_user(cast.alice)
    assert "1 unread news item" in alice.get("/").text
    alice.get("/c/cup/news/")
    assert mine(cast.alice)[0].n_unread == 0


def test_a_rank_shows_nothing_that_the_board_hides(cast, as_user):
    """Canary: no rank in a round whose values are hidden, and the frozen rank after a freeze."""
    played = board_facts.game(cast.contest)
    long_ago(played)
    before = mine(cast.alice)[0].rank
    freeze(played.contest, timezone.now() - timedelta(hours=1))
    board_facts.scored(
        played.teams["Red"], played.anonymization, board_facts.values_of(board_facts.GREEN)
    )
    assert mine(cast.alice)[0].rank == before
    freeze(played.contest, None)
    board_facts.move_to(played.contest, "anonymization")
    played.contest.rounds.update(feedback="after_close")
    assert mine(cast.alice)[0].rank is None


def test_running_contests_come_first_and_namesakes_show_their_address(cast, as_user):
    for slug, phase in (("over", "after"), ("coming", "before"), ("now", "attack")):
        contest = factories.make_contest(slug, phase=phase)
        factories.make_team(contest, "Red", cast.alice)
    lines = mine(cast.alice)
    assert [line.contest.slug for line in lines] == ["cup", "now", "coming", "over"]
    assert all(line.is_namesake for line in lines)
    assert '<code class="slug">coming</code>' in as_user(cast.alice).get("/").text


def test_a_withdrawn_contest_is_not_listed(cast, as_user):
    Contest.objects.filter(pk=cast.contest.pk).update(is_published=False)
    assert mine(cast.alice) == []
    assert "Your contests" not in as_user(cast.alice).get("/").text


def test_few_queries_for_each_contest(cast):
    def n_queries() -> int:
        with CaptureQueriesContext(connection) as context:
            mine(cast.alice)
        return len(context)

    mine(cast.alice)
    one = n_queries()
    for n in range(3):
        factories.make_team(factories.make_contest(f"more-{n}"), "Red", cast.alice)
    mine(cast.alice)
    assert n_queries() <= one + 3 * 20
