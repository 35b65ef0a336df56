"""Every measure under its identifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scoring.addresses import docstring_at, function_at
from scoring.attacks.catalog import ATTACKS
from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _

if TYPE_CHECKING:
    from scoring.scores.comparison import Comparison, Options

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
        """What computes the value."""
        measure: MeasureFunction = function_at(self.address)
        return measure

    @property
    def is_rate(self) -> bool:
        """Whether it says how often an attacker succeeds, 0 to 1."""
        return self.family in RATES

    @property
    def draws(self) -> bool:
        """Whether `seed` decides part of the value."""
        return self.id in DRAWING

    @property
    def description(self) -> str:
        """The function's docstring: definition, range, source."""
        return docstring_at(self.address)


def _utility(id_: str, name: str, title: str, function: str, high: float | None = None) -> Measure:
    return Measure(
        id_, name, title, "utility", "lower", 0.0, high, f"scoring.measures.utility:{function}"
    )


def _anonymity(id_: str, name: str, title: str, function: str) -> Measure:
    return Measure(
        id_, name, title, "anonymity", "higher", 1.0, None, f"scoring.measures.anonymity:{function}"
    )


def _linkage(id_: str, function: str) -> Measure:
    """The rate of the attack of the same identifier."""
    attack = ATTACKS[id_]
    address = f"scoring.measures.linkage:{function}"
    return Measure(id_, attack.name, attack.title, "linkage", "lower", 0.0, 1.0, address)


def _risk(id_: str, name: str, title: str, address: str) -> Measure:
    return Measure(id_, name, title, "risk", "lower", 0.0, 1.0, f"scoring.measures.{address}")


def _diversity(
    id_: str, name: str, title: str, function: str, direction: str, *, high: float | None = None
) -> Measure:
    low = 1.0 if direction == "higher" else 0.0
    address = f"scoring.measures.diversity:{function}"
    return Measure(id_, name, title, "diversity", direction, low, high, address)


def _similarity(
    id_: str, name: str, title: str, address: str, high: float | None = None
) -> Measure:
    address = f"scoring.measures.{address}"
    return Measure(id_, name, title, "similarity", "lower", 0.0, high, address)


def _disclosure(id_: str, name: str, title: str, function: str) -> Measure:
    address = f"scoring.measures.disclosure:{function}"
    return Measure(id_, name, title, "disclosure", "lower", 0.0, 1.0, address)


