# SPDX-License-Identifier: Apache-2.0
"""A page of the documentation as HTML: the Markdown of the site, with links to pages of the platform."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

import markdown
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from pwscup.core.help import pages, sources

KEPT = 100  # pages in two languages


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
    html = html.replace(
        "<table>", '<div class="table-responsive" tabindex="0"><table class="table table-sm">'
    )
    html = html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
    html = html.replace('<pre class="highlight">', '<pre class="highlight" tabindex="0">')
    tokens = [child for token in parser.toc_tokens for child in token["children"]]
    return Rendered(mark_safe(html), tuple((t["id"], t["name"]) for t in tokens))  # noqa: S308 — our own pages


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
