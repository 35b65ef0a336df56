# SPDX-License-Identifier: Apache-2.0
"""Measures of safety: large and diverse classes, attacks that fail."""

from __future__ import annotations

from functools import partial

from scoring.attacks.catalog import ATTACKS
from scoring.errors import gettext_noop as _
from scoring.measures.catalog.base import NO_END, Measure

UNIQUE = _("1: some record is unique")
ALL_UNIQUE = _("1: all records are unique")
ALL_ALIKE = _("number of records: all look alike")
LIKE_THE_WHOLE = _("0: every class is like the whole table")
NO_NEARER = _("1/2: no more than with other people")
ALL_SAME = _("1: all members of some class have the same value")
ALL_DIFFERENT = _("number of records: all values differ")

_anonymity = partial(
    Measure, family="anonymity", direction="higher", low=1.0, high=None, best=ALL_ALIKE
)
_diversity = partial(
    Measure,
    family="diversity",
    direction="higher",
    low=1.0,
    high=None,
    best=ALL_DIFFERENT,
    worst=ALL_SAME,
)
_disclosure = partial(
    Measure,
    family="disclosure",
    direction="lower",
    low=0.0,
    high=1.0,
    best=_("0: no more than against strangers"),
    worst=_("1: always, and never against strangers"),
)
_found = partial(
    Measure,
    family="linkage",
    direction="lower",
    low=0.0,
    high=1.0,
    best=_("0: no record is found"),
    worst=_("1: every record is found"),
)


def _linkage(id_: str, summary: str, address: str) -> Measure:
    """The rate of the attack of the same identifier."""
    attack = ATTACKS[id_]
    return _found(id_, attack.name, attack.title, summary, address)


ANONYMITY = (
    _anonymity(
        "S1",
        "k-anony",
        _("Smallest equivalence class"),
        _("How many records share their quasi-identifiers in the smallest such class (k)."),
        "scoring.measures.anonymity:smallest_class",
        worst=UNIQUE,
    ),
    _anonymity(
        "S2",
        "k-anonymMean",
        _("Mean equivalence class"),
        _("How many records share their quasi-identifiers on average."),
        "scoring.measures.anonymity:mean_class",
        worst=ALL_UNIQUE,
    ),
    _anonymity(
        "k-map",
        "k-map",
        _("Persons whom a record may be"),
        _(
            "How many original records have the quasi-identifiers of an anonymized one where there are fewest "
            "(k-map)."
        ),
        "scoring.measures.presence:smallest_map",
        best=_("number of records: it may be anyone"),
        worst=_("1: a record leads to a single person"),
    ),
)

LINKAGE = (
    _linkage(
        "E1",
        _("Any original record with the same quasi-identifiers."),
        "scoring.measures.linkage:random_in_class",
    ),
    _linkage(
        "E2",
        _(
            "Among the original records with the same quasi-identifiers, the nearest in one column; where there "
            "are none, the nearest of all."
        ),
        "scoring.measures.linkage:nearest_value_in_class",
    ),
    _linkage(
        "E3",
        _("Both tables sorted by the sum of the amounts; equal ranks belong together."),
        "scoring.measures.linkage:rank_of_sum",
    ),
    _linkage(
        "E4",
        _("The nearest original record in one column, quasi-identifiers ignored."),
        "scoring.measures.linkage:nearest_value",
    ),
    _linkage(
        "EUC1",
        _(
            "Among the original records with the same quasi-identifiers, the nearest over all amounts "
            "(Euclidean distance)."
        ),
        "scoring.measures.linkage:nearest_point_in_class",
    ),
    _linkage(
        "EUC2",
        _("As EUC1; where no original record has the quasi-identifiers, the nearest of all."),
        "scoring.measures.linkage:nearest_point",
    ),
    _found(
        "strongest",
        _("strongest"),
        _("Strongest of the fast attackers"),
        _("The highest rate of all attackers of the library that need no more than a second."),
        "scoring.measures.linkage:strongest",
    ),
)

