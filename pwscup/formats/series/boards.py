"""What boards and reports say about series of releases, from which people's values are guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.leaderboards.boards.attack_texts import AttackTexts

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

ATTACK = AttackTexts(
    rate=_("Accuracy over the baseline"),
    rates=_("Accuracy over the baseline"),
    percent=_("Accuracy over the baseline in per cent"),
    explained=_(
        "Accuracy over the baseline = of all people in the tables, how many more were guessed right than "
        "the baseline guesses right, and never below 0. The baseline is the most frequent value of each "
        "person's group in the first release of its life, or of that whole release for who is in no group; "
        "it counts for at most one in m of the people."
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
    matrix_caption=_(
        "Accuracy over the baseline, attackers down, attacked teams across; grey is a team's own releases or "
        "a target without a guess. The numbers are in the table below."
    ),
    matrix_picture=_("Heat map of the accuracy over the baseline; the table below has the numbers"),
    matrix_legend=_(
        "A dash is a target without a valid guess, which counts 0; a team's own releases are left out. A "
        "rate of 0 is no better than the baseline."
    ),
    own=_("own releases"),
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
        "The risk of a person: of the rows of the last release in its life whose box holds it, those stay "
        "whose value such rows have in every release of that life; the share of the true value among them."
    ),
    "worlds": _(
        "The risk of a person: of all the ways in which people and counterfeits can have the rows, each "
        "person one value through its life, the share in which the person has its true value."
    ),
    "worlds-counterfeit-known": _(
        "The risk of a person: of all the ways in which people and counterfeits, whose number in each group "
        "is known, can have the rows, each person one value through its life, the share in which the person "
        "has its true value."
    ),
    "m-invariance": _(
        "The risk of a person: of all the ways in which people and counterfeits can have the rows, each "
        "person one value and one signature through its life, the share in which the person has its true "
        "value."
    ),
}
"""What the risk measures of a series measure, by the definition that the rules choose."""
BOUND = _("Here m = %(m)d, so 1/m = %(bound)s.")


def risks(ruleset: Ruleset) -> str:
    """What the risk measures of a series measure, by the definition of the rules."""
    spec = ruleset.sequential
    if spec is None:
        return ""
    bound = f"{100 / spec.m:.2f} %"
    return f"{RISKS[spec.definition]} {str(BOUND) % {'m': spec.m, 'bound': bound}}"
