# SPDX-License-Identifier: Apache-2.0
"""The paper's worked examples, manually, and the columns that a table may lack."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.evaluate import Options, Prepared, mark, score
from scoring.examples import SCHEMA, comparison, table
from scoring.registry import ATTACKS, PWSCUP_2015
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring import tables

ROWS = np.arange(4)


def scored(name: str, options: Options = Options(), source=ROWS, schema: Schema = SCHEMA):  # noqa: B008
    return score(table("original"), table(name), source, schema, options=options)


WORKED = {
    "original": {"U1": 0, "U2": 0, "U3": 0, "U4": 0, "U5": 0, "U6": 0, "S1": 2, "S2": 2, "E1": 0.5}
    | dict.fromkeys(("E2", "E3", "E4", "EUC1", "EUC2"), 1),
    "noise": {
        "U1": 1.25,  # |250 - 250| and |300 - 302.5|
        "U2": 13.75,  # 15, 10, 15 and 15
        "U3": 0,
        "U4": 0.113857,
        "U5": 0.040625,
        "S1": 2,
        "S2": 2,
        "E1": 0.5,
        "E2": 1,
        "E3": 1,
        "E4": 1,
        "EUC1": 1,
        "EUC2": 1,
    },
    "unified": {
        "U1": 0,
        "U2": 175,  # (1,1,1) is empty in the original: 0, 0, 350 and 350
        "U3": 1,  # 2 and 2 records; the original has 2 and 0
        "U4": 0,
        "U5": 0,
        "E1": 0.25,
        "E2": 1,
        "E3": 1,
        "E4": 1,
        "EUC1": 0.5,
        "EUC2": 1,
    },
    "averaged": {"U1": 0, "U2": 0, "U3": 0, "E1": 0.5, "E2": 0.5, "EUC1": 0.5, "EUC2": 0.5},
    "swapped": {
        "U1": 0,
        "U2": 0,
        "U3": 0,
        "E1": 0.5,
        "E2": 0.5,
        "E3": 0.25,
        "E4": 0.5,
        "EUC1": 0.5,
        "EUC2": 0.5,
    },
}


@pytest.mark.parametrize("name", WORKED)
def test_the_worked_examples(name):
    got = scored(name)
    assert {id_: got[id_] for id_ in WORKED[name]} == pytest.approx(WORKED[name], abs=5e-7)


def test_a_result_names_the_sizes_and_every_measure_in_order():
    assert list(scored("noise")) == ["n_original", "n_anonymized", *PWSCUP_2015]
    assert score(table("original"), table("noise"), ROWS, SCHEMA, measures=["E1"]) == {
        "n_original": 4,
        "n_anonymized": 4,
        "E1": 0.5,
    }


def test_without_a_match_own_row_finds_an_unshuffled_file():
    assert scored("unified", Options(no_match="own_row"))["EUC1"] == 1
    assert scored("unified", Options(no_match="all"))["EUC1"] == 1


def test_own_row_is_blind_once_the_records_are_shuffled():
    shuffled = table("unified").iloc[[3, 2, 1, 0]].reset_index(drop=True)
    options = Options(no_match="own_row")
    got = score(table("original"), shuffled, np.array([3, 2, 1, 0]), SCHEMA, options=options)
    assert got["EUC1"] == 0.5


def test_the_union_of_cells_counts_those_that_were_emptied():
    # cells (2,1,1): 2 and 2; (1,1,1): 0 and 2; (1,1,2): 2 and 0
    assert scored("unified", Options(cells="union"))["U3"] == pytest.approx(4 / 3)
    assert scored("unified", Options(cells="union"))["U2"] == pytest.approx((350 * 4) / 6)


@pytest.mark.parametrize(("ties", "expected"), [("expected", 0.5), ("strict", 0), ("first", 0.5)])
def test_what_a_tie_counts(ties, expected):
    got = scored("averaged", Options(ties=ties))
    assert {got[id_] for id_ in ("E2", "E4", "EUC1", "EUC2")} == {expected}


def test_equal_sums_meet_by_the_ranks_they_share():
    # sums of the averaged table: 400 400 700 700; of the original: 200 600 500 900
    # ranks of the original's sources: 0 2 1 3; blocks [0, 2) and [2, 4): 1/2, 0, 0 and 1/2
    assert scored("averaged")["E3"] == 0.25
    assert scored("averaged", Options(ties="strict"))["E3"] == 0


def test_rates_are_of_the_anonymized_records_or_of_the_original_ones():
    kept = table("noise").iloc[:2]
    arguments = table("original"), kept, ROWS[:2], SCHEMA
    assert score(*arguments)["EUC1"] == 1
    assert score(*arguments, options=Options(denominator="original"))["EUC1"] == 0.5
    assert score(*arguments)["U6"] == 2


def test_a_constant_column_is_lost_or_not():
    schema = tables.make_schema(1, 2)
    rng = np.random.default_rng(1)
    x = tables.table(schema, rng, 4, "ties").assign(s0=5.0, s1=[0.0, 2.0, 4.0, 8.0])
    y = x.assign(s0=[5.0, 5.0, 5.0, 6.0])
    got = score(x, y, ROWS, schema)
    assert got["U5"] == pytest.approx(1 / 8)
    assert got["U4"] == pytest.approx(4.5 / 26.25**0.5)  # r of y; 0 where s0 is constant


@pytest.mark.parametrize(
    ("n_qi", "n_sa", "n_cross", "missing"),
    [
        (2, 0, 1, {"U1", "U2", "U4", "U5", "E2", "E3", "E4", "EUC1", "EUC2"}),
        (2, 1, 1, {"U4"}),
        (2, 2, 0, {"U2", "U3"}),
        (0, 2, 0, {"U2", "U3"}),
    ],
)
def test_what_a_table_lacks_is_null(n_qi, n_sa, n_cross, missing):
    schema = tables.make_schema(n_qi, n_sa, n_cross)
    x = tables.table(schema, np.random.default_rng(2), 6, "ties")
    got = score(x, x, np.arange(6), schema)
    assert {id_ for id_ in PWSCUP_2015 if got[id_] is None} == missing
    for attack in ATTACKS.values():
        assert len(attack(x, x, schema, rng=np.random.default_rng(0))) == 6


def test_without_quasi_identifiers_all_records_are_one_class():
    schema = tables.make_schema(0, 1)
    x = tables.table(schema, np.random.default_rng(2), 5, "zeros")
    got = score(x, x, np.arange(5), schema)
    assert (got["S1"], got["S2"], got["E1"]) == (5, 5, 0.2)


def test_numbers_may_be_quasi_identifiers():

    schema = Schema((Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, cross=True),))
    x = pd.DataFrame({"age": np.array([20, 20, 30], dtype=np.int64)})
    y = pd.DataFrame({"age": [20.0, 20.0, 30.5]})
    got = score(x, y, np.arange(3), schema)
    assert (got["E1"], got["U3"], got["S1"]) == (pytest.approx(1 / 3), 0.5, 1)


@pytest.mark.parametrize(
    "source", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], [-1, 0, 1, 2], [0.0, 1.0, 2.0, 3.0]]
)
def test_rows_that_do_not_fit_are_refused(source):
    with pytest.raises(ValueError, match="source"):
        scored("noise", source=np.array(source))


def test_tables_and_options_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="SA2"):
        score(table("original").drop(columns="SA2"), table("noise"), ROWS, SCHEMA)
    with pytest.raises(ValueError, match="column SA1 — an empty cell"):
        score(table("original"), table("noise").assign(SA1=np.nan), ROWS, SCHEMA)
    with pytest.raises(ValueError, match="column SA1 — not a finite number"):
        score(table("original"), table("noise").assign(SA1=np.inf), ROWS, SCHEMA)
    with pytest.raises(ValueError, match="at least one record"):
        score(table("original"), table("noise").head(0), ROWS[:0], SCHEMA)
    with pytest.raises(ValueError, match="expected, strict, first"):
        scored("noise", Options(ties="lowest"))
    with pytest.raises(KeyError):
        score(table("original"), table("noise"), ROWS, SCHEMA, measures=["U9"])


def test_a_comparison_follows_the_attackers_subset_of_columns():
    x, y = table("original"), table("swapped")
    rng = np.random.default_rng(0)
    euc = ATTACKS["EUC2"]
    assert euc(x, y, SCHEMA, rng=rng, sensitive=["SA2"]).tolist() == [0, 1, 3, 2]
    assert euc(x, y, SCHEMA, rng=rng, quasi_identifiers=[]).tolist() == [0, 1, 3, 2]
    assert ATTACKS["E2"](x, y, SCHEMA, rng=rng, sensitive=["SA2"]).tolist() == [0, 1, 3, 2]
    with pytest.raises(ValueError, match="QI1, QI2, QI3"):
        euc(x, y, SCHEMA, rng=rng, quasi_identifiers=["SA1"])


def test_a_prepared_table_is_bound_to_its_schema():
    prepared = Prepared.of(table("original"), SCHEMA)
    other = tables.make_schema(3, 2)
    with pytest.raises(ValueError, match="prepared"):
        score(prepared, table("noise"), ROWS, other)
    rng = np.random.default_rng(0)
    for options in ({"schema": other}, {"schema": SCHEMA, "sensitive": ["SA1"]}):
        with pytest.raises(ValueError, match="prepared"):
            ATTACKS["EUC2"](prepared, table("noise"), rng=rng, **options)


def test_a_guess_is_marked_against_the_declared_rows():
    result = mark(np.array([3, 1, 2]), np.array([3, -1, 1]))
    assert (result.n_records, result.hits, result.rate) == (3, 1, 0.333333333)
    with pytest.raises(ValueError, match="one guess"):
        mark(np.array([0, 1]), np.array([0]))
    assert comparison("noise").released.n_records == 4
