# SPDX-License-Identifier: Apache-2.0
"""Generators of tables in the shape of past cups' data: their schemas, their sizes, and what depends on what."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

from scoring.datasets import MAX_RECORDS, USUAL
from scoring.datasets.catalog import generated
from scoring.datasets.cups import HORIZON, IMITATIONS
from scoring.datasets.raw_hospital import HEADER, raw_hospital
from scoring.rulesets.loader import load_schema
from scoring.tables.reading import read_table
from scoring.tables.writing import write_table

N = 3000


@pytest.fixture(scope="module")
def tables():
    return {name: generated(name, N, seed=1) for name in IMITATIONS}


@pytest.mark.parametrize("name", IMITATIONS)
def test_a_table_is_read_as_it_was_written(name, tables):
    schema = load_schema(name)
    data = write_table(tables[name], schema)
    again = read_table(data, schema, file="original", original=True)
    assert write_table(again, schema) == data
    assert again.shape == (N, len(schema.columns))
    for column in schema.columns:
        if column.values is not None:  # every category occurs
            assert set(again[column.name]) == set(column.values), column.name
        else:
            assert again[column.name].nunique() > 5, column.name
    assert load_schema(name).quasi_identifiers
    assert len(schema.names) == len(set(schema.names))


def test_a_seed_makes_one_table_and_another_seed_another():
    assert generated("census", 50, seed=3).equals(generated("census", 50, seed=3))
    assert not generated("census", 50, seed=3).equals(generated("census", 50, seed=4))


@pytest.mark.parametrize("given", [{"n_records": 0}, {"n_records": MAX_RECORDS + 1}, {"seed": -1}])
def test_sizes_and_seeds_out_of_range_are_refused(given):
    arguments = {"n_records": 10, "seed": 1} | given
    with pytest.raises(ValueError, match="expected"):
        generated("survival", **arguments)


def test_progress_is_reported_for_each_column():
    seen = []
    generated("ratings", 10, seed=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(at, 14) for at in range(1, 15)]


def test_columns_depend_on_each_other(tables):
    survey = tables["diabetes"]
    ill = survey["diabetes"] == "1"
    assert 0.1 < ill.mean() < 0.22
    assert survey["age"][ill].mean() > survey["age"][~ill].mean() + 5
    assert survey["bmi"][ill].mean() > survey["bmi"][~ill].mean() + 2
    health = tables["health"]
    assert health["weight"].corr(health["bmi"]) > 0.5
    assert health["age"].corr(health["medications"], method="spearman") > 0.3


def test_secret_columns_follow_from_nothing(tables):
    """As those of 2023, which were drawn uniformly: an attacker without the published table has a tenth."""
    profile = tables["profile"].astype(int)
    known = profile[[f"p{at}" for at in range(1, 7)]]
    for secret in ("r1", "r2"):
        assert known.corrwith(profile[secret]).abs().max() < 0.06
    assert known.corr().to_numpy()[0, 1] > 0.05


def test_the_followed_fall_ill_die_or_stay(tables):
    cohort = tables["survival"]
    onset, death, years = cohort["onset"] == "1", cohort["death"] == "1", cohort["time"]
    assert not (onset & death).any()
    assert (years[~onset & ~death] == HORIZON).all()
    assert (years[onset | death] <= HORIZON).all()
    assert 0.1 < onset.mean() < 0.25
    assert 0.03 < death.mean() < 0.15
    rare = cohort["type"] == "rare"
    assert 0.01 < rare.mean() < 0.03
    assert onset[rare].mean() > 2 * onset[~rare].mean()
    assert cohort["fpg"][onset].mean() > cohort["fpg"][~onset].mean() + 5


def test_loadings_leave_room_for_noise():
    for recipes in IMITATIONS.values():
        for name, recipe in recipes.items():
            assert np.square(recipe.loadings).sum() < 1, name


def test_every_schema_that_is_drawn_has_a_usual_size():
    assert all(100 <= n <= 200_000 for n in USUAL.values())


def test_a_raw_export_needs_preparation_in_every_respect():
    data = raw_hospital(2000, seed=1)
    with pytest.raises(UnicodeDecodeError):
        data.decode("utf-8")
    header, *rows = csv.reader(io.StringIO(data.decode("cp932"), newline=""))
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    assert tuple(header) == HEADER
    assert len(set(columns["患者番号"])) == 2000 > len(set(columns["氏名"]))
    assert any("," in cell for cell in columns["医療費"])
    assert {"", "NA", "-"} < set(columns["体重"])
    assert {"男", "女", "", "不明"} == set(columns["性別"])
    assert all(re.fullmatch(r"\d{4}/\d{1,2}/\d{1,2}", cell) for cell in columns["生年月日"])
    assert all(re.fullmatch(r"202[56]-\d\d-\d\d", cell) for cell in columns["入院日"])
    assert max(len(cell.partition(".")[2]) for cell in columns["HbA1c"]) == 5


def test_a_raw_export_is_the_same_for_a_seed():
    assert raw_hospital(50, seed=3) == raw_hospital(50, seed=3) != raw_hospital(50, seed=4)


@pytest.mark.parametrize("numbers", [(0, 1), (100_001, 1), (1, -1)])
def test_a_raw_export_names_the_number_that_is_out_of_range(numbers):
    with pytest.raises(ValueError, match=r"expected .* got"):
        raw_hospital(numbers[0], seed=numbers[1])
