# SPDX-License-Identifier: Apache-2.0
"""The first paint of pages on a computer four times slower than this one, from an empty cache."""

from __future__ import annotations

import pytest

from tests.e2e.browser import PASSWORD, Person
from tests.e2e.installation import Installation

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

SLOWER = 4
MOST_MS = 1_000
MOST_LOADS = 12
"""The fastest of so many loads counts: others use the machine, too."""
FIRST_PAINT = """() => new Promise((done) => {
  const found = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  const wait = () => (found() === undefined ? requestAnimationFrame(wait) : done(found()));
  wait();
})"""
PAGES = {
    "visitor": ["/", "/c/cup/", "/c/cup/board/"],
    "alice": ["/c/cup/team/"],
    "oscar": ["/organize/cup/", "/organize/cup/rules/"],
}
STAGE = """
from tests import factories
oscar = factories.make_user("oscar", is_organizer=True)
contest = factories.make_contest(organizer=oscar)
factories.make_team(contest, "Red", factories.make_user("alice"))
"""


@pytest.fixture(scope="module")
def staged(site: Installation) -> None:
    site.manage("shell", "-c", STAGE)


@pytest.mark.parametrize("role", PAGES)
def test_the_first_paint_is_quick(meet, staged, role):
    person = meet(role)
    if role != "visitor":
        person.log_in(f"{role}@example.org", PASSWORD)
    slow_down(person)
    late = {
        address: paint for address in PAGES[role] if (paint := fastest(person, address)) > MOST_MS
    }
    assert late == {}


def slow_down(person: Person) -> None:
    session = person.context.new_cdp_session(person.page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def fastest(person: Person, address: str) -> float:
    """Milliseconds to the first paint, in the fastest load; the first one that is quick enough ends it."""
    paint = float("inf")
    for _ in range(MOST_LOADS):
        person.go(address)
        paint = min(paint, person.page.evaluate(FIRST_PAINT))
        if paint <= MOST_MS:
            break
    return paint
