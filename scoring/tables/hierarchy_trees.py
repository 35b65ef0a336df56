# SPDX-License-Identifier: Apache-2.0
"""Generalization hierarchies as trees: the groups of a column, from the whole down to its values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scoring.tables.hierarchy_files import Definition, from_fine


@dataclass(frozen=True, slots=True)
class Node:
    """A group with the groups or values within it; a value, or the finest interval of numbers, has none."""

    label: str
    children: tuple[Node, ...] = ()

    @property
    def n_leaves(self) -> int:
        return sum(child.n_leaves for child in self.children) or 1


def tree_of(name: str, definition: Definition) -> Node:
    """The tree of a column, whose root is the column itself; the definition is a checked one.

    Levels that say the same as the one above them are left out.

    Examples
    --------
    >>> age = Definition(thresholds=((30,), (20, 30)))
    >>> [(node.label, [leaf.label for leaf in node.children]) for node in tree_of("age", age).children]
    [('< 30', ['< 20', '20 ≤ … < 30']), ('≥ 30', [])]
    """
    order = from_fine(definition)[::-1]
    if definition.thresholds:
        return Node(name, _intervals([definition.thresholds[depth - 1] for depth in order]))
    labels = [definition.labels[depth - 1] for depth in order]
    return Node(name, _groups(list(labels[0]), labels))


def _groups(values: Sequence[str], labels: Sequence[Mapping[str, str]]) -> tuple[Node, ...]:
    """The groups of these values at the coarsest of the depths, with all below."""
    if not labels:
        return tuple(Node(value) for value in values)
    found: dict[str, list[str]] = {}
    for value in values:
        found.setdefault(labels[0][value], []).append(value)
    return tuple(_node(label, _groups(below, labels[1:])) for label, below in found.items())


def _node(label: str, children: tuple[Node, ...]) -> Node:
    """The group, without a single child of the same label."""
    if len(children) == 1 and children[0].label == label:
        return children[0]
    return Node(label, children)


def _intervals(
    levels: Sequence[Sequence[float]], low: float | None = None, high: float | None = None
) -> tuple[Node, ...]:
    """The intervals between two numbers at the coarsest level, with all below."""
    if not levels:
        return ()
    first = 0 if low is None else bisect_right(levels[0], low)
    cuts = levels[0][first : None if high is None else bisect_left(levels[0], high)]
    ends = [low, *cuts, high]
    return tuple(_node(_interval(a, b), _intervals(levels[1:], a, b)) for a, b in pairwise(ends))


def _interval(low: float | None, high: float | None) -> str:
    """The numbers from `low` to less than `high`."""
    if low is None:
        return "*" if high is None else f"< {high:.12g}"
    return f"≥ {low:.12g}" if high is None else f"{low:.12g} ≤ … < {high:.12g}"
