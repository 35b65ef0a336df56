# SPDX-License-Identifier: Apache-2.0
"""A preview of a frame of text: for each column its missing cells, its values, and a histogram."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from scoring.errors import shorten
from scoring.tables.coded import Counts, counts_of, levels_of
from scoring.tables.schema import Kind, Role
from scoring.tables.steps import MISSING
from scoring.tables.suggestion import role_of

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
N_BINS, N_VALUES, N_EXAMPLES = 10, 7, 3
MAX_LABEL = 30
_MISSING = frozenset(MISSING)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram: a value or an interval, and its records. An empty label is that of all other values."""

    label: str
    n: int


@dataclass(frozen=True, slots=True)
class ColumnPreview:
    """The cells of a column.

    Attributes
    ----------
    n_missing, n_distinct : int
        Records whose cell is empty or a sign of a missing value, and the number of other values.
    kind : Kind
        Of all other values. Codes such as 007 are no numbers.
    bars : tuple of Bar
        Ten intervals of equal width of numbers with more values than that; else the most frequent values, and the
        others together.
    examples : tuple of str
        Frequent values.
    """

    name: str
    n_records: int
    n_missing: int
    n_distinct: int
    kind: Kind
    bars: tuple[Bar, ...]
    examples: tuple[str, ...]

    @property
    def role(self) -> Role:
        """The role that the name, or else the values, suggest: a first guess."""
        return role_of(self.name, self.kind, self.n_distinct, self.n_records - self.n_missing)

    @property
    def share_missing(self) -> float:
        """Missing cells among all, 0 to 1."""
        return self.n_missing / self.n_records if self.n_records else 0.0


def preview(
    table: pd.DataFrame, labels_of: Callable[[str], Collection[str]] = lambda _column: ()
) -> list[ColumnPreview]:
    """Each column of a frame of text; of a column `labels_of` says which signs of missing values are values of it.

    Examples
    --------
    >>> from scoring.tables.raw_files import read_raw
    >>> column = preview(read_raw(b"city,age\\nA,31\\nB,NA\\nA,40\\n").table)[0]
    >>> column.n_distinct, column.bars
    (2, (Bar(label='A', n=2), Bar(label='B', n=1)))
    """
    return [
        _previewed(str(name), table[name], _MISSING.difference(labels_of(str(name))))
        for name in table.columns
    ]


def _previewed(name: str, column: pd.Series, signs: Collection[str]) -> ColumnPreview:
    levels, counts = np.array(levels_of(column), dtype=object), counts_of(column)
    is_missing = np.array([level in signs for level in levels], dtype=np.bool_)
    is_known = (counts > 0) & ~is_missing
    known, n = levels[is_known], counts[is_known]
    order = np.argsort(-n, kind="stable")
    frequent = [(str(known[at]), int(n[at])) for at in order[:N_VALUES]]
    numbers = _numbers(known)
    if numbers is not None and len(known) > N_BINS:
        bars = _bins(numbers, n)
    else:
        bars = tuple(Bar(shorten(text, MAX_LABEL), k) for text, k in frequent)
        if (n_others := int(n.sum()) - sum(k for _text, k in frequent)) > 0:
            bars += (Bar("", n_others),)
    return ColumnPreview(
        name,
        len(column),
        int(counts[is_missing].sum()),
        len(known),
        _kind(known, is_numeric=numbers is not None),
        bars,
        tuple(shorten(text, MAX_LABEL) for text, _k in frequent[:N_EXAMPLES]),
    )


def _kind(known: npt.NDArray[np.object_], *, is_numeric: bool) -> Kind:
    if not is_numeric or any(
        len(text) > 1 and text[0] == "0" and text.isdecimal() for text in known
    ):
        return Kind.CATEGORY
    is_whole = all(text.removeprefix("-").isdecimal() for text in known)
    return Kind.INTEGER if is_whole else Kind.NUMBER


def _numbers(known: npt.NDArray[np.object_]) -> Floats | None:
    """The finite numbers of all texts; None where one is none."""
    if not len(known):
        return None
    try:
        numbers = known.astype(np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _bins(numbers: Floats, n: Counts) -> tuple[Bar, ...]:
    sizes, edges = np.histogram(numbers, bins=N_BINS, weights=n)
    labels = (f"{low:.4g} – {high:.4g}" for low, high in pairwise(edges.tolist()))
    return tuple(Bar(label, int(k)) for label, k in zip(labels, sizes, strict=True))
