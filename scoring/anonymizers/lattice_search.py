# SPDX-License-Identifier: Apache-2.0
"""Search of the lattice of full-domain generalizations for the node of least loss.

A node is a level for each column. Going up, classes only merge: the classes of a node are merged from those of any node
below it (roll-up). If too many records are in classes that are too small at a node, the same holds at all nodes below
it (pruning).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.constraints import Constraints, Sensitive
from scoring.privacy.diversity import ClassCounts
from scoring.tables.generalization import discernibility
from scoring.tables.hierarchies import Hierarchy
from scoring.tables.numbering import combined

Ints = NDArray[np.int64]
Levels = tuple[int, ...]

INFORMATION, DISCERNIBILITY = "information", "discernibility"
LARGEST_LATTICE = 2**22
"""Larger lattices are searched greedily only: their state is not stored."""
_KEPT = 32
"""Nodes whose classes are kept to roll up from."""
_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Node:
    """A node that keeps the constraints: its loss and how many records are to be suppressed.

    Nodes are ordered by loss, then by suppressed records, then from low to high levels.
    """

    loss: float
    n_suppressed: int
    height: int
    levels: Levels

    @property
    def key(self) -> tuple[float, int, int, Levels]:
        return (self.loss, self.n_suppressed, self.height, self.levels)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best node found, None where none keeps the constraints.

    `is_optimal`: no other node has less loss. Otherwise the search ended at its limit.
    """

    node: Node | None
    n_evaluated: int
    is_optimal: bool


@dataclass(frozen=True, slots=True)
class _Grouped:
    """The classes of a node: a vector of values of each, and its size."""

    levels: Ints
    vectors: Ints
    sizes: Ints


@dataclass(frozen=True, slots=True)
class _Counted:
    """The classes of a node: a vector of values of each, and its sensitive values."""

    levels: Ints
    vectors: Ints
    counts: ClassCounts


class Lattice:
    """The classes of every node, rolled up from the nodes that were visited before.

    Attributes
    ----------
    n_merged : int
        Classes that were merged into others: the work done.
    """

    def __init__(
        self, found: Sequence[Hierarchy], n_records: int, sensitive: Sensitive | None
    ) -> None:
        self.groups = [h.groups for h in found]
        self.losses = [h.losses() for h in found]
        self.tops = tuple(h.top for h in found)
        self.n_records = n_records
        self.n_merged = 0
        classes = combined([h.of_record for h in found], n_records)
        sizes = np.bincount(classes).astype(np.int64)
        first = _first(classes)
        vectors = np.empty((len(sizes), len(found)), dtype=np.int64)
        for i, h in enumerate(found):
            vectors[:, i] = h.of_record[first]
        bottom = np.zeros(len(found), dtype=np.int64)
        self._base = _Grouped(bottom, vectors, sizes)
        self._kept: list[_Grouped] = []
        self._counted: list[_Counted] = []
        if sensitive is not None:
            self._counted = [_Counted(bottom, vectors, sensitive.counts(classes))]

    @property
    def size(self) -> int:
        return prod(top + 1 for top in self.tops)

    def mean_losses(self) -> list[NDArray[np.float64]]:
        """The mean loss of each column at each of its levels, over all records."""
        found = []
        for i, losses in enumerate(self.losses):
            weights = np.bincount(
                self._base.vectors[:, i], weights=self._base.sizes, minlength=losses.shape[1]
            )
            found.append(losses @ weights / self.n_records)
        return found

    def classes(self, levels: Levels) -> _Grouped:
        """The classes of a node."""
        wanted = np.array(levels, dtype=np.int64)
        below = [node for node in self._kept if (node.levels <= wanted).all()]
        start = min(below, key=lambda node: len(node.sizes), default=self._base)
        self.n_merged += len(start.sizes)
        into = self._merged(start.vectors, levels)
        sizes = np.bincount(into, weights=start.sizes).astype(np.int64)
        node = _Grouped(wanted, start.vectors[_first(into)], sizes)
        self._kept = [*self._kept[-_KEPT + 1 :], node]
        return node

    def counts(self, levels: Levels) -> ClassCounts:
        """The sensitive values of a node's classes, which are numbered as in `classes`."""
        wanted = np.array(levels, dtype=np.int64)
        below = [node for node in self._counted if (node.levels <= wanted).all()]
        start = min(below, key=lambda node: len(node.counts.values))
        into = self._merged(start.vectors, levels)
        counts = start.counts.merged(into)
        node = _Counted(wanted, start.vectors[_first(into)], counts)
        self._counted = [self._counted[0], *self._counted[1:][-_KEPT + 1 :], node]
        return counts

    def _merged(self, vectors: Ints, levels: Levels) -> Ints:
        """The class of a node that each of these vectors is in, in the order of their groups."""
        groups = [
            g[level][vectors[:, i]]
            for i, (g, level) in enumerate(zip(self.groups, levels, strict=True))
        ]
        return combined(groups, len(vectors))

    def information(self, node: _Grouped) -> NDArray[np.float64]:
        """The loss of each class's records: the mean over the columns, from 0 to 1."""
        levels = tuple(node.levels.tolist())
        lost = np.zeros(len(node.sizes))
        for i, losses in enumerate(self.losses):
            lost += losses[levels[i]][node.vectors[:, i]]
        return lost / max(len(self.losses), 1)


