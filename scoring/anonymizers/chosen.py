# SPDX-License-Identifier: Apache-2.0
"""Parts shared by perturbing methods: their columns, and numbers above a bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.options import Option, Value, refuse
from scoring.tables.schema import Kind, Schema

NumberOrNothing = float | str
"""A number, or "" where it was left out."""


def chosen_columns(
    method: str, names: Sequence[str], suitable: Sequence[str], noun: str
) -> tuple[str, ...]:
    """The named columns, checked.

    Raises
    ------
    ProblemsFound
        A name is not among the suitable ones, or is given twice.
    """
    wrong = [name for name in names if name not in suitable]
    if wrong or len(set(names)) < len(names):
        expected = f"different {noun}, out of {', '.join(suitable) or 'none'}"
        raise refuse(method, "columns", expected, wrong or names)
    return tuple(names)


def chosen_numbers(method: str, names: Sequence[str], schema: Schema) -> tuple[str, ...]:
    """The named columns of numbers, checked as above; where none is named the sensitive ones."""
    suitable = numeric_columns(schema)
    return chosen_columns(method, names, suitable, "columns of numbers") or schema.sensitive_numeric


def numeric_columns(schema: Schema) -> tuple[str, ...]:
    """Names of all columns of numbers, whatever their role, in order."""
    return tuple(column.name for column in schema.columns if column.is_numeric)


def discrete_columns(schema: Schema) -> tuple[str, ...]:
    """Names of all columns of categories and integers, in order."""
    return tuple(column.name for column in schema.columns if column.kind is not Kind.NUMBER)


def check_group_size(method: str, k: int, n_records: int) -> None:
    """Refuse groups larger than the table."""
    if not 1 <= k <= n_records:
        raise refuse(method, "k", f"an integer from 1 to the table's {n_records} records", k)


def check_above_zero(method: str, option: str, value: float) -> None:
    """Refuse a number that is not above 0, or not finite."""
    if not 0 < value < math.inf:
        raise refuse(method, option, "a number above 0", value)


@dataclass(frozen=True, slots=True)
class Above(Option):
    """A number above `low`, which is itself out of bounds."""

    @property
    def expected(self) -> str:
        return f"a number above {self.low:g}"

    def accepts(self, value: Value) -> bool:
        return Option.accepts(self, value) and value != self.low
