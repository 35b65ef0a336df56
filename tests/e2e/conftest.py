# SPDX-License-Identifier: Apache-2.0
"""One running installation and one Chromium for all browser tests."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.e2e import browser as chromium
from tests.e2e.browser import Person
from tests.e2e.installation import Installation

# Both end with this folder's tests: while Playwright runs, its event loop keeps Django from the database.


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("installation"))
    yield installation
    installation.stop()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = chromium.launch(playwright)
        yield running
        running.close()


@pytest.fixture(scope="module")
def read() -> Counter[tuple[object, str]]:
    """How many pages of a kind and of a view were read in a language, by everybody in a module."""
    return Counter()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if report.when == "call" and report.failed:
        for person in getattr(item, "people", []):
            with contextlib.suppress(PlaywrightError):  # a page that hangs has no picture
                person.photograph(item.name)
    return report


@pytest.fixture
def meet(
    request: pytest.FixtureRequest, browser: Browser, site: Installation
) -> Iterator[Callable[..., Person]]:
    """Return what gives somebody a browser; at the end nothing may have gone wrong in any of them."""
    people: list[Person] = []
    request.node.people = people

    def sit_down(name: str) -> Person:
        people.append(Person(browser, site, name))
        return people[-1]

    yield sit_down
    faults = [f"{person.name}: {fault}" for person in people for fault in person.faults]
    for person in people:
        person.context.close()
    assert not faults, "\n".join(faults)
