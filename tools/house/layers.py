# SPDX-License-Identifier: Apache-2.0
"""Rooms in layers, each above all that it imports, in an order with few crossings and with straight lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

from tools.house.imports import Graph

Layers = list[list[str]]
Segments = set[tuple[str, str]]
SWEEPS = 20
SETTLING = 200
GAP = 14
BEND = " at "
PULL = (2, 1, 8)  # between two rooms, a room and a bend, two bends


@dataclass(frozen=True)
class Layout:
    """Layers from the bottom up; what is no room is a bend of the lines to one room. Segments lead down by a layer."""

    layers: Layers
    segments: Segments
    x: Mapping[str, float]


def layout(arrows: Graph, width_of: Callable[[str], float]) -> Layout:
    """The places of all rooms, in a graph without circles."""
    level = levels(arrows)
    layers: Layers = [[] for _ in range(max(level.values()) + 1)]
    for room in sorted(arrows):
        layers[level[room]].append(room)
    segments = _segments(arrows, level, layers)
    ordered = _ordered(layers, segments)
    return Layout(ordered, segments, _places(ordered, segments, width_of))


def levels(arrows: Graph) -> dict[str, int]:
    """The longest way down from each room; 0 for those that import no other."""
    found: dict[str, int] = {}
    for room in TopologicalSorter(arrows).static_order():
        found[room] = max((found[below] + 1 for below in arrows[room]), default=0)
    return found


def _segments(arrows: Graph, level: dict[str, int], layers: Layers) -> Segments:
    """Lines between neighbouring layers; lines to the same room share their bends, which are added to the layers."""
    found: Segments = set()
    for room in sorted(arrows):
        for below in sorted(arrows[room]):
            upper = room
            for height in range(level[room] - 1, level[below], -1):
                bend = f"{below}{BEND}{height}"
                if bend not in layers[height]:
                    layers[height].append(bend)
                found.add((upper, bend))
                upper = bend
            found.add((upper, below))
    return found


def _ordered(layers: Layers, segments: Segments) -> Layers:
    """The layers in the order with the fewest crossings among those that sweeps up and down lead to."""
    best = layers
    for sweep in range(SWEEPS):
        layers = _swept(layers, segments, upwards=sweep % 2 == 0)
        if _crossings(layers, segments) < _crossings(best, segments) or not sweep:
            best = layers
    return best


def _swept(layers: Layers, segments: Segments, *, upwards: bool) -> Layers:
    """Each layer sorted by the mean place of its neighbours in the layer before."""
    done: Layers = []
    for layer in layers if upwards else layers[::-1]:
        before = {node: place for place, node in enumerate(done[-1])} if done else {}
        own = {node: place for place, node in enumerate(layer)}
        pulled = [
            (_mean(_neighbours(node, segments), before, own[node]), own[node]) for node in layer
        ]
        done.append([layer[place] for _, place in sorted(pulled)])
    return done if upwards else done[::-1]


def _neighbours(node: str, segments: Segments) -> list[str]:
    return sorted({a for a, b in segments if b == node} | {b for a, b in segments if a == node})


def _mean(nodes: list[str], places: Mapping[str, float], otherwise: float) -> float:
    found = [places[node] for node in nodes if node in places]
    return sum(found) / len(found) if found else otherwise


def _crossings(layers: Layers, segments: Segments) -> int:
    place = {node: i for layer in layers for i, node in enumerate(layer)}
    height = {node: i for i, layer in enumerate(layers) for node in layer}
    lines = sorted((height[a], place[a], place[b]) for a, b in segments)
    return sum(
        a[0] == b[0] and a[1] < b[1] and a[2] > b[2] for i, a in enumerate(lines) for b in lines[i:]
    )


def _places(
    layers: Layers, segments: Segments, width_of: Callable[[str], float]
) -> dict[str, float]:
    """The centre of each node: near the mean of its neighbours, in its layer's order, as wide as the widest layer."""
    widths = [[width_of(node) for node in layer] for layer in layers]
    extent = max(sum(row) + GAP * (len(row) - 1) for row in widths)
    rooms = {node for layer in layers for node in layer if BEND not in node}
    near = {node: _neighbours(node, segments) for layer in layers for node in layer}
    x = {node: extent / 2 for layer in layers for node in layer}
    for turn in range(SETTLING):
        for layer, row in [*zip(layers, widths, strict=True)][:: 1 if turn % 2 else -1]:
            wanted = [_pulled(node, near[node], x, rooms) for node in layer]
            x |= dict(zip(layer, spread(wanted, row, extent), strict=True))
    return x


def _pulled(node: str, near: list[str], x: Mapping[str, float], rooms: set[str]) -> float:
    """The mean place of the neighbours, where bends of a line pull each other most, so that it is straight."""
    weights = [PULL[(node not in rooms) + (other not in rooms)] for other in near]
    total = sum(weight * x[other] for weight, other in zip(weights, near, strict=True))
    return total / sum(weights) if near else x[node]


def spread(wanted: list[float], widths: list[float], extent: float) -> list[float]:
    """The centres within 0 and an extent nearest to those wanted, in least squares, where such widths keep a gap."""
    offsets = [widths[0] / 2]
    for left, right in pairwise(widths):
        offsets.append(offsets[-1] + (left + right) / 2 + GAP)
    blocks: list[list[float]] = []
    for value, offset in zip(wanted, offsets, strict=True):
        blocks.append([value - offset])
        while len(blocks) > 1 and _average(blocks[-2]) >= _average(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    most = extent - offsets[-1] - widths[-1] / 2
    moved = [min(max(_average(block), 0), most) for block in blocks for _ in block]
    return [offset + by for offset, by in zip(offsets, moved, strict=True)]


def _average(values: list[float]) -> float:
    return sum(values) / len(values)
