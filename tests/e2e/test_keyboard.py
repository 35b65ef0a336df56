# SPDX-License-Identifier: Apache-2.0
"""The story of a team without a mouse: log in, create a team, submit, read the result and the board.

Each stop of the Tab key is seen: it is on the screen, and its ring has enough contrast.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests import factories
from tests.e2e.browser import DESKTOP, PASSWORD, Person
from tests.e2e.faults import PHONE
from tests.e2e.focus import rings_not_seen
from tests.e2e.installation import Installation

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

STAGE = """
from tests import factories
contest = factories.make_contest(organizer=factories.make_user("oscar", is_organizer=True))
factories.make_user("alice")
"""
MOST_STOPS = 60
RINGS_A_PAGE = 12
IN_SIGHT = """() => {
  const node = document.activeElement, zone = node.matches("input[type=file]") && node.closest("label, .dropzone");
  const shown = zone || node;
  if (!shown.checkVisibility()) return true;  // a button of a check that has ended since
  const { top, bottom, left, right } = shown.getBoundingClientRect();
  return node !== document.body && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}"""


@pytest.fixture(scope="module")
def staged(site: Installation) -> None:
    site.manage("shell", "-c", STAGE)


def tab_to(person: Person, wanted: Locator) -> None:
    """Press Tab until this has the focus; every stop on the way is on the screen."""
    expect(wanted).to_be_attached()
    for _ in range(MOST_STOPS):
        person.page.keyboard.press("Tab")
        focused = person.page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        assert person.page.evaluate(IN_SIGHT), f"{person.page.url}: out of sight: {focused}"
        if wanted.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError(f"{person.page.url}: {MOST_STOPS} stops do not lead to {wanted}")


def press(person: Person, role: str, name: str) -> None:
    """Go to a link or button of the page by Tab, and press Enter."""
    tab_to(person, person.page.get_by_role(role, name=name, exact=True).last)
    person.page.keyboard.press("Enter")


def write(person: Person, field: str, text: str) -> None:
    tab_to(person, person.page.locator(field))
    person.page.keyboard.type(text)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_a_team_needs_no_mouse(meet, staged, tmp_path, size):
    name = "Red" if size == DESKTOP else "Blue"
    files = {"anonymized": factories.NOISY, "rows": factories.ROWS}
    for key, data in files.items():
        (tmp_path / f"{key}.csv").write_bytes(data)
    alice = meet("Alice")
    page = alice.page
    page.set_viewport_size(size)
    alice.go("/accounts/login/")
    write(alice, "#id_login", "alice@example.org")
    write(alice, "#id_password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"(?<!/login/)$"))
    alice.go("/contests/")
    press(alice, "link", "Test Cup")
    if name == "Red":
        press(alice, "link", "Team")
        write(alice, "#id_name", name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    alice.go("/c/cup/round/anonymization/")
    for key in files:
        field = page.locator(f"input[type=file][name={key}]")
        tab_to(alice, field)
        field.set_input_files(tmp_path / f"{key}.csv")
    tab_to(alice, page.locator("form:has(input[name=anonymized]) button[data-busy]"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1" if name == "Red" else "2")
    expect(page.locator("main")).to_contain_text("Utility")
    press(alice, "link", "Leaderboard")
    expect(page.locator(".board-table").first).to_contain_text("Red")
    for address in ("/c/cup/", "/c/cup/round/anonymization/", "/c/cup/board/", "/c/cup/team/"):
        alice.go(address)
        assert rings_not_seen(page, RINGS_A_PAGE) == [], address
