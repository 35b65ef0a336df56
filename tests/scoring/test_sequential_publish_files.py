# SPDX-License-Identifier: Apache-2.0
"""Files of sequential releases, what is refused in them, the check of releases, and the command."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from scoring.cli import main as cli
from scoring.cli.sequential import command as cli_sequential
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import MAX_REPORTED, Collector, ProblemsFound
from scoring.formats.sequential import (
    drafts,
    examples,
    files,
    improved,
    last,
    publishing,
    release_files,
)
from scoring.formats.sequential.checking import check
from scoring.formats.sequential.examples import (
    PATIENTS,
    SCHEMA,
    SMALL,
    TABLE_1,
    TABLE_2,
    TABLE_10,
    TABLE_11,
)
from scoring.formats.sequential.guesses import GUESSERS
from scoring.formats.sequential.loss import losses
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.risk import Definition
from scoring.formats.sequential.series import M_INVARIANCE, M_UNIQUE
from scoring.formats.sequential.tables import Release
from scoring.kernels.matching import match
from scoring.rulesets.loader_sequential import DEFINITIONS, REQUIRED
from scoring.tables.reading import write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import sequential_tables as printed

HEADER = "name,age,zip,disease"
BOXES = "group,age_low,age_high,zip_low,zip_high,disease"


def csv(header: str, *rows: object) -> bytes:
    lines = [",".join(map(str, row)) if isinstance(row, tuple) else str(row) for row in rows]
    return "\n".join([header, *lines, ""]).encode()


def found(caught: pytest.ExceptionInfo[ProblemsFound]) -> list[tuple[object, ...]]:
    return [(p.code, p.file, p.row, p.column) for p in caught.value.problems]


# Tables


def test_tables_are_read_as_the_examples_stand():
    read = files.read_microdata([csv(HEADER, *TABLE_1), csv(HEADER, *TABLE_2)], SCHEMA)
    assert (read.ids, read.sensitive_values) == (PATIENTS.ids, PATIENTS.sensitive_values)
    for one, two in zip(read.snapshots, PATIENTS.snapshots, strict=True):
        assert np.array_equal(one.ids, two.ids)
        assert np.array_equal(one.qi, two.qi)
        assert np.array_equal(one.sensitive, two.sensitive)


def test_categories_have_the_order_of_the_schema():
    columns = (
        Column("id", Role.IDENTIFIER, Kind.INTEGER),
        Column("degree", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("none", "BA", "MA")),
        Column("note", Role.OTHER, Kind.CATEGORY),
        Column("pay", Role.SENSITIVE, Kind.CATEGORY, values=("low", "high")),
    )
    data = csv("id,degree,note,pay", (7, "MA", "x", "high"), (3, "none", "y", "high"))
    read = files.read_microdata([data], Schema(columns))
    assert (read.ids, read.sensitive_values) == (("7", "3"), ("low", "high"))
    assert read.snapshots[0].qi.tolist() == [[2.0], [0.0]]
    assert read.snapshots[0].sensitive.tolist() == [1, 1]


def test_all_that_is_wrong_with_tables_is_said_together():
    first = csv(HEADER, ("Bob", 21, 1, "flu"), ("Eve", 30, 2, "flu"), ("Bob", 40, 3, "flu"))
    second = csv(HEADER, ("Ann", 21, 1, "flu"))
    third = csv(HEADER, ("Eve", 30, 2, "flu"), ("Ann", 21, 1, "gastritis"))
    with pytest.raises(ProblemsFound) as caught:
        files.read_microdata([first, second, third], SCHEMA)
    assert found(caught) == [
        ("sequential.repeated_id", "T1", 3, "name"),
        ("sequential.returned", "T3", 1, "name"),
        ("sequential.changed_value", "T3", 2, "disease"),
    ]
    params = [problem.params for problem in caught.value.problems]
    assert params[0] == {"first": 1, "got": "Bob"}
    assert params[1] == {"last": "T1", "got": "Eve"}
    assert params[2] == {"first": "T2", "expected": "flu", "got": "gastritis"}


def test_problems_of_several_files_are_said_together():
    broken = csv(HEADER, ("Bob", "old", 1, "flu"))
    with pytest.raises(ProblemsFound) as caught:
        files.read_microdata([broken, csv(HEADER, *TABLE_1), broken], SCHEMA)
    assert found(caught) == [(("cell.not_a_number"), f"T{i}", 1, "age") for i in (1, 3)]


def test_a_schema_that_does_not_fit_is_refused():
    columns = (
        Column("class", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("pay", Role.SENSITIVE, Kind.INTEGER),
        Column("debt", Role.SENSITIVE, Kind.CATEGORY),
    )
    with pytest.raises(ProblemsFound) as caught:
        files.read_microdata([], Schema(columns))
    told = [problem.params["expected"] for problem in caught.value.problems]
    assert told == [
        "one identifier",
        "one sensitive column",
        "the values of a category in their order",
        "a sensitive category",
    ]


@pytest.mark.parametrize("name", ["group", "last", "age_high"])
def test_a_sensitive_column_is_called_as_no_other_column_of_a_release(name):
    """Else every release of the tables would have two columns of one name, and none could be read."""
    *others, sensitive = SCHEMA.columns
    with pytest.raises(ProblemsFound) as caught:
        files.read_microdata([], Schema((*others, replace(sensitive, name=name))))
    assert found(caught) == [("sequential.sensitive_name", "schema", None, name)]


# Releases


@pytest.mark.parametrize("table", [printed.T12, printed.T15, printed.T16])
def test_a_release_comes_back_from_its_file_without_secrets(table):
    read = release_files.read_release(release_files.write_release(table, SMALL), SMALL, file="R1")
    for name in ("group", "low", "high", "sensitive", "last"):
        assert np.array_equal(getattr(read, name), getattr(table, name)), name
    assert (read.owner, dict(read.counterfeits)) == (None, {})


def test_counterfeits_come_back_from_their_file():
    data = release_files.write_counterfeits(printed.T9)
    expected = {1: 1, 2: 0, 3: 0, 4: 0, 5: 1, 6: 0}
    assert release_files.read_counterfeits(data, printed.T9, file="C2") == expected


def test_what_is_wrong_with_regions_is_said_together():
    rows = [(1, 21, 20, 10, 12, "flu"), (1, 21, 20, 10, 13, "gastritis"), (2, 1, 2, 3, 4, "flu")]
    with pytest.raises(ProblemsFound) as caught:
        release_files.read_release(csv(BOXES, *rows), PATIENTS, file="R1")
    assert found(caught) == [
        ("release.box", "R1", 1, "age_low"),
        ("release.box", "R1", 2, "age_low"),
        ("release.other_box", "R1", 2, "zip_high"),
    ]


def test_very_many_wrong_regions_are_counted_and_a_few_are_reported(monkeypatch):
    made = []
    add = Collector.add
    monkeypatch.setattr(Collector, "add", lambda *a, **k: (made.append(a), add(*a, **k)))
    n = 3_000
    data = csv(BOXES, (1, 0, 1, 0, 1, "flu"), *["1,20,1,10,1,flu"] * n)
    with pytest.raises(ProblemsFound) as caught:
        release_files.read_release(data, PATIENTS, file="R1")
    assert caught.value.n_total == 4 * n
    assert len(made) <= 3 * MAX_REPORTED
    assert found(caught)[:2] == [
        ("release.box", "R1", 2, "age_low"),
        ("release.box", "R1", 2, "zip_low"),
    ]


@pytest.mark.parametrize(("read", "header"), [("counterfeits", "group,count"), ("notice", "group")])
def test_files_of_far_more_lines_than_groups_are_not_read_to_their_end(read, header):
    line = ",".join(["1"] * len(header.split(",")))
    reader = getattr(release_files, f"read_{read}")
    for n, code in ((1_012, "release.repeated_group"), (1_013, "file.too_many_records")):
        with pytest.raises(ProblemsFound) as caught:
            reader(csv(header, *[line] * n), printed.T9, file="X2")
        assert {problem.code for problem in caught.value.problems} == {code}


def test_a_group_has_one_group_before():
    header = BOXES.replace("group", "group,last")
    rows = [(1, 4, 1, 2, 3, 4, "flu"), (1, 0, 1, 2, 3, 4, "gastritis")]
    with pytest.raises(ProblemsFound) as caught:
        release_files.read_release(csv(header, *rows), PATIENTS, file="R2")
    assert found(caught) == [("release.other_last", "R2", 2, "last")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("table", [printed.T12, printed.T15])
def test_names_of_columns_may_be_quoted(table, end):
    header, *lines = release_files.write_release(table, SMALL).decode().splitlines()
    quoted = ",".join(f'"{name}"' for name in header.split(","))
    data = "".join(line + end for line in (quoted, *lines)).encode()
    read = release_files.read_release(b"\xef\xbb\xbf" + data, SMALL, file="R2")
    assert np.array_equal(read.last, table.last)


def test_counterfeits_fit_their_release():
    with pytest.raises(ProblemsFound) as caught:
        release_files.read_counterfeits(
            csv("group,count", "9,1", "1,3", "1,0"), printed.T9, file="C2"
        )
    assert found(caught) == [
        ("release.unknown_group", "C2", 1, "group"),
        ("release.repeated_group", "C2", 3, "group"),
        ("release.too_many_counterfeits", "C2", 2, "count"),
    ]


def test_numbers_of_groups_may_be_large():
    """A number is a name: nothing is as large as it."""
    number = 999_999_999_999_999
    data = csv(BOXES, *[(number, 21, 22, 12000, 14000, value) for value in ("flu", "gastritis")])
    release = release_files.read_release(data, PATIENTS, file="R1")
    counterfeits = release_files.read_counterfeits(
        csv("group,count", f"{number},2"), release, file="C1"
    )
    assert counterfeits == {number: 2}
    with pytest.raises(ProblemsFound) as caught:
        release_files.read_counterfeits(csv("group,count", f"{number},3"), release, file="C1")
    assert found(caught) == [("release.too_many_counterfeits", "C1", 1, "count")]


# The check


def holds(*releases, microdata=PATIENTS, m=2, tampered=()) -> tuple[bool, bool, bool]:
    done = check(microdata, releases, m, tampered=tampered)
    return done.is_generalization, done.is_m_unique, done.is_m_invariant


def test_tables_3_and_9_are_2_invariant_and_3_and_4_are_not():
    assert holds(printed.T3, printed.T9) == (True, True, True)
    assert holds(printed.T3, printed.T4) == (True, True, False)
    assert holds(printed.T3, printed.T9, m=3) == (True, False, False)


def test_who_breaks_the_signature_is_named():
    done = check(PATIENTS, [printed.T3, printed.T4], 2)
    told = [(p.code, p.file, p.row, p.params["id"]) for p in done.problems]
    assert told == [
        ("release.signature", "T1", 1, "Bob"),
        ("release.signature", "T1", 4, "David"),
        ("release.signature", "T2", 1, "Bob"),
        ("release.signature", "T2", 2, "David"),
    ]


def test_table_9_as_printed_has_no_row_for_bob():
    done = check(PATIENTS, [printed.T3, printed.T9_AS_PRINTED], 2)
    assert not done.is_generalization
    assert done.problems[0].code == "release.no_row"
    assert done.problems[0].params == {"id": "Bob"}


def test_table_16_is_a_generalization_with_its_notice_only():
    nothing, first = np.zeros(0, np.int64), np.array([1])
    releases = (printed.T12, printed.T16)
    assert holds(*releases, microdata=SMALL) == (False, True, False)
    assert holds(*releases, microdata=SMALL, tampered=(nothing, first)) == (True, True, True)


@every(seed=range(60))
def test_the_matching_is_as_large_as_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    n_tuples, n_rows = rng.integers(1, 30, 2)
    graph = csr_array(rng.random((n_tuples, n_rows)) < rng.uniform(0.02, 0.3))
    row_of, tuple_of = np.empty(n_tuples, np.int64), np.empty(n_rows, np.int64)
    match(graph.indptr.astype(np.int64), graph.indices.astype(np.int64), row_of, tuple_of)
    matched = np.flatnonzero(row_of >= 0)
    assert len(matched) == (maximum_bipartite_matching(graph, perm_type="column") >= 0).sum()
    assert graph.toarray()[matched, row_of[matched]].all()
    assert tuple_of[row_of[matched]].tolist() == matched.tolist()
    assert (tuple_of >= 0).sum() == len(matched)


def test_a_repeated_value_and_a_small_group_are_found():
    rows = [(1, 21, 22, 12000, 14000, "flu")] * 2 + [(2, 1, 2, 3, 4, "flu")]
    tables = files.read_microdata([csv(HEADER, ("Al", 21, 12000, "flu"))], SCHEMA)
    release = release_files.read_release(csv(BOXES, *rows), tables, file="R1")
    done = check(tables, [release], 2)
    assert [(p.code, p.row, p.params["group"]) for p in done.problems] == [
        ("release.repeated_value", 2, 1),
        ("release.small_group", 3, 2),
    ]
    assert (done.is_generalization, done.is_m_unique, done.is_m_invariant) == (True, False, False)


def test_very_many_small_groups_are_found_in_one_look():
    n = 400_000
    box = np.zeros((n, 2))
    numbers = np.arange(n, 0, -1)
    release = Release(numbers, box, box, np.zeros(n, np.int64), None, {}, None)
    table = files.read_microdata([csv(HEADER, ("Al", 0, 0, "flu"))], SCHEMA)
    before = time.process_time()
    done = check(table, [release], 2, invariance=False)
    assert time.process_time() - before < 20
    assert done.n_problems == n
    first = done.problems[0]
    assert (first.code, first.row, first.params["group"]) == ("release.small_group", n, 1)


def test_a_missing_release_is_refused():
    with pytest.raises(ProblemsFound) as caught:
        check(PATIENTS, [printed.T3], 2)
    assert found(caught) == [("sequential.missing_release", None, None, None)]


def test_no_check_fails_for_what_is_published():
    tables = [write_table(table, HOSPITAL_SCHEMA) for table in hospital(300, 3, seed=2)]
    microdata = files.read_microdata(tables, HOSPITAL_SCHEMA)
    for method in ("m-invariance", "last", "improved"):
        done = publish(microdata, Options(3, method))
        read = [
            release_files.read_release(
                release_files.write_release(release, microdata), microdata, file="R"
            )
            for release in done.releases
        ]
        assert holds(*read, microdata=done.microdata, m=3, tampered=done.tampered) == (True,) * 3


# The loss


def test_the_loss_of_table_16_is_computed_manually():
    """Ranges 3 and 13,000; Bob's region is 1 by 2,000, Emily's and David's 2 by 11,000."""
    done = publish(SMALL, Options(2, "improved", widths=(1, 2000)))
    loss = losses(done)[1]
    expected = ((1 / 3 + 2 / 13) + 2 * (2 / 3 + 11 / 13)) / 6
    assert loss.extent == pytest.approx(expected)
    counts = (loss.n_records, loss.n_groups, loss.n_counterfeits, loss.n_deleted)
    assert counts == (3, 2, 1, 0)
    assert (loss.n_tampered, loss.n_displaced) == (
        1,
        1,
    )  # Emily is outside of the region that was cut


