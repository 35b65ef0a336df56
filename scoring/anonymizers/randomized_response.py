# SPDX-License-Identifier: Apache-2.0
"""Randomized response: values kept with some probability, else replaced by others of the domain.

Pk-anonymization keeps a value with probability rho and else draws any of the V values of its column,
the value itself among them; generalized randomized response keeps it with probability p and else draws
one of the others. The two are one mechanism: p = rho + (1 - rho) / V. What rho, p, ε and k are of each
other, and how shares are estimated, is in `scoring.privacy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
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
from scoring.privacy.post_randomization import epsilon_of_k, rhos_of
from scoring.privacy.randomized_response import probabilities
from scoring.tables.schema import Column, Kind, Schema

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.int64]

PK, RESPONSE = "pk-anonymization", "generalized-randomized-response"
TOTAL, EACH = "total", "each"


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


def _rho(epsilon: float, n_values: int) -> float:
    """The probability of retention of a column with this ε; 1 for a single value."""
    return rhos_of(epsilon, (n_values,))[0] if epsilon > 0 and n_values > 1 else 0.0


def _truth(epsilon: float, n_values: int) -> float:
    """The probability of a true answer; that of any other answer at ε = 0."""
    return probabilities(n_values, epsilon).true if epsilon > 0 and n_values > 1 else 1 / n_values


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
        import pandas as pd

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

    Protects by uncertainty: no value and no match is certain. Anyone who links a person by the columns is right with a
    probability of at most 1/k (`k_of`). As every value of a domain may replace every other, it is also local
    differential privacy of the columns. Costs counts: they are drawn towards equal ones, by a factor of rho for each
    column; cells of many columns suffer most. Other columns are not protected.

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
    values can be estimated with the column's own ε (`epsilon_of`, `estimate`).

    A domain is the schema's list of values or its range of integers. Where the schema gives none,
    it is the values that the table has, and which they are is then not protected. The randomness is
    a seeded generator, for contests and study: anyone who knows the seed can undo it.
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
        all_ = epsilon_of_k(float(k), len(table)) if float(k) < len(table) else 0.0
        each = all_ / max(len(names), 1)
    elif epsilon != "":
        check_above_zero(PK, "epsilon", float(epsilon))
        each = float(epsilon) / (max(len(names), 1) if budget == TOTAL else 1)
    elif not 0 <= rho <= 1:
        raise refuse(PK, "rho", "a number from 0 to 1", rho)
    result = table.copy()
    for name, domain in domains.items():
        own = rho if each is None else _rho(each, domain.size)
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

    ε-local differential privacy of the columns: protects against anyone who sees the table, whatever else they know:
    any two values give any answer with probabilities that differ by the factor e^ε at most. Costs single values: with
    many values of the domain and a small ε most are wrong. Shares of values can be estimated without bias (`estimate`),
    with errors that fall with the number of records (`variance`).

    Parameters
    ----------
    epsilon
        The ε, above 0.
    budget
        "total": the ε of all columns of a record together, split equally. "each": the ε of every column.
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
    `pk_anonymization` with the same ε, parametrized differently.

    A domain is the schema's list of values or its range of integers. Where the schema gives none,
    it is the values that the table has, and which they are is then not protected. The randomness is
    a seeded generator, for contests and study: anyone who knows the seed can undo it.
    """
    names = _columns(RESPONSE, columns, schema)
    check_above_zero(RESPONSE, "epsilon", epsilon)
    each = epsilon / len(names) if names and budget == TOTAL else epsilon
    result = table.copy()
    for name in names:
        domain = Domain.of(table[name], schema.column(name))
        codes = respond(domain.codes, domain.size, _truth(each, domain.size), rng)
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
    protects=_(
        "Certain matches: any value may come from any other, a match is right in 1 of k cases"
    ),
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
    protects=_("Every value against anyone who sees the table: local differential privacy"),
    costs=_("Single values, most of them at a small epsilon; shares can be estimated"),
    function=generalized_randomized_response,
    options=(Above("epsilon", "number", 1, _("privacy parameter above 0")), _BUDGET, _COLUMNS),
)
