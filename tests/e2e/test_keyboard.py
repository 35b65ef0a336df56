# SPDX-License-Identifier: Apache-2.0
"""The stories of a team and of an organizer without a mouse: each stop of the Tab key is seen, and so is its ring.

A team logs in, creates itself, submits, and reads the result and the board. An organizer creates a draft, prepares a
raw table, confirms its columns, and opens the first round.
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
from tests.e2e.set_up import raw_hospital_table

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

STAGE = """
from tests import factories
organizers = [factories.make_user(name, is_organizer=True) for name in ("olga", "ota")]
contest = factories.make_contest("keys", organizer=organizers[0])
type(contest).objects.filter(pk=contest.pk).update(title="Cup of keys")
factories.make_user("alva")
"""
MOST_STOPS = 60
MOST_STOPS_OF_ORGANIZERS = 180  # a column has two choices or more
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


def tab_to(person: Person, wanted: Locator, most: int = MOST_STOPS) -> None:
    """Press Tab until this has the focus; every stop on the way is on the screen."""
    expect(wanted).to_be_attached()
    for _ in range(most):
        person.page.keyboard.press("Tab")
        focused = person.page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        assert person.page.evaluate(IN_SIGHT), f"{person.page.url}: out of sight: {focused}"
        if wanted.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError(f"{person.page.url}: {most} stops do not lead to {wanted}")


def press(person: Person, role: str, name: str, most: int = MOST_STOPS) -> None:
    """Go to a link or button of the page by Tab, and press Enter."""
    tab_to(person, person.page.get_by_role(role, name=name, exact=True).last, most)
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
    alva = meet("Alva")
    page = alva.page
    page.set_viewport_size(size)
    alva.go("/accounts/login/")
    write(alva, "#id_login", "alva@example.org")
    write(alva, "#id_password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"(?<!/login/)$"))
    alva.go("/contests/")
    press(alva, "link", "Cup of keys")
    if name == "Red":
        press(alva, "link", "Team")
        write(alva, "#id_name", name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    alva.go("/c/keys/round/anonymization/")
    for key in files:
        field = page.locator(f"input[type=file][name={key}]")
        tab_to(alva, field)
        field.set_input_files(tmp_path / f"{key}.csv")
    tab_to(alva, page.locator("form:has(input[name=anonymized]) button[data-busy]"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1" if name == "Red" else "2")
    expect(page.locator("main")).to_contain_text("Utility")
    press(alva, "link", "Leaderboard")
    expect(page.locator(".board-table").first).to_contain_text("Red")
    for address in ("/c/keys/", "/c/keys/round/anonymization/", "/c/keys/board/", "/c/keys/team/"):
        alva.go(address)
        assert rings_not_seen(page, RINGS_A_PAGE) == [], address


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_an_organizer_needs_no_mouse(meet, staged, tmp_path, size):
    name = "Olga" if size == DESKTOP else "Ota"
    person = meet(name)
    page = person.page
    page.set_viewport_size(size)
    person.log_in(f"{name.lower()}@example.org", PASSWORD)
    person.go("/organize/")
    press(person, "link", "New contest")
    unseen = rings_of(person, page.locator("#id_title"))
    write(person, "#id_title", f"Cup of {name}")
    press(person, "button", "Create draft", MOST_STOPS_OF_ORGANIZERS)
    field = page.locator("input[type=file][name=table]").first
    unseen += rings_of(person, field)
    tab_to(person, field)
    field.set_input_files(raw_hospital_table(tmp_path))
    press(person, "button", "Prepare first", MOST_STOPS_OF_ORGANIZERS)
    unseen += rings_of(person, page.locator("#risk"))
    add_a_step(person)
    press(person, "button", "Use the prepared table", MOST_STOPS_OF_ORGANIZERS)
    for button in ("Review and use", "Use this table"):
        unseen += rings_of(person, page.get_by_role("button", name=button, exact=True))
        press(person, "button", button, MOST_STOPS_OF_ORGANIZERS)
    person.sees("The table is now the contest's original.")
    press(person, "link", "Publish", MOST_STOPS_OF_ORGANIZERS)
    person.says_what_is_known()
    publish = page.get_by_role("button", name="Publish and open the first round now", exact=True)
    unseen += rings_of(person, publish)
    press(person, "button", "Publish and open the first round now", MOST_STOPS_OF_ORGANIZERS)
    person.sees("The contest is running")
    assert unseen + rings_of(person, page.locator("#live-hours")) == []


def rings_of(person: Person, part: Locator) -> list[str]:
    """The stops without a visible ring on the page that has this part; the keyboard is then at its beginning."""
    expect(part).to_be_attached()
    person.page.wait_for_load_state()
    found = rings_not_seen(person.page, RINGS_A_PAGE)
    person.page.evaluate("document.querySelector('a').focus()")
    return [f"{person.page.url}: {fault}" for fault in found]


def add_a_step(person: Person) -> None:
    """Ask for a step, fill in its form, which has the focus at once, and save it."""
    page = person.page
    press(person, "link", "Merge rare values", MOST_STOPS_OF_ORGANIZERS)
    form = page.locator("#step-form")
    expect(form).to_be_focused()
    tab_to(person, form.locator("input[type=checkbox]").first)
    page.keyboard.press("Space")
    write(person, "#step-form input[type=number]", "5")
    press(person, "button", "Add the step", MOST_STOPS_OF_ORGANIZERS)
    expect(page.locator(".prepare-steps > li").last).to_contain_text("Merge rare values")
    expect(page.locator("#steps")).to_be_focused()  # the button that was pressed is gone
