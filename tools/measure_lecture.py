# SPDX-License-Identifier: Apache-2.0
"""Time from nothing to a public lecture contest: the wizard in a real browser, at a person's pace.

    python -m tools.measure_lecture --pause 5

starts an installation of its own, sets up the contest of `tests.e2e.test_lecture` twice, once as fast as
the machine can and once with a pause before everything that a person does, and says what each took.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.e2e import browser as chromium
from tests.e2e import lecture
from tests.e2e.browser import Person
from tests.e2e.installation import Installation
from tests.e2e.test_lecture import MEMBERS, prepare

ACTIONS = {Page: ("goto",), Locator: ("click", "fill", "check", "press", "set_input_files")}


class Hand:
    """Everything that a person does with the browser: counted, and with a pause before it."""

    def __init__(self) -> None:
        self.n_actions, self.pause = 0, 0.0
        for kind, names in ACTIONS.items():
            for name in names:
                setattr(kind, name, self._slowed(getattr(kind, name)))

    def _slowed(self, action: Callable[..., Any]) -> Callable[..., Any]:
        def act(*args: Any, **options: Any) -> Any:
            self.n_actions += 1
            time.sleep(self.pause)
            return action(*args, **options)

        return act


def measured(site: Installation, browser: Browser, hand: Hand, name: str) -> tuple[float, int]:
    """Seconds and actions of an organizer from the list of contests to a public one."""
    lecture.TITLE = f"{name} lecture"
    slug = f"{name.lower()}-lecture"
    lecture.CONTEST, lecture.ORGANIZE = f"/c/{slug}", f"/organize/{slug}"
    teacher, judge = (Person(browser, site, f"{name}{role}") for role in ("Teacher", "Judge"))
    pause, hand.pause = hand.pause, 0.0
    for person in (teacher, judge):
        person.go("/")
        person.sign_up()
    site.manage("grant_organizer", teacher.email)
    hand.pause, before, started = pause, hand.n_actions, time.monotonic()
    prepare(teacher, judge, {team: f"{who}@example.net".lower() for team, who in MEMBERS.items()})
    return time.monotonic() - started, hand.n_actions - before


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pause", type=float, default=5.0, help="seconds before each action (5)")
    pause = parser.parse_args().pause
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        started = time.monotonic()
        site = Installation(Path(folder))
        tell(f"`manage.py up` until its pages answer: {time.monotonic() - started:.0f} s")
        try:
            browser = chromium.launch(playwright)
            hand = Hand()
            seconds, n_actions = measured(site, browser, hand, "Quick")
            tell(f"as fast as the machine can: {seconds:.0f} s, {n_actions} actions")
            hand.pause = pause
            seconds, n_actions = measured(site, browser, hand, "Calm")
            tell(f"with {pause:g} s before each of {n_actions} actions: {seconds / 60:.1f} minutes")
            browser.close()
        finally:
            site.stop()


def tell(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
