# SPDX-License-Identifier: Apache-2.0
"""Measures of information loss: utility and similarity."""

from __future__ import annotations

from functools import partial

from scoring.errors import gettext_noop as _
from scoring.measures.catalog.base import NO_END, NOTHING_LOST, Measure

_utility = partial(
    Measure,
    family="utility",
    direction="lower",
    low=0.0,
    high=None,
    best=NOTHING_LOST,
    worst=NO_END,
)
_similarity = partial(_utility, family="similarity")
_generalization = partial(_utility, family="generalization", high=1.0)

UTILITY = (
    _utility(
        "U1",
        "meanMAE",
        _("Difference of column means"),
        _(
            "How far the mean of an amount moves, averaged over the sensitive columns. Swapping, and averaging "
            "within a class, move no mean."
        ),
        "scoring.measures.utility:mean_difference",
    ),
    _utility(
        "U2",
        "crossMean",
        _("Difference of cell means"),
        _(
            "The records are tabulated by the cross columns; how far the mean amounts of a cell move."
        ),
        "scoring.measures.utility:cell_mean_difference",
    ),
    _utility(
        "U3",
        "crossCnt",
        _("Difference of cell counts"),
        _("The same cells: how far the number of records in a cell moves."),
        "scoring.measures.utility:cell_count_difference",
    ),
    _utility(
        "U4",
        "corMAE",
        _("Difference of correlations"),
        _("How far the correlation of two amounts moves, averaged over all pairs."),
        "scoring.measures.utility:correlation_difference",
        high=2.0,
        worst=_("2: every correlation is reversed"),
    ),
    _utility(
        "U5",
        "IL",
        _("Difference record by record"),
        _(
            "How far an amount lies from that of the declared original record, as a share of the column's "
            "range. The one measure that follows the row numbers."
        ),
        "scoring.measures.utility:record_difference",
        worst=_("no upper end; 1 is a column's whole range"),
    ),
    _utility(
        "U6",
        "nrow",
        _("Deleted records"),
        _("How many records were deleted."),
        "scoring.measures.utility:records_deleted",
        best=_("0: none deleted"),
        worst=_("number of records: all deleted"),
    ),
    _utility(
        "LOSS",
        "loss",
        _("Mean normalised loss"),
        _(
            "How much of a cell is lost, averaged over all columns: a number by its distance as a share of the "
            "column's range, a category if it changed, every cell of a deleted record. At most the whole cell."
        ),
        "scoring.measures.loss:mean_normalised_loss",
        high=1.0,
        worst=_("1: nothing is kept"),
    ),
)

