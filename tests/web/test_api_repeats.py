# SPDX-License-Identifier: Apache-2.0
"""Requests that a program sends again with the same key, as it did not get the first answer."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from pwscup.api import repeats
from pwscup.contests.models import Contest
from pwscup.notices.models import Question
from tests.web.api import Program, codes

ASK, TEXT = "/contests/cup/questions", {"subject": "Rows", "text": "Do rows begin at 1?"}
KEY = {"Idempotency-Key": "first"}


@pytest.fixture(autouse=True)
def nothing_cached():
    cache.clear()


def ask(program: Program, text=TEXT, key=KEY):
    return program.send("post", ASK, text, **key)


def test_a_request_is_carried_out_once_and_answered_each_time(cast):
    alice = Program(cast.alice)
    one, two = ask(alice), ask(alice)
    assert (one.status_code, one.content) == (two.status_code, two.content)
    assert two[repeats.REPLAYED] == "true"
    assert repeats.REPLAYED not in one
    assert "RateLimit-Remaining" in two
    assert Question.objects.count() == 1


def test_another_token_of_the_same_person_repeats_and_another_person_does_not(cast):
    for program in (Program(cast.alice), Program(cast.alice), Program(cast.bob)):
        assert ask(program).status_code == 201
    assert Question.objects.count() == 2


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": ""}, {"Idempotency-Key": "second"}])
def test_without_the_same_key_it_is_another_request(cast, key):
    alice = Program(cast.alice)
    for given in (KEY, key):
        assert ask(alice, key=given).status_code == 201
    assert Question.objects.count() == 2


def test_a_key_stands_for_one_request(cast):
    alice = Program(cast.alice)
    ask(alice)
    other = ask(alice, TEXT | {"text": "Another one."})
    assert (other.status_code, codes(other)) == (422, ["request.key_used"])
    elsewhere = alice.send("post", "/contests/cup/team", {"name": "Moss"}, **KEY)
    assert codes(elsewhere) == ["request.key_used"]
    assert Question.objects.count() == 1


def test_a_refused_request_may_be_corrected(cast):
    alice = Program(cast.alice)
    assert ask(alice, {"subject": "Rows", "text": ""}).status_code == 422
    assert ask(alice).status_code == 201


def test_while_the_first_is_carried_out_a_second_one_waits(cast, monkeypatch):
    alice, during = Program(cast.alice), []
    settle = repeats.settle

    def slow(claimed, response):
        if not during:
            during.append(None)
            during[0] = ask(alice)
        settle(claimed, response)

    monkeypatch.setattr(repeats, "settle", slow)
    assert ask(alice).status_code == 201
    assert (during[0].status_code, codes(during[0])) == (409, ["request.in_progress"])
    assert ask(alice)[repeats.REPLAYED] == "true"


def test_a_contest_is_created_once(cast):
    oscar = Program(cast.oscar)
    given = {
        "ruleset": "pwscup2015",
        "title": "Next Cup",
        "starts_at": "2031-01-10T10:00:00+09:00",
    }
    made = [oscar.send("post", "/organize/contests", given, **KEY) for _ in range(2)]
    assert [one.status_code for one in made] == [201, 201]
    assert made[0].json() == made[1].json()
    assert Contest.objects.filter(title="Next Cup").count() == 1
