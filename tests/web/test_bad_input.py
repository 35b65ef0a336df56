# SPDX-License-Identifier: Apache-2.0
"""Whatever is handed in: a clear answer in both languages, no try used, nothing lost, never an error of ours."""

from __future__ import annotations

import csv
import errno
import io

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation

from pwscup.submissions import middleware, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State
from tests import factories
from tests.web import pipeline
from tests.zips import zipped

HEADER = b"qi1,qi2,qi3,sa1,sa2\n"
FIRST = b"2,1,1,110,90\n"
REST = b"2,1,1,220,390\n1,1,2,280,210\n1,1,2,390,520\n"


def table(first: bytes = FIRST, header: bytes = HEADER) -> bytes:
    return header + first + REST


def numbers(*lines: object) -> bytes:
    return "".join(f"{line}\n" for line in ("row", *lines)).encode()


def text(response) -> str:
    return " ".join(response.content.decode().split())


def hand_in(client, cast, anonymized: bytes, rows: bytes, *, name: str = "y.csv"):
    files = {
        "anonymized": SimpleUploadedFile(name, anonymized),
        "rows": SimpleUploadedFile("rows.csv", rows),
    }
    url = reverse("round", args=[cast.contest.slug, "anonymization"])
    return client.post(url, {"note": "my note", **files})


# Read by the worker: the submission is rejected, and its page names row and column.
REJECTED = {
    "header only": (HEADER, numbers(1, 2, 3, 4), "file.header_only", None, None),
    "wrong header": (
        table(header=b"qi1,qi2,wrong,sa1,sa2\n"),
        factories.ROWS,
        "header.missing",
        None,
        "qi3",
    ),
    "reordered header": (
        table(header=b"qi2,qi1,qi3,sa1,sa2\n"),
        factories.ROWS,
        "header.order",
        None,
        None,
    ),
    "missing cell": (table(b"2,1,1,110\n"), factories.ROWS, "record.cell_count", 1, None),
    "extra cell": (table(b"2,1,1,110,90,7\n"), factories.ROWS, "record.cell_count", 1, None),
    "text in a number": (
        table(b"2,1,1,many,90\n"),
        factories.ROWS,
        "cell.not_a_number",
        1,
        "sa1",
    ),
    "NaN": (table(b"2,1,1,110,NaN\n"), factories.ROWS, "cell.not_finite", 1, "sa2"),
    "inf": (table(b"2,1,1,-inf,90\n"), factories.ROWS, "cell.not_finite", 1, "sa1"),
    "above the domain": (
        table(b"2,1,1,1001,90\n"),
        factories.ROWS,
        "cell.above_maximum",
        1,
        "sa1",
    ),
    "below the domain": (table(b"2,1,1,110,-1\n"), factories.ROWS, "cell.below_minimum", 1, "sa2"),
    "outside the values": (
        table(b"2,9,1,110,90\n"),
        factories.ROWS,
        "cell.not_in_values",
        1,
        "qi2",
    ),
    "a formula": (table(b"=1+1,1,1,110,90\n"), factories.ROWS, "cell.not_in_values", 1, "qi1"),
    "markup": (
        table(b"<script>alert(1)</script>,1,1,110,90\n"),
        factories.ROWS,
        "cell.not_in_values",
        1,
        "qi1",
    ),
    "ten times too many rows": (
        HEADER + FIRST * 40,
        numbers(*range(1, 41)),
        "file.too_many_records",
        None,
        None,
    ),
    "row number repeated": (table(), numbers(1, 2, 2, 4), "row_number.repeated", 3, None),
    "row number 0": (table(), numbers(0, 2, 3, 4), "row_number.zero", 1, None),
    "row number negative": (table(), numbers(1, -2, 3, 4), "row_number.negative", 2, None),
    "row number too large": (table(), numbers(1, 2, 3, 5), "row_number.too_large", 4, None),
    "row number no number": (table(), numbers(1, 2, "x", 4), "row_number.not_an_integer", 3, None),
    "row file too short": (table(), numbers(1, 2, 3), "row_number.count", None, None),
    "row file too long": (table(), numbers(1, 2, 3, 4, 1), "row_number.count", None, None),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", factories.ROWS, "file.known_format", None, None),
    "NUL bytes": (HEADER + b"\x00\x01\x02", factories.ROWS, "file.binary", None, None),
    "a zip as a table": (
        zipped(("y.csv", table())),
        factories.ROWS,
        "file.known_format",
        None,
        None,
    ),
    "UTF-16": (table().decode().encode("utf-16"), factories.ROWS, "file.utf16", None, None),
    "Shift_JIS": (
        table() + "あ,い\n".encode("cp932") + b"\x85\x40\n",
        factories.ROWS,
        "file.cp932",
        None,
        None,
    ),
    "no row numbers": (table(), b"\n", "row_number.empty_line", 1, None),
}


