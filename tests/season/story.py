# SPDX-License-Identifier: Apache-2.0
"""A whole contest as an organizer and two teams play it, however they send what they do: `play(site, plan)`.

`tests.season.programs` sends it through the API only, `tests.season.pages` through the forms of the pages. The boards
must be equal: guesses are computed without ties, so that no score depends on the order in which a table is published.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from scoring.rulesets import load_ruleset
from tests import factories

HASH = r"[0-9a-f]{64}"
ORGANIZER, CAPTAIN, MATE, OTHER = "oscar", "alice", "bob", "carol"
PEOPLE = (ORGANIZER, CAPTAIN, MATE, OTHER)
TERMS = "Use the data for this contest only."
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Plan:
    """A contest, and what its teams send: `moves` are called one after the other."""

    slug: str
    title: str
    rules: str
    """TOML."""
    original: bytes
    schema: str
    attempts: Mapping[str, int]
    moves: Sequence[Callable[[Site, Plan], None]]
    boards: Sequence[str]


class Site(Protocol):
    """Actions of people; each of these is one or several requests, all of which must succeed."""

    def create(self, plan: Plan) -> None:
        """A draft with its table, its columns, its terms and its attempts."""

    def publish(self) -> None: ...

    def invite(self, team: str, *people: str) -> None:
        """The organizer sets up a team by a list; the people in it accept the terms."""

    def found(self, team: str, person: str) -> None:
        """Somebody creates a team, and accepts the terms."""

    def start(self) -> None:
        """Open the first round now."""

    def open(self, key: str) -> None: ...

    def close(self, key: str) -> None: ...

    def original(self, person: str) -> bytes:
        """The table that everybody gets."""

    def submit(self, person: str, key: str, files: Files) -> str:
        """Submit the files of a round, and wait until they are scored."""

    def choose(self, person: str, submission: str) -> None: ...

    def tables(self, person: str, key: str) -> dict[str, bytes]:
        """The published tables of the other teams by short name, as soon as they are there."""

    def attack(self, person: str, key: str, guesses: Mapping[str, bytes]) -> None:
        """Send guesses about these teams, and wait until they are scored."""

    def question(self, person: str, text: str, answer: str) -> None:
        """Ask the organizer, who answers."""

    def board(self, key: str) -> str:
        """A board as CSV, as a team sees it."""

    def archive(self) -> dict[str, bytes]:
        """The files in the archive of the contest, without names."""


@dataclass(frozen=True)
class Result:
    boards: dict[str, str]
    archived: list[str]
    """The names of the files in the archive, without hashes."""


def play(site: Site, plan: Plan) -> Result:
    site.create(plan)
    site.publish()
    site.invite("Red", CAPTAIN, MATE)
    site.found("Blue", OTHER)
    site.start()
    for move in plan.moves:
        move(site, plan)
    boards = {key: site.board(key) for key in plan.boards}
    return Result(boards, sorted(re.sub(HASH, "", name) for name in site.archive()))


# The flagship: a round of anonymization, a round of attacks


def table(records: Sequence[Sequence[int]]) -> bytes:
    """CSV of the columns of `factories.SCHEMA`."""
    header = factories.ORIGINAL.splitlines()[0].decode()
    return "\n".join([header, *(",".join(map(str, record)) for record in records), ""]).encode()


def records_of(data: bytes) -> list[list[int]]:
    return [[int(cell) for cell in line.split(b",")] for line in data.splitlines()[1:]]


RECORDS = [
    (1 + n % 2, 1 + n // 2 % 2, 1 + n % 3 % 2, 37 * n * n % 991, 53 * n * (n + 7) % 983)
    for n in range(24)
]


def noisy(scale: int, keep: int = len(RECORDS)) -> bytes:
    """The first records, with another noise in each."""
    return table(
        [
            (*record[:3], *(min(1000, v + scale * (7 * n + 3 * v) % 29) for v in record[3:]))
            for n, record in enumerate(RECORDS[:keep])
        ]
    )


def rows(n: int) -> bytes:
    return "\n".join(["row", *map(str, range(1, n + 1)), ""]).encode()


def nearest(original: bytes, published: bytes, columns: slice) -> bytes:
    """For each published record the number of the nearest original one; there must be only one."""
    found = []
    for record in records_of(published):
        far = [
            sum((a - b) ** 2 for a, b in zip(one[columns], record[columns], strict=True))
            for one in records_of(original)
        ]
        assert far.count(min(far)) == 1
        found.append(far.index(min(far)) + 1)
    return "\n".join(["row", *map(str, found), ""]).encode()


def anonymize(site: Site, plan: Plan) -> None:
    good = {"anonymized": noisy(1), "rows": rows(len(RECORDS))}
    first = site.submit(CAPTAIN, "anonymization", good)
    site.submit(MATE, "anonymization", {"anonymized": noisy(9, 20), "rows": rows(20)})
    site.choose(CAPTAIN, first)
    site.submit(OTHER, "anonymization", {"anonymized": noisy(5, 22), "rows": rows(22)})
    site.question(OTHER, "May a guess be 0?", "Yes: then it is no guess.")
    site.close("anonymization")


def attack(site: Site, plan: Plan) -> None:
    site.open("attack")
    for person, columns in ((MATE, slice(3, 5)), (OTHER, slice(3, 4))):
        original, published = site.original(person), site.tables(person, "attack")
        guesses = {team: nearest(original, one, columns) for team, one in published.items()}
        site.attack(person, "attack", guesses)
    site.close("attack")


FLAGSHIP = Plan(
    slug="spring",
    title="Spring Cup",
    rules=load_ruleset("pwscup2015").text,
    original=table(RECORDS),
    schema=factories.SCHEMA,
    attempts={"anonymization": 4, "attack": 2},
    moves=(anonymize, attack),
    boards=("overall", "anonymization", "attack", "matrix"),
)


# A hidden table: estimates from a release, then from answers


def estimate(*counts: int) -> bytes:
    header, *cells = factories.DP_TRUTH.decode().splitlines()
    places = [cell.rpartition(",")[0] for cell in cells]
    pairs = zip(places, counts, strict=True)
    return "\n".join([header, *(f"{place},{count}" for place, count in pairs), ""]).encode()


def estimate_both(key: str, *, red: bytes, blue: bytes) -> Callable[[Site, Plan], None]:
    def move(site: Site, plan: Plan) -> None:
        if key != next(iter(plan.attempts)):
            site.open(key)
        site.submit(CAPTAIN, key, {"estimate": red})
        site.submit(OTHER, key, {"estimate": blue})
        site.close(key)

    return move


HIDDEN = Plan(
    slug="hidden",
    title="Hidden Cup",
    rules=factories.dp_ruleset("2").text,
    original=factories.DP_ORIGINAL,
    schema=factories.DP_SCHEMA,
    attempts={"batch": 3, "interactive": 2},
    moves=(
        estimate_both("batch", red=estimate(1, 3, 0, 2, 4, 2), blue=estimate(3, 1, 2, 1, 2, 3)),
        estimate_both("interactive", red=estimate(2, 2, 2, 2, 2, 2), blue=factories.DP_TRUTH),
    ),
    boards=("comparison", "estimates"),
)
PLANS = {plan.slug: plan for plan in (FLAGSHIP, HIDDEN)}
