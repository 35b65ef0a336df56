# SPDX-License-Identifier: Apache-2.0
"""The steps that prepare a table: each by itself, as a list of data, in short, and proposed."""

from __future__ import annotations

import json
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets.raw_hospital import raw_hospital
from scoring.errors import ProblemsFound
from scoring.tables import steps as run
from scoring.tables.coded import csv_bytes
from scoring.tables.exposure import exposure, found_by, proposed_cross
from scoring.tables.preparing import STEPS, Report, Steps, applied, drawn_seed, tried
from scoring.tables.previews import preview
from scoring.tables.proposing import proposed_steps
from scoring.tables.raw_files import Reading, read_raw
from scoring.tables.step_settings import add_settings
from scoring.tables.suggestion import suggest_schema

RAW = (
    "id,born,sex,cost,weight\n"
    'a1,1980/3/9,M,"1,200",60.25\n'
    'a2,1991/12/31,,"¥2,500",NA\n'
    "a3,昭和32年3月9日,F,△300,71.135\n"
    "a4,?,F,12％,-\n"
)


@pytest.fixture
def table():
    return read_raw(RAW.encode()).table


def cells(done, name):
    return done.table[name].tolist()


def code(call, *args, **values):
    with pytest.raises(ProblemsFound) as found:
        call(*args, **values)
    return [problem.code for problem in found.value.problems]


def test_numbers_become_plain_and_what_is_none_is_counted(table):
    done = run.numbers(table, ["cost", "sex"])
    assert cells(done, "cost") == ["1200", "2500", "-300", "12"]
    assert (done.n, done.unit, done.left) == (4, run.CELLS, 3)
    assert cells(done, "sex") == table["sex"].tolist()
    assert {(e.before, e.after) for e in done.examples} >= {("1,200", "1200"), ("△300", "-300")}


@pytest.mark.parametrize(
    ("cell", "decimal", "plain"),
    [
        ("1.234.567,8", ",", "1234567.8"),
        ("1 234", ".", "1234"),
        ("１，２３４．５", ".", "1234.5"),
        ("1.5e3", ".", "1500"),
        ("$12.50", ".", "12.50"),
        ("+7", ".", "7"),
        ("-¥5", ".", "-5"),
        ("1,2,3", ".", None),
        ("12,34", ".", None),
        ("1.2.3", ".", None),
        ("2025-04-01", ".", None),
        ("", ".", None),
        ("-", ".", None),
        ("²", ".", None),
    ],
)
def test_a_number_with_signs_is_the_number_or_none(cell, decimal, plain):
    assert run.plain_number_of(cell, decimal) == plain


@given(st.integers(-(10**12), 10**12), st.integers(0, 9999))
def test_a_plain_number_stays_and_a_grouped_one_has_its_value(whole, fraction):
    plain = f"{whole}.{fraction:04}"
    assert run.plain_number_of(plain) == plain
    assert run.plain_number_of(f"{whole:,}.{fraction:04}") == plain


@pytest.mark.parametrize(
    ("cell", "decimals", "after"),
    [
        ("2.675", 2, "2.68"),
        ("-2.675", 2, "-2.68"),
        ("0.5", 0, "1"),
        ("-0.4", 0, "0"),
        ("1.50", 2, "1.5"),
        ("100", 0, "100"),
        ("9.999", 2, "10"),
        ("x.999", 1, "x.999"),
    ],
)
def test_halves_are_rounded_away_from_zero(cell, decimals, after):
    raw = read_raw(f"a,b\n{cell},1\n".encode()).table
    assert cells(run.rounded(raw, ["a"], decimals), "a") == [after]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.integers(0, 7))
def test_rounding_is_that_of_decimal_arithmetic(number, decimals):
    cell = f"{number:f}"
    exact = number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    raw = read_raw(f"a,b\n{cell},1\n".encode()).table
    text = cells(run.rounded(raw, ["a"], decimals), "a")[0]
    assert Decimal(text) == exact
    assert not text.startswith("-0") or exact != 0
    assert "." not in text or not text.endswith("0")


def test_records_with_missing_values_are_dropped(table):
    done = run.missing(table, ["weight"], "drop")
    assert cells(done, "id") == ["a1", "a3"]
    assert (done.n, done.unit) == (2, run.RECORDS)
    assert {(e.before, e.n) for e in done.examples} == {("NA", 1), ("-", 1)}


