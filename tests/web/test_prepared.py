"""Queries whose SQL is made once find what Django would find."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F, QuerySet

from pwscup.contests.models import Contest, Round
from pwscup.core.db import revisions
from pwscup.core.db.prepared import Prepared, prefetch, update_returning
from pwscup.core.models import Revision
from pwscup.leaderboards import polls

SECOND = timedelta(seconds=1)
pytestmark = pytest.mark.django_db


def test_parameters_stand_where_they_belong(django_assert_num_queries):
    def between(above: int, below: int) -> QuerySet[Revision]:
        found = Revision.objects.filter(number__lt=below, number__gt=above, gate=1)
        return found.order_by("-number").values_list("number", "contest_id")

    for contest, number in ((1, 10), (2, 20), (3, 30)):
        Revision.objects.create(contest_id=contest, number=number, gate=contest != 2)
    query = Prepared(between, int, int)
    for above, below in ((0, 100), (0, 30), (10, 30), (5, 11), (40, 50)):
        with django_assert_num_queries(1):
            found = query.first(above, below)
        assert found == between(above, below).first()


def test_texts_and_times_are_parameters_too_and_rows_are_objects(cast, django_assert_num_queries):
    def opened(slug: str, since: datetime) -> QuerySet[Round]:
        found = Round.objects.filter(contest__slug=slug, opens_at__gte=since)
        return found.select_related("contest").order_by("position")

    query, contest = Prepared(opened, str, datetime), cast.contest
    rounds = list(contest.rounds.order_by("position"))
    for slug in (contest.slug, "another", contest.slug):
        for since in (rounds[0].opens_at, rounds[-1].opens_at, rounds[-1].opens_at + SECOND):
            with django_assert_num_queries(1):
                found = query.rows(slug, since)
                titles = [round.contest.title for round in found]
            expected = list(opened(slug, since))
            assert found == expected
            assert titles == [contest.title] * len(expected)
            assert [vars(row).keys() for row in found] == [vars(row).keys() for row in expected]
            assert [row.opens_at for row in found] == [row.opens_at for row in expected]


def test_each_thread_asks_over_its_own_connection():
    query = Prepared(lambda pk: Revision.objects.filter(pk=pk), int)
    mine = query.rows(1) or connection.connection

    def ask() -> object:
        try:
            query.rows(1)
            return connection.connection
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask).result() is not mine


def test_prefetched_rows_take_no_query(cast, django_assert_num_queries):
    contest = Contest.objects.get(pk=cast.contest.pk)
    rounds = list(Round.objects.filter(contest=contest))
    prefetch(contest, "rounds", rounds)
    with django_assert_num_queries(0):
        assert list(contest.rounds.all()) == rounds


def test_an_update_gives_the_new_values_of_what_it_changed(cast, django_assert_num_queries):
    round = cast.contest.rounds.order_by("position")[0]
    one = Round.objects.filter(pk=round.pk)
    with django_assert_num_queries(1):
        assert update_returning(one, "tries", tries=F("tries") + 1) == [round.tries + 1]
    assert one.get().tries == round.tries + 1
    assert update_returning(one.filter(tries=9_999), "tries", tries=7) == []


def test_the_numbers_of_boards_that_are_not_everybodys_are_not_given(cast):
    contest = cast.contest
    revisions.touch(contest.pk)
    found = Revision.objects.get(contest_id=contest.pk)
    assert revisions.current(contest.pk) == (found.number, found.gate)
    assert polls.numbers_of(contest.pk) == revisions.current(contest.pk)
    assert polls.numbers_of(contest.pk + 1) is None
    for changed in (
        {"is_published": False},
        {"board_audience": "teams"},
        {"rehearsal_of": contest},
    ):
        before = {name: getattr(contest, name) for name in changed}
        type(contest).objects.update(**changed)
        assert polls.numbers_of(contest.pk) is None
        type(contest).objects.update(**before)
    assert polls.numbers_of(contest.pk) is not None
