# SPDX-License-Identifier: Apache-2.0
"""Motion: numbers count up to what the server wrote, rows glide, and nothing moves for those who want no motion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

SCRIPT = (Path(__file__).parents[2] / "static" / "js" / "motion.js").read_text()
PAGE = """<!doctype html><dl><dd data-count-up>1,234</dd><dd data-count-up>1</dd></dl>
<table><tr data-team="1"><td>Red</td></tr><tr data-team="2"><td>Blue</td></tr></table>
<table><tr data-team="3"><td>Green</td></tr></table><table><tr data-team="3"><td>Green</td></tr></table>
<script>
  const seen = [];
  new MutationObserver(() => seen.push(document.querySelector("dd").textContent))
    .observe(document.querySelector("dl"), { subtree: true, childList: true, characterData: true });
</script><script>%s</script>"""
SWAP = """() => {
  const say = (name) => document.dispatchEvent(Object.assign(new Event(name), { detail: { shouldSwap: true } }));
  say("htmx:beforeSwap");
  const [first, second] = document.querySelectorAll("tr");
  second.after(first);
  say("htmx:afterSettle");
  return [...document.querySelectorAll("tr")].map((row) => row.getAnimations().length);
}"""


@pytest.fixture(params=["no-preference", "reduce"])
def page(browser: Browser, request) -> Iterator[tuple[Page, bool]]:
    made = browser.new_page(reduced_motion=request.param)
    made.set_content(PAGE % SCRIPT)
    yield made, request.param == "reduce"
    made.close()


def test_numbers_count_up_to_the_text_of_the_server(page):
    shown, is_still = page
    if not is_still:
        shown.wait_for_function("seen.at(-1) === '1,234'")
    assert shown.locator("dd").all_text_contents() == ["1,234", "1"]
    steps = [int(text.replace(",", "")) for text in shown.evaluate("seen")]
    assert bool(steps) is not is_still
    assert steps == sorted(steps)


def test_rows_glide_to_their_new_place(page):
    shown, is_still = page
    assert shown.evaluate(SWAP) == ([0, 0, 0, 0] if is_still else [1, 1, 0, 0])
