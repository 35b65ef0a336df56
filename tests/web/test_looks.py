# SPDX-License-Identifier: Apache-2.0
"""A page of every view in a real Chromium, which Django's test client answers: no server runs, and nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone
from playwright.sync_api import Browser, sync_playwright

from pwscup.contests.models import Contest
from pwscup.leaderboards.ceremony import services as ceremonies
from tests import factories
from tests.e2e import browser as chromium
from tests.e2e.browser import Person
from tests.e2e.faults import PHONE, accessibility_faults, content_faults, width_faults
from tests.every import some
from tests.web import board_facts, crawler, disclosure_facts, lecture, pipeline, series
from tests.web import test_lecture_canary as lecture_canary
from tests.web import test_permissions as permissions
from tests.web import test_series_canary as series_canary
from tests.web.test_boards_frozen import long_ago
from tests.web.test_lecture_canary import world as lecture_world
from tests.web.test_permissions import stage
from tests.web.test_series_canary import world as series_world
from tests.web.test_truth import parameters_of

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

HOUR = timedelta(hours=1)
LANGUAGES = ("ja", "en")
MOST_TRIES = 3  # that a role makes to find a page of a view which is there for it
# Views of which each format has its own words and forms.
BY_WORLD = {"board", "contest", "round", "submission", "rules", "release", "organize-data"}
FILES = (".csv", ".zip", ".toml", ".xml", ".html", ".pdf", ".json", ".jsonl")
BORROWED = (stage, lecture_world, series_world)
# Clients of roles, and addresses that there are for some.
World = Iterator[tuple[str, Client, list[str]]]


@pytest.fixture(scope="module")
def seen() -> set[tuple[str, str]]:
    """The views that any world has shown already: no page is opened twice."""
    return set()


@pytest.fixture(scope="module")
def accessible() -> set[str]:
    """The views of which axe has seen a page."""
    return set()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """While it runs, Django would refuse its database to the thread, in which nothing runs at the same time."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        running = chromium.launch(playwright)
        yield running
        running.close()


