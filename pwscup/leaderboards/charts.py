"""What `boards.js` draws: numbers and words in the reader's language, nothing to compute there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

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
            "mine": row["mine"],
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
        "house": _("House team"),
        "mine": _("Your team"),
    }


def heat_map(section: Section) -> dict[str, Any] | None:
    """Rates by attacker and attacked team; a cell without a rate is null."""
    if not section["defenders"]:
        return None
    cells = [
        [x, y, cell["rate"]]
        for y, row in enumerate(section["rows"])
        for x, cell in enumerate(row["cells"])
    ]
    return {
        "kind": "heat-map",
        "attackers": [row["name"] for row in section["rows"]],
        "defenders": [column["name"] for column in section["defenders"]],
        "cells": cells,
        "x_label": _("Attacked team"),
        "y_label": _("Attacker"),
        "value": _("Re-identification rate"),
        "none": _("no rate"),
    }


CHARTS: dict[str, Callable[[Section], dict[str, Any] | None]] = {
    "anonymization": trade_off,
    "matrix": heat_map,
}
