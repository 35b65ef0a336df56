# SPDX-License-Identifier: Apache-2.0
"""Boards are made from plain values: the same as from objects, at a price that rates hardly raise."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.boards import counting_instances, play
from pwscup.contests.models import Contest
from pwscup.core.db import recent
from pwscup.leaderboards import services
from pwscup.submissions.results import counting
from tests.every import some
from tests.web import board_oracle
from tests.web.board_game import Game

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered():
    """Here nobody forgets: guesses that are remembered must be those that a plain reading finds."""
    recent.forget_all()


@pytest.mark.parametrize("seed", some(1, range(6)))
def test_the_plain_values_are_those_of_the_objects(seed):
    game = Game(seed)
    half = timezone.now()
    for step in range(40):
        event = game.step()
        if step == 20:
            half = timezone.now()
        rounds = game.contest.rounds.select_related("contest").order_by("position")
        anonymization, attack = rounds
        for before in (None, half, anonymization.opens_at + timedelta(seconds=1)):
            said = (seed, step, event, before)
            found = counting.counted_results(anonymization, before)
            assert {t: (r.submission, r.values) for t, r in found.items()} == (
                board_oracle.counted(anonymization, before)
            ), said
            published = counting.released_results(attack, before)
            expected = board_oracle.released(attack, before)
            assert (published is None) == (expected is None), said
            assert {t: (r.submission, r.values) for t, r in (published or {}).items()} == (
                expected or {}
            ), said
            assert counting.counted_rates(attack, before) == board_oracle.rates(attack, before), (
                said
            )


def rebuilt(contest: Contest) -> tuple[int, int]:
    """How many model instances and queries a rebuild takes."""
    contest = Contest.objects.get(pk=contest.pk)
    services.rebuild(contest, timezone.now())
    contest = Contest.objects.get(pk=contest.pk)
    with counting_instances() as instances, CaptureQueriesContext(connection) as queries:
        services.rebuild(contest, timezone.now())
    return instances[0], len(queries)


def test_a_rebuild_makes_no_object_for_a_rate_and_asks_as_often_for_any_number_of_teams(settings):
    few, many = play(3, "few"), play(30, "many")
    assert rebuilt(few) == rebuilt(many)
    assert rebuilt(many)[0] <= 10
