# SPDX-License-Identifier: Apache-2.0
"""Numerical accounting: figures of dp-accounting, exact sums over all answers, and single answers."""

from __future__ import annotations

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from scoring.cli.main import main
from scoring.privacy import loss_distributions as pld
from scoring.privacy import post_randomization as pram
from scoring.privacy import zcdp
from scoring.privacy.accounting import advanced_composition
from scoring.privacy.mechanisms import gaussian_delta
from scoring.privacy.sampling import discrete_gaussian, seeded
from tests.every import some

# dp-accounting 0.6.0 (Google, Apache-2.0), privacy loss distributions with an interval of 1e-4: ε at δ. Not a
# dependency: it wants NumPy below the version used here.
GAUSSIAN = [
    ([(1.0, 1)], 1e-5, 4.37717810002877),
    ([(1.0, 1)], 1e-6, 4.886554124378578),
    ([(2.0, 10)], 1e-5, 7.511275931240041),
    ([(10.0, 100)], 1e-6, 4.8865545842528),
    ([(5.0, 30)], 1e-6, 5.422511530611935),
]
LAPLACE = [
    ([(1.0, 1)], 1e-5, 0.9999800002999949),
    ([(10.0, 100)], 1e-5, 4.2203473472201205),
    ([(20.0, 50)], 1e-6, 1.4788307819883133),
    ([(100.0, 10_000)], 1e-6, 4.87625793195886),
]
PURE = [([(0.1, 100)], 1e-6, 4.774567588419261), ([(0.01, 10_000)], 1e-6, 4.885515558123745)]


@pytest.mark.parametrize(
    ("mechanism", "answers", "delta", "epsilon"),
    [
        *((pld.gaussian, *case) for case in GAUSSIAN),
        *((pld.laplace, *case) for case in LAPLACE),
        *((pld.pure, *case) for case in PURE),
        (pld.discrete_laplace, [(0.5, 10)], 1e-6, 4.999885471110101),
    ],
)
def test_the_figures_of_dp_accounting(mechanism, answers, delta, epsilon):
    together = pld.compose([(partial(mechanism, value), n) for value, n in answers])
    assert together.epsilon(delta) == pytest.approx(epsilon, rel=1e-6)


def test_different_mechanisms_are_composed_as_by_dp_accounting():
    both = pld.compose([(partial(pld.gaussian, 2.0), 1), (partial(pld.laplace, 4.0), 1)])
    assert both.epsilon(1e-5) == pytest.approx(2.1661552988470656, rel=1e-6)


@pytest.mark.parametrize(
    ("mechanism", "n", "published"),
    [
        (partial(pld.randomized_response, 0.5, 2), 20, 9.861411024130222),
        (partial(pld.randomized_response, 0.1, 5), 200, 3.903197577345812),
        (partial(pld.discrete_gaussian, 3.0), 1, 1.2674876563435697),
        (partial(pld.discrete_gaussian, 3.0), 20, 6.9970243318349254),
    ],
)
def test_where_dp_accounting_rounds_up_the_bound_is_a_little_lower(mechanism, n, published):
    """It rounds the losses of discrete answers up to the grid."""
    found = pld.compose([(mechanism, n)]).epsilon(1e-5)
    assert published * (1 - 1e-3) < found < published


# Exact sums


def exact_delta(epsilon: float, n: int, at: float) -> float:
    """δ of n binary randomized responses of ε at `at`, summed over the numbers of true answers in decimals."""
    with localcontext(prec=60):
        true = 1 / (1 + (-Decimal(epsilon)).exp())
        total = Decimal(0)
        for k in range(n + 1):
            loss = (2 * k - n) * Decimal(epsilon)
            if loss > Decimal(at):
                chance = math.comb(n, k) * true**k * (1 - true) ** (n - k)
                total += chance * (1 - (Decimal(at) - loss).exp())
        return float(total)


@pytest.mark.parametrize(("epsilon", "n"), some(2, [(0.5, 20), (0.013, 2000), (0.1, 100)]))
@pytest.mark.parametrize(
    "mechanism", [pld.pure, lambda e, **grid: pld.randomized_response(e, 2, **grid)]
)
def test_bounds_are_above_the_exact_loss_and_close(mechanism, epsilon, n):
    together = pld.compose([(partial(mechanism, epsilon), n)])
    for delta in (1e-3, 1e-6, 1e-9):
        found = together.epsilon(delta)
        assert exact_delta(epsilon, n, found) <= delta
        assert exact_delta(epsilon, n, found * (1 - 1e-4)) > delta
        assert found <= advanced_composition(epsilon, 0, n, delta)[0]


