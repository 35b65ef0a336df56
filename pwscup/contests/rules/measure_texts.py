"""The words of measures: what a family is about, a sentence for each measure, what its ends mean.

A new measure adds a line to the dictionary of its family, and to `ENDS` where its numbers alone do
not say what is good and what is bad.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

FAMILIES = {
    "utility": _("Utility: what was lost"),
    "anonymity": _("Safety: how large the crowd is"),
    "linkage": _("Attacks: how many records are found"),
    "risk": _("Risk: how likely somebody is found"),
    "diversity": _("Diversity: what a class tells of its members"),
    "similarity": _("Similarity: what the table can still be used for"),
    "disclosure": _("Disclosure: what is learned about members more than about strangers"),
}
"""Headings of the rules page."""
FAMILIES_OF_SERIES = {
    "utility": _("Utility: what the releases have lost"),
    "risk": _("Risk: how sure an attacker may be of a person's value"),
}
"""The same, where they differ for the measures of a series of releases."""
SHORT_FAMILIES = {
    "utility": _("Utility"),
    "anonymity": _("Safety"),
    "linkage": _("Re-identification rates"),
    "risk": _("Re-identification risk"),
    "diversity": _("Diversity of sensitive values"),
    "similarity": _("Similarity"),
    "disclosure": _("Disclosure"),
}
"""Headings in the table of a submission's measures."""
SHORT_FAMILIES_OF_SERIES = {"risk": _("Risk of a known value")}
"""The same, where they differ for the measures of a series of releases."""

