# SPDX-License-Identifier: Apache-2.0
"""Tutorials and how-tos name buttons, links and pages as the platform does: in bold, by the words on the page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import polib

from pwscup.contests.organize import nav
from scoring.registry import ALL_MEASURES

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.po"
RULESETS = ROOT / "scoring" / "rulesets" / "data"
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
BOLD = re.compile(r"\*\*([^*]+)\*\*")
NAMED_PAGE = re.compile(r"\bpages? \*{1,2}([^*]+)\*{1,2}")
PAGES = [
    page
    for folder in ("tutorials", "how-to")
    for page in sorted((ROOT / "docs" / folder).glob("*.md"))
    if not page.name.endswith(".ja.md")
]
NO_LABELS = {
    "attack.md": {"99.8", "99.6", "99.2", "97.1", "95.4", "24.0", "23.8"},
    "own-measures.md": {"program", "plugin", "The administrator", "The ruleset"},
    "run-a-sequential-contest.md": {"six", "150", "6", "2"},
}
"""Bold words that are no labels: the best figures of tables, and terms where they are explained."""
OTHER_PAGES = {
    "Closing ceremony",  # of the contest
    "Experiments",
    "News",  # of the contest
    "Team",  # of the contest
}


@cache
def texts() -> set[str]:
    """The English texts of the platform, with … for what is filled in, and the titles of rulesets."""
    entries = [entry for entry in polib.pofile(CATALOGUE) if not entry.obsolete]
    known = {text for entry in entries for text in (entry.msgid, entry.msgid_plural) if text}
    known = {re.sub(r"%\(\w+\)s", "…", text) for text in known}
    for ruleset in RULESETS.glob("*.toml"):
        known |= set(re.findall(r'\ben = "([^"]+)"', ruleset.read_text(encoding="utf-8")))
    known |= {text[:1].upper() + text[1:] for text in known}  # labels of fields
    return known | {f"← {text}" for text in known} | set(ALL_MEASURES)


def prose(page: Path) -> str:
    return re.sub(r"\s+", " ", FENCE.sub("", page.read_text(encoding="utf-8")))


def test_bold_words_are_labels():
    """A sentence in bold is the heading of its paragraph; anything else is a text of the platform."""
    unknown = {
        (page.name, text)
        for page in PAGES
        for text in BOLD.findall(prose(page))
        if text not in texts() | NO_LABELS.get(page.name, set())
        and not text.endswith((".", ":", "?"))
        and "`" not in text
    }
    assert unknown == set()


def test_pages_are_named_by_their_titles():
    titles = {str(title) for _, pages in nav.PAGES for _, title, _ in pages} | OTHER_PAGES
    assert "Status" in titles
    named = {(page.name, title) for page in PAGES for title in NAMED_PAGE.findall(prose(page))}
    assert len(named) > 20
    assert {(page, title) for page, title in named if title not in titles} == set()


def test_exceptions_are_used():
    found = {page.name: set(BOLD.findall(prose(page))) for page in PAGES}
    assert [name for name, words in NO_LABELS.items() if words - found[name]] == []
    named = {title for page in PAGES for title in NAMED_PAGE.findall(prose(page))}
    assert OTHER_PAGES - named == set()
