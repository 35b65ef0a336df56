# SPDX-License-Identifier: Apache-2.0
"""An organizer in a hurry: from the sign-up to an open round, every action of theirs counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator

from tests.e2e.browser import PASSWORD, Person
from tests.e2e.home import scoring
from tests.services import wait_until


@dataclass
class Counted:
    """Somebody whose clicks, fields, choices, files and answered dialogs are written down."""

    person: Person
    actions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.person.page.on(
            "dialog", lambda dialog: self.actions.append(f"confirm {dialog.message}")
        )

    @property
    def page(self):
        return self.person.page

    def fill(self, name: str, text: str) -> None:
        self.actions.append(f"fill {name}")
        self.page.locator(f"#id_{name}").fill(text)

    def press(self, name: str) -> None:
        self._click("press", self.page.get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self._click("follow", self.page.get_by_role("link", name=name, exact=True).first)

    def give(self, file: Path) -> None:
        self.actions.append(f"give {file.name}")
        self.page.locator("input[type=file]").first.set_input_files(file)

    def open(self, link: str) -> None:
        self.actions.append("open the link of the mail")
        self.person.go(link)

    def _click(self, how: str, what: Locator) -> None:
        self.actions.append(f"{how} {what.inner_text().strip()}")
        what.click()


def sign_up(organizer: Counted) -> None:
    person, site = organizer.person, organizer.person.site
    person.go("/")
    organizer.follow("Sign up")
    organizer.fill("email", person.email)
    organizer.fill("display_name", person.name)
    organizer.fill("password1", PASSWORD)
    organizer.fill("password2", PASSWORD)
    organizer.press("Sign up")
    person.has_account = True
    wait_until(lambda: site.links_mailed_to(person.email), f"mail to {person.email}")
    organizer.open(site.links_mailed_to(person.email)[-1])
    organizer.press("Yes, confirm")
    organizer.page.wait_for_url(lambda address: "confirm" not in address)
    site.manage("grant_organizer", person.email)  # which the administrator of the site does


def raw_hospital_table(folder: Path) -> Path:
    """An export of a hospital in CP932 with names, dates, separators of thousands and missing values."""
    raw = folder / "患者一覧.csv"
    scoring("generate", "raw-hospital", records=600, seed=1, out=raw)
    assert "氏名" in raw.read_bytes().decode("cp932")
    return raw


def raw_census_table(folder: Path) -> Path:
    """People of a census as statistical offices publish them: spaces behind commas, `?` for what is missing."""
    drawn, raw = folder / "drawn.csv", folder / "adult.csv"
    scoring("generate", "census", records=600, seed=1, out=drawn)
    header, *lines = (line.split(",") for line in drawn.read_text().splitlines())
    for at, cells in enumerate(lines):
        if at % 15 == 0:
            cells[1 + at % (len(cells) - 1)] = "?"
    raw.write_text("".join(f"{', '.join(cells)}\n" for cells in (header, *lines)))
    return raw


def open_a_contest(
    organizer: Counted, title: str, table: Path, *, is_prepared: bool = False
) -> None:
    """From the front page to an open round, with what the pages propose."""
    organizer.person.go("/")
    organizer.follow("Organize")
    organizer.follow("New contest")
    organizer.fill("title", title)
    organizer.press("Create draft")
    organizer.give(table)
    if is_prepared:
        organizer.press("Prepare first")
        organizer.person.sees("Unique records")
        organizer.press("Use the prepared table")
    else:
        organizer.press("Upload")
    organizer.press("Review and use")
    organizer.press("Use this table")
    organizer.follow("Publish")
    organizer.page.locator("#sentence").first.fill("No dry run has played these rules.")
    organizer.press("Publish and open the first round now")
    organizer.person.sees("The contest is running")
