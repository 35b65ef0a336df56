# SPDX-License-Identifier: Apache-2.0
"""Constraints on each equivalence class: size, diversity and closeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.domain import ordinal
from scoring.errors import Problem, ProblemsFound
from scoring.errors import gettext_noop as _
from scoring.options import Option, wrong_value
from scoring.privacy.diversity import (
    ClassCounts,
    distinct_l,
    entropy_l,
    ordered_emd,
    recursive_l,
    total_variation,
)
from scoring.tables.schema import Kind, Schema

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

DIVERSITY_OPTIONS = (
    Option("l", "integer", 1, _("different sensitive values in each class"), low=1),
    Option("entropy_l", "number", 1.0, _("entropy l-diversity: at least log l"), low=1),
    Option("c", "number", 0.0, _("recursive (c, l)-diversity with the l above; 0 for none")),
    Option("t", "number", 1.0, _("largest distance from the table's distribution"), high=1),
    Option(
        "sensitive", "text", "", _("the sensitive column these are about; by default the first")
    ),
)
"""The options of methods that can bound the diversity and closeness of classes."""


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The sensitive column: positions of its values, and how many records have each."""

    of_record: Ints
    total: Ints
    is_ordered: bool

    @classmethod
    def of(cls, method: str, table: pd.DataFrame, schema: Schema, name: str) -> Sensitive:
        """The column of that name, or the first sensitive one.

        Raises
        ------
        ProblemsFound
            There is no such sensitive column.
        """
        known = schema.sensitive
        if name not in ("", *known) or not known:
            expected = f"a sensitive column, out of {', '.join(known) or 'none'}"
            raise ProblemsFound([wrong_value(method, "sensitive", expected, name or "nothing")])
        column = schema.column(name or known[0])
        is_ordered = column.kind is not Kind.CATEGORY
        if is_ordered:
            codes = np.unique(table[column.name].to_numpy(), return_inverse=True)[1]
        else:
            present = ordinal(table[column.name], column)[0]
            codes = np.unique(present, return_inverse=True)[1]
        codes = codes.astype(np.int64)
        return cls(codes, np.bincount(codes).astype(np.int64), is_ordered)

    def counts(self, classes: Ints, rows: Ints | None = None) -> ClassCounts:
        """The count of each value in each class, over all records or these rows."""
        values = self.of_record if rows is None else self.of_record[rows]
        return ClassCounts.of(classes, values, len(self.total))

    def distances(self, counts: ClassCounts, total: Ints) -> NDArray[np.float64]:
        """The distance of each class from all records of a table, as in t-closeness."""
        distance = ordered_emd if self.is_ordered else total_variation
        return distance(counts, total)


@dataclass(frozen=True, slots=True)
class Constraints:
    """Bounds that a class keeps: at least k records and l values, at most t away from the table.

    `l` counts distinct values, `entropy_l` bounds exp of the entropy, `c` adds recursive
    (c, l)-diversity with the same l. t-closeness is the ordered earth mover's distance for numbers
    and total variation for categories. The values 1, 1, 1, 0, 1 ask for nothing.
    """

    k: int = 1
    l: int = 1  # noqa: E741 — the field's name
    entropy_l: float = 1.0
    c: float = 0.0
    t: float = 1.0

    @property
    def needs_values(self) -> bool:
        """True if sizes of classes do not suffice."""
        return self.l > 1 or self.entropy_l > 1 or self.c > 0 or self.t < 1

    def too_small(self, sizes: Ints, counts: ClassCounts | None) -> Flags:
        """The classes that break a bound which merging with a valid class would restore.

        That is size and distinct values.
        """
        found: Flags = sizes < self.k
        if self.l > 1 and counts is not None:
            found |= distinct_l(counts) < self.l
        return found

    def failing(
        self, sizes: Ints, counts: ClassCounts | None = None, sensitive: Sensitive | None = None
    ) -> Flags:
        """The classes that break a bound. `counts` and `sensitive` are for bounds on values."""
        found = self.too_small(sizes, counts)
        if counts is None or sensitive is None:
            return found
        if self.entropy_l > 1:
            found |= entropy_l(counts) < self.entropy_l
        if self.c > 0:
            found |= recursive_l(counts, self.c) < self.l
        if self.t < 1:
            found |= sensitive.distances(counts, sensitive.total) > self.t
        return found

    def problems(
        self,
        method: str,
        n_records: int,
        sensitive: Sensitive | None,
        *,
        suppresses: bool = False,
    ) -> list[Problem]:
        """The bounds that no classes keep, as not even the whole table as one class keeps them.

        If records may be suppressed, the others may keep bounds that the whole table breaks: all
        but those on its size and on distinct values.
        """
        if self.k > n_records:
            expected = f"an integer from 1 to the table's {n_records} records"
            return [wrong_value(method, "k", expected, self.k)]
        if sensitive is None:
            return []
        whole = sensitive.counts(np.zeros(n_records, dtype=np.int64))
        values, entropy = int(distinct_l(whole)[0]), float(entropy_l(whole)[0])
        found = []
        if self.l > values:
            expected = f"an integer from 1 to the column's {values} values"
            found.append(wrong_value(method, "l", expected, self.l))
        if suppresses:
            return found
        if self.entropy_l > entropy:
            expected = f"a number from 1 to {entropy:.4g}, that of the whole table"
            found.append(wrong_value(method, "entropy_l", expected, self.entropy_l))
        if self.c > 0 and int(recursive_l(whole, self.c)[0]) < self.l <= values:
            expected = f"a number with which the whole table is (c, {self.l})-diverse"
            found.append(wrong_value(method, "c", expected, self.c))
        return found
