# SPDX-License-Identifier: Apache-2.0
"""Photographs the picture that other sites show with a link, from preview.html: `python -m tools.frontend.preview`."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.e2e import browser as chromium

HERE = Path(__file__).resolve().parent
IMAGE = HERE.parent.parent / "static" / "img" / "preview.png"
SIZE = {"width": 1200, "height": 630}


def main() -> None:
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        page = browser.new_page(viewport=SIZE)
        page.goto((HERE / "preview.html").as_uri())
        page.evaluate("document.fonts.ready")
        page.screenshot(path=IMAGE)
        browser.close()


if __name__ == "__main__":
    main()
