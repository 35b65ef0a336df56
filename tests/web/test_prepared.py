"""Queries whose SQL is made once find what Django would find."""

from __future__ import annotations

import pytest
from django.db.models import QuerySet

from pwscup.core import revisions
from pwscup.core.models import Revision
from pwscup.core.prepared import Prepared
from pwscup.leaderboards import polls

pytestmark = pytest.mark.django_db


def test_parameters_stand_where_they_belong(django_assert_num_queries):
    def between(above: int, below: int) -> QuerySet[Revision]:
        found = Revision.objects.filter(number__lt=below, number__gt=above, gate=1)
        return found.order_by("-number").values_list("number", "contest_id")

    for contest, number in ((1, 10), (2, 20), (3, 30)):
        Revision.objects.create(contest_id=contest, number=number, gate=contest != 2)
    query = Prepared(2, between)
    for above, below in ((0, 100), (0, 30), (10, 30), (5, 11), (40, 50)):
        with django_assert_num_queries(1):
            found = query.first(above, below)
        assert found == between(above, below).first()


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
