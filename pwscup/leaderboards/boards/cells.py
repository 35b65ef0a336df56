# SPDX-License-Identifier: Apache-2.0
"""A board as data: columns and rows of cells, for pages, reports and downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _

from pwscup.core.templatetags.pwscup import measure, percent
from pwscup.leaderboards.boards.medals import has_medals

NOTHING = "–"
NUMBER, RATE, MEASURE, TEXT = "number", "rate", "measure", "text"
"""The kinds of cells that reports format from exact values, and texts."""


@dataclass(frozen=True, slots=True)
class Column:
    """The header of a column, and its headers in downloads.

    `below` is a second line, `brief` replaces the title in reports.
    """

    title: str
    exports: tuple[str, ...] = ()
    css: str = "num"
    arrow: str = ""
    better: str = ""
    below: str = ""
    hint: str = ""
    brief: str = ""
    is_measure: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as shown on pages, with its values for downloads.

    `mark` explains an asterisk, `rank` is shown in brackets, `by` names the owner of the value, and `full` has the
    digits that `text` leaves out.
    """

    text: str
    exports: tuple[Any, ...] = ()
    kind: str = TEXT
    value: Any = None
    css: str = "num"
    mark: str = ""
    rank: int | None = None
    is_rank_below: bool = False
    by: str = ""
    full: str = ""
    is_muted: bool = False


class Rate(NamedTuple):
    """A cell of an attack matrix: there may be 40,000 of them."""

    rate: float | None
    is_own: bool

    @property
    def exports(self) -> tuple[float | None]:
        return (self.rate,)


@dataclass(frozen=True, slots=True)
class Line:
    """A row with its header: a team, or a built-in attack without a team.

    Missing cells at the end are empty; pages highlight an `is_empty` line.
    """

    name: str
    exports: tuple[Any, ...]
    cells: Sequence[Cell | Rate]
    team: int | None = None
    rank: int | None = None
    house: bool = False
    is_empty: bool = False
    last_exports: tuple[Any, ...] = ()
    interval: Mapping[str, Any] | None = None

    @property
    def ranks(self) -> str:
        """The ranks that the data admit, "2–9"; nothing where there is one only."""
        return ranks_of(self.interval)

    @property
    def verdict(self) -> str:
        """The same as a sentence."""
        return verdict_of(self.rank, self.interval)


@dataclass(frozen=True, slots=True)
class Board:
    """The table of a board.

    `exports` are the headers in downloads of the columns before its own, `last_exports` those of additional
    columns after them.
    """

    columns: Sequence[Column]
    rows: Sequence[Line]
    exports: tuple[str, ...] = ("rank", "team", "house_team")
    last_exports: tuple[str, ...] = ()
    is_ranked: bool = True

    @property
    def has_medals(self) -> bool:
        """The first three places are coloured."""
        return has_medals(row.rank for row in self.rows)


def ranks_of(interval: Mapping[str, Any] | None) -> str:
    """The ranks that the data admit, "2–9"; nothing where they are not known, or there is one only."""
    if interval is None or interval["rank_low"] == interval["rank_high"]:
        return ""
    return f"{interval['rank_low']}\u2013{interval['rank_high']}"


def verdict_of(rank: int | None, interval: Mapping[str, Any] | None) -> str:
    """A sentence about a rank: the ranks that the data admit, and from whom the team cannot be distinguished."""
    ranks = ranks_of(interval)
    if rank is None or interval is None or not ranks:
        return ""
    said = {"rank": rank, "ranks": ranks, "rival": interval["rival"]}
    if interval["rival"] == rank:
        return _("Rank %(rank)s (%(ranks)s), shared.") % said
    if interval["separable"]:
        return _("Rank %(rank)s (%(ranks)s), separable from no. %(rival)s.") % said
    return _("Rank %(rank)s (%(ranks)s), not separable from no. %(rival)s.") % said


# Headers


def directed(title: str, exports: tuple[str, ...], direction: str, css: str = "num") -> Column:
    """The header of a column in which the lower or the higher value is better."""
    if direction == "lower":
        return Column(title, exports, css, "↓", _("lower is better"))
    return Column(title, exports, css, "↑", _("higher is better"))


# Cells


def count(value: int, mark: str = "") -> Cell:
    """An integer, such as a rank."""
    return Cell(str(value), (value,), mark=mark)


def number(value: float | None, *, css: str = "num") -> Cell:
    """A number with two digits."""
    text = NOTHING if value is None else floatformat(value, 2)
    return Cell(text, (value,), NUMBER, value, css)


def rate(value: float | None, *, css: str = "num") -> Cell:
    """A rate from 0 to 1 in per cent."""
    return Cell(percent(value), (value,), RATE, value, css)


def measured(value: float | None, *, css: str = "num") -> Cell:
    """A measure with its own number of digits."""
    return Cell(measure(value), (value,), MEASURE, value, css)
