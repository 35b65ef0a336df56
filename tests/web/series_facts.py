# SPDX-License-Identifier: Apache-2.0
"""A contest of sequential release played by the real services: what was handed in, and what became of it."""

from __future__ import annotations

import csv
import io
import re
from types import SimpleNamespace
from typing import Any

from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.core.files import storage
from pwscup.submissions import services
from pwscup.submissions.models import Release, Submission
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.guess_files import write_value_guess
from scoring.formats.sequential.guesses import intersecting_guesses, values_of
from scoring.rulesets import load_ruleset
from scoring.rulesets.base import Ruleset
from tests import factories
from tests.web import board_facts, lecture, pipeline

METHODS = {"Red": "m-invariance", "Blue": "last", "Green": "improved"}
"""Who hands in a series, and how it is made; Grey only attacks, Black's series is rejected, White does nothing."""
OTHERS = ("Grey", "Black", "White")
PEOPLE, RECORDS = 24, 140


def people_of(team: Team) -> dict[str, str]:
    """Everybody in a team's tables, with the sensitive value, in the order of their names."""
    found = {}
    for data in factories.tables_of_team(team).values():
        for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"))):
            found[row["patient"]] = row["disease"]
    return dict(sorted(found.items()))


def hand_in(team: Team, data: bytes, **kwargs: Any) -> Submission:
    """A series, handed in now and looked at by a worker."""
    given = {"arrived_at": timezone.now(), "files": {"series": ("series.zip", data)}} | kwargs
    round = lecture.round_of(team.contest, "anonymization")
    return pipeline.scored(services.submit(user=team.captain, team=team, round=round, **given))


def guess(team: Team, target: Release, values: dict[str, str]) -> Submission:
    """Guessed values, handed in now and marked."""
    return pipeline.scored(pipeline.guess(team.captain, team, target, write_value_guess(values)))


def intersected(target: Release) -> dict[str, str]:
    """What anybody can guess from all the published releases of a team."""
    schema = target.round.contest.datasets.get(team=None).schema
    people = read_background(storage.read(target.candidates), schema)
    known = read_published(storage.read(target.table), people)
    return values_of(intersecting_guesses(known.people, known.releases), known.people)


def handed_in(rules: Ruleset | None = None, **kwargs: Any) -> SimpleNamespace:
    """The contest in its release round: three series, and one that is rejected."""
    contest = factories.make_series_contest(
        tables=factories.hospital_tables(RECORDS),
        rules=rules or factories.series_ruleset(PEOPLE),
        **kwargs,
    )
    teams = {
        name: factories.make_team(contest, name, factories.make_user(f"{name.lower()}-captain"))
        for name in (*METHODS, *OTHERS)
    }
    submissions = {
        name: hand_in(teams[name], factories.series_of_team(teams[name], method=method))
        for name, method in METHODS.items()
    }
    submissions["Black"] = hand_in(teams["Black"], b"PK no archive")
    return SimpleNamespace(contest=contest, teams=teams, submissions=submissions, guesses={})


