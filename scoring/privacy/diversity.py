# SPDX-License-Identifier: Apache-2.0
"""Distribution of the values of one sensitive column over equivalence classes.

Formulas on counts only: measures apply them to a released table, anonymizers to classes that they
consider. Comparisons are exact wherever the definition allows it: counts stay integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_DENOMINATOR = 10**6
"""c of (c, l) is read as a decimal fraction of at most six digits, so that 1.1 means 11/10."""
_CLASSES_AT_ONCE = 4096
ENTROPY_DECIMALS = 12
"""exp(ln 3) is not 3 in floating point; rounded here, three equal shares are exactly 3."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The count of each value in each class; only the pairs that occur are kept.

    A column of amounts has as many values as records: a full matrix would not fit in memory.

    Attributes
    ----------
    starts : int64 array, shape (n_classes + 1,)
        The pairs of class i stand at `starts[i]:starts[i + 1]`; no class is empty.
    values : int64 array, shape (n_pairs,)
        Positions of the values in the order of the column, ascending within a class.
    counts : int64 array, shape (n_pairs,)
        Records of the class with that value, 1 or more.
    n_values : int
        Number of values of the column, those that do not occur included.
    """

    starts: Ints
    values: Ints
    counts: Ints
    n_values: int

    @classmethod
    def of(
        cls, classes: Ints, values: Ints, n_values: int | None = None, weights: Ints | None = None
    ) -> ClassCounts:
        """Count the records of each class, 0 to the last, by the position of their value.

        `weights` are the numbers of records that each pair stands for, by default 1.

        Raises
        ------
        ValueError
            A class between 0 and the last has no record, or a value is outside 0 to n_values - 1.

        Examples
        --------
        >>> counts = ClassCounts.of(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 1]))
        >>> counts.matrix().tolist()
        [[1, 1], [0, 3]]
        """
        n = int(values.max(initial=-1)) + 1 if n_values is None else n_values
        if len(values) and not (values.min() >= 0 and values.max() < n):
            raise ValueError(f"values: expected positions from 0 to {n - 1}")
        ones = np.ones(len(values), dtype=np.int64) if weights is None else weights
        keys = classes.astype(np.int64) * max(n, 1) + values
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
        counts = np.add.reduceat(ones[order], first) if len(first) else ones
        of_class, found = np.divmod(ordered[first], max(n, 1))
        pairs = np.bincount(of_class)
        if not pairs.all():
            raise ValueError("classes: expected every class from 0 to the last to have a record")
        starts = np.r_[0, np.cumsum(pairs)].astype(np.int64)
        return cls(starts, found, counts.astype(np.int64), n)

    @classmethod
    def of_matrix(cls, matrix: Ints) -> ClassCounts:
        """The counts that stand in a matrix of shape (n_classes, n_values).

        Raises
        ------
        ValueError
            A row is all zeros.
        """
        classes, values = np.nonzero(matrix)
        if len(np.unique(classes)) < len(matrix):
            raise ValueError("matrix: expected a record in every class")
        weights = matrix[classes, values].astype(np.int64)
        return cls.of(classes.astype(np.int64), values, matrix.shape[1], weights)

    @property
    def n_classes(self) -> int:
        return len(self.starts) - 1

    @property
    def classes(self) -> Ints:
        """The class of each pair."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.starts))

    @property
    def sizes(self) -> Ints:
        """Records of each class."""
        return self.sums(self.counts)

    @property
    def total(self) -> Ints:
        """Records with each value over all classes, shape (n_values,)."""
        total = np.zeros(self.n_values, dtype=np.int64)
        np.add.at(total, self.values, self.counts)
        return total

    def sums(self, of_pairs: Ints) -> Ints:
        """Sums over the pairs of each class."""
        sums: Ints = np.add.reduceat(of_pairs, self.starts[:-1]) if self.n_classes else of_pairs
        return sums

    def merged(self, into: Ints) -> ClassCounts:
        """The counts of coarser classes: class i becomes part of class `into[i]`."""
        return ClassCounts.of(into[self.classes], self.values, self.n_values, self.counts)

    def matrix(self) -> Ints:
        """The counts as a matrix of shape (n_classes, n_values)."""
        matrix = np.zeros((self.n_classes, self.n_values), dtype=np.int64)
        matrix[self.classes, self.values] = self.counts
        return matrix


