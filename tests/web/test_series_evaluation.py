# SPDX-License-Identifier: Apache-2.0
"""What a series and a guess are worth on the platform, what is published of a series, and what never is."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from django.conf import settings
from django.core import serializers

from pwscup.contests import truth
from pwscup.contests.services import attach_dataset
from pwscup.contests.teams import tables as team_tables
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.submissions import releases
from pwscup.submissions.models import Evaluation, Release, Submission
from pwscup.submissions.selectors import latest_evaluation, tries_left
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.bundles import pack, pack_for_people, unpack
from scoring.formats.sequential.catalog import SERIES_MEASURES
from scoring.formats.sequential.guess_files import read_value_guess
from scoring.formats.sequential.guesses import baseline_guesses, mark_values, values_of
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import handed_in, of_publication, without
from scoring.formats.sequential.series_files import read_series, read_tables
from scoring.tables.schema import Schema
from scoring.tables.text import UTF8_BOM
from tests import factories
from tests.every import some
from tests.web import pipeline, series

DISEASES = HOSPITAL_SCHEMA.column("disease").values
QUERIES = "series-query-error"
DRAWING = (QUERIES, "series-risk-max", "series-risk-mean", "series-risk-share")
pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    return series.contest_of(cast)


def at_home(team, data: bytes, definition: str = "counting", purpose="measures/release", **asked):
    """What the library says of a series, from the files of the team and a seed of the contest."""
    schema = team.contest.datasets.get(team=None).schema
    tables = storage.read(team_tables.table_of(team).public)
    original = read_tables(tables, schema)
    found = read_series(data, original, "patient", **({"m": 2} | asked))
    seed = truth.derived_seed(team.contest, purpose)
    return score_series(original, found, m=2, definition=definition, seed=seed)


# A series


@pytest.mark.parametrize("method", ["m-invariance", "last", "improved"])
def test_a_series_by_each_method_has_the_values_that_the_library_gives(cup, method):
    data = factories.series_of_team(cup.red, method=method)
    submission = pipeline.scored(series.hand_in(cup.red.captain, cup.red, data))
    assert (submission.state, submission.problems) == ("scored", [])
    evaluation = submission.evaluations.get()
    assert evaluation.values == at_home(cup.red, data)
    assert set(SERIES_MEASURES) <= evaluation.values.keys()
    sealed = team_tables.table_of(cup.red).sealed.sha256
    assert evaluation.input_hashes == {
        "original": sealed,
        "series": submission.files.get().file.sha256,
    }


@pytest.mark.parametrize(
    ("definition", "drawing"),
    some(2, [("counting", DRAWING[:1]), ("m-invariance", DRAWING), ("worlds", DRAWING)]),
)
def test_the_definition_of_the_rules_decides_the_risks_and_what_draws(cast, definition, drawing):
    rules = factories.series_ruleset(definition=f'"{definition}"')
    cup = series.contest_of(cast, rules=rules)
    data = factories.series_of_team(cup.red)
    submission = pipeline.scored(series.hand_in(cast.alice, cup.red, data))
    found = submission.evaluations.get()
    assert found.values == at_home(cup.red, data, definition)
    final = at_home(cup.red, data, definition, purpose="measures/release/final")
    assert found.final_values == {measure: final[measure] for measure in drawing}
    assert found.final_values[QUERIES] != found.values[QUERIES]


def test_a_series_that_is_not_m_invariant_is_rejected_where_the_rules_ask_for_it(cast):
    for require, state in (("m-unique", "scored"), ("m-invariance", "rejected")):
        rules = factories.series_ruleset(require=f'"{require}"')
        cup = SimpleNamespace(
            contest=factories.make_series_contest(require, organizer=cast.oscar, rules=rules)
        )
        red = factories.make_team(cup.contest, "Red", factories.make_user(require))
        submission = pipeline.scored(series.hand_in(red.captain, red, one_group_each(red)))
        assert submission.state == state
    assert {problem["code"] for problem in submission.problems} == {"release.signature"}


def one_group_each(team) -> bytes:
    """Everybody with one made-up record of a value that changes from time to time: unique, not invariant."""
    diseases = [c.values for c in team.contest.datasets.get(team=None).schema.columns][-1]
    files = {}
    for time, table in series.tables_of(team).items():
        lines = ["group,age_low,age_high,zip_low,zip_high,disease"]
        for group, record in enumerate(table, start=1):
            other = diseases[(diseases.index(record["disease"]) + time) % len(diseases)]
            box = f"{record['age']},{record['age']},{record['zip']},{record['zip']}"
            lines += [f"{group},{box},{record['disease']}", f"{group},{box},{other}"]
        files[f"R{time}.csv"] = "\n".join([*lines, ""]).encode()
    return pack(files)


def wrong(cup) -> dict[str, tuple[bytes, set[str]]]:
    """Series that are rejected, and for what."""
    right = factories.series_of_team(cup.red)
    files = series.parts(right)
    header, *rows = files["R1.csv"].splitlines(keepends=True)
    return {
        "no archive": (b"R1.csv", {"bundle.broken"}),
        "empty": (pack({}), {"bundle.missing"}),
        "a release is missing": (
            pack({n: d for n, d in files.items() if n != "R2.csv"}),
            {"bundle.missing"},
        ),
        "counterfeits of a group that is not there": (
            pack(files | {"R1.csv": header + b"".join(r for r in rows if r[:2] != b"1,")}),
            {"release.unknown_group"},
        ),
        "no row for somebody": (
            pack(
                {n: d for n, d in files.items() if n[0] == "R"}
                | {"R1.csv": header + b"".join(r for r in rows if r[:2] != b"1,")}
            ),
            {"release.no_row"},
        ),
        "another team's": (factories.series_of_team(cup.blue), {"release.no_row"}),
        "upside down": (
            pack(files | {"R1.csv": header + b"1,90,10,1,2,flu\n" + b"".join(rows)}),
            {"release.box", "release.other_box"},
        ),
        "unknown person left out": (
            pack(files | {"D1.csv": b"patient\nP9999999\n"}),
            {"series.unknown_id"},
        ),
    }


def test_rejected_ones_leave_every_try_and_say_what_is_wrong(cup):
    round = series.round_of(cup.contest, "anonymization")
    before = tries_left(cup.red, round)
    for what, (data, codes) in wrong(cup).items():
        submission = pipeline.scored(series.hand_in(cup.red.captain, cup.red, data))
        assert submission.state == "rejected", what
        found = {problem["code"] for problem in submission.problems}
        assert found, what
        assert found <= codes | {"release.too_few_rows", "release.counterfeits"}, what
        assert found & codes, what
    assert tries_left(cup.red, round) == before
    taken = pipeline.scored(
        series.hand_in(cup.red.captain, cup.red, factories.series_of_team(cup.red))
    )
    assert taken.state == "scored"
    assert tries_left(cup.red, round) == before - 1


# What is published


def covert(data: bytes, marker: bytes) -> bytes:
    """The same series with a message wherever an archive and CSV have room for one."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.comment = marker
        for number, (name, content) in enumerate(reversed(series.parts(data).items())):
            entry = zipfile.ZipInfo(f"{marker.decode()}/{name.upper()}", (2001, 2, 3, 4, 5, number))
            entry.comment = marker
            entry.extra = b"\xfe\xca" + len(marker).to_bytes(2, "little") + marker
            entry.external_attr = 0o777 << 16
            header, *rows = content.splitlines()
            rows = sorted(rows, key=lambda row: (row[-1:], row), reverse=True)
            quoted = [b",".join(b'"' + cell + b'"' for cell in row.split(b",")) for row in rows]
            text = b"\xef\xbb\xbf" + b"\r\n".join([header, *quoted])
            archive.writestr(entry, text.replace(b'"40"', b'"40.000"'))
        archive.writestr(f"__MACOSX/._{marker.decode()}", marker)
        archive.writestr(".DS_Store", marker)
    return out.getvalue() + marker


