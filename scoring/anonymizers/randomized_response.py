"""Randomized response: values kept with some probability, else replaced by others of the domain.

The formulas of one attribute of V values. Pk-anonymization keeps a value with probability rho and
else draws any of the V, the value itself among them; generalized randomized response keeps it with
probability p and else draws one of the others. The two are one mechanism: p = rho + (1 - rho) / V.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import (
    Above,
    NumberOrNothing,
    check_above_zero,
    chosen_columns,
    discrete_columns,
)
from scoring.anonymizers.domain import ordinal
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.schema import Column, Kind, Schema

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

PK, RESPONSE = "pk-anonymization", "generalized-randomized-response"
TOTAL, EACH = "total", "each"


# The formulas


def keep_probability(epsilon: float, n_values: int) -> float:
    """The probability p = e^ε / (V - 1 + e^ε) with which a value is answered truly.

    Any two of the V values then give any answer with probabilities that differ by the factor e^ε
    at most. 1/V at ε = 0, towards 1 as ε grows; 1 where there is one value only.

    Examples
    --------
    >>> round(keep_probability(math.log(3), 2), 4), round(keep_probability(math.log(3), 4), 4)
    (0.75, 0.5)
    """
    return 1 / (1 + (n_values - 1) * math.exp(-epsilon))


def epsilon_of_rho(rho: float, n_values: int) -> float:
    """The ε of one attribute: ln((1 + (V - 1) rho) / (1 - rho)), which is ln(1 + V rho / (1 - rho)).

    0 at rho = 0, infinite at rho = 1; 0 for a single value, which tells nothing.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    equation 6 (one summand), after Ikarashi et al., "k-anonymous Microdata Release via Post
    Randomisation Method".

    Examples
    --------
    >>> round(epsilon_of_rho(0.5, 2), 4) == round(math.log(3), 4)
    True
    """
    if n_values == 1:
        return 0.0
    return math.inf if rho == 1 else math.log1p(n_values * rho / (1 - rho))


def rho_of_epsilon(epsilon: float, n_values: int) -> float:
    """The rho at which one attribute of V values has this ε: the inverse of `epsilon_of_rho`.

    Examples
    --------
    >>> round(rho_of_epsilon(math.log(3), 2), 4)
    0.5
    """
    return -math.expm1(-epsilon) / (1 + (n_values - 1) * math.exp(-epsilon))


def k_of_epsilon(epsilon: float, n_records: int) -> float:
    """The k of Pk-anonymity that ε, over all attributes together, gives a table of N records.

    N at ε = 0, towards 1 as ε grows: nobody is found with a probability above 1/k.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura, equation 7, is 1 + (N - 1) times the product over the attributes
    of ((1 - rho) / (1 + (V - 1) rho))². Each factor is e^(-2ε) of its attribute, so that k is
    1 + (N - 1) e^(-2ε) whatever the domains.

    Examples
    --------
    >>> round(k_of_epsilon(1.0, 6040))
    818
    """
    return 1 + (n_records - 1) * math.exp(-2 * epsilon)


def epsilon_of_k(k: float, n_records: int) -> float:
    """The ε over all attributes at which a table of N records has this k, 1 < k ≤ N.

    Examples
    --------
    >>> round(k_of_epsilon(epsilon_of_k(5, 6040), 6040), 9)
    5.0
    """
    return math.log((n_records - 1) / (k - 1)) / 2


def estimated_frequencies(counts: Sequence[int] | Codes, epsilon: float) -> Floats:
    """Unbiased estimates of the original shares of values, from counts of randomized answers.

    Parameters
    ----------
    counts
        How often each value of the domain was answered, zeros included.
    epsilon
        The ε of the generalized randomized response, above 0.

    Returns
    -------
    float64 array
        (c / n - q) / (p - q) for each value, with q = (1 - p) / (V - 1). They add up to 1; a rare
        value's may be negative.

    Raises
    ------
    ValueError
        There are no answers, or ε is not above 0: then the answers tell nothing.

    Notes
    -----
    Kairouz, Bonawitz & Ramage, "Discrete Distribution Estimation under Local Privacy", §2, k-ary
    randomized response.

    Examples
    --------
    >>> estimated_frequencies([60, 40], math.log(3)).round(3).tolist()
    [0.7, 0.3]
    """
    answered = np.asarray(counts, dtype=np.float64)
    if answered.sum() == 0 or not epsilon > 0:
        raise ValueError("expected at least one answer and an epsilon above 0")
    p, q = _answer_probabilities(epsilon, len(answered))
    estimates: Floats = (answered / answered.sum() - q) / (p - q)
    return estimates


def frequency_variances(frequencies: Sequence[float] | Floats, n: int, epsilon: float) -> Floats:
    """The variances of `estimated_frequencies` where these are the table's shares.

    Each of n f records answers the value with probability p, each of the others with q, so that the
    variance is (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)²): it falls with n and grows as ε
    goes to 0.

    Examples
    --------
    >>> frequency_variances([0.7, 0.3], 100, math.log(3)).round(4).tolist()
    [0.0075, 0.0075]
    """
    shares = np.asarray(frequencies, dtype=np.float64)
    p, q = _answer_probabilities(epsilon, len(shares))
    variances: Floats = (shares * p * (1 - p) + (1 - shares) * q * (1 - q)) / (n * (p - q) ** 2)
    return variances


def _answer_probabilities(epsilon: float, n_values: int) -> tuple[float, float]:
    """The probabilities of a true answer and of each other one."""
    p = keep_probability(epsilon, n_values)
    return p, (1 - p) / (n_values - 1) if n_values > 1 else 0.0


# The mechanisms


def replace_uniformly(codes: Codes, n_values: int, rho: float, rng: np.random.Generator) -> Codes:
    """Each code kept with probability rho, else any of the codes 0 to V - 1, itself among them."""
    kept = rng.random(len(codes)) < rho
    return np.where(kept, codes, rng.integers(n_values, size=len(codes)))


def respond(codes: Codes, n_values: int, keep: float, rng: np.random.Generator) -> Codes:
    """Each code kept with probability `keep`, else one of the V - 1 others."""
    if n_values == 1:
        return codes.copy()
    shift = rng.integers(1, n_values, size=len(codes))
    kept = rng.random(len(codes)) < keep
    return np.where(kept, codes, (codes + shift) % n_values)


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that a column may hold, as codes 0 to `size` - 1: listed, or integers from `low`."""

    size: int
    codes: Codes
    values: NDArray[np.generic] | None
    low: int = 0

    @classmethod
    def of(cls, series: pd.Series, column: Column) -> Domain:
        """The schema's values or its range of integers; else the values that the table has."""
        if column.kind is Kind.CATEGORY:
            codes, listed = ordinal(series, column)
            return cls(len(listed), codes, listed)
        if column.min is None or column.max is None:
            occurring, inverse = np.unique(series.to_numpy(), return_inverse=True)
            return cls(len(occurring), inverse.astype(np.int64), occurring)
        low, high = ceil(column.min), floor(column.max)
        return cls(high - low + 1, series.to_numpy(dtype=np.int64) - low, None, low)

    def series(self, codes: Codes, dtype: object) -> pd.Series:
        """The values of the codes, in the type of the column they came from."""
        values = codes + self.low if self.values is None else self.values[codes]
        return pd.Series(values).astype(dtype)  # type: ignore[call-overload,no-any-return]  # any dtype


