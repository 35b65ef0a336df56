# SPDX-License-Identifier: Apache-2.0
"""Cards of formats with facts and filters, and time zones that are found by typing."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from pwscup.contests.forms import NewContestForm, SettingsForm
from pwscup.contests.forms.common import ZoneField, zone_choices
from pwscup.contests.models import Contest
from pwscup.contests.organize import wizard
from scoring.rulesets import load_ruleset, ruleset_names
from tests.web.test_organizer import NEW

PAGE = "/organize/new/"


def shown(client, query: str = "") -> list[str]:
    return shown_in(client.get(PAGE + query).content.decode())


def shown_in(page: str) -> list[str]:
    return re.findall(r'name="ruleset" id="format-([^"]+)"', page)


def test_the_recommended_format_comes_first_and_is_chosen(cast, oscar):
    page = oscar.get(PAGE).content.decode()
    assert shown(oscar)[0] == wizard.RECOMMENDED
    assert sorted(shown(oscar)) == sorted(ruleset_names())
    assert re.findall(r'value="([^"]+)" checked', page) == [wizard.RECOMMENDED]
    assert page.count('<svg class="format-picture"') == len(ruleset_names())


@pytest.mark.parametrize(
    ("name", "minutes", "length", "level", "n_teams"),
    [
        ("microdata-classroom", 30, "lesson", "easy", 2),
        ("sequential-lesson", 60, "lesson", "medium", 2),
        ("pwscup2015", 21 * 1440, "weeks", "medium", 2),
        ("pets-lecture", 33 * 1440, "weeks", "advanced", 2),
        ("dp-disclosure", 14 * 1440, "weeks", "medium", 1),
        ("organizer-defends", 30 * 1440, "weeks", "medium", 1),
        ("linkage-2024", 63 * 1440, "season", "advanced", 2),
    ],
)
def test_facts_of_a_format(name, minutes, length, level, n_teams):
    rules = load_ruleset(name)
    assert wizard.length_of(rules) == (minutes, length)
    assert wizard.level_of(rules) == level
    assert wizard.smallest_number_of_teams(rules) == n_teams


def test_filters_are_buttons_that_keep_each_other(cast, oscar):
    lessons = shown(oscar, "?length=lesson")
    assert lessons == ["microdata-classroom", "sequential-lesson"]
    assert shown(oscar, "?length=lesson&level=easy") == ["microdata-classroom"]
    page = oscar.get(PAGE + "?length=lesson&level=easy").content.decode()
    assert 'value="microdata-classroom" checked' in page
    assert 'value="level=easy"' in page
    assert 'value="length=lesson&amp;level=medium"' in page
    assert page.count('aria-current="true"') == 2


def test_a_click_on_a_filter_keeps_what_was_typed(cast, oscar):
    typed = NEW | {"title": "Spring Cup", "starts_at": "", "filter": "length=lesson"}
    answer = oscar.post(PAGE, typed)
    page = answer.content.decode()
    assert (answer.status_code, Contest.objects.count()) == (200, 1)
    assert 'value="Spring Cup"' in page
    assert 'value="microdata-classroom" checked' in page
    assert not answer.context["form"].errors


def test_other_formats_and_optional_fields_are_folded(cast, oscar):
    page = oscar.get(PAGE).content.decode()
    before, _summary, others = page.partition("<summary>Choose another format</summary>")
    assert before.count("format-card") > 0
    assert shown_in(before) == [wizard.RECOMMENDED]
    assert before.rpartition("<details")[2] == ' class="mt-2">'
    name, _, optional = others.partition("<summary>Optional: ")
    assert 'name="title"' in name
    assert 'name="summary_ja"' in optional
    chosen = oscar.post(PAGE, NEW | {"ruleset": "sequential-lesson", "title": "", "title_ja": ""})
    assert shown_in(chosen.content.decode())[0] == "sequential-lesson"


def test_a_filter_without_formats_offers_all(cast, oscar):
    page = oscar.get(PAGE + "?length=lesson&level=advanced").content.decode()
    assert "No format passes these filters." in page
    assert shown(oscar, "?length=forever&level=%00") == shown(oscar)


# Time zones


def test_tokyo_comes_first_in_japanese():
    with translation.override("ja"):
        assert zone_choices()[0] == ("Asia/Tokyo", "東京")
        assert dict(zone_choices())["America/New_York"] == "ニューヨーク"
    assert zone_choices()[:1] == [("UTC", "UTC")]
    assert len(zone_choices()) == len(dict(zone_choices())) > 400


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("Asia/Tokyo", "Asia/Tokyo"),
        (" asia/tokyo ", "Asia/Tokyo"),
        ("New York", "America/New_York"),
        ("utc", "UTC"),
    ],
)
def test_a_zone_is_found_by_its_name_or_city(typed, zone):
    assert ZoneField().clean(typed) == zone


def test_a_city_is_found_in_japanese():
    with translation.override("ja"):
        assert ZoneField().clean("東京") == "Asia/Tokyo"


@pytest.mark.parametrize("typed", ["Atlantis", "Asia", "\x00", "../etc/passwd", "東京"])
def test_an_unknown_zone_is_refused_in_plain_words(db, typed):
    form = NewContestForm(NEW | {"timezone": typed})
    assert not form.is_valid()
    assert "There is no time zone" in str(form.errors["timezone"]) or "Null" in str(form.errors)


def test_the_field_proposes_zones(cast, oscar):
    page = oscar.get(PAGE).content.decode()
    field = re.search(r'<input[^>]*name="timezone"[^>]*>', page).group()
    assert 'list="id_timezone-zones"' in field
    assert 'value="Asia/Tokyo"' in field
    assert '<datalist id="id_timezone-zones">' in page
    assert '<option value="Europe/Paris">Paris</option>' in page
    assert SettingsForm(instance=cast.contest)["timezone"].value() == "Asia/Tokyo"
