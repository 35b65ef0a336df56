# SPDX-License-Identifier: Apache-2.0
"""The story through the API only: people who have nothing but a token each."""

from __future__ import annotations

import csv
import http.client
import io
import json
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.season.story import MATE, ORGANIZER, TERMS, Files, Plan
from tests.services import START_SECONDS

JSON, CSV, ZIP = "application/json", "text/csv", "application/zip"
ROOT = "/api/v1"
STARTS = "2031-04-01T10:00:00+09:00"
BUSY = 503
RATE = ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """By their names in small letters."""
    body: bytes


Send = Callable[[str, str, bytes, Mapping[str, str]], Answer]
"""Sends a request: method, path below the root of the API, body and headers."""


@dataclass(frozen=True)
class Caller:
    """A person with a token."""

    send: Send

    def raw(
        self, method: str, path: str, body: Any = None, kind: str = JSON, **more: str
    ) -> Answer:
        """The answer, which must be no refusal; bytes are sent as they are, all else as JSON."""
        sent = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        headers = {"Content-Type": kind} if sent else {}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        deadline = time.monotonic() + START_SECONDS
        while True:
            answer = self.send(method, path, sent, headers)
            if answer.status != BUSY or time.monotonic() > deadline:
                break
            time.sleep(float(answer.headers["retry-after"]) / 4)
        assert answer.status in (200, 201, 204), (method, path, answer.status, answer.body)
        assert set(RATE) <= set(answer.headers)
        return answer

    def ask(self, method: str, path: str, body: Any = None, kind: str = JSON, **more: str) -> Any:
        answer = self.raw(method, path, body, kind, **more)
        return json.loads(answer.body) if answer.body else None

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def file(self, path: str) -> bytes:
        return self.raw("GET", path).body


