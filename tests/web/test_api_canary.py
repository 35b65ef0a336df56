# SPDX-License-Identifier: Apache-2.0
"""Every address of the API, read with every caller's token: nothing hidden, and of other teams nothing at all."""

from __future__ import annotations

from codecs import BOM_UTF8
from itertools import product

import pytest

from pwscup.api.views import document
from pwscup.disclosure.models import Answer
from pwscup.disclosure.services import ensure_released
from pwscup.submissions.models import Submission
from tests import factories
from tests.every import some
from tests.web.api import ROOT, Program
from tests.web.pipeline import close, scored

CANARY = b"canary"
COUNT = 734_003_317_293
"""A count that stands in Red's answer and nowhere else, and in no fingerprint by chance."""
ESTIMATE = factories.DP_TRUTH.replace(b"F,young,1", b"F,young,2")
"""Red's estimate, whose counts are at most the number of records."""


@pytest.fixture
def played(cast):
    """Red has asked and handed in, and both rounds are over: more is told than at any other time."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    red = factories.make_team(contest, "Red", cast.alice)
    factories.make_team(contest, "Blue", cast.carol)
    batch, interactive = contest.rounds.order_by("position")
    ensure_released(batch)
    program, path = Program(cast.alice), "/contests/dp/rounds/interactive"
    query = {"query": {"columns": ["sex"]}, "epsilon": "0.25"}
    assert program.post(f"{path}/answers", query).status_code == 201
    Answer.objects.filter(team=red).update(counts=[COUNT, 1])
    program.post(f"{path}/submissions", ESTIMATE, "text/csv")
    scored(Submission.objects.get())
    close(interactive)
    return contest


def addresses() -> list[str]:
    """Every address that is read, with everything that may stand in it."""
    values = {
        "slug": ["dp", "cup"],
        "key": ["batch", "interactive", "anonymization", "estimate"],
        "number": ["1", "2"],
        "public_id": [str(found.public_id) for found in Submission.objects.all()],
        "division": ["students"],
        "board": ["comparison", "estimates", "curve"],
        "team": ["red"],
        "token": ["no-such-token"],
        "name": ["original.csv", "schema.toml", "notebook.ipynb", "sample-estimate.csv"],
    }
    found = ["/api/v1/openapi.json"]
    for path, operations in document()["paths"].items():
        if "get" not in operations:
            continue
        names = [one["name"] for one in operations["get"]["parameters"] if one["in"] == "path"]
        for chosen in product(*(values[name] for name in names)):
            found.append(path.format(**dict(zip(names, chosen, strict=True))))
    return found


def read(program: Program) -> dict[str, bytes]:
    """What was told at each address."""
    told = {}
    for address in addresses():
        answer = program.get(address.removeprefix(ROOT))
        assert answer.status_code in (200, 401, 403, 404), address
        told[address] = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return told


def holding(told: dict[str, bytes], text: bytes) -> list[str]:
    return sorted(address.removeprefix(ROOT) for address, body in told.items() if text in body)


@pytest.mark.parametrize("viewer", some(1, ["alice", "carol", None, "oscar", "bob", "eve"]))
def test_nothing_hidden_is_told(cast, played, viewer, settings):
    settings.API_REQUESTS_PER_MINUTE = 10_000
    told = read(Program(getattr(cast, viewer) if viewer else None))
    assert len(told) > 40
    assert holding(told, CANARY) == []
    submission = f"/submissions/{Submission.objects.get().public_id}"
    file, path = f"{submission}/files/estimate", "/contests/dp/rounds/interactive/answers/1"
    counts = holding(told, str(COUNT).encode())
    assert counts == ([path, f"{path}.csv"] if viewer == "alice" else [])
    assert holding(told, ESTIMATE) == ([file] if viewer == "alice" else [])
    values = holding(told, b'"table-L2": ')
    own = ["/contests/dp/rounds/interactive/submissions", submission]
    assert values == {"alice": own, "oscar": [submission]}.get(viewer, [])


def test_the_answer_of_a_program_is_that_of_the_page(cast, played, as_user):
    answer = Answer.objects.get()
    told = Program(cast.alice).get("/contests/dp/rounds/interactive/answers/1.csv")
    page = as_user(cast.alice).get(f"/q/{answer.public_id}.csv")
    assert told.content == page.content.removeprefix(BOM_UTF8)
    assert str(COUNT).encode() in told.content
