# SPDX-License-Identifier: Apache-2.0
"""The boards of a contest of sequential release in words: they speak of releases and people, and fit the page."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.html import escape

from pwscup.formats.series import boards as series_boards
from pwscup.leaderboards.boards import attack_texts
from pwscup.leaderboards.boards.build import BOARDS
from scoring.registry import SERIES_MEASURES
from scoring.rulesets import load_ruleset
from scoring.rulesets.loader_sequential import DEFINITIONS
from tests import factories
from tests.web import board_facts, series_facts
from tests.web.series_facts import OF_TABLES, page, text_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_speaks_of_releases(client, board):
    words = text_of(page(client, series_facts.made_up().contest, board))
    assert not OF_TABLES.search(words), OF_TABLES.search(words)
    if board != "overall":
        assert "ccuracy over the baseline" in words


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_of_tables_speaks_of_tables(client, board):
    contest = board_facts.game(factories.make_contest()).contest
    words = text_of(page(client, contest, board))
    assert "baseline" not in words
    if board != "overall":
        assert "e-identification rate" in words


def test_what_risk_means_stands_below_the_board(client):
    words = text_of(page(client, series_facts.made_up().contest, "anonymization"))
    assert str(series_boards.RISKS["counting"]) in words
    assert "Here m = 3, so 1/m = 33.33 %." in words


def test_every_definition_of_risk_has_words():
    assert set(DEFINITIONS) <= set(series_boards.RISKS)


def test_tables_have_no_words_for_the_risks_of_series():
    rules = load_ruleset("pwscup2015")
    assert attack_texts.risk_text(rules) == ""
    assert attack_texts.attack_texts_of(rules) is attack_texts.TABLE_ATTACKS


def test_risks_are_shown_in_per_cent_and_losses_as_numbers(client):
    words = text_of(page(client, series_facts.made_up().contest, "anonymization"))
    assert "100.00 % (3)" in words  # the largest risk of Red
    assert "45.00 % (2)" in words
    assert "1,234 (3)" in words  # query errors know no end
    assert "0.125 (3)" in words


def test_columns_are_headed_by_short_names_and_the_identifiers_stand_below(client):
    shown = page(client, series_facts.made_up().contest, "anonymization").content.decode()
    head, legend = shown[: shown.index("</thead>")], shown[shown.index('<dl class="measures">') :]
    for id_ in series_facts.MEASURES:
        name = escape(SERIES_MEASURES[id_].name)
        assert f'<span class="measure-id">{name}</span>' in head
        assert f"<dt>{name}</dt>" in legend
        assert f">{id_}</span>" in legend


def test_the_matrix_has_a_column_for_each_series(client):
    shown = page(client, series_facts.made_up().contest, "matrix").context
    assert shown["chart"] is None
    assert [column["name"] for column in shown["section"]["defenders"]] == ["Blue", "Green", "Red"]


def test_the_trade_off_has_a_point_for_each_series(client):
    shown = page(client, series_facts.made_up().contest, "anonymization").context
    points = {point.name: point.safety for point in shown["chart"]["picture"].points}
    assert points == {row["name"]: row["worst_rate"] for row in shown["section"]["rows"]}


def test_the_news_tell_that_releases_can_be_attacked(client):
    contest = series_facts.made_up().contest
    words = text_of(client.get(reverse("news", args=[contest.slug])))
    assert "The releases to attack are published: “Attack round”" in words
    assert "Teams: 3" in words
    assert "ables to attack" not in words
