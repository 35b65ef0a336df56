# SPDX-License-Identifier: Apache-2.0
"""Two tables side by side: shares and correlations worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.audits.audit import audit
from scoring.audits.compared import MOST_VALUES, N_BINS, OTHERS, PairChange, compared_tables
from scoring.audits.summary import summary
from scoring.examples import SCHEMA, table
from scoring.tables.schema import Schema

TEXT = """
[[column]]
name = "town"
role = "quasi_identifier"
kind = "category"

[[column]]
name = "age"
role = "quasi_identifier"
kind = "integer"

[[column]]
name = "balance"
role = "sensitive"
kind = "number"
"""


def frame(town, age, balance) -> pd.DataFrame:
    return pd.DataFrame({"town": town, "age": age, "balance": balance})


def test_shares_and_correlations():
    schema = Schema.from_toml(TEXT)
    before = frame(["A", "A", "B", "C"], [0, 12, 24, 120], [1.0, 2.0, 3.0, 4.0])
    after = frame(["A", "B"], [0, 120], [2.0, 1.0])
    found = compared_tables(before, after, schema)
    town, age, balance = found.histograms
    assert (town.labels, town.before, town.after) == (
        ("A", "B", "C"),
        (0.5, 0.25, 0.25),
        (0.5, 0.5, 0),
    )
    assert len(age.labels) == N_BINS
    assert age.labels[0] == "0 – 10"
    assert age.before == (0.25, 0.25, 0.25, *[0] * 8, 0.25)
    assert age.after == (0.5, *[0] * 10, 0.5)
    assert sum(balance.before) == sum(balance.after) == 1
    (pair,) = found.pairs
    r = np.corrcoef(before["age"], before["balance"])[0, 1]
    assert pair == PairChange(("age", "balance"), pytest.approx(r), pytest.approx(-1))


def test_rare_values_stand_together_and_constants_have_one_bin():
    schema = Schema.from_toml(TEXT)
    towns = [f"T{n:02d}" for n in range(20)]
    found = compared_tables(
        frame(towns, [7] * 20, [1.0] * 20), frame(["T00"] * 5, [7] * 5, [1.0] * 5), schema
    )
    town, age, _balance = found.histograms
    assert town.labels[0] == "T00"
    assert town.labels[-1] == OTHERS
    assert len(town.labels) == MOST_VALUES + 1
    assert town.before[-1] == pytest.approx(8 / 20)
    assert town.after == (1, *[0] * MOST_VALUES)
    assert (age.labels, age.before, age.after) == (("7",), (1,), (1,))
    assert [(pair.before, pair.after) for pair in found.pairs] == [(0, 0)]


def test_the_order_of_records_does_not_matter():
    original, noise = table("original"), table("noise")
    turned = noise.iloc[::-1].reset_index(drop=True)
    assert compared_tables(original, noise, SCHEMA) == compared_tables(original, turned, SCHEMA)


def test_an_audit_holds_the_comparison_and_its_summary_no_record():
    tables = table("original"), table("noise"), np.arange(4), SCHEMA
    found = audit(*tables, rng=np.random.default_rng(1), attacks=["EUC2"], measures=["S1"])
    assert found.compared == compared_tables(tables[0], tables[1], SCHEMA)
    said = summary(found)["compared"]
    assert [one["column"] for one in said["histograms"]] == list(tables[0].columns)
    assert set(said) == {"histograms", "pairs"}
