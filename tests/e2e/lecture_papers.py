# SPDX-License-Identifier: Apache-2.0
"""What stays of a lecture contest: its archive, its final report, and a certificate for each team."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.browser import Person
from tests.e2e.lecture import CONTEST, ORGANIZE
from tests.e2e.lecture_team import Team

WAIT_MS = 240_000


def write_archive(teacher: Person, folder: Path) -> Path:
    """The whole contest with its answer key, in one file."""
    page = teacher.page
    teacher.go(f"{ORGANIZE}/archive/")
    page.get_by_label("With the answer key").check()
    page.get_by_label("the names of all teams").check()
    teacher.press("Create archive")
    expect(page.locator("#status .state-done")).to_be_visible(timeout=WAIT_MS)
    link = page.get_by_role("link", name=re.compile(r"archive-\d+\.zip"))
    archive = teacher.download(link, folder / "contest.zip")
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
    return archive


def import_archive(teacher: Person, archive: Path) -> str:
    """As another installation does; return the address of the same contest once more."""
    page = teacher.page
    teacher.go("/organize/import/")
    page.locator("main input[type=file]").set_input_files(archive)
    teacher.press("Upload and import")
    made_anew = page.get_by_text("All boards were rebuilt and match")
    expect(made_anew).to_be_visible(timeout=WAIT_MS)
    teacher.sees("The event history is valid")
    teacher.follow("Open the draft")
    teacher.sees("The contest is a draft")
    return page.locator(".contest-title").get_attribute("href") or ""


def publish_report(teacher: Person) -> None:
    page = teacher.page
    teacher.go(f"{ORGANIZE}/report/")
    teacher.press("Create report")
    expect(page.locator("#status .state-done")).to_be_visible(timeout=WAIT_MS)
    teacher.press("Publish this version")
    teacher.sees("Published:")


def read_report(visitor: Person, teams: list[Team]) -> None:
    """Everybody finds it on the contest's page, in both languages, with every team in it."""
    visitor.go(f"{CONTEST}/")
    links = visitor.page.locator("a[href*='/report.html']")
    expect(links).to_have_count(2)
    for link in links.all():
        address = link.get_attribute("href") or ""
        answer = visitor.context.request.get(address)
        assert answer.ok, address
        assert all(team.name in answer.text() for team in teams)


def certificates(teacher: Person, teams: list[Team]) -> None:
    """One for each team, and all in one file for the teacher."""
    for team in teams:
        team.captain.go(f"{CONTEST}/")
        link = team.captain.page.locator("a[href*='/certificate.pdf'][hreflang=ja]")
        assert n_pages(team.captain.download(link, team.file("certificate.pdf"))) == 1
    teacher.go(f"{ORGANIZE}/report/")
    link = teacher.page.locator("a[href*='/certificates.pdf'][hreflang=en]")
    assert n_pages(teacher.download(link, teams[0].folder.parent / "certificates.pdf")) == len(
        teams
    )


def n_pages(file: Path) -> int:
    data = file.read_bytes()
    assert data.startswith(b"%PDF-"), data[:20]
    return len(re.findall(rb"/Type\s*/Page\b", data))
