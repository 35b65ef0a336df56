# SPDX-License-Identifier: Apache-2.0
"""Tables as plain arrays, to frames and to text, against the plain way of doing it."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pandas as pd
import pytest

import scoring.kernels.csv_writing as kernel  # loads numba: from here on, compiled code is always used
from scoring.tables import number_lists, ordinary_files, writing
from scoring.tables.reading import read_records, read_table, write_rows, write_table
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("place", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("北", "", "east, far")),
        Column("food", Role.SENSITIVE, Kind.INTEGER),
        Column("note", Role.OTHER, Kind.CATEGORY),
        Column("rate", Role.SENSITIVE, Kind.NUMBER),
    )
)
DATA = 'place,food,note,rate\n"east, far",3,b,0.5\n北,-2,a,-0\n,10,b,7\n'.encode()


def test_codes_follow_the_listed_values_or_the_file():
    found = read_records(DATA, SCHEMA, file="f", original=True)
    assert len(found) == 3
    assert found.names == SCHEMA.names
    assert found.levels == {"place": ("北", "", "east, far"), "note": ("b", "a")}
    assert {name: codes.tolist() for name, codes in found.codes.items()} == {
        "place": [2, 0, 1],
        "note": [0, 1, 0],
    }
    assert {name: numbers.tolist() for name, numbers in found.numbers.items()} == {
        "food": [3, -2, 10],
        "rate": [0.5, 0, 7],
    }
    assert [found.numbers[name].dtype for name in ("food", "rate")] == [np.int64, np.float64]


@pytest.mark.parametrize("original", [False, True])
def test_a_frame_of_records_is_the_one_built_from_lists(original):
    expected = pd.DataFrame(
        {
            "place": pd.Series(["east, far", "北", ""], dtype="str"),
            "food": np.array([3, -2, 10], dtype=np.int64 if original else np.float64),
            "note": pd.Series(["b", "a", "b"], dtype="str"),
            "rate": [0.5, 0.0, 7.0],
        }
    )
    frame = read_table(DATA, SCHEMA, file="f", original=original)
    pd.testing.assert_frame_equal(frame, expected)
    again = Records.of(frame, SCHEMA).to_frame()
    pd.testing.assert_frame_equal(again, expected.astype({"food": np.float64}))
    frame.loc[0, "place"] = "北"  # a frame is its owner's to change
    assert frame["place"].tolist() == ["北", "北", ""]


def test_records_without_a_column():
    found = read_records(DATA, SCHEMA, file="f")
    assert found.without("place").names == ("food", "note", "rate")
    pd.testing.assert_frame_equal(
        found.without("food").to_frame(), found.to_frame().drop(columns="food")
    )
    assert len(found.without("place").without("note")) == 3


def texts(rng: np.random.Generator, n: int) -> list[str]:
    values = [
        "",
        "a",
        "a,b",
        'say "x"',
        "two\nlines",
        "cr\rhere",
        " space ",
        "日本語",
        "'",
        "#",
        "-0",
    ]
    return [values[i] for i in rng.integers(0, len(values), n)]


def table(seed: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    halves = (rng.integers(-(10**6), 10**6, n) + 0.5) / 10**4
    return pd.DataFrame(
        {
            "place": pd.Series(texts(rng, n), dtype="str"),
            "food": rng.integers(-(10**12), 10**12, n),
            "note": pd.Series(texts(rng, n), dtype="str"),
            "rate": np.where(rng.random(n) < 0.5, halves, rng.choice([-0.0, -1e-5, 1e-9], n)),
        }
    )


def slowly(frame: pd.DataFrame, columns: list[Column]) -> bytes:
    header = ",".join(column.name for column in columns) + "\n"
    return header.encode() + writing._lines_cell_by_cell(frame, columns)


@pytest.mark.parametrize("decimals", [0, 2, 9])
def test_columns_are_written_with_their_decimals(decimals, monkeypatch):
    schema = SCHEMA.replace_column(replace(SCHEMA.column("rate"), decimals=decimals))
    numbers = np.random.default_rng(3).normal(0, 100, 50).tolist()
    frame = table(5, 53).assign(rate=[2.5, -0.001, 1e-9, *numbers])
    expected = slowly(frame, list(schema.columns))
    with monkeypatch.context() as patch:
        patch.setattr(writing, "_lines_cell_by_cell", None)
        assert write_table(frame, schema) == expected
    cells = [line.rpartition(b",")[2] for line in write_table(frame[["rate"]], schema).split()]
    assert cells[1:] == [plainly(number, decimals).encode() for number in frame["rate"]]


def plainly(number: float, decimals: int) -> str:
    """By decimal arithmetic: rounded half to even, in plain digits without trailing zeros."""
    rounded = Decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
    return (
        "0"
        if not rounded
        else f"{rounded:f}".rstrip("0").rstrip(".")
        if decimals
        else f"{rounded:f}"
    )


@pytest.mark.parametrize("names", [("place", "food", "note", "rate"), ("note",), ("rate", "place")])
def test_tables_are_written_as_cell_by_cell(names, monkeypatch):
    columns = [SCHEMA.column(name) for name in SCHEMA.names if name in names]
    for seed in range(20):
        frame = table(seed, 3 * seed)[[column.name for column in columns]]
        expected = slowly(frame, columns)
        with monkeypatch.context() as patch:
            patch.setattr(writing, "_lines_cell_by_cell", None)
            assert write_table(frame, SCHEMA) == expected
            assert write_table(frame[frame.columns[::-1]], SCHEMA) == expected
            if "food" not in names:
                assert write_table(Records.of(frame, SCHEMA), SCHEMA) == expected


def test_many_records_are_written_in_parts():
    frame = pd.concat([table(1, 20_000)] * 2, ignore_index=True)
    assert len(frame) > 2 * writing._BLOCK
    assert write_table(frame, SCHEMA) == slowly(frame, list(SCHEMA.columns))


@pytest.mark.parametrize(
    "values",
    [
        [1e300, 2.5],
        [math.nan, 1.5],
        [math.inf, -math.inf],
        [2.0**53, 0.5],
        np.array([2**64 - 1, 0], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.array([0.1, 0.5], dtype=np.float32),
        np.array([1.0, 2.5], dtype=object),
    ],
    ids=range(8),
)
def test_what_the_compiled_code_does_not_write_is_written_all_the_same(values):
    frame = table(1, 2).assign(rate=values)
    assert write_table(frame, SCHEMA) == slowly(frame, list(SCHEMA.columns))


def test_rows_are_written_as_one_by_one():
    rng = np.random.default_rng(1)
    for numbers in (
        np.arange(0),
        rng.permutation(40_000),
        rng.integers(-1, 3, 50),
        np.array([-(2**63), 2**63 - 2, 10**17 - 1, 10**18 - 1, 10**18 - 2, -11]),
        np.array([3, 1], dtype=np.int32),
    ):
        lines = ["row", *(str(int(number) + 1) for number in numbers), ""]
        assert write_rows(numbers) == "\n".join(lines).encode()


def test_decimals_are_rounded_to_the_nearest_ties_to_even():
    rng = np.random.default_rng(2)
    halves = (2 * rng.integers(0, 2**40, 5_000) + 1) / 2.0 ** rng.integers(1, 41, 5_000)
    numbers = [*rng.random(5_000), *halves, *10.0 ** rng.uniform(-8, 0, 5_000)]
    numbers += [0.0, 2.0**-15, np.nextafter(2.0**-15, 0), 5e-5, 5e-324, 1 - 2**-53, 0.99995]
    for number in numbers:
        fraction = math.modf(number)[0]
        assert kernel.ten_thousandths(fraction) == int(f"{fraction:.4f}".replace(".", ""))


def test_without_the_compiled_writer_the_text_is_the_same(monkeypatch):
    monkeypatch.setattr(ordinary_files, "pays", lambda n_bytes: False)
    monkeypatch.setattr(writing, "pays", lambda n_bytes: False)
    monkeypatch.setattr(number_lists, "format_lines", None)
    frame = table(3, 5)
    assert write_table(frame, SCHEMA) == slowly(frame, list(SCHEMA.columns))
    assert write_rows(np.array([4, 2])) == b"row\n5\n3\n"


def test_no_records_make_an_empty_frame():
    frame = read_table(DATA, SCHEMA, file="f").head(0)
    pd.testing.assert_frame_equal(Records.of(frame, SCHEMA).to_frame(), frame)
    assert write_table(frame, SCHEMA) == b"place,food,note,rate\n"


def test_what_a_frame_lacks_is_a_value_of_its_own():
    schema = Schema((Column("q", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
    frame = pd.DataFrame({"q": pd.Series(["a", None, "b", None], dtype=object)})
    codes = Records.of(frame, schema).codes["q"]
    assert codes.min() >= 0
    assert codes[1] == codes[3]
    assert len(set(codes.tolist())) == 3
