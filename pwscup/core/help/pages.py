# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation by their addresses, in the order of the navigation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pwscup.core.help import sources
from pwscup.env import RESOURCES

JAPANESE = "ja"
PICTURES, NOTEBOOK = "images", ".ipynb"
"""The folder of what pages show, and the suffix of what they offer."""

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page in one language; `is_translated` is false for an English page that stands in for a Japanese one."""

    name: str
    title: str
    source: str
    is_translated: bool

    @property
    def address(self) -> str:
        """The address below /help/, such as ``how-to/attack``; empty for the first page."""
        return self.name.removesuffix(".md").removesuffix("README").rstrip("/")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the navigation with its pages; the first one has no title."""

    title: str
    pages: tuple[Page, ...]


@cache
def configuration() -> dict[str, Any]:
    """The configuration of the site, which is that of these pages, too."""
    return yaml.safe_load((RESOURCES / sources.CONFIGURATION).read_text(encoding="utf-8"))


@cache
def parts(language: str) -> tuple[Part, ...]:
    """All pages in a language, by parts of the navigation."""
    names = _names_of_parts() if language == JAPANESE else {}
    return tuple(
        Part(names.get(title, title), tuple(_page(name, language) for name in pages))
        for title, pages in _navigation()
    )


def _navigation() -> Iterator[tuple[str, list[str]]]:
    first = []
    for entry in configuration()["nav"]:
        if isinstance(entry, str):
            first.append(entry)
        else:
            if first:
                yield "", first
                first = []
            yield from entry.items()


def _names_of_parts() -> dict[str, str]:
    [languages] = [p["i18n"]["languages"] for p in configuration()["plugins"] if "i18n" in p]
    [names] = [one["nav_translations"] for one in languages if one["locale"] == JAPANESE]
    return names


def _page(name: str, language: str) -> Page:
    source = localized(name, language)
    found = _TITLE.search(text(source))
    assert found is not None, source
    title = found[1].replace("*", "").replace("`", "")
    return Page(name, title, source, source != name or language != JAPANESE)


def localized(name: str, language: str) -> str:
    """The name of a page or picture in a language: ``NAME.ja.md`` where there is one, the English one elsewhere."""
    path = Path(name)
    translated = path.with_suffix(f".{JAPANESE}{path.suffix}").as_posix()
    if language == JAPANESE and (RESOURCES / sources.FOLDER / translated).is_file():
        return translated
    return name


def text(source: str) -> str:
    """The Markdown of a page as the site shows it."""
    return sources.text_of(RESOURCES, source)


@cache
def by_address(language: str) -> dict[str, Page]:
    """All pages in a language by their addresses."""
    return {page.address: page for part in parts(language) for page in part.pages}


@cache
def by_name(language: str) -> dict[str, Page]:
    """All pages in a language by the names of the English files."""
    return {page.name: page for page in by_address(language).values()}


def file(name: str) -> Path | None:
    """A picture or notebook by its path below `docs/`; None for anything else."""
    folder = (RESOURCES / sources.FOLDER).resolve()
    path = (folder / name).resolve()
    is_picture = path.is_relative_to(folder / PICTURES)
    is_offered = is_picture or (path.is_relative_to(folder) and path.suffix == NOTEBOOK)
    return path if is_offered and path.is_file() else None
