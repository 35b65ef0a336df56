# SPDX-License-Identifier: Apache-2.0
"""Every page of a running site as each role sees it: a picture for each language, width and theme."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.http import Http404
from playwright.sync_api import Browser
from playwright.sync_api import Error as PlaywrightError

from pwscup.demo.cast import ORGANIZER, PASSWORD, TEAMS
from tests.e2e.browser import DESKTOP, Person
from tests.e2e.faults import PHONE, accessibility_faults, content_faults, width_faults
from tests.e2e.walking import kind_of
from tools.screenshots import sheets

ROLES = {"visitor": None, "player": TEAMS["Aoi"][0], "organizer": ORGANIZER}
# Pages without a link to them.
START = {
    "visitor": (
        "/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
        "/no-such-page/",
    ),
    "player": (
        "/",
        "/account/",
        "/account/delete/",
        "/accounts/password/change/",
        "/accounts/email/",
    ),
    "organizer": ("/organize/",),
}
WIDTHS = {"phone": PHONE, "desk": DESKTOP}
REDRAWN_MS = 300  # charts follow the width
MOST_PIXELS = 12_000  # of a page's height: what follows looks like what was
HELP = re.compile(r"/help/(?!$|how-to/install/|reference/measures/)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pictures to take."""

    roles: list[str]
    languages: list[str]
    themes: list[str]
    addresses: re.Pattern[str]
    is_checked: bool = False


def take(browser: Browser, site: str, folder: Path, wanted: Wanted) -> None:
    """Write `ROLE/LANGUAGE-WIDTH-THEME/NUMBER-ADDRESS.png`, sheets of them, and what is wrong in `faults.txt`."""
    faults: list[str] = []
    for role in wanted.roles:
        found = [path for path in addresses(browser, site, role) if wanted.addresses.search(path)]
        sys.stdout.write(f"{role}: {len(found)} pages\n")
        for theme in wanted.themes:
            person = somebody(browser, site, role, color_scheme=theme)
            for language in wanted.languages:
                person.reads(language)
                for number, address in enumerate(found):
                    faults += photographed(
                        person, folder / role, (language, theme), number, address, wanted
                    )
            person.context.close()
    for taken in sorted(folder.glob("*/*-*-*")):
        sheets.write(sorted(taken.glob("*.png")), folder / f"{taken.parent.name}-{taken.name}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "faults.txt").write_text("".join(f"{fault}\n" for fault in faults))
    sys.stdout.write(f"{len(faults)} faults\n")


def photographed(
    person: Person,
    folder: Path,
    seen_as: tuple[str, str],
    number: int,
    address: str,
    wanted: Wanted,
) -> Iterator[str]:
    """Take the pictures of a page, one per width; what is wrong with it."""
    language, theme = seen_as
    name = re.sub(r"[^\w.=-]+", "_", address.strip("/"))[:80] or "home"
    for width, size in WIDTHS.items():
        person.page.set_viewport_size(size)
        if width == next(iter(WIDTHS)):
            person.page.goto(address)
        elif person.page.locator("[data-chart]").count():
            person.page.wait_for_timeout(REDRAWN_MS)
        path = folder / f"{language}-{width}-{theme}" / f"{number:03}-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        height = min(person.page.evaluate("document.documentElement.scrollHeight"), MOST_PIXELS)
        clip = {"x": 0, "y": 0, "width": size["width"], "height": max(height, size["height"])}
        person.page.screenshot(path=path, clip=clip, full_page=True)
    found = list(person.faults)
    person.faults.clear()
    if wanted.is_checked:
        found += [*width_faults(person.page), *content_faults(person.page, language)]
        found += accessibility_faults(person.page)
    yield from (f"{address} ({language}, {theme}): {fault}" for fault in found)


def addresses(browser: Browser, site: str, role: str) -> list[str]:
    """Every page that links lead this role to, a few of those that are alike."""
    person, todo = somebody(browser, site, role), list(START[role])
    known, alike, found = set(todo), Counter[object](), []
    while todo:
        address = todo.pop(0)
        try:
            _view, kind, limit = kind_of(address)
        except Http404:  # a page that is not there
            kind, limit = address, 1
        if alike[kind] >= limit and address not in START[role]:
            continue
        alike[kind] += 1
        try:
            person.page.goto(address)
        except PlaywrightError:  # a file, which is loaded down
            continue
        if person.page.evaluate("document.contentType") != "text/html":
            continue
        found.append(address)
        links = person.page.eval_on_selector_all(
            "a[href]:not([download])", "links => links.map((link) => link.getAttribute('href'))"
        )
        for link in links:
            path = link.split("#")[0]
            if path.startswith("/") and path not in known and not HELP.match(path):
                known.add(path)
                todo.append(path)
    person.context.close()
    return found


def somebody(browser: Browser, site: str, role: str, **options: Any) -> Person:
    """A person of this role at a browser of their own, logged in where the role has an account."""
    person = Person(browser, SimpleNamespace(url=site), role, **options)
    if (account := ROLES[role]) is not None:
        person.log_in(account.email, PASSWORD)
    return person
