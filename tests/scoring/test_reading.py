# SPDX-License-Identifier: Apache-2.0
"""Strict reading: every kind of bad file, with code, record and column, and the good ones back."""

from __future__ import annotations

import io
import time
import zipfile

import numpy as np
import pandas as pd
import pytest

from scoring.errors import MAX_REPORTED, ProblemsFound
from scoring.tables.reading import (
    MAX_UNUSABLE,
    read_guess,
    read_rows,
    read_table,
    split_source_row,
    write_guess,
    write_rows,
    write_table,
)
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.text import MAX_CATEGORY
from scoring.tables.validation import read_submission

SCHEMA = Schema(
    (
        Column("id", Role.IDENTIFIER, Kind.CATEGORY),
        Column("region", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("", "北", "east, far")),
        Column("food", Role.SENSITIVE, Kind.INTEGER, min=0, max=1000),
        Column("rate", Role.SENSITIVE, Kind.NUMBER),
        Column("note", Role.OTHER, Kind.CATEGORY),
    ),
)
HEADER = "region,food,rate,note\n"
GOOD = HEADER + '北,10,0.5,a\n"east, far",20.25,-3,"say ""x"""\n,0,-0,=1+1\n'


def problems(call, *arguments, **options):
    with pytest.raises(ProblemsFound) as found:
        call(*arguments, **options)
    return found.value


def found(data: bytes | str, **options):
    data = data.encode() if isinstance(data, str) else data
    error = problems(read_table, data, SCHEMA, file="anonymized", **options)
    assert all(p.file == "anonymized" and str(p) for p in error.problems)
    return [(p.code, p.row, p.column) for p in error.problems]


def test_a_good_table_has_the_schemas_types():
    table = read_table(GOOD.encode(), SCHEMA, file="anonymized")
    assert list(table.columns) == list(SCHEMA.public().names)
    assert table["region"].tolist() == ["北", "east, far", ""]
    assert table["food"].tolist() == [10, 20.25, 0]
    assert table["note"].tolist() == ["a", 'say "x"', "=1+1"]
    assert table["food"].dtype == table["rate"].dtype == np.float64
    assert isinstance(table.index, pd.RangeIndex)
    assert not np.signbit(table["rate"].iloc[2])  # -0 is 0


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.removesuffix("\n").encode(),
        GOOD.replace("北", '"北"').replace("10", '"10"').encode(),
    ],
    ids=["byte order mark", "CRLF", "no final line feed", "quoted"],
)
def test_the_same_table_in_other_clothes(data):
    expected = read_table(GOOD.encode(), SCHEMA, file="anonymized")
    pd.testing.assert_frame_equal(read_table(data, SCHEMA, file="anonymized"), expected)


def test_written_and_read_again_a_table_is_the_same():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "region": rng.choice(["", "北", "east, far"], 500),
            "food": rng.integers(0, 10_000_000, 500) / 10_000,
            "rate": np.append(rng.normal(0, 1e7, 498).round(4), [-0.00001, 1e14]),
            "note": ["line\nfeed", 'quote"', " spaces ", "'", "=1+1"] * 100,
        }
    ).astype({"region": "str", "note": "str"})
    data = write_table(table, SCHEMA)
    assert b"\r" not in data
    assert b",-0," not in data
    expected = table.assign(rate=table["rate"].round(4) + 0)
    pd.testing.assert_frame_equal(read_table(data, SCHEMA, file="anonymized"), expected)
    assert write_table(read_table(data, SCHEMA, file="anonymized"), SCHEMA) == data


def test_an_original_may_hold_identifiers_and_its_integers_are_integers():
    text = "id,region,food,rate,note\np1,北,10,0.5,a\n"
    table = read_table(text.encode(), SCHEMA, file="original", original=True)
    assert table["id"].tolist() == ["p1"]
    assert table["food"].dtype == np.int64
    assert write_table(table, SCHEMA) == text.encode()
    public = read_table(GOOD.replace("20.25", "20").encode(), SCHEMA, file="o", original=True)
    assert list(public.columns) == list(SCHEMA.public().names)
    assert found(GOOD, original=True) == [("cell.not_an_integer", 2, "food")]
    assert found(text) == [("header.unexpected", None, "id")]


