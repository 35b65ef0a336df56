# SPDX-License-Identifier: Apache-2.0
"""Laws over the whole registry, on random tables."""

from __future__ import annotations

import inspect
import pickle
from functools import cache

import numpy as np
import pytest

from scoring.evaluate import Options, Prepared, mark, score
from scoring.registry import ATTACKS, MEASURES, PWSCUP_2015
from tests.every import some
from tests.scoring import tables

UTILITY = ("U1", "U2", "U3", "U4", "U5", "U6")
ANONYMITY = ("S1", "S2")
LINKAGE = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
GUESSES = (
    "E1",
    "E2",
    "E3",
    "E4",
    "EUC1",
    "EUC2",
    "E4-rank",
    "nearest-scaled",
    "gower",
    "one-candidate",
    "greedy-assignment",
    "optimal-assignment",
    "learned-linkage",
    "replay",
)
DEFINITE = ("E2", "E4", "EUC1", "EUC2", "E3")

CASES = [tables.case(seed) for seed in range(0, 60, 2)]
ORDER_FREE = [
    Options(),
    Options(ties="strict", no_match="all", cells="union", denominator="original"),
]


def test_every_measure_and_every_attack_is_in_a_law():
    assert UTILITY + ANONYMITY + LINKAGE == PWSCUP_2015
    assert set(GUESSES) == set(ATTACKS)


def scored(case, **changes):
    return score(
        changes.get("original", case.original),
        changes.get("anonymized", case.anonymized),
        changes.get("source", case.source),
        case.schema,
        options=changes.get("options", Options()),
    )


@cache
def unchanged(case, options):
    """The scores of a case as it is, which many laws compare others with."""
    return scored(case, options=options)


@pytest.mark.parametrize("options", ORDER_FREE, ids=str)
def test_shuffling_the_records_with_their_rows_changes_nothing(options):
    rng = np.random.default_rng(1)
    for case in CASES:
        order = rng.permutation(len(case.source))
        shuffled = case.anonymized.iloc[order]  # with its index shuffled: labels are no positions
        assert unchanged(case, options) == scored(
            case, options=options, anonymized=shuffled, source=case.source[order]
        )


def test_shuffling_the_original_with_the_rows_changes_nothing():
    rng = np.random.default_rng(2)
    for case in CASES:
        order = rng.permutation(len(case.original))
        position = np.argsort(order)
        moved = scored(case, original=case.original.iloc[order], source=position[case.source])
        # U4 adds products up in another order.
        assert moved == {
            id_: value if value is None else pytest.approx(value, abs=2e-9)
            for id_, value in unchanged(case, Options()).items()
        }


def test_an_unchanged_table_loses_no_utility():
    for case in CASES:
        source = np.random.default_rng(3).permutation(len(case.original))
        got = scored(case, anonymized=case.original.iloc[source], source=source)
        assert {got[id_] for id_ in UTILITY} <= {0, None}


@pytest.mark.parametrize("id_", PWSCUP_2015)
def test_values_lie_within_the_range_of_the_registry(id_):
    measure = MEASURES[id_]
    for case in CASES:
        value = unchanged(case, Options())[id_]
        if value is not None:
            assert measure.low <= value
            assert measure.high is None or value <= measure.high
            assert type(value) in (int, float)


@pytest.mark.parametrize("id_", LINKAGE)
def test_strict_is_never_above_expected(id_):
    for case in CASES:
        strict = unchanged(case, Options(ties="strict"))[id_]
        assert strict is None or strict <= unchanged(case, Options())[id_]


def test_neither_tables_nor_indexes_are_changed():
    for case in CASES[:4]:
        before = pickle.dumps((case.original, case.anonymized, case.source))
        prepared = Prepared.of(case.original, case.schema)
        prepared.table  # noqa: B018 — made at its first use
        index_before = pickle.dumps(prepared)
        first = scored(case, original=prepared)
        for attack in ATTACKS.values():
            attack(prepared, case.anonymized, case.schema, rng=np.random.default_rng(0))
        assert first == scored(case, original=prepared) == scored(case)
        assert pickle.dumps((case.original, case.anonymized, case.source)) == before
        assert pickle.dumps(prepared) == index_before


def test_an_index_is_read_only():
    prepared = Prepared.of(CASES[1].original, CASES[1].schema)
    arrays = [prepared.sensitive, prepared.sums, prepared.index.first_row, prepared.totals.high]
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("id_", GUESSES)
@pytest.mark.parametrize("step", some(1, [5, 2]))
def test_a_guess_is_a_row_or_none_and_the_same_for_the_same_seed(id_, step):
    for case in CASES[:: 10 if id_ == "replay" else step]:  # which searches through many seeds
        arguments = case.original, case.anonymized, case.schema
        guess = ATTACKS[id_](*arguments, rng=np.random.default_rng(7))
        again = ATTACKS[id_](*arguments, rng=np.random.default_rng(7))
        assert guess.dtype == np.int64
        assert guess.shape == case.source.shape
        assert guess.min() >= -1
        assert guess.max() < len(case.original)
        assert np.array_equal(guess, again)