# The hospital


def test_the_hospital_is_the_same_for_a_seed_and_patients_do_not_change():
    one, two = hospital(200, 4, seed=5), hospital(200, 4, seed=5)
    assert all(a.equals(b) for a, b in zip(one, two, strict=True))
    tables = [write_table(table, HOSPITAL_SCHEMA) for table in one]
    read = files.read_microdata(tables, HOSPITAL_SCHEMA)  # refuses who comes back
    qi = np.full((len(read.ids), 2), np.nan)
    for snapshot in read.snapshots:
        known = ~np.isnan(qi[snapshot.ids, 0])
        assert (qi[snapshot.ids][known] == snapshot.qi[known]).all()
        qi[snapshot.ids] = snapshot.qi


@pytest.mark.parametrize("numbers", [(0, 1, 0), (100_001, 1, 0), (1, 0, 0), (1, 21, 0), (1, 1, -1)])
def test_numbers_out_of_range_are_refused(numbers):
    n_records, n_releases, seed = numbers
    with pytest.raises(ValueError, match="expected"):
        hospital(n_records, n_releases, seed=seed)


# The command


def test_the_command_knows_the_choices_of_the_library():
    assert cli_sequential.METHODS == publishing.METHODS
    assert tuple(GUESSERS) == cli_sequential.ATTACKS
    assert tuple(Definition) == cli_sequential.DEFINITIONS
    assert cli_sequential.REQUIREMENTS == REQUIRED == (M_UNIQUE, M_INVARIANCE)
    assert set(DEFINITIONS) < set(Definition)
    assert tuple(examples.EXAMPLES) == cli_sequential.EXAMPLES
    for own, library in (
        (cli_sequential.SIDES, drafts.Side),
        (cli_sequential.WHERE, last.Where),
        (cli_sequential.RULES, improved.Rule),
    ):
        assert set(own) == set(get_args(library))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The small example's tables and schema, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    (tmp_path / "T1.csv").write_bytes(csv(HEADER, *TABLE_10))
    (tmp_path / "T2.csv").write_bytes(csv(HEADER, *TABLE_11))
    return tmp_path


