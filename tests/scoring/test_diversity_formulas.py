# SPDX-License-Identifier: Apache-2.0
"""The formulas of diversity and closeness on counts, against plain loops over the definitions."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from scoring.privacy.diversity import (
    ClassCounts,
    alpha,
    distinct_l,
    entropy_l,
    ordered_emd,
    recursive_l,
    total_variation,
)
from tests.every import every


def plain_entropy(row):
    n = sum(row)
    return exp(-sum(c / n * log(c / n) for c in row if c))


def plain_recursive(row, c):
    counts = sorted((x for x in row if x), reverse=True)
    fitting = [
        level
        for level in range(1, len(counts) + 1)
        if Fraction(counts[0]) < Fraction(str(c)) * sum(counts[level - 1 :])
    ]
    return max(fitting, default=0)


def plain_emd(row, total, positions):
    """The earth moved over each gap between neighbouring values."""
    n, n_all = sum(row), sum(total)
    moved = Fraction(0)
    for i in range(len(row) - 1):
        carried = Fraction(sum(row[: i + 1]), n) - Fraction(sum(total[: i + 1]), n_all)
        moved += abs(carried) * Fraction(positions[i + 1] - positions[i])
    return float(moved / Fraction(positions[-1] - positions[0]))


def plain_variation(row, total):
    n, n_all = sum(row), sum(total)
    return float(
        sum(abs(Fraction(r, n) - Fraction(t, n_all)) for r, t in zip(row, total, strict=True)) / 2
    )


def random_matrix(seed):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 7)), int(rng.integers(1, 7)))
    matrix = rng.integers(0, 5, shape) * (rng.random(shape) < 0.6)
    matrix[~matrix.any(axis=1), rng.integers(shape[1])] = 1
    return matrix.astype(np.int64)


@every(seed=range(60))
def test_against_the_definitions(seed):
    matrix = random_matrix(seed)
    counts = ClassCounts.of_matrix(matrix)
    rows, total = matrix.tolist(), matrix.sum(axis=0).tolist()
    assert counts.matrix().tolist() == rows
    assert counts.total.tolist() == total
    assert counts.sizes.tolist() == [sum(row) for row in rows]
    assert distinct_l(counts).tolist() == [sum(x > 0 for x in row) for row in rows]
    assert entropy_l(counts) == pytest.approx([plain_entropy(row) for row in rows], abs=1e-11)
    for c in (0.5, 1, 1.1, 2, 7.25):
        assert recursive_l(counts, c).tolist() == [plain_recursive(row, c) for row in rows]
    assert alpha(counts) == pytest.approx([max(row) / sum(row) for row in rows], abs=0)
    expected = [plain_variation(row, total) for row in rows]
    assert total_variation(counts) == pytest.approx(expected, abs=1e-12)


@every(seed=range(60))
def test_ordered_emd_against_earth_moved_gap_by_gap(seed):
    matrix = random_matrix(seed)
    counts = ClassCounts.of_matrix(matrix)
    rng = np.random.default_rng(seed)
    total = matrix.sum(axis=0) + rng.integers(0, 4, matrix.shape[1])
    positions = np.cumsum(rng.integers(1, 9, matrix.shape[1]))
    if matrix.shape[1] == 1:
        assert not ordered_emd(counts).any()
        return
    for given in (matrix.sum(axis=0), total):
        rows = matrix.tolist()
        ranks = [plain_emd(row, given.tolist(), range(len(row))) for row in rows]
        assert ordered_emd(counts, given) == pytest.approx(ranks, abs=1e-12)
        apart = [plain_emd(row, given.tolist(), positions.tolist()) for row in rows]
        assert ordered_emd(counts, given, positions * 1.0) == pytest.approx(apart, abs=1e-12)


@pytest.mark.parametrize("n", [3, 40, 400])
def test_ordered_emd_of_few_and_of_many_classes(n):
    # Few counts in a large table are looked up in another way than many.
    rng = np.random.default_rng(n)
    classes = np.arange(400) % n
    values = rng.integers(0, 30, 400)
    counts = ClassCounts.of(classes, values, 30)
    expected = [plain_emd(r, counts.total.tolist(), range(30)) for r in counts.matrix().tolist()]
    assert ordered_emd(counts) == pytest.approx(expected, abs=1e-12)


def test_counts_of_records_and_of_coarser_classes():
    classes = np.array([2, 0, 1, 0, 2, 1])
    values = np.array([1, 0, 2, 0, 1, 0])
    counts = ClassCounts.of(classes, values)
    assert counts.matrix().tolist() == [[2, 0, 0], [1, 0, 1], [0, 2, 0]]
    assert counts.merged(np.array([0, 1, 0])).matrix().tolist() == [[2, 2, 0], [1, 0, 1]]
    assert ClassCounts.of(classes, values, 4).n_values == 4


def test_equal_shares_are_whole_numbers():
    matrix = np.array([[n <= size for n in range(1, 41)] for size in range(1, 41)]) * 7
    counts = ClassCounts.of_matrix(matrix.astype(np.int64))
    assert entropy_l(counts).tolist() == list(range(1, 41))


def test_a_decimal_c_means_the_decimal():
    counts = ClassCounts.of_matrix(np.array([[55, 25]]))
    assert 2.2 * 25 > 55  # in floating point
    assert recursive_l(counts, 2.2).tolist() == [1]


@pytest.mark.parametrize("c", [2**44 + 1 / 3, 2**63, 10**400, 1e300])
def test_a_c_beyond_all_counts_is_kept_by_every_class(c):
    counts = ClassCounts.of_matrix(np.array([[3, 0, 0], [9, 1, 4]]))
    assert recursive_l(counts, c).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("classes", "values", "n"), [([0, 2], [0, 0], 1), ([0, 0], [0, 1], 1), ([0], [-1], 1)]
)
def test_unusable_classes_and_values(classes, values, n):
    with pytest.raises(ValueError, match="expected"):
        ClassCounts.of(np.array(classes), np.array(values), n)


def test_a_matrix_with_an_empty_class():
    for matrix in ([[1, 0], [0, 0]], [[0, 0], [1, 0]]):
        with pytest.raises(ValueError, match="every class"):
            ClassCounts.of_matrix(np.array(matrix))
