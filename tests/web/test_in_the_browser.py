# SPDX-License-Identifier: Apache-2.0
"""Facts about pages that only a real Chromium shows: fields that go along, visible focus, widths."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from io import BytesIO

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation
from PIL import Image
from playwright.sync_api import Route

from pwscup.archives.models import ContestImport
from pwscup.contests.models import Contest, TableDraft
from pwscup.core import jobs
from pwscup.leaderboards.history.course import over_time
from pwscup.reports.facts import gather
from pwscup.reports.models import FinalReport
from pwscup.reports.page import document
from pwscup.reports.services import request_report
from pwscup.submissions.models import Evaluation
from scoring.registry import MEASURES
from scoring.tables.schema import Role
from tests import factories
from tests.e2e.browser import DESKTOP
from tests.e2e.focus import relative_luminance, rings_not_seen
from tests.every import some
from tests.web import board_facts, disclosure_facts, pipeline, series_facts
from tests.web.test_boards_frozen import long_ago
from tests.web.test_budgets import MOST_SHIFT, SETTLED_MS, WATCH
from tests.web.test_looks import browser, person, site
from tests.web.test_organizer_data import TABLE, URL, upload
from tests.web.test_rulesets_of_further_measures import ruleset_text

__all__ = ["browser", "person", "site"]

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]


def shown(person, site, client, address: str):
    """The page of this address, as the client gets it, in the browser."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    site.pages[address] = answer
    person.page.goto(address)
    return person.page


def test_roles_in_the_page_are_sent_with_the_next_file(person, site, oscar, draft):
    """Nobody has to save the roles before a corrected file is uploaded."""
    upload(oscar, draft, TABLE)
    assert TableDraft.objects.get().schema.column("job").role is not Role.SENSITIVE
    page, sent = shown(person, site, oscar, URL), []

    def post(route: Route) -> None:
        sent.append((route.request.headers["content-type"], route.request.post_data_buffer))
        route.fulfill(status=200, body="received", content_type="text/html")

    page.route(f"**{URL}", post)
    page.get_by_label("role of job", exact=True).select_option("sensitive")
    file = {"name": "corrected.csv", "mimeType": "text/csv", "buffer": TABLE}
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_text("received").wait_for()
    [(kind, data)] = sent
    oscar.generic("POST", URL, data, content_type=kind)
    kept = TableDraft.objects.get()
    assert kept.file.name == "corrected.csv"
    assert kept.schema.column("job").role is Role.SENSITIVE


def test_times_of_no_contest_are_in_the_time_zone_of_the_reader(browser, site, cast, oscar):
    at = datetime(2031, 5, 1, 20, 30, tzinfo=UTC)
    ContestImport.objects.create(
        name="cup.zip", sha256="0", size_bytes=1, requested_by=cast.oscar, requested_at=at
    )
    address = reverse("organize-import")
    site.pages[address] = oscar.get(address)
    for zone, expected in (
        ("Asia/Tokyo", "2031-05-02 05:30 GMT+9"),
        ("America/New_York", "2031-05-01 16:30 EDT"),
    ):
        context = browser.new_context(timezone_id=zone, base_url=site.url)
        page = context.new_page()
        page.goto(address)
        assert page.locator("time[data-your-time]").inner_text() == expected
        context.close()


# Focus


@pytest.mark.parametrize(
    ("who", "address"),
    some(
        1,
        [
            ("alice", "/c/cup/round/attack/"),
            ("oscar", "/c/cup/board/?board=matrix"),
            (None, "/accounts/signup/"),
            ("oscar", "/organize/cup/data/"),
            ("oscar", "/c/cup/board/"),
        ],
    ),
)
def test_the_focus_of_the_keyboard_is_seen_on_light_and_dark(
    person, site, cast, as_user, who, address
):
    person.page.set_viewport_size({"width": 1280, "height": 900})
    board_facts.game(cast.contest)
    page = shown(person, site, as_user(who and getattr(cast, who)), address)
    faults = [*rings_not_seen(page)]
    assert not faults, f"{len(faults)} elements:\n" + "\n".join(faults)


