"""Every measure and every attack under its identifier.

A function is named by its address and imported at its first use: pages and command-line help that
only list measures do not load the numerical libraries.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from scoring.errors import gettext_noop as _

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from scoring.comparison import Comparison, Options, Prepared
    from scoring.equivalence import IntArray
    from scoring.schema import Schema

    MeasureFunction = Callable[[Comparison, Options], float | int | None]


def function_at(address: str) -> Any:
    """The function that "module:name" names."""
    module, _colon, name = address.partition(":")
    return getattr(import_module(module), name)


class Guess(Protocol):
    """An attack: it sees two tables and never the declared rows."""

    def __call__(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> IntArray: ...


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


@dataclass(frozen=True, slots=True)
class Attack:
    """A way to guess which original each record was made from."""

    id: str
    name: str
    title: str
    address: str

    @property
    def function(self) -> Guess:
        """From two tables to one guess a record."""
        guess: Guess = function_at(self.address)
        return guess

    @property
    def description(self) -> str:
        """The function's docstring: method, parameters, source."""
        return inspect.getdoc(self.function) or ""

    def __call__(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> IntArray:
        """One 0-based original row for each anonymized record, -1 for no guess."""
        return self.function(
            original,
            anonymized,
            schema,
            rng=rng,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
        )


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

ATTACKS: dict[str, Attack] = {
    attack.id: attack
    for attack in (
        Attack(
            "E1",
            "identify.rand",
            MEASURES["E1"].title,
            "scoring.attacks.guesses:guess_random_in_class",
        ),
        Attack(
            "E2",
            "identify.sa",
            MEASURES["E2"].title,
            "scoring.attacks.guesses:guess_nearest_value_in_class",
        ),
        Attack(
            "E3", "identify.sort", MEASURES["E3"].title, "scoring.attacks.guesses:guess_rank_of_sum"
        ),
        Attack(
            "E4",
            "identify.sa21",
            MEASURES["E4"].title,
            "scoring.attacks.guesses:guess_nearest_value",
        ),
        Attack(
            "EUC1",
            "identify.euc",
            MEASURES["EUC1"].title,
            "scoring.attacks.guesses:guess_nearest_point_in_class",
        ),
        Attack(
            "EUC2",
            "identify.euc",
            MEASURES["EUC2"].title,
            "scoring.attacks.guesses:guess_nearest_point",
        ),
        Attack(
            "E4-rank",
            "identify.sa21",
            _("Equal rank in one column"),
            "scoring.attacks.guesses:guess_rank_of_value",
        ),
    )
}
"""Identifier to attack, in the order in which they are shown."""