def zipped(name: str = "Y.csv") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, GOOD)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "code", "params"),
    [
        (b"", "file.empty", {}),
        (b"\xef\xbb\xbf", "file.empty", {}),
        (b"\n", "header.no_line", {}),
        (HEADER.encode(), "file.header_only", {}),
        (zipped(), "file.known_format", {"got": "ZIP"}),
        (zipped("[Content_Types].xml"), "file.excel", {"got": "xlsx"}),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "file.excel", {"got": "xls"}),
        (GOOD.replace('"east, far"', "east").replace(",", "\t").encode(), "file.tabs", {}),
        (GOOD.replace('"east, far"', "east").replace(",", ";").encode(), "file.semicolons", {}),
        (b'"region";"food";"rate";"note"\n"a";"1";"1";"a"\n', "file.semicolons", {}),
        (b'"region"\t"food"\t"rate"\t"note"\n', "file.tabs", {}),
        (b"\x89PNG\r\n\x1a\n\x00", "file.known_format", {"got": "PNG"}),
        (GOOD.encode() + b"\x00", "file.binary", {"byte": len(GOOD.encode()) + 1}),
        (GOOD.encode("utf-16"), "file.utf16", {}),
        (GOOD.encode("utf-16-le"), "file.utf16", {}),
        (GOOD.encode("utf-16-be"), "file.utf16", {}),
        (HEADER.encode() + "北の国,1,1,".encode("cp932") + b"\x85\x40\n", "file.cp932", {}),
        (GOOD.encode("euc-jp"), "file.not_utf8", {"line": 2, "got": "cb"}),
        (b"a\n" + b"\xff" * 9, "file.not_utf8", {"line": 2, "got": "ff"}),
        (HEADER.encode() + b"caf\xe9,1,1,a\n", "file.not_utf8", {"line": 2, "got": "e9"}),
        (GOOD.replace("\n", "\r").encode(), "file.bare_cr", {"line": 1}),
        ((HEADER + '"北,10,0.5,a\n' * 3).encode(), "file.quote", {"line": 3}),
        ((HEADER + '北,10,0.5,"' + "a\n" * 90_000).encode(), "file.cell_too_long", None),
        ((HEADER + "a" * 1_000_001).encode(), "file.line_too_long", None),
    ],
)
def test_files_that_are_no_csv_text_are_named(data, code, params):
    error = problems(read_table, data, SCHEMA, file="anonymized")
    (problem,) = error.problems
    assert problem.code == code
    assert params is None or dict(problem.params) == params
    assert "—" in str(problem)


def test_wrong_cells_before_a_record_that_cannot_be_read_are_named():
    text = HEADER + '北,x,0.5,a\n北,10,0.5,"a'
    assert found(text) == [("cell.not_a_number", 1, "food"), ("file.quote", None, None)]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("region,food,rate", [("header.missing", None, "note")]),
        ("region,food,rate,note,more", [("header.unexpected", None, "more")]),
        ("food,region,rate,note", [("header.order", None, None)]),
        ("region,food,food,note", [("header.repeated", None, "food")]),
        ("region,,rate,note", [("header.empty_name", None, None)]),
        (
            "Region,food,rate,note",
            [("header.missing", None, "region"), ("header.unexpected", None, "Region")],
        ),
    ],
)
def test_headers(header, expected):
    assert found(header + "\n北,10,0.5,a\n") == expected


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("", "cell.empty"),
        ("abc", "cell.not_a_number"),
        ("+5", "cell.not_a_number"),
        (".5", "cell.not_a_number"),
        ("5.", "cell.not_a_number"),
        ("1-2", "cell.not_a_number"),
        ("--5", "cell.not_a_number"),
        ("0x1F", "cell.not_a_number"),
        ("1_000", "cell.separator"),
        ('"1,000"', "cell.separator"),
        ("1 000.5", "cell.separator"),
        ("nan", "cell.not_finite"),
        ("NaN", "cell.not_finite"),
        ("-inf", "cell.not_finite"),
        ("Infinity", "cell.not_finite"),
        ("1e5", "cell.exponent"),
        ("1.5E-3", "cell.exponent"),
        ("1\u00b2", "cell.not_ascii_digits"),
        ("\u0661", "cell.not_a_number"),
        (" 5", "cell.spaces"),
        ("5 ", "cell.spaces"),
        ('"5\n"', "cell.spaces"),
        ('"5\n6"', "cell.not_a_number"),
        ("1.23456", "cell.too_many_decimals"),
        ("1234567890123456", "cell.too_many_digits"),
    ],
)
def test_what_is_no_number(cell, code):
    assert found(f"{HEADER}北,1,1,a\n北,1,{cell},a\n") == [(code, 2, "rate")]


