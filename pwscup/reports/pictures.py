# SPDX-License-Identifier: Apache-2.0
"""The pictures of a final report: readable in grayscale, each with an alternative text and its numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np
from django.utils.translation import gettext as _

from scoring.reporting.pictures import BAR, INK, MUTED, WIDTH, WORST, Cell, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pwscup.leaderboards.pictures.scatter import Axis

PALE = "#dde5ee"
SHADES = ("#1d3a5f", "#4477aa", "#9db9d3", "#dde5ee")
HATCHES = ("", "///", "...", "xx")
MARKERS = ("D", "o", "s", "^")
MOST_LETTERS = 18
LETTERS_OF_ROUNDS = 32
MOST_NAMES = 12
"""With more teams a scatter plot shows ranks instead of names, which would overlap."""
LABEL_WIDTH, LABEL_HEIGHT = 0.14, 0.05
"""The room of a name in a scatter plot, as shares of the axes."""
MOST_NUMBERS = 12
"""A heat map with more columns has no numbers in its cells."""


def short(name: str, room: int = MOST_LETTERS) -> str:
    """A name shortened for pictures; a wide character counts as two."""
    for end, char in enumerate(name):
        room -= 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if room < 0:
            return f"{name[:end]}…"
    return name


@dataclass(frozen=True, slots=True)
class Span:
    """A named interval of time."""

    name: str
    start: datetime
    end: datetime


def timeline(spans: Sequence[Span], breaks: Sequence[Span], zone: ZoneInfo, *, alt: str) -> Picture:
    """Rounds as bars, one below the other, and time that did not count as hatched columns."""
    from matplotlib import dates

    def draw(axes: Axes) -> None:
        for row, span in enumerate(spans):
            left, right = dates.date2num([span.start, span.end])
            axes.barh(row, right - left, left=left, color=BAR, height=0.6)
        for stop in breaks:
            left, right = dates.date2num([stop.start, stop.end])
            axes.axvspan(left, right, facecolor="none", edgecolor=WORST, hatch="////", linewidth=0)
        axes.set_yticks(range(len(spans)), [short(span.name, LETTERS_OF_ROUNDS) for span in spans])
        axes.invert_yaxis()
        axes.xaxis_date(zone)
        locator = dates.AutoDateLocator(tz=zone, minticks=2, maxticks=5)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(dates.DateFormatter(_form(spans), tz=zone))
        axes.tick_params(axis="y", length=0)

    rows = [
        (*names, _minute(span.start, zone), _minute(span.end, zone))
        for names, span in (
            *(((span.name, ""), span) for span in spans),
            *((("", stop.name), stop) for stop in breaks),
        )
    ]
    head = [_("Round"), _("Interruption"), _("Began"), _("Ended")]
    return Picture(draw, (WIDTH, 0.8 + 0.42 * len(spans)), head, rows, alt, "timeline")


def _minute(moment: datetime, zone: ZoneInfo) -> str:
    """A moment in ISO 8601, to the minute."""
    return moment.astimezone(zone).isoformat(" ", "minutes")


def _form(spans: Sequence[Span]) -> str:
    first, last = min(s.start for s in spans), max(s.end for s in spans)
    days = (last - first).days
    return "%Y-%m" if days > 120 else "%m-%d" if days > 4 else "%m-%d %H:%M"


def arrivals(
    starts: Sequence[datetime],
    series: Sequence[tuple[str, Sequence[int]]],
    form: str,
    *,
    alt: str,
) -> Picture:
    """Submissions in each time step, stacked by final state."""

    def draw(axes: Axes) -> None:
        positions = np.arange(len(starts))
        below = np.zeros(len(starts))
        for (name, counts), shade, hatch in zip(series, SHADES[1:], HATCHES, strict=False):
            heights = np.asarray(counts)
            axes.bar(
                positions, heights, bottom=below, width=0.85, color=shade, hatch=hatch, label=name
            )
            below = below + heights
        step = max(1, -(-len(starts) // (24 // len(form) + 2)))  # long labels need more room
        axes.set_xticks(positions[::step], [moment.strftime(form) for moment in starts[::step]])
        axes.locator_params(axis="y", integer=True)
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(0, 1.25), ncols=len(series))

    columns = zip(*(counts for _name, counts in series), strict=True)
    moments = (start.isoformat(" ", "minutes") for start in starts)
    rows = [(moment, *counts) for moment, counts in zip(moments, columns, strict=True)]
    head = [_("Began"), *(name for name, _counts in series)]
    return Picture(draw, (WIDTH, 2.9), head, rows, alt, "arrivals")


def heat_map(
    attackers: Sequence[str],
    defenders: Sequence[str],
    rates: Sequence[Sequence[float | None]],
    own: Sequence[Sequence[bool]],
    *,
    axes_titles: tuple[str, str],
    top: int,
    alt: str,
    name: str,
) -> Picture:
    """Rates by attacker and attacked team: the darker, the higher; a cross is a team's own cell.

    `top` is the end of the color scale, in per cent.
    """
    values = np.array([[np.nan if r is None else 100 * r for r in row] for row in rates])
    n_rows, n_columns = values.shape

    def draw(axes: Axes) -> None:
        mesh = axes.pcolormesh(
            values, cmap="Blues", vmin=0, vmax=top, edgecolors="white", linewidth=1
        )
        axes.invert_yaxis()
        for row in range(n_rows):
            for column in range(n_columns):
                text = _in_cell(values[row, column], own[row][column], n_columns)
                ink = "white" if values[row, column] > 0.55 * top else INK
                axes.text(
                    column + 0.5, row + 0.5, text, ha="center", va="center", color=ink, size=9
                )
        axes.set_yticks(np.arange(n_rows) + 0.5, [short(n) for n in attackers])
        axes.set_xticks(np.arange(n_columns) + 0.5, [short(n) for n in defenders], rotation=90)
        axes.set_xlabel(axes_titles[0])
        axes.set_ylabel(axes_titles[1])
        axes.tick_params(length=0)
        scale = axes.figure.colorbar(mesh, ax=axes, label="%", shrink=0.8)
        assert scale.solids is not None
        scale.solids.set(rasterized=False, edgecolor="face")  # no nested raster image

    size = (max(WIDTH, 2.6 + 0.34 * n_columns), 2.2 + 0.34 * n_rows)
    rows = [
        (attacker, *("×" if is_own else rate for rate, is_own in zip(line, crossed, strict=True)))
        for attacker, line, crossed in zip(attackers, values.tolist(), own, strict=True)
    ]
    return Picture(draw, size, [axes_titles[1], *defenders], rows, alt, name)


def _in_cell(value: float, is_own: bool, n_columns: int) -> str:
    if is_own:
        return "×"
    return "" if np.isnan(value) or n_columns > MOST_NUMBERS else f"{value:.0f}"


@dataclass(frozen=True, slots=True)
class Point:
    """A team in a scatter plot, by safety and utility; the first rank is highlighted."""

    name: str
    rank: int | None
    x: float
    y: float

    @property
    def is_first(self) -> bool:
        return self.rank == 1


def scatter(
    points: Sequence[Point],
    across: Axis,
    up: Axis,
    front: Sequence[tuple[float, float]],
    *,
    alt: str,
    name: str,
) -> Picture:
    """A point for each team, and steps along the front; better values are to the right and above."""

    def draw(axes: Axes) -> None:
        for first, marker, colour, size in ((False, "o", BAR, 46), (True, "*", WORST, 150)):
            own = [p for p in points if p.is_first is first]
            axes.scatter(
                [p.x for p in own], [p.y for p in own], marker=marker, color=colour, s=size
            )
        for point in points:
            axes.annotate(
                short(point.name) if len(points) <= MOST_NAMES else str(point.rank or ""),
                (point.x, point.y),
                xytext=(6, -12 if _is_beside(point, points, across, up) else 4),
                textcoords="offset points",
                size=9,
                annotation_clip=False,
            )
        axes.set_xlim(*across.ends)
        axes.set_ylim(*up.ends)
        corners = [(across.ends[0], front[0][1]), *front, (front[-1][0], up.ends[0])]
        axes.step(*zip(*corners, strict=True), "--", where="pre", color=MUTED, zorder=1)
        axes.set_xticks(ticks := list(across.ticks()), list(map(across.text, ticks)))
        axes.set_yticks(ticks := list(up.ticks()), list(map(up.text, ticks)))
        axes.set_xlabel(across.title)
        axes.set_ylabel(up.title)
        axes.grid(color=PALE, linewidth=0.8)
        axes.set_axisbelow(True)

    rows = [(point.name, point.rank, point.x, point.y) for point in points]
    head = [_("Team"), _("Rank"), across.title, up.title]
    return Picture(draw, (WIDTH, 4.6), head, rows, alt, name)


def _is_beside(point: Point, points: Sequence[Point], across: Axis, up: Axis) -> bool:
    """Another point has its name where that of this one would stand: it stands below."""
    return any(
        0 < across.share(other.x) - across.share(point.x) < LABEL_WIDTH
        and abs(up.share(other.y) - up.share(point.y)) < LABEL_HEIGHT
        for other in points
    )


def curve(
    series: Sequence[tuple[str, Sequence[tuple[float, float, bool]]]],
    formula: tuple[str, Sequence[Sequence[float]]],
    titles: tuple[str, str],
    *,
    rows: Sequence[Sequence[Cell]],
    alt: str,
    name: str,
) -> Picture:
    """Points of several series, filled if they count, and a theoretical curve; the second axis is logarithmic.

    `rows` are the points with round, team, position and whether they count: exact ones are drawn above their place.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    def draw(axes: Axes) -> None:
        label, line = formula
        if line:
            axes.plot([x for x, _y in line], [y for _x, y in line], "--", color=MUTED, label=label)
        for n, (title, points) in enumerate(series):
            shade, marker = SHADES[n % 2], MARKERS[n % len(MARKERS)]
            own: dict[str, Any] = {"marker": marker, "s": 42, "edgecolors": shade}
            for counts in (False, True):
                found = [(x, y) for x, y, counting in points if counting is counts]
                axes.scatter(
                    [x for x, _y in found],
                    [y for _x, y in found],
                    color=shade if counts else "white",
                    label=title if counts else None,
                    zorder=3,
                    **own,
                )
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(left=0)
        axes.set_xlabel(titles[0])
        axes.set_ylabel(titles[1])
        axes.grid(color=PALE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.figure.legend(frameon=False, loc="outside upper left", ncols=2)

    label, line = formula
    head = [_("Round"), _("Team"), *titles, _("Counts")]
    drawn = [*rows, *((label, "", x, y, "") for x, y in line)]
    return Picture(draw, (WIDTH, 4.4), head, drawn, alt, name)


def bars(
    rows: Sequence[tuple[str, float, float | None]],
    title: str,
    head: tuple[str, str, str],
    *,
    alt: str,
    name: str,
) -> Picture:
    """A bar for each name, in per cent; the second number is shown as a line."""

    def draw(axes: Axes) -> None:
        positions = np.arange(len(rows))
        axes.barh(positions, [value for _n, value, _m in rows], color=BAR, height=0.62)
        marked = [(p, mark) for p, (_n, _v, mark) in enumerate(rows) if mark is not None]
        for position, mark in marked:
            axes.vlines(mark, position - 0.38, position + 0.38, color=INK, linewidth=2.4)
        axes.set_yticks(positions, [short(n) for n, _v, _m in rows])
        axes.invert_yaxis()
        axes.set_xlim(0, max(1.0, *(max(v, m or 0) for _n, v, m in rows)) * 1.06)
        axes.set_xlabel(title)
        axes.tick_params(axis="y", length=0)

    return Picture(draw, (WIDTH, 0.9 + 0.3 * len(rows)), head, rows, alt, name)


def stacked(
    teams: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    title: str,
    *,
    is_stacked: bool,
    alt: str,
    name: str,
) -> Picture:
    """The components of the totals: stacked in one bar for each team, or as separate bars."""
    thick = 0.66 if is_stacked else 0.78 / len(series)

    def draw(axes: Axes) -> None:
        positions = np.arange(len(teams), dtype=float)
        left = np.zeros(len(teams))
        for n, (part, values) in enumerate(series):
            widths = np.array([value or 0.0 for value in values])
            shift = 0 if is_stacked else (n - (len(series) - 1) / 2) * thick
            axes.barh(
                positions + shift,
                widths,
                left=left if is_stacked else 0,
                height=thick,
                color=SHADES[n % 4],
                hatch=HATCHES[n % 4],
                edgecolor="white",
                label=part,
            )
            left = left + widths
        axes.set_yticks(positions, [short(team) for team in teams])
        axes.invert_yaxis()
        axes.set_xlabel(title)
        axes.tick_params(axis="y", length=0)
        axes.figure.legend(frameon=False, loc="outside upper left", ncols=2)

    per_team = 0.32 if is_stacked else 0.2 * len(series)
    head = [_("Team"), *(part for part, _values in series)]
    rows = list(zip(teams, *(values for _part, values in series), strict=True))
    return Picture(draw, (WIDTH, 1.5 + per_team * len(teams)), head, rows, alt, name)


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure over all teams, 0 for the worst value and 1 for the best, with labels and values of these ends."""

    name: str
    worst: str
    best: str
    ends: tuple[float, float]
    shares: tuple[float, ...]
    own: float | None

    @property
    def quartiles(self) -> list[float]:
        """The shares below which a quarter, half and three quarters of the teams are."""
        return np.quantile(self.shares, [0.25, 0.5, 0.75]).tolist()

    def value(self, share: float | None) -> float | None:
        """The value at a share of the way from the worst to the best."""
        worst, best = self.ends
        return None if share is None else worst + share * (best - worst)


def profile(spreads: Sequence[Spread], team: str, *, alt: str, name: str) -> Picture:
    """Every measure over all teams (line: all, bar: the middle half, tick: the median), and one team's line."""

    def draw(axes: Axes) -> None:
        for row, spread in enumerate(spreads):
            low, middle, high = spread.quartiles
            axes.hlines(row, min(spread.shares), max(spread.shares), color=MUTED, linewidth=1.5)
            axes.barh(row, high - low, left=low, color=PALE, height=0.5, edgecolor=MUTED)
            axes.vlines(middle, row - 0.3, row + 0.3, color=INK, linewidth=1.5)
            axes.text(-0.03, row, spread.worst, ha="right", va="center", size=9)
            axes.text(1.03, row, spread.best, ha="left", va="center", size=9)
        line = [(s.own, row) for row, s in enumerate(spreads) if s.own is not None]
        axes.plot([x for x, _r in line], [r for _x, r in line], color=WORST, marker="D", ms=5)
        axes.set_yticks(range(len(spreads)), [spread.name for spread in spreads])
        axes.invert_yaxis()
        axes.set_xlim(-0.3, 1.3)
        axes.set_xticks([])
        axes.spines[["bottom", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)

    head = [_("Measure"), _("Worst"), _("Worse quartile"), _("Median"), _("Better quartile")]
    rows = [
        (s.name, *map(s.value, [min(s.shares), *s.quartiles, max(s.shares), s.own]))
        for s in spreads
    ]
    size = (WIDTH, 0.5 + 0.36 * len(spreads))
    return Picture(draw, size, [*head, _("Best"), team], rows, alt, name)