UTILITY = {
    "U1": _(
        "How far the mean of an amount moves, averaged over the sensitive columns. Swapping, and averaging "
        "within a class, move no mean."
    ),
    "U2": _(
        "The records are tabulated by the cross columns; how far the mean amounts of a cell move."
    ),
    "U3": _("The same cells: how far the number of records in a cell moves."),
    "U4": _("How far the correlation of two amounts moves, averaged over all pairs."),
    "U5": _(
        "How far an amount lies from that of the declared original record, as a share of the column's range. "
        "The one measure that follows the row numbers."
    ),
    "U6": _("How many records were deleted."),
    "LOSS": _(
        "How much of a cell is lost, averaged over all columns: a number by its distance as a share of the "
        "column's range, a category if it changed, every cell of a deleted record. At most the whole cell."
    ),
}
ANONYMITY = {
    "S1": _("How many records share their quasi-identifiers in the smallest such class (k)."),
    "S2": _("How many records share their quasi-identifiers on average."),
}
LINKAGE = {
    "E1": _("Any original record with the same quasi-identifiers."),
    "E2": _(
        "Among the original records with the same quasi-identifiers, the nearest in one column; "
        "where there are none, the nearest of all."
    ),
    "E3": _("Both tables sorted by the sum of the amounts; equal ranks belong together."),
    "E4": _("The nearest original record in one column, quasi-identifiers ignored."),
    "EUC1": _(
        "Among the original records with the same quasi-identifiers, the nearest over all amounts "
        "(Euclidean distance)."
    ),
    "EUC2": _("As EUC1; where no original record has the quasi-identifiers, the nearest of all."),
}
RISK = {
    "prosecutor-risk": _(
        "The attacker looks for a person who is known to be in the anonymized table and picks one of the "
        "records with that person's quasi-identifiers: how often that is right in the smallest class."
    ),
    "prosecutor-mean": _("The same attacker: how often that is right on average."),
    "at-risk": _("How many records share their quasi-identifiers with fewer than four others."),
    "sample-uniques": _("How many records are alone with their quasi-identifiers."),
    "journalist-risk": _(
        "The attacker looks for anybody and picks one of the original records with the quasi-identifiers "
        "of an anonymized one: how often that is right where there are fewest."
    ),
    "journalist-mean": _("The same attacker: how often that is right on average."),
    "nearest-link": _(
        "How much nearer the nearest original record is, in its amounts, than the second nearest. The declared "
        "rows play no part: to keep the amounts and declare other rows gains nothing."
    ),
    "marketer-risk": _(
        "The attacker links every record in that way: the share of the records that is expected to be found."
    ),
    "population-uniques": _(
        "Of the records that are alone with their quasi-identifiers, how many lead to a single original record."
    ),
    "zayatz": _(
        "How many records nobody else in the population resembles, estimated from the anonymized table "
        "alone (Zayatz)."
    ),
    "pitman": _(
        "How many records nobody else in the population resembles, estimated from the anonymized table "
        "alone (Pitman's model)."
    ),
    "suda-mean": _(
        "How likely a match on few quasi-identifiers is right, averaged over the records. The fewer of "
        "them make a record unique, and the more ways there are to choose them, the likelier (SUDA2)."
    ),
    "suda-max": _("The same for the most special record."),
}
DIVERSITY = {
    "distinct-l": _("How many different sensitive values the poorest class has (l)."),
    "entropy-l": _(
        "The same, values weighted by how often they occur: rare ones add little (entropy l-diversity)."
    ),
    "recursive-l": _(
        "The same, as long as the most frequent value has less than three times the records of the rare "
        "ones: recursive (c, l)-diversity with c = 3."
    ),
    "t-closeness": _(
        "How far the sensitive values of a class may be from those of the whole table (t)."
    ),
    "alpha": _("The largest share that one sensitive value has of a class (α)."),
}
SIMILARITY = {
    "marginals": _(
        "How many records would have to change their value for a column to be distributed as in the "
        "original, averaged over the columns. Numbers are sorted into tenths."
    ),
    "pairs": _("The same for each two columns together."),
    "kl-divergence": _(
        "How far the distribution of a column has moved, averaged over the columns (Kullback-Leibler); "
        "values that have become rare weigh most."
    ),
    "cramers-v": _("How far the association of two categories moves, averaged over all pairs."),
    "association": _(
        "How far the association of two columns moves, numbers or categories, averaged over all pairs."
    ),
    "squared-loss": _(
        "The squared distance of a record's numbers from those of the declared original record, on "
        "average. The widest column decides."
    ),
    "normalised-loss": _(
        "How much of a cell is lost: a number by its distance as a share of the column's range, a category "
        "if it changed, every cell of a deleted record."
    ),
    "range-queries": _(
        "A thousand random questions of the kind “how many records lie in these ranges?”: how far the "
        "answers are off, as a share of the right ones."
    ),
    "pmse": _("How well a statistical model tells anonymized records from original ones."),
    "pmse-ratio": _(
        "The same, divided by what chance alone would give for a table drawn from a perfect model."
    ),
    "tstr": _(
        "One column is predicted from the others for records that were held out: how much worse a model "
        "does that has learned from the anonymized table instead of the original."
    ),
    "table-L2": _(
        "The records are counted by the chosen columns: how far the counts are from those of the original, all "
        "of them together (L2 distance)."
    ),
    "table-spearman": _(
        "The same counts: whether the frequent combinations of values are still the frequent ones and the rare "
        "ones the rare (Spearman's rank correlation)."
    ),
}
DISCLOSURE = {
    "singling-out": _(
        "The attacker makes conditions that one anonymized record alone fulfils: how often one original "
        "record alone does, too, beyond what works against strangers."
    ),
    "linkability": _(
        "The attacker knows two halves of a record and looks for the nearest anonymized record to each: how "
        "often it is the same one, beyond what works against strangers."
    ),
    "inference": _(
        "The attacker knows all of a record but one value and takes that of the nearest anonymized record: "
        "how often it is right, beyond what works against strangers."
    ),
}
SERIES = {
    "series-extent": _(
        "How wide the boxes of records are on average, as a share of each quasi-identifier's range in all tables."
    ),
    "series-discernibility": _(
        "How many rows a row cannot be told apart from, as a share of all: the squared sizes of the groups added up. A "
        "record that is left out counts like one in a group of all."
    ),
    "series-query-error": _(
        "A thousand random questions of the kind “how many records of this time lie in these intervals and "
        "have one of these values?”: how far the answers from the releases are off, as a share of the right "
        "ones. Rows are taken to be spread evenly over their boxes, and those of a group count for less where "
        "its counterfeits are told."
    ),
    "series-counterfeits": _(
        "How many counterfeits all releases have for each record of all tables."
    ),
    "series-deletions": _(
        "How many records are left out. Who is left out of one release is left out of all later ones and "
        "counts in each."
    ),
    "series-displaced": _(
        "How many published records have no row whose box holds them: those of the groups that notices name."
    ),
    "series-risk-max": _(
        "How sure an attacker may be of the true value of the person who is worst protected."
    ),
    "series-risk-mean": _(
        "The same on average over all people who are published: the share of values that a guess by these "
        "chances finds."
    ),
    "series-risk-share": _("How many of the people who are published have a risk above 1/m."),
}
WORDS = UTILITY | ANONYMITY | LINKAGE | RISK | DIVERSITY | SIMILARITY | DISCLOSURE | SERIES
"""A sentence for each measure."""

