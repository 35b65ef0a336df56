# SPDX-License-Identifier: Apache-2.0
"""Laws that every measure beyond those of 2015 must keep, on random tables; families add their own."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

from scoring.evaluate import Options, Prepared, score
from scoring.registry import MEASURES, PWSCUP_2015
from tests.every import some
from tests.scoring import tables

FURTHER = [id_ for id_ in MEASURES if id_ not in PWSCUP_2015]
CASES = [tables.case(seed) for seed in range(0, 24, 3)]


@pytest.fixture(
    params=some(1, [slice(0, None, 4), slice(1, None, 4), slice(2, None, 4), slice(3, None, 4)]),
    ids=["first", "second", "third", "fourth"],
)
def cases(request):
    """One quarter of the cases; the others are for `make test-long`."""
    return CASES[request.param]


def value(id_, case, **changes):
    return score(
        changes.get("original", case.original),
        changes.get("anonymized", case.anonymized),
        changes.get("source", case.source),
        case.schema,
        options=changes.get("options", Options()),
        measures=[id_],
    )[id_]


@cache
def unchanged(id_, case):
    """The value of a case as it is, which many laws compare others with."""
    return value(id_, case)


@pytest.mark.parametrize("id_", FURTHER)
def test_values_lie_within_the_range_of_the_registry(id_, cases):
    measure = MEASURES[id_]
    for case in cases:
        got = unchanged(id_, case)
        if got is not None:
            assert type(got) in (int, float)
            assert np.isfinite(got)
            assert measure.low <= got
            assert measure.high is None or got <= measure.high


@pytest.mark.parametrize("id_", FURTHER)
def test_the_order_of_the_records_decides_nothing(id_, cases):
    rng = np.random.default_rng(1)
    for case in cases:
        order = rng.permutation(len(case.source))
        shuffled = case.anonymized.iloc[order]  # with its index shuffled: labels are no positions
        got = value(id_, case, anonymized=shuffled, source=case.source[order])
        expected = unchanged(id_, case)
        assert got == (expected if expected is None else pytest.approx(expected, abs=1e-8))


@pytest.mark.long
@pytest.mark.parametrize("id_", FURTHER)
def test_inputs_are_unchanged_and_a_value_comes_out_the_same_again(id_):
    for case in CASES[:3]:
        before = pickle.dumps((case.original, case.anonymized, case.source))
        assert value(id_, case) == value(id_, case)
        assert pickle.dumps((case.original, case.anonymized, case.source)) == before


# Risk and diversity

RISK = [id_ for id_ in FURTHER if MEASURES[id_].family == "risk"]
DIVERSITY = [id_ for id_ in FURTHER if MEASURES[id_].family == "diversity"]
OF_CLASSES = [
    *(
        "prosecutor-risk",
        "prosecutor-mean",
        "at-risk",
        "sample-uniques",
        "distinction",
        "separation",
    ),
    *(
        id_ for id_ in DIVERSITY if id_ != "delta-disclosure"
    ),  # looks at the values that a class has
]
"""What no merging of classes can make worse."""


def is_no_worse(id_: str, new: float | None, old: float | None) -> bool:
    if new is None or old is None:
        return new is old
    gain = old - new if MEASURES[id_].direction == "lower" else new - old
    return gain >= -1e-9


@pytest.mark.parametrize("id_", OF_CLASSES)
def test_a_coarser_table_is_no_less_safe(id_, cases):
    for case in cases:
        coarser, before = case.anonymized, unchanged(id_, case)
        for name in case.schema.quasi_identifiers:
            coarser = coarser.assign(**{name: "0"})
            after = value(id_, case, anonymized=coarser)
            assert is_no_worse(id_, after, before)
            before = after


def test_what_is_left_where_everybody_is_in_one_class(cases):
    for case in cases:
        names = dict.fromkeys(case.schema.quasi_identifiers, "0")
        n_x, n_y = len(case.original), len(case.anonymized)
        expected = {
            **dict.fromkeys(("prosecutor-risk", "prosecutor-mean"), 1 / n_y),
            **dict.fromkeys(("journalist-risk", "journalist-mean", "marketer-risk"), 1 / n_x),
            "at-risk": float(n_y < 5),
            **dict.fromkeys(("sample-uniques", "zayatz", "pitman"), float(n_y == 1)),
            "population-uniques": float(n_x == 1),
            **dict.fromkeys(("suda-mean", "suda-max"), 0 if names else None),
            "t-closeness": 0 if case.schema.sensitive_numeric else None,
        }
        tables_ = {
            "original": case.original.assign(**names),
            "anonymized": case.anonymized.assign(**names),
        }
        got = {id_: value(id_, case, **tables_) for id_ in expected}
        assert got == pytest.approx(expected, abs=1e-9)


def test_the_journalist_knows_no_more_than_the_prosecutor_where_nothing_was_left_out(cases):
    for case in cases:
        x = case.original
        same = {"anonymized": x, "source": np.arange(len(x))}
        of = {id_: value(id_, case, **same) for id_ in RISK}
        assert of["journalist-risk"] == of["prosecutor-risk"]
        assert of["journalist-mean"] == of["marketer-risk"] == of["prosecutor-mean"]
        assert of["zayatz"] == of["sample-uniques"]
        assert of["population-uniques"] == (1 if of["sample-uniques"] else 0)


@pytest.mark.parametrize("id_", [*RISK, *DIVERSITY])
def test_names_of_values_and_units_of_amounts_decide_nothing(id_, cases):
    for case in cases:
        changed = []
        for table in (case.original, case.anonymized):
            renamed = {name: "v" + table[name] for name in case.schema.quasi_identifiers}
            scaled = {name: 2 * table[name] + 8 for name in case.schema.sensitive_numeric}
            changed.append(table.assign(**renamed, **scaled))
        expected = unchanged(id_, case)
        got = value(id_, case, original=changed[0], anonymized=changed[1])
        assert got == (expected if expected is None else pytest.approx(expected, abs=1e-8))


# Similarity


SIMILARITY = [id_ for id_ in FURTHER if MEASURES[id_].family in ("similarity", "utility")]


def nothing_lost(id_):
    measure = MEASURES[id_]
    return measure.low if measure.direction == "lower" else measure.high


@pytest.mark.parametrize("id_", SIMILARITY)
def test_an_unchanged_table_is_as_similar_as_can_be(id_, cases):
    rng = np.random.default_rng(2)
    for case in cases:
        source = rng.permutation(len(case.original))
        unchanged = case.original.iloc[source].drop(columns="name")
        assert value(id_, case, anonymized=unchanged, source=source) in (nothing_lost(id_), None)


@pytest.mark.parametrize("id_", SIMILARITY)
def test_the_order_of_the_original_decides_nothing(id_, cases):
    rng = np.random.default_rng(3)
    for case in cases:
        order = rng.permutation(len(case.original))
        source = np.argsort(order)[case.source]
        got = value(id_, case, original=case.original.iloc[order], source=source)
        expected = unchanged(id_, case)
        assert got == (expected if expected is None else pytest.approx(expected, abs=1e-8))


@pytest.mark.parametrize("id_", SIMILARITY)
def test_similarity_is_known_wherever_a_number_and_a_category_are(id_):
    schema = tables.make_schema(2, 2)
    rng = np.random.default_rng(5)
    original = tables.table(schema, rng, 30, "signed")
    source = np.arange(30)
    case = tables.Case(schema, original, original.drop(columns="name"), source)
    assert value(id_, case) == nothing_lost(id_)


# Disclosure


DISCLOSURE = [id_ for id_ in FURTHER if MEASURES[id_].family == "disclosure"]


def with_control(case, order=slice(None)):
    """The original in some order, next to a control table drawn like it."""
    rng = np.random.default_rng(5)
    control = tables.table(case.schema, rng, int(rng.integers(1, 26)), "signed")
    return Prepared.of(case.original.iloc[order], case.schema, control=control)


@pytest.mark.parametrize("id_", DISCLOSURE)
def test_disclosure_is_known_next_to_a_control_and_order_decides_nothing(id_, cases):
    rng = np.random.default_rng(6)
    for case in cases:
        columns = case.schema.quasi_identifiers + case.schema.sensitive_numeric
        got = value(id_, case, original=with_control(case))
        assert (got is None) == (len(columns) < (2 if id_ in ("linkability", "inference") else 1))
        assert got is None or 0 <= got <= 1
        assert unchanged(id_, case) is None
        of_x, of_y = rng.permutation(len(case.original)), rng.permutation(len(case.source))
        again = value(
            id_,
            case,
            original=with_control(case, of_x),
            anonymized=case.anonymized.iloc[of_y],
            source=np.argsort(of_x)[case.source[of_y]],
        )
        assert again == got


@pytest.mark.parametrize("id_", SIMILARITY + DISCLOSURE)
def test_a_seed_decides_all_that_is_drawn(id_):
    case = CASES[3]
    for seed in (1, 2):
        options = Options(seed=seed)
        first = value(id_, case, original=with_control(case), options=options)
        assert first == value(id_, case, original=with_control(case), options=options)