def run(line: str, capsys) -> tuple[int, dict]:
    status = cli.main(["sequential", *line.split(), "--json"])
    return status, json.loads(capsys.readouterr().out)


TABLES = "--m 2 --schema S.toml --tables T1.csv T2.csv"


def test_publish_writes_releases_that_check_accepts(folder, capsys):
    status, told = run(f"publish {TABLES} --widths 1,2000 --side above --out O", capsys)
    assert (status, told["files"]) == (0, ["C1.csv", "C2.csv", "R1.csv", "R2.csv"])
    assert [release["n_counterfeits"] for release in told["releases"]] == [0, 1]
    assert (folder / "O/R2.csv").read_text(encoding="utf-8").splitlines() == [
        BOXES,
        "1,21,22,12000,14000,bronchitis",
        "1,21,22,12000,14000,dyspepsia",
        "2,21,23,12000,25000,dyspepsia",
        "2,21,23,12000,25000,gastritis",
    ]
    status, told = run(f"check {TABLES} --releases O/R1.csv O/R2.csv", capsys)
    assert (status, told["m_invariant"], told["problems"]) == (0, True, [])


def test_the_improved_release_needs_its_notice(folder, capsys):
    run(f"publish {TABLES} --method improved --widths 1,2000 --out O --tables-out P", capsys)
    assert (folder / "O/N2.csv").read_text(encoding="utf-8") == "group\n1\n"
    assert (folder / "P/T2.csv").read_bytes() == (folder / "T2.csv").read_bytes()
    line = f"check {TABLES} --releases O/R1.csv O/R2.csv"
    status, told = run(line, capsys)
    assert (status, told["generalization"], told["m_unique"]) == (1, False, True)
    assert run(f"{line} --notice 2=O/N2.csv", capsys)[0] == 0


