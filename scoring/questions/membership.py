# SPDX-License-Identifier: Apache-2.0
"""Results of membership inference: which of the records that are asked were in the table."""

from __future__ import annotations

import numpy as np

from scoring.kernels.confidences import twice_above
from scoring.questions.bitmaps import BoolArray
from scoring.questions.chance import NONE, Chance, of_groups, of_share
from scoring.tables.equivalence import FloatArray, IntArray


def true_positive_rate(
    inside: BoolArray, confidences: FloatArray, fpr: float
) -> tuple[float, BoolArray]:
    """The true positive rate at a fixed false positive rate, and the records that are claimed at it.

    Parameters
    ----------
    inside : bool array, shape (n_questions,)
        The record was in the table.
    confidences : float64 array, shape (n_questions,)
        From 0 to 1; higher is likelier a member.
    fpr : float
        From 0 to 1.

    Returns
    -------
    float
        From 0, no member is found, to 1, all are; `fpr` itself where all confidences are equal. 0 without a member or
        without another record.
    bool array
        The records above the last threshold with at most so many false positives.

    Notes
    -----
    The curve has a point for each distinct confidence: records of equal confidence are claimed together, so the order
    of the lines changes nothing. Between two points it is a straight line, which is what an attacker reaches on
    average who decides between equal ones at random; where it rises vertically the upper end holds. This is the
    definition of PWSCup 2026's scorer. Carlini et al., “Membership inference attacks from first principles”, section
    on metrics, and `scoring.attacks.membership.true_positives` take the last point instead, where records that tie at
    the threshold earn nothing.

    Examples
    --------
    Of two members and two others, one of each has 0.5. At a false positive rate of 0.25 half of the way is gone from
    (0, 0.5) to (0.5, 1).

    >>> inside = np.array([True, True, False, False])
    >>> true_positive_rate(inside, np.array([0.9, 0.5, 0.5, 0.1]), 0.25)[0]
    0.75
    >>> true_positive_rate(inside, np.ones(4), 0.25)[0]
    0.25
    """
    members, others = confidences[inside], confidences[~inside]
    if not len(members) or not len(others):
        return 0.0, np.zeros(len(inside), dtype=bool)
    n = allowed(fpr, len(others))
    if n >= len(others):
        return 1.0, np.ones(len(inside), dtype=bool)
    threshold = np.partition(others, len(others) - 1 - n)[len(others) - 1 - n]
    claimed = confidences > threshold
    n_false, n_true = int((others > threshold).sum()), int((members > threshold).sum())
    n_tied = int((others == threshold).sum())
    share = (fpr * len(others) - n_false) / n_tied
    found = n_true + share * int((members == threshold).sum())
    return found / len(members), claimed


def area(inside: BoolArray, confidences: FloatArray) -> float:
    """The area under the same curve: the probability that a member has a higher confidence than another record, ties
    counting half; 0.5 where one of the two groups is empty.

    Examples
    --------
    >>> area(np.array([True, True, False]), np.array([0.9, 0.1, 0.1]))
    0.75
    """
    if inside.all() or not inside.any():
        return 0.5
    ordered = np.sort(confidences[inside])
    n_pairs = len(ordered) * (len(inside) - len(ordered))
    return int(twice_above(ordered, confidences, inside)) / (2 * n_pairs)


def advantage(inside: BoolArray, confidences: FloatArray) -> float:
    """The mean confidence of members less that of the others, from -1 to 1; 0 is random guessing, and of one group.

    Of bits it is the true positive rate less the false positive rate. An answer is a stake of twice its distance from
    0.5, won where it is right and lost where it is wrong, in equal parts of the number of members, or of others: an
    answer of 0.5 stakes nothing and earns nothing.

    Notes
    -----
    Yeom et al., “Privacy risk in machine learning: analyzing the connection to overfitting”, section on membership
    advantage.

    Examples
    --------
    >>> advantage(np.array([True, True, False, False]), np.array([1.0, 0.0, 1.0, 0.0]))
    0.0
    >>> advantage(np.array([True, True, False, False]), np.array([1.0, 0.5, 0.5, 0.5]))
    0.25
    """
    if inside.all() or not inside.any():
        return 0.0
    return float(confidences[inside].mean() - confidences[~inside].mean())


def weighted_advantage(inside: BoolArray, confidences: FloatArray) -> float:
    """The weight of claims among that of members, less the same of the others, from -1 to 1.

    A record is claimed if its confidence is above 0.5, and weighs twice the distance of its confidence from 0.5, so
    bits weigh 1. The answers decide what the result is a share of: a single one other than 0.5 is -1, 0 or 1.

    Notes
    -----
    SNAKE (CIKM 2023), which shows (advantage + 1) / 2.

    Examples
    --------
    >>> weighted_advantage(np.array([True, True, False, False]), np.array([1.0, 0.5, 0.5, 0.5]))
    1.0
    """
    weights, claimed = 2 * np.abs(confidences - 0.5), confidences > 0.5
    return _share(weights, claimed, inside) - _share(weights, claimed, ~inside)


