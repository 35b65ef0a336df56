# SPDX-License-Identifier: Apache-2.0
"""Frames instead of files: the same problems, and what takes frames or says that it does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.catalogs import UnknownNameError
from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.examples import SCHEMA, table
from scoring.formats.sequential import examples
from scoring.formats.sequential.files import read_microdata
from scoring.formats.sequential.publishing import Options, publish
from scoring.privacy.post_randomization import randomize
from scoring.tables.frames import check_frame, csv_of, records_of_frame
from scoring.tables.reading import read_records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.suggestion import suggest_schema

NUMBERS = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=0, max=120),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("A", "B", "")),
        Column("note", Role.OTHER, Kind.CATEGORY),
        Column("cost", Role.SENSITIVE, Kind.NUMBER),
    )
)


def frame(**changes):
    columns = {
        "age": [20, 30, 40],
        "city": ["A", "B", ""],
        "note": ["x", "y", "z"],
        "cost": [1.5, 2.0, -3.25],
    }
    return pd.DataFrame(columns | changes)


def problems(call):
    with pytest.raises(ProblemsFound) as caught:
        call()
    return [(p.code, p.file, p.row, p.column) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"age": [20, np.nan, 40]}, [("cell.empty", 2, "age")]),
        ({"age": ["20", "30-40", "40"]}, [("cell.text", n, "age") for n in (1, 2, 3)]),
        ({"age": pd.array([20, None, 40], dtype="Int64")}, [("cell.empty", 2, "age")]),
        ({"age": [True, False, True]}, [("cell.text", n, "age") for n in (1, 2, 3)]),
        ({"age": [20, 30.5, 40]}, [("cell.not_an_integer", 2, "age")]),
        (
            {"age": [-1, 30, 121]},
            [("cell.below_minimum", 1, "age"), ("cell.above_maximum", 3, "age")],
        ),
        (
            {"cost": [1.0, np.inf, np.nan]},
            [("cell.not_finite", 2, "cost"), ("cell.empty", 3, "cost")],
        ),
        (
            {"city": ["A", "C", None]},
            [("cell.not_in_values", 2, "city"), ("cell.empty", 3, "city")],
        ),
        ({"city": [1, "A", "B"]}, [("cell.not_text", 1, "city")]),
        ({"note": ["x", "", np.nan]}, [("cell.empty", 2, "note"), ("cell.empty", 3, "note")]),
        (
            {"cost": [np.nan, 2.0, 3.0], "city": ["Q", "A", "A"]},
            [("cell.not_in_values", 1, "city"), ("cell.empty", 1, "cost")],
        ),
    ],
)
def test_every_wrong_cell_is_named_with_row_and_column(changes, found):
    table = frame(**changes)
    told = problems(lambda: check_frame(table, NUMBERS, file="original", original=True))
    assert told == [(code, "original", row, column) for code, row, column in found]


def test_a_right_frame_is_read_as_its_file_is():
    table = frame()
    read = records_of_frame(table, NUMBERS, file="original", original=True)
    of_file = read_records(csv_of(table), NUMBERS, file="original", original=True)
    assert read.names == of_file.names
    for name in read.names:
        assert read.values(name).tolist() == of_file.values(name).tolist()
    assert read.codes["city"].tolist() == [0, 1, 2]
    assert read.levels["city"] == ("A", "B", "")


@pytest.mark.parametrize(
    "changes",
    [{"age": [20, 130, 40]}, {"city": ["A", "C", "B"]}, {"age": [20, 30.5, 40]}],
)
def test_a_frame_has_the_problems_of_its_file(changes):
    table = frame(**changes)
    of_frame = problems(lambda: check_frame(table, NUMBERS, file="original", original=True))
    data = csv_of(table).replace(b".0,", b",")
    of_file = problems(lambda: read_records(data, NUMBERS, file="original", original=True))
    assert of_frame == of_file


def test_averages_make_fractions_of_anonymized_integers_and_decimals_are_free():
    check_frame(frame(age=[20.5, 30, 1 / 3], cost=[0.1 + 0.2, 1 / 3, 1e-9]), NUMBERS, file="Y")
    with pytest.raises(ProblemsFound, match="record 1, column age"):
        check_frame(frame(age=[20.5, 30, 40]), NUMBERS, file="X", original=True)


def test_missing_columns_and_empty_frames_are_named_and_further_columns_ignored():
    check_frame(frame(more=[1, 2, 3])[["more", "cost", "note", "city", "age"]], NUMBERS, file="X")
    missing = frame().drop(columns=["city", "cost"])
    told = problems(lambda: check_frame(missing, NUMBERS, file="X"))
    assert told == [("header.missing", "X", None, name) for name in ("city", "cost")]
    assert problems(lambda: check_frame(frame().head(0), NUMBERS, file="X"))[0][0] == (
        "file.header_only"
    )


# What the library does with frames


def test_score_checks_frames_and_names_the_column():
    original, noise = table("original"), table("noise")
    rows = [0, 1, 2, 3]
    ranges = noise.assign(SA1=["30-40"] * 4)
    with pytest.raises(ProblemsFound, match=r"anonymized, record 1, column SA1 .* got “30-40”"):
        score(original, ranges, rows, SCHEMA)
    texts = noise.assign(SA1=noise["SA1"].astype(str))
    assert problems(lambda: score(original, texts, rows, SCHEMA))[0] == (
        *("cell.text", "anonymized", 1, "SA1"),
    )
    codes = original.assign(QI1=original["QI1"].astype(int))
    assert problems(lambda: score(codes, noise, rows, SCHEMA))[0][:2] == (
        "cell.not_text",
        "original",
    )


def test_no_missing_number_gets_into_a_score():
    """LOSS was nan where a number among the quasi-identifiers was missing."""
    whole = frame(city=["A", "B", "A"])
    assert score(whole, whole, [0, 1, 2], NUMBERS, measures=["LOSS"])["LOSS"] == 0
    holed = whole.assign(age=[20.0, np.nan, 40.0])
    told = problems(lambda: score(whole, holed, [0, 1, 2], NUMBERS, measures=["LOSS"]))
    assert told == [("cell.empty", "anonymized", 2, "age")]


def test_an_unknown_measure_is_named_before_the_work(monkeypatch):
    monkeypatch.setattr("scoring.evaluate.Comparison.of", None)
    with pytest.raises(UnknownNameError, match="no measure 'EUC'; did you mean"):
        score(table("original"), table("noise"), [0, 1, 2, 3], SCHEMA, measures=["U1", "EUC"])


def test_a_schema_is_suggested_for_a_frame_as_for_its_file():
    table = frame(city=["A", "B", "A"])
    assert suggest_schema(table) == suggest_schema(csv_of(table))


def test_microdata_are_read_from_frames_as_from_files():
    frames = [
        pd.DataFrame(rows, columns=list(examples.SCHEMA.names))
        for rows in (examples.TABLE_10, examples.TABLE_11)
    ]
    read = read_microdata(frames, examples.SCHEMA)
    of_files = read_microdata([csv_of(each) for each in frames], examples.SCHEMA)
    assert (read.ids, read.sensitive_values) == (of_files.ids, of_files.sensitive_values)
    for one, other in zip(read.snapshots, of_files.snapshots, strict=True):
        assert one.qi.tolist() == other.qi.tolist()
        assert (one.ids == other.ids).all()
        assert (one.sensitive == other.sensitive).all()
    assert publish(read, Options(m=2)).releases[1].counterfeits == {1: 1}
    frames[1].loc[0, "age"] = np.nan
    assert problems(lambda: read_microdata(frames, examples.SCHEMA)) == [
        ("cell.empty", "T2", 1, "age")
    ]


def test_what_takes_no_frame_says_what_it_takes():
    with pytest.raises(TypeError, match="read_microdata makes of files or frames, got list"):
        publish([frame()], Options(m=2))
    with pytest.raises(
        TypeError, match=r"anonymizer pk-anonymization takes frames.* got DataFrame"
    ):
        randomize(frame(), (2, 2), 0.5, np.random.default_rng(1))
