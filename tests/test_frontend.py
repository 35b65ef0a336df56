# SPDX-License-Identifier: Apache-2.0
"""Vendored style sheets, scripts and fonts: what pages use is there, and the README names what it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENDOR, MADE = ROOT / "static" / "vendor", ROOT / "tools" / "frontend"
CLASSES = re.compile(r"""\bclass(?:Name|es|List\.\w+\()?["']?\s*[=:(]\s*["']([^"']*)["']""")


def classes_in(text: str) -> set[str]:
    text = re.sub(r"\{[%{].*?[%}]\}", " ", text)
    return {name for found in CLASSES.findall(text) for name in found.split()}


def test_pages_use_no_class_that_the_reduced_bootstrap_lacks():
    dropped = set((MADE / "dropped.txt").read_text().split())
    own = {
        name
        for sheet in (ROOT / "static" / "css").glob("*.css")
        for name in re.findall(r"\.([a-zA-Z][\w-]*)", sheet.read_text())
    }
    missing = {
        f"{page.relative_to(ROOT)}: {name}"
        for folder, kinds in (("templates", "*.html"), ("pwscup", "*.py"), ("static/js", "*.js"))
        for page in (ROOT / folder).rglob(kinds)
        for name in (classes_in(page.read_text()) & dropped) - own
    }
    assert not missing, f"run `python -m tools.frontend`: {sorted(missing)}"


def test_the_class_of_an_element_is_found():
    assert classes_in('<p class="lead {% if x %}w-50{% endif %}">') == {"lead", "w-50"}


def test_the_readme_names_the_versions_of_the_packages():
    readme = (VENDOR / "README.md").read_text()
    packages = json.loads((MADE / "package.json").read_text())["dependencies"]
    locked = json.loads((MADE / "package-lock.json").read_text())["packages"]
    for name, version in packages.items():
        assert re.search(rf"\| {re.escape(version)} \|.*\| `{re.escape(name)}` \|", readme), name
        assert locked[f"node_modules/{name}"]["version"] == version


def test_every_library_keeps_its_licence():
    for folder in VENDOR.iterdir():
        if folder.is_dir():
            assert (folder / "LICENSE").stat().st_size > 500, folder.name


def test_every_font_of_the_rules_is_there():
    for sheet in [*VENDOR.glob("*/*.css"), ROOT / "static" / "css" / "tokens.css"]:
        for name in re.findall(r"url\([\"']?([^)\"']+\.woff2)", sheet.read_text()):
            assert (sheet.parent / name).is_file(), name


def test_no_page_needs_the_script_of_bootstrap():
    using = [p for p in (ROOT / "templates").rglob("*.html") if "data-bs-" in p.read_text()]
    assert not using


BLOCKS = [
    "table",
    "section",
    "details",
    "form",
    "figure",
    "div",
    "ul",
    "ol",
    "dl",
    "nav",
    "thead",
    "tbody",
]


OF_HTML = ("at", "your_time", "titled_paragraphs", "breakable")
"""Filters that return HTML."""


def test_no_filter_that_returns_html_stands_in_an_attribute():
    """The page would show the rest of the attribute, and a dialog the tag."""
    inside = re.compile(rf'\s[\w-]+="[^"]*\|({"|".join(OF_HTML)})\b[^"]*"')
    pages = [*(ROOT / "templates").rglob("*.html")]
    assert pages
    assert [str(page) for page in pages if inside.search(page.read_text())] == []


def test_templates_close_the_blocks_that_they_open():
    def n_open(page: Path, block: str) -> int:
        text = re.sub(r"\{[%{#].*?[%}#]\}", "", page.read_text())
        return len(re.findall(rf"<{block}[\s>]", text)) - len(re.findall(rf"</{block}>", text))

    pages = (ROOT / "templates").rglob("*.html")
    assert [f"{p.name}: {b}" for p in pages for b in BLOCKS if n_open(p, b)] == []
