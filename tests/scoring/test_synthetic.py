# SPDX-License-Identifier: Apache-2.0
"""Tables without row numbers: read, put in canonical order, and scored whatever their order."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.measures.catalog import DRAWING, NEED_ROWS
from scoring.registry import MEASURES
from scoring.tables.reading import write_table
from scoring.tables.record_bounds import record_bounds
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.synthetic import in_canonical_order, read_synthetic
from tests.scoring import tables

WITHOUT = [id_ for id_ in MEASURES if id_ not in NEED_ROWS]
EXACT = [id_ for id_ in WITHOUT if id_ not in DRAWING]
LISTED = Schema(
    (
        Column("size", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("S", "M", "L")),
        Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("pay", Role.SENSITIVE, Kind.INTEGER, min=0, max=9, decimals=0),
    )
)


def test_the_order_is_that_of_the_schema():
    data = b"size,town,pay\nL,a,1\nS,b,9\nM,a,3\nS,b,2\nS,a,5\n"
    found = read_synthetic(data, LISTED)
    assert write_table(found, LISTED) == b"size,town,pay\nS,a,5\nS,b,2\nS,b,9\nM,a,3\nL,a,1\n"


@pytest.mark.parametrize("source", [None, "rows"])
def test_no_value_moves_with_the_order_of_the_records(source):
    """Without rows to the last bit; with rows, the same measures have the same values."""
    case, rng = tables.case(7), np.random.default_rng(4)
    order = rng.permutation(len(case.anonymized))
    shuffled = case.anonymized.iloc[order].reset_index(drop=True)
    wanted = WITHOUT if source is None else EXACT
    found = score(case.original, case.anonymized, None, case.schema, measures=wanted)
    if source is None:
        again = score(case.original, shuffled, None, case.schema, measures=wanted)
        assert again == found
    else:
        again = score(case.original, shuffled, case.source[order], case.schema, measures=wanted)
        assert again == pytest.approx(found, abs=1e-8, nan_ok=True)


def test_records_that_are_read_are_scored_as_frames_are():
    case = tables.case(6)
    data = write_table(case.anonymized, case.schema)
    records = read_synthetic(data, case.schema)
    found = score(case.original, records, None, case.schema, measures=EXACT)
    assert found == score(case.original, records.to_frame(), None, case.schema, measures=EXACT)


def test_a_table_may_have_more_records_than_the_original():
    case = tables.case(4)
    twice = Records.of(case.anonymized, case.schema)
    twice = twice.taken(np.repeat(np.arange(len(twice)), 5))
    found = score(case.original, twice, None, case.schema, measures=WITHOUT)
    assert found["n_anonymized"] == 5 * len(case.anonymized) > found["n_original"]
    once = score(case.original, case.anonymized, None, case.schema, measures=["U1", "U4"])
    assert {id_: found[id_] for id_ in ("U1", "U4")} == {id_: once[id_] for id_ in ("U1", "U4")}


def test_a_measure_that_needs_rows_is_refused():
    case = tables.case(4)
    with pytest.raises(ValueError, match="expected rows for U5, got none"):
        score(case.original, case.anonymized, None, case.schema, measures=["U1", "U5"])


def test_equal_tables_of_texts_without_a_list_are_equal_whatever_was_met_first():
    first, second = (
        read_synthetic(f"size,town,pay\n{lines}".encode(), LISTED)
        for lines in ("S,x,1\nS,ä,1\nS,a,1\n", "S,ä,1\nS,a,1\nS,x,1\n")
    )
    assert first.levels == second.levels
    assert first.codes["town"].tolist() == second.codes["town"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        ("XL,a,1\nS,a,10\nS,a,-1", ["not_in_values", "above_maximum", "below_minimum"]),
        ("S,a,1.5\nS,,1\nS,a,nan", ["not_an_integer", "empty", "not_finite"]),
    ],
)
def test_values_outside_of_the_domain_are_named_and_not_changed(lines, codes):
    with pytest.raises(ProblemsFound) as error:
        read_synthetic(f"size,town,pay\n{lines}\n".encode(), LISTED)
    assert [p.code for p in error.value.problems] == [f"cell.{code}" for code in codes]
    assert [p.row for p in error.value.problems] == [1, 2, 3]
    assert {p.file for p in error.value.problems} == {"synthetic"}


@pytest.mark.parametrize(
    ("n", "code"), [(1, "file.too_few_records"), (2, None), (4, None), (5, "file.too_many_records")]
)
def test_the_number_of_records_has_bounds(n, code):
    data = b"size,town,pay\n" + b"S,a,1\n" * n
    if code is None:
        assert len(read_synthetic(data, LISTED, least=2, most=4)) == n
        return
    with pytest.raises(ProblemsFound) as error:
        read_synthetic(data, LISTED, least=2, most=4)
    assert [p.code for p in error.value.problems] == [code]


def test_bounds_are_exact():
    assert record_bounds(30, 0.1, 0.7) == (3, 21)  # 0.7 * 30 is 21, in floats a little less
    assert record_bounds(7, 0.5, 1.5) == (4, 10)


def test_row_numbers_do_not_belong_to_a_synthetic_table():
    with pytest.raises(ProblemsFound) as error:
        read_synthetic(b"size,town,pay,source_row\nS,a,1,1\n", LISTED)
    assert [p.code for p in error.value.problems] == ["header.unexpected"]


def test_values_may_have_to_occur_in_the_original():
    original = Records.of_texts({"size": ["S"], "town": ["a"]})
    data = b"size,town\nS,a\nM,a\n"
    schema = Schema(LISTED.columns[:2])
    with pytest.raises(ProblemsFound) as error:
        read_synthetic(data, schema, original=original)
    assert [(p.code, p.row) for p in error.value.problems] == [("aligned.not_in_original", 2)]


def test_equal_records_stay_as_often_as_they_were():
    frame = tables.case(1).anonymized
    schema = tables.case(1).schema
    found = in_canonical_order(Records.of(frame, schema), schema).to_frame()
    assert sorted(map(tuple, found.astype(str).values)) == sorted(
        map(
            tuple,
            frame[list(found)]
            .astype(dict.fromkeys(found.select_dtypes("number"), float))
            .astype(str)
            .values,
        )
    )
