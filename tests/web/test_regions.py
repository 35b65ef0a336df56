# SPDX-License-Identifier: Apache-2.0
"""Parts of pages that scroll by themselves: the keyboard comes to each, and each has a name of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils import translation

from pwscup.core.help import pages as help_pages
from pwscup.core.help.rendering import rendered
from tests.every import some
from tests.web import test_looks as looks
from tests.web.test_lecture_canary import world as lecture_world
from tests.web.test_permissions import stage
from tests.web.test_series_canary import world as series_world
from tests.web.trees import Node, tree

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

TEMPLATES = Path(__file__).parents[2] / "templates"
BORROWED = (stage, lecture_world, series_world)
NATIVE = {"a", "button", "input", "select", "textarea", "summary"}
SCROLLING = re.compile(r"table-responsive|problem-list|<pre\b[^>]*(?:command|toml)")


def regions(page: Node) -> Iterator[Node]:
    """All that may scroll: wrappers of tables, and stops of the keyboard that are no control.

    A digest is short; it shows all of itself when it has the focus.
    """
    for node in page.below():
        is_stop = (
            node["tabindex"] == "0" and node.name not in NATIVE and "digest" not in node.classes
        )
        if is_stop or "table-responsive" in node.classes:
            yield node


def faults_of(page: Node) -> list[str]:
    """The regions that the keyboard does not come to, or that have no name, or the name of another one."""
    found = list(regions(page))
    names = Counter(node["aria-label"] for node in found)
    return [
        str(node)
        for node in found
        if node["tabindex"] != "0"
        or node["role"] != "region"
        or not re.match(r"[^\s:：]", node["aria-label"])
        or names[node["aria-label"]] > 1
    ]


@pytest.mark.parametrize(
    ("play", "least"),
    some(
        1,
        [
            (looks.over, 10),
            (looks.in_the_attack, 25),
            (looks.of_a_lecture, 8),
            (looks.of_series, 5),
            (looks.of_a_hidden_table, 4),
        ],
    ),
)
def test_every_region_of_a_page_has_a_name_of_its_own(
    request, play: Callable[..., looks.World], least
):
    faults, n_regions = [], 0
    seen = set[tuple[str, str]]()
    for role, client, addresses in play(request):
        for address, _language, answer in looks.pages(client, addresses, seen, play.__name__):
            page = tree(looks.body_of(answer).decode())
            n_regions += len(list(regions(page)))
            faults += [f"{address}, {role}: {fault}" for fault in faults_of(page)]
    assert not faults, f"{len(faults)} of {n_regions}:\n" + "\n".join(faults)
    assert n_regions >= least


@pytest.mark.parametrize("language", some(1, ["ja", "en"]))
def test_every_region_of_the_documentation_has_a_name_of_its_own(language):
    faults, n_regions = [], 0
    for page in help_pages.by_address(language).values():
        root = tree(rendered(page, language).html)
        n_regions += len(list(regions(root)))
        faults += [f"{page.address}: {fault}" for fault in faults_of(root)]
    assert not faults, "\n".join(faults)
    assert n_regions > 500


def test_templates_leave_the_rule_to_one_tag():
    """Parts that come later, such as those for a poll, are not in the pages above."""
    lines = [
        (path.relative_to(TEMPLATES), line)
        for path in TEMPLATES.rglob("*.html")
        for line in path.read_text().splitlines()
    ]
    scrolling = [(path, line) for path, line in lines if SCROLLING.search(line)]
    assert len(scrolling) > 80
    assert [
        f"{path}: {line.strip()[:100]}" for path, line in scrolling if "{% scrolls " not in line
    ] == []
    stops = [line for _path, line in lines if 'tabindex="0"' in line]
    assert ['class="digest"' in line for line in stops] == [True]


@pytest.mark.parametrize(
    ("language", "label"), [("en", "Teams · 2: code"), ("ja", "チーム · 2：コード")]
)
def test_the_name_says_the_kind_in_the_language_of_the_reader(language, label):
    source = '{% load pwscup %}<pre {% scrolls _("Teams") missing 2 kind="code" %}></pre>'
    with translation.override(language):
        shown = Template(source).render(Context())
    assert shown == f'<pre tabindex="0" role="region" aria-label="{label}"></pre>'


def test_a_name_is_escaped():
    source = "{% load pwscup %}<div {% scrolls title %}></div>"
    shown = Template(source).render(Context({"title": '"><b>'}))
    assert "<b>" not in shown


@pytest.mark.parametrize(
    "html",
    [
        '<div class="table-responsive" role="region" aria-label="Teams: table"></div>',
        '<div class="table-responsive" tabindex="0" role="group" aria-label="Teams: table"></div>',
        '<pre tabindex="0" role="region" aria-label=": code"></pre>',
        2 * '<pre tabindex="0" role="region" aria-label="Start: code"></pre>',
    ],
)
def test_a_region_without_a_name_of_its_own_is_found(html):
    assert faults_of(tree(html))