def attacked(played: SimpleNamespace) -> SimpleNamespace:
    """Everything is published, and guessed about: from the releases, by chance, and by who knows too much."""
    played.releases = lecture.publish(played.contest)
    everybody = {name: people_of(played.teams[name]) for name in METHODS}
    some = dict(list(everybody["Green"].items())[: PEOPLE * 3 // 4])
    one = dict(list(everybody["Red"].items())[:1])
    said = {
        ("Red", "Blue"): everybody["Blue"],
        ("Red", "Green"): intersected(played.releases["Green"]),
        ("Blue", "Red"): intersected(played.releases["Red"]),
        ("Blue", "Green"): some,
        ("Green", "Red"): one,
        ("Grey", "Red"): everybody["Red"],
    }
    for (attacker, target), values in said.items():
        played.guesses[attacker, target] = guess(
            played.teams[attacker], played.releases[target], values
        )
    played.said = said
    return played


def closed(played: SimpleNamespace) -> SimpleNamespace:
    """The attacks are over and shown."""
    pipeline.close(lecture.round_of(played.contest, "attack"))
    return played


def game(rules: Ruleset | None = None, **kwargs: Any) -> SimpleNamespace:
    """The whole contest."""
    return closed(attacked(handed_in(rules, **kwargs)))


# Made-up results

MEASURES = (
    "series-extent", "series-discernibility", "series-query-error", "series-counterfeits", "series-deletions",
    "series-displaced", "series-risk-max", "series-risk-mean", "series-risk-share",
)  # fmt: skip
# Ranks on paper; utility of Red 1 1 1 3 1 1 = 4/3, of Blue 2 2 2 1 1 1 = 3/2, of Green 2 3 3 1 1 3 = 13/6.
# Safety of Red, Blue, Green before the attacks: 3 3 3, 1 2 1 and 1 1 1.
RESULTS = {
    "Red": (0.2, 0.1, 0.25, 0.5, 0.0, 0.0, 1.0, 0.6, 0.4),
    "Blue": (0.3, 0.2, 1.5, 0.0, 0.0, 0.0, 0.5, 0.45, 0.0),
    "Green": (0.3, 0.3, 1234.5, 0.0, 0.0, 0.125, 0.5, 0.4, 0.0),
}
# Worst rates of Red, Blue, Green: 0.5 (Blue), 0.25 (Red), 0.5 (Blue); their ranks 2 1 2.
RATES = {
    ("Blue", "Red"): 0.5,
    ("Green", "Red"): 0.5,
    ("Red", "Blue"): 0.25,
    ("Red", "Green"): 0.0,
    ("Blue", "Green"): 0.5,
}


def made_up(*, n_closed: int = 2, replace: tuple[tuple[str, str], ...] = ()) -> SimpleNamespace:
    """Three teams with the results above, as far as the rounds have come; nothing is computed."""
    contest = board_facts.contest_of("sequential-release", n_closed=n_closed, replace=replace)
    first, attack = contest.rounds.order_by("position")
    teams = {name: factories.make_team(contest, name) for name in RESULTS}
    played = SimpleNamespace(
        contest=contest, teams=teams, release=first, attack=attack, submissions={}, releases={}
    )
    for name, row in RESULTS.items():
        values = {"n_people": 4, **dict(zip(MEASURES, row, strict=True))}
        played.submissions[name] = board_facts.scored(teams[name], first, values)
        if n_closed >= 1:
            played.releases[name] = board_facts.release(played.submissions[name], attack)
    if n_closed >= 2:
        for (attacker, target), rate in RATES.items():
            add_guess(played, attacker, target, rate)
    return played


def add_guess(played: SimpleNamespace, attacker: str, target: str, rate: float) -> Submission:
    """A guess about four people of whom the baseline guesses one right."""
    values = {"n_records": 4, "hits": round(4 * rate) + 1, "baseline_hits": 1, "rate": rate}
    team, about = played.teams[attacker], played.releases[target]
    return board_facts.scored(team, played.attack, values, target=about)


WEIGHTED = '[ranking]\nformula = "weighted-sum"\nutility_measure = "series-extent"\n'


def weighted(n_closed: int = 2) -> SimpleNamespace:
    """The results on paper, ranked by another formula."""
    text = load_ruleset("sequential-release").text
    former = text[text.index("[ranking]") :]
    return made_up(n_closed=n_closed, replace=((former, WEIGHTED),))


# What a reader is told

OF_TABLES = re.compile(
    r"re-identif|records? (was|were|is|are)? ?found|own tables?\b|teams' tables?|every team's table|"
    r"table has been attacked|anonymization round|built-in attack",
    re.IGNORECASE,
)
"""What is said of anonymized tables and nowhere here."""


def page(client, contest, board, **asked):
    address = reverse("board-fragment", args=[contest.slug])
    return client.get(address, {"board": board, **asked})


def text_of(answer) -> str:
    """The words of a page, as a reader sees them."""
    html = re.sub(r"<script.*?</script>", " ", answer.content.decode(), flags=re.DOTALL)
    words = " ".join(re.sub(r"<[^>]*>", " ", html).split())
    return words.replace("&#x27;", "'").replace("&gt;", ">")


def file_of(client, contest, board, **asked) -> bytes:
    """A board as it is downloaded."""
    return client.get(reverse("board-csv", args=[contest.slug]), {"board": board, **asked}).content


def download(client, contest, board, **asked):
    text = file_of(client, contest, board, **asked).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))
