"""Anonymizer: a pure function from a table to a table, and its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.options import Method, Option

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Anonymized:
    """An anonymized table and, for each of its records, the original record it was made from.

    `source` is int64, 0-based, without repeats: what the team declares in its row-number file.
    `warnings` say what a user should know of the method's result.
    """

    table: pd.DataFrame
    source: NDArray[np.int64]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Anonymizer(Method):
    """A registered anonymizer: `function(table, schema, *, rng, **options) -> Anonymized`.

    `protects` names the threats in a few words, `costs` what the table loses. One that
    `looks_back` is also given `original` and `source`: the table before the first method of the
    chain, and the row there of each record.
    """

    id: str
    title: str
    protects: str
    costs: str
    function: Callable[..., Anonymized]
    options: tuple[Option, ...] = ()
    looks_back: bool = False

    @property
    def description(self) -> str:
        return self.function.__doc__ or ""


def untouched(table: pd.DataFrame) -> NDArray[np.int64]:
    """The source of a table whose records all stayed in their places."""
    return np.arange(len(table), dtype=np.int64)
