# SPDX-License-Identifier: Apache-2.0
"""Pk-anonymization and reconstruction against full matrices, records and closed forms."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from scoring.cli import main as cli
from scoring.privacy import post_randomization as pram
from scoring.privacy import randomized_response, sampling, tables
from scoring.privacy.domains import MAX_CELLS
from scoring.privacy.reconstruction import iterative_bayes, iterative_bayes_each
from tests.every import every
from tests.scoring.privacy_oracles import PERSONS, SIZES, full_matrix, slow_bayes


def rng(seed=1):
    return np.random.default_rng(seed)


# --- ε, ρ and k ---

EXACT = {
    0.1: (0.01135, 4945.32),
    1: (0.13346, 818.29),
    2: (0.29908, 111.61),
    3.2: (0.50355, 11.03),
    3.7: (0.58118, 4.69),
    4: (0.62426, 3.03),
}


@pytest.mark.parametrize("epsilon", EXACT)
def test_the_published_table_corrected(epsilon):
    rho, k = EXACT[epsilon]
    assert pram.rho_of(epsilon, SIZES) == pytest.approx(rho, abs=5e-6)
    assert pram.k_of(epsilon, 6040) == pytest.approx(k, abs=5e-3)
    assert pram.rho_of(epsilon, SIZES, "taylor") == epsilon / 9


DOMAINS = [(2,), (2, 7), (3, 3, 3), (1000,), (2,) * 30, (2, 100_000)]


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1, 4, 20, 200])
@pytest.mark.parametrize("sizes", DOMAINS)
def test_there_and_back(epsilon, sizes):
    rho = pram.rho_of(epsilon, sizes)
    assert 0 < rho < 1
    found = pram.epsilon_of(rho, sizes)
    assert found <= epsilon
    if epsilon < 20 * len(sizes):  # beyond, 1 - ρ has few digits
        assert found == pytest.approx(epsilon, rel=1e-6)
    for weights in (None, range(1, len(sizes) + 1)):
        rhos = pram.rhos_of(min(epsilon, 20), sizes, weights)
        assert pram.epsilon_of(rhos, sizes) == pytest.approx(min(epsilon, 20), rel=1e-6)


@pytest.mark.parametrize("sizes", DOMAINS)
@pytest.mark.parametrize("n_records", [2, 6040])
def test_k_is_the_same_for_every_domain(sizes, n_records):
    for rho in (0.0, 0.2, [w / (1 + w) for w in range(len(sizes))]):
        epsilon = pram.epsilon_of(rho, sizes)
        expected = 1 + (n_records - 1) * math.exp(-2 * epsilon)
        assert pram.k_of_rho(rho, sizes, n_records) == pytest.approx(expected)
        if epsilon > 0:
            assert pram.k_of(epsilon, n_records) == pytest.approx(expected)
    assert pram.epsilon_of_k(pram.k_of(0.7, n_records), n_records) == pytest.approx(0.7)


def test_one_attribute_is_generalized_randomized_response():
    for size, epsilon in itertools.product((2, 5, 40), (0.1, 1, 6)):
        rho = pram.rho_of(epsilon, (size,))
        expected = randomized_response.probabilities(size, epsilon).true
        assert pram.keep_probability(rho, size) == pytest.approx(expected)


def test_an_attribute_kept_or_lost_altogether():
    assert pram.epsilon_of([1, 0.5], SIZES) == math.inf
    assert pram.epsilon_of(0, SIZES) == 0
    assert pram.k_of_rho([1, 0.5], SIZES, 6040) == 1


# --- the mechanism ---


def records_of(table):
    cells = np.repeat(np.arange(table.size), table.ravel())
    return np.column_stack(np.unravel_index(cells, table.shape)).astype(np.uint8)


def test_records_are_randomized_with_the_matrix_of_the_domain():
    """Every cell's records go everywhere as often as the Kronecker product says."""
    sizes, rhos, n = (2, 3), (0.3, 0.6), 30_000
    matrix = full_matrix(sizes, rhos)
    for cell in range(6):
        table = np.zeros(6, dtype=int)
        table[cell] = n
        codes = records_of(table.reshape(sizes))
        found = tables.contingency(pram.randomize(codes, sizes, rhos, rng(cell)), sizes)
        assert found.ravel() / n == pytest.approx(matrix[cell], abs=0.016)


