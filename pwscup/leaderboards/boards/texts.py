"""Texts of boards: their names, and the components of their totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pwscup.core.texts.parts import listed
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from scoring.formulas import FORMULAS
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
TIE_BREAKS = {**SCORE_TITLES, "earlier": gettext_lazy("the earlier submission")}
UTILITY = gettext_lazy("100 × (1 − %(measure)s): the remaining utility of the data.")
PRESENTATION = gettext_lazy("the mean of the judges' grades, each the mean over the criteria.")


def title_of(part: Mapping[str, Any]) -> str:
    """The title of a round or stage on a board, in the reader's language."""
    return localized(part["title"], get_language() or "en")


def parts(section: Mapping[str, Any], rules: Ruleset) -> list[tuple[str, str]]:
    """The components of a total, with their meaning."""
    said = attack_texts_of(rules)
    meanings = {
        "utility": str(UTILITY) % {"measure": rules.ranking.utility_measure},
        "protection": said.protection,
        "attack": said.attack,
        "presentation": PRESENTATION,
    }
    return [(str(SCORE_TITLES[part]), str(meanings[part])) for part in section["parts"]]


def formula_title(section: Mapping[str, Any]) -> str:
    """The formula of a total."""
    return _(FORMULAS[section["formula"]].title)


def settings(section: Mapping[str, Any]) -> str:
    """The numbers chosen by an organizer, with their meaning; a part that weighs 0 is no part of the total."""
    formula = FORMULAS[section["formula"]]
    return listed(
        f"{_(setting.description)} {plain(section['settings'][setting.name])}"
        for setting in formula.settings
        if setting.name not in PARTS or section["settings"][setting.name]
    )


def plain(number: float) -> str:
    """A number without an unnecessary fraction."""
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
