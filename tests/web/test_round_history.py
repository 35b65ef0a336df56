# SPDX-License-Identifier: Apache-2.0
"""A team's list of submissions asks for its own part of the page, and for nothing while nothing has changed."""

from __future__ import annotations

from html import escape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pwscup.contests.models import Contest
from pwscup.submissions import services
from pwscup.submissions.decisions import rulings
from tests.web import pipeline
from tests.web.pipeline import hand_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet(sent):
    """Nobody scores meanwhile."""


def poll(client, address, etag):
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, headers={"if-none-match": etag, "hx-request": "true"})
    return answer, len(queries)


def test_nothing_is_sent_again_while_nothing_has_changed(cast, as_user, round):
    address = reverse("round-history", args=[cast.contest.slug, round.key])
    alice, n_queries = as_user(cast.alice), []
    for n in (3, 12):
        for _ in range(n):
            services.cancel(user=cast.alice, submission=hand_in(cast.alice, cast.red, round))
        hand_in(cast.alice, cast.red, round)
        first = alice.get(address)
        assert (first.status_code, first["Cache-Control"]) == (200, "private, no-cache")
        again, n = poll(alice, address, first["ETag"])
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        n_queries.append(n)
    assert n_queries[0] == n_queries[1] <= 12


def test_the_page_asks_for_the_fragment_until_everything_is_final(cast, as_user, round):
    alice = as_user(cast.alice)
    page = reverse("round", args=[cast.contest.slug, round.key])
    address = reverse("round-history", args=[cast.contest.slug, round.key])
    submission = hand_in(cast.alice, cast.red, round)
    html = alice.get(page).content.decode()
    assert f'hx-get="{address}" hx-trigger="every 3s"' in html
    waiting = alice.get(address)
    assert f'data-etag="{escape(waiting["ETag"])}"' in html
    assert "<h1" not in waiting.content.decode()
    assert f'id="line-{submission.pk}"' in waiting.content.decode()
    pipeline.scored(submission)
    scored, _ = poll(alice, address, waiting["ETag"])
    assert (scored.status_code, scored["ETag"] == waiting["ETag"]) == (200, False)
    assert 'hx-trigger="every' not in scored.content.decode()
    assert "state-scored" in scored.content.decode()


def test_everything_that_the_list_says_changes_its_tag(cast, as_user, round):
    alice = as_user(cast.alice)
    address = reverse("round-history", args=[cast.contest.slug, round.key])
    tags = []

    def changed() -> None:
        tags.append(alice.get(address)["ETag"])
        assert len(set(tags)) == len(tags)

    changed()
    first, second = (pipeline.scored(hand_in(cast.alice, cast.red, round)) for _ in range(2))
    changed()
    services.choose(user=cast.alice, submission=first)
    changed()
    services.annotate(user=cast.alice, submission=second, note="better")
    changed()
    rulings.withdraw(actor=cast.oscar, submission=first, reason="r")
    changed()
    tags.append(alice.get(address, headers={"accept-language": "ja"})["ETag"])
    pipeline.close(round)
    changed()


def test_guesses_are_asked_for_in_the_same_way(cast, as_user, round):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(hand_in(user, team, round))
    target = pipeline.publish(cast.contest)["Blue"]
    address = reverse("round-history", args=[cast.contest.slug, "attack"])
    guess = pipeline.guess(cast.alice, cast.red, target, b"1\n2\n3\n4\n")
    html = as_user(cast.alice).get(address).content.decode()
    for part in (f"line-{guess.pk}", *(f"target-{target.pk}-{of}" for of in ("tries", "last"))):
        assert f'id="{part}"' in html
    assert "state-waiting" in html


def test_who_has_no_team_has_no_history(cast, as_user, round):
    address = reverse("round-history", args=[cast.contest.slug, round.key])
    assert [as_user(p).get(address).status_code for p in (None, cast.eve, cast.oscar)] == [404] * 3
    hand_in(cast.alice, cast.red, round)
    assert "line-" not in as_user(cast.carol).get(address).content.decode()
    Contest.objects.update(is_published=False)
    assert as_user(cast.alice).get(address).status_code == 404