def test_missing_values_become_a_category_or_a_value(table):
    assert cells(run.missing(table, ["sex"], "category", label="不明"), "sex") == [
        "M",
        "不明",
        "F",
        "F",
    ]
    assert cells(run.missing(table, ["sex"], "most-frequent"), "sex") == ["M", "F", "F", "F"]
    assert cells(run.missing(table, ["weight"], "median"), "weight")[1] == "60.25"
    assert cells(run.missing(table, ["weight"], "mean"), "weight")[3] == "65.693"
    assert cells(run.missing(table, ["weight"], "empty"), "weight")[1] == ""
    own = run.missing(table, ["sex"], "category", signs=["M"], label="x")
    assert (cells(own, "sex"), own.n) == (["x", "x", "F", "F"], 2)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"do": "missing", "columns": ["born"], "how": "median"}, "step.not_numbers"),
        ({"do": "missing", "how": "drop", "signs": ["M", "F", "NA", "-"]}, "step.no_records"),
        (
            {"do": "missing", "columns": ["sex"], "how": "mean", "signs": ["M", "F"]},
            "step.no_value",
        ),
        ({"do": "drop", "columns": ["id", "born", "sex", "cost", "weight"]}, "step.no_columns"),
        ({"do": "drop", "columns": ["name"]}, "step.unknown_column"),
        ({"do": "rename", "column": "id", "name": "sex"}, "step.name_taken"),
        ({"do": "dates", "columns": ["born"], "to": "age"}, "step.missing_key"),
        ({"do": "sample", "records": 2}, "step.missing_key"),
    ],
)
def test_a_step_that_the_table_does_not_allow_is_named_by_its_number(table, step, expected):
    first = {"do": "rename", "column": "weight", "name": "weight"}
    with pytest.raises(ProblemsFound) as found:
        applied(table, [first, step])
    problem = found.value.problems[0]
    assert (problem.code, problem.params["n"]) == (expected, 2)
    assert "step 2" in problem.message


def test_steps_that_do_not_fit_are_left_out_with_all_their_problems(table):
    steps = [
        {"do": "drop", "columns": ["id"]},
        {"do": "round", "columns": ["x", "y", "cost"], "decimals": 1},
        {"do": "rename", "column": "id", "name": "key"},
        {"do": "drop", "columns": ["sex"]},
    ]
    left, found = tried(table, steps)
    assert list(left.columns) == ["born", "cost", "weight"]
    assert [isinstance(one, Report) for one in found] == [True, False, False, True]
    named = [
        (p.code, p.params["n"], p.params["got"])
        for one in found
        if isinstance(one, ProblemsFound)
        for p in one.problems
    ]
    assert named == [("step.unknown_column", n, got) for n, got in ((2, "x"), (2, "y"), (3, "id"))]


def test_dates_become_years_ages_and_classes(table):
    def made(to, **more):
        return cells(run.dates(table, ["born"], to, **more), "born")

    on = date(2026, 3, 8)
    assert made("year") == ["1980", "1991", "1957", "?"]
    assert made("month")[0] == "1980-03"
    assert made("date")[2] == "1957-03-09"
    assert made("age", on=on) == ["45", "34", "68", "?"]
    assert made("age-class", on=on, width=20) == ["40-59", "20-39", "60-79", "?"]
    done = run.dates(table, ["born"], "age", on=date(1980, 1, 1))
    assert (done.n, done.left) == (1, 2)  # two were not born


def test_rare_values_are_merged_and_missing_ones_stay():
    raw = read_raw(
        b"job,sex\n" + b"".join(b"%s,F\n" % job for job in b"a a a b b c d NA other".split())
    )
    done = run.merge_rare(raw.table, ["job", "sex"], 3)
    assert cells(done, "job") == ["a", "a", "a", *["other"] * 4, "NA", "other"]
    assert (done.n, done.unit, cells(done, "sex")) == (4, run.CELLS, ["F"] * 9)
    alone = run.merge_rare(raw.table, ["job"], 2, label="rest")
    assert cells(alone, "job") == ["a", "a", "a", "b", "b", "rest", "rest", "NA", "rest"]
    assert run.merge_rare(read_raw(b"job\na\na\nb\n").table, ["job"], 2).n == 0


def test_a_sample_keeps_the_order_and_depends_on_the_seed_only(table):
    big = read_raw(("a,b\n" + "".join(f"{i},x\n" for i in range(500))).encode()).table
    first, again = run.sample(big, 100, 2**100), run.sample(big, 100, 2**100)
    kept = [int(cell) for cell in first.table["a"]]
    assert kept == sorted(kept)
    assert (len(kept), first.n, first.unit) == (100, 400, run.RECORDS)
    assert first.table.equals(again.table)
    assert not first.table.equals(run.sample(big, 100, 2**100 + 1).table)
    assert len(run.sample(table, 100, 1).table) == 4