SIMILARITY = (
    _similarity(
        "marginals",
        "TV",
        _("Shares of values"),
        _(
            "How many records would have to change their value for a column to be distributed as in the "
            "original, averaged over the columns. Numbers are sorted into tenths."
        ),
        "scoring.measures.distributions:marginal_difference",
        high=1.0,
        worst=_("1: no value is kept"),
    ),
    _similarity(
        "pairs",
        "TV²",
        _("Shares of pairs of values"),
        _("The same for each two columns together."),
        "scoring.measures.distributions:pair_difference",
        high=1.0,
        worst=_("1: no pair of values is kept"),
    ),
    _similarity(
        "kl-divergence",
        "KL",
        _("Divergence of values"),
        _(
            "How far the distribution of a column has moved, averaged over the columns (Kullback-Leibler); "
            "values that have become rare weigh most."
        ),
        "scoring.measures.distributions:divergence",
    ),
    _similarity(
        "cramers-v",
        "ΔV",
        _("Association of categories"),
        _("How far the association of two categories moves, averaged over all pairs."),
        "scoring.measures.distributions:category_association_difference",
        high=1.0,
        worst=_("1: from no association to a complete one, or back"),
    ),
    _similarity(
        "association",
        "Δ(r, V, η)",
        _("Association of any two columns"),
        _(
            "How far the association of two columns moves, numbers or categories, averaged over all pairs."
        ),
        "scoring.measures.distributions:association_difference",
        high=2.0,
        worst=_("2: every correlation is reversed"),
    ),
    _similarity(
        "squared-loss",
        "d Euclid",
        _("Squared distance of records"),
        _(
            "The squared distance of a record's numbers from those of the declared original record, on average. "
            "The widest column decides."
        ),
        "scoring.measures.distributions:squared_difference",
    ),
    _similarity(
        "normalised-loss",
        "loss",
        _("Loss of cells"),
        _(
            "How much of a cell is lost: a number by its distance as a share of the column's range, a category "
            "if it changed, every cell of a deleted record."
        ),
        "scoring.measures.distributions:normalised_loss",
        worst=_("1: every record is deleted; no upper end"),
    ),
    _similarity(
        "largest-change",
        "max |x − y|",
        _("Largest change of a record"),
        _(
            "The largest difference of a number from that of the declared original record, or the largest number of "
            "categories that changed in one record, whichever is larger."
        ),
        "scoring.measures.distributions:largest_change",
    ),
    _similarity(
        "range-queries",
        "relative error",
        _("Counts of random ranges"),
        _(
            "A thousand random questions of the kind “how many records lie in these ranges?”: how far the "
            "answers are off, as a share of the right ones."
        ),
        "scoring.measures.queries:range_query_error",
        high=1000.0,
        best=_("0: every answer is right"),
        worst=_("1,000: as wrong as can be"),
    ),
    _similarity(
        "pmse",
        "pMSE",
        _("Distinguishability"),
        _("How well a statistical model distinguishes anonymized records from original ones."),
        "scoring.measures.distinguishability:propensity_error",
        high=0.25,
        best=_("0: indistinguishable"),
        worst=_("0.25 with equally many records: they always can"),
    ),
    _similarity(
        "pmse-ratio",
        "pMSE ratio",
        _("Distinguishability, relative to chance"),
        _(
            "The same, divided by the value expected by chance for a table drawn from a perfect model."
        ),
        "scoring.measures.distinguishability:propensity_ratio",
        best=_("0: indistinguishable; about 1: by chance only"),
    ),
    _similarity(
        "tstr",
        "TSTR",
        _("Learning from the table"),
        _(
            "One column is predicted from the others for records that were held out: how much worse a model "
            "does that has learned from the anonymized table instead of the original."
        ),
        "scoring.measures.learning:learning_loss",
        high=1.0,
        best=_("0: it teaches as well"),
        worst=_("1: it teaches nothing, the original everything"),
    ),
    _similarity(
        "table-L2",
        "L2",
        _("Distance of the tables of counts"),
        _(
            "The records are counted by the chosen columns: how far the counts are from those of the original, "
            "all of them together (L2 distance)."
        ),
        "scoring.measures.contingency:table_distance",
    ),
    _similarity(
        "table-spearman",
        "ρ",
        _("Rank correlation of the tables of counts"),
        _(
            "The same counts: whether the frequent combinations of values are still the frequent ones and the "
            "rare ones the rare (Spearman's rank correlation)."
        ),
        "scoring.measures.contingency:table_rank_correlation",
        direction="higher",
        low=-1.0,
        high=1.0,
        best=_("1: the same order of counts"),
        worst=_("-1: the reverse order"),
    ),
)

GENERALIZATION = (
    _generalization(
        "ncp",
        "NCP",
        _("Width of the classes"),
        _(
            "How much of a column's range the quasi-identifiers of a class spanned in the original, averaged over "
            "the columns (normalized certainty penalty)."
        ),
        "scoring.measures.generalization:certainty_penalty",
        worst=_("1: every class spans everything"),
    ),
    _generalization(
        "entropy-loss",
        "NUE",
        _("Open information"),
        _(
            "How much of the information on a quasi-identifier the anonymized value leaves open, averaged over "
            "the columns (non-uniform entropy)."
        ),
        "scoring.measures.generalization:entropy_loss",
        worst=_("1: the table says nothing of the quasi-identifiers"),
    ),
    _generalization(
        "discernibility",
        "C_DM",
        _("Indistinguishable records"),
        _(
            "From how many records a record cannot be distinguished, on average and as a share of all; a deleted "
            "record cannot be distinguished from any."
        ),
        "scoring.measures.generalization:discernibility",
        best=_("near 0: every record is unique"),
        worst=_("1: all look alike or are deleted"),
    ),
    _generalization(
        "class-average",
        "C_AVG",
        _("Mean class compared with the smallest"),
        _("How large a class is on average, as a multiple of the smallest."),
        "scoring.measures.generalization:class_average",
        low=1.0,
        high=None,
        best=_("1: no class is larger than the smallest"),
        worst=NO_END,
    ),
)
