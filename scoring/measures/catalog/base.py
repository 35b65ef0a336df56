# SPDX-License-Identifier: Apache-2.0
"""A measure as the catalogue names it, in English; its readers translate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import getdoc
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

from scoring.addresses import docstring_at, function_at
from scoring.errors import PluginError, ProblemsFound
from scoring.errors import gettext_noop as _
from scoring.scores.options import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.scores.comparison import Comparison, Options
    from scoring.tables.schema import Schema

NOTHING_LOST = _("0: nothing is lost")
NO_END = _("no upper end")
RATES = ("linkage", "risk", "disclosure")
"""Families whose measures are shares of records or chances of an attacker, lower being safer."""
OF_PROGRAMS = "scoring.rulesets.loader_program:of_a_program"
"""The address of measures whose values a program gives; no function computes them."""
OF_COPIES = "scoring.measures.analyses.copies:verbatim_share"
"""The address of measures of whole records, which are compared with further tables than the original, too."""
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
    "strongest",
    "series-query-error",
    "series-risk-max",
    "series-risk-mean",
    "series-risk-share",
)
"""Measures that draw at random, from `seed`: a table or series can be made for draws that are known before."""

NEED_ROWS = (
    "U5",
    "U6",
    "LOSS",
    "E1",
    "E2",
    "E3",
    "E4",
    "EUC1",
    "EUC2",
    "strongest",
    "squared-loss",
    "normalised-loss",
    "largest-change",
    "tstr",
    "ncp",
    "entropy-loss",
    "discernibility",
    "individual-max",
    "individual-mean",
    "zayatz",
    "pitman",
    "presence",
    "absence",
)
"""Measures of records that were made from records of the original: they follow the declared rows, count the
records without one as deleted, or take the table as a sample of the original."""


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

    `summary` says in a sentence what it measures, `best` and `worst` what its ends mean. Of a measure that a
    ruleset or a plugin defines, `texts` has the title in each language, that of a plugin also `summary`, `best` and
    `worst`; the texts of the library are translated. `parameters`
    are those that its function gets, and `columns` the columns that they name, each with whether it must be a number;
    `terms` are the measures that a composite is made of.
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
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    columns: tuple[tuple[str, bool], ...] = ()
    terms: tuple[Term, ...] = ()
    file: str = ""
    """The kind of a further file of the submission that the function reads; without it there is no value."""
    needs_rows: bool = False
    """It has a meaning only where each record was made from a record of the original."""
    draws: bool = False
    """The value depends on `seed`."""
    needs_control: bool = False
    """The function reads records that the table was not made from; without them there is no value."""
    is_absent: bool = False
    """It stands in for a measure that rules name and no installed package has."""

    def __post_init__(self) -> None:
        """A composite needs and draws what one of its terms does."""
        parts = [term.measure for term in self.terms]
        needs_rows = self.id in NEED_ROWS or any(part.needs_rows for part in parts)
        draws = self.id in DRAWING or any(part.draws for part in parts)
        needs_control = self.needs_control or any(part.needs_control for part in parts)
        object.__setattr__(self, "needs_control", needs_control)
        object.__setattr__(self, "needs_rows", self.needs_rows or needs_rows)
        object.__setattr__(self, "draws", self.draws or draws)

    @property
    def is_foreign(self) -> bool:
        """True if its function is of another package than the library."""
        return not self.address.startswith("scoring.")

    @property
    def function(self) -> MeasureFunction:
        """The function that computes the value."""
        measure: MeasureFunction = function_at(self.address)
        given = {**self.parameters, **({"terms": self.terms} if self.terms else {})}
        return partial(measure, **given) if given else measure

    def value(self, comparison: Comparison, options: Options) -> float | int | None:
        """The value of a table, rounded; it is computed once. None where the schema lacks a column for it.

        Raises
        ------
        PluginError
            Where the function of another package fails, or gives no number within the measure's range.
        """
        key = self.id, options
        if key not in comparison.values:
            value = self._found(comparison, options) if self.fits(comparison.schema) else None
            comparison.values[key] = round(value, DECIMALS) if isinstance(value, float) else value
        return comparison.values[key]

    def _found(self, comparison: Comparison, options: Options) -> float | int | None:
        if self.is_absent:
            raise PluginError("plugin.absent", id=self.id)
        if not self.is_foreign:
            return self.function(comparison, options)
        try:
            value = self.function(comparison, options)
        except ProblemsFound:
            raise
        except Exception as error:
            raise PluginError("plugin.measure", id=self.id, got=type(error).__name__) from error
        return self._checked(value)

    def _checked(self, value: Any) -> float | int | None:
        """A plain number; `PluginError` for anything else."""
        high = math.inf if self.high is None else self.high
        if value is None:
            return None
        if isinstance(value, Real) and not isinstance(value, bool):
            number = int(value) if isinstance(value, Integral) else round(float(value), DECIMALS)
            if math.isfinite(number) and self.low <= number <= high:
                return number
        raise PluginError("plugin.value", id=self.id, low=f"{self.low:g}", high=f"{high:g}")

    def fits(self, schema: Schema) -> bool:
        """True if the schema has the columns that the parameters name."""
        if not self.columns:
            return True
        known = {column.name: column.is_numeric for column in schema.public().columns}
        return all(
            known.get(name) in ((True,) if is_number else (True, False))
            for name, is_number in self.columns
        )

    @property
    def is_from_program(self) -> bool:
        """True if a program gives the value, or that of a part of it."""
        return self.address == OF_PROGRAMS or any(t.measure.is_from_program for t in self.terms)

    @property
    def finds_copies(self) -> bool:
        """True if it, or a part of it, looks for copies of whole records, in further tables than the original, too."""
        return self.address == OF_COPIES or any(t.measure.finds_copies for t in self.terms)

    @property
    def is_computed(self) -> bool:
        """True if functions compute the value: it needs no program, and no plugin that is not installed."""
        own = self.address != OF_PROGRAMS and not self.is_absent
        return own and all(term.measure.is_computed for term in self.terms)

    @property
    def is_rate(self) -> bool:
        """True if it is the success rate of an attacker, 0 to 1."""
        return self.family in RATES

    @property
    def files(self) -> frozenset[str]:
        """The kinds of the further files of a submission without which there is no value."""
        own = {self.file} if self.file else set()
        return frozenset(own).union(*(term.measure.files for term in self.terms))

    def is_worst(self, value: float | None) -> bool:
        """The value lies at the worst end of the measure's range."""
        return value is not None and value == (self.high if self.direction == "lower" else self.low)

    def best_of(self, values: Iterable[float | None]) -> float | None:
        """The best of the values that are known."""
        known = [value for value in values if value is not None]
        return (min if self.direction == "lower" else max)(known, default=None)

    @property
    def description(self) -> str:
        """The function's docstring: definition, range, source; of a plugin's function without one the summary."""
        if self.is_foreign:
            return getdoc(function_at(self.address)) or self.summary
        return docstring_at(self.address)


@dataclass(frozen=True, slots=True)
class Term:
    """A measure as a part of a composite: its weight, and the values at which it counts nothing and all of it."""

    measure: Measure
    weight: float
    worst: float
    best: float
    clip: bool = True

    def share(self, value: float) -> float:
        """Its value on the way from the worst to the best: 0 to 1 where it is clipped.

        Examples
        --------
        >>> from scoring.measures.catalog import MEASURES
        >>> Term(MEASURES["marginals"], 1.0, 1.0, 0.0).share(0.25), Term(MEASURES["S1"], 1.0, 1, 5).share(7)
        (0.75, 1.0)
        """
        share = (value - self.worst) / (self.best - self.worst)
        return min(1.0, max(0.0, share)) if self.clip else share
