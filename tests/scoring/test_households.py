# SPDX-License-Identifier: Apache-2.0
"""The generator of pseudo households: shape, calibration, consistency and reproducibility."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from scoring.datasets import distributions
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, MAX_RECORDS, households
from scoring.tables.reading import read_table, write_table

PARTS = (
    "food",
    "housing",
    "utilities",
    "furniture",
    "clothing",
    "health",
    "transport",
    "education",
    "recreation",
    "other",
)


@pytest.fixture(scope="module")
def table():
    return households(8333, seed=1)


def records_per_vector(table, columns):
    return len(table) / len(table[list(columns)].drop_duplicates())


def test_the_columns_are_those_of_2015():
    schema = HOUSEHOLDS_SCHEMA
    assert len(schema.quasi_identifiers) == 13
    assert schema.cross == schema.quasi_identifiers[:6] == schema.names[:6]
    assert schema.sensitive_numeric == schema.names[13:] == (*PARTS, "total", "income")
    # The paper counts from 1: column 15 is the second amount, column 21 the eighth.
    assert (schema.names[14], schema.names[20]) == (schema.e2_column, schema.e4_column)
    assert (schema.e2_column, schema.e4_column) == ("housing", "education")


@pytest.mark.parametrize("seed", range(5))
def test_the_calibration_holds_for_every_seed(seed):
    table = households(8333, seed=seed)
    schema = HOUSEHOLDS_SCHEMA
    assert records_per_vector(table, schema.quasi_identifiers) == pytest.approx(1.9, rel=0.05)
    assert records_per_vector(table, schema.cross) == pytest.approx(36, rel=0.05)
    assert (table["housing"] == 0).mean() == pytest.approx(0.45, abs=0.02)
    assert (table["education"] == 0).mean() == pytest.approx(0.76, abs=0.02)


def test_a_table_is_a_valid_original_and_a_valid_submission(table):
    data = write_table(table, HOUSEHOLDS_SCHEMA)
    for original in (True, False):
        read = read_table(data, HOUSEHOLDS_SCHEMA, file="original", original=original)
        assert (read.to_numpy(dtype=object) == table.to_numpy(dtype=object)).all()


def test_the_total_is_the_sum_of_its_parts(table):
    assert (table["total"] == table[list(PARTS)].sum(axis=1)).all()
    most = [HOUSEHOLDS_SCHEMA.column(name).max for name in PARTS]
    assert HOUSEHOLDS_SCHEMA.column("total").max == sum(most)


def test_every_64_bit_sum_of_squares_is_exact():
    most = [HOUSEHOLDS_SCHEMA.column(name).max for name in HOUSEHOLDS_SCHEMA.sensitive_numeric]
    assert sum(m * m for m in most) < 2**53


def test_amounts_are_skewed_correlated_and_nearly_all_different(table):
    amounts = table[list(HOUSEHOLDS_SCHEMA.sensitive_numeric)]
    assert (amounts.mean() > amounts.median()).all()
    correlations = amounts[["food", "clothing", "recreation", "other", "income"]].corr()
    assert correlations.to_numpy().min() > 0.4
    assert table["total"].duplicated().mean() < 0.01


def test_attributes_depend_on_each_other(table):
    working = table["employment"] != "not working"
    assert (table.loc[~working, ["occupation", "industry", "company_size"]] == "none").all(
        axis=None
    )
    assert (table.loc[working, ["occupation", "industry", "company_size"]] != "none").all(axis=None)
    assert (table.loc[table["earners"] == "0", "employment"] == "not working").all()
    assert (table.loc[table["household_size"] == "1", "earners"].isin(["0", "1"])).all()
    assert (table.loc[table["education"] > 0, "children"] != "0").all()
    assert (table.loc[table["tenure"] != "owned", "housing"] > 0).all()


def test_every_value_of_every_attribute_occurs(table):
    for name in HOUSEHOLDS_SCHEMA.quasi_identifiers:
        assert set(table[name]) == set(HOUSEHOLDS_SCHEMA.column(name).values)


def test_the_shares_have_one_entry_for_each_value():
    def n_values(name):
        return len(HOUSEHOLDS_SCHEMA.column(name).values)

    age, size, earners = n_values("age_class"), n_values("household_size"), n_values("earners")
    occupation, industry = n_values("occupation"), n_values("industry")
    employment, company = n_values("employment"), n_values("company_size")
    assert distributions.AGE_BY_SIZE.shape == (size, age)
    assert distributions.EARNERS_BY_AGE.shape == (age, earners)
    assert distributions.EMPLOYMENT_BY_AGE.shape == (age, employment)
    assert distributions.OCCUPATION_BY_EMPLOYMENT_SEX.shape == (employment, 2, occupation)
    assert distributions.INDUSTRY_BY_OCCUPATION.shape == (occupation, industry)
    assert distributions.COMPANY_BY_INDUSTRY.shape == (industry, company)
    assert distributions.CARS_BY_REGION_EARNERS.shape == (2, earners, n_values("cars"))


def test_the_same_seed_gives_the_same_bytes():
    first, again, other = (
        write_table(households(500, seed=seed), HOUSEHOLDS_SCHEMA) for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other


def test_the_table_of_a_seed_stays_what_it_was():
    # A change here changes every table that was ever generated: it needs a changelog line.
    data = write_table(households(200, seed=2015), HOUSEHOLDS_SCHEMA)
    assert hashlib.sha256(data).hexdigest() == (
        "3b49cdda8a0285c717ccff9fca6561ddd3438ceb22efebd9b261d1fbec658ac7"
    )


@pytest.mark.parametrize("n_records", [1, 2, 50_000])
def test_any_size(n_records):
    table = households(n_records, seed=3)
    assert table.shape == (n_records, 25)
    assert list(table.index[[0, -1]]) == [0, n_records - 1]


@pytest.mark.parametrize("n_records", [0, -1, MAX_RECORDS + 1])
def test_a_size_out_of_range_is_refused(n_records):
    with pytest.raises(ValueError, match=f"n_records: expected 1 to 1000000, got {n_records}"):
        households(n_records, seed=1)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="seed: expected 0 or more, got -1"):
        households(10, seed=-1)


def test_progress_ends_with_everything_done():
    calls = []
    households(10, seed=1, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(i, 25) for i in range(1, 26)]


def test_no_amount_reaches_its_bound():
    table = households(50_000, seed=4)
    for name in HOUSEHOLDS_SCHEMA.sensitive_numeric:
        column = HOUSEHOLDS_SCHEMA.column(name)
        assert table[name].max() < column.max
        assert np.issubdtype(table[name].dtype, np.int64)