def test_values_outside_the_domain():
    text = HEADER + "south,-1,1,a\n北,1000.5,1,\n北,1000,1," + "x" * (MAX_CATEGORY + 1) + "\n"
    assert found(text) == [
        ("cell.not_in_values", 1, "region"),
        ("cell.below_minimum", 1, "food"),
        ("cell.above_maximum", 2, "food"),
        ("cell.empty", 2, "note"),
        ("cell.too_long", 3, "note"),
    ]


def test_ragged_records_and_cells_are_reported_together_in_file_order():
    text = HEADER + "北,x,1,a\n北,1\n\n北,1,1,a,b\n北,1,y,a\n"
    assert found(text) == [
        ("cell.not_a_number", 1, "food"),
        ("record.cell_count", 2, None),
        ("record.empty_line", 3, None),
        ("record.cell_count", 4, None),
        ("cell.not_a_number", 5, "rate"),
    ]


def test_a_message_says_where_what_expected_and_got():
    error = problems(read_table, (HEADER + "北,x,1,a\n").encode(), SCHEMA, file="Y.csv")
    assert str(error) == (
        "Y.csv, record 1, column food — not a number — expected digits such as 1234 or -0.5 — "
        "got “x”"
    )


def test_too_many_records_end_the_reading():
    text = HEADER + "北,x,1,a\n" + "北,1,1,a\n" * 99
    assert found(text, max_records=100) == [("cell.not_a_number", 1, "food")]
    assert found(text + "北,y,1,a\n" * 900, max_records=100) == [
        ("cell.not_a_number", 1, "food"),
        ("file.too_many_records", 101, None),
    ]


def test_only_the_first_problems_are_kept_and_all_counted():
    text = HEADER + "北,x,y,\n" * 30_000
    error = problems(read_table, text.encode(), SCHEMA, file="anonymized")
    assert len(error.problems) == MAX_REPORTED
    assert error.n_total == 90_000
    assert [p.row for p in error.problems[:4]] == [1, 1, 1, 2]
    assert [p.row for p in error.problems] == sorted(p.row for p in error.problems)
    assert "89800 more" in str(error)


@pytest.mark.parametrize(
    "data",
    [
        b"," * 20_000_000,
        HEADER.encode() + b"," * 20_000_000,
        HEADER.encode() + b"\n" * 20_000_000,
        HEADER.encode() + b'"' * 20_000_001,
        HEADER.encode() + b'1,1,1,"' + b"x\n" * 10_000_000,
        b"a" * 20_000_000,
        b",".join(b"c%d" % i for i in range(100_000)) + b"\n",
        b"\xff" * 20_000_000,
        b"\r" * 20_000_000,
    ],
    ids=range(9),
)
def test_hostile_files_are_refused_quickly(data):
    start = time.process_time()
    error = problems(read_table, data, SCHEMA, file="anonymized")
    assert error.problems
    assert len(error.problems) <= MAX_REPORTED
    assert error.n_total <= max(MAX_UNUSABLE + 20_001, 100_005)
    problems(read_rows, data, n_original=9, n_records=9)
    problems(read_guess, data, n_original=9, n_records=9)
    problems(split_source_row, data, SCHEMA)
    assert time.process_time() - start < 5


def rows_found(data: str, n_original=5, n_records: int | None = 3):
    error = problems(read_rows, data.encode(), n_original=n_original, n_records=n_records)
    return [(p.code, p.row) for p in error.problems]


def test_row_files():
    for text in ("3\n1\n5\n", "row\n3\n1\n5", "3\r\n1\r\n5\r\n", "\ufeff3\n1\n5\n", "03\n1\n5\n"):
        assert read_rows(text.encode(), n_original=5, n_records=3).tolist() == [2, 0, 4]
    source = np.array([4, 0, 2])
    assert np.array_equal(read_rows(write_rows(source), n_original=5, n_records=3), source)
    assert read_rows(b"2\n", n_original=5, n_records=None).tolist() == [1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("file.no_rows", None)]),
        ("row\n", [("file.no_rows", None)]),
        ("1\n1\n2\n", [("row_number.repeated", 2)]),
        ("0\n1\n2\n", [("row_number.zero", 1)]),
        ("1\n-1\n6\n", [("row_number.negative", 2), ("row_number.too_large", 3)]),
        ("1.0\nx\n 3\n", [("row_number.not_an_integer", i) for i in (1, 2, 3)]),
        ("2\n\u00b9\n3\n", [("row_number.not_an_integer", 2)]),
        ("1\n\n2\n", [("row_number.empty_line", 2)]),
        ("1\n2\n", [("row_number.count", None)]),
        ("1\n2\n3\n\n", [("row_number.count", None)]),
        ("source\n1\n2\n3\n", [("row_number.header", None)]),
        ("9" * 5000 + "\n1\n2\n", [("row_number.too_large", 1)]),
    ],
)  # fmt: skip
def test_bad_row_files(text, expected):
    assert rows_found(text) == expected


