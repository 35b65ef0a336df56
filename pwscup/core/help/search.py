# SPDX-License-Identifier: Apache-2.0
"""Search in the documentation by parts of words, so that Japanese needs no word boundaries."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pwscup.core.help import pages, sources

MOST_TERMS = 8
MOST_FOUND = 30
MOST_OF_PAGE = 3
AROUND = 70
"""Characters of a section that are shown on each side of the first term."""


_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[*`|]+|<[^>]+>|^>|^===? |\s:?-{3,}:?(?=\s)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page and the text below it."""

    page: pages.Page
    heading: str
    anchor: str
    text: str
    title: str
    """Title and heading in the form in which terms are compared."""
    compared: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that has all terms, and the text around the first of them: before it, it, after it."""

    section: Section
    before: str
    term: str
    after: str


def plain(text: str) -> str:
    """Text as it is compared: without case, and without full and half widths. It keeps its length."""
    return "".join(_plain(character) for character in text)


def _plain(character: str) -> str:
    found = unicodedata.normalize("NFKC", character).casefold()
    return found if len(found) == 1 else character


@cache
def _sections(language: str) -> tuple[Section, ...]:
    return tuple(
        section for page in pages.by_address(language).values() for section in _sections_of(page)
    )


def _sections_of(page: pages.Page) -> Iterator[Section]:
    heading, lines, is_code = page.title, [], False
    for line in [*pages.text(page.source).splitlines(), "# "]:
        is_code ^= line.lstrip().startswith("```")
        found = None if is_code else re.match(r"^#{1,4} ?(.*)$", line)
        if not found:
            lines.append(line)
            continue
        text = " ".join(_MARKUP.sub(" ", _LINK.sub(r"\1", "\n".join(lines))).split())
        if text:
            anchor = sources.slug(heading)
            shown = "" if heading == page.title else heading
            yield Section(page, shown, anchor, text, plain(f"{page.title} {shown}"), plain(text))
        heading, lines = re.sub("[*`]", "", found[1]), []


def search(query: str, language: str) -> list[Hit]:
    """The sections that have every term of the query, best first, at most three of a page."""
    terms = plain(query).split()[:MOST_TERMS]
    if not terms:
        return []
    scored = [(score, one) for one in _sections(language) if (score := _score(one, terms))]
    scored.sort(key=lambda pair: -pair[0])
    n_of_page: Counter[str] = Counter()
    hits = []
    for _, section in scored:
        n_of_page[section.page.name] += 1
        if n_of_page[section.page.name] <= MOST_OF_PAGE:
            hits.append(_hit(section, terms))
    return hits[:MOST_FOUND]


def _score(section: Section, terms: list[str]) -> float:
    total = 0.0
    for term in terms:
        n_in_title, n_in_text = section.title.count(term), section.compared.count(term)
        if not n_in_title + n_in_text:
            return 0
        total += 5 * n_in_title + n_in_text**0.5
    return total


def _hit(section: Section, terms: list[str]) -> Hit:
    places = [(at, term) for term in terms if (at := section.compared.find(term)) >= 0]
    start, term = min(places, default=(0, ""))
    end = start + len(term)
    before = section.text[max(0, start - AROUND) : start]
    return Hit(section, before, section.text[start:end], section.text[end : end + 2 * AROUND])
