# SPDX-License-Identifier: Apache-2.0
"""The front page: the running contest with its first places, past winners, and nothing that a board hides."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.leaderboards.brief import numbers
from pwscup.leaderboards.brief.podium import podium_of
from pwscup.submissions.decisions import rulings
from tests.web import board_facts
from tests.web.test_boards_frozen import long_ago

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def home(client) -> str:
    return client.get("/").text


def winners(page: str) -> list[str]:
    return re.findall(r'class="winner">.*?</span> ([A-Z]\w+)', page)


def featured(page: str) -> str:
    found = re.search(r'class="featured".*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def test_a_running_contest_is_shown_large_with_its_countdown(client, cast):
    board_facts.game(cast.contest, phase="attack")
    part = featured(home(client))
    assert cast.contest.title in part
    assert 'data-until="' in part
    assert reverse("contest", args=[cast.contest.slug]) in part


def test_a_finished_contest_names_its_winner(client, cast):
    played = board_facts.game(cast.contest)
    page = home(client)
    assert not featured(page)
    names = {team.name for team in cast.contest.teams.all()}
    assert len(winners(page)) == 1
    assert set(winners(page)) <= names, played


def test_no_winner_is_named_while_the_board_is_frozen(client, cast):
    played = board_facts.game(cast.contest)
    long_ago(played)
    Contest.objects.update(frozen_at=played.attack.closes_at - HOUR)
    assert winners(home(client)) == []


def test_no_places_are_shown_of_a_board_for_teams_only(client, cast):
    board_facts.game(cast.contest)
    Contest.objects.update(board_audience=Contest.Audience.TEAMS)
    assert winners(home(client)) == []


def test_a_demo_is_large_only_without_another_contest(client, cast):
    board_facts.game(cast.contest, phase="attack")
    Contest.objects.update(is_demo=True)
    assert featured(home(client))


def test_counts_leave_out_drafts_and_what_arrived_after_a_freeze(client, cast):
    played = board_facts.game(cast.contest)
    whole = numbers.of_site().submissions
    assert whole >= len(played.submissions)
    assert str(whole) in home(client)
    Contest.objects.update(frozen_at=timezone.now() - timedelta(days=999))
    assert numbers.of_site().submissions == 0
    Contest.objects.update(is_published=False)
    assert numbers.of_site() == numbers.Numbers(0, 0, 0)


def test_counts_are_read_once_in_a_while(monkeypatch):
    found, clock = iter("ab"), iter((0.0, 19.0, 21.0))
    monkeypatch.setattr(numbers, "of_site", lambda: next(found))
    monkeypatch.setattr(numbers, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert [numbers.recent() for _ in range(3)] == ["a", "a", "b"]


def test_places_are_read_again_only_after_something_was_recorded(cast, django_assert_num_queries):
    played = board_facts.game(cast.contest)
    audit_log.record("contest.imported", contest_id=cast.contest.pk)
    visitor, now = AnonymousUser(), timezone.now()
    found = podium_of(visitor, cast.contest, now)
    [winner] = found.winners
    with django_assert_num_queries(1):
        assert podium_of(visitor, cast.contest, now) is found
    best = played.submissions[winner.name]
    rulings.withdraw(actor=cast.oscar, submission=best, reason="wrong table")
    assert winner not in podium_of(visitor, cast.contest, now).winners


def test_places_are_not_given_from_the_cache_once_boards_are_for_teams_only(cast):
    board_facts.game(cast.contest)
    audit_log.record("contest.imported", contest_id=cast.contest.pk)
    visitor, now = AnonymousUser(), timezone.now()
    assert podium_of(visitor, cast.contest, now).places
    assert podium_of(visitor, cast.contest, now).places
    Contest.objects.update(board_audience=Contest.Audience.TEAMS)
    cast.contest.refresh_from_db()
    assert not podium_of(visitor, cast.contest, now).places


def test_links_on_other_sites_have_a_title_a_description_and_a_picture(client, cast):
    for page in (home(client), client.get(reverse("contest", args=[cast.contest.slug])).text):
        image = re.search(r'property="og:image" content="([^"]+)"', page)
        assert image[1].startswith("http://testserver/static/img/preview")
        assert re.search(r'name="description" content="\w[^"]+"', page)
    assert f'property="og:title" content="{cast.contest.title}"' in page


def test_the_status_page_says_what_does_not_work(client, monkeypatch):
    from pwscup.core.http import health

    monkeypatch.setattr(
        health.readiness, "found", lambda: {"database": "ok", "broker": "fault", "storage": "ok"}
    )
    page = client.get(reverse("status")).text
    assert page.count("state-open") == 3
    assert page.count("state-failed") == 1
