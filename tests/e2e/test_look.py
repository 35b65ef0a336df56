# SPDX-License-Identifier: Apache-2.0
"""Every page that links lead to, on a phone and at a desk, in either language: nothing overflows, all is named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import pytest

from pwscup.demo.cast import ORGANIZER, PASSWORD, TEAMS
from tests.e2e.browser import Person
from tests.e2e.faults import THEMES, accessibility_faults, content_faults, width_faults
from tests.e2e.walking import NONE, Read, walk

# tests/web/test_looks.py opens a page of every view in Chromium, without an installation.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

PLAYER = next(iter(TEAMS.values()))[0]
ROLES = {"visitor": None, "player": PLAYER, "organizer": ORGANIZER}
# Views that say the same to everybody: visitors see them in every contest, who is logged in in some.
PUBLIC = re.compile(r"(?:board(?: .*)?|rules|news)$")
ALIKE = {
    "visitor": NONE,
    "player": PUBLIC,
    "organizer": re.compile(rf"{PUBLIC.pattern}|(?:round|team)$"),  # who is in no team has no forms
}
# Pages without a link to them.
START = ("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")
PERSONAL = ("/account/", "/account/delete/", "/accounts/password/change/", "/accounts/email/")
LEAST_PAGES = {"visitor": 15, "player": 29, "organizer": 30}
# What a walk must have come to, of which many pages would not make up for one.
MUST_SEE = {
    "visitor": {"board comparison", "board estimates", "board curve"},
    "player": {"ask", "answer", "experiment", "experiments-compare", "experiment-new", "tokens"},
    "organizer": {"organize-disclosure"},
}
# The pages on which a contest of sequential release has words and forms of its own.
MUST_OPEN = {
    "visitor": {"/c/demo-series/board/", "/c/demo-series/round/attack/", "/c/demo-series/rules/"},
    "player": {"/c/demo-series-open/", "/c/demo-series-open/round/release/"},
    "organizer": {"/organize/demo-series-open/data/", "/organize/demo-series-open/rules/"},
}
# Audits, estimates, and a comparison of experiments; `stage.set_up` says which.
STAGED = 7
# Contests that have their own look, in `test_look_lecture`, and what organizers see in another contest like it.
ELSEWHERE = re.compile(r"/(c|organize)/lecture-|/organize/demo-(?:disclosed|robust|series)/")


@pytest.fixture(scope="module")
def staged(site) -> Iterator[list[str]]:
    """A full stage; addresses of the player's that a walk would not come to by itself."""
    printed = site.manage("shell", "-c", "from tests.e2e import stage; stage.set_up()")
    addresses = [line for line in printed.splitlines() if line.startswith("/")]
    assert len(addresses) == STAGED, printed
    with site.worker_held():  # who looks at pages needs no worker
        yield addresses


@pytest.mark.parametrize("role", ROLES)
def test_every_page_is_sound(meet, staged, read, role):
    seen, opened = look(meet, role, staged, read, ALIKE[role])
    assert seen.total() >= LEAST_PAGES[role], seen
    assert seen.keys() >= MUST_SEE[role], seen
    assert opened >= MUST_OPEN[role], MUST_OPEN[role] - opened


def look(
    meet, role: str, staged: list[str], read: Read, alike: re.Pattern[str]
) -> tuple[Counter[str], set[str]]:
    """Look at the pages of a role; how many there are of each view, and their paths."""
    person = meet(role)
    if ROLES[role] is not None:
        person.log_in(ROLES[role].email, PASSWORD)
    start = [*START, *(PERSONAL if ROLES[role] else ()), *(staged if role == "player" else ())]
    pages = walk(person, start, lambda path: not ELSEWHERE.match(path), read, alike)
    return sound(person, pages, staged)


def sound(
    person: Person, pages: Iterator[tuple[str, str, str]], always: Sequence[str] = ()
) -> tuple[Counter[str], set[str]]:
    """Check that nothing is wrong with any of these pages; how many of each view there are, and their paths."""
    faults, seen, opened = [], Counter[str](), set[str]()
    accessible = set[tuple[str, str]]()
    for address, view, language in pages:
        found = [*width_faults(person.page), *content_faults(person.page, language)]
        # Colours and names of controls are the same in the pages of a view.
        if (view, language) not in accessible or address in always:
            found += accessibility_faults(person.page, *THEMES)
        accessible.add((view, language))
        faults += [f"{address} ({language}): {fault}" for fault in found]
        seen[view] += 1
        opened.add(urlsplit(address).path)
    assert not faults, f"{len(faults)} faults on {seen.total()} pages:\n" + "\n".join(faults)
    return seen, opened
