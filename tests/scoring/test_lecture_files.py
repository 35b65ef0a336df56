# SPDX-License-Identifier: Apache-2.0
"""Aligned tables and guesses of candidates: every problem named, and an oracle in plain Python."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoring.errors import MESSAGES, ProblemsFound
from scoring.formats.lecture import positions_of
from scoring.tables.aligned import read_aligned, read_release, write_aligned
from scoring.tables.number_lists import read_candidate_guess, write_candidate_guess
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

SCHEMA = Schema(
    (
        Column("name", Role.IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.SENSITIVE, Kind.INTEGER, min=0, max=120),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("note", Role.OTHER, Kind.CATEGORY, values=("", "x", "y")),
    )
)
ORIGINAL = pd.DataFrame(
    {
        "name": ["p", "q", "r", "s"],
        "age": [20, 30, 40, 50],
        "city": ["A", "A", "B", "B"],
        "note": ["x", "", "x", "x"],
    }
)
HEADER = "age,city,note\n"


def read(text: str, **changes):
    options = {"original": ORIGINAL, "schema": SCHEMA, "original_values_only": True} | changes
    return read_aligned((HEADER + text).encode(), **options)


def problems(text: str, **changes):
    with pytest.raises(ProblemsFound) as caught:
        read(text, **changes)
    assert caught.value.n_total == len(caught.value.problems)
    return [(p.code, p.row, p.column, dict(p.params)) for p in caught.value.problems]


def attempt(reading: Callable[[], Any]) -> tuple[Any, ProblemsFound | None]:
    """What is read, or the problems."""
    try:
        return reading(), None
    except ProblemsFound as error:
        return None, error


# What is read


@pytest.mark.parametrize("empty", [",,", "", ",", '"","",""', ",,,,"])
def test_a_deleted_record_is_a_line_of_empty_cells(empty):
    table, source = read(f"20,A,x\n{empty}\n50,B,\n{empty}\n")
    assert source.tolist() == [0, 2]
    assert source.dtype == np.int64
    assert table.to_frame().to_dict("list") == {
        "age": [20.0, 50.0],
        "city": ["A", "B"],
        "note": ["x", ""],
    }


@pytest.mark.parametrize("original", [ORIGINAL, Records.of(ORIGINAL, SCHEMA)], ids=type)
def test_the_original_may_be_a_frame_or_records(original):
    assert read("20,A,x\n\n\n\n", original=original)[1].tolist() == [0]
    [(code, *_)] = problems("21,A,x\n\n\n\n", original=original)
    assert code == "aligned.not_in_original"


def test_lines_may_end_with_cr_lf_and_the_last_with_nothing():
    assert read("20,A,x\r\n\r\n\r\n50,B,")[1].tolist() == [0, 3]


def test_a_cell_may_hold_a_line_feed_and_an_empty_line():
    original = ORIGINAL.assign(city=["A", "A\n\nA", "B", "B"])
    table, source = read('20,"A\n\nA",x\n\n40,B,x\n,,\n', original=original)
    assert source.tolist() == [0, 2]
    assert table.to_frame()["city"].tolist() == ["A\n\nA", "B"]


def test_numbers_are_compared_as_numbers_and_values_of_other_rows_are_fine():
    assert read("50.0,B,\n20,A,x\n020,A,x\n-0,A,x\n".replace("-0", "20"))[0].numbers[
        "age"
    ].tolist() == [50, 20, 20, 20]


def test_other_values_are_fine_where_the_rules_allow_them():
    table, _source = read("21.5,C,y\n,,\n,,\n,,\n", original_values_only=False)
    assert table.numbers["age"].tolist() == [21.5]


# What is wrong


def test_all_problems_together_in_the_order_of_the_file():
    text = "20,A\n21,C,y\n,A,x\nforty,,z\n"
    assert problems(text) == [
        ("record.cell_count", 1, None, {"expected": 3, "got": 2}),
        ("aligned.not_in_original", 2, "age", {"got": "21"}),
        ("aligned.not_in_original", 2, "city", {"got": "C"}),
        ("aligned.not_in_original", 2, "note", {"got": "y"}),
        ("aligned.partly_empty", 3, "age", {}),
        ("cell.not_a_number", 4, "age", {"got": "forty"}),
        ("aligned.partly_empty", 4, "city", {}),
        ("cell.not_in_values", 4, "note", {"expected": ", x, y", "got": "z"}),
    ]


def test_rows_count_deleted_records():
    assert problems(",,\n,,\n20,A,x\n20,C,x\n")[0][:3] == ("aligned.not_in_original", 4, "city")


def test_a_message_names_no_value_of_the_original():
    [(code, _row, _column, params)] = problems("20,C,x\n,,\n,,\n,,\n")
    assert MESSAGES[code].format(**params) == (
        "a value that the column does not have in the original table — expected one that occurs "
        "there, for a generalized cell any value of its group — got “C”"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("20,A,x\n,,\n,,\n", [("aligned.count", None, None, {"expected": 4, "got": 3})]),
        ("20,A,x\n,,\n,,\n,,\n\n\n", [("aligned.count", None, None, {"expected": 4, "got": 6})]),
        (",,\n\n,,\n,,\n", [("aligned.all_deleted", None, None, {})]),
        ("", [("file.header_only", None, None, {})]),
        (
            ",,\n\n",
            [
                ("aligned.count", None, None, {"expected": 4, "got": 2}),
                ("aligned.all_deleted", None, None, {}),
            ],
        ),
    ],
)
def test_a_wrong_number_of_lines_or_of_records_is_refused(text, found):
    assert problems(text) == found


def test_a_wrong_number_of_lines_hides_no_other_problem():
    assert [code for code, *_ in problems("20,C,x\n1,A,x\n")] == [
        "aligned.count",
        "aligned.not_in_original",
        "aligned.not_in_original",
    ]


def test_blank_lines_are_refused_where_nothing_may_be_deleted():
    found = problems("20,A,x\n,,\n\n50,B,x\n", blank_records=False)
    assert [(code, row) for code, row, *_ in found] == [
        ("record.empty_line", 2),
        ("record.empty_line", 3),
    ]
    found = problems("20,,x\n30,A,x\n30,A,x\n30,A,x\n", blank_records=False)
    assert [(code, row, column) for code, row, column, _ in found] == [("cell.empty", 1, "city")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "file.empty"),
        (b"\n", "header.no_line"),
        (b"age,note,city\n", "header.order"),
        (b"age,city\n", "header.missing"),
        (b"name,age,city,note\n", "header.unexpected"),
        (b"age,city,note\n20,\x82\xa0\x85\x40\x82\xa0,x\n", "file.cp932"),
        (b'age,city,note\n20,"A,x\n', "file.quote"),
        (b"age,city,note\n20,A\x00,x\n", "file.binary"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused(data, code):
    with pytest.raises(ProblemsFound) as caught:
        read_aligned(data, original=ORIGINAL, schema=SCHEMA, original_values_only=True)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_at_most_200_problems_are_listed_and_all_are_counted():
    original = pd.concat([ORIGINAL] * 100, ignore_index=True)
    with pytest.raises(ProblemsFound) as caught:
        read("19,C,y\n" * 400, original=original)
    assert (len(caught.value.problems), caught.value.n_total) == (200, 1200)


def test_a_release_has_as_many_lines_as_it_has():
    table, lines, n_lines = read_release(f"{HEADER}\n21,C,x\n\n".encode(), schema=SCHEMA)
    assert (len(table), lines.tolist(), n_lines) == (1, [1], 3)
    with pytest.raises(ProblemsFound) as caught:
        read_release(f"{HEADER}\n21,C,x\n\n".encode(), schema=SCHEMA, max_lines=2)
    assert [problem.code for problem in caught.value.problems] == ["file.too_many_records"]


# Oracle and fuzz


def slow_codes(lines: list[list[str]], original: pd.DataFrame) -> set[tuple[int, str | None]]:
    """Where something is wrong, cell by cell."""
    wrong: set[tuple[int, str | None]] = set()
    for row, cells in enumerate(lines[: len(original)], start=1):
        if all(cell == "" for cell in cells):
            continue
        if len(cells) != 3:
            wrong.add((row, None))
            continue
        for name, cell in zip(("age", "city", "note"), cells, strict=True):
            allowed = original[name].tolist()
            if name == "age":
                plain = cell.replace(".", "", 1).isascii() and cell.replace(".", "", 1).isdigit()
                is_fine = plain and cell[0] != "." != cell[-1] and float(cell) in allowed
            else:
                is_fine = cell in allowed and (cell != "" or name == "note")
            if not is_fine:
                wrong.add((row, name))
    return wrong


CELLS = {
    "age": ["20", "30", "50", "20.0", "30.5", "", "x", "40", "2e1", "."],
    "city": ["A", "B", "C", "", 'A"', "A,B"],
    "note": ["x", "", "y", "z"],
}


@every(100, seed=range(400))
def test_what_is_wrong_is_what_plain_python_finds(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    original = ORIGINAL.iloc[rng.integers(0, 4, n)].reset_index(drop=True)
    is_mild = rng.random() < 0.5
    lines: list[list[str]] = []
    for record in original.drop(columns="name").astype(str).to_numpy().tolist():
        cells = list(record)
        if rng.random() < 0.3:
            cells = [""] * 3
        elif not is_mild and rng.random() < 0.6:
            at = int(rng.integers(0, 3))
            cells[at] = str(rng.choice(list(CELLS.values())[at]))
            if rng.random() < 0.1:
                cells = cells[:2]
        lines.append(cells)
    if rng.random() < 0.1:
        lines.append(["20", "A", "x"])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    expected = slow_codes(lines, original)
    kept = [i for i, cells in enumerate(lines[:n]) if any(cells)]
    found, error = attempt(lambda: read(text.getvalue(), original=original))
    if error is not None:
        where = {(p.row, p.column) for p in error.problems if p.row}
        assert where == expected
        whole = {p.code for p in error.problems if not p.row}
        assert ("aligned.count" in whole) == (len(lines) != n)
        assert ("aligned.all_deleted" in whole) == (not kept)
        assert expected or whole
    else:
        table, source = found
        assert not expected
        assert len(lines) == n
        assert source.tolist() == kept
        got = table.to_frame().to_dict("records")
        for cells, record in zip([lines[i] for i in kept], got, strict=True):
            assert [float(cells[0]), *cells[1:]] == list(record.values())


@every(75, seed=range(300))
def test_no_bytes_lead_to_anything_but_a_table_or_problems(seed):
    rng = np.random.default_rng(seed)
    data = bytearray(HEADER.encode() + b"20,A,x\n,,\n\n50,B,\n")
    for _ in range(int(rng.integers(1, 6))):
        at = int(rng.integers(0, len(data)))
        byte = int(rng.choice([*b'\n\r,"0A- ', *rng.integers(0, 256, 3)]))
        data[at : at + int(rng.integers(0, 2))] = bytes([byte])
    for reading in (
        lambda: read_aligned(
            bytes(data), original=ORIGINAL, schema=SCHEMA, original_values_only=bool(seed % 2)
        ),
        lambda: read_release(bytes(data), schema=SCHEMA),
    ):
        found, error = attempt(reading)
        if error is None:
            assert len(found[0]) == len(found[1]) > 0
        else:
            assert error.n_total >= len(error.problems) > 0
            assert all(str(problem) for problem in error.problems)


@every(seed=range(100))
def test_an_aligned_table_that_was_written_reads_back(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    original = ORIGINAL.iloc[rng.integers(0, 4, n)].reset_index(drop=True)
    source = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
    made = original.iloc[rng.permutation(n)[: len(source)]].reset_index(drop=True)
    before = made.copy()
    data = write_aligned(made, positions_of(source, n), SCHEMA)
    assert data.count(b"\n") == n + 1
    table, found = read_aligned(data, original=original, schema=SCHEMA, original_values_only=True)
    assert found.tolist() == source.tolist()
    expected = made[["age", "city", "note"]]
    pd.testing.assert_frame_equal(table.to_frame(), expected, check_dtype=False)
    pd.testing.assert_frame_equal(made, before)
    assert write_aligned(table, positions_of(found, n), SCHEMA) == data


def test_a_table_of_one_column_keeps_its_empty_lines():
    schema = Schema((Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
    data = write_aligned(pd.DataFrame({"city": ["A"]}), np.array([-1, 0]), schema)
    assert data == b'city\n""\nA\n'
    _table, lines, n_lines = read_release(data, schema=schema)
    assert (lines.tolist(), n_lines) == ([1], 2)


@pytest.mark.long
def test_a_large_table_is_read_in_seconds():
    n = 100_000
    rng = np.random.default_rng(1)
    original = pd.DataFrame(
        {
            "age": rng.integers(0, 120, n),
            "city": rng.choice(["A", "B", "C"], n),
            "note": rng.choice(["", "x"], n),
        }
    )
    source = np.sort(rng.choice(n, 90_000, replace=False))
    data = write_aligned(original.iloc[source], positions_of(source, n), SCHEMA)
    begin = time.process_time()
    table, found = read_aligned(data, original=original, schema=SCHEMA, original_values_only=True)
    assert time.process_time() - begin < 5
    assert (len(table), found.tolist()) == (90_000, source.tolist())


# Guesses


def guess_problems(data: bytes, n_candidates: int = 8, n_lines: int = 4):
    with pytest.raises(ProblemsFound) as caught:
        read_candidate_guess(data, n_candidates=n_candidates, n_lines=n_lines)
    return [(p.code, p.row, dict(p.params)) for p in caught.value.problems]


@pytest.mark.parametrize("data", [b"8\n0\n\n8\n", b"8\r\n0\r\n\r\n8", b"row\n8\n0\n\n8\n"])
def test_a_guess_is_read(data):
    guess = read_candidate_guess(data, n_candidates=8, n_lines=4)
    assert guess.tolist() == [7, -1, -1, 7]


def test_all_problems_of_a_guess_together():
    assert guess_problems(b"9\nx\n-1\n1.5\n2\n") == [
        ("candidate.count", None, {"expected": 4, "got": 5}),
        ("candidate.too_large", 1, {"low": 0, "expected": 8, "got": "9"}),
        ("candidate.not_an_integer", 2, {"got": "x"}),
        ("candidate.negative", 3, {"low": 0, "expected": 8, "got": "-1"}),
        ("candidate.not_an_integer", 4, {"got": "1.5"}),
    ]


def test_a_zero_is_a_plain_one():
    assert guess_problems(b"-0\n" * 4)[0] == ("candidate.not_an_integer", 1, {"got": "-0"})


def test_a_guess_has_no_header_of_its_own():
    assert guess_problems(b"candidate\n1\n2\n3\n4\n") == [
        ("candidate.header", None, {"got": "candidate"})
    ]
    assert guess_problems(b"") == [("file.no_rows", None, {})]


@every(seed=range(50))
def test_a_guess_that_was_written_reads_back(seed):
    rng = np.random.default_rng(seed)
    guess = rng.integers(-1, 200, int(rng.integers(1, 150)))
    data = write_candidate_guess(guess)
    assert read_candidate_guess(data, n_candidates=200, n_lines=len(guess)).tolist() == (
        guess.tolist()
    )


@every(50, seed=range(200))
def test_no_bytes_lead_to_anything_but_a_guess_or_problems(seed):
    rng = np.random.default_rng(seed)
    alphabet = list(b'0123456789\n\n\n-., \r"a\x00\xff')
    data = bytes(rng.choice(alphabet, int(rng.integers(0, 14))).tolist())
    guess, error = attempt(lambda: read_candidate_guess(data, n_candidates=8, n_lines=4))
    if error is None:
        assert len(guess) == 4
        assert -1 <= guess.min() <= guess.max() < 8
    else:
        assert error.n_total > 0
        assert all(str(problem) for problem in error.problems)
        assert not any(problem.code.startswith("row_number.") for problem in error.problems)
