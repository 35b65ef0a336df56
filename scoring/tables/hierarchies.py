# SPDX-License-Identifier: Apache-2.0
"""Generalization hierarchies: which values of a column become one, level by level.

A hierarchy comes from a file, as `attr_depth.json` of the lecture's contest gives it, or is made
from the column: numbers by nested intervals, categories by halving the schema's order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from scoring.errors import Collector, shorten
from scoring.tables.generalization import lost_in_groups
from scoring.tables.hierarchy_files import HIERARCHY_FILE, Source, content_of, read_definitions
from scoring.tables.schema import Column, Schema
from scoring.tables.text import MAX_CATEGORY

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Intervals = Literal["quantile", "width"]

N_INTERVALS = 16
"""Intervals of a number at the finest level that is made; each further level joins two and two."""
EVERYTHING = "*"
"""The label of the group of all values."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The groups of one column's values at each level; level 0 leaves every value as it is.

    Attributes
    ----------
    values : array, shape (n_values,)
        The values that occur in the column, in the column's order.
    of_record : int64 array, shape (n_records,)
        The position of each record's value.
    groups : int64 array, shape (n_levels, n_values)
        The group of each value, 0 to the last group of the level, in the order of their first
        values.
    labels : tuple of tuples of str
        What the groups of each level are called; for numbers empty.
    """

    column: Column
    values: NDArray[Any]
    of_record: Ints
    groups: Ints
    labels: tuple[tuple[str, ...], ...] = ()

    @property
    def n_levels(self) -> int:
        return len(self.groups)

    @property
    def top(self) -> int:
        """The highest level."""
        return self.n_levels - 1

    @property
    def from_fine(self) -> list[int]:
        """The levels in the order of their numbers of groups, the most first."""
        return sorted(range(self.n_levels), key=lambda level: -int(self.groups[level].max()))

    def losses(self) -> Floats:
        """The information that each value loses at each level, shape (n_levels, n_values).

        Of a number the width of its group over that of the column, of a category the other values
        of its group over the other values of the column: 0 as it is, 1 if all are one group.

        Notes
        -----
        Iyengar, "Transforming Data to Satisfy Privacy Constraints", general loss metric.
        """
        n_values = len(self.values)
        if n_values < 2:
            return np.zeros(self.groups.shape)
        if self.column.is_numeric:
            places: NDArray[Any] = self.values.astype(np.float64)
            whole = float(places[-1] - places[0])
        else:
            places, whole = np.arange(n_values), float(n_values - 1)
        return np.stack([lost_in_groups(g, places, whole)[g] for g in self.groups])

    def ascending(self) -> Hierarchy:
        """The same levels from fine to coarse, each within the next, without repetitions.

        The deepest level of a file may be its finest or its coarsest.

        Raises
        ------
        ProblemsFound
            The levels are not nested.
        """
        kept = [0]
        for level in self.from_fine:
            finer, coarser = self.groups[kept[-1]], self.groups[level]
            if coarser.max() == finer.max() and (coarser == finer).all():
                continue
            if len(set(zip(finer.tolist(), coarser.tolist(), strict=True))) > finer.max() + 1:
                problems = Collector()
                got = f"{self._depth(kept[-1])}, {self._depth(level)}"
                problems.add(
                    "hierarchy.not_nested", file=HIERARCHY_FILE, column=self.column.name, got=got
                )
                problems.raise_if_any()
            kept.append(level)
        labels = tuple(self.labels[level] for level in kept) if self.labels else ()
        return Hierarchy(self.column, self.values, self.of_record, self.groups[kept], labels)

    def _depth(self, level: int) -> str:
        return f"{'threshold' if self.column.is_numeric else 'depth'}_{level}"


def hierarchies(
    table: pd.DataFrame,
    schema: Schema,
    columns: Iterable[str],
    content: Source = "",
    *,
    intervals: Intervals = "quantile",
) -> list[Hierarchy]:
    """The hierarchies of some columns: from the file where it has one, else made.

    `content` is what the file holds, or its path.

    Raises
    ------
    ProblemsFound
        The file cannot be read; or all problems of the content: columns that do not exist, keys
        missing or unknown, values of the table without an entry, thresholds that are not ascending
        numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from scoring.tables.schema import Kind, Role
    >>> schema = Schema((Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),))
    >>> table = pd.DataFrame({"age": [21, 39, 40, 68]})
    >>> content = {"age": {"type": "numeric", "threshold_1": "30/60"}}
    >>> (age,) = hierarchies(table, schema, ["age"], content)
    >>> age.groups.tolist()
    [[0, 1, 2, 3], [0, 1, 1, 2]]
    """
    definitions = read_definitions(content_of(content), schema)
    problems = Collector()
    found = []
    for name in columns:
        column = schema.column(name)
        values, of_record = _occurring(table[name], column)
        definition = definitions.get(name)
        if definition is None:
            found.append(_made(column, values, of_record, intervals))
        elif column.is_numeric:
            found.append(_by_thresholds(column, values, of_record, definition.thresholds))
        else:
            missing = [value for value in values if value not in definition.labels[0]]
            for value in missing:
                got = shorten(value)
                problems.add("hierarchy.missing_value", file=HIERARCHY_FILE, column=name, got=got)
            if not missing:
                found.append(_by_labels(column, values, of_record, definition.labels))
    problems.raise_if_any()
    return found


def nested_groups(values: Sequence[str], labels: Sequence[Mapping[str, str]]) -> Ints:
    """The group of each category at each height of a hierarchy, from the categories to the coarsest.

    `labels` has the label of each category at each depth, the finest or the coarsest first. A category
    that the hierarchy lacks is in a group of its own at all heights.

    Raises
    ------
    ValueError
        The depths are not nested.

    Examples
    --------
    >>> labels = ({"flu": "lungs", "bronchitis": "lungs", "gastritis": "stomach"},)
    >>> nested_groups(["bronchitis", "flu", "gastritis"], labels).tolist()
    [[0, 1, 2], [0, 0, 1]]
    """
    named = [[(value in depth, depth.get(value, value)) for value in values] for depth in labels]
    found = [np.arange(len(values), dtype=np.int64)]
    for names in sorted(named, key=lambda names: -len(set(names))):
        number = {name: i for i, name in enumerate(dict.fromkeys(names))}
        groups = np.array([number[name] for name in names], dtype=np.int64)
        if len(set(zip(found[-1].tolist(), groups.tolist(), strict=True))) > found[-1].max() + 1:
            raise ValueError("labels: expected depths of which each is within the next")
        if (groups != found[-1]).any():
            found.append(groups)
    return np.stack(found)


def _occurring(series: pd.Series, column: Column) -> tuple[NDArray[Any], Ints]:
    """The values that occur, in the column's order, and the position of each record's value."""
    import pandas as pd

    if column.is_numeric:
        values, of_record = np.unique(series.to_numpy(), return_inverse=True)
        return values, of_record.astype(np.int64)
    found, distinct = pd.factorize(series.to_numpy(dtype=object), use_na_sentinel=False)
    place = {value: i for i, value in enumerate(column.values or sorted(distinct))}
    order = sorted(range(len(distinct)), key=lambda i: place.get(distinct[i], len(place)))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.array([distinct[i] for i in order], dtype=object), rank[found]


def _by_thresholds(
    column: Column, values: NDArray[Any], of_record: Ints, thresholds: Sequence[tuple[float, ...]]
) -> Hierarchy:
    """A threshold is the smallest value of the group above it."""
    levels = [np.arange(len(values))]
    levels += [np.searchsorted(np.array(cuts), values, side="right") for cuts in thresholds]
    return Hierarchy(column, values, of_record, np.stack([_numbered(g) for g in levels]))


def _by_labels(
    column: Column, values: NDArray[Any], of_record: Ints, depths: Sequence[Mapping[str, str]]
) -> Hierarchy:
    import pandas as pd

    groups, labels = [np.arange(len(values), dtype=np.int64)], [tuple(map(str, values))]
    for depth in depths:
        found, names = pd.factorize(np.array([depth[v] for v in values], dtype=object))
        groups.append(found.astype(np.int64))
        labels.append(tuple(names))
    return Hierarchy(column, values, of_record, np.stack(groups), tuple(labels))


def _made(column: Column, values: NDArray[Any], of_record: Ints, intervals: Intervals) -> Hierarchy:
    """Halves of halves, up to one group of all; levels that would change nothing are left out."""
    if column.is_numeric:
        finest = _intervals(values.astype(np.float64), np.bincount(of_record), intervals)
        levels = [np.arange(len(values)), finest]
    else:
        place = {value: i for i, value in enumerate(column.values or values)}
        levels = [np.array([place.get(v, len(place)) for v in values], dtype=np.int64)]
    while len(values) and levels[-1].max() > 0:
        levels.append(levels[-1] >> 1)
    groups = [_numbered(level) for level in levels]
    changed = [True] + [bool((a != b).any()) for a, b in pairwise(groups)]
    kept = [g for g, is_new in zip(groups, changed, strict=True) if is_new]
    labels = () if column.is_numeric else tuple(_named(values, level) for level in kept)
    return Hierarchy(column, values, of_record, np.stack(kept), labels)


def _intervals(values: Floats, counts: Ints, intervals: Intervals) -> Ints:
    """The interval of each value: of equal width, or with about as many records each."""
    if intervals == "width":
        width = values[-1] - values[0] if len(values) > 1 else 1.0
        steps = np.floor((values - values[:1]) / width * N_INTERVALS).astype(np.int64)
        last: Ints = np.minimum(steps, N_INTERVALS - 1)
        return last
    below: Ints = np.cumsum(counts) - counts
    places: Ints = below * N_INTERVALS // max(int(counts.sum()), 1)
    return places


def _named(values: NDArray[Any], groups: Ints) -> tuple[str, ...]:
    """Labels such as `30-39..50-59`, of the first and the last value of each group."""
    n_groups = int(groups.max(initial=-1)) + 1
    if n_groups == 1 and len(values) > 1:
        return (EVERYTHING,)
    ends = [values[groups == group] for group in range(n_groups)]
    return tuple(e[0] if len(e) == 1 else _label(e[0], e[-1]) for e in ends)


def _label(first: str, last: str) -> str:
    return shorten(f"{first}..{last}", MAX_CATEGORY)


def _numbered(groups: Ints) -> Ints:
    """The same groups numbered from 0 in the order of their first values."""
    import pandas as pd

    numbered: Ints = pd.factorize(groups)[0].astype(np.int64)
    return numbered
