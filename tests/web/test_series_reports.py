# SPDX-License-Identifier: Apache-2.0
"""The final report and the certificates of a contest of sequential release."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.utils import timezone, translation

from pwscup.contests.models import Contest
from pwscup.reports import certificates, facts, page
from scoring.registry import SERIES_MEASURES
from tests import factories
from tests.web import board_facts, series_facts
from tests.web.series_facts import OF_TABLES

pytestmark = pytest.mark.django_db


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def report(contest, language: str = "en") -> str:
    with translation.override(language):
        found = facts.gather(fresh(contest), timezone.now())
        return page.document(found, language=language)


def words_of(html: str) -> str:
    """What is read, the texts of pictures among it."""
    alts = " ".join(re.findall(r'aria-label="([^"]*)"', html))
    bare = re.sub(r"<[^>]*>", " ", re.sub(r"<style.*?</style>", " ", html, flags=re.DOTALL))
    return " ".join(unescape(f"{bare} {alts}").split())


def test_reports_speak_of_releases_and_have_the_numbers(sketched):
    contest = series_facts.made_up().contest
    html = report(contest)
    words = words_of(html)
    assert not OF_TABLES.search(words), OF_TABLES.search(words)
    assert "the more people's values were guessed" in words
    assert "Accuracy over the baseline = of all individuals in the tables" in words
    assert "so 1/m = 33.33 %" in words
    numbers = set(map(float, re.findall(r'<data value="([^"]*)">', html)))
    scored = {value for row in series_facts.RESULTS.values() for value in row}
    assert scored | set(series_facts.RATES.values()) <= numbers
    for measure in SERIES_MEASURES.values():  # what the short names of columns stand for
        assert f"{measure.name}: {measure.title} ({measure.id})" in words
    of = {
        code: re.findall(r'<data value="([^"]*)">', found)
        for code, found in (("en", html), ("ja", report(contest, "ja")))
    }
    assert set(of["ja"]) == set(of["en"])  # where a wide board is divided depends on its headers
    assert len(of["en"]) > len(series_facts.MEASURES) * len(series_facts.RESULTS)


def test_a_report_about_tables_is_as_it_was(sketched):
    words = words_of(report(board_facts.game(factories.make_contest()).contest))
    assert "more records were re-identified" in words
    assert "baseline" not in words
    assert "The risk of an individual" not in words


def test_certificates_have_the_places_of_the_overall_board():
    contest = series_facts.made_up().contest
    found = certificates.for_everybody(fresh(contest), timezone.now(), "en")
    assert [(one.team, one.place.rank, one.place.n_ranked) for one in found] == [
        ("Blue", 1, 3),
        ("Green", 2, 3),
        ("Red", 3, 3),
    ]
