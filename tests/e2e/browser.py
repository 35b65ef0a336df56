# SPDX-License-Identifier: Apache-2.0
"""A real Chromium, and people at it, each with a profile of their own in which every fault is noted."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Download, Locator, Page, Playwright, Request, expect

from tests.e2e.installation import Installation
from tests.services import wait_until

NAMES = (
    "chromium-headless-shell",  # the same pages for a quarter less of processor time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
HINT = (
    "No Chromium was found, and the browser tests need one. Install it with your system's package "
    "manager (Debian, Ubuntu: apt-get install chromium) or with `python -m playwright install chromium`."
)
PASSWORD = "correct-horse-battery"
WAIT_MS = 120_000  # other tests may have the machine
DESKTOP = {"width": 1280, "height": 900}
# What Chromium would start beside every page, where it costs more than the page: a process for the address
# bar's suggestions, which nobody sees, and one in store. The list takes the place of Playwright's own, so the
# others keep what they keep from there: Chromium speaks to this machine's installation alone.
WITHOUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
    "AimEnabled",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PreconnectToSearch",
)
ARTIFACTS = Path(__file__).resolve().parents[2] / "test-artifacts"


class NoChromiumError(RuntimeError):
    """There is no browser to test in."""


def launch(playwright: Playwright) -> Browser:
    """Start the system's Chromium, else Chrome, else the one that Playwright has fetched."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    expect.set_options(timeout=WAIT_MS)
    path = found or playwright.chromium.executable_path
    if not Path(path).exists():
        raise NoChromiumError(HINT)
    switches = [f"--disable-features={','.join(WITHOUT)}"]
    return playwright.chromium.launch(executable_path=path, args=switches)


class Person:
    """Somebody at a browser of their own."""

    password = PASSWORD

    def __init__(self, browser: Browser, site: Installation, name: str, **options: Any) -> None:
        self.site, self.name = site, name
        self.email = f"{name.lower()}@example.net"
        self.has_account = False
        self.context = browser.new_context(
            base_url=site.url,
            locale="en-US",
            viewport=DESKTOP,
            accept_downloads=True,
            reduced_motion="reduce",  # charts are drawn at once
            **options,
        )
        self.context.set_default_timeout(WAIT_MS)
        self.faults: list[str] = []
        self.page = self.context.new_page()
        self._watch(self.page)

    def _watch(self, page: Page) -> None:
        """Note errors of scripts, refusals of the content policy, and requests that failed."""
        note = self.faults.append
        page.on("console", lambda m: note(f"console: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda error: note(f"script: {error}"))
        page.on("requestfailed", self._note_failed)
        page.on("response", lambda r: note(f"{r.status}: {r.url}") if r.status >= 500 else None)
        page.on("dialog", lambda dialog: dialog.accept())

    def _note_failed(self, request: Request) -> None:
        # The browser itself gives up a request when a person leaves the page, and a page for a download.
        if request.failure != "net::ERR_ABORTED":
            self.faults.append(f"request: {request.method} {request.url}: {request.failure}")

    def photograph(self, name: str) -> None:
        """Keep a picture of what is on the screen for whoever looks into a failure."""
        ARTIFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}-{self.name}.png", full_page=True)

    # What people do

    def go(self, address: str) -> None:
        response = self.page.goto(address)
        assert response is not None
        assert response.status == 200, f"{address}: status {response.status}"

    def follow(self, link: str) -> None:
        self.page.get_by_role("link", name=link, exact=True).first.click()

    def says_what_is_known(self) -> None:
        """Write the sentence for participants, where no dry run has played the rules."""
        if (sentence := self.page.locator("#sentence")).count():
            sentence.first.fill("No dry run has played these rules.")

    def press(self, button: str | re.Pattern[str]) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def download(self, link: Locator, to: Path) -> Path:
        """Click a link to a file and keep the file."""
        with self.page.expect_download() as waiting:
            link.click()
        return self._kept(waiting.value, to)

    def _kept(self, download: Download, to: Path) -> Path:
        download.save_as(to)
        return to

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text().strip()

    # Accounts

    def sign_up(self, *, is_proved: bool = False) -> None:
        """Follow the page's link to the form, fill it in, take the link out of the mail, confirm.

        Who came by the link of a mail to that address has proved it.
        """
        self.page.get_by_role("link", name="Sign up", exact=True).last.click()
        fields = {"email": self.email, "display_name": self.name}
        for field, text in (fields | {"password1": PASSWORD, "password2": PASSWORD}).items():
            self.page.locator(f"#id_{field}").fill(text)
        self.press("Sign up")
        self.has_account = True
        if is_proved:
            return
        self.sees("We sent you an email.")
        wait_until(lambda: self.site.links_mailed_to(self.email), f"mail to {self.email}")
        self.go(self.site.links_mailed_to(self.email)[-1])
        self.press("Yes, confirm")

    def come_logged_in(self, session: str) -> None:
        """With an account that was made for the story."""
        self._set_cookie("sessionid", session)
        self.has_account = True

    def _set_cookie(self, name: str, value: str) -> None:
        self.context.add_cookies([{"name": name, "value": value, "url": self.site.url}])

    def reads(self, language: str) -> None:
        """From the next page on, as the page's switch would have it."""
        self._set_cookie("django_language", language)

    def log_in(self, email: str, password: str) -> None:
        self.go("/accounts/login/")
        self.page.locator("#id_login").fill(email)
        self.page.locator("#id_password").fill(password)
        self.page.locator("main button").click()
        self.page.wait_for_url(re.compile(r"(?<!/login/)$"))
