# SPDX-License-Identifier: Apache-2.0
"""Texts of boards: their names, and the components of their totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pwscup.contests.rules.own_measures import utility_formula
from pwscup.core.texts.foreign import translated
from pwscup.core.texts.parts import listed, named
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from scoring.formulas import OF_LISTED
from scoring.formulas.base import PARTS
from scoring.rulesets import Ruleset, localized

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

TITLES = {
    "overall": gettext_lazy("Overall"),
    "anonymization": gettext_lazy("Anonymization"),
    "attack": gettext_lazy("Attack"),
    "score": gettext_lazy("Scores"),
    "measures": gettext_lazy("Measures"),
    "matrix": gettext_lazy("Attack matrix"),
    "comparison": gettext_lazy("Comparison"),
    "estimates": gettext_lazy("Rounds"),
    "curve": gettext_lazy("Budget curve"),
    "season": gettext_lazy("Season"),
}
ALL_TEAMS = gettext_lazy("All teams")
SCORE_TITLES = {
    "utility": gettext_lazy("Utility"),
    "protection": gettext_lazy("Protection"),
    "attack": gettext_lazy("Attack"),
    "presentation": gettext_lazy("Presentation"),
}
TIE_BREAKS = {
    **SCORE_TITLES,
    "earlier": gettext_lazy("the earlier submission"),
    "lowest-rates": gettext_lazy("the lowest rates of its attacks"),
    "final": gettext_lazy("the rank in the last stage"),
}
WORDS = {
    "protection": gettext_lazy("protection"),
    "total": gettext_lazy("total"),
    "worst": gettext_lazy("the worst rate against it"),
    "left_out": gettext_lazy("left out"),
    "zero": gettext_lazy("0"),
    "next": gettext_lazy("the next best table"),
    "mean": gettext_lazy("mean"),
    "sum": gettext_lazy("sum"),
    "tail": gettext_lazy("binomial tail"),
    "union": gettext_lazy("union bound"),
}
"""The words that a setting may be."""
BASELINES = {
    "built-in": gettext_lazy("the built-in attacks"),
    "house": gettext_lazy("the baseline teams of the platform"),
}
UTILITY = gettext_lazy("%(formula)s: the remaining utility of the data.")
PRESENTATION = gettext_lazy("the mean of the judges' grades, each the mean over the criteria.")


def board_title(name: str, rules: Ruleset) -> str:
    """The name of a board, in the reader's language; that of a list has its own."""
    specs = {spec.key: spec for spec in rules.boards}
    of_season = name == "season" or name.startswith("season-")
    key = name.removeprefix("season").removeprefix("-") or (rules.boards[0].key if specs else "")
    spec = specs.get(key if of_season else name)
    if spec is None:
        return str(TITLES[name])
    title = localized(spec.title, get_language() or "en")
    return _("Season: %(board)s") % {"board": title} if of_season else title


def kind_of(name: str, section: Mapping[str, Any]) -> str:
    """The kind of a board: its name, unless it is one of a list."""
    return str(section.get("kind", name))


def tie_break(name: str, rules: Ruleset) -> str:
    """A tie-break, or the board whose rank it is."""
    if name in TIE_BREAKS:
        return str(TIE_BREAKS[name])
    return _("the rank on “%(board)s”") % {"board": board_title(name, rules)}


def title_of(part: Mapping[str, Any]) -> str:
    """The title of a round or stage on a board, in the reader's language."""
    return localized(part["title"], get_language() or "en")


def parts(section: Mapping[str, Any], rules: Ruleset) -> list[tuple[str, str]]:
    """The components of a total, with their meaning."""
    said = attack_texts_of(rules)
    meanings = {
        "utility": str(UTILITY) % {"formula": utility_formula(rules.ranking)},
        "protection": said.protection,
        "attack": said.attack,
        "presentation": PRESENTATION,
    }
    return [(str(SCORE_TITLES[part]), str(meanings[part])) for part in section["parts"]]


def formula_title(section: Mapping[str, Any]) -> str:
    """The formula of a total."""
    return translated(OF_LISTED[section["formula"]].title)


def settings(section: Mapping[str, Any]) -> str:
    """The numbers chosen by an organizer, with their meaning; a part that weighs 0 is no part of the total."""
    formula = OF_LISTED[section["formula"]]
    return listed(
        named(translated(setting.description), plain(section["settings"][setting.name]))
        for setting in formula.settings
        if setting.name not in PARTS or section["settings"][setting.name]
    )


def plain(number: float | str) -> str:
    """A number without an unnecessary fraction, or one of the words that a setting may be."""
    if isinstance(number, str):
        return str(WORDS.get(number, number))
    return number_format(int(number) if float(number).is_integer() else number)


def missing(section: Mapping[str, Any], rules: Ruleset) -> str:
    """The components that rounds in progress will add; until then built-in attacks replace the teams' protection."""
    stands_in = {"protection"} if section["is_built_in"] else set()
    names = {
        "protection": _("protection from the teams' attacks"),
        "attack": attack_texts_of(rules).attacks_missing,
        "presentation": _("presentation"),
    }
    return listed(names[part] for part in section["missing"] if part not in stands_in)


def weighted_measures(rules: Ruleset) -> str:
    """The measures with weights other than 1 among those of their heading, such as "U1 × 3"."""
    heavy = [
        f"{measure} × {plain(rules.weights[measure])}"
        for measure in (*rules.ranking.utility, *rules.ranking.safety)
        if rules.weights[measure] != 1
    ]
    return listed(heavy)


def stage_title(rules: Ruleset, key: str) -> str | _StrPromise:
    """The name of a stage in the reader's language, or of the season without a key."""
    if not key:
        return TITLES["season"]
    titles = {
        stage.key: stage.title for stage in rules.stages
    }  # the current rules may not name it any more
    return localized(titles[key], get_language() or "en") if key in titles else key
