# SPDX-License-Identifier: Apache-2.0
"""Charts of boards. What `boards.js` draws are numbers and texts in the reader's language, nothing to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.formats import ROUNDS
from pwscup.leaderboards.boards.texts import SCORE_TITLES, kind_of, title_of
from pwscup.leaderboards.pictures.scatter import scatter_of

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

Section = Mapping[str, Any]


def trade_off(section: Section, rules: Ruleset) -> dict[str, Any] | None:
    """Utility against safety, drawn by the server."""
    picture = scatter_of(section, rules)
    return None if picture is None else {"kind": "scatter", "picture": picture}


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


BY_SCRIPT: dict[str, Callable[[Section], dict[str, Any] | None]] = {
    "score": parts,
    "curve": budget_curve,
}
"""The charts that `boards.js` draws with ECharts."""
BY_SERVER: dict[str, Callable[[Section, Ruleset], dict[str, Any] | None]] = {
    "anonymization": trade_off,
}


def chart_of(name: str, section: Section, rules: Ruleset) -> dict[str, Any] | None:
    """The chart of a board; None if it has none, or no data."""
    kind = kind_of(name, section)
    if kind in BY_SERVER:
        return BY_SERVER[kind](section, rules)
    return BY_SCRIPT[kind](section) if kind in BY_SCRIPT else None


def needs_script(name: str, section: Section) -> bool:
    """The chart of this board is drawn by a script."""
    return kind_of(name, section) in BY_SCRIPT
