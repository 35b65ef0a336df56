# SPDX-License-Identifier: Apache-2.0
"""Statistical analyses as measures with parameters: a ruleset names one, its parameters, and an id of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.measures.analyses import names
from scoring.measures.catalog.base import NO_END, NOTHING_LOST, OF_COPIES, Measure
from scoring.scores.options import ORDERS

if TYPE_CHECKING:
    from collections.abc import Mapping

ParameterKind = Literal[
    "column",
    "number column",
    "columns",
    "number columns",
    "text",
    "choice",
    "choices",
    "number",
    "integer",
    "numbers",
]
COLUMN_KINDS = ("column", "number column", "columns", "number columns")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an analysis; one whose default is None is needed.

    `low` and `high` bound numbers, `choices` texts; the function's docstring says what it means.
    """

    name: str
    kind: ParameterKind
    default: Any
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    @property
    def is_needed(self) -> bool:
        """True if every measure of the analysis names it."""
        return self.default is None

    @property
    def of_columns(self) -> bool:
        """True if its value is the name of a column, or several."""
        return self.kind in COLUMN_KINDS


@dataclass(frozen=True, slots=True)
class Analysis:
    """A statistical analysis: all that its measures have in common."""

    id: str
    name: str
    title: str
    summary: str
    address: str
    parameters: tuple[Parameter, ...]
    family: str = "similarity"
    direction: str = "lower"
    low: float = 0.0
    high: float | None = 1.0
    best: str = NOTHING_LOST
    worst: str = _("1: no more in common")
    package: str = ""
    """The package that it needs beyond those of the library."""
    unbounded: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Values of parameters with which there is no upper end."""
    file: str = ""
    """The kind of a further file of the submission that it reads."""
    controlled: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Values of parameters with which it reads records that the table was not made from."""

    def measure(
        self, id_: str, parameters: Mapping[str, Any], title: Mapping[str, str] | None = None
    ) -> Measure:
        """A measure of the analysis; parameters that are not named have their defaults."""
        values = {p.name: parameters.get(p.name, p.default) for p in self.parameters}
        is_unbounded, needs_control = (
            any(values[name] in those for name, those in of.items())
            for of in (self.unbounded, self.controlled)
        )
        return Measure(
            id=id_,
            name=self.name,
            title=title["en"] if title else self.title,
            summary=self.summary,
            address=self.address,
            family=self.family,
            direction=self.direction,
            low=self.low,
            high=None if is_unbounded else self.high,
            best=self.best,
            worst=NO_END if is_unbounded else self.worst,
            texts={"title": title} if title else {},
            parameters=values,
            columns=_columns(self.parameters, values),
            file=self.file,
            needs_control=needs_control,
        )


def _columns(
    parameters: tuple[Parameter, ...], values: Mapping[str, Any]
) -> tuple[tuple[str, bool], ...]:
    """The columns that the values name, each with whether it must be a number."""
    found: list[tuple[str, bool]] = []
    for parameter in parameters:
        if not parameter.of_columns:
            continue
        value = values[parameter.name]
        named = [value] if isinstance(value, str) else value or ()
        is_number = parameter.kind.startswith("number")
        found += [(name, is_number) for name in named if name]
    return tuple(found)


_one_of = partial(Parameter, kind="choice")
_some_of = partial(Parameter, kind="choices")
_columns_named = Parameter("columns", "columns", ())
_of = _one_of("of", default=names.LARGEST, choices=names.OF)
_positive = Parameter("positive", "text", "1")
_of_survival = (
    Parameter("time", "number column", None),
    Parameter("event", "column", None),
    _positive,
)

