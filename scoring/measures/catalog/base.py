"""A measure as the catalogue names it, in English; its readers translate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scoring.addresses import docstring_at, function_at
from scoring.errors import gettext_noop as _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.scores.comparison import Comparison, Options

NOTHING_LOST = _("0: nothing is lost")
NO_END = _("no upper end")
RATES = ("linkage", "risk", "disclosure")
"""Families whose measures are shares of records or chances of an attacker, lower being safer."""
DRAWING = (
    "range-queries",
    "pmse",
    "pmse-ratio",
    "tstr",
    "singling-out",
    "linkability",
    "inference",
    "closest-record",
    "neighbour-ratio",
    "series-query-error",
    "series-risk-max",
    "series-risk-mean",
    "series-risk-share",
)
"""Measures that draw at random, from `seed`: a table or series can be made for draws that are known before."""


class MeasureFunction(Protocol):
    """From a comparison and options to the value; None where the schema has no column for it.

    The docstring of a measure has its definition, its range, its source and an example. Parameters are in it where
    they differ from these:

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records; the declared rows play no part.
    options : Options
        None applies.
    """

    def __call__(self, comparison: Comparison, options: Options, /) -> float | int | None: ...


@dataclass(frozen=True, slots=True)
class Measure:
    """A number about an anonymized table, which way is better, and where it can lie.

    `summary` says in a sentence what it measures, `best` and `worst` what its ends mean.
    """

    id: str
    name: str
    title: str
    summary: str
    address: str
    family: str
    direction: str
    low: float
    high: float | None
    best: str
    worst: str

    @property
    def function(self) -> MeasureFunction:
        """The function that computes the value."""
        measure: MeasureFunction = function_at(self.address)
        return measure

    @property
    def is_rate(self) -> bool:
        """True if it is the success rate of an attacker, 0 to 1."""
        return self.family in RATES

    @property
    def draws(self) -> bool:
        """True if the value depends on `seed`."""
        return self.id in DRAWING

    def best_of(self, values: Iterable[float | None]) -> float | None:
        """The best of the values that are known."""
        known = [value for value in values if value is not None]
        return (min if self.direction == "lower" else max)(known, default=None)

    @property
    def description(self) -> str:
        """The function's docstring: definition, range, source."""
        return docstring_at(self.address)
