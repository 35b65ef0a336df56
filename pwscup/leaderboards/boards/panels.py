# SPDX-License-Identifier: Apache-2.0
"""A board on a page: its tables, or the reason why there are none yet, and its legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.formats import format_of
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from pwscup.leaderboards.boards.heat import top_of
from pwscup.leaderboards.boards.legends import Legend, legend_of
from pwscup.leaderboards.boards.tables import by_round, table_of
from pwscup.leaderboards.boards.texts import board_title, kind_of, title_of

if TYPE_CHECKING:
    from pwscup.leaderboards.boards.cells import Board
    from scoring.rulesets import Ruleset

Section = Mapping[str, Any]
OF_A_ROUND = ("anonymization", "measures", "score", "attack", "matrix")
"""The boards that never appear if the contest lacks their round."""
SCORED = ("anonymization", "score", "comparison", "estimates")
"""The boards that show the number of teams while none has a value."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with its title."""

    title: str
    table: Board
    note: str = ""
    title_id: str = "board-title"


@dataclass(frozen=True, slots=True)
class Panel:
    """Sheets with a legend, or a message in their place; if it `is_split`, all sheets share one legend.

    For a matrix, `own` names a team's own cell and `top` is the per cent at the end of its color scale.
    """

    hidden: str = ""
    empty: str = ""
    is_unscored: bool = False
    sheets: tuple[Sheet, ...] = ()
    legend: Legend | None = None
    is_split: bool = False
    own: str = ""
    top: int = 0

    @property
    def ranked(self) -> Board | None:
        """The table with places; matrices and curves have none."""
        sheets = [sheet.table for sheet in self.sheets if sheet.table.is_ranked]
        return None if self.own or not sheets else sheets[0]

    @property
    def table_ids(self) -> str:
        """The tables that have the values of the panel's chart."""
        return " ".join(f"{sheet.title_id}-table" for sheet in self.sheets)


def panel_of(name: str, section: Section, rules: Ruleset) -> Panel:
    """A board as the page shows it, in the reader's language."""
    hidden = _hidden(name, section, rules)
    if hidden and not (name == "matrix" and section["rows"]):
        return Panel(hidden)
    if kind_of(name, section) in SCORED and not _has_values(section):
        return Panel(is_unscored=True)
    if empty := _empty(name, section, rules):
        return Panel(empty=empty)
    panel = Panel(
        hidden,
        sheets=tuple(_sheets(name, section, rules)),
        legend=legend_of(name, section, rules),
        is_split=name == "estimates",
    )
    if name != "matrix":
        return panel
    return replace(panel, own=str(attack_texts_of(rules).own), top=top_of(section))


def _sheets(name: str, section: Section, rules: Ruleset) -> Iterator[Sheet]:
    """One table, or one for each round about a hidden table."""
    if name == "estimates":
        for n, (round, own) in enumerate(by_round(section), 1):
            note, title_id = f"ε {round['epsilon']}", f"round-title-{n}"
            yield Sheet(title_of(round), table_of(name, own), note, title_id)
        return
    said = attack_texts_of(rules)
    titles = {"matrix": said.percent, "curve": _("Estimates by ε")}
    yield Sheet(str(titles.get(name, board_title(name, rules))), table_of(name, section, said))


def _has_values(section: Section) -> bool:
    return any(row.get("submitted", True) for row in section["rows"])


def _hidden(name: str, section: Section, rules: Ruleset) -> str:
    """The time of publication, before it; the score board shows known values earlier."""
    name = kind_of(name, section)
    has_round = section["exists"] or name not in OF_A_ROUND
    if section["shown"] or not has_round or (name == "score" and _has_values(section)):
        return ""
    said = attack_texts_of(rules)
    of_release = {
        "anonymization": said.anonymization_hidden,
        "measures": said.measures_hidden,
        "score": said.score_hidden,
    }
    return str(of_release.get(name) or _hidden_until(rules)[name])


def _hidden_until(rules: Ruleset) -> dict[str, str]:
    attacked = _("The season's board is shown when the attack round of a stage has closed.")
    estimated = _(
        "The season's board is shown when the last round about the hidden table has closed."
    )
    return {
        "overall": _("The overall board is shown when the attack round has closed."),
        "attack": _("The attack board is shown when the attack round has closed."),
        "matrix": _("The teams' attacks are shown when the attack round has closed."),
        "comparison": _(
            "The comparison is shown when the last round about the hidden table has closed."
        ),
        "estimates": _(
            "The boards are shown when the last round about the hidden table has closed."
        ),
        "curve": _(
            "The budget curve is shown when the last round about the hidden table has closed."
        ),
        "season": estimated if format_of(rules).hides_table else attacked,
    }


def _empty(name: str, section: Section, rules: Ruleset) -> str:
    """The reason why a published board has no table."""
    name = kind_of(name, section)
    if name == "attack" and not section["exists"]:
        return _("This contest has no attack round.")
    if name == "curve" and section["hidden"]:
        return _("The organizers hide the distances, on which this curve is based.")
    if section["measures" if name == "measures" else "rows"]:
        return ""
    if name == "matrix":
        return str(attack_texts_of(rules).nothing_attacked)
    if name in ("measures", "curve"):
        return _("No submission has been scored yet.")
    return _("No team has entered yet.")