def test_advanced_composition_is_far_above_the_exact_loss():
    exact = pld.compose([(partial(pld.pure, 0.2), 200)]).epsilon(1e-6)
    assert advanced_composition(0.2, 0, 200, 1e-6)[0] / exact == pytest.approx(1.434, abs=1e-3)


def command(capsys, *arguments: str) -> dict[str, float | None]:
    assert main(["dp", "account", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_accounts_by_every_rule(capsys):
    found = command(capsys, "--answers", "laplace:0.1x100")
    assert found["sum"] == pytest.approx(10)
    assert found["numerical"] == pytest.approx(4.692667438643727, rel=1e-6)
    assert found["numerical"] < found["zcdp"] < found["advanced"] < found["sum"]
    mixed = command(capsys, "--answers", "gaussian:2, laplace:0.25", "--delta", "1e-5")
    assert mixed["numerical"] == pytest.approx(2.1661552988470656, rel=1e-6)
    assert mixed["sum"] is mixed["advanced"] is None
    assert mixed["rho"] == pytest.approx(1 / 8 + 1 / 32)


@pytest.mark.parametrize("answers", ["laplace", "laplace:0x3", "noise:1x3", "pure:1x0", "pure:1xx"])
def test_answers_that_mean_nothing_are_refused(capsys, answers):
    assert main(["dp", "account", "--answers", answers]) == 2
    assert "--answers" in capsys.readouterr().err
    assert main(["dp", "account", "--answers", "pure:1", "--delta", "2"]) == 2
    assert "--delta" in capsys.readouterr().err


@pytest.mark.parametrize("sigma", some(2, [1.0, 300.0, 0.05, 0.5, 4.0]))
def test_one_gaussian_answer_has_its_known_delta(sigma):
    found = pld.gaussian(sigma)
    for times in (0.5, 2.0, 4.0):
        epsilon = times / sigma + 0.5 / sigma**2
        exact = gaussian_delta(1, epsilon, sigma)
        if exact > 1e-10:
            assert exact <= found.delta(epsilon) * (1 + 1e-9)
            assert found.delta(epsilon) == pytest.approx(exact, rel=2e-3)
            assert found.epsilon(exact) == pytest.approx(epsilon, rel=1e-3)


@pytest.mark.parametrize("scale", [0.2, 1.0, 3.0, 1000.0])
def test_one_laplace_answer_has_its_known_delta(scale):
    for share in (0.0, 0.3, 0.9):
        exact = -math.expm1(-(1 - share) / scale / 2)
        assert pld.laplace(scale).delta(share / scale) == pytest.approx(exact, rel=1e-4)
    assert pld.laplace(scale).delta(1 / scale) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_discrete_answers_have_the_delta_of_summing_all_of_them(sensitivity):
    x = np.arange(-400, 401)
    for epsilon in (0.3, 1.0):
        q = math.exp(-epsilon / sensitivity)
        one = (1 - q) / (1 + q) * q ** np.abs(x)
        other = (1 - q) / (1 + q) * q ** np.abs(x - sensitivity).astype(float)
        for at in (0.0, 0.2):
            exact = np.maximum(one - math.exp(at) * other, 0).sum()
            found = pld.discrete_laplace(epsilon, sensitivity).delta(at)
            assert found == pytest.approx(exact, rel=1e-4)
    for sigma in (1.0, 7.5):
        one = np.exp(-(x**2) / (2 * sigma**2))
        other = np.exp(-((x - sensitivity) ** 2) / (2 * sigma**2))
        for at in (0.0, 0.5):
            exact = np.maximum(one - math.exp(at) * other, 0).sum() / one.sum()
            found = pld.discrete_gaussian(sigma, sensitivity).delta(at)
            assert found == pytest.approx(exact, rel=1e-3)


def test_delta_and_epsilon_are_inverse_and_everything_is_reported_with_the_mechanisms_delta():
    together = pld.compose([(partial(pld.pure, 0.2, 1e-4), 10)])
    assert together.infinite == pytest.approx(1 - (1 - 1e-4) ** 10)
    assert together.epsilon(1e-4) == math.inf
    assert together.delta(together.epsilon(0.01)) == pytest.approx(0.01)
    assert together.epsilon(0.999) == 0
    assert together.delta(0) <= 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: pld.compose([]), "answers"),
        (lambda: pld.compose([(pld.gaussian, 0)]), "answers"),
        (lambda: pld.laplace(0), "scale"),
        (lambda: pld.gaussian(-1), "sigma"),
        (lambda: pld.pure(1, 1), "delta"),
        (lambda: pld.randomized_response(1, 1), "n_values"),
        (lambda: pld.discrete_gaussian(1, 0), "sensitivity"),
        (lambda: pld.discrete_laplace(1, 0), "sensitivity"),
        (lambda: pld.gaussian(1.0).epsilon(1e-12), "delta"),
        (lambda: pld.gaussian(1.0, interval=0.0), "interval"),
    ],
)
def test_what_is_out_of_range_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()