def test_nothing_but_the_rows_of_what_was_handed_in_is_published(cup):
    marker = b"canary-4711"
    plain = factories.series_of_team(cup.red)
    first = pipeline.scored(series.hand_in(cup.red.captain, cup.red, plain))
    second = pipeline.scored(series.hand_in(cup.red.captain, cup.red, covert(plain, marker)))
    assert [first.state, second.state, second.problems] == ["scored", "scored", []]
    assert latest_evaluation(first).values == latest_evaluation(second).values
    release = series.publish(cup.contest)["Red"]
    assert release.submission == second
    published = storage.read(release.table)
    assert marker not in published
    assert published == pack_for_people(series.parts(plain))  # byte for byte what a plain one gives
    with zipfile.ZipFile(io.BytesIO(published)) as archive:
        assert archive.comment == b""
        for entry in archive.infolist():
            assert (entry.date_time, entry.comment, entry.extra) == (
                (1980, 1, 1, 0, 0, 0),
                b"",
                b"",
            )


def test_counterfeits_are_published_where_they_are_told_and_deletions_never(cup):
    data = factories.series_of_team(cup.red, method="improved")
    files = series.parts(data)
    person = series.tables_of(cup.blue)[1][0]["patient"]
    told = pack({n: d for n, d in files.items() if n[0] in "RCND"})
    gone = pack(
        {n: d for n, d in series.parts(factories.series_of_team(cup.blue)).items() if n[0] == "R"}
        | {"D1.csv": f"patient\n{person}\n".encode()}
    )
    assert pipeline.scored(series.hand_in(cup.red.captain, cup.red, told)).state == "scored"
    left_out = pipeline.scored(series.hand_in(cup.blue.captain, cup.blue, gone))
    assert (left_out.state, left_out.problems) == ("scored", [])
    assert latest_evaluation(left_out).values["series-deletions"] > 0
    targets = series.publish(cup.contest)
    letters = {
        name: {entry[0] for entry in series.parts(storage.read(r.table))}
        for name, r in targets.items()
    }
    assert letters["Red"] - {"N"} == {"R", "C"}
    assert letters["Blue"] == {"R"}
    assert person.encode() not in b"".join(
        series.parts(storage.read(targets["Blue"].table)).values()
    )
    background = unpack(storage.read(targets["Blue"].candidates), "B", file="b")["B"]
    assert person.encode() in background[1]  # who is left out stays in the background table