DIVERSITY = (
    _diversity(
        "distinct-l",
        "l",
        _("Different values"),
        _("How many different sensitive values the poorest class has (l)."),
        "scoring.measures.diversity:smallest_distinct_l",
    ),
    _diversity(
        "entropy-l",
        "exp H",
        _("Effective values"),
        _(
            "The same, values weighted by how often they occur: rare ones add little (entropy l-diversity)."
        ),
        "scoring.measures.diversity:smallest_entropy_l",
    ),
    _diversity(
        "recursive-l",
        "(c,l)",
        _("Values after the most frequent are ruled out"),
        _(
            "The same, as long as the most frequent value has less than three times the records of the rare "
            "ones: recursive (c, l)-diversity with c = 3."
        ),
        "scoring.measures.diversity:smallest_recursive_l",
    ),
    _diversity(
        "t-closeness",
        "t",
        _("Distance from the whole"),
        _("How far the sensitive values of a class may be from those of the whole table (t)."),
        "scoring.measures.diversity:largest_t",
        direction="lower",
        low=0.0,
        high=1.0,
        best=LIKE_THE_WHOLE,
        worst=_("1: as far apart as can be"),
    ),
    _diversity(
        "alpha",
        "α",
        _("Share of one value"),
        _("The largest share that one sensitive value has of a class (α)."),
        "scoring.measures.diversity:largest_alpha",
        direction="lower",
        low=0.0,
        high=1.0,
        best=_("near 0: many values, all equally frequent"),
    ),
    _diversity(
        "beta",
        "β",
        _("Gain in one value"),
        _(
            "By how much a class raises the share of one sensitive value above that of the whole table, as a "
            "multiple of the latter (basic β-likeness)."
        ),
        "scoring.measures.diversity:largest_gain",
        direction="lower",
        low=0.0,
        best=LIKE_THE_WHOLE,
        worst=NO_END,
    ),
    _diversity(
        "beta-enhanced",
        "enhanced β",
        _("Gain in one value, bounded"),
        _(
            "The same, but at most the negative logarithm of the share of the rarest value (enhanced β-likeness)."
        ),
        "scoring.measures.diversity:largest_enhanced_gain",
        direction="lower",
        low=0.0,
        best=LIKE_THE_WHOLE,
        worst=NO_END,
    ),
    _diversity(
        "delta-disclosure",
        "δ",
        _("Ratio of shares"),
        _(
            "How far the share of a sensitive value in a class is from that of the whole table, as the logarithm "
            "of their ratio (δ-disclosure privacy)."
        ),
        "scoring.measures.diversity:largest_log_gain",
        direction="lower",
        low=0.0,
        best=LIKE_THE_WHOLE,
        worst=NO_END,
    ),
)

DISCLOSURE = (
    _disclosure(
        "singling-out",
        "singling out",
        _("Singling out"),
        _(
            "The attacker makes conditions that only one anonymized record fulfils: how often only one original "
            "record does, too, compared with records that are not in the table."
        ),
        "scoring.measures.disclosure:singling_out_risk",
    ),
    _disclosure(
        "linkability",
        "linkability",
        _("Linkability"),
        _(
            "The attacker knows two halves of a record and looks for the nearest anonymized record to each: how "
            "often it is the same one, beyond what works against strangers."
        ),
        "scoring.measures.disclosure:linkability_risk",
    ),
    _disclosure(
        "inference",
        "inference",
        _("Inference"),
        _(
            "The attacker knows all of a record but one value and takes that of the nearest anonymized record: "
            "how often it is right, beyond what works against strangers."
        ),
        "scoring.measures.disclosure:inference_risk",
    ),
    _disclosure(
        "closest-record",
        "DCR",
        _("Nearer to the original than to others"),
        _(
            "How many anonymized records are nearer to a record of the original than to one of as many other "
            "people."
        ),
        "scoring.measures.closest:nearer_share",
        best=NO_NEARER,
        worst=_("1: all records are nearer to the original"),
    ),
    _disclosure(
        "neighbour-ratio",
        "NNDR",
        _("Pointing at one person"),
        _(
            "In how many anonymized records the nearest original record stands out from the second nearest more "
            "than it does among as many other people."
        ),
        "scoring.measures.closest:sharper_share",
        best=NO_NEARER,
        worst=_("1: all records point at a person of the original"),
    ),
)