NOTHING_LOST = _("0: nothing is lost")
NO_END = _("no upper end")
FOUND_NONE = _("0: no record is found")
FOUND_ALL = _("1: every record is found")
UNIQUE = _("1: somebody is unique")
NOBODY_UNIQUE = _("0: nobody is unique")
ALL_UNIQUE = _("1: everybody is unique")
ALL_ALIKE = _("number of records: all look alike")
LARGE_CROWD = _("near 0: a large crowd around everybody")
LEADS_NOWHERE = _("0: no record leads to anybody")
LEADS_TO_ONE = _("1: some record leads to a single person")
EQUALLY_NEAR = _("0: every record is equally near to two original records")
ALL_LEAD_TO_ONE = _("1: every record leads to a single person")
NOBODY_SPECIAL = _("0: nobody is unique on three quasi-identifiers")
CERTAIN = _("1: a match is certain to be right")
ALL_SAME = _("1: all members of some class have the same value")
ALL_DIFFERENT = _("number of records: all values differ")
NO_BETTER = _("0: no more than against strangers")
ALWAYS = _("1: always, and never against strangers")

FAMILY_ENDS = {"linkage": (FOUND_NONE, FOUND_ALL), "disclosure": (NO_BETTER, ALWAYS)}
"""The best and the worst value of a family's measures, unless `ENDS` says otherwise."""
ENDS = {
    "U4": (NOTHING_LOST, _("2: every correlation is reversed")),
    "U5": (NOTHING_LOST, _("no upper end; 1 is a column's whole range")),
    "U6": (_("0: none deleted"), _("number of records: all deleted")),
    "LOSS": (NOTHING_LOST, _("1: nothing is kept")),
    "S1": (ALL_ALIKE, UNIQUE),
    "S2": (ALL_ALIKE, ALL_UNIQUE),
    "prosecutor-risk": (LARGE_CROWD, UNIQUE),
    "prosecutor-mean": (LARGE_CROWD, ALL_UNIQUE),
    "at-risk": (_("0: nobody is in such a class"), _("1: everybody is")),
    "sample-uniques": (NOBODY_UNIQUE, ALL_UNIQUE),
    "journalist-risk": (LEADS_NOWHERE, LEADS_TO_ONE),
    "journalist-mean": (LEADS_NOWHERE, ALL_LEAD_TO_ONE),
    "nearest-link": (EQUALLY_NEAR, ALL_LEAD_TO_ONE),
    "marketer-risk": (LEADS_NOWHERE, ALL_LEAD_TO_ONE),
    "population-uniques": (_("0: none of them"), _("1: all of them")),
    "zayatz": (NOBODY_UNIQUE, ALL_UNIQUE),
    "pitman": (NOBODY_UNIQUE, ALL_UNIQUE),
    "suda-mean": (NOBODY_SPECIAL, CERTAIN),
    "suda-max": (NOBODY_SPECIAL, CERTAIN),
    "distinct-l": (ALL_DIFFERENT, ALL_SAME),
    "entropy-l": (ALL_DIFFERENT, ALL_SAME),
    "recursive-l": (ALL_DIFFERENT, ALL_SAME),
    "t-closeness": (
        _("0: every class is like the whole table"),
        _("1: as far apart as can be"),
    ),
    "alpha": (_("near 0: many values, all equally frequent"), ALL_SAME),
    "marginals": (NOTHING_LOST, _("1: no value is kept")),
    "pairs": (NOTHING_LOST, _("1: no pair of values is kept")),
    "cramers-v": (NOTHING_LOST, _("1: from no association to a complete one, or back")),
    "association": (NOTHING_LOST, _("2: every correlation is reversed")),
    "normalised-loss": (NOTHING_LOST, _("1: every record is deleted; no upper end")),
    "range-queries": (_("0: every answer is right"), _("1,000: as wrong as can be")),
    "pmse": (
        _("0: they cannot be told apart"),
        _("0.25 with equally many records: they always can"),
    ),
    "pmse-ratio": (_("0: they cannot be told apart; about 1: by chance alone"), NO_END),
    "tstr": (_("0: it teaches as well"), _("1: it teaches nothing, the original everything")),
    "series-extent": (NOTHING_LOST, _("1: nothing is told of anybody")),
    "series-discernibility": (_("near 0: small groups"), _("1: one group of all")),
    "series-query-error": (_("0: every answer is right"), NO_END),
    "series-counterfeits": (_("0: none"), NO_END),
    "series-deletions": (_("0: none left out"), _("1: everybody left out")),
    "series-displaced": (_("0: every box is true"), _("1: no box is true")),
    "series-risk-max": (_("near 0: nothing is known"), _("1: somebody's value is certain")),
    "series-risk-mean": (_("near 0: nothing is known"), _("1: everybody's value is certain")),
    "series-risk-share": (_("0: nobody"), _("1: everybody")),
    "table-spearman": (_("1: the same order of counts"), _("-1: the reverse order")),
}
"""The best and the worst value in words, where the range of the catalog does not say enough."""