# Header

PHONE = {"width": 390, "height": 844}
MOST_PIXELS = 64


def test_the_header_is_one_line_on_a_phone_and_has_a_menu(person, site, cast, as_user):
    """It was three lines in Japanese."""
    person.page.set_viewport_size(PHONE)
    for client in (as_user(None), as_user(cast.alice), as_user(cast.oscar)):
        client.cookies["django_language"] = "ja"
        page = shown(person, site, client, "/contests/")
        assert page.locator(".site-header").bounding_box()["height"] <= MOST_PIXELS
        menu = page.locator("#site-menu")
        assert not menu.is_visible()
        page.locator(".site-menu-button").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert menu.evaluate("menu => menu.contains(document.activeElement)")
        assert menu.get_by_role("button", name="English").is_visible()
        page.keyboard.press("Escape")
        assert not menu.is_visible()


# Boards


def test_the_front_of_the_best_has_the_same_colour_at_every_width(person, site, cast, as_user):
    board_facts.game(cast.contest)
    address = reverse("board", args=[cast.contest.slug]) + "?board=anonymization"
    page, colours = shown(person, site, as_user(None), address), set()
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        colours.add(
            page.locator(".scatter-front").evaluate("(line) => getComputedStyle(line).stroke")
        )
    assert len(colours) == 1


def test_the_winner_stands_in_the_middle_also_where_the_second_place_is_shared(
    person, site, cast, as_user
):
    board_facts.game(cast.contest)
    page = shown(person, site, as_user(None), reverse("contest", args=[cast.contest.slug]))
    page.set_viewport_size(DESKTOP)
    page.locator(".final-steps li").first.evaluate(
        """(first) => {
          const list = first.parentElement, more = [first, first.cloneNode(true), first.cloneNode(true)];
          list.replaceChildren(...more);
          more.slice(1).forEach((item) => { item.className = "final-2"; });
        }"""
    )
    lefts = [step.bounding_box()["x"] for step in page.locator(".final-steps li").all()]
    assert lefts[1] < lefts[0] < lefts[2]


def test_a_problem_of_no_record_has_no_word_for_one(person, site, cast, as_user):
    client = as_user(cast.alice)
    client.cookies["django_language"] = "en"
    person.page.set_viewport_size(PHONE)
    wrong = factories.NOISY.replace(b",", b";")
    first = pipeline.round_of(cast.contest, "anonymization")
    sent = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, first, anonymized=wrong))
    page = shown(person, site, client, reverse("submission", args=[sent.public_id]))
    words = page.locator("table.problems").inner_text()
    assert "y.csv" in words
    before = "(cell) => getComputedStyle(cell, '::before').content"
    cells = page.locator("table.problems td.num:empty")
    assert cells.count()
    assert set(cells.evaluate_all(f"(cells) => cells.map({before})")) == {"none"}


