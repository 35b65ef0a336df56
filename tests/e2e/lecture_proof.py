# SPDX-License-Identifier: Apache-2.0
"""What proves afterwards that nobody cheated: the secret of the draws, the audit trail, receipts."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.browser import Person
from tests.e2e.home import scoring
from tests.e2e.lecture import CONTEST, ORGANIZE
from tests.e2e.lecture_team import ATTACK, Team, published

SHA256 = re.compile(r"\b[0-9a-f]{64}\b")


def commitment(person: Person) -> str:
    """What the contest's public page has committed to."""
    person.go(f"{CONTEST}/")
    found = SHA256.findall(person.text("section[aria-labelledby=commitment-title]"))
    assert len(found) == 1, found
    return found[0]


def publish_secret(teacher: Person) -> None:
    teacher.go(f"{ORGANIZE}/events/")
    teacher.press("Publish secret")
    teacher.sees("The secret is published.")


def verify(visitor: Person, teacher: Person, team: Team, committed: str, folder: Path) -> None:
    """With the kit: the draws follow from the secret, the trail is whole, a team's receipt is in it."""
    visitor.go(f"{CONTEST}/")
    link = visitor.page.get_by_role("link", name="Download the secret and all seeds")
    secret = visitor.download(link, folder / "reveal.json")
    teacher.go(f"{ORGANIZE}/events/")
    link = teacher.page.get_by_role("link", name="Download with hashes (JSON lines)")
    trail = teacher.download(link, folder / "events.jsonl")
    checks = {
        "reveal": secret,
        "commitment": committed,
        "events": trail,
        "receipt": receipt(team),
        "schema": team.file("schema.toml"),
        "submission": team.file("anonymized.csv"),
        "release": own_release(team),
    }
    found = scoring("verify", **checks)
    assert found["holds"]
    checked = {check["check"] for check in found["checks"]}
    assert checked >= {"events", "published commitment", "seeds", "released order"}


def receipt(team: Team) -> Path:
    person = team.captain
    person.go(f"{CONTEST}/round/anonymization/")
    person.page.locator("#history tr.mine .state-link").click()
    person.follow("time of arrival and SHA-256")
    link = person.page.locator("a[href$='receipt.json']")
    return person.download(link, team.file("receipt.json"))


def own_release(team: Team) -> Path:
    person = team.captain
    person.go(ATTACK)
    link = person.page.get_by_role("link", name=published(team))
    return person.download(link, team.file("release.csv"))
