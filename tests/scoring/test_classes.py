# SPDX-License-Identifier: Apache-2.0
"""Equivalence classes of every type of column, beyond 64 bits, and in another table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from scoring.tables.equivalence import Classes
from scoring.tables.records import Records
from tests.scoring import tables


def wide_table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Fifteen columns of 100 values: 2^99 vectors."""
    return pd.DataFrame({f"q{i}": rng.integers(0, 100, n).astype(str) for i in range(15)})


@pytest.mark.parametrize("as_records", [False, True])
def test_more_vectors_than_64_bits_can_number(as_records):
    rng = np.random.default_rng(1)
    table = wide_table(rng, 300).iloc[rng.integers(0, 300, 400)].reset_index(drop=True)
    other = pd.concat([table.iloc[100:200], wide_table(rng, 50)], ignore_index=True)
    vectors = list(table.itertuples(index=False, name=None))
    schema = tables.make_schema(15, 0)
    convert = (lambda t: Records.of(t, schema)) if as_records else (lambda t: t)
    classes = Classes.of(convert(table), schema.quasi_identifiers)
    assert classes.n_classes == len(set(vectors))
    assert sorted(classes.sizes()) == sorted(Counter(vectors).values())
    number_of = dict(zip(vectors, classes.of_row.tolist(), strict=True))
    assert len(set(number_of.values())) == len(number_of)
    located = classes.locate(convert(other)).tolist()
    others = other.itertuples(index=False, name=None)
    assert located == [number_of.get(vector, -1) for vector in others]


def test_numbers_are_equal_by_value_and_texts_by_text():
    x = pd.DataFrame({"q": [0.0, 1.5, -2.0]})
    classes = Classes.of(x, ["q"])
    assert classes.locate(pd.DataFrame({"q": [-0.0, 1.5, 3.0]})).tolist()[2] == -1
    assert classes.locate(pd.DataFrame({"q": [-0.0]})).tolist() == [classes.of_row[0]]
    assert classes.locate(pd.DataFrame({"q": [-2]})).tolist() == [classes.of_row[2]]
    assert classes.locate(pd.DataFrame({"q": ["1.5"]})).tolist() == [-1]
    assert Classes.of(pd.DataFrame({"q": ["a", "b"]}), ["q"]).locate(x).tolist() == [-1] * 3


def test_classes_are_in_the_order_of_the_first_columns():
    table = pd.DataFrame({"a": ["x", "y", "x", "y"], "b": ["p", "q", "q", "p"]})
    first = pd.Series(Classes.of(table, ["a", "b"]).of_row).groupby(table["a"])
    assert first.max()["x"] < first.min()["y"]


def test_without_columns_there_is_one_class_and_without_records_none():
    table = pd.DataFrame({"q": ["a", "b"]})
    assert Classes.of(table, []).of_row.tolist() == [0, 0]
    none = Classes.of(table.iloc[:0], ["q"])
    assert none.n_classes == 0
    assert none.locate(table).tolist() == [-1, -1]
