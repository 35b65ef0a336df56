# SPDX-License-Identifier: Apache-2.0
"""Every measure of a series of releases under its identifier."""

from __future__ import annotations

from functools import partial

from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.measures.catalog.base import NO_END, NOTHING_LOST, Measure

_utility = partial(
    Measure, family="utility", direction="lower", low=0.0, high=1.0, best=NOTHING_LOST, worst=NO_END
)
_risk = partial(Measure, family="risk", direction="lower", low=0.0, high=1.0)

SERIES_MEASURES = Registry(
    "measure",
    (
        _utility(
            "series-extent",
            "extent",
            _("Width of regions"),
            _(
                "How wide the regions of records are on average, as a share of each quasi-identifier's range in all "
                "tables."
            ),
            "scoring.formats.sequential.measures:extent",
            worst=_("1: nothing is disclosed about anyone"),
        ),
        _utility(
            "series-discernibility",
            "Σ f²",
            _("Indistinguishable rows"),
            _(
                "The share of all rows that are indistinguishable from a row: the squared sizes of the groups "
                "added up. A record that is left out counts like one in a group of all."
            ),
            "scoring.formats.sequential.measures:discernibility",
            best=_("near 0: small groups"),
            worst=_("1: one group of all"),
        ),
        _utility(
            "series-query-error",
            "query error",
            _("Counts of random queries"),
            _(
                "A thousand random questions of the kind “how many records of this time lie in these intervals and "
                "have one of these values?”: how far the answers from the releases are off, as a share of the right "
                "ones. Rows are taken to be spread evenly over their regions, and those of a group count for less "
                "where the number of its counterfeits is published."
            ),
            "scoring.formats.sequential.measures:query_error",
            high=None,
            best=_("0: every answer is right"),
        ),
        _utility(
            "series-counterfeits",
            "added rows",
            _("Counterfeits"),
            _("How many counterfeits all releases have for each record of all tables."),
            "scoring.formats.sequential.measures:counterfeits",
            high=None,
            best=_("0: none"),
        ),
        _utility(
            "series-deletions",
            "deletions",
            _("Records left out"),
            _(
                "How many records are left out. Who is left out of one release is left out of all later ones and "
                "counts in each."
            ),
            "scoring.formats.sequential.measures:deletions",
            best=_("0: none left out"),
            worst=_("1: all records left out"),
        ),
        _utility(
            "series-displaced",
            "displaced",
            _("Records outside of their region"),
            _(
                "How many published records have no row whose region contains them: those of the groups that notices "
                "name."
            ),
            "scoring.formats.sequential.measures:displaced",
            best=_("0: every region is true"),
            worst=_("1: no region is true"),
        ),
        _risk(
            "series-risk-max",
            "max risk",
            _("Value known: worst person"),
            _("How certain an attacker may be of the true value of the least protected person."),
            "scoring.formats.sequential.measures:risk_max",
            best=_("near 0: nothing is known"),
            worst=_("1: the value of one person is certain"),
        ),
        _risk(
            "series-risk-mean",
            "mean risk",
            _("Value known: mean"),
            _(
                "The same on average over all people who are published: the share of values that a guess by these "
                "chances finds."
            ),
            "scoring.formats.sequential.measures:risk_mean",
            best=_("near 0: nothing is known"),
            worst=_("1: the values of all people are certain"),
        ),
        _risk(
            "series-risk-share",
            "risk > 1/m",
            _("People above 1/m"),
            _("How many of the people who are published have a risk above 1/m."),
            "scoring.formats.sequential.measures:risk_share",
            best=_("0: nobody"),
            worst=_("1: all people"),
        ),
    ),
)
"""Identifier to measure, in the order in which they are shown; each is a function of a `Scored`."""

RISKS = ("series-risk-max", "series-risk-mean", "series-risk-share")