def _first(classes: Ints) -> Ints:
    """The first row of each class."""
    first = np.empty(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    return first


class Search:
    """The search of one lattice.

    Parameters
    ----------
    max_suppressed
        The maximum number of records in classes that break a constraint; they are suppressed.
    loss
        `information`: the mean over records and columns of what values lose (`Hierarchy.losses`), 1 for suppressed
        records. `discernibility`: for each record the number of records indistinguishable from it, all of them if it is
        suppressed, divided by the number of pairs.
    max_nodes
        The maximum number of nodes to visit.
    """

    def __init__(
        self,
        lattice: Lattice,
        constraints: Constraints,
        sensitive: Sensitive | None,
        *,
        max_suppressed: int,
        loss: str = INFORMATION,
        max_nodes: int,
    ) -> None:
        self.lattice, self.constraints, self.sensitive = lattice, constraints, sensitive
        self.max_suppressed, self.loss, self.max_nodes = max_suppressed, loss, max_nodes
        self.means = lattice.mean_losses()
        self.best: Node | None = None
        self.looked_at: dict[Levels, bool] = {}
        shape = tuple(top + 1 for top in lattice.tops)
        self.is_held = lattice.size <= LARGEST_LATTICE
        held = shape if self.is_held else (0,)
        self.closed = np.zeros(held, dtype=np.bool_)
        self.bound = np.zeros(held)
        if self.is_held and loss == INFORMATION:
            self.bound = self._information_bounds()

    def run(self) -> Outcome:
        """Find a good node first, then visit all that could be better, up to the limit."""
        bottom = (0,) * len(self.lattice.tops)
        self._bisect(self._chain(bottom))
        self._descend()
        is_optimal = self.is_held and self._finish(bottom)
        return Outcome(self.best, len(self.looked_at), is_optimal)

    def _information_bounds(self) -> NDArray[np.float64]:
        """The loss of the columns at every node, without suppression, which only adds to it."""
        d = len(self.means)
        bounds = np.zeros(self.closed.shape)
        for i, means in enumerate(self.means):
            bounds += means.reshape([-1 if j == i else 1 for j in range(d)])
        return np.round(bounds / max(d, 1), _DECIMALS)

    def _look_at(self, levels: Levels) -> bool:
        """Check a node against the constraints, and record what follows for other nodes."""
        if levels in self.looked_at:
            return self.looked_at[levels]
        node = self.lattice.classes(levels)
        failing = too_small = self.constraints.too_small(node.sizes, None)
        if self.sensitive is not None and self._suppressed(node, failing) <= self.max_suppressed:
            counts = self.lattice.counts(levels)
            too_small = self.constraints.too_small(node.sizes, counts)
            failing = self.constraints.failing(node.sizes, counts, self.sensitive)
        n_suppressed = self._suppressed(node, failing)
        keeps = n_suppressed <= self.max_suppressed and not failing.all()
        self.looked_at[levels] = keeps
        if self.is_held:
            # Merged classes keep the bounds if all of them do; if some do not, that is certain only
            # for size and distinct values.
            below = failing if self.max_suppressed == 0 else too_small
            self._close(levels, self._suppressed(node, below) > self.max_suppressed)
            if self.loss == DISCERNIBILITY:
                above = tuple(slice(level, None) for level in levels)
                pairs = discernibility(node.sizes, self.lattice.n_records)
                self.bound[above] = np.maximum(self.bound[above], pairs)
        if keeps:
            loss = self._loss(node, failing, n_suppressed)
            candidate = Node(loss, n_suppressed, sum(levels), levels)
            if self.best is None or candidate.key < self.best.key:
                self.best = candidate
        return keeps

    def _close(self, levels: Levels, fails_below: bool) -> None:
        """Exclude a node, and those below it if they fail, too."""
        self.closed[levels] = True
        if fails_below:
            self.closed[tuple(slice(level + 1) for level in levels)] = True

    @staticmethod
    def _suppressed(node: _Grouped, failing: NDArray[np.bool_]) -> int:
        return int(node.sizes[failing].sum())

    def _loss(self, node: _Grouped, failing: NDArray[np.bool_], n_suppressed: int) -> float:
        kept = node.sizes[~failing]
        n = self.lattice.n_records
        if self.loss == DISCERNIBILITY:
            return discernibility(kept, n, n_suppressed)
        lost = float(kept @ self.lattice.information(node)[~failing])
        return round((lost + n_suppressed) / n, _DECIMALS)

    def _is_candidate(self, levels: Levels) -> bool:
        if not self.is_held:
            return levels not in self.looked_at
        if self.closed[levels]:
            return False
        return self.best is None or bool(self.bound[levels] <= self.best.loss)

    def _chain(self, start: Levels) -> list[Levels]:
        """Candidates from here up, each time by the level that loses least."""
        chain = [start]
        while True:
            steps = [
                (float(self.means[i][level + 1] - self.means[i][level]), i)
                for i, level in enumerate(chain[-1])
                if level < self.lattice.tops[i]
            ]
            raised = (_moved(chain[-1], i, 1) for _, i in sorted(steps))
            following = next((node for node in raised if self._is_candidate(node)), None)
            if following is None:
                return chain
            chain.append(following)

    def _bisect(self, chain: list[Levels]) -> None:
        """Find the first node of a chain that keeps the constraints."""
        low, high = 0, len(chain) - 1
        while low <= high and not self._is_over():
            middle = (low + high) // 2
            if self._look_at(chain[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _descend(self) -> None:
        """Move from the best node to the best below it, repeatedly."""
        at = None
        while self.best is not None and self.best.levels != at:
            at = self.best.levels
            for i, level in enumerate(at):
                if level and self._is_candidate(_moved(at, i, -1)) and not self._is_over():
                    self._look_at(_moved(at, i, -1))

    def _finish(self, bottom: Levels) -> bool:
        """Visit all candidates in order of their loss; False if the limit ended the search."""
        if not bottom:
            return True
        order = np.argsort(self._information_bounds(), axis=None, kind="stable")
        position = 0
        while position < len(order):
            block = order[position : position + 4096]
            is_open = ~self.closed.ravel()[block]
            if self.best is not None:
                is_open &= self.bound.ravel()[block] <= self.best.loss
            if not is_open.any():
                position += len(block)
                continue
            if self._is_over():
                return False
            position += int(is_open.argmax())
            place = np.unravel_index(int(order[position]), self.closed.shape)
            self._bisect(self._chain(tuple(int(level) for level in place)))
        return True

    def _is_over(self) -> bool:
        return len(self.looked_at) >= self.max_nodes


def _moved(levels: Levels, column: int, by: int) -> Levels:
    return (*levels[:column], levels[column] + by, *levels[column + 1 :])