class Site:
    """Serves pages that a test client has got, and static files; the browser may keep the latter."""

    def __init__(self) -> None:
        self.pages: dict[str, HttpResponse] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        pages = self.pages

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                """For the time of the server."""
                self.send_response(204)
                self.end_headers()

            def do_GET(self) -> None:
                headers, body = self.found()
                self.send_response(200 if headers else 204)
                for name, value in (headers | {"Content-Length": str(len(body))}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def found(self) -> tuple[dict[str, str], bytes]:
                """What is not there is a part of a page that is asked for later."""
                if self.path in pages:
                    kept = {k: v for k, v in pages[self.path].items() if k != "Content-Length"}
                    return kept, body_of(pages[self.path])
                name = urlsplit(self.path).path.removeprefix("/static/")
                path = self.path.startswith("/static/") and finders.find(name)
                if not path:
                    return {}, b""
                kind = guess_type(path)[0] or "text/plain"
                kept = {"Content-Type": kind, "Cache-Control": "max-age=999"}
                return kept, Path(path).read_bytes()

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def person(browser, site) -> Iterator[Person]:
    made = Person(browser, site, "Somebody")
    yield made
    made.context.close()


def body_of(answer: HttpResponse) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def view_of(address: str, world: str) -> tuple[str, str]:
    """The view with its board, and the world where every one has its own."""
    parts = urlsplit(address)
    found = resolve(parts.path)
    if found.url_name not in BY_WORLD:
        return found.url_name, ""
    board = parse_qs(parts.query).get("board", [""])[0]
    return f"{found.url_name} {board} {found.kwargs.get('key', '')}", world


def pages(
    client: Client, addresses: list[str], seen: set[tuple[str, str]], world: str
) -> Iterator[tuple[str, str, HttpResponse]]:
    """Of each view that nobody has seen a page that is there for the client, with its language."""
    todo, tries = list(dict.fromkeys(addresses)), dict[tuple[str, str], int]()
    for address in todo:
        view = view_of(address, world)
        tries[view] = tries.get(view, 0) + 1
        if view in seen or tries[view] > MOST_TRIES or address.endswith(FILES):
            continue
        language = LANGUAGES[len(seen) % 2]
        client.cookies["django_language"] = language
        answer = client.get(address)
        if answer.status_code == 405:  # no role can get it
            seen.add(view)
        if answer.status_code != 200 or "text/html" not in answer.get("Content-Type", ""):
            continue
        body = body_of(answer)
        if b"<html" not in body:  # a part of a page
            continue
        seen.add(view)
        boards = [link for link in crawler.links(body) if "?board=" in link]
        todo += [link for link in boards if link.startswith(urlsplit(address).path)]
        yield address, language, answer


# Worlds


def in_the_attack(request) -> World:
    """The contest of the permissions, in which there is something of every kind."""
    staged = request.getfixturevalue("stage")
    names = permissions.table(permissions.GET)
    addresses = [reverse(name, kwargs=permissions.arguments(name, staged)) for name in names]
    addresses += ["/c/cup/round/anonymization/"]
    for role in ("oscar", "alice", "visitor"):
        yield role, staged.clients[role], addresses
    administrator = factories.make_user("sam", is_superuser=True)
    yield "administrator", request.getfixturevalue("as_user")(administrator), ["/site/organizers/"]


def over(request) -> World:
    """Boards with every number, charts, and a ceremony."""
    cast, as_user = (request.getfixturevalue(name) for name in ("cast", "as_user"))
    played = board_facts.game(cast.contest)
    long_ago(played)
    addresses = crawler.addresses(parameters_of(cast.contest, cast.bob))
    yield "visitor", as_user(None), addresses
    Contest.objects.update(frozen_at=played.attack.closes_at - HOUR)
    contest = Contest.objects.get()
    ceremony = ceremonies.start(actor=cast.oscar, contest=contest, stage="contest")
    ceremonies.move(actor=cast.oscar, contest=contest, ceremony_id=ceremony.pk, seen=0, to="next")
    shown = [reverse(name, args=[contest.slug]) for name in ("ceremony", "organize-ceremony")]
    yield "organizer", as_user(cast.oscar), shown


def of_a_lecture(request) -> World:
    """In its presentations."""
    world, as_user = (request.getfixturevalue(name) for name in ("lecture_world", "as_user"))
    lecture_canary.attacked(world)
    pipeline.close(lecture.round_of(world.contest, "attack"))
    now, talks = timezone.now(), lecture.round_of(world.contest, "presentation")
    pipeline.move(talks, now - HOUR, now + HOUR)
    yield from of_all(world, as_user, world.red)


def of_series(request) -> World:
    world, as_user = (request.getfixturevalue(name) for name in ("series_world", "as_user"))
    series_canary.attacked(world)
    pipeline.close(series.round_of(world.contest, "attack"))
    yield from of_all(world, as_user, world.red)


def of_a_hidden_table(request) -> World:
    cast, as_user = (request.getfixturevalue(name) for name in ("cast", "as_user"))
    contest = factories.make_dp_contest(organizer=cast.oscar)
    red = factories.make_team(contest, "Red", cast.alice, cast.bob)
    played = disclosure_facts.game(contest=contest)
    addresses = crawler.addresses(parameters_of(contest, cast.bob, red))
    for role in ("alice", "oscar"):
        yield role, as_user(getattr(cast, role)), addresses
    pipeline.close(played.interactive)
    yield "visitor", as_user(None), addresses


def of_all(world, as_user, team) -> World:
    cast = world.cast
    addresses = crawler.addresses(parameters_of(world.contest, cast.bob, team))
    for user in (cast.alice, world.viewers["jane"], cast.oscar, None):
        yield str(user), as_user(user), addresses


@pytest.mark.parametrize(
    ("play", "least"),
    some(
        1,
        [
            (over, 20),
            (in_the_attack, 60),
            (of_a_lecture, 12),
            (of_series, 10),
            (of_a_hidden_table, 12),
        ],
    ),
)
def test_a_page_of_every_view_is_sound(
    request, person, site, seen, accessible, play: Callable[..., World], least
):
    faults, opened = [], []
    for role, client, addresses in play(request):
        for address, language, answer in pages(client, addresses, seen, play.__name__):
            site.pages[address] = answer
            person.page.set_viewport_size(PHONE)
            person.go(address)
            found = [*width_faults(person.page), *content_faults(person.page, language)]
            # What axe looks at is the same in the pages of a view, and it takes half of the time.
            name = resolve(urlsplit(address).path).url_name
            if name not in accessible:
                found += accessibility_faults(person.page)
            accessible.add(name)
            found += person.faults
            person.faults.clear()
            faults += [f"{address} ({language}), {role}: {fault}" for fault in found]
            opened.append(address)
    assert not faults, f"{len(faults)} faults on {len(opened)} pages:\n" + "\n".join(faults)
    assert len(opened) >= least, opened
