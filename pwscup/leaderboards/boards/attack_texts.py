# SPDX-License-Identifier: Apache-2.0
"""Texts of boards and reports about attacks: on tables whose records are re-identified, or on series of
releases from which sensitive values are guessed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from pwscup.formats import format_of

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from scoring.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class AttackTexts:
    """Complete sentences, so that each language can choose its own word order.

    `rate` is the result of a guess, `explained` its definition if the name does not explain it.
    """

    rate: _StrPromise
    rates: _StrPromise
    # Headers of columns, short
    guess_rate: _StrPromise
    worst_rate: _StrPromise
    mean_rate: _StrPromise
    percent: _StrPromise
    explained: _StrPromise | str
    # The time of publication, before it
    anonymization_hidden: _StrPromise
    measures_hidden: _StrPromise
    score_hidden: _StrPromise
    nothing_attacked: _StrPromise
    # Captions and legends
    anonymization_legend: _StrPromise
    measures_caption: _StrPromise
    attack_caption: _StrPromise
    attack_legend: _StrPromise
    matrix_legend: _StrPromise
    own: _StrPromise
    # The screen for a projector
    first_success: _StrPromise
    # The rank of a submission
    worst: _StrPromise
    # Parts of a total
    protection: _StrPromise
    attack: _StrPromise
    attacks_missing: _StrPromise
    # Final reports
    report_matrix: _StrPromise
    report_picture: _StrPromise
    by_attacker: _StrPromise


TABLE_ATTACKS = AttackTexts(
    rate=_("Re-identification rate"),
    rates=_("Re-identification rates"),
    guess_rate=pgettext_lazy("re-identification", "Rate"),
    worst_rate=pgettext_lazy("re-identification", "Worst rate"),
    mean_rate=pgettext_lazy("re-identification", "Mean rate"),
    percent=_("Re-identification rate in per cent"),
    explained="",
    anonymization_hidden=_(
        "The anonymization board is shown when the anonymization round has closed."
    ),
    measures_hidden=_("The measures are shown when the anonymization round has closed."),
    score_hidden=_("The board is shown when the anonymization round has closed."),
    nothing_attacked=_("No table has been attacked yet."),
    anonymization_legend=_(
        "Ranks in brackets; the best value of each measure is bold. Utility rank = mean of the ranks on the "
        "utility measures. Safety rank = mean of the ranks on the safety measures and on the worst "
        "re-identification rate, which includes the other teams' attacks once the attack round has closed. "
        "Total = mean of both; lower wins."
    ),
    measures_caption=_("Measures of every team's table"),
    attack_caption=_("Attack board: mean re-identification rate over the other teams, higher wins"),
    attack_legend=_(
        "↑ higher is better. Mean re-identification rate over the tables of the other teams; a target "
        "without a valid guess counts 0."
    ),
    matrix_legend=_(
        "A dash is a target without a valid guess, which counts 0; a team's own table is left out."
    ),
    own=_("own table"),
    first_success=_("First re-identification: %(team)s, by %(attacker)s"),
    worst=_(
        "The safety rank is the mean of the ranks on the safety measures and on the worst "
        "re-identification rate, %(rate)s (rank %(rank)s)."
    ),
    protection=_(
        "100 − the highest re-identification rate that another team reached, in per cent."
    ),
    attack=_(
        "the mean re-identification rate over the other teams' tables, in per cent; a table without "
        "a valid guess counts 0."
    ),
    attacks_missing=_("attacks on the other teams' tables"),
    report_matrix=_(
        "Re-identification rates in per cent, attackers down, attacked teams across: the darker, the "
        "more records were re-identified. × is a team's own table; an empty cell has no guess."
    ),
    report_picture=_(
        "Re-identification rates by attacker and attacked team; the table has the numbers."
    ),
    by_attacker=_(
        "By attacker: the mean over the other teams' tables, and as a line the best rate."
    ),
)


TABLE_ANSWERS = replace(
    TABLE_ATTACKS,
    rate=_("Success rate"),
    rates=_("Success rates"),
    guess_rate=_("Rate"),
    worst_rate=_("Worst rate"),
    mean_rate=_("Mean rate"),
    percent=_("Success rate in per cent"),
    anonymization_legend=_(
        "Ranks in brackets; the best value of each measure is bold. Utility rank = mean of the ranks on the "
        "utility measures. Safety rank = mean of the ranks on the safety measures and on the worst success "
        "rate, which includes the other teams' attacks once the attack round has closed. Total = mean of both; "
        "lower wins."
    ),
    attack_caption=_("Attack board: mean success rate over the other teams, higher wins"),
    attack_legend=_(
        "↑ higher is better. Mean success rate over the tables of the other teams; a target without a valid "
        "guess counts 0."
    ),
    first_success=_("First successful attack: on %(team)s, by %(attacker)s"),
    worst=_(
        "The safety rank is the mean of the ranks on the safety measures and on the worst success rate, %(rate)s "
        "(rank %(rank)s)."
    ),
    protection=_("100 − the highest success rate that another team reached, in per cent."),
    attack=_(
        "the mean success rate over the other teams' tables, in per cent; a table without a valid guess counts 0."
    ),
    report_matrix=_(
        "Success rates in per cent, attackers down, attacked teams across: the darker, the more answers were "
        "right. × is a team's own table; an empty cell has no guess."
    ),
    report_picture=_("Success rates by attacker and attacked team; the table has the numbers."),
)
"""Membership or values are guessed: what is right is no re-identification."""


def attack_texts_of(rules: Ruleset) -> AttackTexts:
    """The texts about attacks under these rules."""
    return format_of(rules).boards.attack(rules)


def risk_text(rules: Ruleset) -> str:
    """The meaning of risk measures under these rules; it may be empty."""
    return format_of(rules).boards.risks(rules)