# zCDP


def plain_delta(rho: float, epsilon: float) -> float:
    orders = 1 + np.geomspace(1e-3, 1e4, 40_000)
    logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders)
    return min(1.0, float(np.exp((logs - np.log(orders - 1)).min())))


@pytest.mark.parametrize("rho", [0.001, 0.1, 0.5, 3.0])
def test_zcdp_is_the_least_over_all_orders(rho):
    for delta in (1e-3, 1e-6, 1e-10):
        epsilon = zcdp.epsilon_of_rho(rho, delta)
        assert plain_delta(rho, epsilon) == pytest.approx(delta, rel=1e-4)
        assert epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / delta))
        assert zcdp.rho_of_budget(epsilon, delta) == pytest.approx(rho, rel=1e-9)


@pytest.mark.parametrize(("sigma", "n"), [(1.0, 1), (5.0, 30), (10.0, 100)])
def test_zcdp_is_above_the_loss_of_gaussian_answers_and_near_it(sigma, n):
    rho = zcdp.composed([zcdp.rho_of_gaussian(sigma)] * n)
    exact = pld.compose([(partial(pld.gaussian, sigma), n)]).epsilon(1e-6)
    assert exact < zcdp.epsilon_of_rho(rho, 1e-6) < 1.1 * exact
    assert zcdp.sigma_of_rho(rho) == pytest.approx(sigma / math.sqrt(n))


def test_a_small_rho_needs_no_epsilon():
    assert zcdp.epsilon_of_rho(1e-12, 0.1) == 0
    with pytest.raises(ValueError, match="rho"):
        zcdp.composed([0.1, 0.0])
    with pytest.raises(ValueError, match="epsilon"):
        zcdp.delta_of_rho(0.1, -1)


# Discrete normal noise


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(2), Fraction(81, 2)])
@pytest.mark.parametrize("n", some(1, [5_000, 20_000]))
def test_integers_are_drawn_with_their_probabilities(variance, n):
    drawn = discrete_gaussian(variance, n, seeded(np.random.default_rng(1)))
    x = np.arange(-60, 61)
    chances = np.exp(-(x**2) / (2 * float(variance)))
    chances /= chances.sum()
    counts = np.bincount(drawn + 60, minlength=121)
    likely = n * chances > 5
    square = (counts - n * chances)[likely] ** 2 / (n * chances)[likely]
    assert square.sum() < likely.sum() + 4 * math.sqrt(2 * likely.sum())
    assert counts[n * chances < 1e-3].sum() == 0
    with pytest.raises(ValueError, match="variance"):
        discrete_gaussian(Fraction(0), 1, seeded(np.random.default_rng(1)))


# ρ of retention


def exact_epsilon(rhos, sizes) -> Decimal:
    with localcontext(prec=60):
        return sum(
            (
                ((1 + (v - 1) * Decimal(r)) / (1 - Decimal(r))).ln()
                for r, v in zip(rhos, sizes, strict=True)
            ),
            Decimal(0),
        )


@pytest.mark.parametrize("n_cases", some(1, [300, 1_500]))
def test_no_rho_exceeds_the_epsilon_that_is_promised(n_cases):
    """Of these, 2 % did by the last bit of a float, which floating-point numbers do not show."""
    rng = np.random.default_rng(1)
    for _case in range(n_cases):
        epsilon = float(rng.uniform(0.001, 9))
        sizes = tuple(int(v) for v in rng.integers(2, 40, rng.integers(1, 5)))
        rho = pram.rho_of(epsilon, sizes)
        rhos = pram.rhos_of(epsilon, sizes, rng.uniform(0.1, 2, len(sizes)).tolist())
        for chosen in ((rho,) * len(sizes), rhos):
            found = exact_epsilon(chosen, sizes)
            assert found <= Decimal(epsilon), (epsilon, sizes)
            assert found > Decimal(epsilon) * (1 - Decimal("1e-10")), (epsilon, sizes)
