# SPDX-License-Identifier: Apache-2.0
"""The story through the pages: each step opens a page, fills in a form that stands in it, and sends it."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from scoring.tables.schema import Schema
from tests.season.programs import unpacked
from tests.season.story import MATE, ORGANIZER, TERMS, Files, Plan
from tests.services import START_SECONDS

FIELDS = ("input", "select", "textarea", "button")
Fills = Mapping[str, Any]
SAID = {"confirm"}
"""Sent by the second of two pages, after the same form has been shown again."""
STARTS = "2031-04-01T10:00"
SUBMISSION = re.compile(r"/s/([0-9a-f-]{36})/")
JOIN = re.compile(r"/join/[\w-]+/")


@dataclass
class Form:
    """A form as it stands in a page."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    buttons: list[tuple[str, str]] = field(default_factory=list)


class Forms(HTMLParser):
    """All forms of a page with their present values."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._form: Form | None = None
        self._by_id: dict[str, Form] = {}
        self._select: tuple[Form, str] | None = None
        self._area: tuple[Form, str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag == "form":
            self._form = self._by_id[given.get("id", "")] = Form(given.get("action", ""))
            self.found.append(self._form)
        form = self._by_id[given["form"]] if "form" in given else self._form
        name = given.get("name", "")
        if tag == "option" and self._select:
            of, select = self._select
            if "selected" in given or select not in of.values:
                of.values[select] = given.get("value", "")
            return
        if tag not in FIELDS or form is None or not name or "disabled" in given:
            return
        form.names.add(name)
        if tag == "button" or given.get("type") == "submit":
            form.buttons.append((name, given.get("value", "")))
        elif tag == "select":
            self._select = (form, name)
        elif tag == "textarea":
            self._area, form.values[name] = (form, name), ""
        elif given.get("type") in ("checkbox", "radio"):
            if "checked" in given:
                form.values[name] = given.get("value", "on")
        elif given.get("type") != "file":
            form.values[name] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._area:
            form, name = self._area
            form.values[name] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None
        elif tag == "textarea" and self._area:
            form, name = self._area  # the first line break is not part of the text
            form.values[name] = re.sub(r"^\r?\n", "", form.values[name])
            self._area = None


def file(name: str, data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


@dataclass
class Browser:
    """A person who is logged in, with a client of Django's tests or one like it."""

    client: Any

    def page(self, address: str) -> str:
        answer = self.client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return answer.content.decode()

    def file(self, address: str) -> bytes:
        answer = self.client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return b"".join(answer.streaming_content) if answer.streaming else answer.content

    def send(self, page: str, fills: Fills | None = None, action: str = "") -> str:
        """Fill in a form of a page and send it; the page to which this leads.

        The form is the one with these fields whose address is the page itself, or ends like `action`.
        """
        form, wanted = self.form(page, fills or {}, action), dict(fills or {})
        sent = {name: one for name, one in (form.values | wanted).items() if one is not None}
        answer = self.client.post(form.action or page, sent, follow=True)
        text: str = answer.content.decode()
        assert answer.redirect_chain, (page, action, answer.status_code, errors(text))
        assert answer.status_code == 200, (page, action, answer.status_code)
        return text

    def form(self, page: str, fills: Fills, action: str = "") -> Form:
        """The form of a page that `send` would send."""
        text = self.page(page)
        return form_in(text, fills, lambda to: to.endswith(action) if action else to in ("", page))


def form_in(text: str, fills: Fills, leads: Callable[[str], bool]) -> Form:
    """The first form with these fields whose address holds."""
    needed = set(fills) - SAID
    fitting = [form for form in Forms(text).found if leads(form.action) and form.names >= needed]
    assert fitting, (sorted(fills), errors(text))
    return fitting[0]


@dataclass
class Page:
    """An answer of a server, as clients of Django's tests give it."""

    status_code: int
    content: bytes
    to: str = ""
    streaming: bool = False
    redirect_chain: list[str] = field(default_factory=list)


