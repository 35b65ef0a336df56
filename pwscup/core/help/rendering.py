# SPDX-License-Identifier: Apache-2.0
"""A page of the documentation as HTML: the Markdown of the site, with links to pages of the platform."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Any
from xml.etree.ElementTree import Element

import markdown
from django.urls import reverse
from django.utils import translation
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from pwscup.core.help import pages, sources
from pwscup.core.texts.regions import Kind, scrolling

KEPT = 100  # pages in two languages
REGION = re.compile(
    r'<h[1-6][^>]*>(?P<heading>.*?)</h[1-6]>|(?P<table><table>)|<pre(?P<classes> class="highlight")?>',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """HTML, and the headings below the title as anchors and texts."""

    html: SafeString
    headings: tuple[tuple[str, str], ...]


@lru_cache(KEPT)
def rendered(page: pages.Page, language: str) -> Rendered:
    """The page, with its links leading to pages in a language."""
    parser = markdown.Markdown(**_options(page, language))
    html = parser.convert(pages.text(page.source))
    with translation.override(language):
        html = _with_regions(html)
    tokens = [child for token in parser.toc_tokens for child in token["children"]]
    return Rendered(mark_safe(html), tuple((t["id"], t["name"]) for t in tokens))  # noqa: S308 — our own pages


def _with_regions(html: str) -> str:
    """Tables and code scroll by themselves; each is named by its heading, and numbered where another is so named."""
    heading, known = "", Counter[tuple[str, str]]()

    def attributes(kind: Kind) -> SafeString:
        known[heading, kind] += 1
        n = known[heading, kind]
        return scrolling(heading, n if n > 1 else "", kind=kind)

    def replaced(found: re.Match[str]) -> str:
        nonlocal heading
        if found["heading"] is not None:
            heading = unescape(strip_tags(found["heading"])).strip()
            return found[0]
        if found["table"]:
            return f'<div class="table-responsive" {attributes("table")}><table class="table table-sm">'
        return f"<pre{found['classes'] or ''} {attributes('code')}>"

    return REGION.sub(replaced, html).replace("</table>", "</table></div>")


def _options(page: pages.Page, language: str) -> dict[str, Any]:
    listed = pages.configuration()["markdown_extensions"]
    configured = {k: v for entry in listed if isinstance(entry, dict) for k, v in entry.items()}
    configured["toc"] = {"slugify": sources.slug}
    configured["pymdownx.highlight"] = {"use_pygments": False}
    names = [entry if isinstance(entry, str) else next(iter(entry)) for entry in listed]
    return {"extensions": [*names, _Links(page, language)], "extension_configs": configured}


class _Links(Extension):
    """Turns paths of Markdown files and pictures into addresses of the platform."""

    def __init__(self, page: pages.Page, language: str) -> None:
        super().__init__()
        self._page, self._language = page, language

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 — the name is Markdown's
        md.treeprocessors.register(_Resolver(md, self._page, self._language), "help-links", 1)


class _Resolver(Treeprocessor):
    def __init__(self, md: markdown.Markdown, page: pages.Page, language: str) -> None:
        super().__init__(md)
        self._page, self._language = page, language

    def run(self, root: Element) -> None:
        for element in root.iter():
            for attribute in ("href", "src"):
                target = element.get(attribute)
                if target:
                    element.set(attribute, self._address(target))
            if element.tag == "img":
                element.set("loading", "lazy")

    def _address(self, target: str) -> str:
        path, hash_, anchor = target.partition("#")
        if not path or ":" in path:
            return target
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self._page.name), path))
        page = pages.by_name(self._language).get(name)
        if page:
            return address_of(page) + hash_ + anchor
        return reverse("help-file", args=[pages.localized(name, self._language)])


def address_of(page: pages.Page) -> str:
    """The address of a page on this platform."""
    return reverse("help-page", args=[page.address]) if page.address else reverse("help")
