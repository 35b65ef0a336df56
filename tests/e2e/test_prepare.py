# SPDX-License-Identifier: Apache-2.0
"""The page Prepare of a draft in each of its states: axe finds nothing moderate or worse, nothing overflows."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import PASSWORD, Person
from tests.e2e.faults import PHONE, THEMES, accessibility_faults, content_faults, width_faults
from tests.e2e.installation import Installation
from tests.e2e.walking import LANGUAGES

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

STAGE = """
from datetime import timedelta
from django.utils import timezone
from pwscup.contests import services
from scoring.datasets.raw_hospital import raw_hospital
from tests import factories

pia = factories.make_user("pia", is_organizer=True)
starts_at = timezone.now() + timedelta(days=2)
for name in ("nothing", "proposed", "broken"):
    contest = services.create_contest(
        actor=pia, ruleset="pwscup2015", title=name, slug=f"prepare-{name}", starts_at=starts_at)
    if name != "nothing":
        services.upload_raw(actor=pia, contest=contest, name="raw.csv", data=raw_hospital(150, seed=3))
    if name == "broken":
        dropped = {"do": "drop", "columns": ["性別"]}
        services.change_steps(contest=contest, steps=[dropped, {"do": "rename", "column": "性別", "name": "sex"}])
"""
PAGE = "/organize/prepare-{}/data/prepare/"
# The addresses, with a part of the page that only this state has.
STATES = {
    PAGE.format("nothing"): "#prepare:not(:has(#steps))",
    PAGE.format("proposed"): ".prepare-steps > li:nth-child(5)",
    PAGE.format("proposed") + "?add=merge-rare": "#step-form",
    PAGE.format("proposed") + "?step=2": "#step-form",
    PAGE.format("broken"): ".prepare-steps > .is-broken",
}
UNFOLD = "document.querySelectorAll('#main details').forEach((node) => { node.open = true; })"


@pytest.fixture(scope="module")
def staged(site: Installation) -> None:
    site.manage("shell", "-c", STAGE)


@pytest.fixture
def pia(meet, staged) -> Person:
    person = meet("Pia")
    person.log_in("pia@example.org", PASSWORD)
    return person


def faults_of(person: Person, language: str) -> list[str]:
    """The faults of the page with everything unfolded, in either theme."""
    page = person.page
    page.evaluate(UNFOLD)
    found = [*width_faults(page), *content_faults(page, language)]
    for size in (PHONE, page.viewport_size):
        page.set_viewport_size(size)
        found += accessibility_faults(page, *THEMES)
    return [f"{page.url} ({language}): {fault}" for fault in found]


def test_every_state_of_the_page_is_sound(pia):
    faults = []
    for language in LANGUAGES:
        pia.reads(language)
        for address, part in STATES.items():
            pia.page.set_viewport_size(PHONE)
            pia.go(address)
            expect(pia.page.locator(part).first).to_be_attached()
            faults += faults_of(pia, language)
    assert not faults, "\n".join(faults)


def test_the_page_after_a_refused_file_is_sound(pia):
    page = pia.page
    pia.reads("en")
    pia.go(PAGE.format("proposed"))
    file = {"name": "raw.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n1,2,3\n"}
    page.locator("input[type=file][name=table]").set_input_files(file)
    pia.press("Upload the raw table")
    expect(page.locator("#problems-title")).to_be_visible()
    assert faults_of(pia, "en") == []
