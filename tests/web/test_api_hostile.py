# SPDX-License-Identifier: Apache-2.0
"""Requests that no honest program sends: each refused in the form of the API, and nothing paid or kept."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from django.test import Client

from pwscup.accounts.tokens import create_token
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.disclosure import services
from pwscup.disclosure.models import Answer
from pwscup.submissions.models import Submission
from scoring.errors import MAX_REPORTED
from tests import factories
from tests.web.api import Program, codes, where

pytestmark = pytest.mark.django_db
ASK = "/contests/dp/rounds/interactive"
SEXES = {"query": {"columns": ["sex"]}, "epsilon": "0.25"}


@pytest.fixture
def dp(cast) -> SimpleNamespace:
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    return SimpleNamespace(contest=contest, alice=Program(cast.alice), cast=cast)


@pytest.fixture(autouse=True)
def nothing_is_paid_or_kept(dp):
    yield
    assert not Answer.objects.exists()
    assert not Submission.objects.exists()
    assert storage.paths_on_disk() == set(StoredFile.objects.values_list("path", flat=True))


UNREADABLE = [
    b"",
    b"{",
    b"\xff\xfe\x00",
    b'{"query": {"columns": []}, "epsilon": NaN}',
    b'{"query": {"columns": []}, "epsilon": Infinity}',
    b'{"query": {"columns": []}, "epsilon": 1' + b"0" * 5000 + b"}",
    b"[" * 50_000,
    b'{"query": {"columns": ["\\ud800"]}, "epsilon": "0.1"}',
]


@pytest.mark.parametrize("body", UNREADABLE, ids=lambda body: repr(body[:40]))
def test_what_is_no_json_is_refused(dp, body):
    refused = dp.alice.post(f"{ASK}/answers", body)
    assert refused.status_code in (400, 422)
    assert codes(refused)


WRONG_TYPES = [
    (None, None),
    ([], None),
    ("text", None),
    ({}, None),
    ({"query": {"columns": ["sex"]}}, "epsilon"),
    ({"epsilon": "0.1"}, "query"),
    (SEXES | {"epsilon": 0.1}, "epsilon"),
    (SEXES | {"epsilon": 1}, "epsilon"),
    (SEXES | {"epsilon": None}, "epsilon"),
    (SEXES | {"epsilon": ["0.1"]}, "epsilon"),
    (SEXES | {"epsilon": True}, "epsilon"),
    (SEXES | {"team": "blue"}, "team"),
    (SEXES | {"budget": "9"}, "budget"),
]


@pytest.mark.parametrize(("body", "field"), WRONG_TYPES, ids=str)
def test_values_of_wrong_types_are_named(dp, body, field):
    refused = dp.alice.post(f"{ASK}/answers", body)
    assert refused.status_code == 422
    codes(refused)
    fields = [where(problem).get("field") for problem in refused.json()["problems"]]
    assert field is None or fields == [field]


QUERIES = [
    (None, "0.1", {"query.not_an_object"}),
    ("sex", "0.1", {"query.not_an_object"}),
    ({"columns": "sex"}, "0.1", {"query.wrong_type"}),
    ({"columns": [1]}, "0.1", {"query.wrong_type"}),
    ({"columns": [["sex"]]}, "0.1", {"query.wrong_type"}),
    ({"columns": ["secret"]}, "0.1", {"attribute.unknown_column"}),
    ({"columns": ["sex\x00"]}, "0.1", {"attribute.unknown_column"}),
    ({"columns": [], "where": []}, "0.1", {"query.wrong_type"}),
    ({"columns": [], "where": {"sex": "F"}}, "0.1", {"query.wrong_type"}),
    (
        {"columns": [], "where": {"secret": ["canary-F-young-0"]}},
        "0.1",
        {"attribute.unknown_column"},
    ),
    ({"columns": ["sex"], "team": "blue"}, "nan", {"query.unknown_key", "query.epsilon"}),
    *[
        ({"columns": ["sex"]}, text, {"query.epsilon"})
        for text in (
            "",
            " ",
            "0",
            "-0.1",
            "NaN",
            "inf",
            "1e-2",
            "0.0000001",
            "１",
            "0,1",
            "9" * 5000,
        )
    ],
]


@pytest.mark.parametrize(
    ("query", "epsilon", "expected"),
    QUERIES,
    ids=lambda value: repr(sorted(value) if isinstance(value, set) else value)[:40],
)
def test_queries_that_cannot_be_answered_are_told_why(dp, query, epsilon, expected):
    refused = dp.alice.post(f"{ASK}/answers", {"query": query, "epsilon": epsilon})
    assert refused.status_code == 422
    assert set(codes(refused)) == expected
    assert len(refused.content) < 4000


def test_large_bodies_are_refused(dp, settings):
    padded = json.dumps(SEXES | {"padding": "x" * 70_000}).encode()
    assert codes(dp.alice.post(f"{ASK}/answers", padded)) == ["request.too_large"]
    huge = json.dumps(SEXES | {"padding": "x" * 3_000_000}).encode()
    refused = dp.alice.post(f"{ASK}/answers", huge)
    assert (refused.status_code, codes(refused)) == (413, ["request.too_large"])
    settings.MAX_UPLOAD_BYTES = 1000
    refused = dp.alice.post(f"{ASK}/submissions", b"x" * 600_000, "text/csv")
    assert (refused.status_code, codes(refused)) == (413, ["request.too_large"])
    refused = dp.alice.post(f"{ASK}/submissions", b"x" * 1001, "text/csv")
    assert (refused.status_code, codes(refused)) == (413, ["file.too_large"])


def test_of_thousands_of_unknown_keys_the_first_are_named(dp):
    refused = dp.alice.post(f"{ASK}/answers", SEXES | {f"k{n}": 1 for n in range(5000)})
    assert set(codes(refused)) == {"request.unknown_key"}
    body = refused.json()
    assert (len(body["problems"]), body["n_problems"]) == (MAX_REPORTED, 5000)


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"],
)
def test_bodies_of_other_types_are_refused(dp, content_type):
    form = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
    refused = dp.alice.post(f"{ASK}/answers", form, content_type)
    assert (refused.status_code, codes(refused)) == (415, ["request.content_type"])
    refused = dp.alice.post(f"{ASK}/submissions", form, content_type)
    if content_type.startswith("multipart/"):  # a field of a form is no file
        assert (refused.status_code, codes(refused)) == (422, ["request.unknown_key"])
        assert where(refused.json()["problems"][0]) == {"field": "a"}
    else:
        assert (refused.status_code, codes(refused)) == (415, ["request.content_type"])


def test_empty_files_and_unusable_notes_are_refused(dp):
    address, of_csv = f"/api/v1{ASK}/submissions", {"Content-Type": "text/csv"}
    refused = dp.alice.client.post(address, b"", content_type="text/csv", headers=of_csv)
    assert (refused.status_code, codes(refused)) == (422, ["file.empty"])
    refused = dp.alice.post(f"{ASK}/submissions?note={'x' * 201}", b"a", "text/csv")
    assert (refused.status_code, codes(refused)) == (422, ["note.too_long"])
    refused = dp.alice.post(f"{ASK}/submissions?note=a%00b", b"a", "text/csv")
    assert (refused.status_code, codes(refused)) == (422, ["request.unusable"])
    assert where(refused.json()["problems"][0]) == {"field": "note"}


def test_rounds_of_other_contests_are_not_ones_own(dp):
    other = factories.make_dp_contest("other", organizer=dp.cast.oscar)
    factories.make_team(other, "Blue", dp.cast.carol)
    refused = dp.alice.post("/contests/other/rounds/interactive/answers", SEXES)
    assert (refused.status_code, codes(refused)) == (403, ["team.none"])
    for path in (
        "/contests/nowhere",
        "/contests/other/rounds/nothing/domain",
        "/contests/other/rounds/interactive/answers/1",
        "/contests/dp/rounds/interactive/answers/99999999999999999999",
        "/submissions/00000000-0000-4000-8000-000000000000",
        "/submissions/none",
        "/../../etc/passwd",
        "/contests/dp/rounds/interactive/answers/-1",
    ):
        assert dp.alice.get(path).status_code in (403, 404), path
        assert codes(dp.alice.get(path))


def test_other_methods_say_which_there_are(dp):
    refused = dp.alice.client.delete(f"/api/v1{ASK}/answers")
    assert (refused.status_code, codes(refused)) == (405, ["request.method"])
    assert set(refused["Allow"].split(", ")) == {"GET", "POST"}


def test_a_fault_of_ours_tells_nothing_of_itself(dp, monkeypatch):
    def fail(*_args, **_kwargs):
        raise RuntimeError("canary in a traceback")

    monkeypatch.setattr(services, "ask", fail)
    _token, text = create_token(user=dp.cast.alice, name="other", days=7)
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {text}"})
    failed = client.post(f"/api/v1{ASK}/answers", SEXES, content_type="application/json")
    assert (failed.status_code, codes(failed)) == (500, ["server.failed"])
    assert b"canary" not in failed.content
