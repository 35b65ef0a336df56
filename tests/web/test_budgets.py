# SPDX-License-Identifier: Apache-2.0
"""Pages are light, their content begins near the top, and nothing on them moves while they load."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from pwscup.contests.models import Contest
from tests import factories
from tests.e2e.browser import DESKTOP, Person
from tests.e2e.faults import PHONE
from tests.every import some
from tests.web.test_looks import Site, browser, person, site  # noqa: F401 — fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

TEXT_BYTES, BOARD_BYTES = 60_000, 120_000
"""A page with its styles and scripts as they are sent, without fonts, pictures and the library of charts."""
MOST_SHIFT = 0.1
CONTENT_FROM = 200
"""Pixels from the top of the window at a desk."""
N_TEAMS = 100
CHARTS = "echarts"
LINKED = re.compile(r'(?:href|src)="/static/([^"?]+\.(?:css|js))"')
PAGES = {
    "visitor": ["/", "/c/cup/", "/c/cup/rules/", "/c/cup/board/"],
    "alice": ["/c/cup/team/", "/c/cup/round/anonymization/"],
    "oscar": ["/organize/", "/organize/new/", "/organize/cup/", "/organize/cup/rules/"],
}
WATCH = """
  window.moved = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
SETTLED_MS = 300


@pytest.fixture
def clients(cast, as_user) -> dict[str, Client]:
    return {"visitor": as_user(None), "alice": as_user(cast.alice), "oscar": as_user(cast.oscar)}


def sent(data: bytes) -> int:
    return len(gzip.compress(data, mtime=0))


def weight(client: Client, address: str) -> int:
    """The bytes of a page with its styles and scripts, compressed one by one."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    found = {name for name in LINKED.findall(answer.content.decode()) if CHARTS not in name}
    assert found, address
    files = [finders.find(name) for name in found]
    return sent(answer.content) + sum(sent(Path(file).read_bytes()) for file in files)


@pytest.mark.parametrize(
    ("role", "address"), [(r, a) for r, listed in PAGES.items() for a in listed]
)
def test_a_page_is_light(clients, role, address):
    assert weight(clients[role], address) <= TEXT_BYTES


def test_a_board_of_a_hundred_teams_is_light(cast, clients):
    for number in range(N_TEAMS):
        factories.make_team(cast.contest, f"Team number {number}")
    assert weight(clients["visitor"], "/c/cup/board/") <= BOARD_BYTES
    assert weight(clients["oscar"], "/organize/cup/teams/") <= BOARD_BYTES


def show(person: Person, site: Site, client: Client, address: str, language: str) -> None:  # noqa: F811
    client.cookies["django_language"] = language
    site.pages[address] = client.get(address)
    person.go(address)
    person.page.wait_for_timeout(SETTLED_MS)


@pytest.mark.parametrize("size", some(1, [PHONE, DESKTOP]), ids=["phone", "desk"])
def test_nothing_moves_while_a_page_loads(clients, person, site, size):  # noqa: F811
    page = person.page
    page.add_init_script(WATCH)
    page.set_viewport_size(size)
    moved = {}
    for role, addresses in PAGES.items():
        for number, address in enumerate(addresses):
            show(person, site, clients[role], address, ("ja", "en")[number % 2])
            moved[address] = page.evaluate("window.moved")
    assert {address: shift for address, shift in moved.items() if shift > MOST_SHIFT} == {}


@pytest.mark.long
def test_the_content_of_organizers_pages_begins_near_the_top(cast, clients, person, site):  # noqa: F811
    factories.make_contest("other", organizer=cast.oscar, phase="before", published=False)
    assert Contest.objects.count() == 2
    person.page.set_viewport_size(DESKTOP)
    for slug in ("cup", "other"):
        for section in ("", "rules/", "data/", "teams/", "clock/", "settings/", "archive/"):
            show(person, site, clients["oscar"], f"/organize/{slug}/{section}", "ja")
            top = person.page.evaluate("document.querySelector('h1').getBoundingClientRect().top")
            assert top <= CONTENT_FROM, (slug, section, top)