def over_http(url: str, token: str) -> Send:
    """Requests to a running server."""
    host = urlsplit(url).netloc

    def send(method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        connection = http.client.HTTPConnection(host, timeout=60)
        try:
            given = {"Authorization": f"Bearer {token}", **headers}
            connection.request(method, ROOT + path, body or None, given)
            found = connection.getresponse()
            given = {name.lower(): value for name, value in found.getheaders()}
            return Answer(found.status, given, found.read())
        finally:
            connection.close()

    return send


def packed(files: Files) -> bytes:
    """An archive of these files, each with its ending."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for key, data in files.items():
            archive.writestr(f"{key}.csv", data)
    return file.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@dataclass
class Programs:
    """A `Site` for programs; `work` lets the workers of the site work, where these run in the test itself."""

    people: Mapping[str, Caller]
    work: Callable[[], None] | None = None
    plan: Plan | None = None

    @property
    def oscar(self) -> Caller:
        return self.people[ORGANIZER]

    @property
    def contest(self) -> str:
        assert self.plan is not None
        return f"/contests/{self.plan.slug}"

    @property
    def organized(self) -> str:
        return f"/organize{self.contest}"

    def until(self, path: str, holds: Callable[[Any], object], person: Caller) -> Any:
        """The answer of the address as soon as the condition holds."""
        if self.work is not None:
            self.work()
            found = person.get(path)
            assert holds(found), found
            return found
        deadline = time.monotonic() + START_SECONDS
        while not holds(found := person.get(path)):
            assert time.monotonic() < deadline, found
            time.sleep(1)
        return found

    # The organizer

    def create(self, plan: Plan) -> None:
        self.plan, oscar = plan, self.oscar
        given = {"ruleset_text": plan.rules, "title": plan.title, "slug": plan.slug}
        made = oscar.ask("POST", "/organize/contests", given | {"starts_at": STARTS})
        assert (made["state"], made["is_published"]) == ("draft", False)
        draft = oscar.ask("PUT", f"{self.organized}/data", plan.original, CSV)
        assert draft["draft"]["n_records"] == plan.original.count(b"\n") - 1
        columns = {"schema_toml": plan.schema}
        assert not oscar.ask("POST", f"{self.organized}/data/columns", columns)["is_confirmed"]
        done = oscar.ask("POST", f"{self.organized}/data/columns", columns | {"confirm": True})
        assert done["is_confirmed"]
        rounds = [{"key": key, "tries": tries} for key, tries in plan.attempts.items()]
        version = oscar.get(self.organized)["version"]
        changed = oscar.ask(
            "PATCH", f"{self.organized}/rounds?version={version}", {"rounds": rounds}
        )
        assert {one["key"]: one["tries"] for one in changed["rounds"]} == plan.attempts
        oscar.ask("PUT", f"{self.organized}/terms", {"terms": TERMS})

    def publish(self) -> None:
        assert self.oscar.ask("POST", f"{self.organized}/publish")["is_published"]

    def start(self) -> None:
        self._moved("rounds/start", next(iter(self.plan.attempts)), "open")

    def open(self, key: str) -> None:
        self._moved(f"rounds/{key}/open", key, "open", {})

    def close(self, key: str) -> None:
        self._moved(f"rounds/{key}/close", key, "closed")

    def _moved(self, path: str, key: str, state: str, body: Any = None) -> None:
        answered = self.oscar.ask("POST", f"{self.organized}/{path}", body)
        assert {one["key"]: one["state"] for one in answered["rounds"]}[key] == state

    def archive(self) -> dict[str, bytes]:
        path = f"{self.organized}/archives"
        self.oscar.ask("POST", path, {"names": "none"})
        (written,) = self.until(path, lambda found: found[0]["is_final"], self.oscar)
        assert written["state"] == "done", written
        data = self.oscar.file(f"{path}/{written['number']}")
        assert len(data) == written["size_bytes"]
        return unpacked(data)

    # Teams

    def invite(self, team: str, *people: str) -> None:
        text = "\n".join(["team,email", *(f"{team},{one}@example.org" for one in people), ""])
        self.oscar.ask("POST", f"{self.organized}/teams", {"text": text})
        listed = self.oscar.get(f"{self.organized}/teams")["teams"]
        (line,) = [one for one in listed if one["name"] == team]
        links = {one["email"]: one["url"].rstrip("/") for one in line["invitations"]}
        for name in people:
            token = links[f"{name}@example.org"].rpartition("/")[2]
            assert self.people[name].get(f"/invitations/{token}")["team"] == team
            self.people[name].ask("POST", f"/invitations/{token}")
            self._accept(name)

    def found(self, team: str, person: str) -> None:
        made = self.people[person].ask("POST", f"{self.contest}/team", {"name": team})
        assert made["is_captain"]
        self._accept(person)

    def _accept(self, person: str) -> None:
        terms = self.people[person].get(f"{self.contest}/terms")
        assert terms["text"] == TERMS
        body = {"digest": terms["digest"]}
        assert self.people[person].ask("POST", f"{self.contest}/terms", body)["accepted"]

    # Rounds

    def original(self, person: str) -> bytes:
        return self.people[person].file(f"{self.contest}/files/original.csv")

    def submit(self, person: str, key: str, files: Files) -> str:
        caller, path = self.people[person], f"{self.contest}/rounds/{key}"
        before = caller.get(path)
        assert before["not_now"] is None
        assert {one["key"] for one in before["files"]} >= set(files)
        (only, *more) = files.values()
        kind, body = (ZIP, packed(files)) if more else (CSV, only)
        assert kind in before["content_types"]
        nonce = {"Idempotency_Key": f"{person} {before['tries_left']}"}
        made = caller.ask("POST", f"{path}/submissions?note=by+program", body, kind, **nonce)
        again = caller.ask("POST", f"{path}/submissions?note=by+program", body, kind, **nonce)
        assert again["id"] == made["id"]
        self._scored(caller, made["id"])
        assert caller.get(path)["tries_left"] == before["tries_left"] - 1
        return made["id"]

    def _scored(self, caller: Caller, submission: str) -> None:
        wait = "" if self.work else "?wait=20"
        found = self.until(f"/submissions/{submission}{wait}", lambda one: one["is_final"], caller)
        assert (found["state"], found["problems"]) == ("scored", []), found
        assert caller.get(f"/submissions/{submission}/receipt")["submission"] == submission

    def choose(self, person: str, submission: str) -> None:
        path = f"/submissions/{submission}"
        assert self.people[person].get(path)["may_choose"]
        assert self.people[person].ask("POST", f"{path}/choose")["counts"]

    def tables(self, person: str, key: str) -> dict[str, bytes]:
        caller, path = self.people[person], f"{self.contest}/rounds/{key}/targets"
        targets = self.until(path, len, caller)
        found = {
            one["team"]["slug"]: caller.file(f"/releases/{one['id']}/table")
            for one in targets
            if not one["is_own"]
        }
        assert set(unpacked(caller.file(f"{path}.zip")).values()) == set(found.values())
        return found

    def attack(self, person: str, key: str, guesses: Files) -> None:
        caller, path = self.people[person], f"{self.contest}/rounds/{key}"
        if person == MATE:  # one by one
            made = [
                caller.ask("POST", f"{path}/submissions?target={team}", one, CSV)
                for team, one in guesses.items()
            ]
        else:
            made = caller.ask("POST", f"{path}/guesses", packed(guesses), ZIP)["submissions"]
        assert {one["target"] for one in made} == set(guesses)
        for one in made:
            self._scored(caller, one["id"])
            assert caller.get(f"/submissions/{one['id']}")["values"] is None

    def question(self, person: str, text: str, answer: str) -> None:
        caller, path = self.people[person], f"{self.contest}/questions"
        asked = caller.ask("POST", path, {"subject": "A question", "text": text})
        (waiting,) = self.oscar.get(f"/organize{path}")
        assert waiting["id"] == asked["id"]
        self.oscar.ask("PUT", f"/organize{path}/{asked['id']}", {"answer": answer})
        assert caller.get(f"{path}/{asked['id']}")["answer"] == answer

    # Boards

    def board(self, key: str) -> str:
        caller, path = self.people[MATE], f"{self.contest}/boards"
        assert key in {one["key"] for one in caller.get(path)["boards"]}
        shown = caller.get(f"{path}/{key}")
        text = caller.file(f"{path}/{key}.csv").decode("utf-8-sig")
        header, *lines = csv.reader(io.StringIO(text))
        assert header == shown["columns"]
        assert lines == [["" if one is None else str(one) for one in row] for row in shown["rows"]]
        return text
