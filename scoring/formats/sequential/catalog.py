"""Every measure of a series of releases under its identifier."""

from __future__ import annotations

from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.measures.catalog import Measure


def _measure(
    id_: str, name: str, title: str, family: str, function: str, high: float | None = 1.0
) -> Measure:
    address = f"scoring.formats.sequential.measures:{function}"
    return Measure(id_, name, title, family, "lower", 0.0, high, address)


SERIES_MEASURES = Registry(
    "measure",
    (
        _measure("series-extent", "extent", _("Width of boxes"), "utility", "extent"),
        _measure(
            "series-discernibility",
            "Σ f²",
            _("Records that cannot be told apart"),
            "utility",
            "discernibility",
        ),
        _measure(
            "series-query-error",
            "query error",
            _("Counts of random queries"),
            "utility",
            "query_error",
            None,
        ),
        _measure(
            "series-counterfeits",
            "added rows",
            _("Counterfeits"),
            "utility",
            "counterfeits",
            None,
        ),
        _measure("series-deletions", "deletions", _("Records left out"), "utility", "deletions"),
        _measure(
            "series-displaced",
            "displaced",
            _("Records outside of their box"),
            "utility",
            "displaced",
        ),
        _measure("series-risk-max", "max risk", _("Value known: worst person"), "risk", "risk_max"),
        _measure("series-risk-mean", "mean risk", _("Value known: mean"), "risk", "risk_mean"),
        _measure("series-risk-share", "risk > 1/m", _("People above 1/m"), "risk", "risk_share"),
    ),
)
"""Identifier to measure, in the order in which they are shown; each is a function of a `Scored`."""

RISKS = ("series-risk-max", "series-risk-mean", "series-risk-share")