def test_a_step_changes_no_frame_that_it_is_given(table):
    before = csv_bytes(table)
    run.numbers(table, ["cost"])
    run.missing(table, ["sex"], "drop")
    run.dates(table, ["born"], "year")
    run.rename(table, "id", "key")
    run.drop(table, ["id"])
    assert csv_bytes(table) == before


# --- lists of steps ---

LIST = Steps(
    Reading(encoding="cp932", separator="tab", header=2),
    (
        {"do": "drop", "columns": ["id"]},
        {"do": "dates", "columns": ["born"], "to": "age", "on": "2026-04-01"},
        {"do": "sample", "records": 3, "seed": "f" * 32},
    ),
)


def test_a_list_is_read_as_it_was_written():
    assert Steps.from_toml(LIST.to_toml()) == LIST
    assert Steps.from_json(json.dumps(LIST.to_dict())) == LIST
    assert LIST.without(2).steps == (LIST.steps[0], LIST.steps[2])
    assert "seed" not in LIST.unseeded().to_toml()
    for number in (0, 4):
        with pytest.raises(IndexError):
            LIST.without(number)


def test_a_seed_is_drawn_where_there_is_none_and_a_small_one_is_refused():
    steps = Steps().and_then([{"do": "sample", "records": 3}])
    seeds = {steps.seeded().steps[0]["seed"] for _ in range(20)}
    assert len(seeds) == 20
    assert LIST.seeded() == LIST
    for seed in ("0" * 31 + "1", "1", "g" * 32, "F" * 32, 7):
        wrong = {"version": 1, "step": [{"do": "sample", "records": 3, "seed": seed}]}
        assert code(Steps.from_dict, wrong) == ["step.wrong_value"]
    assert len(drawn_seed()) == 32


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (None, ["step.version"]),
        ({"version": 2}, ["step.version"]),
        ({"version": True}, ["step.version"]),
        ({"version": 1, "steps": []}, ["toml.unknown_key"]),
        ({"version": 1, "step": "drop"}, ["toml.wrong_value"]),
        ({"version": 1, "step": [{"do": "drop"}] * 201}, ["toml.wrong_value"]),
        ({"version": 1, "step": ["drop"]}, ["step.unknown"]),
        ({"version": 1, "step": [{"do": "shuffle"}]}, ["step.unknown"]),
        ({"version": 1, "step": [{"do": ["drop"]}]}, ["step.unknown"]),
        ({"version": 1, "step": [{"do": "drop", "columns": []}]}, ["step.missing_key"]),
        ({"version": 1, "step": [{"do": "drop", "columns": "a"}]}, ["step.wrong_value"]),
        (
            {"version": 1, "step": [{"do": "round", "columns": ["a"], "decimals": True, "x": 1}]},
            ["step.wrong_value", "step.unknown_key"],
        ),
        (
            {"version": 1, "step": [{"do": "round", "columns": ["a"], "decimals": 10**400}]},
            ["step.wrong_value"],
        ),
        ({"version": 1, "step": [{"do": "missing", "how": "guess"}]}, ["step.wrong_value"]),
        ({"version": 1, "read": []}, ["toml.wrong_value"]),
        ({"version": 1, "read": {"encoding": "rot13"}}, ["toml.wrong_value"]),
        ({"version": 1, "read": {"header": -1}}, ["toml.wrong_value"]),
        ({"version": 1, "read": {"line": 1}}, ["toml.unknown_key"]),
    ],
)
def test_a_wrong_list_is_refused_with_every_problem(data, codes):
    assert code(Steps.from_dict, data) == codes


def test_no_text_is_no_list():
    assert code(Steps.from_toml, "version =") == ["toml.syntax"]
    assert code(Steps.from_json, "{") == ["step.version"]


def test_every_kind_of_step_is_written_in_short():
    texts = [
        "encoding=cp932",
        "header=2",
        "drop=id,name",
        "rename=weight:kg",
        "numbers=cost",
        "round=cost:2",
        "missing=*:category:NA,-:none",
        "dates=born:age:2026-04-01",
        "merge-rare=sex:10:rest",
        "sample=100",
    ]
    steps = add_settings(Steps(), texts)
    assert {step["do"] for step in steps.steps} == set(STEPS)
    assert steps.reading == Reading(encoding="cp932", header=2)
    assert steps.steps[4] == {
        "do": "missing",
        "columns": [],
        "how": "category",
        "signs": ["NA", "-"],
        "label": "none",
    }
    for text in ("shuffle=a", "drop", "=x"):
        assert code(add_settings, Steps(), [text]) == ["step.unknown"]
    assert code(add_settings, Steps(), ["round=a:x"]) == ["step.wrong_value"]


