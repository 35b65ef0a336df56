# SPDX-License-Identifier: Apache-2.0
"""What a team's program does in an interactive round, with a token that a member makes on the account page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.e2e.browser import PASSWORD, Person
from tests.e2e.disclosure import CONTEST, TARGET
from tests.services import wait_until

ROUND = f"/contests/{CONTEST.removeprefix('/c/')}/rounds/interactive"


def make_token(person: Person) -> str:
    """The token, which is shown this once."""
    person.go("/account/")
    person.follow("Create or revoke tokens")
    person.page.locator("#id_name").fill("notebook")
    person.page.locator("#id_password").fill(PASSWORD)
    person.press("Create token")
    token = person.page.locator("#new-token").input_value()
    person.follow("← Account")
    person.follow("Create or revoke tokens")
    person.sees("notebook")
    assert token not in person.page.content()
    return token


class Program:
    """Speaks to the API as the owner of a token."""

    def __init__(self, person: Person) -> None:
        self.api = f"{person.site.url}/api/v1"
        self.headers = {"Authorization": f"Bearer {make_token(person)}"}

    def send(self, path: str, body: bytes | None = None, kind: str = "") -> tuple[int, bytes]:
        """Status and body of what comes back; a body that is sent makes a POST of it."""
        headers = self.headers | ({"Content-Type": kind} if kind else {})
        try:
            with urlopen(Request(self.api + path, body, headers), timeout=60) as response:
                return response.status, response.read()
        except HTTPError as refused:
            return refused.code, refused.read()

    def ask(self, epsilon: str) -> tuple[int, dict[str, Any]]:
        """For the target."""
        asked = {"query": {"columns": TARGET}, "epsilon": epsilon}
        status, body = self.send(f"{ROUND}/answers", json.dumps(asked).encode(), "application/json")
        return status, json.loads(body)

    def download_answer(self, number: int, to: Path) -> Path:
        status, body = self.send(f"{ROUND}/answers/{number}.csv")
        assert status == 200, body
        to.write_bytes(body)
        return to

    def hand_in(self, estimate: Path) -> None:
        """It is scored, and its values are not shown."""
        status, body = self.send(f"{ROUND}/submissions", estimate.read_bytes(), "text/csv")
        assert status == 201, body
        address = f"/submissions/{json.loads(body)['id']}"

        def read() -> dict[str, Any]:
            return json.loads(self.send(address)[1])

        wait_until(lambda: read()["state"] == "scored", "the estimate is scored")
        assert read()["values"] is None


def spend_the_rest(program: Program, paid: str, rest: str) -> None:
    """What the team has is free for every member; the rest is spent, and then nothing is left."""
    status, again = program.ask(paid)
    assert (status, again["is_new"], again["budget"]["left"]) == (200, False, rest)
    status, answer = program.ask(rest)
    assert (status, answer["is_new"], answer["budget"]["left"]) == (201, True, "0")
    status, refused = program.ask("0.000001")
    assert (status, [problem["code"] for problem in refused["problems"]]) == (
        409,
        ["budget.exceeded"],
    )
