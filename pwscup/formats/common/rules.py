# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest with one table for all teams, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from pwscup.contests.rules import measures, ranking_texts
from pwscup.contests.rules.asked import only_links
from pwscup.contests.rules.texts import CELL_VALUES
from scoring import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.contests.rules.ranking_texts import Part
    from pwscup.formats.spec import Text
    from scoring.rulesets import RoundSpec, Ruleset

FAMILIES: Mapping[str, Text] = measures.FAMILIES
SHORT_FAMILIES: Mapping[str, Text] = measures.SHORT_FAMILIES
HEADLINE: tuple[str, ...] = ("U1", "U5", "S2")
ATTACK_BOARD = _(
    "mean re-identification rate over the tables of all other teams; the highest wins. "
    "A table without a valid guess counts 0, the team's own table does not count."
)
DATA: Text = _("All teams anonymize the same table.")


def parts(ruleset: Ruleset) -> Mapping[str, Part]:
    """Rates of re-identification, or of right answers."""
    return ranking_texts.SCORES if only_links(ruleset) else ranking_texts.GUESSED_SCORES


def formulas(ruleset: Ruleset) -> Mapping[str, Text]:
    """As of `parts`."""
    return ranking_texts.FORMULAS if only_links(ruleset) else ranking_texts.GUESSED_FORMULAS


def data(_ruleset: Ruleset) -> tuple[str, ...]:
    """The distribution of the organizer's table."""
    return (str(DATA),)


def contents(ruleset: Ruleset, deletions: tuple[str, ...]) -> tuple[str, ...]:
    """The allowed values of cells, and the allowed deletions."""
    return (str(CELL_VALUES[ruleset.validity.values]), *deletions)


def round_sentence(_ruleset: Ruleset, _spec: RoundSpec) -> str:
    """Empty: such rounds disclose nothing."""
    return ""


def asked(_ruleset: Ruleset) -> dict[str, Any]:
    """Empty: there are no requirements beyond those of the table."""
    return {}


def drawing(ruleset: Ruleset) -> tuple[str, ...]:
    """The measures that are always random."""
    return registry.drawing(map(ruleset.measure, ruleset.measures))


def risks(_ruleset: Ruleset) -> tuple[str, ...]:
    """Empty: such measures have no separate attacker."""
    return ()