MEASURES = Registry(
    "measure",
    (
        _utility("U1", "meanMAE", _("Difference of column means"), "mean_difference"),
        _utility("U2", "crossMean", _("Difference of cell means"), "cell_mean_difference"),
        _utility("U3", "crossCnt", _("Difference of cell counts"), "cell_count_difference"),
        _utility("U4", "corMAE", _("Difference of correlations"), "correlation_difference", 2.0),
        _utility("U5", "IL", _("Difference record by record"), "record_difference"),
        _utility("U6", "nrow", _("Deleted records"), "records_deleted"),
        Measure(
            "LOSS",
            "loss",
            _("Mean normalised loss"),
            "utility",
            "lower",
            0.0,
            1.0,
            "scoring.measures.loss:mean_normalised_loss",
        ),
        _anonymity("S1", "k-anony", _("Smallest equivalence class"), "smallest_class"),
        _anonymity("S2", "k-anonymMean", _("Mean equivalence class"), "mean_class"),
        _linkage("E1", "random_in_class"),
        _linkage("E2", "nearest_value_in_class"),
        _linkage("E3", "rank_of_sum"),
        _linkage("E4", "nearest_value"),
        _linkage("EUC1", "nearest_point_in_class"),
        _linkage("EUC2", "nearest_point"),
        _risk("prosecutor-risk", "max 1/f", _("Prosecutor: worst record"), "risk:prosecutor_risk"),
        _risk("prosecutor-mean", "mean 1/f", _("Prosecutor: mean"), "risk:prosecutor_mean"),
        _risk("at-risk", "f < 5", _("Records in classes of fewer than 5"), "risk:records_at_risk"),
        _risk("sample-uniques", "f = 1", _("Unique records"), "risk:sample_uniques"),
        _risk("journalist-risk", "max 1/F", _("Journalist: worst record"), "risk:journalist_risk"),
        _risk("journalist-mean", "mean 1/F", _("Journalist: mean"), "risk:journalist_mean"),
        _risk("marketer-risk", "Σ 1/F", _("Marketer: expected finds"), "risk:marketer_risk"),
        _risk(
            "nearest-link",
            "1 − d₁/d₂",
            _("Certainty of the nearest original"),
            "nearest_link:nearest_link",
        ),
        _risk(
            "population-uniques",
            "f = F = 1",
            _("Unique records that are unique in the original"),
            "population:population_uniques",
        ),
        _risk("zayatz", "Zayatz", _("Population uniques, from the sample"), "population:zayatz"),
        _risk("pitman", "Pitman", _("Population uniques, by a model"), "population:pitman"),
        _risk("suda-mean", "DIS-SUDA mean", _("Special uniques: mean"), "suda:suda_mean"),
        _risk("suda-max", "DIS-SUDA max", _("Special uniques: worst record"), "suda:suda_max"),
        _diversity("distinct-l", "l", _("Different values"), "smallest_distinct_l", "higher"),
        _diversity("entropy-l", "exp H", _("Effective values"), "smallest_entropy_l", "higher"),
        _diversity(
            "recursive-l",
            "(c,l)",
            _("Values after the most frequent are ruled out"),
            "smallest_recursive_l",
            "higher",
        ),
        _diversity("t-closeness", "t", _("Distance from the whole"), "largest_t", "lower", high=1),
        _diversity("alpha", "α", _("Share of one value"), "largest_alpha", "lower", high=1),
        _similarity(
            "marginals", "TV", _("Shares of values"), "distributions:marginal_difference", 1.0
        ),
        _similarity(
            "pairs", "TV²", _("Shares of pairs of values"), "distributions:pair_difference", 1.0
        ),
        _similarity("kl-divergence", "KL", _("Divergence of values"), "distributions:divergence"),
        _similarity(
            "cramers-v",
            "ΔV",
            _("Association of categories"),
            "distributions:category_association_difference",
            1.0,
        ),
        _similarity(
            "association",
            "Δ(r, V, η)",
            _("Association of any two columns"),
            "distributions:association_difference",
            2.0,
        ),
        _similarity(
            "squared-loss",
            "d Euclid",
            _("Squared distance of records"),
            "distributions:squared_difference",
        ),
        _similarity("normalised-loss", "loss", _("Loss of cells"), "distributions:normalised_loss"),
        _similarity(
            "range-queries",
            "relative error",
            _("Counts of random ranges"),
            "queries:range_query_error",
            1000.0,
        ),
        _similarity(
            "pmse",
            "pMSE",
            _("Telling the tables apart"),
            "distinguishability:propensity_error",
            0.25,
        ),
        _similarity(
            "pmse-ratio",
            "pMSE ratio",
            _("Telling the tables apart, beside chance"),
            "distinguishability:propensity_ratio",
        ),
        _similarity("tstr", "TSTR", _("Learning from the table"), "learning:learning_loss", 1.0),
        _similarity(
            "table-L2", "L2", _("Distance of the tables of counts"), "contingency:table_distance"
        ),
        Measure(
            "table-spearman",
            "ρ",
            _("Rank correlation of the tables of counts"),
            "similarity",
            "higher",
            -1.0,
            1.0,
            "scoring.measures.contingency:table_rank_correlation",
        ),
        _disclosure("singling-out", "singling out", _("Singling out"), "singling_out_risk"),
        _disclosure("linkability", "linkability", _("Linkability"), "linkability_risk"),
        _disclosure("inference", "inference", _("Inference"), "inference_risk"),
    ),
)
"""Identifier to measure, in the order in which they are shown."""

PWSCUP_2015 = (
    "U1",
    "U2",
    "U3",
    "U4",
    "U5",
    "U6",
    "S1",
    "S2",
    "E1",
    "E2",
    "E3",
    "E4",
    "EUC1",
    "EUC2",
)
"""The measures of the 2015 contest: what is computed where nobody names others."""
