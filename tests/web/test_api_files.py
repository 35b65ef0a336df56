# SPDX-License-Identifier: Apache-2.0
"""Downloads by programs, and the permissions of their tokens."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import timezone

from pwscup.accounts.models import AccessToken
from pwscup.api import auth
from pwscup.contests.models import Contest, Material, RoundHint, Sample
from pwscup.core.files import storage
from pwscup.submissions import draws
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import lecture, pipeline, series
from tests.web.api import Program, codes

pytestmark = pytest.mark.usefixtures("sent")
PATH = "/contests/cup"


@pytest.fixture
def programs(cast) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: Program(getattr(cast, name)) for name in ("alice", "bob", "carol", "oscar", "eve")}
    )


def body(answer) -> bytes:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def names(program: Program, path: str = PATH) -> dict[str, bool]:
    return {one["name"]: one["is_available"] for one in program.get(f"{path}/files").json()}


# Files of a contest


def test_files_of_a_common_table(cast, programs):
    sample = storage.store(factories.NOISY, area=storage.Area.PUBLISHED, name="sample.csv")
    Sample.objects.create(contest=cast.contest, key="anonymized", file=sample)
    offered = ("original.csv", "schema.toml", "sample-anonymized.csv")
    assert names(programs.alice) == dict.fromkeys(offered, True)
    assert names(programs.eve) == {name: name == "schema.toml" for name in offered}
    assert body(programs.alice.get(f"{PATH}/files/original.csv")) == factories.ORIGINAL
    assert body(programs.oscar.get(f"{PATH}/files/sample-anonymized.csv")) == factories.NOISY
    assert b'name = "qi1"' in body(programs.eve.get(f"{PATH}/files/schema.toml"))
    for name in (*offered[::2], "sample-rows.csv", "secret", "original.zip", "notebook.ipynb"):
        assert programs.eve.get(f"{PATH}/files/{name}").status_code == 404
    listed = {one["name"]: one for one in programs.alice.get(f"{PATH}/files").json()}
    original = cast.contest.datasets.get().public
    assert listed["original.csv"]["sha256"] == original.sha256
    assert (listed["original.csv"]["n_records"], listed["original.csv"]["n_columns"]) == (4, 5)


def test_terms_come_before_data(cast, programs):
    Contest.objects.update(terms="Be fair.")
    for name in ("original.csv",):
        refused = programs.alice.get(f"{PATH}/files/{name}")
        assert (refused.status_code, codes(refused)) == (403, ["terms.first"])
    shown = programs.alice.get(f"{PATH}/terms").json()
    assert (shown["text"], shown["accepted"], shown["may_accept"]) == ("Be fair.", False, True)
    wrong = programs.alice.post(f"{PATH}/terms", {"digest": "0" * 64})
    assert (wrong.status_code, codes(wrong)) == (409, ["contest.refused"])
    accepted = programs.alice.post(f"{PATH}/terms", {"digest": shown["digest"]})
    assert accepted.json()["accepted"] is True
    assert body(programs.alice.get(f"{PATH}/files/original.csv")) == factories.ORIGINAL
    assert programs.bob.get(f"{PATH}/terms").json()["accepted"] is False
    assert programs.eve.post(f"{PATH}/terms", {"digest": shown["digest"]}).status_code == 404


def test_files_of_own_tables(cast, programs):
    made = lecture.contest_of(cast)
    path = "/contests/lecture"
    listed = names(programs.alice, path)
    assert listed == dict.fromkeys(
        ("original.csv", "schema.toml", "sample-anonymized.csv", "notebook.ipynb"), True
    )
    draws.ensure_drawn(made.blue)
    assert body(programs.alice.get(f"{path}/files/original.csv")) == lecture.own_table(made.red)
    theirs = f"{path}/files/original.csv?team=blue"
    assert body(programs.alice.get(theirs)) == lecture.own_table(made.red)
    assert body(programs.carol.get(theirs)) == lecture.own_table(made.blue)
    for program in (programs.eve, programs.oscar):  # the whole table is for the browser only
        assert program.get(theirs).status_code == 404
    notebook = programs.alice.get(f"{path}/files/notebook.ipynb?language=ja")
    assert notebook["Content-Type"] == "application/x-ipynb+json"
    assert b"teamred" in body(notebook)


def test_uploads_of_others_are_for_the_browser_only(cast, programs):
    round = pipeline.round_of(cast.contest, "anonymization")
    made = pipeline.hand_in(cast.alice, cast.red, round)
    path = f"/submissions/{made.public_id}/files/rows"
    assert body(programs.bob.get(path)) == factories.ROWS
    refused = programs.oscar.get(path)
    assert (refused.status_code, codes(refused)) == (403, ["browser.only"])
    assert programs.carol.get(path).status_code == 404


def test_files_of_a_series(cast, programs):
    made = series.contest_of(cast)
    packed = body(programs.alice.get("/contests/series/files/original.zip"))
    assert packed.startswith(b"PK")
    assert sorted(names(programs.alice, "/contests/series")) == ["original.zip", "schema.toml"]
    assert made.red.datasets.exists()


def test_materials(cast, programs):
    slides = storage.store(b"%PDF-", area=storage.Area.PUBLISHED, name="slides.pdf")
    common = {"contest": cast.contest, "audience": "teams"}
    file = Material.objects.create(kind="file", title="Slides", file=slides, **common)
    Material.objects.create(kind="link", title="Paper", url="https://example.org/", **common)
    listed = programs.alice.get(f"{PATH}/materials").json()
    assert [(one["kind"], one["title"]) for one in listed] == [
        ("file", "Slides"),
        ("link", "Paper"),
    ]
    assert body(programs.alice.get(f"{PATH}/materials/{file.pk}")) == b"%PDF-"
    assert programs.eve.get(f"{PATH}/materials").json() == []
    assert programs.eve.get(f"{PATH}/materials/{file.pk}").status_code == 404


# Published tables


def test_published_tables(cast, programs):
    round = pipeline.round_of(cast.contest, "anonymization")
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    found = pipeline.publish(cast.contest)
    path = f"{PATH}/rounds/attack"
    listed = programs.alice.get(f"{path}/targets").json()
    assert [(one["team"]["slug"], one["is_own"]) for one in listed] == [
        ("blue", False),
        ("red", True),
    ]
    table = body(programs.alice.get(f"/releases/{listed[0]['id']}/table"))
    assert table == storage.read(found["Blue"].table)
    assert programs.alice.get(f"/releases/{listed[0]['id']}/given").status_code == 404
    assert body(programs.alice.get(f"{path}/targets.zip")).startswith(b"PK")
    assert not any(one["is_available"] for one in programs.eve.get(f"{path}/targets").json())
    for hidden in (f"{path}/targets.zip", f"/releases/{listed[0]['id']}/table"):
        assert programs.eve.get(hidden).status_code == 404
    assert programs.alice.get(f"{PATH}/rounds/anonymization/targets").json() == []


# Rounds, rules and oneself


def test_a_round_says_what_it_takes_and_why_nothing_may_be_sent(cast, programs):
    RoundHint.objects.create(
        round=pipeline.round_of(cast.contest, "anonymization"),
        text="Look at the towns.",
        published_at=timezone.now(),
    )
    answered = programs.alice.get(f"{PATH}/rounds/anonymization").json()
    assert [(one["key"], one["is_required"]) for one in answered["files"]] == [
        ("anonymized", True),
        ("rows", False),
    ]
    assert answered["content_types"] == ["text/csv", "application/zip", "multipart/form-data"]
    assert (answered["not_now"], answered["state"], answered["tries_left"]) == (None, "open", 20)
    assert [one["text"] for one in answered["hints"]] == ["Look at the towns."]
    answered = programs.eve.get(f"{PATH}/rounds/anonymization").json()
    assert "you are not in a team yet" in answered["not_now"]
    assert answered["hints"] == []
    answered = programs.alice.get(f"{PATH}/rounds/attack").json()
    assert "has not opened yet" in answered["not_now"]
    assert answered["content_types"] == ["text/csv", "multipart/form-data"]
    rules = programs.eve.get(f"{PATH}/rules").json()
    assert rules["digest"] == cast.contest.ruleset.digest
    assert {one["id"] for one in rules["measures"]} == set(cast.contest.ruleset.measures)


def test_a_token_says_whose_it_is(cast, programs):
    answered = programs.oscar.get("/me").json()
    assert (answered["name"], answered["may_create_contests"]) == ("Oscar", True)
    assert answered["scopes"] == ["read", "team", "organize"]
    assert programs.alice.get("/me").json()["may_create_contests"] is False


# Scopes and the rate


def test_a_token_does_what_its_scopes_allow(cast):
    reading = Program(cast.alice, scopes=())
    assert reading.get(PATH).status_code == 200
    path = f"{PATH}/rounds/anonymization/submissions"
    refused = reading.form(path, {"anonymized": factories.NOISY})
    assert (refused.status_code, codes(refused)) == (403, ["token.scope"])
    (problem,) = refused.json()["problems"]
    assert (problem["expected"], problem["got"]) == ("team", "read")
    playing = Program(cast.alice, scopes=("team",))
    files = {"anonymized": factories.NOISY, "rows": factories.ROWS}
    assert playing.form(path, files).status_code == 201
    assert Submission.objects.count() == 1


def test_scopes_are_chosen_with_the_token(cast, as_user):
    alice, page = as_user(cast.alice), "/account/tokens/"
    given = {"days": "30", "password": factories.PASSWORD}
    alice.post(page, given | {"name": "reader"})
    alice.post(page, given | {"name": "all", "scopes": ["team", "organize"]})
    wrong = alice.post(page, given | {"name": "more", "scopes": ["everything"]})
    assert wrong.status_code == 422
    scopes = dict(AccessToken.objects.values_list("name", "scope"))
    assert scopes == {"reader": "", "all": "team organize"}
    shown = alice.get(page).content.decode()
    assert "only reading" in shown


def test_every_answer_says_what_is_left_of_the_rate(cast, settings, monkeypatch):
    settings.API_REQUESTS_PER_MINUTE = 3
    monkeypatch.setattr(auth, "time", SimpleNamespace(time=lambda: 6_000_000_045.5))
    program = Program(cast.alice)
    answers = [program.get(path) for path in ("/contests", "/contests/none", "/contests", "/me")]
    assert [answer.status_code for answer in answers] == [200, 404, 200, 429]
    assert [answer["RateLimit-Limit"] for answer in answers] == ["3"] * 4
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert [answer["RateLimit-Reset"] for answer in answers] == ["15"] * 4
    assert "RateLimit-Limit" not in Client().get("/api/v1/contests")


def test_after_the_end_nothing_is_taken(cast, programs):
    round = pipeline.round_of(cast.contest, "anonymization")
    pipeline.move(round, round.opens_at, timezone.now() - timedelta(seconds=1))
    files = {"anonymized": factories.NOISY, "rows": factories.ROWS}
    refused = programs.alice.form(f"{PATH}/rounds/anonymization/submissions", files)
    assert (refused.status_code, codes(refused)) == (409, ["round.closed"])
