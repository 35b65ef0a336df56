# SPDX-License-Identifier: Apache-2.0
"""The overview of a contest: its rounds, first places, news, table and winner, and nothing that is hidden."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from pwscup.contests import selectors
from pwscup.contests.data_picture import MOST_NAMES, picture_of
from pwscup.contests.models import Contest
from scoring.tables.schema import Role
from tests import factories
from tests.web import board_facts
from tests.web.test_boards_frozen import long_ago

pytestmark = pytest.mark.django_db


def overview(client, contest) -> str:
    return client.get(reverse("contest", args=[contest.slug])).text


def podium(page: str) -> list[str]:
    return re.findall(r'class="final-name">([^<]+)<', page)


def test_a_finished_contest_shows_its_podium(client, cast):
    board_facts.game(cast.contest)
    page = overview(client, cast.contest)
    assert 2 <= len(podium(page)) <= 3
    assert "final-1" in page


def test_no_podium_is_shown_while_a_round_is_open(client, cast):
    board_facts.game(cast.contest, phase="attack")
    assert podium(overview(client, cast.contest)) == []


def test_no_podium_is_shown_while_the_board_is_frozen(client, cast):
    played = board_facts.game(cast.contest)
    long_ago(played)
    Contest.objects.update(frozen_at=played.attack.closes_at - timedelta(hours=1))
    assert podium(overview(client, cast.contest)) == []


def test_the_host_the_rounds_and_the_news_are_named(client, cast):
    page = overview(client, cast.contest)
    assert cast.oscar.display_name in page
    for round in cast.contest.rounds.all():
        assert page.count(f'/round/{round.key}/"') >= 2  # in the tabs, and on the line of rounds


def test_the_picture_of_the_table_has_the_columns_that_participants_get(cast):
    picture, dataset = picture_of(cast.contest), selectors.original_of(cast.contest)
    names = {name for group in picture.groups for name in group.names}
    hidden = {c.name for c in dataset.schema.columns if c.role is Role.IDENTIFIER}
    assert names
    assert not names & hidden
    assert picture.n_records == dataset.n_records
    assert all(len(group.names) <= MOST_NAMES for group in picture.groups)


def test_the_size_of_a_hidden_table_is_not_shown(cast):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    assert picture_of(contest).n_records is None


def test_a_contest_whose_data_are_deleted_has_no_picture(cast):
    cast.contest.erased_at = cast.contest.created_at
    assert picture_of(cast.contest) is None
