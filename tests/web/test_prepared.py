# SPDX-License-Identifier: Apache-2.0
"""Queries whose SQL is made once find what Django would find."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Upper
from django.forms.models import model_to_dict

from pwscup.contests.models import Contest, Round
from pwscup.core.db import revisions
from pwscup.core.db.prepared import Prepared, insert, prefetch, update
from pwscup.core.models import Event, Revision
from pwscup.leaderboards import polls
from pwscup.submissions.models import Submission

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


def test_an_update_returns_the_new_values_of_the_rows_it_changed(django_assert_num_queries):
    insert(Revision(contest_id=7, number=1, gate=2), Revision(contest_id=8, number=1, gate=2))
    with django_assert_num_queries(1):
        assert update(Revision, {"contest_id": 7}, add_one=("number",), gate=9) == [2]
    assert update(Revision, {"contest_id": 7, "gate": 9}, gate=10) == [7]
    assert update(Revision, {"contest_id": 7, "gate": 9}, gate=11) == []
    found = Revision.objects.order_by("contest_id").values_list("number", "gate")
    assert list(found) == [(2, 10), (1, 2)]


def test_an_update_takes_objects_and_lists_as_django_does(submission):
    problems = [{"code": "file.empty", "params": {"name": "表.csv"}}]
    user = submission.team.memberships.first().user
    update(Submission, {"id": submission.pk}, problems=problems, submitted_by=user, note="x")
    found = Submission.objects.get(pk=submission.pk)
    assert (found.problems, found.submitted_by, found.note) == (problems, user, "x")


def test_an_update_takes_expressions_as_django_does(submission):
    """On PostgreSQL leases go by the database's time."""
    later = F("arrived_at") + timedelta(hours=1)
    update(Submission, {"id": submission.pk}, lease_until=later, note=Upper(Value("x")))
    found = Submission.objects.get(pk=submission.pk)
    assert (found.lease_until, found.note) == (submission.arrived_at + timedelta(hours=1), "X")


@pytest.mark.parametrize("n", [1, 3])
def test_rows_that_are_inserted_are_those_that_django_creates(n, cast, django_assert_num_queries):
    def drawn() -> list[Event]:
        at = datetime(2026, 7, 1, 12, 30, 0, 123, tzinfo=UTC)
        data = {"list": [1, None, "é"], "deep": {"表": 0.5}}
        return [
            Event(at=at, kind=f"k{i}", actor=None, contest_id=cast.contest.pk, data=data)
            for i in range(n)
        ]

    created, inserted = Event.objects.bulk_create(drawn()), drawn()
    with django_assert_num_queries(1):
        insert(*inserted)
    assert len({event.pk for event in inserted}) == n
    assert [vars(event).keys() for event in inserted] == [vars(event).keys() for event in created]
    for event, expected in zip(inserted, created, strict=True):
        found, known = Event.objects.get(pk=event.pk), Event.objects.get(pk=expected.pk)
        assert model_to_dict(found, exclude=["id"]) == model_to_dict(known, exclude=["id"])
        assert (event._state.adding, event._state.db) == (False, "default")


def test_a_row_whose_key_is_known_changes_only_the_columns_it_replaces():
    insert(Revision(contest_id=7, number=1, gate=2))
    insert(Revision(contest_id=7, number=3, gate=4), replaces=("number",))
    assert Revision.objects.values_list("contest_id", "number", "gate").get() == (7, 3, 2)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Revision(contest_id=7, number=5, gate=6))


def test_a_row_that_is_refused_undoes_the_transaction_around_it():
    insert(Revision(contest_id=7, number=1, gate=2))
    with transaction.atomic():
        with suppress(IntegrityError):
            insert(Revision(contest_id=7, number=5, gate=6))
        with pytest.raises(transaction.TransactionManagementError):
            Revision.objects.count()


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