@pytest.mark.parametrize("source", [rng(4), sampling.secure()], ids=["seeded", "secure"])
def test_randomization_does_not_change_order_type_and_input(source):
    codes = records_of(PERSONS)
    before = codes.copy()
    assert (pram.randomize(codes, SIZES, 1.0, source) == codes).all()
    found = pram.randomize(codes, SIZES, (1.0, 0.0), source)
    assert (found[:, 0] == codes[:, 0]).all()
    assert found[:, 1] != pytest.approx(codes[:, 1])
    assert (codes == before).all()
    assert found.dtype == np.uint8


def test_one_seed_gives_one_release():
    codes = records_of(PERSONS)
    one, two = (pram.randomize(codes, SIZES, 0.5, rng(7)) for _ in range(2))
    assert (one == two).all()


def test_tables_are_randomized_as_records_are():
    """Mean and variance of every cell, from records and from counts, next to the closed forms."""
    sizes, rhos = (2, 3), (0.3, 0.6)
    table = np.array([[40, 0, 10], [5, 25, 20]])
    quick = pram.randomize_tables(table, sizes, rhos, 4000, rng(5))
    assert (quick.sum(axis=(1, 2)) == 100).all()
    codes, generator = records_of(table), rng(6)
    slow = np.array(
        [
            tables.contingency(pram.randomize(codes, sizes, rhos, generator), sizes)
            for _ in range(1500)
        ]
    )
    matrix = full_matrix(sizes, rhos)
    mean = (table.ravel() @ matrix).reshape(sizes)
    variance = (table.ravel() @ (matrix * (1 - matrix))).reshape(sizes)
    assert pram.expected_table(table, sizes, rhos) == pytest.approx(mean)
    for found in (quick, slow):
        assert found.mean(axis=0) == pytest.approx(mean, abs=0.6)
        assert found.var(axis=0) == pytest.approx(variance, rel=0.17)


@pytest.mark.parametrize("sizes", [(2,), (2, 7), (3, 2, 4), (2, 70)])
def test_the_matrix_is_applied_attribute_by_attribute(sizes):
    generator = rng(8)
    rhos = generator.random(len(sizes)).tolist()
    several = generator.random((3, *sizes))
    expected = several.reshape(3, -1) @ full_matrix(sizes, rhos)
    assert pram.expected_table(several, sizes, rhos).reshape(3, -1) == pytest.approx(expected)
    assert pram.expected_table(several, sizes, 1) == pytest.approx(several)


@pytest.mark.parametrize(("epsilon", "expected"), [(0.1, 1429.32), (1, 1276.95), (4, 606.44)])
def test_the_distance_of_a_batch_in_closed_form(epsilon, expected):
    rho = pram.rho_of(epsilon, SIZES)
    squared = pram.mean_squared_distance(PERSONS, SIZES, rho)
    assert math.sqrt(squared) == pytest.approx(expected, abs=0.005)
    drawn = pram.randomize_tables(PERSONS, SIZES, rho, 2000, rng())
    simulated = (tables.l2_each(drawn.astype(float), PERSONS) ** 2).mean()
    assert simulated == pytest.approx(squared, rel=0.01)


def test_empirical_epsilon_of_pk_anonymization():
    """Two records that differ in both attributes: no answer tells them apart by more than ε."""
    epsilon, n = 2.0, 200_000
    rho = pram.rho_of(epsilon, SIZES)
    found = []
    for seed, record in enumerate([(0, 0), (1, 6)]):
        codes = np.tile(np.array(record, dtype=np.int64), (n, 1))
        found.append(tables.contingency(pram.randomize(codes, SIZES, rho, rng(seed)), SIZES))
    ratios = np.abs(np.log(found[0] / found[1]))
    worst = np.unravel_index(ratios.argmax(), SIZES)
    error = math.sqrt(1 / found[0][worst] + 1 / found[1][worst])
    assert 0.93 * epsilon <= ratios[worst] <= epsilon + 4 * error
    weaker = pram.epsilon_of(pram.rho_of(1.2 * epsilon, SIZES), SIZES)
    assert weaker > epsilon + 4 * error  # a ρ that is too large would be seen