@dataclass
class Remote:
    """A client of a running server, with the cookies of somebody who is logged in there."""

    url: str
    cookies: dict[str, str]

    def get(self, address: str) -> Page:
        return self._send("GET", address)

    def post(self, address: str, data: Mapping[str, Any], *, follow: bool = False) -> Page:
        body, kind = encode_multipart(BOUNDARY, data), {"Content-Type": MULTIPART_CONTENT}
        answer, chain = self._send("POST", address, body, kind), []
        while follow and answer.to:
            chain.append(answer.to)
            answer = self.get(answer.to)
        answer.redirect_chain = chain
        return answer

    def _send(
        self, method: str, address: str, body: bytes | None = None, more: Mapping[str, str] = {}
    ) -> Page:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=120)
        try:
            sent = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            connection.request(method, address, body, {"Cookie": sent, **more})
            found = connection.getresponse()
            for line in found.headers.get_all("Set-Cookie", ()):
                read = SimpleCookie(line)
                self.cookies |= {name: morsel.value for name, morsel in read.items()}
            return Page(found.status, found.read(), found.getheader("Location", ""))
        finally:
            connection.close()


def errors(page: str) -> list[str]:
    """The problems that a refused form names."""
    return re.findall(r'class="[^"]*(?:invalid-feedback|alert)[^"]*"[^>]*>(.*?)<', page, re.DOTALL)


