# SPDX-License-Identifier: Apache-2.0
"""The ledger under requests that come at once, and under processes that die: never overspent, never unpaid.

Runs on SQLite here, and on PostgreSQL from `tests/distributed`.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from decimal import Decimal
from multiprocessing import get_context
from types import SimpleNamespace

import pytest
from django.db import connection

from pwscup.core.models import Event
from pwscup.disclosure import ledger, services
from pwscup.disclosure.models import Answer
from pwscup.disclosure.services import QueryRefused, ask
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
CELLS = [
    {"columns": columns, "where": where}
    for columns in (["sex"], ["age"], ["city"], ["sex", "age"], [])
    for where in ({}, {"sex": ["F"]}, {"age": ["old", "young"]})
]


@pytest.fixture
def dp(cast) -> SimpleNamespace:
    contest = factories.make_dp_contest(organizer=cast.oscar)
    team = factories.make_team(contest, "Red", cast.alice, cast.bob)
    round = contest.rounds.get(key="interactive")
    return SimpleNamespace(people=(cast.alice, cast.bob), team=team, round=round)


def at_once(dp, requests):
    """What became of each (query, ε), all asked at the same moment by the two members in turn."""
    gate, outcomes = threading.Barrier(len(requests)), [None] * len(requests)

    def run(place, query, epsilon):
        try:
            gate.wait()
            user = dp.people[place % 2]
            outcomes[place] = ask(
                user=user, team=dp.team, round=dp.round, query=query, epsilon=epsilon
            )
        except Exception as error:  # a fault of a thread is a result, to be looked at below
            outcomes[place] = error
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=[place, *request])
        for place, request in enumerate(requests)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def check_books(dp, budget=1_000_000):
    """The ledger is exact: numbered without gaps, each row's sum that of the rows up to it."""
    rows = list(Answer.objects.filter(team=dp.team).order_by("number"))
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    total = 0
    for row in rows:
        total += row.cost
        assert row.spent == total <= budget
    assert Event.objects.filter(kind="query.answered").count() == len(rows)
    return rows


def test_of_requests_that_come_at_once_only_those_are_answered_that_can_be_paid(dp):
    outcomes = at_once(dp, [(query, "0.3") for query in CELLS[:8]])
    paid = [found for found in outcomes if isinstance(found, services.Asked)]
    refused = [found.code for found in outcomes if isinstance(found, QueryRefused)]
    assert (len(paid), refused) == (3, ["budget.exceeded"] * 5)
    assert len(check_books(dp)) == 3
    assert ledger.spent_by(dp.team, dp.round) == Decimal("0.9")


def test_the_same_query_at_once_is_paid_once_and_answered_alike(dp):
    outcomes = at_once(dp, [(CELLS[0], "0.3")] * 6)
    assert sum(found.is_new for found in outcomes) == 1
    assert len({tuple(found.answer.counts) for found in outcomes}) == 1
    assert len(check_books(dp)) == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_with_crashes_keeps_the_books(dp, seed, monkeypatch):
    rng = random.Random(seed)
    record = services.audit_log.record

    def unreliable(kind, **what):
        record(kind, **what)
        if rng.random() < 0.3:
            raise RuntimeError("the power went out")

    monkeypatch.setattr(services.audit_log, "record", unreliable)
    requests = [(rng.choice(CELLS), rng.choice(["0.05", "0.1", "0.2"])) for _ in range(12)]
    given = {}
    for _ in range(2):
        for (query, epsilon), found in zip(requests, at_once(dp, requests), strict=True):
            if isinstance(found, services.Asked):
                key = (found.answer.digest, found.answer.cost)
                assert given.setdefault(key, found.answer.counts) == found.answer.counts
            else:
                assert isinstance(found, RuntimeError | QueryRefused), (query, epsilon, found)
    booked = {(row.digest, row.cost): row.counts for row in check_books(dp)}
    assert booked.items() >= given.items()  # nobody has an answer that is not in the books


# Processes that die


def ask_and_die(dp, where):
    """In a process of its own: killed between debit and commit, or after the commit before it can answer."""
    record = services.audit_log.record

    def dies(kind, **what):
        record(kind, **what)
        if kind == "query.answered":
            os.kill(os.getpid(), signal.SIGKILL)

    if where == "between":
        services.audit_log.record = dies
    ask(user=dp.people[0], team=dp.team, round=dp.round, query=CELLS[0], epsilon="0.5")
    os.kill(os.getpid(), signal.SIGKILL)


def killed(dp, where):
    connection.close()  # a process must not go on with the connection of another
    process = get_context("fork").Process(target=ask_and_die, args=[dp, where])
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def test_killed_between_debit_and_answer_nothing_is_spent(dp):
    killed(dp, "between")
    assert check_books(dp) == []
    assert ask(
        user=dp.people[0], team=dp.team, round=dp.round, query=CELLS[0], epsilon="0.5"
    ).is_new


def test_killed_after_the_debit_the_answer_is_still_there_for_nothing(dp):
    killed(dp, "after")
    (row,) = check_books(dp)
    again = ask(user=dp.people[1], team=dp.team, round=dp.round, query=CELLS[0], epsilon="0.5")
    assert (again.is_new, again.answer.pk) == (False, row.pk)
    assert ledger.spent_by(dp.team, dp.round) == Decimal("0.5")