@pytest.mark.parametrize(
    ("limits", "codes"),
    [
        ("", []),
        ("--max-displaced 0.1 --max-counterfeits 0.2", ["series.too_many_displaced"]),
        ("--max-displaced 0.2 --max-counterfeits 0.1", ["series.too_many_counterfeits"]),
        ("--ruleset sequential-release", []),
        ("--ruleset sequential-release --max-counterfeits 0", ["series.too_many_counterfeits"]),
    ],
)
def test_check_knows_the_limits_of_a_contest(folder, capsys, limits, codes):
    run(f"publish {TABLES} --method improved --widths 1,2000 --out O", capsys)
    line = f"check {TABLES} --releases O/R1.csv O/R2.csv --notice 2=O/N2.csv {limits}"
    status, told = run(line, capsys)
    assert ([problem["code"] for problem in told["problems"]], status) == (codes, int(bool(codes)))


def test_check_takes_limits_of_a_ruleset_about_series_only(folder, capsys):
    run(f"publish {TABLES} --out O", capsys)
    line = f"check {TABLES} --releases O/R1.csv O/R2.csv --ruleset pwscup2015"
    status, told = run(line, capsys)
    assert (status, told["error"]) == (
        2,
        "--ruleset pwscup2015: expected one about a series of tables",
    )