def test_an_unfolded_definition_leaves_the_words_around_it_in_the_page(person, site, cast, as_user):
    person.page.set_viewport_size(PHONE)
    page = shown(person, site, as_user(None), reverse("rules", args=[cast.contest.slug]))
    page.locator("details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
    page.locator(".definition").evaluate_all(
        "(all) => all.forEach((p) => { p.innerText = 'x'.repeat(80); })"
    )
    widths = page.locator(".measures-table td:nth-child(2)").evaluate_all(
        "(cells) => cells.map((cell) => cell.getBoundingClientRect().right)"
    )
    assert widths
    assert max(widths) <= PHONE["width"]


def test_tabs_fade_only_where_there_are_more(person, site, cast, as_user):
    """Also after a phone was turned or a window made wider: there, what had faded must not stay pale."""
    person.page.set_viewport_size(PHONE)
    page = shown(person, site, as_user(cast.alice), reverse("board", args=[cast.contest.slug]))
    style = "getComputedStyle(document.querySelector('.contest-tabs'))"
    fades = f"() => ['left', 'right'].map((s) => {style}.getPropertyValue('--fade-' + s))"
    page.locator(".contest-tabs").evaluate("(tabs) => { tabs.scrollLeft = 9999 }")
    page.wait_for_function(f"() => ({fades})()[0] === '48px'")
    page.set_viewport_size(DESKTOP)
    page.wait_for_function(f"() => ({fades})().every((width) => width === '0px')")


def test_a_board_shows_movement_and_the_course_of_ranks(person, site, cast, as_user):
    """They come from the page of scores over time, so that nothing waits for them."""
    long_ago(board_facts.game(cast.contest))
    client, board = as_user(cast.alice), f"/c/{cast.contest.slug}/board/"
    site.pages[f"{board}history/"] = client.get(f"{board}history/")
    person.page.set_viewport_size(DESKTOP)
    page = shown(person, site, client, board)
    page.evaluate(WATCH)
    page.locator("#board .spark").first.wait_for()
    rows = page.locator("#board tbody tr[data-team]")
    heads = page.locator("#board thead th").count()
    assert {row.locator("th, td").count() for row in rows.all()} == {heads}
    over = over_time(cast.contest, timezone.now())
    for course in over.courses:
        row = page.locator(f"#board tr[data-team='{course.team}']")
        assert row.locator("polyline").get_attribute("points") == course.spark
    page.wait_for_timeout(SETTLED_MS)
    assert page.evaluate("window.moved") <= MOST_SHIFT


# Badges

BADGES = """() => [...document.querySelectorAll(".badge")].filter((node) => node.checkVisibility()).map((node) => {
  const style = getComputedStyle(node), behind = [];
  for (let at = node.parentElement; at; at = at.parentElement) behind.push(getComputedStyle(at).backgroundColor);
  const around = behind.find((colour) => colour !== "rgba(0, 0, 0, 0)");
  return [node.textContent, style.color, style.backgroundColor, style.borderTopColor, style.borderTopWidth, around];
})"""


def of_colour(css: str) -> float:
    """The relative luminance of an `rgb(…)` without transparency."""
    levels = np.array([int(part) for part in re.findall(r"\d+", css)[:3]]) / 255
    return float(relative_luminance(levels))


def ratio(one: str, other: str) -> float:
    low, high = sorted((of_colour(one), of_colour(other)))
    return (high + 0.05) / (low + 0.05)


def test_badges_are_read_on_every_background(person, site, cast, as_user):
    """“demo” and the words next to a file that may be left out were white on white."""
    played, seen = board_facts.game(cast.contest, phase="anonymization"), {}
    Contest.objects.filter(pk=played.contest.pk).update(is_demo=True)
    for client, address in (
        (as_user(None), "/"),
        (as_user(cast.alice), f"/c/{played.contest.slug}/round/anonymization/"),
        (as_user(None), f"/c/{played.contest.slug}/rules/"),
    ):
        page = shown(person, site, client, address)
        for words, ink, paper, border, width, around in page.evaluate(BADGES):
            assert ratio(ink, paper) >= 4.5, words
            has_border = width != "0px" and ratio(border, around) >= 3
            assert has_border or ratio(paper, around) >= 1.5, words
            seen[words] = address
    assert {"demo", "not needed with a column source_row"} <= set(seen)


# Reports

A4 = {"width": 718, "height": 1000}
"""The room of a page of A4 between the margins that browsers leave when they print, in CSS pixels."""
TOO_WIDE = """() => [...document.querySelectorAll(matchMedia("print").matches ? ".scroll" : ".scroll:has(table)")]
  .filter((region) => region.scrollWidth > region.clientWidth)
  .map((region) => `${region.firstElementChild.className}: ${region.scrollWidth} on ${region.clientWidth}`)"""


def of_ranks():
    """Eighteen columns, long names, and a matrix of twelve teams."""
    contest = factories.make_contest(organizer=factories.make_user("oscar", is_organizer=True))
    board_facts.game(contest)
    long = {
        "Red": "プライバシー保護データ解析研究会チーム",
        "Blue": "International Anonymity Research 2",
    }
    for name, other in long.items():
        contest.teams.filter(name=name).update(name=other)
    anonymization, attack = board_facts.rounds_of(contest)
    for n in range(9):
        team = factories.make_team(contest, f"Another {n}")
        values = board_facts.values_of(board_facts.GREEN)
        board_facts.release(board_facts.scored(team, anonymization, values), attack)
    return contest


def of_scores():
    played = board_facts.lecture()
    played.contest.organizers.add(factories.make_user("oscar", is_organizer=True))
    return played.contest


def of_many_measures():
    """Thirty measures on one board."""
    contest = factories.make_contest(organizer=factories.make_user("oscar", is_organizer=True))
    board_facts.game(contest)
    many = list(MEASURES)[:30]
    Contest.objects.update(ruleset_text=ruleset_text(many, utility=many))
    for evaluation in Evaluation.objects.filter(submission__round__key="anonymization"):
        evaluation.values |= dict.fromkeys(set(many) - set(evaluation.values), 1234.5678)
        evaluation.save()
    return contest


def of_a_series():
    played = series_facts.made_up()
    played.contest.organizers.add(factories.make_user("oscar", is_organizer=True))
    return played.contest


def of_a_hidden_table():
    played = disclosure_facts.game()
    played.contest.organizers.add(factories.make_user("oscar", is_organizer=True))
    pipeline.close(played.interactive)
    return played.contest


@pytest.fixture
def oscar_of_ranks(sketched):
    """An organizer, and a contest of theirs whose report is written."""
    contest = of_ranks()
    oscar = contest.organizers.get()
    report = request_report(actor=oscar, contest=Contest.objects.get(pk=contest.pk))
    assert jobs.work_on(FinalReport, report.pk)
    client = Client()
    client.force_login(oscar)
    return client, contest


PLAYS = some(1, [of_many_measures, of_a_hidden_table, of_a_series, of_ranks, of_scores])


def test_links_of_a_report_save_its_charts(person, site, oscar_of_ranks, tmp_path):
    """As the platform serves it, with its policy, and as a file of this machine; no script runs, nothing is fetched."""
    client, contest = oscar_of_ranks
    address = reverse("organize-report-preview", args=[contest.slug])
    person.faults.clear()  # of pages before
    page = shown(person, site, client, address)
    file = tmp_path / "report.html"
    file.write_bytes(client.get(address).content)
    for at in (site.url + address, file.as_uri()):
        page.goto(at)
        figure = page.locator("figure").nth(1)
        for words, end in (("Download as PNG: ", ".png"), ("Download as CSV: ", ".csv")):
            link = figure.get_by_role("link", name=words)
            with page.expect_download() as waiting:
                link.click()
            saved = waiting.value
            assert saved.suggested_filename == link.get_attribute("download")
            assert saved.suggested_filename.endswith(end)
            data = saved.path().read_bytes()
            assert base64.b64encode(data).decode() == link.get_attribute("href").partition(",")[2]
            if end == ".png":
                assert Image.open(BytesIO(data)).format == "PNG"
            else:
                assert len(data.decode("utf-8-sig").splitlines()) > 1
    page.emulate_media(media="print")
    assert not page.get_by_text("Download as PNG").first.is_visible()
    page.emulate_media(media="screen")
    assert person.faults == []


@pytest.mark.parametrize("play", PLAYS)
def test_no_table_of_a_final_report_is_wider_than_its_place(person, sketched, play):
    """On a screen; on paper nothing can be scrolled."""
    contest, page, found = Contest.objects.get(pk=play().pk), person.page, {}
    for language in ("en", "ja"):
        with translation.override(language):
            page.set_content(document(gather(contest, timezone.now()), language=language))
        for media, size in (("screen", DESKTOP), ("print", A4)):
            page.emulate_media(media=media)
            page.set_viewport_size(size)
            found[language, media] = page.evaluate(TOO_WIDE)
    page.emulate_media(media="screen")
    assert not any(found.values()), found
