# SPDX-License-Identifier: Apache-2.0
"""Faults of any page that a browser shows: too wide, something without a name, something forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from tests.e2e.browser import DESKTOP

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
PHONE = {"width": 390, "height": 844}
ZOOMED = {"width": 640, "height": 450}
"""A desk at 200 %."""
AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text()
# What a page shows where something was forgotten: template marks, placeholders, values and names of the code.
RAW = re.compile(
    r"\{[{%]|%\([a-z_]+\)|%[sd]\b|<[a-z_.]+ object|\b(?:None|undefined|NaN)\b"
    r"|&(?:amp|lt|quot);|\[\]|\b[a-z]+(?:_[a-z]+)+\b(?![\w-]*\.(?:csv|json|zip))"
)
# Japanese has no space after a full-width mark.
GAP = re.compile(r"[^\n\t]{0,20}[。：、！？] (?=\S)[^\n\t]{0,20}")
# A dot between two parts of a line of which one is missing.
DOT = re.compile(r"[^\n]{0,30}·[ \t]*$|^[ \t]*·[^\n]{0,30}", re.MULTILINE)
# Columns of tables, which people know by such names.
NAMED = {*HOUSEHOLDS_SCHEMA.names, "source_row", "short_name"}
FINDINGS = """() => {
  const shown = (node) => node.getClientRects().length > 0;
  const named = (control) =>
    control.labels?.length || control.getAttribute("aria-label") || control.getAttribute("aria-labelledby");
  const controls = [...document.querySelectorAll("input:not([type=hidden]), select, textarea")];
  return {
    "headings of the first level": document.querySelectorAll("h1").length,
    "title": document.title.trim(),
    "language": document.documentElement.lang,
    "without a label": controls.filter((c) => !named(c)).map((c) => c.outerHTML.slice(0, 120)),
    "without a text for the blind": [...document.images].filter((i) => !i.hasAttribute("alt")).map((i) => i.src),
    "buttons without words": [...document.querySelectorAll("button, a[href]")]
      .filter((b) => shown(b) && !b.textContent.trim() && !b.getAttribute("aria-label") && !b.querySelector("img[alt]"))
      .map((b) => b.outerHTML.slice(0, 120)),
    "options without words": [...document.querySelectorAll("option")]
      .filter((option) => /^-*$/.test(option.textContent.trim()))
      .map((option) => option.parentElement.outerHTML.slice(0, 120)),
    "identifiers used twice": [...document.querySelectorAll("[id]")].map((n) => n.id)
      .filter((id, place, all) => all.indexOf(id) !== place),
  };
}"""
WORDS = """() => {
  const copy = document.body.cloneNode(true);
  const names = "code, pre, .mono, .measure-name, .event-data, table.problems, script, noscript";
  copy.querySelectorAll(names).forEach((node) => node.remove());
  document.body.append(copy);
  const words = copy.innerText;
  copy.remove();
  return words;
}"""
OVERFLOW = """() => {
  const room = window.innerWidth, width = document.documentElement.scrollWidth;
  if (width <= room) return null;
  const inBox = (node) => node && (getComputedStyle(node).overflowX !== "visible" || inBox(node.parentElement));
  const beyond = [...document.querySelectorAll("body *")]
    .filter((node) => node.getBoundingClientRect().right > room && !inBox(node.parentElement));
  return `${width} pixels wide on ${room}: ${beyond.slice(0, 3).map((node) => node.outerHTML.slice(0, 120))}`;
}"""
# Words that leave their box and cover the next ones.
CROWDED = """() => [...document.querySelectorAll("dt, dd, th, td, li, p, h1, h2, h3, label, legend, button, .badge")]
  .filter((node) => node.clientWidth && node.scrollWidth > node.clientWidth + 1
    && getComputedStyle(node).overflowX === "visible" && !node.closest(".visually-hidden"))
  .map((node) => `${node.scrollWidth} pixels in ${node.clientWidth}: ${node.outerHTML.slice(0, 160)}`)"""
# Moderate findings count, too: landmarks, the order of headings, contents outside of landmarks.
FOUND_BY_AXE = """() => axe.run(document, { resultTypes: ["violations"], preload: false,
    rules: { "target-size": { enabled: true } } })
  .then((found) => found.violations
  .filter((v) => ["moderate", "serious", "critical"].includes(v.impact))
  .map((v) => `${v.id} (${v.impact}), ${v.nodes.length} times: ${v.nodes[0].html.slice(0, 160)}`))"""


def width_faults(page: Page) -> Iterator[str]:
    """What is too wide on a phone, for which the page was opened, and at a desk, at 200 %, too: the page, or words."""
    for size in (PHONE, ZOOMED, DESKTOP):
        if page.viewport_size != size:
            page.set_viewport_size(size)
        if too_wide := page.evaluate(OVERFLOW):
            yield too_wide
        yield from (f"{words} ({size['width']})" for words in page.evaluate(CROWDED))


def content_faults(page: Page, language: str) -> Iterator[str]:
    """What the page lacks, or shows by mistake."""
    found = page.evaluate(FINDINGS)
    if found.pop("headings of the first level") != 1:
        yield f"{page.locator('h1').count()} headings of the first level"
    if not found.pop("title"):
        yield "no title"
    if (shown := found.pop("language")) != language:
        yield f"in {shown}"
    yield from (f"{what}: {thing}" for what, things in found.items() for thing in things)
    words = page.evaluate(WORDS)
    yield from (f"forgotten: {found}" for found in sorted(set(RAW.findall(words)) - NAMED))
    yield from (f"nothing next to a dot: {found}" for found in sorted(set(DOT.findall(words))))
    if language == "ja" and "/help/" not in page.url:  # Markdown needs spaces after bold words
        yield from (f"a space in Japanese: {found}" for found in sorted(set(GAP.findall(words))))


def accessibility_faults(page: Page, *themes: Theme) -> list[str]:
    """Findings of axe-core that are moderate, serious or critical, in the theme that is shown or in each of these."""
    page.evaluate(AXE)
    if not themes:
        return page.evaluate(FOUND_BY_AXE)
    found = []
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        found += [f"{fault} ({theme})" for fault in page.evaluate(FOUND_BY_AXE)]
    return found