def pk_anonymization(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    rho: float = 0.5,
    epsilon: NumberOrNothing = "",
    budget: str = TOTAL,
    k: NumberOrNothing = "",
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Keep each value with probability rho, else replace it by any value of its column's domain.

    Protects by doubt: no value, and no match, is certain, and whoever finds a person by the columns
    is right with a probability of at most 1/k (`k_of_epsilon`). As every value of a domain may
    replace every other, it is also local differential privacy of the columns. Costs counts: they are
    drawn towards equal ones, by a factor of rho for each column; cells of many columns suffer
    most. The columns left alone are not protected.

    Parameters
    ----------
    rho
        The probability of retention of every column, 0 to 1: 1 changes nothing, 0 leaves nothing.
    epsilon
        Instead of rho: the ε, above 0. Columns of different domains then have different rho.
    budget
        What `epsilon` is for: "total" for a record's columns together, an equal part for each;
        "each" for every column, so that they together have as many times as much.
    k
        Instead of both: the k of Pk-anonymity, above 1 and at most the number of records. The ε
        that gives it is split into equal parts.
    columns
        Columns of categories or integers; by default all quasi-identifiers of these kinds.

    Raises
    ------
    ProblemsFound
        A column is of another kind, ε is not above 0, k is out of range, or both ε and k are given.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §2.2.1 (equation 2) and §2.2.3 (equations 6 and 7), after Ikarashi, Chida & Takahashi on a
    probabilistic k-anonymity; it is PRAM (Gouweleeuw et al., "The Post Randomisation Method") with
    a uniform matrix. The paper gives all columns one rho, as `rho` does here; its ε is the sum over
    the columns. Its Table 2 prints values of rho near ε / 9, the first term of a series; equation 6
    itself is solved here, where ε 4.0 takes a rho of .62 instead of .44. The shares of one column's
    values can be estimated with the column's own ε (`epsilon_of_rho`, `estimated_frequencies`).

    A domain is the schema's list of values or its range of integers. Where the schema gives none,
    it is the values that the table has, and which they are is then not protected. The randomness is
    a seeded generator, for contests and study: whoever knows the seed undoes it.
    """
    names = _columns(PK, columns, schema)
    domains = {name: Domain.of(table[name], schema.column(name)) for name in names}
    if epsilon != "" and k != "":
        raise refuse(PK, "epsilon", "epsilon or k, not both", epsilon)
    each: float | None = None
    if k != "":
        if not 1 < float(k) <= len(table):
            expected = f"a number above 1, up to the table's {len(table)} records"
            raise refuse(PK, "k", expected, k)
        each = epsilon_of_k(float(k), len(table)) / max(len(names), 1)
    elif epsilon != "":
        check_above_zero(PK, "epsilon", float(epsilon))
        each = float(epsilon) / (max(len(names), 1) if budget == TOTAL else 1)
    elif not 0 <= rho <= 1:
        raise refuse(PK, "rho", "a number from 0 to 1", rho)
    result = table.copy()
    for name, domain in domains.items():
        own = rho if each is None else rho_of_epsilon(each, domain.size)
        codes = replace_uniformly(domain.codes, domain.size, own, rng)
        result[name] = domain.series(codes, table[name].dtype)
    return Anonymized(result, untouched(table))


def generalized_randomized_response(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    epsilon: float = 1,
    budget: str = TOTAL,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Answer each value truly with probability e^ε / (V - 1 + e^ε), else with one of the V - 1 others.

    ε-local differential privacy of the columns: protects against everybody who sees the table,
    whatever they know besides, for any two values give any answer with probabilities that differ by
    the factor e^ε at most. Costs single values: with many values of the domain and a small ε most
    are wrong. Shares of values can be estimated without bias (`estimated_frequencies`), with errors
    that fall with the number of records (`frequency_variances`).

    Parameters
    ----------
    epsilon
        The ε, above 0.
    budget
        "total": for a record's columns together, an equal part for each. "each": for every column.
    columns
        Columns of categories or integers; by default all quasi-identifiers of these kinds.

    Raises
    ------
    ProblemsFound
        A column is of another kind, or ε is not above 0.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, "Generalized randomized response";
    Kairouz, Oh & Viswanath, "Extremal Mechanisms for Local Differential Privacy". It is
    `pk_anonymization` with the same ε, in other words.

    A domain is the schema's list of values or its range of integers. Where the schema gives none,
    it is the values that the table has, and which they are is then not protected. The randomness is
    a seeded generator, for contests and study: whoever knows the seed undoes it.
    """
    names = _columns(RESPONSE, columns, schema)
    check_above_zero(RESPONSE, "epsilon", epsilon)
    each = epsilon / len(names) if names and budget == TOTAL else epsilon
    result = table.copy()
    for name in names:
        domain = Domain.of(table[name], schema.column(name))
        codes = respond(domain.codes, domain.size, keep_probability(each, domain.size), rng)
        result[name] = domain.series(codes, table[name].dtype)
    return Anonymized(result, untouched(table))


def _columns(method: str, names: Sequence[str], schema: Schema) -> tuple[str, ...]:
    suitable = discrete_columns(schema)
    chosen = chosen_columns(method, names, suitable, "columns of categories or integers")
    return chosen or tuple(name for name in schema.quasi_identifiers if name in suitable)


_BUDGET = Option(
    "budget",
    "text",
    TOTAL,
    _("whether epsilon is for a record's columns together or for each of them"),
    choices=(TOTAL, EACH),
)
_COLUMNS = Option(
    "columns",
    "columns",
    (),
    _("columns of categories or integers; by default the quasi-identifiers of these kinds"),
)

PK_ANONYMIZATION = Anonymizer(
    id=PK,
    title=_("Pk-anonymization (PRAM)"),
    protects=_("Certainty: any value may come from any other, a match is right in 1 of k cases"),
    costs=_("Counts of values and cells, drawn towards equal ones"),
    function=pk_anonymization,
    options=(
        Option("rho", "number", 0.5, _("probability that a value is kept"), high=1),
        Above("epsilon", "number", "", _("privacy parameter above 0, instead of rho")),
        _BUDGET,
        Above("k", "number", "", _("k of Pk-anonymity above 1, instead of rho and epsilon"), low=1),
        _COLUMNS,
    ),
)

GENERALIZED_RANDOMIZED_RESPONSE = Anonymizer(
    id=RESPONSE,
    title=_("Generalized randomized response"),
    protects=_("Every value against whoever sees the table: local differential privacy"),
    costs=_("Single values, most of them at a small epsilon; shares can be estimated"),
    function=generalized_randomized_response,
    options=(Above("epsilon", "number", 1, _("privacy parameter above 0")), _BUDGET, _COLUMNS),
)
