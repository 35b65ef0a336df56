# SPDX-License-Identifier: Apache-2.0
"""Pages in the dark theme in a real Chromium: axe finds nothing serious, contrast included."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from pwscup.contests.models import Contest
from tests.e2e.faults import PHONE, accessibility_faults, width_faults
from tests.web import board_facts
from tests.web.test_boards_frozen import long_ago
from tests.web.test_looks import browser, person, site  # noqa: F401 — fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

BOARDS = ("overall", "anonymization", "attack", "matrix")
PAGES = {
    "visitor": (
        *("/", "/about/", "/c/cup/", "/c/cup/rules/", "/c/cup/news/", "/c/cup/ceremony/"),
        *("/c/cup/board/history/", "/c/cup/board/projector/", "/accounts/login/"),
        *(f"/c/cup/board/?board={name}" for name in BOARDS),
    ),
    "alice": ("/account/", "/c/cup/team/", "/c/cup/round/attack/"),
    "oscar": ("/organize/", "/organize/cup/", "/organize/cup/data/", "/organize/cup/rounds/"),
}


@pytest.mark.long
def test_the_dark_theme_is_legible(cast, as_user, person, site):  # noqa: F811
    played = board_facts.game(cast.contest)
    long_ago(played)
    faults: list[str] = []
    person.page.set_viewport_size(PHONE)
    users = {"visitor": None, "alice": cast.alice, "oscar": cast.oscar}
    for role, addresses in PAGES.items():
        client: Client = as_user(users[role])
        client.cookies["theme"] = "dark"
        for address in addresses:
            site.pages[address] = client.get(address)
            assert site.pages[address].status_code == 200, address
            assert b'data-theme="dark"' in site.pages[address].content, address
            person.go(address)
            found = [*accessibility_faults(person.page), *width_faults(person.page)]
            faults += [f"{address}, {role}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


def test_a_frozen_board_is_legible_in_the_dark(cast, as_user, person, site):  # noqa: F811
    played = board_facts.game(cast.contest)
    long_ago(played)
    Contest.objects.update(frozen_at=played.attack.closes_at - timedelta(hours=1))
    client = as_user(None)
    client.cookies["theme"] = "dark"
    site.pages["/c/cup/board/"] = client.get("/c/cup/board/")
    person.go("/c/cup/board/")
    assert list(accessibility_faults(person.page)) == []
