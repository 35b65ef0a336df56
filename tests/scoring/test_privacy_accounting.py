# SPDX-License-Identifier: Apache-2.0
"""What answers cost together: exact decimals, groups, δ, and many small answers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.privacy import accounting
from scoring.privacy.accounting import Budget, BudgetExceeded, epsilon_from

DECIMALS = st.integers(1, 10**12).map(lambda n: Decimal(n).scaleb(-6))


@given(st.lists(DECIMALS, max_size=50))
def test_sums_are_exact(epsilons):
    assert Fraction(accounting.sequential(epsilons)) == sum(map(Fraction, epsilons))


@given(DECIMALS, st.lists(DECIMALS, max_size=30))
def test_a_budget_is_never_overspent_and_loses_nothing(total, asked):
    budget, paid = Budget(total), Fraction(0)
    for epsilon in asked:
        if paid + Fraction(epsilon) <= Fraction(total):
            budget = budget.spend(epsilon)
            paid += Fraction(epsilon)
        else:
            with pytest.raises(BudgetExceeded) as refused:
                budget.spend(epsilon)
            assert refused.value.remaining == budget.remaining
        assert Fraction(budget.spent) == paid
        assert Fraction(budget.remaining) == Fraction(total) - paid


def test_ten_tenths_are_one():
    budget = Budget(Decimal(1))
    for _ in range(10):
        budget = budget.spend(Decimal("0.1"))
    assert budget.remaining == 0
    with pytest.raises(BudgetExceeded, match=r"at most the 0\.0 that is left"):
        budget.spend(Decimal("0.000001"))


@pytest.mark.parametrize("text", ["1", "0.1", "0.000001", "1000000", "2.50", ".5"])
def test_decimals_of_a_contest(text):
    assert epsilon_from(text) == Decimal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "0.0",
        "-1",
        "0.0000001",
        "1e-3",
        "inf",
        "nan",
        "1,5",
        " 1",
        "１",
        "1.2.3",
        ".",
        "9" * 60,
        "1000000.000001",
        "0x1",
    ],
)
def test_what_is_no_epsilon_of_a_contest(text):
    with pytest.raises(ValueError, match="epsilon: expected"):
        epsilon_from(text)


def test_a_budget_is_an_epsilon_and_what_was_spent_lies_in_it():
    with pytest.raises(ValueError, match="epsilon: expected"):
        Budget(Decimal(0))
    with pytest.raises(ValueError, match="spent: expected 0 to 1, got 2"):
        Budget(Decimal(1), Decimal(2))


def test_groups_in_steps():
    """From one table to the other in g steps: P0 ≤ e^ε P1 + δ ≤ e^ε (e^ε P2 + δ) + δ ≤ …"""
    epsilon, delta = 0.3, 1e-4
    for size in range(1, 8):
        together, failure = accounting.group(epsilon, size, delta)
        assert together == pytest.approx(size * epsilon)
        assert failure == pytest.approx(sum(math.exp(i * epsilon) * delta for i in range(size)))
    assert accounting.group(400, 5, 0.1) == (2000, 1)


def test_advanced_composition_pays_for_many_small_answers_only():
    many, delta = accounting.advanced_composition(0.01, 1e-9, 10_000, 1e-6)
    assert many == pytest.approx(0.01 * math.sqrt(2e4 * math.log(1e6)) + 100 * math.expm1(0.01))
    assert many < 100
    assert delta == pytest.approx(1e-5 + 1e-6)
    assert accounting.advanced_composition(1, 0, 3, 1e-6)[0] == 3
    assert accounting.advanced_composition(1000, 0, 3, 1e-6)[0] == 3000


def test_failure_of_twice_epsilon_on_the_worst_mechanisms():
    """All mechanisms of three answers on a grid that are (ε,δ): the bound holds and is nearly met."""
    epsilon, delta = math.log(2), 0.1
    grid = [(a / 10, b / 10) for a in range(11) for b in range(11 - a)]
    worst = 0.0
    for one in grid:
        p = np.array([*one, 1 - sum(one)]).round(9)
        for other in grid:
            q = np.array([*other, 1 - sum(other)]).round(9)
            if np.maximum(0, p - 2 * q).sum() <= delta + 1e-12:
                worst = max(worst, p[(p > 4 * q) | ((p > 0) & (q == 0))].sum())
    bound = accounting.failure_of_twice(epsilon, delta)
    assert bound == pytest.approx(0.2)
    assert 0.1 <= worst <= bound + 1e-9
    # what the lecture states, 2δ / (ε e^ε), is passed by answers that tell all with probability δ
    assert 2 * delta / (5 * math.exp(5)) < delta <= accounting.failure_of_twice(5, delta)


def test_costs_add_up():
    assert accounting.basic_composition([(0.1, 0.0)] * 10) == (pytest.approx(1.0), 0.0)
    assert accounting.share(4, 8) == 0.5


@pytest.mark.parametrize("call", [
    lambda: accounting.share(1, 0),
    lambda: accounting.share(0, 1),
    lambda: accounting.group(1, 0),
    lambda: accounting.group(1, 2, 1.0),
    lambda: accounting.advanced_composition(1, 0, 0, 0.1),
    lambda: accounting.advanced_composition(1, 0, 1, 0),
    lambda: accounting.basic_composition([(1, -0.1)]),
    lambda: accounting.basic_composition([(math.inf, 0)]),
    lambda: accounting.failure_of_twice(0, 0.1),
    lambda: accounting.sequential([Decimal("NaN")]),
    lambda: accounting.sequential([Decimal("Infinity")]),
    lambda: accounting.checked_decimal(Decimal("-0.5")),
])  # fmt: skip
def test_wrong_arguments_are_named(call):
    with pytest.raises(ValueError, match=r"^\w+: expected .* got"):
        call()