# --- reconstruction ---


@pytest.mark.parametrize("sizes", [(3,), (2, 7), (2, 3, 4)])
@pytest.mark.parametrize("iterations", [1, 7, 50])
def test_reconstruction_agrees_with_full_matrices(sizes, iterations):
    generator = rng(9)
    rhos = (0.2 + 0.7 * generator.random(len(sizes))).tolist()
    observed = generator.integers(0, 50, sizes)
    found = iterative_bayes(observed, sizes, rhos, tolerance=0, max_iterations=iterations)
    assert found.table == pytest.approx(slow_bayes(observed, sizes, rhos, iterations))
    assert found.iterations == iterations
    assert found.table.sum() == pytest.approx(observed.sum())
    assert found.table.min() >= 0


def test_reconstruction_never_becomes_less_likely():
    sizes, rho = SIZES, 0.4
    observed = pram.randomize_tables(PERSONS, sizes, rho, 1, rng(3))[0]

    def likelihood(table):
        return (observed * np.log(pram.expected_table(table, sizes, rho))).sum()

    found = [
        likelihood(iterative_bayes(observed, sizes, rho, tolerance=0, max_iterations=n).table)
        for n in (0, 1, 2, 5, 20, 100)
    ]
    assert found == sorted(found)
    assert found[-1] > found[0]


@pytest.mark.long
def test_with_a_prior_neither_start_nor_limit_decides():
    """At a small ε, where the likelihood is nearly flat; the mode is where the gradient is 0."""
    rho, prior = 0.1, 1.0
    observed = pram.randomize_tables(PERSONS, SIZES, rho, 1, rng(3))[0]
    starts = ("uniform", PERSONS + 1.0)
    uniform, other = (
        iterative_bayes(observed, SIZES, rho, start=s, prior=prior, max_iterations=9_000)
        for s in starts
    )
    assert uniform.converged
    assert other.converged
    assert other.table == pytest.approx(uniform.table, abs=0.01)
    expected = pram.expected_table(uniform.table, SIZES, rho)
    gradient = pram.expected_table(observed / expected, SIZES, rho) + prior / uniform.table
    assert gradient == pytest.approx(np.full(SIZES, gradient.mean()), rel=1e-4)


@pytest.mark.parametrize("prior", [-1.0, math.inf, math.nan])
def test_a_prior_is_a_number_of_records(prior):
    with pytest.raises(ValueError, match="prior: expected a finite number of at least 0"):
        iterative_bayes([1, 2], (2,), 0.5, prior=prior)


def test_reconstruction_says_how_far_it_came():
    observed = pram.expected_table(PERSONS, SIZES, 0.62)
    limited = iterative_bayes(observed, SIZES, 0.62, max_iterations=3)
    assert (limited.iterations, limited.converged) == (3, False)
    done = iterative_bayes(observed, SIZES, 0.62, max_iterations=10_000, tolerance=1e-12)
    assert done.converged
    assert 3 < done.iterations < 10_000
    assert done.change <= 1e-12
    assert done.table == pytest.approx(PERSONS, abs=1e-3)
    before = iterative_bayes(
        observed, SIZES, 0.62, tolerance=0, max_iterations=done.iterations - 1
    ).table
    assert np.abs(done.table - before).sum() / 6040 == pytest.approx(done.change, rel=1e-3)


def test_reconstruction_starts_where_it_is_reported():
    observed = pram.randomize_tables(PERSONS, SIZES, 0.3, 1, rng(1))[0]
    none = {"max_iterations": 0}
    assert iterative_bayes(observed, SIZES, 0.3, **none).table == pytest.approx(
        np.full(SIZES, 6040 / 14)
    )
    started = iterative_bayes(observed, SIZES, 0.3, start="observed", **none)
    assert (started.table == observed).all()
    assert (started.iterations, started.converged) == (0, False)
    given = iterative_bayes(observed, SIZES, 0.3, start=PERSONS / 10, **none)
    assert given.table == pytest.approx(PERSONS)
    held = np.ones(SIZES)
    held[0, 0] = 0
    assert iterative_bayes(observed, SIZES, 0.3, start=held).table[0, 0] == 0
    assert observed.sum() == 6040


