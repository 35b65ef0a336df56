# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest of sequential release as text: the content of a series, the requirements, the attackers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from pwscup.contests.rules import measures, ranking_texts
from pwscup.contests.rules.ranking_texts import Part
from pwscup.formats.common.rules import round_sentence as round_sentence
from scoring import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.formats.spec import Text
    from scoring.formats.sequential.limits import SeriesLimits
    from scoring.rulesets import Ruleset

FAMILIES = measures.FAMILIES | measures.FAMILIES_OF_SERIES
SHORT_FAMILIES = measures.SHORT_FAMILIES | measures.SHORT_FAMILIES_OF_SERIES
HEADLINE = ("series-extent", "series-query-error", "series-risk-max", "series-risk-mean")

ROWS = _(
    "A release is a list of groups. The rows of a group share a region, which is an interval of each "
    "quasi-identifier, and each row has a sensitive value. Every record of a table has its own row in "
    "the release of that time, in a group whose region contains it, and with the record's sensitive value; rows "
    "that remain are counterfeits."
)
NOTICES = _(
    "Groups whose region does not contain their records are named in N1.csv for the first release, and so on. This "
    "notice is also published."
)
REQUIRE = {
    "m-unique": _(
        "Each release is m-unique with m = %(m)s: every group has at least %(m)s rows, counterfeits among them, "
        "and no sensitive value twice."
    ),
    "m-invariance": _(
        "The releases are m-invariant with m = %(m)s: every group has at least %(m)s rows, counterfeits among "
        "them, and no sensitive value twice; and the groups of a person have the same set of sensitive values "
        "in all releases."
    ),
}
"""By the requirement of the ruleset for a series."""
LIMITS = {
    "max_deleted": _("At most %(share)s %% of the records of all tables are left out."),
    "max_displaced": _(
        "At most %(share)s %% of the published records lie outside of their region."
    ),
    "max_counterfeits": _(
        "There are at most %(share)s counterfeits for every 100 records of all tables."
    ),
}
"""By the bound of the ruleset."""
TOLD_AT_ONCE = _(
    "If a requirement is violated, all violations are reported, with file, row and group, when every cell can be "
    "read; this uses no attempt."
)

DEFINITIONS = {
    "counting": _(
        "Risks are computed by row counting. Of the rows of an individual's last release whose region contains the "
        "individual, those remain whose value such rows have in all its releases; the risk is the share of "
        "the true value among them."
    ),
    "worlds": _(
        "Risks are computed by possible worlds. Each assigns to every individual, at each time, its own row whose "
        "region contains it, always with the same value; the risk is the share of possible worlds in which it has its "
        "true value. Published numbers of counterfeits are taken into account."
    ),
    "m-invariance": _(
        "Risks are computed by possible worlds that keep signatures. Each assigns to every individual its own row "
        "whose region contains it, always with the same value and in groups of the same values; the risk is the "
        "share of possible worlds with its true value. Releases that are m-invariant have no risk above 1/m."
    ),
}
"""By the attacker's method of computing the risk."""
WHO_IS_KNOWN = _(
    "Such an attacker has every release and knows of every person when it was in the tables and with which "
    "quasi-identifiers. The risk is from 0, the true value is ruled out, to 1, it is certain."
)

ATTACK_BOARD = _(
    "mean of the rates, each by how much guesses were better than the most frequent value, over the individuals of all "
    "other teams; the highest wins. A team without a valid guess about it counts 0, the own team does not count."
)
SCORES = ranking_texts.SCORES | {
    "protection": Part(
        _("Protection"),
        _(
            "100 less the worst rate, in per cent, that another team's guesses reached; 100 where nobody made "
            "any about the team's people"
        ),
    ),
    "attack": Part(
        _("Attack"),
        _(
            "mean rate, in per cent, over the people of all other teams; a team without a valid guess about it "
            "counts 0"
        ),
    ),
}
FORMULAS = ranking_texts.FORMULAS | {
    "top-k-attack": _(
        "mean rate, in per cent, over the people of the %(k)s best protected teams, and of more where several "
        "are equal on the last place; a team that is itself among them gets the worst rate against it in the "
        "place of its own; the highest wins"
    ),
    "binomial-threshold": _(
        "mean of two shares, in per cent: of the other teams, those that the team attacked with success; and "
        "of the other teams, those that had no success against it. An attack succeeds from a rate of %(rate)s %% "
        "on, %(hits)s of %(n)s people: random guesses, each right with a chance of %(p)s, hit so many with a "
        "chance below %(alpha)s. The highest wins."
    ),
    "surviving-loss": _(
        "%(measure)s of the teams that no attack hit; a team that was hit, or has published nothing, has the value "
        "%(lost)s. An attack hits from %(hits)s of %(n)s people on: for random guesses, each right with a chance of "
        "%(p)s, that has a chance below %(alpha)s. The lowest wins."
    ),
}
DATA = _(
    "A table of people changes over time. Every team has tables of its own for all times, T1.csv, T2.csv "
    "and so on: those of %(sample)s people whom the platform draws from larger tables, with all their "
    "records. No person is given to two teams."
)


def parts(_ruleset: Ruleset) -> Mapping[str, Part]:
    """Rates above the baseline."""
    return SCORES


def formulas(_ruleset: Ruleset) -> Mapping[str, Text]:
    """As of `parts`."""
    return FORMULAS


def data(ruleset: Ruleset) -> tuple[str, ...]:
    """The tables that are drawn for each team."""
    return (str(DATA) % {"sample": number_format(ruleset.data.sample or 0, force_grouping=True)},)


def contents(ruleset: Ruleset, deletions: tuple[str, ...]) -> tuple[str, ...]:
    """The content and the requirements of a series, with its limits."""
    spec = ruleset.sequential
    if spec is None:
        return ()
    require = str(REQUIRE[spec.require]) % {"m": spec.m}
    limits = limit_sentences(spec.limits)
    return (str(ROWS), require, str(NOTICES), *limits, *deletions, str(TOLD_AT_ONCE))


def limit_sentences(limits: SeriesLimits) -> list[str]:
    """The bounds on omitted, displaced and counterfeit records of a series."""
    bounds = {name: getattr(limits, name) for name in LIMITS}
    return [
        str(LIMITS[name]) % {"share": number_format(f"{100 * share:g}")}
        for name, share in bounds.items()
        if share is not None
    ]


def asked(ruleset: Ruleset) -> dict[str, Any]:
    """The requirements of a series, and its limits."""
    spec = ruleset.sequential
    return {"sequential": spec, "limits_said": limit_sentences(spec.limits) if spec else []}


def drawing(ruleset: Ruleset) -> tuple[str, ...]:
    """The measures that are random under the definition of risk."""
    spec = ruleset.sequential
    return registry.drawing(ruleset.measures, spec.definition if spec else None)


def risks(ruleset: Ruleset) -> tuple[str, ...]:
    """The knowledge of the attacker of the risk measures."""
    if ruleset.sequential is None:
        return ()
    return (str(DEFINITIONS[ruleset.sequential.definition]), str(WHO_IS_KNOWN))
