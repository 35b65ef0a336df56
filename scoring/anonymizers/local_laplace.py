# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism on each number separately: local differential privacy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import Above, check_above_zero, chosen_numbers
from scoring.anonymizers.domain import to_domain
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

ID = "local-laplace"
SCHEMA, COLUMN = "schema", "column"


def local_laplace(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    epsilon: float = 1,
    value_range: tuple[float, ...] = (),
    range_from: str = SCHEMA,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Add Laplace noise of scale (range of the column) / ε to each number.

    ε-local differential privacy of each value: protects against anyone who sees the table, whatever else they know. A
    record's m columns together have m ε. Costs single values: at ε = 1 the noise is as wide as the whole column. Means
    of many records survive, before rounding.

    Parameters
    ----------
    epsilon
        The ε of each value, above 0.
    value_range
        The smallest and largest possible value, in either order, for all columns; they set the noise.
    range_from
        Where no ends are given: "schema", the column's minimum and maximum; "column", its own least
        and greatest value, as also where the schema lacks an end. These depend on the data: the
        promise then holds within the range only, and the range itself is not protected.
    columns
        Columns of numbers; by default the sensitive ones.

    Raises
    ------
    ProblemsFound
        ε is not above 0, the range is not two different numbers, or a column is no column of
        numbers.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, on local differential privacy by
    the Laplace mechanism; Dwork & Roth, "The Algorithmic Foundations of Differential Privacy",
    §3.3. A value outside the range counts as the range's nearer end, before the noise, for the
    noise hides differences up to the range only.

    After the noise the value is rounded and bounded as the schema says. This does not reduce the protection, because it
    uses only the noisy value (post-processing), but it adds bias: what noise moves below the minimum is put there, so
    that at a small ε many values are at the two ends, and means move towards the middle of the range. Noise from
    ordinary floating-point numbers has gaps that can distinguish values (Mironov, "On Significance of the Least
    Significant Bits"), and anyone who knows the seed can remove the noise: a method for contests and study.
    """
    names = chosen_numbers(ID, columns, schema)
    check_above_zero(ID, "epsilon", epsilon)
    if len(value_range) not in (0, 2) or len(set(value_range)) < len(value_range):
        raise refuse(ID, "value_range", "two different numbers", value_range)
    result = table.copy()
    for name in names:
        column, values = schema.column(name), table[name].to_numpy(dtype=np.float64)
        low, high = sorted(value_range) or _own_range(values, column, range_from)
        result[name] = to_domain(with_laplace(values, low, high, epsilon, rng), column)
    return Anonymized(result, untouched(table))


def with_laplace(
    values: Floats, low: float, high: float, epsilon: float, rng: np.random.Generator
) -> Floats:
    """The values, moved into the range, with Laplace noise of scale (high - low) / ε.

    |noise| exceeds scale · ln(1/β) with probability β.
    """
    return np.clip(values, low, high) + rng.laplace(0, (high - low) / epsilon, len(values))


def _own_range(values: Floats, column: Column, range_from: str) -> tuple[float, float]:
    if range_from == SCHEMA and column.min is not None and column.max is not None:
        return column.min, column.max
    return float(values.min()), float(values.max())


LOCAL_LAPLACE = Anonymizer(
    id=ID,
    title=_("Laplace noise on each value"),
    protects=_("Every value against anyone who sees the table: local differential privacy"),
    costs=_("Single values: at epsilon 1 the noise is as wide as the column; means shift"),
    function=local_laplace,
    options=(
        Above("epsilon", "number", 1, _("privacy parameter of each value, above 0")),
        Option(
            "value_range",
            "numbers",
            (),
            _("smallest and largest value that a number can have: they set the noise"),
            low=-math.inf,
        ),
        Option(
            "range_from",
            "text",
            SCHEMA,
            _("where that is not given: the schema's bounds, or the column's minimum and maximum"),
            choices=(SCHEMA, COLUMN),
        ),
        Option("columns", "columns", (), _("columns of numbers; by default the sensitive ones")),
    ),
)
