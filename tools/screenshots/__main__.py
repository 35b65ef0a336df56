# SPDX-License-Identifier: Apache-2.0
"""Photographs a running demo: `python -m tools.screenshots http://127.0.0.1:8000`.

It takes every page that a role comes to by links, in both languages, at two widths, light and dark, into
`screenshots/`, which git ignores, with sheets of small pictures to look them through, and `faults.txt`: errors of
scripts, and with `--check` what is too wide, unnamed, or found by axe.
With `--docs` it takes the few pictures of docs/images instead.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

import django
from playwright.sync_api import sync_playwright

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
django.setup()  # the casts belong to apps

from tests.e2e import browser as chromium  # noqa: E402
from tests.e2e.faults import THEMES  # noqa: E402
from tests.e2e.walking import LANGUAGES  # noqa: E402
from tools.screenshots import chosen, every_page  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("address", help="of a running demo, such as http://127.0.0.1:8000")
    parser.add_argument("--docs", action="store_true", help="take the pictures of docs/images")
    parser.add_argument("--out", type=Path, default=ROOT / "screenshots", metavar="FOLDER")
    parser.add_argument("--role", choices=every_page.ROLES, action="append", help="only this role")
    parser.add_argument("--language", choices=LANGUAGES, action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    parser.add_argument(
        "--only", type=re.compile, default="", metavar="PATTERN", help="of addresses"
    )
    parser.add_argument(
        "--check", action="store_true", help="look for faults, too; takes twice as long"
    )
    asked = parser.parse_args()
    site = asked.address.rstrip("/")
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        if asked.docs:
            chosen.take(browser, site)
        else:
            wanted = every_page.Wanted(
                roles=asked.role or list(every_page.ROLES),
                languages=asked.language or list(LANGUAGES),
                themes=asked.theme or list(THEMES),
                addresses=re.compile(asked.only),
                is_checked=asked.check,
            )
            every_page.take(browser, site, asked.out, wanted)
        browser.close()


if __name__ == "__main__":
    main()
