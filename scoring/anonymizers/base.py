# SPDX-License-Identifier: Apache-2.0
"""Anonymizer: a pure function from a table to a table, and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ProblemsFound
from scoring.options import Method, Option, Value

if TYPE_CHECKING:
    import pandas as pd

    from scoring.tables.schema import Schema


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

    def __call__(
        self, original: pd.DataFrame, schema: Schema, *, rng: np.random.Generator, **options: Value
    ) -> Anonymized:
        """Anonymize a table by this method only; identifier columns are dropped first.

        Raises
        ------
        ProblemsFound
            Where an option is unknown or its value cannot be used.

        Examples
        --------
        >>> from scoring.anonymizers import ANONYMIZERS
        >>> from scoring.examples import SCHEMA, table
        >>> mondrian = ANONYMIZERS["mondrian"]
        >>> found = mondrian(table("original"), SCHEMA, rng=np.random.default_rng(1), k=4)
        >>> found.table["QI3"].nunique(), found.source.tolist()
        (1, [0, 1, 2, 3])
        """
        if problems := self.problems(options):
            raise ProblemsFound(problems)
        public = schema.public()
        table = original[list(public.names)].reset_index(drop=True)
        return self.step(Anonymized(table, untouched(table)), table, public, rng, options)

    def step(
        self,
        before: Anonymized,
        original: pd.DataFrame,
        schema: Schema,
        rng: np.random.Generator,
        options: Mapping[str, Value],
    ) -> Anonymized:
        """Apply the method to what other methods have made of an original; options are not checked here."""
        past = {"original": original, "source": before.source} if self.looks_back else {}
        made = self.function(before.table, schema, rng=rng, **past, **options)
        return Anonymized(made.table, before.source[made.source], before.warnings + made.warnings)

    @property
    def description(self) -> str:
        return self.function.__doc__ or ""


def untouched(table: pd.DataFrame) -> NDArray[np.int64]:
    """The source of a table whose records all stayed in their places."""
    return np.arange(len(table), dtype=np.int64)
