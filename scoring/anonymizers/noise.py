# SPDX-License-Identifier: Apache-2.0
"""Perturbation: random noise on numbers, added or multiplied."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import chosen_numbers
from scoring.anonymizers.domain import LARGEST, to_domain
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

ADDITIVE, MULTIPLICATIVE = "additive-noise", "multiplicative-noise"
TAIL = 2
"""Truncated factors stay within this many standard deviations of 1."""


def sa_noise(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    scale: float = 0.1,
    zeros: str = "keep",
) -> Anonymized:
    """Add normal noise to every sensitive number, in proportion to its column's spread.

    Integers stay integers and the result stays within the column's bounds. A zero is kept by
    default: it says that a household spends nothing on something at all, and noise that is cut
    off at a bound of zero would shift the mean of a column with many zeros.

    Parameters
    ----------
    scale
        Standard deviation of the noise as a multiple of the column's own; 0 changes nothing.
    zeros
        "keep" or "perturb".
    """
    result = table.copy()
    for name in schema.sensitive_numeric:
        values = table[name].to_numpy(dtype=np.float64)
        noise = rng.standard_normal(len(values)) * (scale * values.std())
        noisy = to_domain(values + noise, schema.column(name))
        result[name] = np.where(values == 0, 0, noisy) if zeros == "keep" else noisy
    return Anonymized(result, untouched(table))


def additive_noise(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    distribution: str = "normal",
    scale: float = 0.1,
    correlated: str = "no",
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Add noise of mean 0 to numbers: normal, uniform or Laplace, independent or correlated.

    Protects against linkage by numbers: the record nearest to a perturbed one may be another. It
    gives no guarantee, and averages over several releases take the noise away. Costs precision of
    every value. Independent noise keeps means and covariances of different columns, raises each
    variance by the factor 1 + scale² and so weakens correlations; correlated noise keeps them. All
    this is before the values are rounded and bounded: in a column with many values at its minimum
    noise that is cut off there raises the mean.

    Parameters
    ----------
    distribution
        "normal"; "uniform", whose noise never exceeds √3 · scale · the column's deviation, so that
        an attacker may rule out all records farther away; or "laplace", with long tails.
    scale
        Standard deviation of the noise, as a multiple of the column's own; 0 changes nothing.
    correlated
        "no"; "proportional": the noise has scale² times the table's covariances, so that the
        correlations stay; "preserving": the noisy values are drawn towards the column's mean as
        well, so that means and all covariances stay. Correlated noise is a mixture of independent
        noise and has the named distribution before the mixing only.
    columns
        Columns of numbers; by default the sensitive ones.

    Raises
    ------
    ProblemsFound
        A column is no column of numbers.

    Notes
    -----
    Kim, "A Method for Limiting Disclosure in Microdata Based on Random Noise and Transformation";
    Hundepool et al., "Statistical Disclosure Control", on noise addition.
    """
    names = chosen_numbers(ADDITIVE, columns, schema)
    if not names:
        return Anonymized(table.copy(), untouched(table))
    values = table[list(names)].to_numpy(dtype=np.float64)
    drawn = standard_noise(distribution, values.shape, rng)
    mixing = np.diag(values.std(axis=0)) if correlated == "no" else covariance_root(values)
    noisy = values + scale * (drawn @ mixing)
    if correlated == "preserving":
        center = values.mean(axis=0)
        noisy = center + (noisy - center) / math.sqrt(1 + scale**2)
    result = table.copy()
    for name, column in zip(names, noisy.T, strict=True):
        result[name] = to_domain(column, schema.column(name))
    return Anonymized(result, untouched(table))