def test_the_background_table_is_who_was_there_when_and_its_order_tells_nothing(cup):
    pipeline.scored(series.hand_in(cup.red.captain, cup.red, factories.series_of_team(cup.red)))
    release = series.publish(cup.contest)["Red"]
    assert (release.table.name, release.candidates.name) == (
        "teamred_series.zip",
        "teamred_people.zip",
    )
    found = unpack(storage.read(release.candidates), "B", file="people")["B"]
    tables = series.tables_of(cup.red)
    assert found.keys() == tables.keys()
    for time, data in found.items():
        known = [f"{r['patient']},{r['age']},{r['zip']}" for r in tables[time]]
        assert data.startswith(UTF8_BOM)
        assert data.decode("utf-8-sig") == "\n".join([series.BACKGROUND, *sorted(known), ""])
    assert release.n_records == factories.HOSPITAL_PEOPLE
    assert release.key.area == "sealed"
    key = series.key_of(release)
    assert key["values"] == series.values_of(cup.red)
    people = read_background(storage.read(release.candidates), HOSPITAL_SCHEMA)
    known = read_published(storage.read(release.table), people)
    assert key["baseline"] == values_of(baseline_guesses(people, known.releases), people)
    with pytest.raises(storage.SealedFileError):
        storage.read(release.key)


def test_all_series_are_published_at_once_and_once(cup):
    for team in (cup.red, cup.blue):
        pipeline.scored(series.hand_in(team.captain, team, factories.series_of_team(team)))
    assert set(series.publish(cup.contest)) == {"Red", "Blue"}
    assert releases.publish(series.round_of(cup.contest, "attack")) == []
    assert Release.objects.count() == 2


# A guess


@pytest.fixture
def attacked(cup) -> SimpleNamespace:
    for team in (cup.red, cup.blue):
        pipeline.scored(series.hand_in(team.captain, team, factories.series_of_team(team)))
    cup.targets = series.publish(cup.contest)
    return cup


def guessed(cup, data: bytes) -> Submission:
    return pipeline.scored(pipeline.guess(cup.red.captain, cup.red, cup.targets["Blue"], data))


