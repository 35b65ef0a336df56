# SPDX-License-Identifier: Apache-2.0
"""Noise and its limits: one unknown value, repeated questions, and a test on noisy counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scoring.privacy import mechanisms, sensitivity

Floats = NDArray[np.float64]
LOW, HIGH = 4.3, 7.9
"""The range of the lengths in an introduction's example: sepals of irises, in centimetres."""
_DECIMALS = 1


# All others are known


@dataclass(frozen=True, slots=True)
class Unmasked:
    """The disclosure of one value by a mean, to an attacker who knows all other values.

    Attributes
    ----------
    answer : str
        How the mean was protected.
    epsilon : float or None
        The ε that it really has; None without noise.
    scale : float
        Of its noise.
    bound : float
        What the error of the mean exceeds in 5 of 100 cases.
    value, found : float
        The unknown value, and the one computed.
    """

    answer: str
    epsilon: float | None
    scale: float
    bound: float
    value: float
    found: float


@dataclass(frozen=True, slots=True)
class KnownRestResult:
    """The same attack on an exact mean and on noisy ones."""

    n_records: int
    attempts: tuple[Unmasked, ...]

    def rows(self) -> list[tuple[str, ...]]:
        head = (
            "mean of " + str(self.n_records),
            "real ε",
            "scale",
            "95 % within",
            "value",
            "found",
        )
        return [head, *(_unmasked_row(attempt) for attempt in self.attempts)]


def _unmasked_row(attempt: Unmasked) -> tuple[str, ...]:
    epsilon = "–" if attempt.epsilon is None else f"{attempt.epsilon:.4g}"
    numbers = (attempt.scale, attempt.bound, attempt.value, attempt.found)
    return attempt.answer, epsilon, *(f"{number:,.4g}" for number in numbers)


def value_from_mean(mean: float, n_records: int, others: float) -> float:
    """n times the mean less the sum of all others: the value of one record.

    Examples
    --------
    A mean of 5.98 over 40 lengths, of which 39 have the sum 234.1:

    >>> round(value_from_mean(5.98, 40, 234.1), 9)
    5.1
    """
    return n_records * mean - others


def known_rest(
    *, rng: np.random.Generator, n_records: int = 40, epsilon: float = 0.01
) -> KnownRestResult:
    """Compute one value from the mean of all, knowing all others.

    The attacker has the strongest possible knowledge, which is the one that differential privacy assumes. The noise has
    to cover the range of a value divided by n. Covering 1/n, as if values lay between 0 and 1, gives an ε that is
    larger by the range.

    Notes
    -----
    The example of 「データ分析のための匿名化と差分プライバシーの基礎 with R」: 40 lengths, ε = 0.01.
    It takes 1/n for the sensitivity, so that its ε is 0.036; its error of 0.7489 belongs to
    ε = 0.1, and 7.489 to the noise that it draws.
    """
    lengths = np.round(rng.uniform(LOW, HIGH, n_records), _DECIMALS)
    value, others = float(lengths[0]), float(lengths[1:].sum())
    right = sensitivity.mean(LOW, HIGH, n_records)
    exact = value_from_mean(float(lengths.mean()), n_records, others)
    attempts = [Unmasked("exact", None, 0.0, 0.0, value, exact)]
    for answer, covered in (("noise for 1 / n", 1 / n_records), ("noise for range / n", right)):
        scale = mechanisms.scale(covered, epsilon)
        noisy = float(mechanisms.laplace(lengths.mean(), covered, epsilon, rng))
        found = value_from_mean(noisy, n_records, others)
        bound = mechanisms.accuracy(covered, epsilon, 0.05)
        attempts.append(Unmasked(answer, right / scale, scale, bound, value, found))
    return KnownRestResult(n_records, tuple(attempts))


# The same question again and again


@dataclass(frozen=True, slots=True)
class Averaged:
    """The root mean square error of the mean of several answers to one question.

    `fresh` has new noise of ε for each answer, which costs `spent` in all; `shared` divides one ε
    among the answers; `repeated` gives the first answer again.
    """

    answers: int
    spent: float
    fresh: float
    shared: float
    repeated: float


@dataclass(frozen=True, slots=True)
class AveragingResult:
    """The errors by the number of answers."""

    epsilon: float
    trials: int
    errors: tuple[Averaged, ...]

    def rows(self) -> list[tuple[str, ...]]:
        each = f"{self.epsilon:g}"
        head = (
            "answers",
            f"ε {each} each: error",
            "ε spent",
            f"ε {each} in all: error",
            "same answer: error",
        )
        return [
            head,
            *(
                (
                    str(e.answers),
                    f"{e.fresh:.3f}",
                    f"{e.spent:g}",
                    f"{e.shared:.3f}",
                    f"{e.repeated:.3f}",
                )
                for e in self.errors
            ),
        ]