def standard_noise(distribution: str, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Independent draws of mean 0 and variance 1."""
    if distribution == "uniform":
        return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)
    if distribution == "laplace":
        return rng.laplace(0, math.sqrt(0.5), shape)
    return rng.standard_normal(shape)


def covariance_root(values: Floats) -> Floats:
    """The matrix that turns independent standard draws into draws with the covariances of these columns.

    A constant column gets zeros: it stays as it is.

    Examples
    --------
    >>> covariance_root(np.array([[0.0, 0.0], [2.0, 6.0], [4.0, 12.0]])).round(3).tolist()
    [[1.155, 3.464], [1.155, 3.464]]
    """
    deviations = values.std(axis=0)
    # Of correlations, not of covariances: cents next to millions would be lost in rounding. The
    # symmetric root, unlike others, does not depend on the signs of the eigenvectors.
    standard = (values - values.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    sizes, directions = np.linalg.eigh(standard.T @ standard / len(values))
    root: Floats = (directions * np.sqrt(np.maximum(sizes, 0))) @ directions.T * deviations
    return root


def multiplicative_noise(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    distribution: str = "lognormal",
    scale: float = 0.1,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Multiply numbers by random factors of mean 1.

    Protects large values, which added noise hardly hides: every value is off by the same share of
    itself. Zeros stay zero and signs stay, so that zero amounts stay visible.
    Costs precision of every value; sums and means stay in expectation, variances grow. All this is
    before the values are rounded and bounded.

    Parameters
    ----------
    distribution
        "lognormal": products of factors are again of the kind, ratios are hidden alike; rarely a
        factor is far from 1. "truncated": normal with its tails cut off at two deviations, no value
        is off by more than 2 · scale, which also bounds the search of an attacker.
    scale
        Standard deviation of the factor, for "truncated" before its tails are cut off and at most
        0.5, for a factor must not be negative. 0 changes nothing.
    columns
        Columns of numbers; by default the sensitive ones.

    Raises
    ------
    ProblemsFound
        A column is no column of numbers, or `scale` is too large.

    Notes
    -----
    Kim & Winkler, "Multiplicative Noise for Masking Continuous Data": both kinds of factors.
    """
    names = chosen_numbers(MULTIPLICATIVE, columns, schema)
    if distribution == "truncated" and scale * TAIL > 1:
        expected = f"at most {1 / TAIL:g} where the factors are truncated"
        raise refuse(MULTIPLICATIVE, "scale", expected, scale)
    result = table.copy()
    for name in names:
        values = table[name].to_numpy(dtype=np.float64)
        factors = mean_one_factors(distribution, scale, len(values), rng)
        result[name] = to_domain(values * factors, schema.column(name))
    return Anonymized(result, untouched(table))


def mean_one_factors(distribution: str, scale: float, n: int, rng: np.random.Generator) -> Floats:
    """Random factors of mean 1, all positive (truncated ones from 0)."""
    if distribution == "truncated":
        drawn = rng.standard_normal(n)
        while (beyond := np.abs(drawn) > TAIL).any():
            drawn[beyond] = rng.standard_normal(np.count_nonzero(beyond))
        return 1 + scale * drawn
    # exp(Z) has mean exp(variance / 2), and a variation of scale if variance = ln(1 + scale²).
    variance = math.log1p(scale**2)
    return rng.lognormal(-variance / 2, math.sqrt(variance), n)


_SCALE = Option(
    "scale",
    "number",
    0.1,
    _("standard deviation of the noise, as a multiple of the column's own"),
    high=LARGEST,
)

SA_NOISE = Anonymizer(
    id="sa-noise",
    title=_("Noise on sensitive attributes"),
    protects=_("Linkage by amounts: the nearest original may be another one"),
    costs=_("Every amount is off; correlations and cell means shift"),
    function=sa_noise,
    options=(
        _SCALE,
        Option(
            "zeros",
            "text",
            "keep",
            _("whether zeros stay zero or get noise too"),
            choices=("keep", "perturb"),
        ),
    ),
)

_COLUMNS = Option("columns", "columns", (), _("columns of numbers; by default the sensitive ones"))

ADDITIVE_NOISE = Anonymizer(
    id=ADDITIVE,
    title=_("Added noise"),
    protects=_("Linkage by numbers: the nearest original may be another one"),
    costs=_("Precision of every value; variances, and correlations unless the noise has them too"),
    function=additive_noise,
    options=(
        Option(
            "distribution",
            "text",
            "normal",
            _("of the noise before it is correlated"),
            choices=("normal", "uniform", "laplace"),
        ),
        _SCALE,
        Option(
            "correlated",
            "text",
            "no",
            _("independent noise, with the table's correlations, or preserving covariances"),
            choices=("no", "proportional", "preserving"),
        ),
        _COLUMNS,
    ),
)

MULTIPLICATIVE_NOISE = Anonymizer(
    id=MULTIPLICATIVE,
    title=_("Multiplied noise"),
    protects=_("Linkage by large numbers: each is off by a share of itself"),
    costs=_("Precision of every value but zeros; variances grow, means stay"),
    function=multiplicative_noise,
    options=(
        Option(
            "distribution",
            "text",
            "lognormal",
            _("of the factors, whose mean is 1"),
            choices=("lognormal", "truncated"),
        ),
        Option("scale", "number", 0.1, _("standard deviation of the factors"), high=LARGEST),
        _COLUMNS,
    ),
)