def test_a_guess_has_the_values_that_the_library_gives(attacked):
    truth, key = series.values_of(attacked.blue), series.key_of(attacked.targets["Blue"])
    some = dict(sorted(truth.items())[:12])
    said = {
        "everything": truth,
        "some": some,
        "nothing": {},
        "the baseline": key["baseline"],
        "all wrong": {id_: "flu" if value != "flu" else "asthma" for id_, value in truth.items()},
    }
    for what, guess in said.items():
        data = series.guess_file(guess)
        if not guess:
            data = b"id,value\n" + f"{next(iter(truth))},\n".encode()
        submission = guessed(attacked, data)
        assert submission.state == "scored", (what, submission.problems)
        marked = mark_values(truth, key["baseline"], read_value_guess(data, truth, DISEASES), m=2)
        assert submission.evaluations.get().values == {
            "n_records": marked.n_records,
            "hits": marked.hits,
            "baseline_hits": marked.baseline_hits,
            "rate": marked.rate,
        }, what
    rates = [
        latest_evaluation(s).values["rate"] for s in attacked.red.submissions.exclude(target=None)
    ]
    assert rates.count(0) >= 3
    assert max(rates) > 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("id,value\nnobody,flu\n", "value_guess.unknown_id"),
        ("id,value\n{0},flu\n{0},flu\n", "value_guess.repeated_id"),
        ("id,value\n{0},plague\n", "cell.not_in_values"),
        ("patient,disease\n{0},flu\n", "header.missing"),
        ("id,value\n", "file.header_only"),
    ],
    ids=["nobody", "twice", "no such value", "other columns", "empty"],
)
def test_guesses_that_cannot_be_read_are_rejected(attacked, text, code):
    person = min(series.values_of(attacked.blue))
    submission = guessed(attacked, text.format(person).encode())
    assert submission.state == "rejected"
    assert code in {problem["code"] for problem in submission.problems}
    truth = series.values_of(attacked.blue)
    own = series.values_of(attacked.red)
    told = json.dumps(submission.problems)
    assert not [id_ for id_ in truth if id_ in told and id_ != person]
    assert not [id_ for id_ in own if id_ in told]


def test_where_no_values_are_listed_a_guess_is_told_of_those_in_the_releases_alone(cast):
    """Somebody who is left out of all releases may have a value that nobody else has."""
    schema = Schema(
        (*HOSPITAL_SCHEMA.columns[:-1], replace(HOSPITAL_SCHEMA.columns[-1], values=None))
    )
    contest = factories.make_series_contest(organizer=cast.oscar)
    attach_dataset(actor=cast.oscar, contest=contest, data=everybody_else(), schema=schema)
    red = factories.make_team(contest, "Red", cast.alice)
    blue = factories.make_team(contest, "Blue", cast.carol)
    gone = series.tables_of(blue)[1][0]
    microdata = read_tables(storage.read(team_tables.table_of(blue).public), schema)
    nobody = np.zeros(0, dtype=np.int64)
    deleted = [np.array([microdata.ids.index(gone["patient"])]), nobody, nobody]
    done = publish(without(microdata, deleted), Options(2))
    files = handed_in(of_publication(done), "patient")
    files = {name: data for name, data in files.items() if name[0] == "R"}
    files["D1.csv"] = f"patient\n{gone['patient']}\n".encode()
    submission = pipeline.scored(series.hand_in(cast.carol, blue, pack(files)))
    assert (submission.state, submission.problems) == ("scored", [])
    target = series.publish(contest)["Blue"]
    said = f"id,value\n{gone['patient']},plague\n".encode()
    guess = pipeline.scored(pipeline.guess(cast.alice, red, target, said))
    assert guess.state == "rejected"
    assert gone["disease"] not in json.dumps(guess.problems)


def everybody_else() -> bytes:
    """The hospital's tables, in which everybody has a value that nobody else has."""
    tables = unpack(factories.hospital_tables(), "T", file="t")["T"]
    changed = {}
    for time, data in tables.items():
        header, *lines = data.decode().splitlines()
        cells = [line.split(",") for line in lines]
        lines = [",".join([*line[:-1], f"illness-{line[0]}"]) for line in cells]
        changed[f"T{time}.csv"] = "\n".join([header, *lines, ""]).encode()
    return pack(changed)


# What is on record


def test_no_event_and_no_row_names_people_values_or_parts(attacked):
    guessed(attacked, series.guess_file(series.values_of(attacked.blue)))
    guessed(attacked, b"id,value\nnobody,flu\n")
    rows = [*Event.objects.all(), *Submission.objects.all(), *Release.objects.all()]
    told = serializers.serialize("json", rows)
    told += json.dumps(list(Evaluation.objects.values_list("values", "input_hashes", "seed")))
    people = {**series.values_of(attacked.red), **series.values_of(attacked.blue)}
    assert [id_ for id_ in people if id_ in told] == []
    assert [value for value in DISEASES if value in told] == []
    drawn = Event.objects.filter(kind="table.drawn")
    assert {key for event in drawn for key in event.data} == {"sha256", "draw_sha256", "n_records"}
    sealed = [f.path for f in StoredFile.objects.filter(area="sealed")]
    assert [path for path in sealed if path in told] == []
    assert (settings.PRIVATE_ROOT / sealed[0]).exists()
