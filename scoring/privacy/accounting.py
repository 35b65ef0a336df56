# SPDX-License-Identifier: Apache-2.0
"""Composition of answers, ε for groups and with δ, and a contest's ε in decimals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from scoring.privacy.domains import checked_epsilon, checked_probability

PLACES = 6
"""Decimal places of an ε in a contest: all sums of such numbers are exact."""
SMALLEST = Decimal(1).scaleb(-PLACES)
LARGEST = Decimal(1_000_000)


def epsilon_from(text: str) -> Decimal:
    """An ε as a contest takes it: plain digits, above 0, at most six decimal places, at most 1,000,000.

    Raises
    ------
    ValueError
        Saying what was expected and what was got.

    Examples
    --------
    >>> epsilon_from("0.1") + epsilon_from("0.2")
    Decimal('0.3')
    >>> epsilon_from("1e-3")
    Traceback (most recent call last):
    ...
    ValueError: epsilon: expected a number above 0 with at most 6 decimal places, got 1e-3
    """
    wrong = f"expected a number above 0 with at most {PLACES} decimal places, got {text[:60]}"
    if not text.isascii() or not set(text) <= set("0123456789."):
        raise ValueError(f"epsilon: {wrong}")
    try:
        return checked_decimal(Decimal(text))
    except InvalidOperation:
        raise ValueError(f"epsilon: {wrong}") from None


def checked_decimal(epsilon: Decimal) -> Decimal:
    """The decimal itself, if it is an ε of a contest; ValueError where it is not.

    Examples
    --------
    >>> checked_decimal(Decimal("0.0000001"))
    Traceback (most recent call last):
    ...
    ValueError: epsilon: expected a number above 0 with at most 6 decimal places, got 1E-7
    """
    if epsilon.is_finite() and epsilon > LARGEST:
        raise ValueError(f"epsilon: expected at most {LARGEST}, got {epsilon}")
    if not epsilon.is_finite() or epsilon <= 0 or epsilon != epsilon.quantize(SMALLEST):
        expected = f"expected a number above 0 with at most {PLACES} decimal places"
        raise ValueError(f"epsilon: {expected}, got {epsilon}")
    return epsilon


class BudgetExceeded(ValueError):  # noqa: N818 — what is asked for is at fault, not the program
    """An answer costs more than is left; nothing was spent."""

    def __init__(self, epsilon: Decimal, remaining: Decimal) -> None:
        super().__init__(f"epsilon: expected at most the {remaining} that is left, got {epsilon}")
        self.epsilon, self.remaining = epsilon, remaining


@dataclass(frozen=True, slots=True)
class Budget:
    """An amount of ε of which answers take their parts; a pure value, not a ledger.

    Examples
    --------
    >>> spent = Budget(Decimal("1")).spend(Decimal("0.1")).spend(Decimal("0.2"))
    >>> spent.remaining
    Decimal('0.7')
    >>> spent.spend(Decimal("0.700001"))
    Traceback (most recent call last):
    ...
    scoring.privacy.accounting.BudgetExceeded: epsilon: expected at most the 0.7 that is left, got 0.700001
    """

    total: Decimal
    spent: Decimal = field(default=Decimal(0))

    def __post_init__(self) -> None:
        checked_decimal(self.total)
        if not 0 <= self.spent <= self.total:
            raise ValueError(f"spent: expected 0 to {self.total}, got {self.spent}")

    @property
    def remaining(self) -> Decimal:
        return self.total - self.spent

    def spend(self, epsilon: Decimal) -> Budget:
        """The budget after an answer; `BudgetExceeded` where it is not enough."""
        if checked_decimal(epsilon) > self.remaining:
            raise BudgetExceeded(epsilon, self.remaining)
        return Budget(self.total, self.spent + epsilon)


def sequential(epsilons: Iterable[Decimal]) -> Decimal:
    """The total cost of answers on one table: the sum, for any questions in any order.

    Examples
    --------
    >>> sequential([Decimal("0.1")] * 3)
    Decimal('0.3')
    """
    return sum((checked_decimal(epsilon) for epsilon in epsilons), Decimal(0))


def share(epsilon: float, queries: int) -> float:
    """The cost of each of X answers that cost ε together: ε / X.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.4.

    Examples
    --------
    >>> share(1.0, 10)
    0.1
    """
    if queries < 1:
        raise ValueError(f"queries: expected at least 1, got {queries}")
    return checked_epsilon(epsilon) / queries


def basic_composition(costs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """(Σ ε, Σ δ) of answers under (ε,δ)-differential privacy.

    Examples
    --------
    >>> basic_composition([(0.5, 1e-6), (0.25, 0.0)])
    (0.75, 1e-06)
    """
    pairs = list(costs)
    for epsilon, delta in pairs:
        checked_epsilon(epsilon)
        _checked_delta(delta)
    return math.fsum(e for e, _ in pairs), math.fsum(d for _, d in pairs)


def advanced_composition(
    epsilon: float, delta: float, n_answers: int, slack: float
) -> tuple[float, float]:
    """The (ε,δ) of n answers of (ε,δ) each, where a further `slack` of δ is allowed.

    ε √(2 n ln(1/slack)) + n ε (e^ε - 1), and n δ + slack. Better than the sum only for many answers
    of small ε; the smaller of both ε is returned, for each is a valid promise.

    Raises
    ------
    ValueError
        ε is not above 0, δ is not 0 or more and below 1, n is below 1, or the slack not above 0.

    Notes
    -----
    Dwork, Rothblum & Vadhan, "Boosting and Differential Privacy"; Dwork & Roth, "The Algorithmic
    Foundations of Differential Privacy", Theorem 3.20.

    Examples
    --------
    >>> epsilon, delta = advanced_composition(0.01, 0, 10_000, 1e-6)
    >>> round(epsilon, 2), delta
    (6.26, 1e-06)
    """
    checked_epsilon(epsilon)
    _checked_delta(delta)
    checked_probability("slack", slack)
    if n_answers < 1:
        raise ValueError(f"n_answers: expected at least 1, got {n_answers}")
    deviation = epsilon * math.sqrt(2 * n_answers * math.log(1 / slack))
    drift = n_answers * epsilon * math.expm1(epsilon) if epsilon < 700 else math.inf
    return min(n_answers * epsilon, deviation + drift), n_answers * delta + slack


def group(epsilon: float, size: int, delta: float = 0.0) -> tuple[float, float]:
    """The (ε,δ) of a group of persons whose records all change: (g ε, δ (e^(g ε) - 1) / (e^ε - 1)).

    The δ is that of g steps from one table to the other, 1 + e^ε + … + e^((g-1) ε) times δ, and
    says nothing once it reaches 1.

    Examples
    --------
    >>> group(0.5, 4)
    (2.0, 0.0)
    >>> round(group(math.log(2), 3, 0.01)[1], 12)
    0.07
    """
    if size < 1:
        raise ValueError(f"size: expected at least 1, got {size}")
    checked_epsilon(epsilon)
    _checked_delta(delta)
    together = size * epsilon
    if delta == 0:
        return together, 0.0
    factor = math.expm1(together) / math.expm1(epsilon) if together < 700 else math.inf
    return together, min(1.0, delta * factor)


def failure_of_twice(epsilon: float, delta: float) -> float:
    """The probability of an answer of an (ε,δ) mechanism that is e^(2ε) times likelier than elsewhere.

    The answers that have more than e^(2ε) times the probability they have for a neighbouring table
    come, for the table itself, with a probability of δ / (1 - e^-ε) at most; for the neighbour, whose
    answers they mostly are not, with δ / (e^ε (e^ε - 1)), which is below δ / (ε e^ε).

    Returns
    -------
    float
        The first of the two, the one that a promise has to name; 0 to 1.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies states 2δ / (ε e^ε) and proves
    δ / (ε e^ε), for the neighbour's answers. A mechanism that discloses everything with probability δ
    shows that neither holds for the table's own answers where ε is large.

    Examples
    --------
    >>> round(failure_of_twice(math.log(2), 1e-6), 9)
    2e-06
    """
    checked_epsilon(epsilon)
    _checked_delta(delta)
    return min(1.0, delta / -math.expm1(-epsilon))


def _checked_delta(delta: float) -> float:
    if not 0 <= delta < 1:
        raise ValueError(f"delta: expected 0 or more and below 1, got {delta}")
    return delta
