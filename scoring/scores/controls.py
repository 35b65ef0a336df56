# SPDX-License-Identifier: Apache-2.0
"""The tables of an attack that is run on strangers as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.reporting.intervals import wilson
from scoring.scores.coding import Coded, CodedTable
from scoring.scores.comparison import Comparison
from scoring.tables.numbering import combined
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

_CERTAINTY = 1 - 1e-6


class ControlError(ValueError):
    """The control table has people of the original."""


def attacked_tables(
    comparison: Comparison, n_attacks: int, confidence: float
) -> tuple[Coded, CodedTable, CodedTable, CodedTable]:
    """The columns, and the records of X, of Y and of the control table.

    Raises
    ------
    ControlError
        Where the control table has X's records.
    ValueError
        Where there is no control table, there is no scored column, or a number is out of range.
    """
    control = comparison.prepared.control
    if control is None:
        raise ValueError("control: expected a table of records that the release was not made from")
    if n_attacks < 1:
        raise ValueError(f"n_attacks: expected at least 1, got {n_attacks}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: expected more than 0 and less than 1, got {confidence}")
    coded = Coded.of(comparison.schema, comparison.prepared.table, comparison.anonymized, control)
    if not coded.columns:
        raise ValueError("schema: expected a quasi-identifier or a sensitive column")
    people, release, strangers = coded.tables
    _check_strangers(people, strangers)
    return coded, people, release, strangers


def check_control(
    original: pd.DataFrame, anonymized: pd.DataFrame, control: pd.DataFrame, schema: Schema
) -> None:
    """Raise ControlError where the control table has the original's people."""
    people, _release, strangers = Coded.of(schema, original, anonymized, control).tables
    _check_strangers(people, strangers)


def _check_strangers(people: CodedTable, strangers: CodedTable) -> None:
    """Refuse a control table that has far more records of X than X has twins.

    Two people may be equal in every column. But a control record meets its equal in X as often as a
    record of X meets another one, if it is a stranger.
    """
    both = (np.concatenate(parts) for parts in zip(people.columns, strangers.columns, strict=True))
    codes = [np.unique(column, return_inverse=True)[1] for column in both]
    numbers = combined(codes, len(people) + len(strangers))
    of_people, of_strangers = numbers[: len(people)], numbers[len(people) :]
    n_alike = np.bincount(of_people, minlength=int(numbers.max()) + 1)
    n_equal = int((n_alike[of_strangers] > 0).sum())
    n_twins = int((n_alike[of_people] > 1).sum())
    equal = wilson(n_equal, len(strangers), _CERTAINTY)
    if equal.low > wilson(n_twins, len(people), _CERTAINTY).high:
        raise ControlError(
            f"control: expected records that the original lacks, got {n_equal} of {len(strangers)} "
            "that it has"
        )
