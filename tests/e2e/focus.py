# SPDX-License-Identifier: Apache-2.0
"""The ring around the element that has the focus of the keyboard, measured in pixels."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image
from playwright.sync_api import Page

FOCUSABLE = """() => {
  const seen = {}, found = [];
  const all = "a[href], button:not([disabled]), input:not([type=hidden], [disabled]), select, textarea, summary,"
    + " [tabindex='0']";
  document.querySelectorAll(all).forEach((node) => {
    const { width, height } = node.getClientRects()[0] ?? {};
    if (!(width > 4 && height > 4) || !node.checkVisibility({ visibilityProperty: true })) return;
    const alike = [node.tagName, node.className, node.parentElement.className, node.closest("header, main")?.className];
    seen[alike] = (seen[alike] ?? 0) + 1;
    if (seen[alike] <= 2) found.push(node);
  });
  window.focusable = found;
  return found.length;
}"""
SHOW = """(n) => {
  const node = window.focusable[n];
  document.activeElement.blur();
  node.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  // A region that scrolls may have its ring around its panel.
  const ringed = node.matches(".table-responsive") ? node.closest(".panel") ?? node : node;
  const { x, y, width, height } = ringed.getClientRects()[0];
  const left = Math.max(0, x), top = Math.max(0, y);
  const right = Math.min(innerWidth, x + width), bottom = Math.min(innerHeight, y + height);
  return [left, top, right - left, bottom - top, node.outerHTML.slice(0, 100)];
}"""
ROUND = 9  # pixels around an element in which its ring is looked for
LEAST_CONTRAST = 3  # WCAG 2.2, 1.4.11
LEAST_WIDTH = 2  # pixels, all around: WCAG 2.2, 2.4.13


def relative_luminance(levels: np.ndarray) -> np.ndarray:
    """As WCAG defines it, of red, green and blue from 0 to 1 on the last axis."""
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def luminance(picture: bytes) -> np.ndarray:
    """The relative luminance of each pixel."""
    return relative_luminance(np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")) / 255)


def contrast(before: bytes, after: bytes) -> np.ndarray:
    """The contrast of each pixel with what it was before."""
    one, other = luminance(before), luminance(after)
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


def rings_not_seen(page: Page, most: int | None = None) -> list[str]:
    """The elements around which too few pixels change enough when they get the focus of the keyboard.

    At most two of each kind are looked at, and `most` in all.
    """
    found = []
    n_all = page.evaluate(FOCUSABLE)
    for n in range(n_all if most is None else min(most, n_all)):
        x, y, width, height, html = page.evaluate(SHOW, n)
        room = page.viewport_size
        left, top = max(0, x - ROUND), max(0, y - ROUND)
        right, bottom = (
            min(room["width"], x + width + ROUND),
            min(room["height"], y + height + ROUND),
        )
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        before = page.screenshot(clip=clip)
        page.evaluate(
            "(n) => window.focusable[n].focus({ focusVisible: true, preventScroll: true })", n
        )
        after = page.screenshot(clip=clip)
        enough = int((contrast(before, after) >= LEAST_CONTRAST).sum())
        if enough < 2 * (width + height) * LEAST_WIDTH * 0.9:  # corners are round
            found.append(f"{enough} pixels around {width:.0f} × {height:.0f}: {html}")
    return found
