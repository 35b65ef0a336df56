# SPDX-License-Identifier: Apache-2.0
"""What perturbing methods must do to the measures, on random tables and on pseudo households."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.anonymizers import anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import score
from scoring.tables.equivalence import Classes
from tests.scoring.test_anonymizers import (
    before_and_after,
    case,
    kept,
    positive,
    run,
    zero,
)

ON_SENSITIVE_VALUES = [
    "univariate-microaggregation",
    "mdav",
    "additive-noise",
    "multiplicative-noise",
    "rank-swap",
    "across-class-swap",
    "local-laplace",
]
ON_QUASI_IDENTIFIERS = ["pk-anonymization", "generalized-randomized-response"]


@pytest.fixture(params=["random 0", "households"])
def table_and_schema(request):
    return case(request.param)


@pytest.mark.parametrize("method", ON_SENSITIVE_VALUES)
def test_methods_on_sensitive_values_do_not_change_the_classes(table_and_schema, method):
    before, after = before_and_after(*table_and_schema, method)
    zero(after, "U3", "U6")
    kept(before, after, "S1", "S2", "E1")
    positive(after, "U2", "U5")
    assert after["E4"] < before["E4"]


@pytest.mark.parametrize("method", ["rank-swap", "across-class-swap"])
def test_swaps_keep_every_column(table_and_schema, method):
    table, schema = table_and_schema
    _, after = before_and_after(table, schema, method)
    zero(after, "U1")
    done = run(table, schema, method)
    for name in schema.sensitive_numeric:
        assert sorted(done.table[name]) == sorted(table[name])


def test_a_swap_between_classes_keeps_what_is_swapped_together(table_and_schema):
    _, after = before_and_after(*table_and_schema, "across-class-swap")
    zero(after, "U4")


@pytest.mark.parametrize("method", ON_QUASI_IDENTIFIERS)
def test_methods_on_quasi_identifiers_do_not_change_the_amounts(table_and_schema, method):
    before, after = before_and_after(*table_and_schema, method)
    zero(after, "U1", "U4", "U5", "U6")
    positive(after, "U2", "U3")
    kept(before, after, "E4")
    assert after["E1"] < before["E1"]


def loss(method, measure, options):
    """One measure of one method on one table."""
    table, schema = case("households")
    done = run(table, schema, (method, options))
    return score(table, done.table, done.source, schema, measures=[measure])[measure]


@pytest.mark.parametrize(
    ("method", "measure", "options"),
    [
        ("univariate-microaggregation", "U5", {"k": [2, 5, 25]}),
        ("mdav", "U5", {"k": [2, 5, 25]}),
        ("additive-noise", "U5", {"scale": [0.05, 0.2, 0.8]}),
        ("multiplicative-noise", "U5", {"scale": [0.05, 0.2, 0.8]}),
        ("rank-swap", "U5", {"p": [1, 5, 30]}),
        ("across-class-swap", "U2", {"share": [0.05, 0.3, 1.0]}),
        ("pk-anonymization", "U3", {"rho": [0.99, 0.9, 0.5]}),
        ("generalized-randomized-response", "U3", {"epsilon": [80.0, 40.0, 10.0]}),
        ("local-laplace", "U5", {"epsilon": [1000.0, 100.0, 10.0]}),
    ],
)
def test_more_protection_costs_more(method, measure, options):
    [(name, values)] = options.items()
    found = [loss(method, measure, {name: value}) for value in values]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_common_groups_cost_more_than_groups_for_each_column():
    table, schema = case("households")
    each, common = (
        loss(method, "U5", {"k": 3}) for method in ("univariate-microaggregation", "mdav")
    )
    assert each < common / 3
    # … and protect more: nobody is only with a combination of amounts.
    alone = [
        Classes.of(run(table, schema, (method, {"k": 3})).table, schema.sensitive_numeric).sizes()
        for method in ("univariate-microaggregation", "mdav")
    ]
    assert alone[0].min() == 1
    assert alone[1].min() >= 3


def test_a_chain_of_perturbing_methods():
    original = households(400, seed=9)
    steps = [
        ("record-deletion", {"fraction": 0.1}),
        ("pk-anonymization", {"rho": 0.8}),
        ("mdav", {"k": 4}),
        ("across-class-swap", {"share": 0.2}),
    ]
    done = anonymize(original, HOUSEHOLDS_SCHEMA, steps, rng=np.random.default_rng(1))
    assert len(done.table) == len(done.source) == 360
    amounts = done.table[list(HOUSEHOLDS_SCHEMA.sensitive_numeric)]
    assert amounts.value_counts().min() >= 4
