# SPDX-License-Identifier: Apache-2.0
"""Series and guesses of somebody who means harm, through the real form: rejected with words, in bounded memory."""

from __future__ import annotations

import io
import zipfile
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from pwscup.core import jobs
from pwscup.submissions.models import Submission
from scoring.errors import Problem
from scoring.formats.sequential import scored
from scoring.formats.sequential.bundles import pack
from tests import factories
from tests.web import pipeline, series

pytestmark = pytest.mark.usefixtures("sent")
HEADER = b"group,age_low,age_high,zip_low,zip_high,disease\n"


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    return series.contest_of(cast)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def large() -> bytes:
    """Three hundred megabytes of nothing in little more than one."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for n in (1, 2, 3):
            with archive.open(f"R{n}.csv", "w") as entry:
                entry.write(HEADER)
                for _ in range(100):
                    entry.write(b"\n" * 1024 * 1024)
    return out.getvalue()


def nested() -> bytes:
    data = b"0"
    for _ in range(5):
        data = zipped({f"R{n}.zip": data for n in (1, 2, 3)})
    return data


ARCHIVES = {
    "300 MB unpacked": (large, "bundle.too_large"),
    "archives in archives": (nested, "bundle.nested"),
    "ten thousand files": (
        lambda: zipped({f"R{n}.csv": b"" for n in range(10_000)}),
        "bundle.too_many",
    ),
    "a path out of it": (lambda: zipped({"../../R1.csv": b"x"}), "bundle.path"),
}


@pytest.mark.parametrize("what", ARCHIVES)
def test_archives_that_mean_harm_are_rejected_and_cost_no_try(cup, as_user, what):
    make, code = ARCHIVES[what]
    answer = as_user(cup.red.captain).post(
        "/c/series/round/release/",
        {"series": SimpleUploadedFile("series.zip", make(), "application/zip"), "note": ""},
    )
    assert answer.status_code == 302, answer.content.decode()[-2000:]
    submission = cup.red.submissions.get()
    jobs.work_on(Submission, submission.pk)
    submission.refresh_from_db()
    assert submission.state == "rejected"
    codes = {problem["code"] for problem in submission.problems}
    assert codes - {"bundle.missing"} == {code}
    assert as_user(cup.red.captain).get(f"/s/{submission.public_id}/").status_code == 200


CELLS = {
    "too large for a number": b"1,1e308,1e309,0,1,flu",
    "not a number": b"1,nan,nan,0,1,flu",
    "endless": b"1,-inf,inf,0,1,flu",
    "upside down": b"1,90,10,0,1,flu",
    "a huge group": b"1000000000000000000,0,100,0,99999,flu",
    "a group below all": b"-1,0,100,0,99999,flu",
    "half a group": b"1.5,0,100,0,99999,flu",
    "a group like a formula": b"=1+1,0,100,0,99999,flu",
    "many decimals": b"1,0." + b"1" * 5_000 + b",100,0,99999,flu",
    "a long value": b"1,0,100,0,99999," + b"x" * 100_000,
}


@pytest.mark.parametrize("what", CELLS)
def test_cells_that_mean_harm_are_rejected_with_their_place(cup, what):
    right = series.parts(factories.series_of_team(cup.red))
    data = pack(right | {"R2.csv": HEADER + CELLS[what] + b"\n"})
    submission = pipeline.scored(series.hand_in(cup.red.captain, cup.red, data))
    assert submission.state == "rejected"
    assert submission.problems[0]["file"] in ("R2", "C2")
    assert all(len(str(problem)) < 1_000 for problem in submission.problems)
    assert all(str(Problem.from_dict(problem)) for problem in submission.problems)


@pytest.mark.long
def test_very_many_rows_in_one_group_and_as_many_values(cup):
    rows = b"1,0,100,0,99999,flu\n" * 200_000
    values = b"".join(b"1,0,100,0,99999,v%d\n" % n for n in range(100_000))
    right = series.parts(factories.series_of_team(cup.red))
    right = {name: data for name, data in right.items() if name[0] == "R"}
    for extra, code in ((rows, "release.repeated_value"), (values, "cell.not_in_values")):
        data = pack(right | {"R1.csv": HEADER + extra})
        submission = pipeline.scored(series.hand_in(cup.red.captain, cup.red, data))
        assert submission.state == "rejected"
        assert code in {problem["code"] for problem in submission.problems}
        assert len(submission.problems) <= 1_000 < submission.n_problems


def test_a_series_with_too_many_worlds_is_refused_with_words(cast, monkeypatch):
    """Boxes that hold everybody: whoever thinks of worlds would have to think for hours."""
    monkeypatch.setattr(scored, "MOST_PLACES", 500)
    cup = series.contest_of(cast, rules=factories.series_ruleset(definition='"worlds"'))
    files = {}
    for time, table in series.tables_of(cup.red).items():
        diseases = sorted({record["disease"] for record in table} | {"flu", "asthma"})
        lines = [
            f"{group},0,120,0,99999,{disease}\n"
            for group in range(1, 1 + len(table))
            for disease in diseases
        ]
        files[f"R{time}.csv"] = HEADER + "".join(lines).encode()
    submission = pipeline.scored(series.hand_in(cup.red.captain, cup.red, pack(files)))
    assert submission.state == "rejected"
    (problem,) = submission.problems
    assert (problem["code"], problem["params"]["expected"]) == ("release.too_many_places", 500)


def test_worlds_of_more_counterfeits_than_records_are_refused_with_words(cast):
    """Groups of told counterfeits alone, around one person: a few kilobytes would be minutes of work."""
    cup = series.contest_of(cast, rules=factories.series_ruleset(definition='"worlds"'))
    right = series.parts(factories.series_of_team(cup.red))
    n_records = sum(len(table) for table in series.tables_of(cup.red).values())
    groups = range(1_000, 1_000 + n_records)
    row = b"%d,0,100,0,99999,%s\n"
    made_up = b"".join(row % (group, value) for group in groups for value in (b"flu", b"asthma"))
    numbers = b"".join(b"%d,2\n" % group for group in groups)
    files = right | {"R1.csv": right["R1.csv"] + made_up, "C1.csv": right["C1.csv"] + numbers}
    told = [data.split()[1:] for name, data in files.items() if name.startswith("C")]
    n_told = sum(int(line.partition(b",")[2]) for lines in told for line in lines)
    submission = pipeline.scored(series.hand_in(cup.red.captain, cup.red, pack(files)))
    assert submission.state == "rejected"
    (problem,) = submission.problems
    assert problem["code"] == "series.too_many_counterfeits"
    assert problem["params"] == {"expected": n_records, "n": n_records, "got": n_told}
