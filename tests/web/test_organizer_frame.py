# SPDX-License-Identifier: Apache-2.0
"""The frame of the organizer's pages: a menu at the side in three groups, the same menu folded on a phone."""

from __future__ import annotations

import re

import pytest

from pwscup.contests.organize import nav

ORGANIZE = "/organize/cup"
MENU = re.compile(r'<nav class="organize-menu[^>]*>.*?</nav>', re.DOTALL)


def menus(client, path: str) -> list[str]:
    return MENU.findall(client.get(path).content.decode())


def test_the_menu_has_three_groups_with_every_page(oscar):
    wide, folded = menus(oscar, f"{ORGANIZE}/")
    n_pages = sum(len(pages) for _title, pages in nav.PAGES) - len(nav.OF_HIDDEN_TABLES)
    for menu in (wide, folded):
        assert menu.count("group-title") == len(nav.PAGES) == 3
        assert menu.count("<a ") == n_pages


@pytest.mark.parametrize("page", ["rules", "teams", "clock", "archive"])
def test_the_menu_marks_the_page(oscar, page):
    here = f'href="{ORGANIZE}/{page}/" aria-current="page"'
    for menu in menus(oscar, f"{ORGANIZE}/{page}/"):
        assert menu.count("aria-current") == 1
        assert here in menu


def test_the_folded_menu_needs_no_script(oscar):
    html = oscar.get(f"{ORGANIZE}/teams/").content.decode()
    folded = html.partition('<details class="organize-folded">')[2].partition("</details>")[0]
    summary = re.search(r"<summary>(.*?)</summary>", folded).group(1)
    assert summary == "Menu · Teams"
    assert MENU.search(folded)


def test_ids_of_both_menus_differ(oscar):
    html = "".join(menus(oscar, f"{ORGANIZE}/"))
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 2 * len(nav.PAGES)
