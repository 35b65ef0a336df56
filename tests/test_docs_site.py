# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site (`make docs`): every page has its place, and is read as a forge reads it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import markdown
import pytest
import yaml
from markdown_it import MarkdownIt

import scoring
from pwscup.core.help import sources
from tests.every import every

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = yaml.safe_load((ROOT / sources.CONFIGURATION).read_text(encoding="utf-8"))
PAGES = sorted(
    page.relative_to(ROOT / "docs").as_posix()
    for page in (ROOT / "docs").rglob("*.md")
    if "examples" not in page.parts
)
ENGLISH = [page for page in PAGES if not page.endswith(".ja.md")]
COUNTED = re.compile(r"<(li|tr|pre|h[1-6]|blockquote)\b")


def named(entries: list) -> list[str]:
    """The pages of a part of the navigation."""
    found: list[str] = []
    for entry in entries:
        if isinstance(entry, str):
            found.append(entry)
        else:
            for part in entry.values():
                found += named(part)
    return found


def test_every_page_has_its_place_in_the_navigation():
    places = named(CONFIGURATION["nav"])
    assert max(Counter(places).values()) == 1
    assert sorted(places) == sorted([*ENGLISH, *sources.PROJECT])


def test_every_part_of_the_navigation_has_a_japanese_name():
    parts = {name for entry in CONFIGURATION["nav"] if isinstance(entry, dict) for name in entry}
    languages = CONFIGURATION["plugins"][1]["i18n"]["languages"]
    assert set(languages[1]["nav_translations"]) == parts


def test_every_japanese_page_lies_next_to_an_english_one():
    for page in PAGES:
        if page.endswith(".ja.md"):
            assert page.replace(".ja.md", ".md") in ENGLISH


def extensions() -> dict:
    listed = CONFIGURATION["markdown_extensions"]
    configured = {k: v for entry in listed if isinstance(entry, dict) for k, v in entry.items()}
    return {
        "extensions": [entry if isinstance(entry, str) else next(iter(entry)) for entry in listed],
        "extension_configs": configured,
    }


@every(page=PAGES)
def test_the_site_reads_pages_as_a_forge_does(page):
    """Lists, tables, code and headings; a list whose text is not indented by four spaces would fall apart."""
    text = sources.text_of(ROOT, page)
    if '\n=== "' in text:
        return  # tabs: a forge shows them one below the other, and what is in them as code
    ours = markdown.markdown(text, **extensions())
    forge = MarkdownIt("commonmark").enable("table").render(text)
    assert Counter(COUNTED.findall(ours)) == Counter(COUNTED.findall(forge)), page


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("U1: mean of *k*", "u1-mean-of-k"),
        ("`pip install`, twice", "pip-install-twice"),
        ("2018 年と 2019 年の順位", "2018-年と-2019-年の順位"),
        ("a – b", "a--b"),
    ],
)
def test_anchors_are_those_of_a_forge(title, anchor):
    assert sources.slug(re.sub("[*`]", "", title)) == anchor


def test_links_between_languages_are_dropped(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(
        "One. 日本語: [a.ja.md](a.ja.md).\nTwo ([日本語](b.ja.md))."
    )
    (tmp_path / "docs" / "a.ja.md").write_text(
        "一。English: [a.md](a.md)\n[二](b.ja.md#二)、[英語版](b.md#two)"
    )
    (tmp_path / "CHANGELOG.md").write_text("[A](docs/a.md#x), [B](SECURITY.md), [C](scoring/x.py)")
    assert sources.text_of(tmp_path, "a.md") == "One.\nTwo."
    assert sources.text_of(tmp_path, "a.ja.md") == "一。[二](b.md#二)、英語版"
    changes = sources.text_of(tmp_path, "project/changelog.md")
    assert changes == "[A](../a.md#x), [B](security.md), C"


def test_japanese_sentences_have_no_spaces_where_lines_end(tmp_path):
    (tmp_path / "docs").mkdir()
    lines = [
        "# 題",
        "",
        "一、",
        "二。",
        "**三** と",
        "`四`。",
        "",
        "- 五",
        "  六",
        "- 七",
        "",
        "```",
        "八",
        "九",
        "```",
    ]
    for name in ("a.ja.md", "a.md"):
        (tmp_path / "docs" / name).write_text("\n".join(lines), encoding="utf-8")
    joined = sources.text_of(tmp_path, "a.ja.md")
    assert joined == "# 題\n\n一、二。**三** と\n`四`。\n\n- 五六\n- 七\n\n```\n八\n九\n```"
    assert sources.text_of(tmp_path, "a.md") == "\n".join(lines)


AREAS = [
    "Library",
    "Platform",
    "API and client",
    "Docs",
    "For those who change the code",
    "From earlier copies of this repository",
]


def test_changes_stand_in_their_areas_once():
    """Lines that a merge doubles, or puts under headings of their own, are found."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, second, *before = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert first.startswith("Unreleased\n")
    assert re.match(rf"{re.escape(scoring.__version__)} — \d{{4}}-\d\d-\d\d\n", second)
    for part in (first, second, *before):
        found = re.findall(r"^### (.+)$", part, re.MULTILINE)
        assert found == [area for area in AREAS if area in found]
        lines = Counter(line for line in part.splitlines() if line.startswith("- "))
        assert [line for line, times in lines.items() if times > 1] == []


def test_every_picture_is_shown_and_taken():
    """Screenshots in docs/images are those that pages show, and those that `tools.screenshots --docs` takes."""
    pages = [ROOT / "README.md", ROOT / "README.ja.md", *(ROOT / "docs").rglob("*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"!\[[^\]]+\]\([^)]*?([\w-]+)\.png\)", page.read_text("utf-8"))
    }
    assert shown == {path.stem for path in (ROOT / "docs" / "images").glob("*.png")}
    tool = (ROOT / "tools" / "screenshots" / "chosen.py").read_text(encoding="utf-8")
    taken = set(re.findall(r'(?:shoot\(page, |IMAGES / f)"(\w+)["{]', tool))
    assert shown == {f"{name}{ending}" for name in taken for ending in ("", "-ja")}
