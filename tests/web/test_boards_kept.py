# SPDX-License-Identifier: Apache-2.0
"""Pages of boards that are given again: cheap, each with what is its reader's own, and never of yesterday."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.middleware import csrf
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.core.db import recent
from pwscup.core.http import themes
from pwscup.core.models import Revision
from pwscup.leaderboards import kept
from pwscup.notices import selectors
from pwscup.notices import services as notices
from pwscup.notices.models import Announcement
from tests.web import board_facts

pytestmark = pytest.mark.django_db
TOKENS = re.compile(r'value="([A-Za-z0-9]{64})"|X-CSRFToken": "([A-Za-z0-9]{64})"')


@pytest.fixture(autouse=True)
def nothing_remembered():
    """Here nobody forgets: what is remembered must be right."""
    recent.forget_all()


@pytest.fixture
def address(cast) -> str:
    board_facts.game(cast.contest)
    audit_log.record("contest.imported", contest_id=cast.contest.pk)
    return reverse("board", args=[cast.contest.slug])


def asked(client, address: str, **headers) -> tuple[str, int]:
    """The page, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.text, len(queries)


@pytest.mark.parametrize(("who", "n_queries"), [(None, 1), ("eve", 3), ("alice", 4)])
def test_a_page_that_did_not_change_takes_few_queries(cast, as_user, address, who, n_queries):
    """The revision; of people also the session, the person, and when a member saw the news."""
    client = as_user(getattr(cast, who) if who else None)
    first, n_first = asked(client, address)
    again, n_again = asked(client, address)
    assert (n_again, n_again < n_first) == (n_queries, True)
    assert re.sub(TOKENS, "", again) == re.sub(TOKENS, "", first)


def test_every_answer_has_a_token_of_its_own_visitor(as_user, address):
    for secret in ("b" * 32, "c" * 32):
        client = as_user(None)
        client.cookies["csrftoken"] = secret
        tokens = {a or b for a, b in TOKENS.findall(asked(client, address)[0])}
        assert [csrf._does_token_match(token, secret) for token in tokens] == [True]


def test_no_reader_is_given_the_page_of_another(cast, as_user, address):
    people = (cast.alice, cast.carol, cast.eve, None, cast.oscar)
    for _ in range(2):
        alice, carol, eve, visitor, oscar = (asked(as_user(p), address)[0] for p in people)
        assert ("(your team)" in alice, "(your team)" in carol) == (True, True)
        assert re.findall(r'data-team="(\d+)" class="mine"', alice) == [str(cast.red.pk)]
        assert re.findall(r'data-team="(\d+)" class="mine"', carol) == [str(cast.blue.pk)]
        assert "(your team)" not in eve + visitor + oscar
        organize = reverse("organize-contest", args=[cast.contest.slug])
        assert [organize in page for page in (alice, eve, visitor, oscar)] == [False] * 3 + [True]
        assert (cast.eve.display_name in eve, cast.eve.display_name in visitor) == (True, False)


def test_another_language_is_another_page(client, address):
    for _ in range(2):
        assert "Leaderboard" in asked(client, address)[0]
        assert "Leaderboard" not in asked(client, address, accept_language="ja")[0]


def test_another_theme_is_another_page(client, address):
    """Also that of another visitor, who chose none."""
    client.cookies[themes.COOKIE] = "dark"
    dark, _ = asked(client, address)
    assert '<html lang="en" data-theme="dark">' in dark
    del client.cookies[themes.COOKIE]
    plain, _ = asked(client, address)
    assert '<html lang="en">' in plain
    client.cookies[themes.COOKIE] = "dark"
    again, _ = asked(client, address)
    assert re.sub(TOKENS, "", again) == re.sub(TOKENS, "", dark)


def test_another_host_is_another_page(client, address, settings):
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    for host in settings.ALLOWED_HOSTS:
        page, _ = asked(client, address, host=host)
        assert f"http://{host}/static/" in page


def test_a_message_is_shown_once(cast, as_user, address):
    alice = as_user(cast.alice)
    asked(alice, address)
    alice.post(reverse("account"), {"display_name": cast.alice.display_name})
    assert "Your name is changed." in asked(alice, address)[0]
    assert "Your name is changed." not in asked(alice, address)[0]


def test_unread_news_is_counted_as_it_is(cast, as_user, address):
    alice = as_user(cast.alice)
    asked(alice, address)
    words = {"title": "Rows", "text": "x"}
    news = notices.publish_announcement(actor=cast.oscar, contest=cast.contest, values=words)
    for _ in range(2):
        assert '<span class="tab-count">1</span>' in asked(alice, address)[0]
    alice.get(reverse("news", args=[cast.contest.slug]))  # no event says so
    assert "tab-count" not in asked(alice, address)[0]
    assert '<span class="tab-count">1</span>' in asked(as_user(cast.bob), address)[0]
    notices.withdraw_announcement(actor=cast.oscar, announcement=news, reason="wrong")
    assert "tab-count" not in asked(as_user(cast.bob), address)[0]


def test_what_no_event_tells_of_is_counted_each_time(cast):
    """A contest of which nothing was ever recorded has no number that could stand for its news."""
    Revision.objects.all().delete()
    for n in range(3):
        assert selectors.n_unread(cast.alice.pk, cast.contest.pk) == n
        now = timezone.now()
        Announcement.objects.bulk_create(
            [Announcement(contest=cast.contest, title="T", created_at=now)]
        )


def test_what_changes_about_a_person_is_seen_at_once(cast, as_user, address):
    eve = as_user(cast.eve)
    asked(eve, address)
    User.objects.filter(pk=cast.eve.pk).update(display_name="Renamed")
    assert "Renamed" in asked(eve, address)[0]
    User.objects.filter(pk=cast.eve.pk).update(is_organizer=True)
    assert f'href="{reverse("organize")}"' in asked(eve, address)[0]
    User.objects.filter(pk=cast.eve.pk).update(is_organizer=False)
    eve.logout()
    assert "Renamed" not in asked(eve, address)[0]


def test_what_is_for_fewer_is_not_kept(cast, as_user, address):
    asked(as_user(None), address)
    Contest.objects.update(board_audience=Contest.Audience.TEAMS)
    assert as_user(None).get(address).status_code == 302
    recent.forget_all()
    asked(as_user(cast.alice), address)
    assert kept.FRAMES.get((address, "en", False, (cast.alice.pk, cast.alice.display_name))) is None
