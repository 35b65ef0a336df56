# SPDX-License-Identifier: Apache-2.0
"""Files of estimates, their marks, plain methods of estimating, and the budget curve."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr

from scoring.errors import ProblemsFound
from scoring.formats.disclosure import curves
from scoring.formats.disclosure.attributes import MAX_CELLS, Attribute
from scoring.formats.disclosure.estimates import (
    MAX_COUNT,
    marks,
    read_answer,
    read_estimate,
    template,
    write_estimate,
)
from scoring.formats.disclosure.estimators import counted, from_answer, reconstructed
from scoring.formats.disclosure.queries import Query, noisy_answer, true_counts
from scoring.formats.disclosure.releases import read_release, release_csv, rho_at
from scoring.privacy.domains import MAX_CELLS as MOST_OF_A_TABLE
from scoring.privacy.sampling import seeded
from tests.scoring.privacy_oracles import full_matrix, slow_bayes

SEX, AGE = Attribute("sex", ("F", "M")), Attribute("age", ("18", "35", "65"))
TARGET = (SEX, AGE)
LINES = ["F,18,2", "F,35,0", "F,65,1", "M,18,0", "M,35,1", "M,65,2"]
COUNTS = [[2, 0, 1], [0, 1, 2]]


def file(*lines, header="sex,age,count"):
    return "\n".join([header, *lines, ""]).encode()


def problems(data, target=TARGET, read=read_estimate):
    with pytest.raises(ProblemsFound) as found:
        read(data, target)
    return [(p.code, p.row, p.column) for p in found.value.problems]


# --- files ---


def test_any_order_of_columns_and_lines_is_read():
    for order in permutations(range(3)):
        cells = [line.split(",") for line in ["sex,age,count", *LINES]]
        header, *lines = [",".join(line[i] for i in order) for line in cells]
        for shift in range(6):
            data = file(*lines[shift:], *lines[:shift], header=header)
            assert read_estimate(data, TARGET).tolist() == COUNTS


def test_what_is_written_is_read_again():
    counts = np.array(COUNTS) * MAX_COUNT // 2
    data = write_estimate(counts, TARGET)
    assert data.splitlines()[1] == b"F,18,1000000000000"
    found = read_estimate(data, TARGET)
    assert found.dtype == np.int64
    assert (found == counts).all()
    assert read_estimate(template(TARGET), TARGET).tolist() == [[0] * 3] * 2
    quoted = [Attribute('a,"b"', ("x,y", "", "z\nz"))]
    assert read_estimate(write_estimate(np.arange(3), quoted), quoted).tolist() == [0, 1, 2]


def test_other_line_ends_and_a_mark_of_the_encoding_are_read():
    data = b"\xef\xbb\xbf" + file(*LINES).replace(b"\n", b"\r\n")
    assert read_estimate(data, TARGET).tolist() == COUNTS


def test_all_problems_are_reported_with_their_places():
    data = file(
        "F,18,-1",
        "F,35,1.5",
        "F,65,",
        "M,x,3",
        "M,18,1e3",
        "",
        "M,35",
        "F,18,4",
        ",65,1000000000001",
        "M,65,007",
    )
    assert problems(data) == [
        ("cell.below_minimum", 1, "count"),
        ("cell.not_an_integer", 2, "count"),
        ("cell.empty", 3, "count"),
        ("cell.not_in_values", 4, "age"),
        ("cell.exponent", 5, "count"),
        ("record.empty_line", 6, None),
        ("record.cell_count", 7, None),
        ("counts.repeated_cell", 8, None),
        ("cell.empty", 9, "sex"),
        ("cell.above_maximum", 9, "count"),
        ("estimate.missing_cells", None, None),
    ]


def test_missing_cells_are_one_problem():
    with pytest.raises(ProblemsFound) as found:
        read_estimate(file(*LINES[4:]), TARGET)
    [problem] = found.value.problems
    assert problem.params == {"expected": 6, "missing": 4, "got": "F, 18; F, 35; F, 65"}
    assert problems(b"sex,age,count\n") == [("estimate.missing_cells", None, None)]


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b"", ["file.empty"]),
        (b"\n", ["header.no_line"]),
        (b"sex,count\nF,1\n", ["header.missing"]),
        (b"sex,town,n\nF,1,1\n", ["header.missing"] * 2 + ["header.unexpected"] * 2),
        (b"sex,age,count,sex\n", ["header.repeated"]),
        (b"sex,age,count,more\n", ["header.unexpected"]),
        (b"\xff\xfes\x00", ["file.utf16"]),
        (b"PK\x03\x04", ["file.known_format"]),
        (file("F,18,-1", 'M,"35,1'), ["cell.below_minimum", "file.quote"]),
        (file(*["F"] * 20_000), ["record.cell_count"] * 200),
    ],
)
def test_files_that_are_none(data, codes):
    assert [code for code, _row, _column in problems(data)] == codes


@pytest.mark.parametrize(
    ("line", "each"), [("F", 1), ("F,18,-1", 2), ("X,18,1", 1), ("F,18,1", 1), ("", 1)]
)
def test_reading_ends_where_so_much_is_wrong(line, each):
    with pytest.raises(ProblemsFound) as found:
        read_estimate(file("F,18,1", *[line] * 20_000), TARGET)
    assert found.value.n_total == 10_000 * each + 1  # the last one says so


def test_some_of_many_values_are_named():
    many = Attribute("sex", tuple(f"{i}" for i in range(10)))
    for values in (many.values, many.values * 100):
        with pytest.raises(ProblemsFound) as found:
            read_estimate(b"sex,count\nX,1\n", [Attribute("sex", values)])
        expected = str(found.value.problems[0].params["expected"])
        assert expected.startswith("0, 1, 2, 3, 4, 5, 6, 7, 8, 9")
        assert expected.endswith("…") == (len(values) > 10)


def test_an_answer_may_hold_negative_counts_and_an_estimate_may_not():
    data = file(*LINES[:5], "M,65,-2")
    assert problems(data) == [("cell.below_minimum", 6, "count")]
    assert read_answer(data, TARGET).tolist() == [[2, 0, 1], [0, 1, -2]]
    assert problems(file(*LINES[:5], "M,65,-0.5"), read=read_answer) == [
        ("cell.not_an_integer", 6, "count")
    ]


def test_a_target_that_is_too_large_is_never_made():
    wide = [Attribute(name, tuple(map(str, range(200)))) for name in "abc"]
    for call in (
        lambda: template(wide),
        lambda: read_estimate(b"a,b,c,count\n", wide),
        lambda: counted(np.zeros((1, 3), dtype=np.uint8), wide, wide),
    ):
        with pytest.raises(ProblemsFound, match="expected at most 1000000 — got 8000000"):
            call()
    assert MAX_CELLS <= MOST_OF_A_TABLE


# --- marks ---


def test_marks_computed_manually():
    truth = np.array(COUNTS)
    assert marks(truth, truth) == {"table-L2": 0.0, "table-spearman": 1.0}
    assert marks(truth + np.array([[3, 0, 0], [0, 0, 4]]), truth)["table-L2"] == 5.0
    assert marks(-truth, truth)["table-spearman"] == -1.0
    assert marks(np.zeros_like(truth), truth) == {
        "table-L2": pytest.approx(math.sqrt(10)),
        "table-spearman": None,
    }
    assert marks(truth, np.ones_like(truth))["table-spearman"] is None
    with pytest.raises(ValueError, match="shape"):
        marks(truth, truth.T)


def test_marks_are_those_of_other_code():
    rng = np.random.default_rng(4)
    for _ in range(50):
        estimate, truth = rng.integers(0, 6, size=(2, 2, 3))
        found = marks(estimate, truth)
        pairs = list(zip(estimate.ravel().tolist(), truth.ravel().tolist(), strict=True))
        assert found["table-L2"] == pytest.approx(math.dist(*zip(*pairs, strict=True)))
        assert found["table-spearman"] == pytest.approx(
            spearmanr(estimate.ravel(), truth.ravel()).statistic
        )


# --- estimators ---


def records_of(counts):
    cells = [cell for cell, n in zip(np.ndindex(counts.shape), counts.ravel(), strict=True)
             for _ in range(n)]  # fmt: skip
    return np.array(cells, dtype=np.uint8)


def test_counts_of_some_columns_in_any_order():
    codes = records_of(np.array(COUNTS))
    assert counted(codes, TARGET, TARGET).tolist() == COUNTS
    assert counted(codes, TARGET, (AGE, SEX)).tolist() == np.transpose(COUNTS).tolist()
    assert counted(codes, TARGET, (AGE,)).tolist() == [2, 1, 3]
    with pytest.raises(ValueError, match="not in"):
        counted(codes, TARGET, (Attribute("town", ("a", "b")),))


@pytest.mark.parametrize(("iterations", "prior"), [(1, 0), (7, 1), (100, 0), (100, 2.5)])
def test_reconstruction_is_the_slow_one_with_the_rho_of_the_whole_release(iterations, prior):
    rng = np.random.default_rng(5)
    town = Attribute("town", tuple("abcd"))
    attributes = (SEX, town, AGE)
    codes = np.column_stack([rng.integers(n, size=300) // 2 for n in (3, 4, 5)]).astype(np.uint8)
    epsilon = Decimal("2.5")
    found = reconstructed(
        codes, attributes, (AGE, SEX), epsilon, prior=prior, iterations=iterations
    )
    rho = rho_at(epsilon, attributes)
    observed = counted(codes, attributes, (AGE, SEX))
    slow = slow_bayes(observed, (3, 2), (rho, rho), iterations, prior)
    assert found.sum() == 300
    assert found.dtype == np.int64
    assert abs(found - np.reshape(slow, (3, 2))).max() < 1
    assert (found >= 0).all()


def test_remainders_are_given_to_the_largest():
    """At next to no ε all four cells are nearly equal, a little more where records were seen."""
    target = (SEX, Attribute("old", ("no", "yes")))
    for counts in ([[1, 0], [0, 1]], [[2, 1], [1, 2]], [[0, 1], [1, 0]], [[1, 2], [2, 1]]):
        codes = records_of(np.array(counts))
        found = reconstructed(codes, target, target, Decimal("0.000001"), iterations=1)
        assert found.tolist() == counts


def test_reconstruction_brings_a_release_nearer_to_the_truth():
    truth = np.array([[900, 50, 20], [10, 600, 420]])
    randomness = seeded(np.random.default_rng(6))
    data = release_csv(records_of(truth), TARGET, Decimal(4), randomness)
    codes = read_release(data, TARGET)
    plain = marks(counted(codes, TARGET, TARGET), truth)["table-L2"]
    better = marks(reconstructed(codes, TARGET, TARGET, Decimal(4)), truth)["table-L2"]
    assert better < plain / 3


def distances(truth, epsilon, n_releases, **options):
    """The mean distances of the counts of a release, and of what is reconstructed from it."""
    rng, records = np.random.default_rng(8), records_of(truth)
    attributes = tuple(
        Attribute(name, tuple(map(str, range(n))))
        for name, n in zip("abc", truth.shape, strict=True)
    )
    rows = []
    for _ in range(n_releases):
        data = release_csv(records, attributes, epsilon, seeded(rng))
        codes = read_release(data, attributes)
        found = reconstructed(codes, attributes, attributes, epsilon, **options)
        plain = counted(codes, attributes, attributes)
        rows.append([marks(each, truth)["table-L2"] for each in (plain, found)])
    return np.mean(rows, axis=0)


@pytest.mark.long
def test_of_few_records_the_prior_keeps_it_from_following_the_noise():
    """A class of 40 in 72 cells: maximum likelihood is much farther than plain counts, the default is not."""
    truth = np.random.default_rng(2).multinomial(
        40, np.arange(72) ** 2 / np.sum(np.arange(72) ** 2)
    )
    truth = truth.reshape(6, 3, 4)
    for epsilon in map(Decimal, ("1", "4")):
        plain, likeliest = distances(truth, epsilon, 8, prior=0)
        assert likeliest > 1.5 * plain
        plain, default = distances(truth, epsilon, 8)
        assert default < plain


def test_an_answer_without_negative_counts_is_never_farther():
    rng = np.random.default_rng(7)
    for _ in range(20):
        truth = rng.integers(0, 5, size=(2, 3))
        answer = truth + rng.integers(-9, 9, size=(2, 3))
        estimate = from_answer(answer)
        assert (estimate >= 0).all()
        assert (estimate[answer >= 0] == answer[answer >= 0]).all()
        assert marks(estimate, truth)["table-L2"] <= marks(answer, truth)["table-L2"]


# --- the budget curve ---


def root_mean_square(distances):
    return math.sqrt(np.mean(np.square(distances)))


@pytest.mark.parametrize("epsilon", ["0.2", "1", "5"])
def test_the_curve_of_one_question_is_what_is_drawn(epsilon):
    randomness = seeded(np.random.default_rng(8))
    codes, query = records_of(np.array(COUNTS)), Query(("sex", "age"), ())
    truth = true_counts(query, codes, TARGET)
    drawn = [
        marks(noisy_answer(query, codes, TARGET, Decimal(epsilon), randomness), truth)["table-L2"]
        for _ in range(1500)
    ]
    assert root_mean_square(drawn) == pytest.approx(curves.asked_once(6, Decimal(epsilon)), rel=0.1)


def test_the_curve_of_a_single_count_needs_half_the_noise():
    for epsilon in (0.1, 1.0):
        assert curves.asked_once(1, epsilon, 1) == curves.asked_once(1, 2 * epsilon, 2)
    assert curves.asked_once(14, Decimal("0.01")) == pytest.approx(math.sqrt(28) * 200, rel=1e-4)


@pytest.mark.parametrize("epsilon", ["0.5", "3"])
def test_the_curve_of_a_release_is_what_is_drawn(epsilon):
    attributes = (AGE, Attribute("town", tuple("abcd")), SEX)
    rng = np.random.default_rng(9)
    codes = np.column_stack([rng.integers(len(a.values), size=200) // 2 for a in attributes])
    codes = codes.astype(np.uint8)
    truth = counted(codes, attributes, TARGET)
    randomness = seeded(rng)
    drawn = []
    for _ in range(400):
        released = read_release(
            release_csv(codes, attributes, Decimal(epsilon), randomness), attributes
        )
        drawn.append(marks(counted(released, attributes, TARGET), truth)["table-L2"])
    expected = curves.released(truth, (3, 4, 2), (2, 0), Decimal(epsilon))
    assert root_mean_square(drawn) == pytest.approx(expected, rel=0.1)


def test_the_curve_of_a_release_is_that_of_the_whole_matrix():
    """Bias and variance of each cell, from the matrix over all cells."""
    sizes, epsilon = (2, 3), Decimal("1.5")
    rho = rho_at(epsilon, TARGET)
    matrix, counts = full_matrix(sizes, (rho, rho)), np.ravel(COUNTS)
    bias = counts @ matrix - counts
    variance = counts @ (matrix * (1 - matrix))
    expected = math.sqrt((bias**2).sum() + variance.sum())
    assert curves.released(COUNTS, sizes, (0, 1), epsilon) == pytest.approx(expected)


def test_more_epsilon_is_nearer():
    epsilons = [Decimal(text) for text in ("0.000001", "0.01", "0.5", "1", "10", "100")]
    for curve in (
        [curves.asked_once(6, epsilon) for epsilon in epsilons],
        [curves.released(COUNTS, (2, 3), (0, 1), epsilon) for epsilon in epsilons],
    ):
        assert curve == sorted(curve, reverse=True)
        assert curve[-1] == pytest.approx(0, abs=1e-3)
