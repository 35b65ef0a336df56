# SPDX-License-Identifier: Apache-2.0
"""Walks to every page that links lead to, in either language, with a few of many that are alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

from django.urls import resolve

from pwscup.core.http import health
from tests.e2e.browser import Person
from tests.e2e.faults import PHONE

LANGUAGES = ("ja", "en")
MOST_ALIKE = 2
NONE = re.compile(r"(?!)")
HEALTH = {*health.LIVE, health.READY}  # answered before any view
# A report is a page of its own, in which no script runs, not even one that looks for faults.
FILES = (".csv", ".zip", ".toml", ".xml", ".html", ".pdf", ".json", ".whl", ".ipynb", ".svg")
Read = Counter[tuple[object, str]]
"""The number of pages of a kind, and of a view, that were read in a language."""


def walk(
    person: Person,
    start: list[str],
    belongs: Callable[[str], bool],
    read: Read,
    all_alike: re.Pattern[str] = NONE,
) -> Iterator[tuple[str, str, str]]:
    """Open every page that links lead to and that belongs, with its view and language; a few of many alike.

    Of `all_alike` views the pages of different contests are alike, too.
    """
    todo, known, alike = list(start), set(start), Counter[object]()
    while todo:
        address = todo.pop(0)
        view, kind, limit = kind_of(address)
        if limit and all_alike.match(view):
            kind, limit = (view,), MOST_ALIKE
        if alike[kind] >= limit and address not in start:
            continue
        alike[kind] += 1
        language = next_language(read, view, kind)
        person.reads(language)
        person.page.set_viewport_size(PHONE)
        person.go(address)
        yield address, view, language
        links = person.page.eval_on_selector_all(
            "a[href]:not([download])",
            "links => links.map((link) => link.getAttribute('href'))",
        )
        for link in links:
            path = link.split("#")[0]
            if path.startswith("/") and path not in known | HEALTH and belongs(path):
                known.add(path)
                todo.append(path)


def next_language(read: Read, view: str, kind: object) -> str:
    """The one in which fewer pages like this one, then fewer of its view, were read; first Japanese.

    A page of Japanese is the one that runs out of room, or that lacks a translation.
    """
    language = min(LANGUAGES, key=lambda language: (read[kind, language], read[view, language]))
    read.update([(kind, language), (view, language)])
    return language


def kind_of(address: str) -> tuple[str, object, int]:
    """The view, what tells its pages apart, and how many of one kind are worth a look: 0 for a file."""
    parts = urlsplit(address)
    found = resolve(parts.path)
    if parts.path.endswith(FILES):
        return found.view_name, address, 0
    named = {name: value for name, value in found.kwargs.items() if name in ("slug", "key")}
    board = parse_qs(parts.query).get("board", [""])[0]
    limit = 1 if named == found.kwargs else MOST_ALIKE
    view = f"{found.view_name} {board}".strip()
    return view, (view, *named.items()), limit
