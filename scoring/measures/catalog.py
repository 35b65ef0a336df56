"""Every measure under its identifier."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.addresses import function_at
from scoring.errors import gettext_noop as _

if TYPE_CHECKING:
    from scoring.comparison import Comparison, Options

    MeasureFunction = Callable[[Comparison, Options], float | int | None]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number about an anonymized table, which way is better, and where it can lie."""

    id: str
    name: str
    title: str
    family: str
    direction: str
    low: float
    high: float | None
    address: str

    @property
    def function(self) -> MeasureFunction:
        """From a comparison and options to the value; None where the schema has no column for it."""
        measure: MeasureFunction = function_at(self.address)
        return measure

    @property
    def description(self) -> str:
        """The function's docstring: definition, range, source."""
        return inspect.getdoc(self.function) or ""


def _utility(id_: str, name: str, title: str, function: str, high: float | None = None) -> Measure:
    return Measure(
        id_, name, title, "utility", "lower", 0.0, high, f"scoring.measures.utility:{function}"
    )


def _anonymity(id_: str, name: str, title: str, function: str) -> Measure:
    return Measure(
        id_, name, title, "anonymity", "higher", 1.0, None, f"scoring.measures.anonymity:{function}"
    )


def _linkage(id_: str, name: str, title: str, function: str) -> Measure:
    return Measure(
        id_, name, title, "linkage", "lower", 0.0, 1.0, f"scoring.measures.linkage:{function}"
    )


MEASURES: dict[str, Measure] = {
    measure.id: measure
    for measure in (
        _utility("U1", "meanMAE", _("Difference of column means"), "mean_difference"),
        _utility("U2", "crossMean", _("Difference of cell means"), "cell_mean_difference"),
        _utility("U3", "crossCnt", _("Difference of cell counts"), "cell_count_difference"),
        _utility("U4", "corMAE", _("Difference of correlations"), "correlation_difference", 2.0),
        _utility("U5", "IL", _("Difference record by record"), "record_difference"),
        _utility("U6", "nrow", _("Deleted records"), "records_deleted"),
        _anonymity("S1", "k-anony", _("Smallest equivalence class"), "smallest_class"),
        _anonymity("S2", "k-anonymMean", _("Mean equivalence class"), "mean_class"),
        _linkage("E1", "identify.rand", _("Random record of the same class"), "random_in_class"),
        _linkage(
            "E2",
            "identify.sa",
            _("Nearest in one column, same class"),
            "nearest_value_in_class",
        ),
        _linkage("E3", "identify.sort", _("Equal rank of the sum"), "rank_of_sum"),
        _linkage("E4", "identify.sa21", _("Nearest in one column"), "nearest_value"),
        _linkage(
            "EUC1",
            "identify.euc",
            _("Nearest by distance, same class"),
            "nearest_point_in_class",
        ),
        _linkage(
            "EUC2",
            "identify.euc",
            _("Nearest by distance, same class or else anywhere"),
            "nearest_point",
        ),
    )
}
"""Identifier to measure, in the order in which they are shown."""

PWSCUP_2015 = (
    "U1",
    "U2",
    "U3",
    "U4",
    "U5",
    "U6",
    "S1",
    "S2",
    "E1",
    "E2",
    "E3",
    "E4",
    "EUC1",
    "EUC2",
)
"""The measures of the 2015 contest: what is computed where nobody names others."""
