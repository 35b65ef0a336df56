# SPDX-License-Identifier: Apache-2.0
"""Measures of re-identification risk."""

from __future__ import annotations

from functools import partial

from scoring.errors import gettext_noop as _
from scoring.measures.catalog.base import Measure

UNIQUE = _("1: some record is unique")
NOBODY_UNIQUE = _("0: nobody is unique")
ALL_UNIQUE = _("1: all records are unique")
LARGE_CROWD = _("near 0: large classes only")
LEADS_NOWHERE = _("0: no record leads to a person")
LEADS_TO_ONE = _("1: some record leads to a single person")
EQUALLY_NEAR = _("0: every record is equally near to two original records")
ALL_LEAD_TO_ONE = _("1: every record leads to a single person")
NOBODY_SPECIAL = _("0: nobody is unique")
CERTAIN_LINK = _("1: some record stands for a single person")
ALL_UNIQUE_IN_POPULATION = _("1: every record stands for a single person")
CERTAIN = _("1: a match is certain to be right")

_risk = partial(Measure, family="risk", direction="lower", low=0.0, high=1.0)

RISK = (
    _risk(
        "prosecutor-risk",
        "max 1/f",
        _("Prosecutor: worst record"),
        _(
            "The attacker looks for a person who is known to be in the anonymized table and picks one of the "
            "records with that person's quasi-identifiers: how often that is right in the smallest class."
        ),
        "scoring.measures.risk:prosecutor_risk",
        best=LARGE_CROWD,
        worst=UNIQUE,
    ),
    _risk(
        "prosecutor-mean",
        "mean 1/f",
        _("Prosecutor: mean"),
        _("The same attacker: how often that is right on average."),
        "scoring.measures.risk:prosecutor_mean",
        best=LARGE_CROWD,
        worst=ALL_UNIQUE,
    ),
    _risk(
        "at-risk",
        "f < 5",
        _("Records in classes of fewer than 5"),
        _("How many records share their quasi-identifiers with fewer than four others."),
        "scoring.measures.risk:records_at_risk",
        best=_("0: nobody is in such a class"),
        worst=_("1: all are"),
    ),
    _risk(
        "sample-uniques",
        "f = 1",
        _("Unique records"),
        _("How many records are unique on their quasi-identifiers."),
        "scoring.measures.risk:sample_uniques",
        best=NOBODY_UNIQUE,
        worst=ALL_UNIQUE,
    ),
    _risk(
        "journalist-risk",
        "max 1/F",
        _("Journalist: worst record"),
        _(
            "The attacker looks for anybody and picks one of the original records with the quasi-identifiers of "
            "an anonymized one: how often that is right where there are fewest."
        ),
        "scoring.measures.risk:journalist_risk",
        best=LEADS_NOWHERE,
        worst=LEADS_TO_ONE,
    ),
    _risk(
        "journalist-mean",
        "mean 1/F",
        _("Journalist: mean"),
        _("The same attacker: how often that is right on average."),
        "scoring.measures.risk:journalist_mean",
        best=LEADS_NOWHERE,
        worst=ALL_LEAD_TO_ONE,
    ),
    _risk(
        "marketer-risk",
        "Σ 1/F",
        _("Marketer: expected finds"),
        _(
            "The attacker links every record in that way: the share of the records that is expected to be "
            "found."
        ),
        "scoring.measures.risk:marketer_risk",
        best=LEADS_NOWHERE,
        worst=ALL_LEAD_TO_ONE,
    ),
    _risk(
        "individual-max",
        "max r",
        _("Individual risk: worst record"),
        _(
            "The attacker picks a person of the population with a record's quasi-identifiers. How many there are "
            "is estimated from the sampling weights: how often that is right for the worst record."
        ),
        "scoring.measures.individual:individual_max",
        best=LARGE_CROWD,
        worst=CERTAIN_LINK,
    ),
    _risk(
        "individual-mean",
        "mean r",
        _("Individual risk: mean"),
        _("The same, averaged over the records: the share that is expected to be found."),
        "scoring.measures.individual:individual_mean",
        best=LARGE_CROWD,
        worst=ALL_UNIQUE_IN_POPULATION,
    ),
    _risk(
        "presence",
        "δ max",
        _("Known to be in the table"),
        _(
            "How sure an attacker who knows a person's quasi-identifiers is that the anonymized table has a record "
            "of the person, where that is surest (δ-presence)."
        ),
        "scoring.measures.presence:presence",
        best=LEADS_NOWHERE,
        worst=_("1: some person is certainly in the table"),
    ),
    _risk(
        "absence",
        "1 − δ min",
        _("Known to be left out of the table"),
        _("The same for persons who are not in the table (δ-presence)."),
        "scoring.measures.presence:absence",
        best=_("0: anyone may be in the table"),
        worst=_("1: some person is certainly not in the table"),
    ),
    _risk(
        "distinction",
        "distinction",
        _("Distinct quasi-identifiers"),
        _(
            "How many different combinations of quasi-identifiers there are, as a share of the records."
        ),
        "scoring.measures.distinction:distinction",
        best=_("near 0: all look alike"),
        worst=ALL_UNIQUE,
    ),
    _risk(
        "separation",
        "separation",
        _("Separated pairs"),
        _("How many pairs of records differ in a quasi-identifier."),
        "scoring.measures.distinction:separation",
        best=_("0: all look alike"),
        worst=ALL_UNIQUE,
    ),
    _risk(
        "nearest-link",
        "1 − d₁/d₂",
        _("Certainty of the nearest original"),
        _(
            "How much nearer the nearest original record is, in its amounts, than the second nearest. The "
            "declared rows play no part: to keep the amounts and declare other rows gains nothing."
        ),
        "scoring.measures.nearest_link:nearest_link",
        best=EQUALLY_NEAR,
        worst=ALL_LEAD_TO_ONE,
    ),
    _risk(
        "population-uniques",
        "f = F = 1",
        _("Unique records that are unique in the original"),
        _(
            "Of the records that are unique on their quasi-identifiers, how many lead to a single original "
            "record."
        ),
        "scoring.measures.population:population_uniques",
        best=_("0: none of them"),
        worst=_("1: all of them"),
    ),
    _risk(
        "zayatz",
        "Zayatz",
        _("Population uniques, from the sample"),
        _(
            "How many records nobody else in the population resembles, estimated from the anonymized table "
            "only (Zayatz)."
        ),
        "scoring.measures.population:zayatz",
        best=NOBODY_UNIQUE,
        worst=ALL_UNIQUE,
    ),
    _risk(
        "pitman",
        "Pitman",
        _("Population uniques, by a model"),
        _(
            "How many records nobody else in the population resembles, estimated from the anonymized table "
            "only (Pitman's model)."
        ),
        "scoring.measures.population:pitman",
        best=NOBODY_UNIQUE,
        worst=ALL_UNIQUE,
    ),
    _risk(
        "suda-mean",
        "DIS-SUDA mean",
        _("Special uniques: mean"),
        _(
            "How likely a match on few quasi-identifiers is right, averaged over the records. The fewer of them "
            "make a record unique, and the more ways there are to choose them, the likelier (SUDA2)."
        ),
        "scoring.measures.suda:suda_mean",
        best=NOBODY_SPECIAL,
        worst=CERTAIN,
    ),
    _risk(
        "suda-max",
        "DIS-SUDA max",
        _("Special uniques: worst record"),
        _("The same for the most special record."),
        "scoring.measures.suda:suda_max",
        best=NOBODY_SPECIAL,
        worst=CERTAIN,
    ),
)