ANALYSES: Registry[Analysis] = Registry(
    "analysis",
    (
        Analysis(
            "summary-statistics",
            "Δ stats",
            _("Difference of summary statistics"),
            _(
                "Means, standard deviations, quartiles, shares of values and correlations of both tables: how far "
                "apart they are."
            ),
            "scoring.measures.analyses.statistics:summary_difference",
            (
                _columns_named,
                _some_of("parts", default=names.STATISTICS, choices=names.STATISTICS),
                _one_of("scale", default=names.AMONG_COLUMNS, choices=names.SCALES),
                _of,
            ),
            high=2.0,
            worst=_("1, or 2 where a correlation is reversed"),
            unbounded={"scale": (names.RANGE, names.UNSCALED)},
        ),
        Analysis(
            "correlations",
            "Δ r",
            _("Difference of correlations of columns"),
            _("The correlations of each two columns of both tables: how far apart they are."),
            "scoring.measures.analyses.statistics:correlations_apart",
            (
                _columns_named,
                _one_of("categories", default=names.LEFT_OUT, choices=names.CATEGORIES),
                _of,
            ),
            high=2.0,
            worst=_("2: every correlation is reversed"),
        ),
        Analysis(
            "regression",
            "Δ logit",
            _("Difference of logistic regressions"),
            _(
                "A logistic regression of one column on the others, fitted to either table: how far apart its "
                "coefficients, odds ratios, intervals, p-values and collinearities are."
            ),
            "scoring.measures.analyses.regression:regression_difference",
            (
                Parameter("target", "column", None),
                _positive,
                _columns_named,
                _some_of("parts", default=names.OF_REGRESSION, choices=names.OF_REGRESSION),
                _one_of("coefficients", default=names.SQUASHED, choices=names.FORMS),
                Parameter("train", "number", 0.8, 0.1, 1),
                _one_of("order", default=ORDERS[0], choices=ORDERS),
                _of,
            ),
            package="statsmodels",
            unbounded={"coefficients": (names.RAW,)},
        ),
        Analysis(
            "group-differences",
            "Δ H",
            _("Difference between groups"),
            _(
                "How much numbers differ between groups of records in either table (Kruskal–Wallis test and its "
                "effect sizes): how far apart these figures are."
            ),
            "scoring.measures.analyses.groups:group_difference",
            (
                Parameter("by", "column", None),
                Parameter("bins", "numbers", (), -1e12, 1e12),
                Parameter("columns", "number columns", ()),
                _some_of("parts", default=names.OF_GROUPS, choices=names.OF_GROUPS),
                Parameter("least", "integer", 2, 1, 1_000_000),
                _of,
            ),
        ),
        Analysis(
            "survival-curves",
            "Δ S",
            _("Difference of survival curves"),
            _("The Kaplan–Meier curves of both tables: how far apart they are at most."),
            "scoring.measures.analyses.survival:curve_difference",
            (*_of_survival, Parameter("by", "column", ""), _of),
            package="statsmodels",
        ),
        Analysis(
            "hazards",
            "Δ HR",
            _("Difference of proportional hazards"),
            _(
                "Cox's regression, fitted to either table: how far apart its hazard ratios, intervals and p-values "
                "are."
            ),
            "scoring.measures.analyses.survival:hazard_difference",
            (
                *_of_survival,
                _columns_named,
                _some_of("parts", default=names.OF_HAZARDS, choices=names.OF_HAZARDS),
                _of,
            ),
            package="statsmodels",
        ),
        Analysis(
            "histograms",
            "Δ share",
            _("Difference of histograms"),
            _("The histograms of each column in both tables: how far apart they are."),
            "scoring.measures.analyses.frequencies:histogram_difference",
            (
                _columns_named,
                Parameter("bins", "integer", names.BINS, 0, 1000),
                _one_of("distance", default=names.BAR, choices=names.DISTANCES),
                _of,
            ),
        ),
        Analysis(
            "pair-frequencies",
            "Δ share²",
            _("Difference of the frequencies of pairs"),
            _(
                "How often each pair of values of two columns occurs in both tables: how far apart the shares are."
            ),
            "scoring.measures.analyses.frequencies:pair_frequency_difference",
            (
                _columns_named,
                Parameter("bins", "integer", 0, 0, 1000),
                _one_of("distance", default=names.TOTAL, choices=names.DISTANCES),
                _of,
                Parameter("against", "column", ""),
                Parameter("skipped", "columns", ()),
            ),
        ),
        Analysis(
            "unique-records",
            "unique",
            _("Records that are unique in some columns"),
            _(
                "Records that no other record of the table equals in some columns, numbers rounded, as a share of the "
                "original's records."
            ),
            "scoring.measures.analyses.frequencies:unique_records",
            (_columns_named, Parameter("step", "number", 0.0, 0, 1e12)),
            high=None,
            best=_("0: no record is unique"),
            worst=NO_END,
        ),
        Analysis(
            "verbatim",
            "copies",
            _("Records that are as they were"),
            _(
                "Published records that equal a record of the original, or of another table that teams have, in all "
                "cells or all but a few: their share."
            ),
            OF_COPIES,
            (Parameter("k", "integer", 0, 0, 100),),
            family="risk",
            best=_("0: no record is as it was"),
            worst=_("1: all records are as they were"),
        ),
        Analysis(
            "training",
            "TSTR",
            _("Loss of a trained model"),
            _(
                "A model learns from the table and predicts held-out records of the original: how much worse it is "
                "than one that has learned from the original."
            ),
            "scoring.measures.analyses.training:training_loss",
            (
                Parameter("target", "column", None),
                _one_of("model", default=names.TREE, choices=names.MODELS),
                _columns_named,
                _one_of("score", default=names.ACCURACY, choices=names.SCORES),
                Parameter("test", "number", 0.2, 0.01, 0.9),
            ),
            best=_("0: it teaches as well"),
            worst=_("1: it teaches nothing, the original everything"),
        ),
        Analysis(
            "model-file",
            "model",
            _("Errors of the submitted model"),
            _(
                "The team submits a model (XGBoost) with its table; it predicts a column of real records: the share "
                "of wrong predictions."
            ),
            "scoring.measures.analyses.model_files:model_errors",
            (
                Parameter("target", "column", None),
                _positive,
                _one_of("tested_on", default=names.ORIGINAL, choices=names.TESTED_ON),
            ),
            best=_("0: all predictions are right"),
            worst=_("1: all are wrong"),
            package="xgboost-cpu",
            file=names.MODEL,
            controlled={"tested_on": (names.HALF_AND_HALF, names.CONTROLS)},
        ),
    ),
)
"""Identifier to analysis, in the order in which they are shown."""
