"""The boards in words: their names, and what their totals are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pwscup.leaderboards.boards.attack_texts import attack_words, risk_words
from scoring.formulas import FORMULAS
from scoring.registry import ALL_MEASURES
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
PARTS = {
    "utility": gettext_lazy("Utility"),
    "protection": gettext_lazy("Protection"),
    "attack": gettext_lazy("Attack"),
    "presentation": gettext_lazy("Presentation"),
}
TIE_BREAKS = {**PARTS, "earlier": gettext_lazy("the earlier submission")}
UTILITY = gettext_lazy("100 × (1 − %(measure)s): what the data are still worth.")
PRESENTATION = gettext_lazy("the mean of the judges' marks, each the mean over the criteria.")


def of_section(name: str, section: Mapping[str, Any], rules: Ruleset) -> dict[str, Any]:
    """What the template of a board says beside its numbers."""
    return {
        "attack": attack_words(rules),
        "risks": _risks(section, rules),
        **_of_board(name, section, rules),
    }


def _of_board(name: str, section: Mapping[str, Any], rules: Ruleset) -> dict[str, Any]:
    if name == "season":
        return {"stages": _stages(section), "hides_table": rules.disclosure is not None}
    if name == "anonymization":
        return {"weighted": weighted_measures(rules)}
    if name in ("comparison", "estimates", "curve"):
        return _of_estimates(section, rules)
    if name != "score":
        return {}
    return {
        "formula": _(FORMULAS[section["formula"]].title),
        "settings": _settings(section),
        "parts": _parts(section, rules),
        "missing": _missing(section, rules),
        "tie_breaks": [str(TIE_BREAKS[name]) for name in section["tie_breaks"]],
    }


def _of_estimates(section: Mapping[str, Any], rules: Ruleset) -> dict[str, Any]:
    """The rounds about a hidden table, each with its own of the board's rows."""
    return {
        "rounds": [
            {
                "title": round_title(round),
                "epsilon": round["epsilon"],
                "rows": [row for row in section["rows"] if row.get("round") == round["key"]],
            }
            for round in section["rounds"]
        ],
        "weighted": weighted_measures(rules),
        "tie_breaks": [str(TIE_BREAKS[name]) for name in section.get("tie_breaks", [])],
    }


def round_title(round: Mapping[str, Any]) -> str:
    """The title of a round that a board names, in the reader's language."""
    return localized(round["title"], get_language() or "en")


def _risks(section: Mapping[str, Any], rules: Ruleset) -> str:
    """What the risk measures on a board measure, where their titles do not say so."""
    families = {ALL_MEASURES[id_].family for id_ in section.get("measures", [])}
    return risk_words(rules) if "risk" in families else ""


def _parts(section: Mapping[str, Any], rules: Ruleset) -> list[dict[str, Any]]:
    said = attack_words(rules)
    meanings = {
        "utility": str(UTILITY) % {"measure": rules.ranking.utility_measure},
        "protection": said.protection,
        "attack": said.attack,
        "presentation": PRESENTATION,
    }
    return [
        {"key": part, "title": PARTS[part], "meaning": meanings[part]} for part in section["parts"]
    ]


def _settings(section: Mapping[str, Any]) -> str:
    """The numbers that an organizer chose, with their meaning."""
    formula = FORMULAS[section["formula"]]
    return ", ".join(
        f"{_(setting.description)} {_plain(section['settings'][setting.name])}"
        for setting in formula.settings
    )


def _plain(number: float) -> str:
    """A number as people write it: without a fraction where it has none."""
    return number_format(int(number) if float(number).is_integer() else number)


def _stages(section: Mapping[str, Any]) -> list[dict[str, Any]]:
    language = get_language() or "en"
    return [
        {
            "title": localized(stage["title"], language),
            "weight": _plain(stage["weight"]),
            "shown": stage["shown"],
        }
        for stage in section["stages"]
    ]


def _missing(section: Mapping[str, Any], rules: Ruleset) -> str:
    """What rounds that are not over will add; built-in attacks stand for the teams' protection."""
    stands_in = {"protection"} if section["is_built_in"] else set()
    names = {
        "protection": _("protection from the teams' attacks"),
        "attack": attack_words(rules).attacks_missing,
        "presentation": _("presentation"),
    }
    return ", ".join(str(names[part]) for part in section["missing"] if part not in stands_in)


def weighted_measures(rules: Ruleset) -> str:
    """The measures that do not weigh 1 among those of their heading, such as "U1 × 3"."""
    heavy = [
        f"{measure} × {_plain(rules.weights[measure])}"
        for measure in (*rules.ranking.utility, *rules.ranking.safety)
        if rules.weights[measure] != 1
    ]
    return ", ".join(heavy)


def stage_title(rules: Ruleset, key: str) -> str | _StrPromise:
    """The name of a stage in the reader's language, or of the season where there is no key."""
    if not key:
        return TITLES["season"]
    titles = {
        stage.key: stage.title for stage in rules.stages
    }  # those of today may name it no more
    return localized(titles[key], get_language() or "en") if key in titles else key
