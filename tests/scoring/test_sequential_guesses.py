# SPDX-License-Identifier: Apache-2.0
"""Guesses of sensitive values: the baseline, the attacker who intersects releases, files, and marks."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from scoring.cli import main as cli
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import ProblemsFound
from scoring.formats.sequential.background import background, read_background, read_published
from scoring.formats.sequential.bundles import pack, unpack
from scoring.formats.sequential.examples import PATIENTS
from scoring.formats.sequential.guess_files import read_value_guess, write_value_guess
from scoring.formats.sequential.guesses import (
    ValueMark,
    baseline_guesses,
    intersecting_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.series import of_publication, published
from scoring.formats.sequential.series_files import read_tables
from scoring.tables.reading import write_table
from tests.scoring import sequential_oracles as oracle
from tests.scoring.sequential_tables import T3, T4, T9

VALUES = ("flu", "cold", "angina")
AWAY = replace(T3, low=T3.low + 1e6, high=T3.high + 1e6)


@pytest.fixture(scope="module")
def archive() -> bytes:
    drawn = enumerate(hospital(90, 3, seed=5), start=1)
    return pack({f"T{time}.csv": write_table(table, HOSPITAL_SCHEMA) for time, table in drawn})


def slow_guess(microdata, releases, person, *, intersect) -> str | None:
    """The most frequent value of the first release, or of the last one's rows that are left, by text where equal.

    Of who is in no region of the first release, that of all its rows.
    """
    held = [
        [
            microdata.sensitive_values[value]
            for value in release.sensitive[oracle.rows_of(microdata, release, time, person)]
        ]
        for time, release in enumerate(releases)
        if person in microdata.snapshots[time].ids
    ]
    seen = next(
        release
        for release, snapshot in zip(releases, microdata.snapshots, strict=True)
        if person in snapshot.ids
    )
    everything = [microdata.sensitive_values[value] for value in seen.sensitive]
    first = Counter(held[0] or everything)
    baseline = min(first, key=lambda value: (-first[value], value), default=None)
    if not intersect:
        return baseline
    kept = set.intersection(*map(set, held))
    left = Counter(value for value in held[-1] if value in kept)
    return min(left, key=lambda v: (-left[v], v != baseline, v), default=baseline)


@pytest.mark.parametrize("releases", [(T3, T4), (T3, T9), (AWAY, T4)])
@pytest.mark.parametrize(
    ("guess", "intersect"), [(baseline_guesses, False), (intersecting_guesses, True)]
)
def test_guesses_are_those_of_plain_python(releases, guess, intersect):
    found = values_of(guess(PATIENTS, releases), PATIENTS)
    for person, id_ in enumerate(PATIENTS.ids):
        assert found.get(id_) == slow_guess(PATIENTS, releases, person, intersect=intersect)


@pytest.mark.parametrize(
    ("guess", "intersect"), [(baseline_guesses, False), (intersecting_guesses, True)]
)
def test_guesses_about_a_hospital_are_those_of_plain_python(archive, guess, intersect):
    microdata = read_tables(archive, HOSPITAL_SCHEMA)
    releases = publish(microdata, Options(m=3)).releases
    found = values_of(guess(microdata, releases), microdata)
    for person, id_ in enumerate(microdata.ids):
        assert found.get(id_) == slow_guess(microdata, releases, person, intersect=intersect)


def test_two_releases_that_are_not_m_invariant_give_bob_away():
    baseline, found = (
        values_of(guess(PATIENTS, (T3, T4)), PATIENTS)
        for guess in (baseline_guesses, intersecting_guesses)
    )
    truth = true_values(PATIENTS)
    assert baseline["Bob"] == "bronchitis"
    assert found["Bob"] == truth["Bob"] == "dyspepsia"
    assert found["David"] == truth["David"]
    assert mark_values(truth, baseline, found, m=2).rate > 0


def test_of_who_is_in_no_region_the_most_frequent_value_of_all_is_guessed():
    """Guessing it earns nothing over the baseline, however many a publisher leaves out."""
    counts = Counter(T3.sensitive.tolist())
    code = min(counts, key=lambda value: (-counts[value], PATIENTS.sensitive_values[value]))
    for guess in (baseline_guesses, intersecting_guesses):
        found = values_of(guess(PATIENTS, (AWAY, T4)), PATIENTS)
        assert found["Alice"] == PATIENTS.sensitive_values[code]
        assert set(found) == set(PATIENTS.ids)
    truth = true_values(PATIENTS)
    baseline = values_of(baseline_guesses(PATIENTS, (AWAY, T4)), PATIENTS)
    same = dict.fromkeys(truth, PATIENTS.sensitive_values[code])
    assert mark_values(truth, baseline, same, m=2).rate == 0


def test_a_release_without_rows_gives_no_guess():
    none = np.zeros(0, dtype=np.int64)
    empty = replace(T3, group=none, low=T3.low[:0], high=T3.high[:0], sensitive=none)
    found = values_of(baseline_guesses(PATIENTS, (empty, T4)), PATIENTS)
    first = {PATIENTS.ids[person] for person in PATIENTS.snapshots[0].ids}
    assert set(found) == set(PATIENTS.ids) - first


def test_an_attacker_guesses_at_home_what_the_platform_guesses(archive):
    microdata = read_tables(archive, HOSPITAL_SCHEMA)
    series = of_publication(publish(microdata, Options(m=2)))
    people = read_background(pack(background(archive, HOSPITAL_SCHEMA)), HOSPITAL_SCHEMA)
    home = read_published(pack(published(series)), people)
    for guess in (baseline_guesses, intersecting_guesses):
        there = values_of(guess(microdata, series.releases), microdata)
        assert values_of(guess(home.people, home.releases), home.people) == there


@pytest.mark.parametrize("guess", [baseline_guesses, intersecting_guesses])
def test_the_codes_of_values_change_no_guess(guess):
    codes = np.array([2, 0, 3, 1])
    values = tuple(PATIENTS.sensitive_values[i] for i in np.argsort(codes))
    mixed = replace(PATIENTS, sensitive_values=values)
    releases = [replace(r, sensitive=codes[r.sensitive]) for r in (T3, T4)]
    assert values_of(guess(mixed, releases), mixed) == values_of(
        guess(PATIENTS, (T3, T4)), PATIENTS
    )


# Marks


def test_only_what_is_better_than_the_baseline_counts():
    truth = {"a": "flu", "b": "cold", "c": "flu", "d": "cold"}
    baseline = {"a": "flu", "b": "flu"}
    assert mark_values(truth, baseline, truth, m=2) == ValueMark(4, 4, 1, 0.75)
    assert mark_values(truth, baseline, {}, m=2) == ValueMark(4, 0, 1, 0.0)
    assert mark_values(truth, baseline, {"a": "", "b": "cold"}, m=2) == ValueMark(4, 1, 1, 0.0)
    assert mark_values(truth, {}, {"a": "flu", "b": "flu", "c": "cold"}, m=2) == ValueMark(
        4, 1, 0, 0.25
    )
    assert mark_values(dict.fromkeys("abc", "x"), {}, {"a": "x"}, m=2).rate == 0.333333333


def test_a_mark_needs_people_and_no_others():
    with pytest.raises(ValueError, match="at least one"):
        mark_values({}, {}, {}, m=2)
    with pytest.raises(ValueError, match="'z'"):
        mark_values({"a": "flu"}, {}, {"z": "flu"}, m=2)


# Files


def test_a_guess_comes_back_from_its_file():
    guess = {"Bob": "flu", "a,b": "cold", "Zoë": "angina"}
    assert read_value_guess(write_value_guess(guess), guess, VALUES) == guess


def test_who_is_not_guessed_may_be_missing_or_empty():
    data = b"id,value\r\nBob,flu\r\nAlice,\r\n"
    assert read_value_guess(data, ["Alice", "Bob", "Emily"], VALUES) == {"Bob": "flu"}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Nobody,flu"], [("value_guess.unknown_id", 1, "id")]),
        (
            ["Bob,flu", "Alice,", "Bob,cold", "Alice,flu", "Zed,cold", "Zed,cold"],
            [
                ("value_guess.repeated_id", 3, "id"),
                ("value_guess.repeated_id", 4, "id"),
                ("value_guess.unknown_id", 5, "id"),
                ("value_guess.unknown_id", 6, "id"),
            ],
        ),
        (["Bob,influenza", "Alice,Flu"], [("cell.not_in_values", row, "value") for row in (1, 2)]),
        (["Bob"], [("record.cell_count", 1, None)]),
        (
            ["Zed,flu", "Bob,influenza", "Bob", "Bob,cold", ",flu", "Alice,flu"],
            [
                ("value_guess.unknown_id", 1, "id"),
                ("cell.not_in_values", 2, "value"),
                ("record.cell_count", 3, None),
                ("value_guess.repeated_id", 3, "id"),
                ("value_guess.repeated_id", 4, "id"),
                ("cell.empty", 5, "id"),
            ],
        ),
        (
            ["Zed,flu", 'Bob,"flu'],
            [("value_guess.unknown_id", 1, "id"), ("file.quote", None, None)],
        ),
        ([], [("file.header_only", None, None)]),
    ],
)
def test_what_is_wrong_with_a_guess_is_said(lines, expected):
    data = "\n".join(["id,value", *lines, ""]).encode()
    with pytest.raises(ProblemsFound) as refused:
        read_value_guess(data, {"Alice", "Bob"}, VALUES)
    found = refused.value.problems
    assert [(p.code, p.row, p.column) for p in found] == expected
    assert all(p.message and p.file == "guess" for p in found)


def test_the_values_are_reported_where_one_is_wrong():
    with pytest.raises(ProblemsFound, match="expected flu, cold, angina — got"):
        read_value_guess(b"id,value\nBob,x\n", {"Bob"}, VALUES)


# The command line


@pytest.fixture
def folder(archive, tmp_path, monkeypatch):
    """The schema and the tables, as one archive and one by one, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S.toml").write_text(HOSPITAL_SCHEMA.to_toml(), encoding="utf-8")
    (tmp_path / "tables.zip").write_bytes(archive)
    for time, data in unpack(archive, "T", file="tables")["T"].items():
        (tmp_path / f"T{time}.csv").write_bytes(data)
    return tmp_path


