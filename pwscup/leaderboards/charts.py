"""Data of `boards.js`: numbers and texts in the reader's language, without further computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.formats import ROUNDS
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from pwscup.leaderboards.boards.heat import top_of
from pwscup.leaderboards.boards.texts import SCORE_TITLES, kind_of, title_of

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

Section = Mapping[str, Any]


def trade_off(section: Section) -> dict[str, Any] | None:
    """Utility rank against safety rank, a point for each team."""
    points = [
        {
            "name": row["name"],
            "rank": row["rank"],
            "x": row["utility_rank"],
            "y": row["safety_rank"],
            "house": row["house"],
            "team": row["team"],
        }
        for row in section["rows"]
        if row["submitted"]
    ]
    if not points:
        return None
    return {
        "kind": "trade-off",
        "points": points,
        "max": len(section["rows"]),
        "x_label": _("Utility rank (1 is best)"),
        "y_label": _("Safety rank (1 is best)"),
        "team": _("Team"),
        "house": _("Baseline team"),
        "mine": _("Your team"),
    }


def heat_map(section: Section, rate: str) -> dict[str, Any] | None:
    """The texts of a picture of the matrix; the rates are in the table below it."""
    if not section["defenders"]:
        return None
    return {
        "kind": "heat-map",
        "x_label": _("Attacked team"),
        "y_label": _("Attacker"),
        "value": rate,
        "none": _("no rate"),
        "top": top_of(section),
    }


def parts(section: Section) -> dict[str, Any] | None:
    """The components of the totals: a weighted sum as stacked points, other formulas component by component."""
    rows = [row for row in section["rows"] if row["submitted"]]
    weights = _weights(section, rows)
    series = [
        {
            "name": str(SCORE_TITLES[part]),
            "values": [_scaled(row["cells"][column]["value"], weights.get(part)) for row in rows],
        }
        for column, part in enumerate(section["parts"])
        if any(row["cells"][column]["value"] is not None for row in rows)
    ]
    if not series:
        return None
    return {
        "kind": "parts",
        "teams": [row["name"] for row in rows],
        "series": series,
        "stacked": bool(weights),
        "x_label": _("Points of the total") if weights else _("Points, 0 to 100"),
        "none": _("no value"),
        "words": _("A bar for each team, its parts by their weights.")
        if weights
        else _("Bars for each team, one for each part."),
    }


def _weights(section: Section, rows: list[Mapping[str, Any]]) -> dict[str, float]:
    """The share of each component in a weighted sum; empty for other formulas, and if one is hidden."""
    if section["formula"] != "weighted-sum" or any(c["hidden"] for r in rows for c in r["cells"]):
        return {}
    known = {
        cell["part"]: section["settings"][cell["part"]]
        for row in rows
        for cell in row["cells"]
        if cell["value"] is not None
    }
    whole = sum(known.values())
    return {part: weight / whole for part, weight in known.items()} if whole else {}


def _scaled(value: float | None, weight: float | None) -> float | None:
    return value if value is None or weight is None else round(value * weight, 9)


def budget_curve(section: Section) -> dict[str, Any] | None:
    """Distance against ε: a point for each estimate by round, and the theoretical curve."""
    if not section["rows"]:
        return None
    known = [row["value"] for row in section["rows"] if row["value"] > 0]
    floor = min(known, default=1) / 2  # the position of exact results on a logarithmic axis
    series = [
        {
            "name": title_of(round),
            "is_batch": ROUNDS[round["kind"]].is_release,
            "points": [
                {
                    "team": row["name"],
                    "x": float(row["epsilon"]),
                    "y": row["value"] or floor,
                    "words": f"ε {row['epsilon']}, L2 {row['value']:.6g}",
                    "counts": row["counts"],
                    "id": row.get("team"),
                }
                for row in section["rows"]
                if row["round"] == round["key"]
            ],
        }
        for round in section["rounds"]
    ]
    return {
        "kind": "budget",
        "series": [one for one in series if one["points"]],
        "line": section["line"],
        "formula": _("the table asked for once"),
        "x_label": _("ε spent when the estimate arrived"),
        "y_label": _("L2, in records"),
    }


CHARTS: dict[str, Callable[[Section], dict[str, Any] | None]] = {
    "anonymization": trade_off,
    "score": parts,
    "curve": budget_curve,
}


def chart_of(name: str, section: Section, rules: Ruleset) -> dict[str, Any] | None:
    """The chart of a board; None if it has none, or no data."""
    kind = kind_of(name, section)
    if kind == "matrix":
        return heat_map(section, str(attack_texts_of(rules).rate))
    return CHARTS[kind](section) if kind in CHARTS else None