def averaging(
    *,
    rng: np.random.Generator,
    epsilon: float = 0.5,
    answers: Sequence[int] = (1, 10, 100, 1000),
    trials: int = 1000,
) -> AveragingResult:
    """Ask for one count repeatedly, and take the mean of the answers.

    With new noise every time the error falls with the root of the number of answers, and the truth comes out: the noise
    protected one answer only. If the answers share ε, the mean gets worse, because the noise of each answer grows
    faster than averaging reduces it. Repeating the same answer is as good as one answer, and needs no more ε.
    """
    errors = []
    for n in answers:
        fresh = mechanisms.laplace(np.zeros((trials, n)), 1, epsilon, rng).mean(axis=1)
        shared = mechanisms.laplace(np.zeros((trials, n)), 1, epsilon / n, rng).mean(axis=1)
        repeated = mechanisms.laplace(np.zeros(trials), 1, epsilon, rng)
        off = (_rms(found) for found in (fresh, shared, repeated))
        errors.append(Averaged(n, n * epsilon, *off))
    return AveragingResult(epsilon, trials, tuple(errors))


# A test on noisy counts


@dataclass(frozen=True, slots=True)
class Tested:
    """The share of tests at 5 % that find two attributes dependent.

    Attributes
    ----------
    n_records : int
    epsilon : float or None
        Of the noise on the table; None without noise.
    false_alarms, false_alarms_corrected : float
        Where they are independent: with the textbook's threshold, and with one that knows the noise.
    power, power_corrected : float
        The same where they depend.
    """

    n_records: int
    epsilon: float | None
    false_alarms: float
    power: float
    false_alarms_corrected: float
    power_corrected: float


@dataclass(frozen=True, slots=True)
class ChiSquaredResult:
    """The test on tables of several sizes, with and without noise."""

    trials: int
    tests: tuple[Tested, ...]

    def rows(self) -> list[tuple[str, ...]]:
        head = (
            "records",
            "ε",
            "false alarms",
            "found",
            "false alarms, corrected",
            "found, corrected",
        )
        return [head, *(_tested_row(test) for test in self.tests)]


def _tested_row(test: Tested) -> tuple[str, ...]:
    epsilon = "–" if test.epsilon is None else f"{test.epsilon:g}"
    shares = (test.false_alarms, test.power, test.false_alarms_corrected, test.power_corrected)
    return str(test.n_records), epsilon, *(f"{share:.1%}" for share in shares)


INDEPENDENT = np.full((2, 2), 0.25)
DEPENDENT = np.array([[0.29, 0.21], [0.21, 0.29]])


def chi_squared(tables: Floats) -> Floats:
    """The χ² statistic of independence of 2 × 2 tables, which the first axis numbers.

    Noise can make counts negative: they count as 0, and a table without records in a row or a
    column says nothing and gets 0.

    Examples
    --------
    >>> chi_squared(np.array([[[30.0, 20.0], [20.0, 30.0]], [[5.0, 5.0], [0.0, -1.0]]])).tolist()
    [4.0, 0.0]
    """
    counts = np.maximum(tables, 0)
    totals = counts.sum(axis=(1, 2))
    margins = counts.sum(axis=1).prod(axis=1) * counts.sum(axis=2).prod(axis=1)
    crossed = counts[:, 0, 0] * counts[:, 1, 1] - counts[:, 0, 1] * counts[:, 1, 0]
    known = margins > 0
    statistics: Floats = np.where(known, totals * crossed**2 / np.where(known, margins, 1), 0)
    return statistics


def noisy_chi_squared(
    *,
    rng: np.random.Generator,
    sizes: Sequence[int] = (200, 1000, 10_000),
    epsilons: Sequence[float | None] = (None, 1.0, 0.1),
    trials: int = 2000,
) -> ChiSquaredResult:
    """Test whether two attributes are independent, on a table of counts with Laplace noise.

    The noise adds to the statistic, so that the textbook's threshold gives false alarms: few if the noise is small
    compared with the variation of counts, nearly always otherwise. A threshold from simulated tables with the same
    noise keeps the 5 %, and what it costs is seen in the dependence that is no longer found. It needs nothing but the
    noisy table and the published ε.

    Notes
    -----
    The use is that of 「データ分析のための匿名化と差分プライバシーの基礎 with R」; the correction
    follows Gaboardi, Lim, Rogers & Vadhan, "Differentially Private Chi-Squared Hypothesis Testing".
    """
    tests = []
    for n in sizes:
        for epsilon in epsilons:
            null, alternative, calibration = (
                chi_squared(_noisy_tables(n, shares, epsilon, trials, rng))
                for shares in (INDEPENDENT, DEPENDENT, INDEPENDENT)
            )
            usual = NormalDist().inv_cdf(0.975) ** 2  # of χ² with one degree of freedom
            corrected = float(np.quantile(calibration, 0.95))
            shares = (
                float((found > threshold).mean())
                for threshold in (usual, corrected)
                for found in (null, alternative)
            )
            tests.append(Tested(n, epsilon, *shares))
    return ChiSquaredResult(trials, tuple(tests))


def _noisy_tables(
    n_records: int, shares: Floats, epsilon: float | None, trials: int, rng: np.random.Generator
) -> Floats:
    tables = rng.multinomial(n_records, shares.ravel(), trials).reshape(-1, 2, 2).astype(np.float64)
    if epsilon is None:
        return tables
    return mechanisms.laplace(tables, sensitivity.histogram("replace"), epsilon, rng)


def _rms(values: Floats) -> float:
    return math.sqrt(float((values**2).mean()))
