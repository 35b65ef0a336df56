# SPDX-License-Identifier: Apache-2.0
"""Pk-anonymization: every value is kept with probability ρ and else replaced by any value of its attribute.

It is the post-randomization method (PRAM) with a uniform matrix, and for one attribute generalized randomized
response. Over several attributes its matrix is the Kronecker product of theirs, which nothing here builds: everything
is done attribute by attribute.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.privacy.domains import (
    Floats,
    Integers,
    Rho,
    checked_epsilon_or_0,
    checked_rhos,
    checked_sizes,
)
from scoring.privacy.sampling import Randomness, hits, randomness_of, uniform
from scoring.privacy.tables import CHUNK, check_codes, checked_table

Rule = Literal["exact", "taylor"]
RULES: tuple[Rule, ...] = ("exact", "taylor")
_FEW_VALUES = 64
_CLOSE = 1e-12


# ε, ρ and k


def keep_probability(rho: float, size: int) -> float:
    """ρ + (1 - ρ) / V: how likely a value stays, by being kept or by replacing itself.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    equation 2; every other value comes with probability (1 - ρ) / V.

    Examples
    --------
    >>> keep_probability(0.5, 2), keep_probability(0, 4)
    (0.75, 0.25)
    """
    return rho + (1 - rho) / size


def epsilon_of(rho: Rho, sizes: Sequence[int]) -> float:
    """The ε of all attributes of a record together: Σ ln((1 + (V - 1) ρ) / (1 - ρ)).

    Parameters
    ----------
    rho
        One for all attributes or one for each, 0 to 1.
    sizes
        The number of values of each attribute.

    Returns
    -------
    float
        0 where all ρ are 0, infinite where one is 1.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura, equation 6, after Ikarashi, Kikuchi, Chida & Takahashi,
    "k-anonymous Microdata Release via Post Randomisation Method".

    Examples
    --------
    >>> round(epsilon_of(0.44, (2, 7)), 2), round(epsilon_of([0.5, 0.0], (2, 7)), 4)
    (2.82, 1.0986)
    """
    sizes = checked_sizes(sizes, table=False)
    rhos = checked_rhos(rho, sizes)
    if 1 in rhos:
        return math.inf
    return math.fsum(math.log1p(v * r / (1 - r)) for r, v in zip(rhos, sizes, strict=True))


def rho_of(epsilon: float, sizes: Sequence[int], rule: Rule = "exact") -> float:
    """The ρ of all attributes at which a record's attributes together have this ε.

    Parameters
    ----------
    epsilon
        At least 0 and finite.
    sizes
        The number of values of each attribute.
    rule
        "exact": the root of `epsilon_of`, rounded down, so that the ε of ρ, computed in decimals, is never
        above ε. "taylor": ε / Σ V, the first
        term of its series, which gives a smaller ρ and so protects more than ε says; it is what
        the published experiment used.

    Returns
    -------
    float
        Below 1; 0 at ε = 0, where every value is drawn again.

    Raises
    ------
    ValueError
        ε or the domain is wrong, or the first term is not below 1.

    Examples
    --------
    >>> [round(rho_of(epsilon, (2, 7)), 5) for epsilon in (0.1, 1, 4)]
    [0.01135, 0.13346, 0.62426]
    >>> [round(rho_of(epsilon, (2, 7), "taylor"), 2) for epsilon in (0.1, 1, 4)]
    [0.01, 0.11, 0.44]
    """
    sizes = checked_sizes(sizes, table=False)
    if checked_epsilon_or_0(epsilon) == 0:
        return 0.0
    if rule == "taylor":
        if (rho := epsilon / sum(sizes)) >= 1:
            raise ValueError(
                f"epsilon: expected less than {sum(sizes)} for the first term, got {epsilon}"
            )
        return rho
    if rule != "exact":
        raise ValueError(f"rule: expected {' or '.join(RULES)}, got {rule}")

    # In t = -ln(1 - ρ) the sum grows smoothly, and t lies between 0 and ε / W.
    def excess(t: float) -> float:
        rho = -math.expm1(-t)
        return math.fsum(t + math.log1p((v - 1) * rho) for v in sizes) - epsilon

    from scipy.optimize import brentq  # takes 0.2 s to load, and few who import this module call it

    t = brentq(excess, 0.0, epsilon / len(sizes), xtol=1e-300, rtol=1e-15)
    rho = min(-math.expm1(-float(t)), math.nextafter(1, 0))
    while rho > 0 and _exceeds((rho,) * len(sizes), sizes, epsilon):
        rho = math.nextafter(rho, 0)
    return rho


def rhos_of(
    epsilon: float, sizes: Sequence[int], weights: Sequence[float] | None = None
) -> tuple[float, ...]:
    """The ρ of each attribute where ε is divided among the attributes, by weights or equally.

    Each is (e^ε_w - 1) / (e^ε_w + V_w - 1), the inverse of one summand of `epsilon_of`, rounded down so that
    their ε together, computed in decimals, is never above ε.

    Raises
    ------
    ValueError
        ε or the domain is wrong, or there is not one positive weight for each attribute.

    Examples
    --------
    >>> [round(rho, 4) for rho in rhos_of(2 * math.log(3), (2, 4))]
    [0.5, 0.3333]
    >>> rhos_of(0, (2, 7)), rho_of(0, (2, 7))
    ((0.0, 0.0), 0.0)
    >>> round(epsilon_of(rhos_of(1.0, (2, 7), (1, 3)), (2, 7)), 9)
    1.0
    """
    checked_epsilon_or_0(epsilon)
    sizes = checked_sizes(sizes, table=False)
    parts = (1.0,) * len(sizes) if weights is None else tuple(map(float, weights))
    if len(parts) != len(sizes) or not all(0 < part < math.inf for part in parts):
        raise ValueError(f"weights: expected {len(sizes)} numbers above 0, got {parts}")
    epsilons = [epsilon * part / math.fsum(parts) for part in parts]
    rhos = tuple(
        -math.expm1(-own) / (1 + (v - 1) * math.exp(-own))
        for own, v in zip(epsilons, sizes, strict=True)
    )
    while any(rhos) and _exceeds(rhos, sizes, epsilon):
        rhos = tuple(math.nextafter(rho, 0) for rho in rhos)
    return rhos


def _exceeds(rhos: Sequence[float], sizes: Sequence[int], epsilon: float) -> bool:
    """True if the ε of these ρ is above the given one, as a float or, where that does not decide, in 50 digits."""
    together = epsilon_of(rhos, sizes)
    if together > epsilon or together < epsilon * (1 - _CLOSE):
        return together > epsilon
    with localcontext(prec=50):
        exact = sum(
            ((1 + (v - 1) * Decimal(rho)) / (1 - Decimal(rho))).ln()
            for rho, v in zip(rhos, sizes, strict=True)
        )
        return exact > Decimal(epsilon)


def k_of(epsilon: float, n_records: int) -> float:
    """The k of Pk-anonymity of N records: nobody is found with a probability above 1/k.

    1 + (N - 1) e^(-2ε) for every domain: each factor of equation 7 is e^(-2ε) of its attribute.

    Returns
    -------
    float
        N towards ε = 0, 1 as ε grows.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura, equation 7.

    Examples
    --------
    >>> [round(k_of(epsilon, 6040), 1) for epsilon in (0.1, 1, 2, 4)]
    [4945.3, 818.3, 111.6, 3.0]
    """
    if n_records < 1:
        raise ValueError(f"n_records: expected at least 1, got {n_records}")
    return 1 + (n_records - 1) * math.exp(-2 * checked_epsilon_or_0(epsilon))


def k_of_rho(rho: Rho, sizes: Sequence[int], n_records: int) -> float:
    """The k of Pk-anonymity from ρ, as equation 7 has it; the same as `k_of` of the ε of ρ.

    Examples
    --------
    >>> round(k_of_rho(0.44, (2, 7), 6040), 2), round(k_of_rho(0, (2, 7), 6040), 2)
    (22.62, 6040.0)
    """
    sizes = checked_sizes(sizes, table=False)
    rhos = checked_rhos(rho, sizes)
    ratios = ((1 - r) / (1 + (v - 1) * r) for r, v in zip(rhos, sizes, strict=True))
    return 1 + (n_records - 1) * math.prod(ratio**2 for ratio in ratios)


def epsilon_of_k(k: float, n_records: int) -> float:
    """The ε over all attributes at which N records have this k: the inverse of `k_of`.

    Raises
    ------
    ValueError
        k is not above 1 and below N: at N nothing may be disclosed at all.

    Examples
    --------
    >>> round(epsilon_of_k(k_of(1.0, 6040), 6040), 12)
    1.0
    """
    if not 1 < k < n_records:
        raise ValueError(f"k: expected more than 1 and less than {n_records} records, got {k}")
    return math.log((n_records - 1) / (k - 1)) / 2


# The mechanism


def randomize(
    codes: NDArray[np.integer],
    sizes: Sequence[int],
    rho: Rho,
    rng: Randomness | np.random.Generator,
) -> NDArray[np.integer]:
    """Each value of each record kept with probability ρ, else any value of its attribute.

    Parameters
    ----------
    codes
        Integer array of shape (n, W): each record's value of each attribute, 0 to size - 1.
    sizes
        The number of values of each of the W attributes.
    rho
        One for all attributes or one for each, 0 to 1; 1 changes nothing, 0 leaves nothing.
    rng
        `sampling.secure()` for a release; a seeded generator for experiments. In both cases ρ is
        rounded down to a multiple of 2^-53, and drawn exactly.

    Returns
    -------
    integer array of the same shape and type
        In the order of the records; the input is unchanged.

    Raises
    ------
    ValueError
        A code lies outside the domain, or another argument is wrong.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura, §2.2.1, equation 2.

    Examples
    --------
    >>> records = np.array([[0, 6], [1, 2]], dtype=np.uint8)
    >>> randomize(records, (2, 7), 1.0, np.random.default_rng(1)).tolist()
    [[0, 6], [1, 2]]
    """
    sizes = checked_sizes(sizes, table=False)
    rhos = checked_rhos(rho, sizes)
    if not isinstance(codes, np.ndarray):
        expected = "an array of codes from 0 (the anonymizer pk-anonymization takes frames)"
        raise TypeError(f"codes: expected {expected}, got {type(codes).__name__}")
    check_codes(codes, sizes)
    randomness = randomness_of(rng)
    result = codes.copy()
    for w, (size, own) in enumerate(zip(sizes, rhos, strict=True)):
        for start in range(0, len(codes), CHUNK):
            column = result[start : start + CHUNK, w]
            replaced = np.flatnonzero(~hits(own, len(column), randomness))
            column[replaced] = uniform(size, len(replaced), randomness)
    return result


def randomize_tables(
    table: ArrayLike, sizes: Sequence[int], rho: Rho, n_trials: int, rng: np.random.Generator
) -> Integers:
    """Tables of counts as they come from `randomize` and `contingency`, without the records.

    The same distribution: of each cell a binomial number of records keeps its value of an
    attribute, and all others that agree in the other attributes are spread evenly over its values.
    The time is that of the cells, whatever the number of records.

    Parameters
    ----------
    table
        Integer counts of shape `sizes`.
    n_trials
        How many tables are drawn.
    rng
        For experiments.

    Returns
    -------
    int64 array of shape (n_trials, *sizes)
        Each of the same total.

    Examples
    --------
    >>> drawn = randomize_tables([[5, 0, 3], [1, 1, 0]], (2, 3), 0.5, 4, np.random.default_rng(1))
    >>> drawn.shape, drawn.sum(axis=(1, 2)).tolist()
    ((4, 2, 3), [10, 10, 10, 10])
    """
    sizes = checked_sizes(sizes)
    counts = checked_table(table, sizes).astype(np.int64)
    tables = np.repeat(counts[None], n_trials, axis=0)
    for w, (size, own) in enumerate(zip(sizes, checked_rhos(rho, sizes), strict=True)):
        kept = rng.binomial(tables, own)
        moved = (tables - kept).sum(axis=w + 1)
        spread = rng.multinomial(moved, [1 / size] * size)
        tables = kept + np.moveaxis(spread, -1, w + 1)
    return tables


def expected_table(table: ArrayLike, sizes: Sequence[int], rho: Rho) -> Floats:
    """The mean of the table after randomization; each attribute draws its counts towards equal ones.

    Parameters
    ----------
    table
        Counts of shape `sizes`, or several tables along a first axis.

    Examples
    --------
    >>> expected_table([[8, 0], [0, 0]], (2, 2), 0.5).tolist()
    [[4.5, 1.5], [1.5, 0.5]]
    """
    sizes = checked_sizes(sizes)
    rhos = checked_rhos(rho, sizes)
    return mix(checked_table(table, sizes, leading=True), sizes, rhos)


def mix(tables: Floats, sizes: Sequence[int], rhos: Sequence[float]) -> Floats:
    """`expected_table` in place, for contiguous tables that have been checked."""
    after = math.prod(sizes)
    for size, rho in zip(sizes, rhos, strict=True):
        after //= size
        if rho == 1:
            continue
        along = tables.reshape(-1, size, after)
        sums = _sums(along)
        along *= rho
        sums *= (1 - rho) / size
        for value in range(size if size <= _FEW_VALUES else 0):
            along[:, value] += sums
        if size > _FEW_VALUES:
            along += sums[:, None, :]
    return tables


def _sums(along: Floats) -> Floats:
    """The sums over the middle axis; few values are added slice by slice, which is far quicker."""
    size = along.shape[1]
    if size > _FEW_VALUES:
        found: Floats = along.sum(axis=1)
        return found
    sums = along[:, 0] + along[:, 1]
    for value in range(2, size):
        sums += along[:, value]
    return sums


def mean_squared_distance(table: ArrayLike, sizes: Sequence[int], rho: Rho) -> float:
    """The mean of the squared L2 distance between a table and what randomization makes of it.

    Σ bias² + N (1 - Π (p² + (V - 1) q²)) with p and q the probabilities of a value to stay and to
    become each other one: the counts of a cell come from independent records, each of which adds
    a (1 - a) to the variance of every cell that it may get to with probability a.

    Examples
    --------
    The published experiment's table of 6,040 persons at ε = 1: the root is 1277.

    >>> persons = [[78, 298, 558, 338, 189, 146, 102], [144, 805, 1538, 855, 361, 350, 278]]
    >>> round(math.sqrt(mean_squared_distance(persons, (2, 7), rho_of(1, (2, 7)))), 2)
    1276.95
    """
    sizes = checked_sizes(sizes)
    rhos = checked_rhos(rho, sizes)
    counts = checked_table(table, sizes)
    bias = mix(counts.copy(), sizes, rhos) - counts
    same = math.prod(
        keep_probability(r, v) ** 2 + (v - 1) * ((1 - r) / v) ** 2
        for r, v in zip(rhos, sizes, strict=True)
    )
    return float((bias**2).sum() + counts.sum() * (1 - same))