@pytest.mark.parametrize("case", REJECTED)
def test_a_bad_table_is_rejected_with_its_place_and_costs_no_try(cast, as_user, case):
    anonymized, rows, code, row, column = REJECTED[case]
    client = as_user(cast.alice)

    response = hand_in(client, cast, anonymized, rows)

    submission = pipeline.scored(Submission.objects.get())
    assert submission.state == State.REJECTED
    codes = [problem["code"] for problem in submission.problems]
    found = submission.problems[codes.index(code)]
    assert (row, column) == (row and found["row"], column and found["column"])
    page = client.get(response.url)
    body = text(page)
    assert page.status_code == 200
    assert "No attempt was used" in body
    if row is not None:
        assert f'data-label="Record">{row}</td><td>{column or ""}' in body
    assert "<script>alert" not in body
    assert selectors.tries_left(cast.red, submission.round) == submission.round.tries
    kept = client.get(reverse("submission-file", args=[submission.public_id, "anonymized"]))
    assert kept.content == anonymized


def test_a_rejection_is_told_in_both_languages(cast, as_user):
    client = as_user(cast.alice)
    response = hand_in(client, cast, table(b"2,1,1,many,90\n"), factories.ROWS)
    pipeline.scored(Submission.objects.get())

    for language in ("en", "ja"):
        page = client.get(response.url, headers={"Accept-Language": language})
        assert page.status_code == 200
        with translation.override(language):
            assert translation.gettext(
                "No attempt was used. Your files are kept: download them above, fix them and submit them again."
            ) in text(page)
            [problem] = page.context["problems"]
        assert (problem.row, problem.column) == (1, "sa1")
        assert "many" in " ".join([problem.what, *problem.details])


# Refused at the door: nothing is taken, and the form comes back with what was typed.


def refused(client, cast, anonymized: bytes, rows: bytes = factories.ROWS) -> str:
    response = hand_in(client, cast, anonymized, rows)
    body = text(response)
    assert response.status_code == 422
    assert "attempt was used" in body
    assert 'value="my note"' in body
    assert not Submission.objects.exists()
    return body


def test_an_empty_file_is_refused_at_once(cast, as_user):
    body = refused(as_user(cast.alice), cast, b"")

    assert "“y.csv” is empty — expected a header line" in body


def test_a_file_above_the_rules_limit_is_refused_at_once(cast, as_user, settings):
    settings.MAX_UPLOAD_BYTES = 1000

    body = refused(as_user(cast.alice), cast, b"x" * 1001)

    assert "“y.csv” is too large — expected at most 1000" in body


def test_fifty_megabytes_are_refused_without_being_parsed(cast, as_user, monkeypatch):
    client = as_user(cast.alice)
    monkeypatch.setattr("django.http.multipartparser.MultiPartParser.parse", None)

    response = hand_in(client, cast, b"x" * (50 * 1024 * 1024), factories.ROWS)

    body = text(response)
    assert response.status_code == 413
    assert "too large" in body
    assert "30.0 MB" in body
    assert "50.0 MB" in body
    assert "attempt was used" in body
    assert not Submission.objects.exists()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_upload_that_found_no_room_gets_a_page_that_says_so(cast, as_user, language):
    url = reverse("round", args=[cast.contest.slug, "anonymization"])
    full = {middleware.UNREADABLE: OSError(errno.ENOSPC, "No space left on device")}
    response = as_user(cast.alice).post(url, headers={"Accept-Language": language}, **full)
    assert response.status_code == 507
    assert not Submission.objects.exists()


def test_an_upload_of_who_holds_too_much_is_to_be_sent_again(cast, as_user):
    url = reverse("round", args=[cast.contest.slug, "anonymization"])
    greedy = {middleware.UNREADABLE: OSError(errno.EBUSY, "others wait")}
    response = as_user(cast.alice).post(url, **greedy)
    assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert "The platform is busy" in text(response)
    assert not Submission.objects.exists()


def test_a_form_that_finds_no_room_while_it_is_parsed_gets_the_same_page(
    cast, as_user, monkeypatch
):
    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("django.http.multipartparser.MultiPartParser.parse", full)
    response = hand_in(as_user(cast.alice), cast, table(), factories.ROWS)
    assert response.status_code == 507


def test_a_declared_length_beyond_all_bounds_is_not_waited_for(rf):
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            raise AssertionError("the body was read")

    request = rf.generic("POST", "/", content_type="multipart/form-data; boundary=x")
    request.META["CONTENT_LENGTH"] = str(100 * django_settings.MAX_UPLOAD_BYTES)
    request._stream = Endless()

    response = middleware.ArrivalMiddleware(lambda request: None).process_view(request)

    assert response.status_code == 413


@pytest.mark.parametrize("length", ["", "abc", "-5", "0"])
def test_an_odd_declared_length_is_left_to_the_parser(rf, length):
    request = rf.generic("POST", "/")
    request.META["CONTENT_LENGTH"] = length

    assert middleware.ArrivalMiddleware(lambda request: None).process_view(request) is None


