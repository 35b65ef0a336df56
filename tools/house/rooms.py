# SPDX-License-Identifier: Apache-2.0
"""Rooms of the house: packages of `scoring` and apps of `pwscup`, with the imports between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tools.house.imports import Graph, reached

FORMATS = "formats"  # a room for each package in it


@dataclass(frozen=True)
class Wing:
    """The rooms of one root package, and which of them import which."""

    name: str
    n_modules: int
    rooms: dict[str, int]
    imports: Graph

    @cached_property
    def arrows(self) -> Graph:
        """The imports without those that follow from others, in a graph without circles."""
        return {
            room: found - {far for near in found for far in reached(self.imports, near)}
            for room, found in self.imports.items()
        }


def wing(graph: Graph, package: str) -> Wing:
    """The wing of a root package, from the imports between modules."""
    own = {name: room for name, room in places(graph).items() if name.partition(".")[0] == package}
    # A file of the root, or a package that holds nothing itself, is no room: imports are followed through it.
    rooms = {room: n for room, n in sorted(Counter(own.values()).items()) if n > 1}
    imports: Graph = {room: set() for room in rooms}
    for name, room in own.items():
        if room in rooms:
            imports[room] |= {own[found] for found in _entered(graph, name, own, rooms)} - {room}
    return Wing(package, len(own), rooms, imports)


def places(graph: Graph) -> dict[str, str]:
    """The room of each module: the first two parts of its name, or three for a package of formats."""
    packages = {name.rpartition(".")[0] for name in graph}
    return {name: _room(name.split("."), packages) for name in graph}


def _room(parts: list[str], packages: set[str]) -> str:
    inner = ".".join(parts[:3])
    return inner if parts[1:2] == [FORMATS] and inner in packages else ".".join(parts[:2])


def who_imports(graph: Graph, wing: Wing, other: Wing) -> set[str]:
    """The rooms of a wing that import something of another one."""
    of = places(graph)
    return {
        of[name]
        for name, found in graph.items()
        if of[name] in wing.rooms and any(m.partition(".")[0] == other.name for m in found)
    }


def _entered(
    graph: Graph, module: str, own: dict[str, str], rooms: dict[str, int]
) -> Iterator[str]:
    """The modules in rooms that a module imports, directly or through files outside of rooms."""
    for found in graph[module] & own.keys():
        if own[found] in rooms:
            yield found
        else:
            yield from _entered(graph, found, own, rooms)
