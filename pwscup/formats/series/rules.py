"""The rules of a contest of sequential release in words: what a series holds, what is asked, what attackers know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from pwscup.contests.rules import measures, ranking_texts
from pwscup.contests.rules.ranking_texts import Part
from pwscup.formats.common.rules import round_sentence as round_sentence
from scoring import registry

if TYPE_CHECKING:
    from scoring.formats.sequential.limits import SeriesLimits
    from scoring.rulesets import Ruleset

FAMILIES = measures.FAMILIES | measures.FAMILIES_OF_SERIES
SHORT_FAMILIES = measures.SHORT_FAMILIES | measures.SHORT_FAMILIES_OF_SERIES
HEADLINE = ("series-extent", "series-query-error", "series-risk-max", "series-risk-mean")

ROWS = _(
    "A release is a list of groups. The rows of a group share a box, which is an interval of each "
    "quasi-identifier, and each row has a sensitive value. Every record of a table has a row of its own in "
    "the release of that time, in a group whose box holds the record, and with the record's sensitive value; rows "
    "that are left over are counterfeits."
)
NOTICES = _(
    "Groups whose box does not hold their records are named in N1.csv for the first release, and so on. That is a "
    "notice which is published too."
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
"""By what the ruleset asks of a series."""
LIMITS = {
    "max_deleted": _("At most %(share)s %% of the records of all tables are left out."),
    "max_displaced": _("At most %(share)s %% of the published records lie outside of their box."),
    "max_counterfeits": _(
        "There are at most %(share)s counterfeits for every 100 records of all tables."
    ),
}
"""By what the ruleset bounds."""
TOLD_AT_ONCE = _(
    "Where something does not hold, all that is wrong is told, with file, row and group, once every cell can be "
    "read; it costs no try."
)

DEFINITIONS = {
    "counting": _(
        "Risks are found by row counting. Of the rows of the last release in a person's life whose box holds the "
        "person, those stay whose value such rows have in every release of that life; the risk is the share of "
        "the true value among them."
    ),
    "worlds": _(
        "Risks are found by worlds. A world gives every person, at each time of its life, a row of its own whose "
        "box holds it, always with the same value; the risk is the share of worlds in which the person has its "
        "true value. Published numbers of counterfeits are reckoned with."
    ),
    "m-invariance": _(
        "Risks are found by worlds that keep signatures. A world gives every person, at each time of its life, a row "
        "of its own whose box holds it, always with the same value and in groups of the same values; the risk is the "
        "share of worlds in which the person has its true value. Releases that are m-invariant have no risk above 1/m."
    ),
}
"""By how an attacker reckons, of whose success the risks speak."""
WHO_IS_KNOWN = _(
    "Such an attacker has every release and knows of every person when it was in the tables and with which "
    "quasi-identifiers. The risk is from 0, the true value is ruled out, to 1, it is certain."
)

ATTACK_BOARD = _(
    "mean of the rates, each by how much guesses were better than the most frequent value, over the people of all "
    "other teams; the highest wins. A team without a valid guess about it counts 0, the own team does not count."
)
PARTS = ranking_texts.SCORES | {
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
        "on, %(hits)s of %(n)s people: blind guesses, each right with a chance of %(p)s, hit so many with a "
        "chance below %(alpha)s. The highest wins."
    ),
}
DATA = _(
    "A table of people changes over time. Every team has tables of its own for all times, T1.csv, T2.csv "
    "and so on: those of %(sample)s people whom the platform draws from larger tables, with all their "
    "records. No person is given to two teams."
)


def data(ruleset: Ruleset) -> tuple[str, ...]:
    """The tables that are drawn for each team."""
    return (str(DATA) % {"sample": number_format(ruleset.data.sample or 0, force_grouping=True)},)


def contents(ruleset: Ruleset, deletions: tuple[str, ...]) -> tuple[str, ...]:
    """What a series holds and what is asked of it, with its limits."""
    spec = ruleset.sequential
    if spec is None:
        return ()
    require = str(REQUIRE[spec.require]) % {"m": spec.m}
    limits = limit_sentences(spec.limits)
    return (str(ROWS), require, str(NOTICES), *limits, *deletions, str(TOLD_AT_ONCE))


def limit_sentences(limits: SeriesLimits) -> list[str]:
    """How much a series may leave out, displace and add as counterfeits, as far as that is bounded."""
    bounds = {name: getattr(limits, name) for name in LIMITS}
    return [
        str(LIMITS[name]) % {"share": number_format(f"{100 * share:g}")}
        for name, share in bounds.items()
        if share is not None
    ]


def asked(ruleset: Ruleset) -> dict[str, Any]:
    """What is asked of a series, and its limits."""
    spec = ruleset.sequential
    return {"sequential": spec, "limits_said": limit_sentences(spec.limits) if spec else []}


def drawing(ruleset: Ruleset) -> tuple[str, ...]:
    """Those that draw under the definition of risk."""
    spec = ruleset.sequential
    return registry.drawing(ruleset.measures, spec.definition if spec else None)


def risks(ruleset: Ruleset) -> tuple[str, ...]:
    """What the attacker knows of whose success the risks speak."""
    if ruleset.sequential is None:
        return ()
    return (str(DEFINITIONS[ruleset.sequential.definition]), str(WHO_IS_KNOWN))