# --- proposals ---


def test_the_proposed_steps_make_a_raw_export_usable():
    data = raw_hospital(3000, seed=1)
    raw = read_raw(data)
    assert str(suggest_schema(csv_bytes(raw.table)).column("医療費").kind) == "category"
    steps = proposed_steps(raw.table, today=date(2026, 6, 1))
    table, reports = applied(raw.table, steps)
    assert [report.step["do"] for report in reports] == [
        "drop",
        "numbers",
        "missing",
        "missing",
        "dates",
        "dates",
        "round",
    ]
    assert all(report.left == 0 for report in reports)
    assert all(report.n for report in reports)
    schema = suggest_schema(csv_bytes(table))
    kinds = {column.name: str(column.kind) for column in schema.columns}
    assert "氏名" not in kinds
    assert "患者番号" not in kinds
    assert (kinds["医療費"], kinds["体重"], kinds["HbA1c"]) == ("integer", "number", "number")
    assert not any("" in (column.values or ()) for column in schema.columns)
    assert proposed_steps(table, today=date(2026, 6, 1)) == []


def test_the_age_is_that_of_the_last_date_of_the_table():
    raw = read_raw(b"dob,seen\n" + b"1980-01-01,2024-05-06\n1990-02-02,2023-01-01\n" * 4)
    steps = proposed_steps(raw.table, today=date(2026, 6, 1))
    assert [(s["columns"], s["to"], s.get("on")) for s in steps] == [
        (["dob"], "age-class", "2024-05-06"),
        (["seen"], "year", None),
    ]
    alone = read_raw(b"dob,x\n" + b"1980-01-01,a\n1990-02-02,b\n" * 4)
    assert proposed_steps(alone.table, today=date(2026, 6, 1))[0]["on"] == "2026-06-01"


def test_nothing_is_proposed_for_a_table_that_needs_nothing():
    raw = read_raw(b"age,zip,income\n30,007,1.5\n40,008,2.25\n30,007,1.5\n")
    assert proposed_steps(raw.table, today=date(2026, 6, 1)) == []


# --- exposure ---


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40))
def test_classes_are_those_that_counting_finds(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    found = exposure(columns, columns[:2], len(rows))
    counts = [rows.count(row) for row in set(rows)]
    assert (found.n_classes, found.n_unique) == (len(counts), counts.count(1))
    assert found.smallest == min(counts)
    assert found.n_cells == len({r[0] for r in rows}) * len({r[1] for r in rows})
    assert found.n_filled == len({r[:2] for r in rows})


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=30))
def test_the_records_that_a_column_finds_are_those_that_counting_finds(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]

    def n_unique(some):
        return int(exposure(some, [], len(rows)).n_unique)

    found = found_by(columns, len(rows))
    assert [one.n_alone for one in found] == [n_unique([column]) for column in columns]
    assert [one.n_without for one in found] == [
        n_unique(columns[:at] + columns[at + 1 :]) for at in range(len(columns))
    ]
    assert found_by([], len(rows)) == []


def test_previews_guess_the_roles_that_the_suggestion_does():
    raw = read_raw(raw_hospital(400, seed=2))
    table, _reports = applied(raw.table, proposed_steps(raw.table, today=date(2026, 6, 1)))
    roles = {column.name: column.role for column in suggest_schema(csv_bytes(table)).columns}
    assert {column.name: column.role for column in preview(table)} == roles


def test_no_column_makes_one_class_of_all():
    found = exposure([], [], 7)
    assert (found.n_classes, found.n_unique, found.smallest, found.n_cells) == (1, 0, 7, 1)


def test_cross_columns_are_those_with_few_values():
    assert proposed_cross([], 10, 3) == []
    assert proposed_cross([500], 10, 3) == [0]
    assert proposed_cross([2, 3, 4, 5], 1000, 3) == [0, 1, 2]
    assert proposed_cross([47, 2, 15, 101], 4406, 3) == [0, 1, 2]
    assert proposed_cross([47, 2, 101, 151], 4406, 3) == [0, 1]