def run(capsys, line: str, status: int = 0) -> dict:
    assert cli.main(["sequential", *line.split(), "--json"]) == status
    return json.loads(capsys.readouterr().out)


ZIP, FILES = "--schema S.toml --tables tables.zip", "--schema S.toml --tables T1.csv T2.csv T3.csv"


@pytest.mark.long
def test_a_series_is_published_scored_attacked_and_marked(folder, capsys):
    told = run(capsys, f"publish --m 2 {ZIP} --zip s.zip --people-out p.zip --out O")
    assert (told["zip"], told["out"]) == ("s.zip", "O")
    files = unpack((folder / "s.zip").read_bytes(), "RCND", file="series")
    assert {f"{k}{n}.csv" for k, found in files.items() for n in found} == set(told["zip_files"])
    assert told["files"] == sorted(path.name for path in (folder / "O").iterdir())
    assert (folder / "O" / "R2.csv").read_bytes() == files["R"][2]
    scores = run(capsys, f"score {ZIP} --series s.zip --m 2")
    assert scores == run(capsys, f"score {FILES} --series s.zip --m 2 --require m-invariance")
    assert scores["n_tuples"] == 270
    other = run(capsys, f"score {ZIP} --series s.zip --m 2 --definition m-invariance")
    assert other["series-extent"] == scores["series-extent"]
    assert other["series-risk-mean"] != scores["series-risk-mean"]
    marks = {}
    for method in ("baseline", "intersection"):
        line = f"guess --schema S.toml --people p.zip --series s.zip --method {method} --out g.csv"
        assert run(capsys, line)["n_records"] == scores["n_people"]
        marks[method] = run(capsys, f"mark {ZIP} --series s.zip --guess g.csv")
    assert marks["baseline"]["rate"] == 0
    assert marks["baseline"]["hits"] == marks["baseline"]["baseline_hits"]
    assert marks["intersection"]["hits"] > marks["baseline"]["hits"]
    assert cli.main(f"sequential score {ZIP} --series s.zip --m 2".split()) == 0
    assert "series-query-error" in capsys.readouterr().out