def test_last_stands_next_to_the_group(folder, capsys):
    run(f"publish {TABLES} --method last --where overlaps --out O", capsys)
    lines = (folder / "O/R2.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:2] for line in lines] == [
        ["group", "last"],
        ["1", "1"],
        ["1", "1"],
        ["2", "0"],
        ["2", "0"],
    ]


def test_publish_continues_from_a_release_of_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    status, told = run("example --tables patients --out P", capsys)
    assert (status, told["files"]) == (0, ["R1.csv", "S.toml", "T1.csv", "T2.csv"])
    tables = "--m 2 --schema P/S.toml --tables P/T1.csv P/T2.csv --widths 1,1000"
    status, told = run(f"publish {tables} --before P/R1.csv --out O", capsys)
    assert (status, told["files"]) == (0, ["C1.csv", "C2.csv", "R1.csv", "R2.csv"])
    read = [
        release_files.read_release((tmp_path / path).read_bytes(), PATIENTS, file=path)
        for path in ("P/R1.csv", "O/R2.csv")
    ]
    for release, expected in zip(read, (printed.T3, printed.T9), strict=True):
        rows = np.column_stack([release.group, release.low, release.high, release.sensitive])
        as_printed = [expected.group, expected.low, expected.high, expected.sensitive]
        assert sorted(rows.tolist()) == sorted(np.column_stack(as_printed).tolist())
    assert run(f"publish {tables} --out Q", capsys)[0] == 0
    assert (tmp_path / "Q/R1.csv").read_bytes() != (tmp_path / "O/R1.csv").read_bytes()
    status, told = run(f"publish {tables} --before P/R1.csv P/R1.csv --out N", capsys)
    assert (status, "--before: expected fewer releases" in told["error"]) == (2, True)


