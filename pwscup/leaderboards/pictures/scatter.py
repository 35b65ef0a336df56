# SPDX-License-Identifier: Apache-2.0
"""Utility against safety: a point for each team on raw axes, better up and right, and the front of the best."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import measures_in
from pwscup.core.charts import round_step
from pwscup.core.texts.parts import listed, named, noted, percent
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from pwscup.leaderboards.boards.columns import is_by_name, shown_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scoring.rulesets import Ruleset

Section = Mapping[str, Any]
WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 84, 28, 24, 60
N_TICKS = 5
LABEL_HEIGHT = 15
LABEL_WIDTH = 130
ABOVE = 18
"""The height of a name above its point, where points on both sides would cover it."""
LEFT_ROOM = 0.2
"""The share of the width that a name to the left of its point needs."""
WORST_RATE = "worst_rate"
MARGIN = 0.06
"""Empty share of an axis at both ends."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from its worst to its best value; `key` is what it shows: `worst_rate`, a measure, or "" for ranks."""

    key: str
    title: str
    worst: float
    best: float
    text: Callable[[float | None], str]

    @property
    def ends(self) -> tuple[float, float]:
        """The values at the worse and at the better end of the axis, its margins included."""
        room = MARGIN / (1 - 2 * MARGIN) * (self.best - self.worst) or 0.5
        return self.worst - room, self.best + room

    def share(self, value: float) -> float:
        """The position of a value, 0 at the worse end and 1 at the better one."""
        if self.best == self.worst:
            return 0.5
        inner = (value - self.worst) / (self.best - self.worst)
        return MARGIN + (1 - 2 * MARGIN) * inner

    def ticks(self) -> Iterator[float]:
        """Round values between the ends."""
        low, high = sorted((self.worst, self.best))
        if low == high:
            yield low
            return
        step = round_step((high - low) / N_TICKS)
        n = math.ceil(low / step - 1e-9)
        while n * step <= high * (1 + 1e-9) + 1e-12:
            yield n * step
            n += 1


@dataclass(frozen=True, slots=True)
class Point:
    """A team at its place in the picture, in pixels, with its raw values."""

    name: str
    rank: int | None
    team: int
    house: bool
    safety: float
    utility: float
    x: float
    y: float
    label_y: float
    is_left: bool
    is_above: bool
    is_on_front: bool
    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """A drawn picture."""

    points: tuple[Point, ...]
    front: str
    across: Axis
    up: Axis
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM

    @property
    def may_have_trail(self) -> bool:
        """The axes show values of a submission, so that the attempts of a team have places; ranks are of the field."""
        return self.across.key == WORST_RATE and bool(self.up.key)

    @property
    def inner_width(self) -> int:
        return self.right - self.left

    @property
    def inner_height(self) -> int:
        return self.bottom - self.top

    @property
    def x_ticks(self) -> list[Tick]:
        return [Tick(_x_of(self.across.share(v)), self.across.text(v)) for v in self.across.ticks()]

    @property
    def y_ticks(self) -> list[Tick]:
        return [Tick(_y_of(self.up.share(v)), self.up.text(v)) for v in self.up.ticks()]

    def at(self, safety: float, utility: float) -> tuple[float, float]:
        """The place of these values in pixels; outside the axes if no team is as bad, or as good."""
        return _x_of(self.across.share(safety)), _y_of(self.up.share(utility))


def scatter_of(section: Section, rules: Ruleset) -> Scatter | None:
    """The picture of an anonymization board; None without a team that has both values.

    Safety is the rate of the strongest attack, utility the measure of utility that distinguishes most teams; where the
    board hides one of them, the rank stands in its place.
    """
    rows = [row for row in section["rows"] if row["submitted"]]
    utility, safety = _utility(section, rules, rows), _safety(rules, rows)
    found = [(row, safety.of(row), utility.of(row)) for row in rows]
    known = [(row, x, y) for row, x, y in found if x is not None and y is not None]
    if not known:
        return None
    across = safety.axis([x for _row, x, _y in known])
    up = utility.axis([y for _row, _x, y in known])
    shares = [(across.share(x), up.share(y)) for _row, x, y in known]
    front = _front(shares)
    labels = _label_heights([_y_of(y) for _x, y in shares], [_x_of(x) for x, _y in shares])
    lefts = [_is_left(n, shares) for n in range(len(shares))]
    aboves = [not is_left and _covers(n, shares, 1) for n, is_left in enumerate(lefts)]
    points = [
        Point(
            name=row["name"],
            rank=row["rank"],
            team=row["team"],
            house=row["house"],
            safety=x,
            utility=y,
            x=_x_of(share_x),
            y=_y_of(share_y),
            label_y=_y_of(share_y) - ABOVE if is_above else label_y,
            is_left=is_left,
            is_above=is_above,
            is_on_front=(share_x, share_y) in front,
            text=f"{row['rank']}. {named(row['name'], listed((across.text(x), up.text(y))))}",
        )
        for (row, x, y), (share_x, share_y), label_y, is_left, is_above in zip(
            known, shares, labels, lefts, aboves, strict=True
        )
    ]
    return Scatter(tuple(points), _steps(sorted(front)), across, up)