@dataclass
class Pages:
    """A `Site` for people; `work` lets the workers of the site work."""

    people: Mapping[str, Browser]
    work: Callable[[], None] | None = None
    plan: Plan | None = None

    def until(self, person: str, address: str, found: Callable[[Any], Any]) -> Any:
        """The thing found in the answer of an address, as soon as it is something."""
        if self.work is not None:
            self.work()
        deadline = time.monotonic() + (0 if self.work is not None else START_SECONDS)
        while not (what := found(answer := self.people[person].client.get(address))):
            assert time.monotonic() < deadline, (address, answer.status_code, answer.content)
            time.sleep(1)
        return what

    @property
    def oscar(self) -> Browser:
        return self.people[ORGANIZER]

    @property
    def contest(self) -> str:
        assert self.plan is not None
        return f"/c/{self.plan.slug}"

    @property
    def organized(self) -> str:
        assert self.plan is not None
        return f"/organize/{self.plan.slug}"

    # The organizer

    def create(self, plan: Plan) -> None:
        self.plan, oscar = plan, self.oscar
        rules = {"ruleset_file": file("rules.toml", plan.rules.encode())}
        given = {"title": plan.title, "slug": plan.slug, "starts_at": STARTS}
        oscar.send("/organize/new/", given | rules)
        data = f"{self.organized}/data/"
        oscar.send(data, {"table": file("original.csv", plan.original)})
        shown = oscar.form(data, {"c0-role": ""}, "/columns/")
        oscar.send(data, columns(plan.schema, shown.names) | {"confirm": "1"}, "/columns/")
        tries = {f"{key}-tries": str(n) for key, n in plan.attempts.items()}
        oscar.send(f"{self.organized}/rounds/", tries)
        oscar.send(f"{self.organized}/terms/", {"terms": TERMS})

    def publish(self) -> None:
        sentence = {"sentence": "No dry run has played these rules."}
        self.oscar.send(f"{self.organized}/", sentence, "/publish/")

    def start(self) -> None:
        self.oscar.send(f"{self.organized}/rounds/start/")

    def open(self, key: str) -> None:
        self.oscar.send(f"{self.organized}/rounds/", action=f"/{key}/open/")

    def close(self, key: str) -> None:
        self.oscar.send(f"{self.organized}/rounds/", action=f"/{key}/close/")

    def archive(self) -> dict[str, bytes]:
        page = f"{self.organized}/archive/"
        self.oscar.send(page, {"names": "none"})
        link = re.compile(r'[^"]*/archive/\d+\.zip')
        (address,) = self.until(
            ORGANIZER, page, lambda one: set(link.findall(one.content.decode()))
        )
        return unpacked(self.oscar.file(address))

    # Teams

    def invite(self, team: str, *people: str) -> None:
        text = "\n".join(["team,email", *(f"{team},{one}@example.org" for one in people), ""])
        page = f"{self.organized}/teams/"
        listed = {"file": file("teams.csv", text.encode())}
        form = self.oscar.form(page, listed, "/teams/list/")
        shown = self.oscar.client.post(form.action, form.values | listed).content.decode()
        form = form_in(shown, {"make": "1", "text": text}, lambda _to: True)
        self.oscar.client.post(form.action or f"{page}list/", form.values | {"make": "1"})
        lines = self.oscar.file(f"{self.organized}/teams/invitations.csv").decode().splitlines()
        for name in people:
            (line,) = [line for line in lines if f"{name}@example.org" in line]
            self.people[name].send(JOIN.search(line)[0])
            self._accept(name)

    def found(self, team: str, person: str) -> None:
        self.people[person].send(f"{self.contest}/team/", {"name": team}, "/team/create/")
        self._accept(person)

    def _accept(self, person: str) -> None:
        self.people[person].send(f"{self.contest}/terms/")

    # Rounds

    def original(self, person: str) -> bytes:
        return self.people[person].file(f"{self.contest}/data/original.csv")

    def submit(self, person: str, key: str, files: Files) -> str:
        page = f"{self.contest}/round/{key}/"
        sent = {name: file(f"{name}.csv", data) for name, data in files.items()}
        before = self._submissions(person, page)
        self.people[person].send(page, sent)
        (made,) = self._submissions(person, page) - before
        self._scored(person, made)
        return made

    def _submissions(self, person: str, page: str) -> set[str]:
        return set(SUBMISSION.findall(self.people[person].page(f"{page}history/")))

    def _scored(self, person: str, submission: str) -> None:
        scored = b"state-scored"
        self.until(person, f"/s/{submission}/status/", lambda one: scored in one.content)

    def choose(self, person: str, submission: str) -> None:
        history = f"{self.contest}/round/anonymization/history/"
        self.people[person].send(history, action=f"/s/{submission}/choose/")

    def tables(self, person: str, key: str) -> dict[str, bytes]:
        address = f"{self.contest}/round/{key}/targets.zip"
        self.until(person, address, lambda one: one.status_code == 200)
        found = unpacked(self.people[person].file(address))
        return {name.removesuffix(".csv"): data for name, data in found.items()}

    def attack(self, person: str, key: str, guesses: Files) -> None:
        page = f"{self.contest}/round/{key}/"
        sent = [file(f"{team}.csv", data) for team, data in guesses.items()]
        self.people[person].send(page, {"guess": sent})
        for made in self._submissions(person, page):
            self._scored(person, made)

    def question(self, person: str, text: str, answer: str) -> None:
        page = f"{self.contest}/questions/"
        self.people[person].send(page, {"subject": "A question", "text": text})
        listed = self.oscar.page(f"{self.organized}/questions/")
        (asked,) = set(re.findall(rf"{self.organized}/questions/[0-9a-f-]+/", listed))
        self.oscar.send(asked, {"answer": answer})

    # Boards

    def board(self, key: str) -> str:
        address = f"{self.contest}/board.csv?board={key}"
        self.until(MATE, address, lambda one: one.status_code == 200)
        return self.people[MATE].file(address).decode("utf-8-sig")


def columns(schema: str, shown: set[str]) -> dict[str, str | None]:
    """The fields of the page of columns that are shown, filled in like a schema file; None is no tick."""
    read = Schema.from_toml(schema)
    found: dict[str, str | None] = {"e2_column": read.e2_column, "e4_column": read.e4_column}
    for n, column in enumerate(read.columns):
        values = {name: getattr(column, name) for name in ("role", "kind", "min", "max")}
        found |= {f"c{n}-{name}": "" if v is None else str(v) for name, v in values.items()}
        found[f"c{n}-values"] = "\n".join(column.values or ())
        found[f"c{n}-cross"] = "on" if column.cross else None
    return {name: value for name, value in found.items() if name in shown}
