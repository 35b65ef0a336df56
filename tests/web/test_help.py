# SPDX-License-Identifier: Apache-2.0
"""The documentation under /help/: its pages and links, the links of other pages into it, and its search."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils.translation import override

from pwscup.core.help import links, pages, sources
from pwscup.core.help.rendering import address_of, rendered
from pwscup.core.help.search import plain, search
from scoring.registry import ALL_MEASURES
from tests.every import every

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "ja")


class Anchors(HTMLParser):
    """The ids and the targets of links and pictures of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(given["id"])
        self.targets += [given[name] for name in ("href", "src") if given.get(name)]


@cache
def anchors(page: pages.Page, language: str) -> Anchors:
    return Anchors(rendered(page, language).html)


def read(language: str) -> dict[str, Anchors]:
    """Every page by its address."""
    return {
        address_of(page): anchors(page, language) for page in pages.by_address(language).values()
    }


IN_BOTH = ("ja", "en")
"""Japanese first: where a page has no translation, its English text is among them."""


@every(1, language=IN_BOTH)
def test_links_of_all_pages_lead_somewhere(language):
    known = read(language)
    for address, page in known.items():
        for target in page.targets:
            path, _, anchor = target.partition("#")
            if ":" in path:
                continue
            if path.startswith("/help/files/"):
                assert pages.file(path.removeprefix("/help/files/")), (address, target)
                continue
            other = known[path or address]
            assert not anchor or unescape(anchor) in other.ids, (address, target)


@every(1, language=IN_BOTH)
def test_links_into_the_documentation_lead_somewhere(language):
    addresses = [links.help_address(key, language) for key in links.LINKS]
    addresses += [links.measure_address(id_, language) for id_ in ALL_MEASURES]
    assert len(addresses) > 60
    known = read(language)
    for address in addresses:
        assert address
        path, _, anchor = address.partition("#")
        assert not anchor or anchor in known[path].ids, address


def test_every_link_is_used_and_no_other():
    used = set()
    for template in (ROOT / "templates").rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        used |= set(re.findall(r"""{% help_(?:link|url) ["']([\w-]+)["']""", text))
    assert used == set(links.LINKS)


def test_every_form_with_a_file_says_how_it_is_made():
    """A template that asks for a file links into the documentation, by itself or by a part of its format."""
    lacking = []
    for template in (ROOT / "templates").rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        if "multipart/form-data" in text and not re.search(r'help_link|part "\w+_help"', text):
            lacking.append(template.name)
    assert lacking == ["_targets.html"]  # it stands below the form of its page, which has the link


def test_a_measure_that_a_ruleset_defines_has_no_page():
    assert links.measure_address("my-own", "en") is None


def test_pages_are_served_in_the_language_of_the_reader(client):
    page = client.get(reverse("help"))
    assert "I take part" in page.text
    assert f'href="{reverse("help-page", args=["how-to/install"])}"' in page.text
    japanese = client.get(reverse("help"), headers={"accept-language": "ja"})
    assert "参加する" in japanese.text
    for addresses in (pages.by_address("en"), pages.by_address("ja")):
        assert len(addresses) > 60


@every(language=LANGUAGES)
def test_all_pages_answer(client, language):
    for page in pages.by_address(language).values():
        answer = client.get(address_of(page), headers={"accept-language": language})
        assert answer.status_code == 200, page.name
        says_so = "英語版のみ" in answer.text
        assert says_so == (language == "ja" and not (ROOT / "docs" / page.source).match("*.ja.md"))


@pytest.mark.parametrize("name", ["nothing", "how-to/attack.md", "../settings", "files/x"])
def test_there_are_no_other_pages(client, name):
    assert client.get(f"/help/{name}/").status_code == 404


@pytest.mark.parametrize(
    "name", ["README.md", "images/../README.md", "../pyproject.toml", "images/no.png", "images/"]
)
def test_there_are_no_other_files(client, name):
    assert pages.file(name) is None
    assert client.get(f"/help/files/{name}").status_code in (301, 404)


def test_pictures_are_shown_and_notebooks_downloaded(client):
    picture = client.get(reverse("help-file", args=["images/house.svg"]))
    assert (picture["Content-Type"], "attachment" in picture["Content-Disposition"]) == (
        "image/svg+xml",
        False,
    )
    notebook = client.get(reverse("help-file", args=["notebooks/score.ipynb"]))
    assert "attachment" in notebook["Content-Disposition"]
    assert b"".join(notebook.streaming_content).startswith(b"{")


# The product links to it


def test_every_page_links_to_the_help(client, settings):
    home = client.get("/").text
    assert home.count('href="/help/"') == 2
    settings.DOCS_URL = "https://docs.example.org"
    assert client.get("/").text.count('href="https://docs.example.org/"') == 2
    japanese = client.get("/", headers={"accept-language": "ja"}).text
    assert japanese.count('href="https://docs.example.org/ja/"') == 2
    assert ">ヘルプ<" in japanese


def test_links_to_a_site_elsewhere_name_page_and_anchor(settings):
    settings.DOCS_URL = "https://docs.example.org"
    assert (
        links.help_address("table", "en")
        == "https://docs.example.org/tutorials/participant/#anonymize-at-home"
    )
    assert (
        links.help_address("table", "ja")
        == "https://docs.example.org/ja/tutorials/participant/#手元で匿名加工する"
    )


# Search


@pytest.mark.parametrize(
    ("query", "language", "first"),
    [
        ("docker compose", "en", "how-to/deploy.md"),
        ("DOCKER compose", "en", "how-to/deploy.md"),
        ("インストール", "ja", "how-to/install.md"),
        ("ＷＩＮＤＯＷＳ", "ja", "how-to/compute-at-home.md"),
        ("手元 パソコン", "ja", "how-to/compute-at-home.md"),
    ],
)
def test_search_finds(query, language, first):
    assert first in [hit.section.page.name for hit in search(query, language)[:3]]


def test_every_found_section_has_all_terms_and_an_anchor():
    with override("en"):
        hits = search("guess csv", "en")
    assert len(hits) > 5
    for hit in hits:
        whole = plain(f"{hit.section.title} {hit.section.text}")
        assert "guess" in whole
        assert "csv" in whole
        assert hit.section.anchor in anchors(hit.section.page, "en").ids


def test_search_of_nothing_and_of_what_is_nowhere(client):
    assert search("", "en") == search("   ", "en") == []
    assert search("qqqxyz", "en") == []
    page = client.get(reverse("help-search"), {"q": "<b>qqqxyz</b>"}).text
    assert "&lt;b&gt;qqqxyz&lt;/b&gt;" in page
    assert "No page has all of" in page


def test_plain_text_keeps_its_length():
    assert plain("ＡＢＣ ﾊﾟ ㌔ İ") == plain(plain("ＡＢＣ ﾊﾟ ㌔ İ"))
    for text in ("ＡＢＣ", "ﾊﾟ", "㌔メートル", "İstanbul", "ﬁne"):
        assert len(plain(text)) == len(text)


def test_a_page_of_the_project_is_shown_from_the_root():
    page = pages.by_name("en")["project/changelog.md"]
    assert page.title == "Changelog"
    assert sources.PROJECT[page.name] == "CHANGELOG.md"
