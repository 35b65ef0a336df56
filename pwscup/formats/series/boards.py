# SPDX-License-Identifier: Apache-2.0
"""Texts of boards and reports about series of releases, from which sensitive values are guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from pwscup.core.texts.parts import joined, percent
from pwscup.leaderboards.boards.attack_texts import AttackTexts

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

ATTACK = AttackTexts(
    rate=_("Accuracy over the baseline"),
    rates=_("Accuracy over the baseline"),
    guess_rate=pgettext_lazy("accuracy over the baseline", "Rate"),
    worst_rate=pgettext_lazy("accuracy over the baseline", "Worst rate"),
    mean_rate=pgettext_lazy("accuracy over the baseline", "Mean rate"),
    percent=_("Accuracy over the baseline in per cent"),
    explained=_(
        "Accuracy over the baseline = of all individuals in the tables, the share guessed correctly beyond those that "
        "the baseline guesses correctly, and never below 0. The baseline is the most frequent value of each "
        "individual's group in its first release, or of that whole release if it is in no group; "
        "it counts for at most one in m of the individuals."
    ),
    anonymization_hidden=_("The anonymization board is shown when the release round has closed."),
    measures_hidden=_("The measures are shown when the release round has closed."),
    score_hidden=_("The board is shown when the release round has closed."),
    nothing_attacked=_("No releases have been attacked yet."),
    anonymization_legend=_(
        "Ranks in brackets; the best value of each measure is bold. Utility rank = mean of the ranks on the "
        "utility measures. Safety rank = mean of the ranks on the safety measures and, once the attack "
        "round has closed, on the worst rate: the highest accuracy over the baseline that another team "
        "reached. Total = mean of both; lower wins."
    ),
    measures_caption=_("Measures of every team's releases"),
    attack_caption=_(
        "Attack board: mean accuracy over the baseline against the other teams, higher wins"
    ),
    attack_legend=_(
        "↑ higher is better. Mean accuracy over the baseline against the releases of the other teams; a "
        "target without a valid guess counts 0."
    ),
    matrix_legend=_(
        "A dash is a target without a valid guess, which counts 0; a team's own releases are left out. A "
        "rate of 0 is no better than the baseline."
    ),
    own=_("own releases"),
    first_success=_("First guesses above the baseline: %(team)s, by %(attacker)s"),
    worst=_(
        "The safety rank is the mean of the ranks on the safety measures and on the worst rate, the highest "
        "accuracy over the baseline that another team reached: %(rate)s (rank %(rank)s)."
    ),
    protection=_(
        "100 − the highest accuracy over the baseline that another team reached, in per cent."
    ),
    attack=_(
        "the mean accuracy over the baseline against the other teams' releases, in per cent; releases "
        "without a valid guess count 0."
    ),
    attacks_missing=_("attacks on the other teams' releases"),
    report_matrix=_(
        "Accuracy over the baseline in per cent, attackers down, attacked teams across: the darker, the more "
        "people's values were guessed. × is a team's own releases; an empty cell has no guess."
    ),
    report_picture=_(
        "Accuracy over the baseline by attacker and attacked team; the table has the numbers."
    ),
    by_attacker=_(
        "By attacker: the mean over the other teams' releases, and as a line the best rate."
    ),
)
RISKS = {
    "counting": _(
        "The risk of an individual: of the rows of its last release whose region contains it, those remain "
        "whose value such rows have in all its releases; the share of the true value among them."
    ),
    "worlds": _(
        "The risk of an individual: of all assignments of individuals and counterfeits to the rows, with "
        "one value per individual over time, the share with the true value of the individual."
    ),
    "worlds-counterfeit-known": _(
        "The risk of an individual: of all assignments of individuals and counterfeits, whose number in each group "
        "is known, to the rows, with one value per individual over time, the share with the "
        "true value of the individual."
    ),
    "m-invariance": _(
        "The risk of a person: of all the ways in which people and counterfeits can have the rows, each "
        "person one value and one signature through its life, the share in which the person has its true "
        "value."
    ),
}
"""The meaning of the risk measures of a series, by the definition in the rules."""
BOUND = _("Here m = %(m)d, so 1/m = %(bound)s.")


def attack(_ruleset: Ruleset) -> AttackTexts:
    """Always that of values."""
    return ATTACK


def risks(ruleset: Ruleset) -> str:
    """The meaning of the risk measures of a series, by the definition in the rules."""
    spec = ruleset.sequential
    if spec is None:
        return ""
    bound = percent(f"{100 / spec.m:.2f}")
    return joined(RISKS[spec.definition], str(BOUND) % {"m": spec.m, "bound": bound})