@pytest.mark.parametrize("id_", GUESSES)
def test_an_attacker_never_sees_the_declared_rows(id_):
    parameters = inspect.signature(ATTACKS[id_].function).parameters
    options = {option.name: option.default for option in ATTACKS[id_].options}
    assert list(parameters) == [
        "original",
        "anonymized",
        "schema",
        "rng",
        "quasi_identifiers",
        "sensitive",
        *options,
    ]
    assert options == {name: parameters[name].default for name in options}


@pytest.mark.parametrize("id_", DEFINITE)
def test_a_definite_guess_hits_what_its_measure_says(id_):
    for case in CASES:
        arguments = case.original, case.anonymized, case.schema
        guess = ATTACKS[id_](*arguments, rng=np.random.default_rng(7))
        expected = unchanged(case, Options(ties="first"))[id_]
        assert expected is None or mark(case.source, guess).rate == expected


@pytest.mark.long
def test_random_guesses_hit_as_often_as_their_measure_expects():
    case = tables.case(20)
    rng = np.random.default_rng(1)
    arguments = case.original, case.anonymized, case.schema
    rates = [mark(case.source, ATTACKS["E1"](*arguments, rng=rng)).rate for _ in range(300)]
    assert 0 < scored(case)["E1"] < 1
    assert np.mean(rates) == pytest.approx(scored(case)["E1"], abs=0.03)


def distinct_case():
    """Distinct sums and values, several classes, so that the laws of the methods bite."""
    schema = tables.make_schema(2, 3, 1)
    rng = np.random.default_rng(4)
    x = tables.table(schema, rng, 60, "zeros").assign(
        q0=rng.choice(["a", "b"], 60), q1=rng.choice(["a", "b", "c"], 60)
    )
    for name in schema.sensitive_numeric:
        x[name] = rng.permutation(60) * 1000.0 + rng.integers(0, 9, 60)
    return schema, x


def test_averaging_and_swapping_within_classes_keep_means_and_classes():
    schema, x = distinct_case()
    rows = np.arange(60)
    before = score(x, x, rows, schema)
    classes = x.groupby(["q0", "q1"])
    rng = np.random.default_rng(1)
    for change in (lambda v: v.mean(), rng.permutation):
        y = x.assign(**{name: classes[name].transform(change) for name in schema.sensitive_numeric})
        got = score(x, y, rows, schema)
        assert [got[id_] for id_ in ("U1", "U2", "U3", "U6")] == [0, 0, 0, 0]
        assert [got[id_] for id_ in ("S1", "S2", "E1")] == [before[i] for i in ("S1", "S2", "E1")]
        assert min(got["U4"], got["U5"]) > 0


def test_declaring_permuted_rows_costs_u5_only_and_defeats_every_linkage():
    schema, x = distinct_case()
    got = score(x, x, np.roll(np.arange(60), 1), schema)
    assert [got[id_] for id_ in ("U1", "U2", "U3", "U4", "U6")] == [0] * 5
    assert [got[id_] for id_ in ("E2", "E3", "E4", "EUC1", "EUC2")] == [0] * 5
    assert got["U5"] > 0


def test_unifying_quasi_identifiers_leaves_distinct_amounts_linkable():
    schema, x = distinct_case()
    got = score(x, x.assign(q1="new"), np.arange(60), schema)
    before = score(x, x, np.arange(60), schema)
    assert [got[id_] for id_ in ("U1", "U2", "U3", "U4", "U5", "U6")] == [0] * 6
    assert got["E2"] == got["EUC2"] == 1
    assert got["E1"] <= before["E1"]
    assert got["S2"] >= before["S2"]


def test_deleting_records_costs_their_number_and_no_values():
    schema, x = distinct_case()
    kept = np.sort(np.random.default_rng(1).permutation(60)[:50])
    got = score(x, x.iloc[kept], kept, schema)
    assert (got["U6"], got["U5"]) == (10, 0)
    assert got["E3"] < 0.5
    assert got["E2"] == got["EUC1"] == 1


def test_means_of_large_fractions_are_compared_below_their_own_rounding():
    schema = tables.make_schema(1, 1)
    rng = np.random.default_rng(1)
    x = tables.table(schema, rng, 999, "signed").assign(s0=1e7 + rng.integers(0, 10**6, 999) / 7)
    y = x.assign(s0=np.roll(x["s0"], 5))
    y.loc[0, "s0"] += 2.0**-20
    assert score(x, y, np.arange(999), schema)["U1"] == pytest.approx(2**-20 / 999, abs=6e-10)
