"""The tables of an attack that is run on strangers as well."""

from __future__ import annotations

from scoring.comparison import Comparison
from scoring.equivalence import Classes
from scoring.intervals import wilson
from scoring.measures.coding import Coded, CodedTable, scored

_CERTAINTY = 1 - 1e-6


def attacked_tables(
    comparison: Comparison, n_attacks: int, confidence: float
) -> tuple[Coded, CodedTable, CodedTable, CodedTable]:
    """The columns, and the records of X, of Y and of the control table.

    Raises
    ------
    ValueError
        Where there is no control table, it has X's records, there is no scored column, or a number is
        out of range.
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
    _check_strangers(comparison)
    people, release, strangers = coded.tables
    return coded, people, release, strangers


def _check_strangers(comparison: Comparison) -> None:
    """Refuse a control table that has far more records of X than X has twins.

    Two people may be equal in every column. But a control record meets its equal in X as often as a
    record of X meets another one, if it is a stranger.
    """
    names = [column.name for column in scored(comparison.schema)]
    control = comparison.prepared.control
    assert control is not None
    classes = Classes.of(comparison.prepared.table, names)
    n_equal = int((classes.locate(control) >= 0).sum())
    n_twins = int((classes.sizes()[classes.of_row] > 1).sum())
    equal = wilson(n_equal, len(control), _CERTAINTY)
    if equal.low > wilson(n_twins, comparison.prepared.n_records, _CERTAINTY).high:
        raise ValueError(
            f"control: expected records that the original lacks, got {n_equal} of {len(control)} "
            "that it has"
        )
