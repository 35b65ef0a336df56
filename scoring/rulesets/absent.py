# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for measures and formulas that stored rules name and no installed package has any more.

With them the pages of a contest are shown as before, while scoring says what is missing.
"""

from __future__ import annotations

from typing import Any

from scoring.errors import gettext_noop as _
from scoring.formulas import FORMULAS, OF_LISTED, OFFICIAL, Formula
from scoring.registry import ALL_MEASURES, MEASURES, Measure


def measure(id_: str, direction: str) -> Measure:
    """A measure of which only the identifier is known, and the direction in which the rules have it."""
    found = Measure(
        id=id_,
        name=id_,
        title=id_,
        summary=_("A measure of a plugin that is not installed."),
        address="scoring.rulesets.absent:not_installed",
        family="utility",
        direction=direction,
        low=0.0,
        high=1.0,
        best="–",
        worst="–",
        is_absent=True,
    )
    for registry in (MEASURES, ALL_MEASURES):
        registry.stand_ins[id_] = found
    return found


def formula(id_: str) -> Formula:
    """A formula of which only the identifier is known: no team has a total."""
    found = Formula(id_, id_, "higher", (), (), no_totals)
    for registry in (FORMULAS, OFFICIAL, OF_LISTED):
        registry.stand_ins[id_] = found
    return found


def not_installed(*_given: Any) -> None:
    """A measure of a plugin that is not installed: it has no definition here, and no value."""


def no_totals(scores: Any, _settings: Any) -> dict[Any, None]:
    """No total of any team, as the plugin of the formula is not installed."""
    return dict.fromkeys(scores.teams)