def distinct_l(counts: ClassCounts) -> Ints:
    """Number of different values in each class, 1 or more.

    Examples
    --------
    >>> distinct_l(ClassCounts.of_matrix(np.array([[2, 1], [3, 0]]))).tolist()
    [2, 1]
    """
    return np.diff(counts.starts)


def entropy_l(counts: ClassCounts) -> Floats:
    """exp of the entropy of each class (natural logarithm): from 1, one value, to the number of
    different values, all equally frequent. Not floored.

    Notes
    -----
    Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity", definition of entropy
    l-diversity: a class has it where its entropy is log(l) or more, that is where this is l or
    more.

    Examples
    --------
    >>> entropy_l(ClassCounts.of_matrix(np.array([[1, 1, 1], [2, 2, 0], [5, 0, 0]]))).tolist()
    [3.0, 2.0, 1.0]
    """
    if not counts.n_classes:
        return np.empty(0)
    shares = counts.counts / np.repeat(counts.sizes, np.diff(counts.starts))
    entropies = -np.add.reduceat(shares * np.log(shares), counts.starts[:-1])
    return np.asarray(np.round(np.exp(entropies), ENTROPY_DECIMALS), dtype=np.float64)


def recursive_l(counts: ClassCounts, c: float) -> Ints:
    """The largest l for which each class is recursively (c, l)-diverse; 0 where none is.

    With r_1 ≥ r_2 ≥ … ≥ r_m the counts of the class in descending order: the largest l ≤ m with
    r_1 < c · (r_l + r_(l+1) + … + r_m).

    Notes
    -----
    Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity", definition of recursive
    (c, l)-diversity.

    Examples
    --------
    >>> recursive_l(ClassCounts.of_matrix(np.array([[1, 5, 2, 2], [3, 0, 0, 0]])), 2).tolist()
    [3, 1]
    >>> recursive_l(ClassCounts.of_matrix(np.array([[3, 0]])), 1).tolist()
    [0]
    """
    if not counts.n_classes:
        return np.empty(0, dtype=np.int64)
    # A greater c changes nothing, for no tail is under 1; the products below stay within 63 bits.
    enough = int(counts.sizes.max()) + 1
    ratio = Fraction(str(min(c, enough))).limit_denominator(MAX_DENOMINATOR)
    order = np.lexsort((-counts.counts, counts.classes))
    descending = counts.counts[order]
    largest = descending[counts.starts[:-1]]
    before = np.cumsum(descending) - descending
    ends = np.repeat(before[counts.starts[:-1]] + counts.sizes, np.diff(counts.starts))
    tails = ends - before
    bound = np.repeat(largest, np.diff(counts.starts)) * ratio.denominator
    return counts.sums((bound < tails * ratio.numerator).astype(np.int64))


def alpha(counts: ClassCounts) -> Floats:
    """The share of the most frequent value in each class: above 0, at most 1, one value.

    Notes
    -----
    Wong et al., "(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy-Preserving Data
    Publishing".

    Examples
    --------
    >>> alpha(ClassCounts.of_matrix(np.array([[1, 3], [2, 0]]))).tolist()
    [0.75, 1.0]
    """
    if not counts.n_classes:
        return np.empty(0)
    shares: Floats = np.maximum.reduceat(counts.counts, counts.starts[:-1]) / counts.sizes
    return shares


def total_variation(counts: ClassCounts, total: Ints | None = None) -> Floats:
    """The distance of the shares of each class from those of all records: half the sum of absolute
    differences, from 0, the same shares, to 1.

    This is the earth mover's distance where all values are equally far apart (Li, Li &
    Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", section on
    categorical attributes).

    Parameters
    ----------
    total
        Records with each value in the table to compare with; by default the sum of the classes.
        It has to hold every value of the classes.

    Examples
    --------
    >>> total_variation(ClassCounts.of_matrix(np.array([[2, 0], [1, 1]]))).tolist()
    [0.25, 0.25]
    """
    of_all = counts.total if total is None else total
    n_all = int(of_all.sum())
    sizes = counts.sizes
    surplus = counts.counts * n_all - of_all[counts.values] * np.repeat(
        sizes, np.diff(counts.starts)
    )
    more: Floats = counts.sums(np.maximum(surplus, 0)) / (sizes * n_all)
    return more