@dataclass(frozen=True, slots=True)
class _Quantity:
    """What an axis shows of a row, with the text of a value."""

    key: str
    title: str
    is_lower: bool
    text: Callable[[float | None], str]
    of: Callable[[Mapping[str, Any]], float | None]

    def axis(self, values: Sequence[float]) -> Axis:
        low, high = min(values), max(values)
        worst, best = (high, low) if self.is_lower else (low, high)
        arrow = _("lower is better") if self.is_lower else _("higher is better")
        title = self.title if re.search("[(（]", self.title) else noted(self.title, arrow)
        return Axis(self.key, title, worst, best, self.text)


def _utility(section: Section, rules: Ruleset, rows: Sequence[Mapping[str, Any]]) -> _Quantity:
    """The measure of utility that distinguishes most teams; the first of several."""
    columns = [
        (n, found)
        for n, found in enumerate(measures_in(section))
        if found.id in rules.ranking.utility
        and any(row["cells"][n]["value"] is not None for row in rows)
    ]
    if not columns:
        title = _("Utility rank (1 is best)")
        return _Quantity("", title, True, _plain, itemgetter("utility_rank"))
    at, found = max(columns, key=lambda c: len({row["cells"][c[0]]["value"] for row in rows}))
    text = _percent if found.is_rate else partial(shown_value, column=found)
    name = found.name if is_by_name(found) else f"{found.id} {found.name}".strip()
    title = _("Utility: %(measure)s") % {"measure": name}
    is_lower = found.direction == "lower"
    return _Quantity(found.id, title, is_lower, text, lambda row: row["cells"][at]["value"])


def _safety(rules: Ruleset, rows: Sequence[Mapping[str, Any]]) -> _Quantity:
    if any(row["worst_rate"] is not None for row in rows):
        title = _("Safety: %(rate)s") % {"rate": attack_texts_of(rules).worst_rate}
        return _Quantity(WORST_RATE, title, True, _percent, itemgetter(WORST_RATE))
    title = _("Safety rank (1 is best)")
    return _Quantity("", title, True, _plain, itemgetter("safety_rank"))


def _percent(value: float | None) -> str:
    return "" if value is None else percent(_plain(100 * value))


def _plain(value: float | None) -> str:
    """Two digits as in the table, without zeros at the end."""
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _front(shares: Sequence[tuple[float, float]]) -> set[tuple[float, float]]:
    """The points of which no other is better in one value and not worse in the other."""
    found, best = set(), -math.inf
    for x, y in sorted(set(shares), reverse=True):
        if y > best:
            found.add((x, y))
            best = y
    return found


def front_of(
    values: Sequence[tuple[float, float]], across: Axis, up: Axis
) -> list[tuple[float, float]]:
    """The values of the front, from the best on the axis up to the best on the axis across."""
    shares = {(across.share(x), up.share(y)): (x, y) for x, y in values}
    return [shares[share] for share in sorted(_front(list(shares)))]


def _steps(front: Sequence[tuple[float, float]]) -> str:
    """The line along the front, from the left edge to the bottom."""
    first, last = front[0], front[-1]
    parts = [f"M{LEFT} {_y_of(first[1])}H{_x_of(first[0])}"]
    parts += [f"V{_y_of(y)}H{_x_of(x)}" for x, y in front[1:]]
    return "".join([*parts, f"V{HEIGHT - BOTTOM}"]) if last else ""


def _x_of(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _y_of(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _is_left(n: int, shares: Sequence[tuple[float, float]]) -> bool:
    """A name stands to the left at the right edge, and where a point to the right would cover it."""
    x, _y = shares[n]
    is_free = x > LEFT_ROOM and not _covers(n, shares, -1)
    return x > 0.72 or (_covers(n, shares, 1) and is_free)


def _covers(n: int, shares: Sequence[tuple[float, float]], side: int) -> bool:
    """Another point is where a name to the right (1) or to the left (-1) would stand."""
    x, y = shares[n]
    others = [(side * (_x_of(a) - _x_of(x)), _y_of(b) - _y_of(y)) for a, b in shares]
    return any(0 < across < LABEL_WIDTH and abs(down) < LABEL_HEIGHT for across, down in others)


def _label_heights(ys: Sequence[float], xs: Sequence[float]) -> list[float]:
    """Heights of the names, moved down where two of them would overlap."""
    heights = list(ys)
    placed: list[int] = []
    for n in sorted(range(len(ys)), key=lambda n: ys[n]):
        for other in placed:
            is_near = abs(xs[n] - xs[other]) < LABEL_WIDTH
            if is_near and heights[n] - heights[other] < LABEL_HEIGHT:
                heights[n] = round(heights[other] + LABEL_HEIGHT, 1)
        placed.append(n)
    return heights
