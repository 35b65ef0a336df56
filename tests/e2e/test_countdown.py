# SPDX-License-Identifier: Apache-2.0
"""Countdowns: a page updates itself at zero, by the server's clock, and never while files are being sent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, Route

from tests.e2e.browser import WAIT_MS

SCRIPT = (Path(__file__).parents[2] / "static" / "js" / "pwscup.js").read_text()
PAGE = """<!doctype html><script src="/pwscup.js"></script>
<form method="post" action="/sent" enctype="multipart/form-data"><input name="a"></form>
<p id="clock" data-until="{until}" data-days="%d days" data-over="updating" data-sending="sending"></p>"""
ADDRESS = "http://site.test/"
SOME_MS = 4000
"""Longer than a page waits at zero before it loads again."""


class Site:
    """Answers for the server, whose clock is `behind` this computer's; an upload is never answered by itself."""

    def __init__(self, page: Page, *, seconds_left: float, behind: float = 0) -> None:
        self.behind, self.n_loads = behind, 0
        self.page = PAGE.format(until=formatdate(time.time() - behind + seconds_left))
        self.uploads: list[Route] = []
        page.route("**/*", self._answer)

    def _answer(self, route: Route, request: Request) -> None:
        date = {"Date": formatdate(time.time() - self.behind, usegmt=True)}
        if request.method == "POST":
            self.uploads.append(route)
        elif request.url.endswith(".js"):
            route.fulfill(body=SCRIPT, content_type="text/javascript", headers=date)
        else:
            self.n_loads += request.is_navigation_request()
            route.fulfill(body=self.page, content_type="text/html", headers=date)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page()
    yield made
    made.close()


def test_a_page_loads_again_at_zero(page):
    Site(page, seconds_left=0)
    page.goto(ADDRESS)
    with page.expect_navigation(timeout=WAIT_MS):
        pass


def test_files_that_are_being_sent_are_not_cancelled(page):
    site = Site(page, seconds_left=1)
    page.goto(ADDRESS)
    page.evaluate("document.forms[0].requestSubmit()")
    page.wait_for_timeout(SOME_MS)
    assert site.n_loads == 1
    [upload] = site.uploads
    upload.fulfill(body="received", content_type="text/html")
    page.get_by_text("received").wait_for()


def test_a_computer_whose_clock_is_ahead_counts_by_the_server(page):
    site = Site(page, seconds_left=90, behind=600)
    page.goto(ADDRESS)
    page.get_by_text("00:01:").wait_for()
    page.wait_for_timeout(SOME_MS)
    assert site.n_loads == 1
