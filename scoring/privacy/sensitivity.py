# SPDX-License-Identifier: Apache-2.0
"""By how much an answer can change where one record of the table does: what noise has to cover (L1).

Neighbouring tables differ either by the value of one record ("replace"; the number of records is known to all) or by
one record more or less ("add_remove"). Values are clamped to the range before the answer is computed; a range must
not be read off the table, because then it discloses information about the table.
"""

from __future__ import annotations

import math
from typing import Literal

Adjacency = Literal["replace", "add_remove"]
ADJACENCIES: tuple[Adjacency, ...] = ("replace", "add_remove")
Neighbours = Literal["edge", "vertex"]
NEIGHBOURS: tuple[Neighbours, ...] = ("edge", "vertex")
"""By what two neighbouring graphs differ."""


def count(adjacency: Adjacency = "replace") -> int:
    """Of the number of records that fulfil a condition: 1 in either sense.

    Examples
    --------
    >>> count(), count("add_remove")
    (1, 1)
    """
    _check_adjacency(adjacency)
    return 1


def histogram(adjacency: Adjacency = "replace") -> int:
    """Of the counts of all values together: a replaced record leaves one cell and enters another.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.3.1: 2 where attribute values are kept secret, 1 where only membership is kept secret.

    Examples
    --------
    >>> histogram("replace"), histogram("add_remove")
    (2, 1)
    """
    _check_adjacency(adjacency)
    return 2 if adjacency == "replace" else 1


def total(low: float, high: float, adjacency: Adjacency = "replace") -> float:
    """Of a sum of values from `low` to `high`: the range, or the value farthest from 0.

    Examples
    --------
    >>> total(20, 100), total(20, 100, "add_remove")
    (80, 100)
    """
    _check_adjacency(adjacency)
    width = _width(low, high)
    return width if adjacency == "replace" else max(abs(low), abs(high))


def mean(low: float, high: float, n_records: int) -> float:
    """Of the mean of n values from `low` to `high`: the range / n.

    With one record more or less, n is the number of records of the larger table, and the result
    the same; releasing n as well costs as much as a count.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, examples of sensitivity. 1/n, as some
    introductions have it, is right for values from 0 to 1 only.

    Examples
    --------
    >>> mean(0, 100, 100), round(mean(4.3, 7.9, 40), 6)
    (1.0, 0.09)
    """
    if n_records < 1:
        raise ValueError(f"n_records: expected at least 1, got {n_records}")
    return _width(low, high) / n_records


def maximum(low: float, high: float) -> float:
    """Of the maximum, or the minimum, of values from `low` to `high`: the range, whatever n is.

    Of an empty table the maximum is taken to be `low` (and the minimum `high`), in which case
    adding or removing a record changes it by the range at most, too.

    Examples
    --------
    >>> maximum(0, 100)
    100
    """
    return _width(low, high)


def vertices_of_degree(
    n_vertices: int, neighbours: Neighbours = "edge", most_followers: int | None = None
) -> int:
    """Of the number of vertices of a directed graph with at least k outgoing edges, whatever k is from 1 on.

    Graphs are neighbours that differ by one edge, or by one vertex with all its edges. Without a vertex its
    followers have an edge less, too, and each may fall below k.

    Parameters
    ----------
    n_vertices
        Of the larger graph.
    neighbours
        "edge" or "vertex".
    most_followers
        The most edges that lead to one vertex, where that is bounded and known to all.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies: a graph of who follows whom, and the number of those
    who follow two or more. Hay, Li, Miklau & Jensen, "Accurate Estimation of the Degree Distribution of Private
    Networks", call them edge and node differential privacy.

    Examples
    --------
    >>> vertices_of_degree(4), vertices_of_degree(4, "vertex")
    (1, 4)
    >>> vertices_of_degree(1_000_000, "vertex", most_followers=150)
    151
    """
    if _checked_graph(n_vertices, neighbours) == "edge":
        return 1
    others = n_vertices - 1
    return 1 + (others if most_followers is None else min(others, most_followers))


def edges(n_vertices: int, neighbours: Neighbours = "edge", most_edges: int | None = None) -> int:
    """Of the number of edges of a directed graph; `most_edges` bounds those at one vertex, in both directions.

    Examples
    --------
    >>> edges(4), edges(4, "vertex"), edges(4, "vertex", most_edges=5)
    (1, 6, 5)
    """
    if _checked_graph(n_vertices, neighbours) == "edge":
        return 1
    all_of_one = 2 * (n_vertices - 1)
    return all_of_one if most_edges is None else min(all_of_one, most_edges)


def _checked_graph(n_vertices: int, neighbours: Neighbours) -> Neighbours:
    if n_vertices < 2:
        raise ValueError(f"n_vertices: expected at least 2, got {n_vertices}")
    if neighbours not in NEIGHBOURS:
        raise ValueError(f"neighbours: expected {' or '.join(NEIGHBOURS)}, got {neighbours}")
    return neighbours


def _width(low: float, high: float) -> float:
    if not (low < high and math.isfinite(high - low)):
        raise ValueError(f"range: expected finite low < high, got {low} and {high}")
    return high - low


def _check_adjacency(adjacency: str) -> None:
    if adjacency not in ADJACENCIES:
        raise ValueError(f"adjacency: expected {' or '.join(ADJACENCIES)}, got {adjacency}")