def _share(weights: FloatArray, claimed: BoolArray, among: BoolArray) -> float:
    total = float(weights[among].sum())
    return float(weights[among & claimed].sum()) / total if total else 0.0


def over_half(inside: BoolArray, claimed: BoolArray) -> float:
    """The right answers beyond half of the questions, as a share of that half; from 0 to 1.

    Notes
    -----
    PWSCup 2022: 2X records are asked, Z answers are right, and the safety is min((2X - Z) / X, 1), so this is 1 less
    the safety.

    Examples
    --------
    Of four questions three are right: Z = 3, X = 2, safety 0.5.

    >>> over_half(np.array([True, True, False, False]), np.array([True, True, True, False]))
    0.5
    """
    half = len(inside) / 2
    return max(0.0, (int((inside == claimed).sum()) - half) / half) if half else 0.0


# Chance


def chance_of_claims(
    inside: BoolArray, claimed: BoolArray, strata: IntArray | None = None
) -> Chance:
    """The true positive rate next to the share of all records that are claimed.

    The reach is that of claims about exactly the members, so what is above chance is the true positive rate less the
    false positive rate, however many records are claimed.

    Examples
    --------
    >>> inside = np.array([True, True, False, False])
    >>> chance_of_claims(inside, np.ones(4, dtype=bool))
    Chance(rate=1.0, chance=1.0, error=0.0, reach=0.5)
    """
    groups = of_groups(claimed, inside, strata)
    reach = float((~inside).mean()) if len(inside) else 0.0
    chance = groups.rate - (groups.rate - groups.chance) * reach
    return Chance(groups.rate, chance, groups.error * reach, reach)


def chance_of_precision(claims: Chance, inside: BoolArray, n_claimed: int, least: int) -> Chance:
    """The members among the claims, of which there are at least `least`: what is missing counts as wrong.

    Examples
    --------
    A single right claim, where the two members might have been claimed.

    >>> inside = np.array([True, True, False, False])
    >>> claims = chance_of_claims(inside, np.array([True, False, False, False]))
    >>> chance_of_precision(claims, inside, 1, 2)
    Chance(rate=0.5, chance=0.25, error=0.25, reach=0.5)
    """
    times = int(inside.sum()) / max(n_claimed, least, 1)
    return Chance(claims.rate * times, claims.chance * times, claims.error * times, claims.reach)


def chance_of_right(inside: BoolArray, claimed: BoolArray) -> Chance:
    """The share of right answers next to that of the larger group: the same answer to all questions.

    Examples
    --------
    >>> chance_of_right(np.array([True, False, False, False]), np.zeros(4, dtype=bool)).above(0)
    0.0
    """
    if inside.all() or not inside.any():
        return NONE
    n = len(inside)
    larger = max(int(inside.sum()), n - int(inside.sum())) / n
    return of_share(float((inside == claimed).mean()), larger, n)


def chance_of_rate(inside: BoolArray, rate: float, fpr: float) -> Chance:
    """A true positive rate at a false positive rate next to that of random confidences without ties.

    Of N others n = ⌊fpr · N⌋ may be above the threshold, so that a random member is above the next one with the
    probability (n + 1) / (N + 1); the rate has the variance of a beta-binomial distribution, of at least one member.

    Examples
    --------
    >>> inside = np.arange(29) < 10
    >>> found = chance_of_rate(inside, 0.5, 0.06)
    >>> found.chance, round(found.error, 6), found.reach
    (0.1, 0.113389, 0.9)
    """
    n_members, n_others = int(inside.sum()), len(inside) - int(inside.sum())
    n = allowed(fpr, n_others)
    if not n_members or n >= n_others:
        return NONE
    chance = (n + 1) / (n_others + 1)
    spread = chance * (1 - chance) * (n_others + 1 + n_members) / (n_others + 2)
    return Chance(rate, chance, float(np.sqrt(max(spread * n_members, 1))) / n_members, 1 - chance)


def chance_of_area(inside: BoolArray, found: float) -> Chance:
    """An area next to 1/2, with the error of Mann and Whitney's test without ties.

    Examples
    --------
    >>> chance_of_area(np.arange(8) < 4, 1.0)
    Chance(rate=1.0, chance=0.5, error=0.21650635094610965, reach=0.5)
    """
    n_pairs = int(inside.sum()) * int((~inside).sum())
    if not n_pairs:
        return NONE
    return Chance(found, 0.5, float(np.sqrt((len(inside) + 1) / (12 * n_pairs))), 0.5)


def allowed(fpr: float, n_others: int) -> int:
    """The largest number of others whose share is at most `fpr`.

    Examples
    --------
    >>> allowed(0.29, 100)
    29
    """
    n = int(fpr * n_others)
    while n < n_others and (n + 1) / n_others <= fpr:
        n += 1  # the product is rounded
    return n