def test_counterfeits_may_be_left_out_of_the_archive(folder, capsys):
    run(capsys, f"publish --m 2 {ZIP} --zip s.zip --without-counterfeits")
    assert unpack((folder / "s.zip").read_bytes(), "RC", file="series")["C"] == {}
    run(capsys, f"check --m 2 {ZIP} --releases R1.csv R2.csv R3.csv", status=2)


def test_numbers_of_groups_do_not_tell_what_is_left_out_of_the_archive(folder, capsys):
    line = f"publish --m 2 {ZIP} --zip s.zip --method improved --rule overlap"
    orders = []
    for option in ("", "--without-counterfeits"):
        run(capsys, f"{line} {option}")
        releases = unpack((folder / "s.zip").read_bytes(), "RCND", file="series")["R"]
        boxes = [
            [tuple(map(float, row.split(",")[1:5:2])) for row in data.decode().splitlines()[1:]]
            for data in releases.values()
        ]
        orders.append(all(rows == sorted(rows) for rows in boxes))
    assert orders == [False, True]


def test_an_archive_serves_wherever_tables_do(folder, capsys):
    run(capsys, f"publish --m 2 {FILES} --out O")
    releases = "--releases O/R1.csv O/R2.csv O/R3.csv"
    assert run(capsys, f"check --m 2 {ZIP} {releases}")["m_invariant"]
    assert run(capsys, f"risk {ZIP} {releases}") == run(capsys, f"risk {FILES} {releases}")


def test_what_is_rejected_is_listed(folder, capsys):
    run(capsys, f"publish --m 2 {ZIP} --zip s.zip")
    found = run(capsys, f"score {ZIP} --series s.zip --m 4", status=1)
    assert {problem["code"] for problem in found["problems"]} == {"release.small_group"}
    found = run(capsys, "score --schema S.toml --tables s.zip --series s.zip --m 2", status=1)
    assert "bundle.unknown" in {problem["code"] for problem in found["problems"]}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"publish --m 2 {ZIP}", "--out or --zip is needed"),
        (f"publish --m 2 {ZIP} --out O --without-counterfeits", "--without-counterfeits"),
        (f"publish --m 2 {ZIP} --zip tables.zip", "--tables tables.zip reads it"),
        (
            f"score {ZIP} --series s.zip --ruleset pwscup2015",
            "pwscup2015: expected one about a series",
        ),
        (f"score {ZIP} --series s.zip --m 1", "--m: expected at least 2"),
        (
            "guess --schema S.toml --people tables.zip --series s.zip --out s.zip",
            "--series reads it",
        ),
    ],
)
def test_wrong_use_is_refused(folder, capsys, line, told):
    assert told in run(capsys, line, status=2)["error"]