def test_several_tables_stop_each_by_itself():
    several = pram.randomize_tables(PERSONS, SIZES, 0.8, 6, rng(2))
    together = iterative_bayes_each(several, SIZES, 0.8, tolerance=1e-6)
    assert len({found.iterations for found in together}) > 1
    for found, observed in zip(together, several, strict=True):
        alone = iterative_bayes(observed, SIZES, 0.8, tolerance=1e-6)
        assert found.table == pytest.approx(alone.table)
        assert (found.iterations, found.converged) == (alone.iterations, alone.converged)


def test_extreme_parameters_of_reconstruction():
    kept = iterative_bayes(PERSONS, SIZES, 1.0)
    assert kept.converged
    assert kept.table == pytest.approx(PERSONS)
    lost = iterative_bayes(PERSONS, SIZES, 0.0)
    assert lost.table == pytest.approx(np.full(SIZES, 6040 / 14))
    zeros = iterative_bayes([[0, 0], [0, 7]], (2, 2), 0.9)
    assert zeros.table == pytest.approx(np.array([[0, 0], [0, 7]]), abs=1e-6)


def test_a_large_domain_takes_no_square_matrix():
    """A matrix of 10^5 × 10^5 cells would need 80 GB."""
    sizes = (10,) * 5
    observed = rng().integers(0, 5, sizes)
    found = iterative_bayes(observed, sizes, 0.5, max_iterations=3)
    assert found.table.sum() == pytest.approx(observed.sum())


# --- randomized response ---


def test_probabilities_of_the_lecture():
    printed = {0.1: 0.525, 0.5: 0.622, 0.75: 0.679, 1.0: 0.731, 1.5: 0.818, 5: 0.993}
    for epsilon, p in printed.items():
        assert randomized_response.probabilities(2, epsilon).true == pytest.approx(p, abs=5e-4)
    p, q = randomized_response.probabilities(5, 1.2)
    assert p + 4 * q == pytest.approx(1)
    assert p / q == pytest.approx(math.exp(1.2))


@pytest.mark.parametrize(("size", "epsilon"), [(2, 1.0), (7, 2.0)])
def test_estimates_are_unbiased_and_have_their_variance(size, epsilon):
    """The bias over 400 runs is under 0.002, and the scatter that of the formula."""
    n = 6040
    shares = np.arange(1, size + 1) / (size * (size + 1) / 2)
    counts = np.round(shares * n).astype(int)
    truth = counts / counts.sum()
    values, generator = np.repeat(np.arange(size), counts), rng(11)
    found = np.array(
        [
            randomized_response.estimate(
                np.bincount(
                    randomized_response.respond(values, size, epsilon, generator), minlength=size
                ),
                epsilon,
            )
            for _ in range(400)
        ]
    )
    assert found.sum(axis=1) == pytest.approx(1)
    assert np.abs(found.mean(axis=0) - truth).max() < 0.002
    expected = randomized_response.variance(truth, len(values), epsilon)
    assert found.var(axis=0) == pytest.approx(expected, rel=0.35)


def test_no_answer_is_certain_however_large_epsilon_is(monkeypatch):
    """1 - p is far below the spacing of floating-point numbers; it must not become 0."""
    asked = []

    def hits(probability, n, randomness):
        asked.append(probability)
        return sampling.hits(probability, n, randomness)

    monkeypatch.setattr(randomized_response, "hits", hits)
    for epsilon in (1.0, 30.0, 500.0):
        randomized_response.respond(np.zeros(1, dtype=int), 2, epsilon, rng())
        q = 1 - asked[-1]
        assert 0 < math.log(asked[-1] / q) <= epsilon
    rho = pram.rho_of(500, SIZES)
    assert math.floor(rho * 2**53) < 2**53