def ordered_emd(
    counts: ClassCounts, total: Ints | None = None, positions: Floats | None = None
) -> Floats:
    """Earth mover's distance of each class from all records along the order of the values, from 0,
    the same shares, to 1, everything at opposite ends.

    Moving a share from the i-th to the j-th of m values costs |i - j| / (m - 1), the ordered
    distance of t-closeness; with `positions` it costs |p_i - p_j| / (p_m - p_1).

    Parameters
    ----------
    total
        Records with each value in the table to compare with; by default the sum of the classes.
        Values that do not occur in it count as places in the order all the same.
    positions
        A number for each value, ascending.

    Notes
    -----
    Li, Li & Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", section
    on numerical attributes. Their example has nine salaries, 3k to 11k, one record each: the class
    of 3k, 4k, 5k is at 0.375, the class of 6k, 8k, 11k at 0.167.

    Examples
    --------
    >>> matrix = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1]])
    >>> ordered_emd(ClassCounts.of_matrix(matrix), np.ones(9, dtype=np.int64)).round(3).tolist()
    [0.375, 0.167]
    """
    of_all = counts.total if total is None else total
    if counts.n_values < 2:
        return np.zeros(counts.n_classes)
    gaps = np.ones(counts.n_values - 1, dtype=np.int64) if positions is None else np.diff(positions)
    below = np.cumsum(of_all)[:-1]
    n_all = int(of_all.sum())
    length = np.r_[0, np.cumsum(gaps)]
    weighted = np.r_[0, np.cumsum(gaps * below)]
    start, stop, held, sizes = _steps(counts)
    # Within a step the class's own cumulative count stands still while that of all records grows:
    # up to the crossing the difference is of one sign, beyond it of the other.
    wanted = held * n_all
    crossing = np.clip(_n_at_most(below, wanted // sizes, n_all), start, stop)
    up = wanted * (length[crossing] - length[start]) - sizes * (
        weighted[crossing] - weighted[start]
    )
    down = sizes * (weighted[stop] - weighted[crossing]) - wanted * (
        length[stop] - length[crossing]
    )
    n_steps = np.diff(counts.starts) + 1
    first = np.cumsum(n_steps) - n_steps
    moved = np.add.reduceat(up + down, first)
    distances: Floats = moved / (counts.sizes * n_all * length[-1])
    return distances


def gain(counts: ClassCounts) -> Floats:
    """β of basic β-likeness in each class: the largest (q - p) / p of a value, with q its share of the
    class and p that of all records. 0 where all shares are equal.

    Notes
    -----
    Cao & Karras, "Publishing Microdata with a Robust Privacy Guarantee", definition of basic β-likeness.

    Examples
    --------
    >>> gain(ClassCounts.of_matrix(np.array([[2, 0], [1, 1]]))).round(3).tolist()
    [0.333, 1.0]
    """
    if not counts.n_classes:
        return np.empty(0)
    return np.asarray(np.maximum.reduceat(_ratios(counts), counts.starts[:-1]) - 1)


def log_gain(counts: ClassCounts) -> Floats:
    """δ of δ-disclosure privacy in each class: the largest |ln(q / p)| of a value that occurs in it.

    Notes
    -----
    Brickell & Shmatikov, "The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data
    Publishing", definition of δ-disclosure privacy. By it a value that a class lacks makes δ infinite;
    as in ARX and pyCANON such values are left out.

    Examples
    --------
    >>> log_gain(ClassCounts.of_matrix(np.array([[2, 0], [1, 1]]))).round(3).tolist()
    [0.288, 0.693]
    """
    if not counts.n_classes:
        return np.empty(0)
    return np.asarray(np.maximum.reduceat(np.abs(np.log(_ratios(counts))), counts.starts[:-1]))


def _ratios(counts: ClassCounts) -> Floats:
    """q / p of each pair."""
    of_all = counts.total
    sizes = np.repeat(counts.sizes, np.diff(counts.starts))
    ratios: Floats = (counts.counts * int(of_all.sum())) / (sizes * of_all[counts.values])
    return ratios


def hierarchical_emd(counts: ClassCounts, groups: Ints, total: Ints | None = None) -> Floats:
    """Earth mover's distance of each class from all records in a tree of values, from 0 to 1.

    Moving a share between two values costs the height of their lowest common ancestor over the height of
    the tree.

    Parameters
    ----------
    groups
        The group of each value at each height, shape (n_heights, n_values), from the values themselves to
        the coarsest, numbered from 0 and each within one of the next. Where the coarsest is not one group
        of all, that is one further height.
    total
        Records with each value in the table to compare with; by default the sum of the classes.

    Notes
    -----
    Li, Li & Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", section on
    categorical attributes, hierarchical distance: what is left over in the children of a node is moved
    among them as far as it can be.

    Examples
    --------
    Flu and bronchitis are respiratory infections, gastritis is not:

    >>> groups = np.array([[0, 1, 2], [0, 0, 1]])
    >>> all_flu = ClassCounts.of_matrix(np.array([[3, 0, 0], [0, 2, 1]]))
    >>> hierarchical_emd(all_flu, groups).round(3).tolist()
    [0.333, 0.333]
    """
    of_all = counts.total if total is None else total
    levels = list(groups)
    if len(levels[-1]) and levels[-1].max() > 0:
        levels.append(np.zeros_like(levels[-1]))
    height, n_all = len(levels) - 1, int(of_all.sum())
    if height == 0:
        return np.zeros(counts.n_classes)
    found = np.empty(counts.n_classes)
    sizes = counts.sizes
    for start in range(0, counts.n_classes, _CLASSES_AT_ONCE):
        stop = min(start + _CLASSES_AT_ONCE, counts.n_classes)
        pairs = slice(counts.starts[start], counts.starts[stop])
        net = -np.outer(sizes[start:stop], of_all)
        net[counts.classes[pairs] - start, counts.values[pairs]] += counts.counts[pairs] * n_all
        cost = np.zeros(stop - start, dtype=np.int64)
        for at in range(1, height + 1):
            child = levels[at - 1]
            parent = np.empty(int(child.max()) + 1, dtype=np.int64)
            parent[child] = levels[at]
            order = np.argsort(parent, kind="stable")
            first = np.flatnonzero(np.r_[True, np.diff(parent[order]) > 0])
            more = np.add.reduceat(np.maximum(net[:, order], 0), first, axis=1)
            less = np.add.reduceat(np.maximum(-net[:, order], 0), first, axis=1)
            cost += at * np.minimum(more, less).sum(axis=1)
            net = more - less
        found[start:stop] = cost / (height * n_all * sizes[start:stop])
    return found


def _n_at_most(ascending: Ints, bounds: Ints, highest: int) -> Ints:
    """The count of the numbers, 0 to `highest`, that are at most each bound."""
    if highest > 4 * len(bounds):
        return np.searchsorted(ascending, bounds, side="right").astype(np.int64)
    of_bound: Ints = np.cumsum(np.bincount(ascending, minlength=highest + 1))
    return of_bound[bounds]


def _steps(counts: ClassCounts) -> tuple[Ints, Ints, Ints, Ints]:
    """The intervals in which the cumulative count of a class is constant: from value, to value, count and size.

    One step before the first value of the class and one from each value to the next.
    """
    n_pairs = np.diff(counts.starts)
    n_steps = n_pairs + 1
    first = np.cumsum(n_steps) - n_steps
    is_pair = np.ones(n_steps.sum(), dtype=np.bool_)
    is_pair[first] = False
    last = counts.n_values - 1
    start = np.zeros(len(is_pair), dtype=np.int64)
    start[is_pair] = np.minimum(counts.values, last)
    stop = np.full(len(is_pair), last, dtype=np.int64)
    stop[:-1][is_pair[1:]] = start[1:][is_pair[1:]]
    sizes = np.repeat(counts.sizes, n_steps)
    running = np.cumsum(counts.counts)
    before = running[counts.starts[:-1]] - counts.counts[counts.starts[:-1]]
    held = np.zeros(len(is_pair), dtype=np.int64)
    held[is_pair] = running - np.repeat(before, n_pairs)
    return start, stop, held, sizes