def test_a_repeated_row_names_both_places():
    error = problems(read_rows, b"row\n4\n2\n4\n", n_original=5, n_records=3)
    assert [(p.row, dict(p.params)) for p in error.problems] == [(3, {"got": 4, "first": 1})]


def test_guess_files_allow_repeats_and_no_guess():
    for text in ("3\n0\n3\n\n", "row\n3\n\n3\n0\n", "3\n0\n3\n0"):
        assert read_guess(text.encode(), n_original=5, n_records=4)[0] == 2
    assert read_guess(b"3\n\n3\n\n", n_original=5, n_records=4).tolist() == [2, -1, 2, -1]
    guess = np.array([2, -1, 2])
    assert np.array_equal(read_guess(write_guess(guess), n_original=5, n_records=3), guess)
    error = problems(read_guess, b"-1\n6\nx\n", n_original=5, n_records=4)
    assert [(p.code, p.row) for p in error.problems] == [
        ("row_number.count", None),
        ("row_number.negative", 1),
        ("row_number.too_large", 2),
        ("row_number.not_an_integer", 3),
    ]


ORIGINAL = read_table(GOOD.replace("20.25", "20").encode(), SCHEMA, file="o", original=True)


def submitted(anonymized: str, rows: str | None):
    data = None if rows is None else rows.encode()
    return read_submission(anonymized.encode(), data, original=ORIGINAL, schema=SCHEMA)


def test_a_submission_in_two_files_or_one():
    table, source = submitted(GOOD, "3\n1\n2\n")
    assert source.tolist() == [2, 0, 1]
    one = "region,source_row,food,rate,note\n北,3,10,0.5,a\n" + '"east, far",1,20,-3,b\n'
    table, source = submitted(one, None)
    assert source.tolist() == [2, 0]
    assert list(table.columns) == list(SCHEMA.public().names)
    parted, rows = split_source_row(one.encode(), SCHEMA)
    assert parted == write_table(table, SCHEMA)
    assert rows == write_rows(source)


def submission_found(anonymized: str, rows: str | None):
    error = problems(submitted, anonymized, rows)
    return [(p.code, p.file, p.row, p.column) for p in error.problems]


def test_both_files_problems_come_together():
    assert submission_found(GOOD.replace("10", "x"), "1\n1\n2\n") == [
        ("cell.not_a_number", "anonymized", 1, "food"),
        ("row_number.repeated", "rows", 2, None),
    ]
    assert submission_found(GOOD, "1\n2\n") == [("row_number.count", "rows", None, None)]
    assert submission_found(GOOD + "北,1,1,a\n", "1\n2\n3\n4\n") == [
        ("file.too_many_records", "anonymized", 4, None),
        ("file.too_many_records", "rows", None, None),
    ]


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_two_files_in_each_others_place_are_one_problem(start):
    assert submission_found("1\n2\n3\n", start + GOOD) == [("submission.swapped", None, None, None)]
    assert submission_found("1\n2\n3\n", start + GOOD.replace("\n", "\r\n")) == [
        ("submission.swapped", None, None, None)
    ]


def test_problems_of_one_file_are_placed_in_it():
    header = HEADER.strip() + ",source_row\n"
    assert submission_found(header + "北,x,1,a,1\n北,1,1,a,1\n", None) == [
        ("cell.not_a_number", "anonymized", 1, "food"),
        ("row_number.repeated", "anonymized", 2, "source_row"),
    ]
    assert submission_found(header + "北,1,1,a\n", None) == [
        ("record.cell_count", "anonymized", 1, None)
    ]
    assert submission_found(GOOD, None) == [("submission.no_rows", "rows", None, None)]
    assert submission_found(GOOD.replace("10", "x"), None) == [
        ("submission.no_rows", "rows", None, None),
        ("cell.not_a_number", "anonymized", 1, "food"),
    ]
    assert submission_found(HEADER.replace("note", "n"), None) == [
        ("submission.no_rows", "rows", None, None),
        ("header.missing", "anonymized", None, "note"),
        ("header.unexpected", "anonymized", None, "n"),
    ]


def test_hidden_values_are_in_no_message():
    secret = ORIGINAL.assign(note="secret")
    for rows in ("9\n9\n9\n", "1\n1\n1\n", "x\n"):
        error = problems(
            read_submission, GOOD.encode(), rows.encode(), original=secret, schema=SCHEMA
        )
        assert "secret" not in str(error)