def test_answers_stay_in_the_domain_and_hit_every_other_value_alike():
    values = np.full(30_000, 2, dtype=np.uint8)
    answers = randomized_response.respond(values, 4, 1.0, sampling.seeded(rng()))
    p, q = randomized_response.probabilities(4, 1.0)
    assert np.bincount(answers) / 30_000 == pytest.approx([q, q, p, q], abs=0.015)
    assert (values == 2).all()


# --- tables ---


def test_counting_agrees_with_plain_python(monkeypatch):
    generator = rng(12)
    codes = generator.integers(0, [2, 3, 5], (1000, 3)).astype(np.int8)
    expected = np.zeros((2, 3, 5), dtype=int)
    for record in codes:
        expected[tuple(record)] += 1
    for chunk in (7, 10_000):
        monkeypatch.setattr(tables, "CHUNK", chunk)
        assert (tables.contingency(codes, (2, 3, 5)) == expected).all()


@every(seed=range(20))
def test_rank_correlation_agrees_with_scipy(seed):
    from scipy.stats import spearmanr

    generator = rng(seed)
    one, other = generator.integers(0, 6, (2, 3, 4))
    assert tables.spearman(one, other) == pytest.approx(
        spearmanr(one.ravel(), other.ravel()).statistic
    )
    assert tables.l2(one, other) == pytest.approx(math.dist(one.ravel(), other.ravel()))
    assert tables.spearman(one, 3 * one + 1) == pytest.approx(1)


def test_no_order_no_correlation():
    assert math.isnan(tables.spearman([1, 1], [1, 2]))
    assert math.isnan(tables.spearman([1, 2], [3, 3]))
    assert tables.root_mean_square([3, 3, 3]) == 3
    # JSON has no nan: anyone who prints it has to say "none" instead.
    with pytest.raises(ValueError, match="not JSON compliant"):
        json.dumps(tables.spearman([1, 1], [1, 2]), allow_nan=False)


# --- ε = 0 ---


def test_at_epsilon_0_nothing_is_learned():
    """By hand: every answer is as likely as any other, ρ is 0, and nobody is found but by chance."""
    for size in (2, 5, 10):
        assert randomized_response.probabilities(size, 0) == (1 / size, 1 / size)
    assert pram.rho_of(0, SIZES) == pram.rho_of(0, SIZES, "taylor") == 0
    assert pram.rhos_of(0, SIZES) == (0, 0)
    assert pram.k_of(0, 6040) == 6040
    answers = randomized_response.respond(np.zeros(30_000, np.int64), 3, 0, rng())
    assert np.bincount(answers) / 30_000 == pytest.approx([1 / 3] * 3, abs=0.015)


