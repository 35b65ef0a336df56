# SPDX-License-Identifier: Apache-2.0
"""Every chart has a name, a table with its figures, a PNG and a CSV; what a reader without scripts gets is said.

One exception: a picture in the cell of a table is a decoration of the figures in its row, and hidden from screen
readers. Scripts draw the PNG. Without them, pictures that the server draws are there, and each chart has its table and
its CSV. Charts of reports that stand alone hold their files themselves: `tests/web/test_charts_of_reports.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from pwscup.core import jobs
from pwscup.experiments.models import Experiment
from tests import factories
from tests.every import some
from tests.web import board_facts, disclosure_facts, experiments, pipeline
from tests.web import test_looks as looks
from tests.web import test_prepare as preparing
from tests.web.test_lecture_canary import world as lecture_world
from tests.web.test_looks import World, browser, person, site  # noqa: F401 — fixtures
from tests.web.test_permissions import stage
from tests.web.test_series_canary import world as series_world
from tests.web.trees import Node, tree

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600), pytest.mark.usefixtures("announced")]

BORROWED = (stage, lecture_world, series_world)
CELLS = ("td", "th")
# Pictures without figures: of a format and of a team, with its name next to it; of what the site is about; a code.
DECORATIONS, ILLUSTRATIONS = {"format-picture", "team-picture"}, {"story", "qr"}
NUMBER = re.compile(r"\d+(?:\.\d+)?")


# Charts in a page


def charts(page: Node) -> list[Node]:
    """The pictures that show figures."""
    pictures = page.below("svg", "img", "canvas", "div")
    return [node for node in pictures if "data-picture" in node.attributes or node["data-chart"]]


def kind_of(chart: Node, page: Node) -> str:
    """Its class, or of what a script draws the kind of its data."""
    if chart["data-chart"]:
        data = next(node for node in page.below("script") if node["id"] == chart["data-chart"])
        return json.loads(data.words)["kind"]
    if chart.name == "img":
        return "image"
    return chart["class"] or " ".join(next(chart.above("figure")).classes)


def pictures_without_a_role(page: Node) -> Iterator[str]:
    """Pictures that are neither a chart, nor a decoration, nor an illustration with a name."""
    for node in page.below("svg", "canvas"):
        if "data-picture" in node.attributes or any(node.above("svg")):
            continue
        is_hidden = node["aria-hidden"] == "true"
        if is_hidden and any(node.above("a", "button", "summary")):  # an icon
            continue
        if is_hidden and node.classes & DECORATIONS:
            continue
        row = next(node.above("tr"), None)
        if is_hidden and any(node.above(*CELLS)) and row and NUMBER.search(row.words):
            continue
        shown = node.classes | next(node.above("figure"), node).classes
        if shown & ILLUSTRATIONS and (node["aria-label"] or node["aria-labelledby"]):
            continue
        yield str(node)


def name_of(chart: Node) -> str:
    return (chart["aria-label"] or chart["alt"]).strip()


def faults_of(chart: Node, page: Node, client: Client) -> Iterator[str]:
    """All that a chart lacks."""
    if not name_of(chart):
        yield "no name"
    if chart.name != "img" and chart["role"] != "img":
        yield "no role"
    yield from _table_faults(chart, page)
    figure = next(chart.above("figure"), None)
    if figure is None:
        yield "no figure"
        return
    buttons = [node for node in figure.below("button") if node["data-png"].endswith(".png")]
    scripts = [node["src"] for node in page.below("script")]
    if len(buttons) != 1 or not any("pictures" in address for address in scripts):
        yield "no PNG"
    links = [node["href"] for node in figure.below("a") if ".csv" in node["href"]]
    if len(links) != 1:
        yield "no CSV"
        return
    answer = client.get(links[0].replace("&amp;", "&"))
    rows = looks.body_of(answer).decode().splitlines()
    if not answer["Content-Type"].startswith("text/csv") or len(rows) < 2:
        yield f"no CSV at {links[0]}"
    without = " ".join(node.words for node in figure.below("noscript"))
    if "JavaScript" not in without or (chart["data-chart"] and without.count("JavaScript") < 2):
        yield "nothing is said to readers without scripts"


def _table_faults(chart: Node, page: Node) -> Iterator[str]:
    """The figures of a chart that no table of the page has."""
    named = chart["aria-details"].split()
    found = {node["id"]: node for node in page.below() if node["id"] in named}
    tables = [table for node in found.values() for table in node.below("table")]
    bodies = [body for table in tables for body in table.below("tbody")]
    if not named or len(found) < len(named) or not any(list(body.below("td")) for body in bodies):
        yield "no table"
    words = " ".join(table.words for table in tables).replace(",", "")
    for title in chart.below("title"):
        for number in NUMBER.findall(title.words.rpartition(": ")[2].replace(",", "")):
            if number not in words:
                yield f"{number} of “{title.words}” is not in the table"


# Contests, and charts that their pages have


def organizers_pages(request) -> World:
    """A draft with a raw table, and a contest with submissions of this day."""
    cast, as_user = (request.getfixturevalue(name) for name in ("cast", "as_user"))
    draft, oscar = request.getfixturevalue("draft"), as_user(cast.oscar)
    preparing.upload(oscar, draft)
    pipeline.hand_in(cast.alice, cast.red, cast.contest.rounds.get(key="anonymization"))
    yield "oscar", oscar, [preparing.PAGE, reverse("organize-contest", args=["cup"])]


def attempts(request) -> World:
    """A team with two attempts, and the page of its team."""
    cast, as_user = (request.getfixturevalue(name) for name in ("cast", "as_user"))
    played = board_facts.game(cast.contest, phase="anonymization")
    values = board_facts.values_of(board_facts.BLUE)
    board_facts.scored(played.teams["Red"], played.anonymization, values)
    first = played.submissions["Red"]
    names = ("submission-history", "submission")
    yield "alice", as_user(cast.alice), [reverse(name, args=[first.public_id]) for name in names]


def score_boards(_request) -> World:
    """Boards of scores, whose parts a script draws."""
    played = board_facts.lecture()
    yield "visitor", Client(), [reverse("board", args=[played.contest.slug])]


def an_experiment(request) -> World:
    """Two experiments with all figures, each by itself and next to the other one."""
    cast, as_user = (request.getfixturevalue(name) for name in ("cast", "as_user"))
    made = [experiments.requested(cast.alice)]
    jobs.work_on(Experiment, made[0].pk)
    made.append(experiments.requested(cast.alice))
    jobs.work_on(Experiment, made[1].pk)
    keys = "&".join(f"with={one.public_id}" for one in made)
    own = reverse("experiment", args=[made[0].public_id])
    yield "alice", as_user(cast.alice), [own, f"{reverse('experiments-compare')}?{keys}"]


def a_disclosure(request) -> World:
    """The boards of a hidden table whose rounds are over, with the curve of the budget."""
    cast = request.getfixturevalue("cast")
    contest = factories.make_dp_contest(organizer=cast.oscar)
    pipeline.close(disclosure_facts.game(contest=contest).interactive)
    yield "visitor", Client(), [reverse("board", args=[contest.slug]) + "?board=curve"]


LINES = "line-chart"
WORLDS: list[tuple[Callable[..., World], set[str]]] = [
    (organizers_pages, {"prepare-bars", "live-hours"}),
    (attempts, {LINES}),
    (an_experiment, {"image"}),
    (score_boards, {"parts"}),
    (a_disclosure, {"budget"}),
    (looks.over, {"scatter", LINES}),
    (looks.in_the_attack, {"scatter"}),
    (looks.of_a_lecture, set()),
    (looks.of_series, set()),
    (looks.of_a_hidden_table, set()),
]


@pytest.mark.parametrize(("play", "kinds"), some(6, WORLDS))
def test_every_chart_has_a_name_a_table_a_png_and_a_csv(request, play, kinds):
    faults, found, seen = [], set[str](), set[tuple[str, str]]()
    for role, client, addresses in play(request):
        for address, _language, answer in looks.pages(client, addresses, seen, play.__name__):
            page = tree(looks.body_of(answer).decode())
            faults += [f"{address}, {role}: {one}" for one in pictures_without_a_role(page)]
            for chart in charts(page):
                found.add(kind_of(chart, page))
                wrong = [f"{one}: {chart}" for one in faults_of(chart, page, client)]
                faults += [f"{address}, {role}: {one}" for one in wrong]
    assert not faults, "\n".join(faults)
    assert found >= kinds


@pytest.mark.parametrize(
    ("play", "kinds"),
    some(1, [(looks.over, {"scatter", LINES}), *WORLDS[:5]]),
)
def test_the_button_saves_a_picture_in_png(request, person, site, play, kinds):  # noqa: F811
    """Wide enough to read, and not of one colour."""
    saved, seen = set[str](), set[tuple[str, str]]()
    for _role, client, addresses in play(request):
        for address, _language, answer in looks.pages(client, addresses, seen, play.__name__):
            page = tree(looks.body_of(answer).decode())
            found = charts(page)
            for image in (chart["src"] for chart in found if chart.name == "img"):
                site.pages[image] = client.get(image)
            if not found:
                continue
            site.pages[address] = answer
            person.go(address)
            for chart, button in zip(
                found, person.page.query_selector_all("[data-png]"), strict=True
            ):
                kind = kind_of(chart, page)
                if kind in saved:
                    continue
                assert button.get_attribute("hidden") is None
                with person.page.expect_download() as waiting:
                    button.evaluate("button => button.click()")
                picture = Image.open(waiting.value.path())
                assert picture.format == "PNG"
                assert picture.width >= 600
                assert len(picture.convert("RGB").getcolors(10**6)) > 1, kind
                saved.add(kind)
    assert saved >= kinds
    assert person.faults == []


def test_what_a_chart_lacks_is_found(client):
    html = """<figure><svg data-picture role="img" aria-label="{name}" aria-details="values"><title>Red: 3</title></svg>
      <div id="values"><table><tbody><tr><td>{value}</td></tr></tbody></table></div></figure>"""
    named = tree(html.format(name="Ranks", value=3))
    assert list(faults_of(charts(named)[0], named, client)) == ["no PNG", "no CSV"]
    page = tree(html.format(name="", value=4))
    found = list(faults_of(charts(page)[0], page, client))
    assert found == ["no name", "3 of “Red: 3” is not in the table", "no PNG", "no CSV"]


@pytest.mark.parametrize(
    ("html", "is_fine"),
    [
        ('<td><svg aria-hidden="true"></svg></td><td>12</td>', True),
        ('<td><svg aria-hidden="true"></svg></td><td>Red</td>', False),
        ("<td><svg></svg></td><td>12</td>", False),
    ],
)
def test_a_picture_in_a_cell_is_hidden_next_to_its_figure(html, is_fine):
    page = tree(f"<table><tr>{html}</tr></table>")
    assert (not list(pictures_without_a_role(page))) is is_fine