def test_the_small_example_has_no_release(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("example --tables small --out B", capsys)[1]["files"] == [
        "S.toml",
        "T1.csv",
        "T2.csv",
    ]
    texts = [(tmp_path / f"B/T{n}.csv").read_bytes() for n in (1, 2)]
    assert files.read_microdata(texts, SCHEMA).ids == SMALL.ids


def test_a_table_that_cannot_be_published_is_rejected(folder, capsys):
    (folder / "T2.csv").write_bytes(csv(HEADER, ("Zoe", 20, 9, "flu"), ("Yan", 21, 9, "flu")))
    status, told = run(f"publish {TABLES} --out O", capsys)
    assert (status, [p["code"] for p in told["problems"]]) == (1, ["sequential.not_eligible"])
    assert not (folder / "O").exists()


@pytest.mark.parametrize(
    "line",
    [
        "publish --m 1 --schema S.toml --tables T1.csv --out O",
        f"publish {TABLES} --widths 1 --out O",
        f"publish {TABLES} --widths 1,0 --out O",
        f"publish {TABLES} --out missing/O",
        f"check {TABLES} --releases T1.csv missing.csv",
        "generate --records 0 --seed 1 --out O",
        "generate --releases 21 --seed 1 --out O",
    ],
)
def test_wrong_use_is_reported(folder, capsys, line):
    status, told = run(line, capsys)
    assert (status, bool(told["error"])) == (2, True)


def test_widths_of_categories_are_whole_numbers(folder, capsys):
    """A release says of a category between which values of its list a region lies, and knows no halves."""
    ages = tuple(map(str, range(20, 30)))
    columns = [
        replace(c, kind=Kind.CATEGORY, values=ages) if c.name == "age" else c
        for c in SCHEMA.columns
    ]
    (folder / "S.toml").write_text(Schema(tuple(columns)).to_toml(), encoding="utf-8")
    status, told = run(f"publish {TABLES} --widths 1.5,2000 --out O", capsys)
    assert status == 2
    assert "whole number" in json.dumps(told)
    assert not (folder / "O").exists()
    assert run(f"publish {TABLES} --widths 1.0,0.5 --out O", capsys)[0] == 0


def test_the_improved_method_has_no_more_attributes_than_corners_can_be_tried(tmp_path, capsys):
    columns = (
        Column("id", Role.IDENTIFIER, Kind.CATEGORY),
        *(Column(f"q{i}", Role.QUASI_IDENTIFIER, Kind.INTEGER) for i in range(13)),
        Column("value", Role.SENSITIVE, Kind.CATEGORY),
    )
    schema, table = tmp_path / "S.toml", tmp_path / "T1.csv"
    schema.write_text(Schema(columns).to_toml(), encoding="utf-8")
    header = ",".join(column.name for column in columns)
    table.write_bytes(csv(header, ("a", *range(13), "x"), ("b", *range(13), "y")))
    line = f"publish --m 2 --schema {schema} --tables {table} --out {tmp_path / 'O'}"
    assert run(f"{line} --method improved", capsys)[0] == 2
    assert run(line, capsys)[0] == 0


@pytest.mark.parametrize("notice", ["3=N.csv", "x=N.csv", "1", "0=N.csv"])
def test_a_notice_names_its_release(folder, capsys, notice):
    run(f"publish {TABLES} --out O", capsys)
    line = f"check {TABLES} --releases O/R1.csv O/R2.csv --notice {notice}"
    assert run(line, capsys)[0] == 2


def test_generate_writes_tables_that_can_be_published(folder, capsys):
    run("generate --records 60 --releases 2 --seed 4 --out H", capsys)
    line = "--m 2 --schema H/S.toml --tables H/T1.csv H/T2.csv"
    status, told = run(f"publish {line} --out O", capsys)
    assert (status, [release["n_records"] for release in told["releases"]]) == (0, [60, 60])