def test_the_table_of_p_and_epsilon_and_its_figure(tmp_path, monkeypatch, capsys):
    """By hand at ε = 1: p = e / (e + K - 1), .7311, .4046 and .2320."""
    monkeypatch.chdir(tmp_path)
    line = ["dp", "response", "--epsilon", "0,1", "--picture", "p.svg"]
    assert cli.main([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["responses"]
    assert [(each["values"], each["epsilon"]) for each in told] == [
        (size, epsilon) for size in (2, 5, 10) for epsilon in (0, 1)
    ]
    expected = [0.5, math.e / (math.e + 1), 0.2, math.e / (math.e + 4), 0.1, math.e / (math.e + 9)]
    assert [each["true"] for each in told] == pytest.approx(expected)
    for each in told:
        assert each["true"] + (each["values"] - 1) * each["other"] == pytest.approx(1)
    picture = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert all(f"K = {size}" in picture for size in (2, 5, 10))
    assert cli.main(["dp", "response", "--epsilon", "0", "--picture", "q.svg"]) == 2
    assert cli.main(["dp", "response", "--values", "1"]) == 2
    assert not (tmp_path / "q.svg").exists()


# --- bad input ---

CODES = np.zeros((3, 2), dtype=np.int64)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: pram.rho_of(-1, SIZES), "epsilon: expected a finite number of at least 0, got -1"),
    (lambda: randomized_response.probabilities(2, -0.1), "epsilon: .* of at least 0, got -0.1"),
    (lambda: randomized_response.estimate([3, 4], 0), "epsilon: .* above 0, got 0"),
    (lambda: randomized_response.variance([0.3, 0.7], 10, 0), "epsilon: .* above 0, got 0"),
    (lambda: pram.rho_of(math.inf, SIZES), "epsilon: .* got inf"),
    (lambda: pram.rho_of(math.nan, SIZES), "epsilon: .* got nan"),
    (lambda: pram.rho_of(9, SIZES, "taylor"), "less than 9 for the first term, got 9"),
    (lambda: pram.rho_of(1, SIZES, "linear"), "rule: expected exact or taylor, got linear"),
    (lambda: pram.rho_of(1, (2, 1, 0)), "got 1 of attribute 2, 0 of attribute 3"),
    (lambda: pram.rho_of(1, ()), "expected at least one attribute, got none"),
    (lambda: pram.rhos_of(1, SIZES, (1,)), "weights: expected 2 numbers above 0"),
    (lambda: pram.rhos_of(1, SIZES, (1, -1)), "weights: expected 2 numbers above 0"),
    (lambda: pram.epsilon_of((0.1, 1.2), SIZES), "rho: expected 0 to 1, got 1.2"),
    (lambda: pram.epsilon_of((0.1,), SIZES), "rho: expected one, or 2 of them, got 1"),
    (lambda: pram.k_of(1, 0), "n_records: expected at least 1, got 0"),
    (lambda: pram.epsilon_of_k(1, 10), "k: expected more than 1 and less than 10 records, got 1"),
    (lambda: pram.epsilon_of_k(10, 10), "k: expected more than 1"),
    (lambda: pram.randomize(CODES + 2, SIZES, 0.5, rng()), "expected 0 to 1 in attribute 1"),
    (lambda: pram.randomize(CODES - 1, SIZES, 0.5, rng()), "expected 0 to 1 in attribute 1"),
    (lambda: pram.randomize(CODES[:, :1], SIZES, 0.5, rng()), "integers of shape"),
    (lambda: tables.contingency(CODES * 0.5, SIZES), "integers of shape"),
    (lambda: tables.contingency(CODES, (MAX_CELLS, 2)), f"at most {MAX_CELLS} cells, got"),
    (lambda: iterative_bayes([[1, 2]], SIZES, 0.5), "table: expected shape"),
    (lambda: iterative_bayes(-PERSONS, SIZES, 0.5), "counts of at least 0, got -78"),
    (lambda: iterative_bayes(PERSONS * math.nan, SIZES, 0.5), "finite counts .*, got nan"),
    (lambda: iterative_bayes(PERSONS * 0, SIZES, 0.5), "at least one record, got none"),
    (lambda: iterative_bayes(PERSONS, SIZES, 0.5, start="best"), "start: expected uniform"),
    (lambda: iterative_bayes(PERSONS, SIZES, 0.5, start=PERSONS * 0), "start: expected at least"),
    (lambda: iterative_bayes(PERSONS, SIZES, 0.5, tolerance=-1), "tolerance, .* got -1"),
    (lambda: iterative_bayes(PERSONS, SIZES, 0.5, tolerance=math.nan), "tolerance, .* got nan"),
    (lambda: randomized_response.probabilities(1, 1), "size: expected at least 2 values, got 1"),
    (lambda: randomized_response.respond(CODES + 5, 3, 1, rng()), "values: expected 0 to 2"),
    (lambda: randomized_response.estimate([0, 0], 1), "counts: expected finite numbers"),
    (lambda: randomized_response.estimate([-1, 3], 1), "counts: expected finite numbers"),
    (lambda: randomized_response.variance([0.5, 0.5], 0, 1), "n_records: expected at least 1"),
    (lambda: tables.l2([1, 2], [1, 2, 3]), "expected the truth's shape"),
    (lambda: tables.root_mean_square([]), "values: expected at least one, got none"),
])  # fmt: skip
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
