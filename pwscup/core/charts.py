# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG: the geometry in Python, the drawing in `core/_lines.html`. Next to each stands its table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pwscup.core.texts.parts import named

WIDTH, HEIGHT = 360, 170
LEFT, RIGHT, TOP, BOTTOM = 40, 14, 12, 24
N_TICKS = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A series: its title, the class of its colour, and a value for each position, None where there is none."""

    title: str
    tone: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class DrawnLine:
    title: str
    tone: str
    dots: tuple[Dot, ...]

    @property
    def path(self) -> str:
        """The points of the polyline."""
        return " ".join(f"{dot.x},{dot.y}" for dot in self.dots)


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart, with the text that stands for it; `first` and `last` label the ends of the horizontal axis.

    `marks` are vertical lines, by their place on it.
    """

    lines: tuple[DrawnLine, ...]
    ticks: tuple[Tick, ...]
    first: str
    last: str
    label: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM
    top: int = TOP
    marks: tuple[float, ...] = ()


def chart_of(
    lines: Sequence[Line],
    positions: Sequence[float],
    labels: Sequence[str],
    *,
    label: str,
    text: Callable[[float], str],
    low: float,
    high: float,
    is_down: bool = False,
    is_whole: bool = False,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    marks: Sequence[float] = (),
) -> Chart | None:
    """The chart of lines whose values are at `positions`, of which `labels` are the texts; None without a value.

    `low` and `high` are the ends of the vertical axis, `low` at the bottom, or on top if it `is_down`, as for ranks.
    Ticks are round numbers, and whole ones if it `is_whole`. `size` is the width and height in pixels. `marks` are
    positions with a vertical line.
    """
    if not any(value is not None for line in lines for value in line.values):
        return None
    first, last = min(positions), max(positions)
    width, height = size

    def x_of(position: float) -> float:
        share = (position - first) / (last - first) if last > first else 0.5
        return round(LEFT + share * (width - LEFT - RIGHT), 1)

    def y_of(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        drop = share if is_down else 1 - share
        return round(TOP + drop * (height - TOP - BOTTOM), 1)

    drawn = tuple(
        DrawnLine(
            line.title,
            line.tone,
            tuple(
                Dot(x_of(at), y_of(value), named(name, text(value)))
                for at, name, value in zip(positions, labels, line.values, strict=True)
                if value is not None
            ),
        )
        for line in lines
        if any(value is not None for value in line.values)
    )
    ticks = tuple(Tick(y_of(value), text(value)) for value in _ticks(low, high, is_whole))
    edges = {"width": width, "height": height, "right": width - RIGHT, "bottom": height - BOTTOM}
    lines_at = tuple(x_of(mark) for mark in marks)
    return Chart(drawn, ticks, labels[0], labels[-1], label, **edges, marks=lines_at)


def _ticks(low: float, high: float, is_whole: bool) -> list[float]:
    """Round values from `low` to `high`; whole ones begin at `low`."""
    if high <= low:
        return [low]
    if is_whole:
        return list(range(round(low), round(high) + 1, math.ceil((high - low) / N_TICKS)))
    step = round_step((high - low) / N_TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def round_step(step: float) -> float:
    """The next larger of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(step))
    return next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= step * (1 - 1e-9))
