# SPDX-License-Identifier: Apache-2.0
"""Series and guessed values handed in by a program, and what it reads of them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pwscup.core import jobs
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import series
from tests.web.api import Program, codes

pytestmark = pytest.mark.usefixtures("sent")
RELEASE, ATTACK = (f"/contests/series/rounds/{key}/submissions" for key in ("release", "attack"))


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    cup = series.contest_of(cast)
    cup.alice, cup.carol = Program(cast.alice), Program(cast.carol)
    return cup


def sent(program: Program, path: str, data: bytes, kind: str) -> dict:
    """What is told of a file that was handed in and looked at."""
    answer = program.post(path, data, kind)
    assert answer.status_code == 201, answer.json()
    assert answer.json()["state"] == "waiting"
    jobs.work_on(Submission, Submission.objects.get(public_id=answer.json()["id"]).pk)
    return program.get(f"/submissions/{answer.json()['id']}").json()


def test_a_contest_says_what_its_rounds_are(cup):
    rounds = cup.alice.get("/contests/series").json()["rounds"]
    assert [(r["key"], r["kind"], r["tries_left"]) for r in rounds] == [
        ("release", "series", 30),
        ("attack", "value-attack", None),
    ]


def test_a_series_is_handed_in_scored_and_listed(cup):
    data = factories.series_of_team(cup.red)
    told = sent(cup.alice, f"{RELEASE}?note=first", data, "application/zip")
    assert (told["state"], told["counts"], told["problems"]) == ("scored", True, [])
    values = Submission.objects.get().evaluations.get().values
    assert {name: told["values"][name] for name in cup.contest.ruleset.measures} == {
        name: values[name] for name in cup.contest.ruleset.measures
    }
    (file,) = told["files"]
    assert (file["key"], file["name"], file["size_bytes"]) == ("series", "series.zip", len(data))
    wrong = sent(cup.alice, RELEASE, b"no archive", "application/zip")
    assert (wrong["state"], wrong["problems"][0]["code"]) == ("rejected", "bundle.broken")
    assert [s["state"] for s in cup.alice.get(RELEASE).json()] == ["rejected", "scored"]
    assert cup.carol.get(RELEASE).json() == []
    assert cup.carol.get(f"/submissions/{told['id']}").status_code == 404
    assert cup.alice.get("/contests/series").json()["rounds"][0]["tries_left"] == 29


def test_a_series_is_a_zip_archive_and_nothing_else(cup):
    refused = cup.alice.post(RELEASE, b"group\n", "text/csv")
    assert (refused.status_code, codes(refused)) == (415, ["request.content_type"])
    assert refused.json()["problems"][0]["expected"] == "application/zip, multipart/form-data"
    assert not Submission.objects.exists()


def test_guesses_name_their_target(cup):
    for program, team in ((cup.alice, cup.red), (cup.carol, cup.blue)):
        sent(program, RELEASE, factories.series_of_team(team), "application/zip")
    series.publish(cup.contest)
    guess = series.guess_file(series.values_of(cup.blue))
    for target, why in (("", "missing"), ("?target=red", "own"), ("?target=green", "unknown")):
        refused = cup.alice.post(ATTACK + target, guess, "text/csv")
        assert (refused.status_code, codes(refused)) == (422, [f"target.{why}"])
    assert codes(cup.alice.post(f"{ATTACK}?target=blue", guess, "application/zip")) == [
        "request.content_type"
    ]
    told = sent(cup.alice, f"{ATTACK}?target=blue", guess, "text/csv")
    assert (told["state"], told["values"]) == ("scored", None)  # told once the round is over
    assert Submission.objects.get(public_id=told["id"]).target.team == cup.blue
    assert len(cup.alice.get(ATTACK).json()) == 1