@pytest.mark.parametrize(
    "name", ["../../../etc/cron.d/y.csv", "..\\..\\y.csv", "/etc/y.csv", "C:\\y.csv"]
)
def test_a_path_in_a_file_name_is_only_a_name(cast, as_user, name):
    client = as_user(cast.alice)

    response = hand_in(client, cast, table(), factories.ROWS, name=name)

    submission = pipeline.scored(Submission.objects.get())
    assert submission.state == State.SCORED
    stored = submission.files.get(key="anonymized").file
    assert stored.name == "y.csv"
    assert (
        (django_settings.PRIVATE_ROOT / stored.path)
        .resolve()
        .is_relative_to(django_settings.PRIVATE_ROOT)
    )
    assert "etc" not in text(client.get(response.url))


# Guesses


@pytest.fixture
def target(cast):
    round = cast.contest.rounds.get(key="anonymization")
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    return pipeline.publish(cast.contest)["Blue"]


def send_guess(client, cast, data: bytes, name: str = "blue.csv"):
    url = reverse("round", args=[cast.contest.slug, "attack"])
    return client.post(url, {"note": "my note", "guess": SimpleUploadedFile(name, data)})


BAD_GUESSES = [
    (numbers(1, 2, 3, 5), "row_number.too_large", 4),
    (numbers(1, -2, 3, 4), "row_number.negative", 2),
    (numbers(1, 2, 3), "row_number.count", None),
    (numbers(1, 2, 3, 4, 1), "row_number.count", None),
    (numbers(1, "1.5", 3, 4), "row_number.not_an_integer", 2),
    (b"\x01\x02\x03\x00", "file.binary", None),
    ("1\n2\n3\n4\n".encode("utf-16"), "file.utf16", None),
]
GUESSES = [numbers(1, 1, 1, 1), numbers(0, 0, 0, 0), b"1\n\n3\n\n"]
"""Repeats, zeros and empty lines are guesses."""


def test_a_bad_guess_is_rejected_with_its_place_and_costs_no_try(cast, as_user, target):
    client = as_user(cast.alice)
    for data, code, row in BAD_GUESSES:
        response = send_guess(client, cast, data)

        guess = pipeline.scored(Submission.objects.filter(target=target).latest("pk"))
        assert guess.state == State.REJECTED, data
        found = {problem["code"]: problem["row"] for problem in guess.problems}
        assert found[code] == row, data
        assert "No attempt was used" in text(client.get(response.url)), data
        assert selectors.tries_left(cast.red, target.round, target) == target.round.tries, data
    assert Submission.objects.filter(target=target).count() == len(BAD_GUESSES)

    for n, data in enumerate(GUESSES, start=1):
        send_guess(client, cast, data)

        guess = pipeline.scored(Submission.objects.filter(target=target).latest("pk"))
        assert guess.state == State.SCORED, data
        assert selectors.tries_left(cast.red, target.round, target) == target.round.tries - n


BAD_ARCHIVES = [
    ("bomb.zip", zipped(("blue.csv", b"0\n" * 15_000_000))),
    ("broken.zip", b"PK\x03\x04 and no more"),
    ("nested.zip", zipped(("blue.zip", zipped(("blue.csv", b"1\n"))))),
    ("path.zip", zipped(("../blue.csv", b"1\n"))),
    ("empty.zip", zipped()),
    ("blue.csv", b""),
]


def test_a_bad_archive_is_refused_and_nothing_of_it_is_taken(cast, as_user, target):
    client = as_user(cast.alice)
    for name, data in BAD_ARCHIVES:
        response = send_guess(client, cast, data, name)

        body = text(response)
        assert response.status_code == 422, name
        assert f"{name} — " in body or f"“{name}” is empty" in body
        assert "attempt was used" in body, name
        assert 'value="my note"' in body, name
        assert not Submission.objects.filter(target=target).exists(), name


# Cells are data


def test_a_formula_is_shown_as_text_and_exported_harmless(cast, as_user):
    schema = factories.SCHEMA.replace('values = ["1", "2"]', 'values = ["1", "2", "=1+1"]', 1)
    contest = factories.make_contest("formulas", organizer=cast.oscar, schema=schema)
    team = factories.make_team(contest, "=Sum", cast.alice)
    round = contest.rounds.get(key="anonymization")
    anonymized = table(b"=1+1,1,1,110,90\n")
    submission = pipeline.hand_in(
        cast.alice, team, round, anonymized=anonymized, note="=1+1 <i>now</i>"
    )
    assert pipeline.scored(submission).state == State.SCORED

    page = reverse("round", args=[contest.slug, round.key])
    assert "=1+1 &lt;i&gt;now&lt;/i&gt;" in text(as_user(cast.alice).get(page))
    export = reverse("organize-submissions-csv", args=[contest.slug])
    content = as_user(cast.oscar).get(export).getvalue().decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(content))
    assert (row["team"], row["note"]) == ("'=Sum", "'=1+1 <i>now</i>")
