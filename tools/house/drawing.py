# SPDX-License-Identifier: Apache-2.0
"""The picture of the house as SVG: text only, the same bytes for the same imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from math import copysign

from tools.house.layers import GAP, Layout, Segments, layout
from tools.house.rooms import Wing

MARGIN, HEAD, FOOT, BETWEEN = 14, 48, 34, 92
ROOM_HEIGHT, LEAST_PITCH = 38, 74
LETTER, SMALL_LETTER, LEAST_WIDTH, BEND_WIDTH = 8, 6.7, 76, 4
MOST_SLOPE = 0.4  # of a line next to rooms, so that it stays in the gap between them
INK, LINE, ROOM, PAPER = "#1f2933", "#52606d", "#eef1f5", "#ffffff"
CAPTION = "An arrow leads to what a room imports. Arrows that follow from others are left out."
STYLE = (
    f"text {{ font-family: Helvetica, Arial, sans-serif; fill: {INK}; text-anchor: middle; }}"
    f" .line {{ fill: none; stroke: {LINE}; stroke-width: 1.4; }}"
)


@dataclass(frozen=True)
class Plan:
    """A wing with the place of its frame, of its rooms, and of the bends of its lines."""

    wing: Wing
    segments: Segments
    x: Mapping[str, float]
    tops: Mapping[str, float]
    left: float
    width: float
    height: float


def picture(upper: Wing, lower: Wing, n_importing: int) -> str:
    """Two wings next to each other: one that imports the other, and how many of its rooms do."""
    places = [layout(wing.arrows, partial(_width, wing)) for wing in (upper, lower)]
    inner = LEAST_PITCH * max(len(at.layers) for at in places)
    first = _plan(upper, places[0], MARGIN, inner)
    second = _plan(lower, places[1], MARGIN + first.width + BETWEEN, inner)
    width, height = second.left + second.width + MARGIN, MARGIN + first.height + FOOT
    parts = [
        *_opening(width, height, (upper, lower)),
        *_wing(first),
        *_wing(second),
        *_bridge(second.left - BETWEEN, height / 2, (upper, lower), n_importing),
        _text(width / 2, height - 12, 12, CAPTION),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _plan(wing: Wing, at: Layout, left: float, inner: float) -> Plan:
    pitch = inner / len(at.layers)
    tops = {
        node: MARGIN + HEAD + pitch * (len(at.layers) - i - 0.5) - ROOM_HEIGHT / 2
        for i, layer in enumerate(at.layers)
        for node in layer
    }
    x = {node: left + MARGIN + value for node, value in at.x.items()}
    extent = max(value + _width(wing, node) / 2 for node, value in at.x.items())
    return Plan(wing, at.segments, x, tops, left, extent + 2 * MARGIN, HEAD + inner + MARGIN)


def _width(wing: Wing, node: str) -> float:
    """The width of a node, enough for its name in the wide letters of DejaVu Sans."""
    if node not in wing.rooms:
        return BEND_WIDTH
    folder, name = _label(node)
    return max(LEAST_WIDTH, SMALL_LETTER * len(folder) + LETTER * len(name) + 12)


def _label(room: str) -> tuple[str, str]:
    """The folder within the root, if any, and the name of a room."""
    *folders, name = room.split(".")[1:]
    return "".join(f"{folder}/" for folder in folders), name


def _opening(width: float, height: float, wings: tuple[Wing, Wing]) -> Iterator[str]:
    size = f'width="{_n(width)}" height="{_n(height)}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_n(width)} {_n(height)}"'
        ' role="img" aria-labelledby="title desc">'
    )
    yield "<!-- Written by `python -m tools.house` from the imports. -->"
    yield '<title id="title">Rooms of PWSCup and the imports between them</title>'
    yield f'<desc id="desc">{escape(" ".join(_words(wing) for wing in wings))}</desc>'
    yield f"<style>{STYLE}</style>"
    yield (
        '<defs><marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto"'
        f' markerUnits="userSpaceOnUse"><path d="M0 0L9 4L0 8Z" fill="{LINE}"/></marker></defs>'
    )
    yield f'<rect {size} fill="{PAPER}"/>'


def _words(wing: Wing) -> str:
    """The arrows of a wing as a sentence, for those who do not see them."""
    said = [
        f"{_said(room)} imports {', '.join(map(_said, sorted(below)))}"
        for room, below in wing.arrows.items()
        if below
    ]
    return f"In {wing.name}, {'; '.join(said)}."


def _said(room: str) -> str:
    return "".join(_label(room))


def _wing(plan: Plan) -> Iterator[str]:
    wing, middle = plan.wing, plan.left + plan.width / 2
    yield (
        f'<rect x="{_n(plan.left)}" y="{MARGIN}" width="{_n(plan.width)}" height="{_n(plan.height)}"'
        f' rx="10" fill="{PAPER}" stroke="{LINE}"/>'
    )
    yield _text(middle, MARGIN + 24, 18, wing.name)
    yield _text(middle, MARGIN + 41, 12, f"{wing.n_modules} modules, {len(wing.rooms)} rooms")
    yield from _lines(plan)
    for room in wing.rooms:
        yield from _room(plan, room)


def _room(plan: Plan, room: str) -> Iterator[str]:
    x, top, width = plan.x[room], plan.tops[room], _width(plan.wing, room)
    yield (
        f'<rect class="room" x="{_n(x - width / 2)}" y="{_n(top)}" width="{_n(width)}" height="{ROOM_HEIGHT}"'
        f' rx="4" fill="{ROOM}" stroke="{INK}"/>'
    )
    folder, name = _label(room)
    small = f'<tspan font-size="11">{folder}</tspan>' if folder else ""
    yield _text(x, top + 16, 13, f"{small}{name}")
    yield _text(x, top + 31, 11, f"{plan.wing.rooms[room]} modules")


def _lines(plan: Plan) -> Iterator[str]:
    x, tops, ports, slopes = plan.x, plan.tops, _ports(plan), _slopes(plan)
    for upper, lower in sorted(plan.segments):
        out, into = slopes[upper], slopes[lower]
        start, top = ports[upper, lower] + out * ROOM_HEIGHT / 2, tops[upper] + ROOM_HEIGHT
        end, bottom = x[lower] - into * ROOM_HEIGHT / 2, tops[lower]
        half = (bottom - top) / 2
        path = (
            f"M{_n(start)} {_n(top)}C{_n(start + out * half)} {_n(top + half)}"
            f" {_n(end - into * half)} {_n(bottom - half)} {_n(end)} {_n(bottom)}"
        )
        if lower in plan.wing.rooms:
            yield f'<path class="line" d="{path}" marker-end="url(#head)"/>'
        else:
            through = f"L{_n(end + into * ROOM_HEIGHT)} {_n(bottom + ROOM_HEIGHT)}"
            yield f'<path class="line" d="{path}{through}"/>'


def _ports(plan: Plan) -> dict[tuple[str, str], float]:
    """The start of each line: spread over the lower edge of its room, in the order of the ends."""
    found = {}
    for node, centre in plan.x.items():
        below = sorted(
            (lower for upper, lower in plan.segments if upper == node),
            key=lambda lower: (plan.x[lower], lower),
        )
        step = min(GAP, (_width(plan.wing, node) - 16) / max(len(below), 1))
        for i, lower in enumerate(below):
            found[node, lower] = centre + (i - (len(below) - 1) / 2) * step
    return found


def _slopes(plan: Plan) -> dict[str, float]:
    """The way to the right for each step down: none at a room or where a line turns back, some at other bends."""
    x, found = plan.x, dict.fromkeys(plan.x, 0.0)
    for bend in plan.x.keys() - plan.wing.rooms.keys():
        above = sorted(node for node, lower in plan.segments if lower == bend)
        (below,) = (lower for node, lower in plan.segments if node == bend)
        step = plan.tops[bend] - plan.tops[above[0]]
        before, after = x[bend] - sum(x[node] for node in above) / len(above), x[below] - x[bend]
        if before * after > 0:
            least = min(abs(before) / step, abs(after) / step, MOST_SLOPE)
            found[bend] = copysign(least, after)
    return found


def _bridge(left: float, y: float, wings: tuple[Wing, Wing], n_importing: int) -> Iterator[str]:
    """The one arrow between the wings, with the number of the rooms that it stands for."""
    of, to = wings
    for line, text in enumerate((f"{n_importing} of {len(of.rooms)}", "rooms import", to.name)):
        yield _text(left + BETWEEN / 2, y - 56 + 16 * line, 11, text)
    start, end = left + 8, left + BETWEEN - 8
    yield (
        f'<path d="M{_n(start)} {_n(y - 5)}H{_n(end - 16)}V{_n(y - 13)}L{_n(end)} {_n(y)}'
        f'L{_n(end - 16)} {_n(y + 13)}V{_n(y + 5)}H{_n(start)}Z" fill="{LINE}"/>'
    )


def _text(x: float, y: float, size: int, text: str) -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" font-size="{size}">{text}</text>'


def _n(value: float) -> str:
    return str(round(value))
