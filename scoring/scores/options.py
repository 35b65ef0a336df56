# SPDX-License-Identifier: Apache-2.0
"""Options of scores: plain data, so that rules are read without any table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.errors import Problem, ProblemsFound, shorten

if TYPE_CHECKING:
    from scoring.tables.schema import Schema


WORST, MEAN = COMBINE = ("worst", "mean")
"""One value of those of several tables: the worst by the measure's direction, or the mean."""
CANONICAL, AS_SUBMITTED = ORDERS = ("canonical", "as-submitted")
"""Orders of the records of an analysis that learns from a share of them."""
DECLARED, CONTENT, EITHER = TRUTHS = ("declared", "content", "either")
"""Records that a right guess names: the declared one, one that the published line shows by its content, or
either."""
DECIMALS = 9
"""Values are rounded to so many decimals, below which only floating-point noise differs."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a score, for what the definitions leave open.

    Attributes
    ----------
    ties : {"expected", "strict", "first"}
        Among t equally good originals: 1/t, a miss, or the lowest row number.
    no_match : {"miss", "own_row", "all"}
        EUC1 where no original has the record's quasi-identifiers: a miss, the record's own
        position, or the nearest over all originals.
    cells : {"anonymized", "union"}
        U2 and U3 over the cells of the anonymized table, or over those of either table.
    denominator : {"anonymized", "original"}
        Whose number of records a re-identification rate is divided by.
    closeness : {"anonymized", "original"}
        t-closeness compares a class with the sensitive values of the whole anonymized table, or with those
        of the original, as anonymizers with a bound `t` do.
    seed : int
        Where measures that draw at random begin. They sort the records first, so that their order
        decides nothing.
    table_columns : tuple of str
        The columns of the contingency table of table-L2 and table-spearman; where there are none,
        all quasi-identifiers that are categories.
    population_fraction : float or None
        The share of the population that the table is a sample of: above 0, at most 1. None: for zayatz,
        pitman, individual-max and individual-mean n_anonymized / n_original; for suda-mean and suda-max 0.01.
    weight_column : str
        The column of the original with sampling weights, the number of persons of the population that a
        record stands for; individual-max and individual-mean then leave `population_fraction` aside.
    hierarchies : mapping or None
        The content of a file of generalization hierarchies: t-closeness takes the hierarchical distance for
        the sensitive categories that it names.
    """

    ties: str = "expected"
    no_match: str = "miss"
    cells: str = "anonymized"
    denominator: str = "anonymized"
    closeness: str = "anonymized"
    seed: int = 1
    table_columns: tuple[str, ...] = ()
    population_fraction: float | None = None
    weight_column: str = ""
    hierarchies: Mapping[str, Any] | None = field(default=None, hash=False)

    def check(self) -> None:
        """Raise ValueError where an option has an unknown value."""
        for name, choices in (OPTION_CHOICES | OPTIONAL_CHOICES).items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
        fraction = self.population_fraction
        if fraction is not None and not 0 < fraction <= 1:
            raise ValueError(f"population_fraction: expected above 0 and at most 1, got {fraction}")

    def problems(self, schema: Schema) -> list[Problem]:
        """The chosen columns that a table of this schema does not have."""
        public = schema.public()
        found = [
            _wrong("table_columns", f"columns out of: {', '.join(public.names)}", name)
            for name in self.table_columns
            if name not in public.names
        ]
        numeric = [column.name for column in public.columns if column.is_numeric]
        if self.weight_column and self.weight_column not in numeric:
            expected = f"one of the columns of numbers: {', '.join(numeric)}"
            found.append(_wrong("weight_column", expected, self.weight_column))
        return found + self._hierarchy_problems(public)

    def _hierarchy_problems(self, schema: Schema) -> list[Problem]:
        """Columns that are no sensitive categories, and hierarchies that cannot be used."""
        if not self.hierarchies:
            return []
        from scoring.tables.hierarchies import nested_groups
        from scoring.tables.hierarchy_files import read_definitions

        categories = [name for name in schema.sensitive if not schema.column(name).is_numeric]
        expected = f"sensitive categories out of: {', '.join(categories)}"
        others = [name for name in self.hierarchies if name not in categories]
        if others:
            return [_wrong("hierarchies", expected, name) for name in others]
        try:
            definitions = read_definitions(self.hierarchies, schema)
        except ProblemsFound as error:
            return list(error.problems)
        found = []
        for name, definition in definitions.items():
            try:
                nested_groups(list(definition.labels[0]), definition.labels)
            except ValueError:
                expected = "depths of which each is within the next"
                found.append(_wrong(f"hierarchies.{name}", expected, name))
        return found


def _wrong(option: str, expected: str, got: str) -> Problem:
    params = {"key": f"scoring.options.{option}", "expected": expected, "got": shorten(got)}
    return Problem("toml.wrong_value", params, file="ruleset")


TABLE_MEASURES = ("table-L2", "table-spearman")
"""The measures of tables of counts: those of `table_columns`, and the errors of estimates."""
WEIGHTED_MEASURES = ("individual-max", "individual-mean")
"""The measures that `weight_column` is for."""
POPULATION_MEASURES = ("zayatz", "pitman", *WEIGHTED_MEASURES, "suda-mean", "suda-max")
"""The measures that `population_fraction` is for."""
OPTION_CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("expected", "strict", "first"),
    "no_match": ("miss", "own_row", "all"),
    "cells": ("anonymized", "union"),
    "denominator": ("anonymized", "original"),
}
"""The options that every ruleset names."""
OPTIONAL_CHOICES: dict[str, tuple[str, ...]] = {"closeness": ("anonymized", "original")}
"""Those that a ruleset may leave out; then the first choice holds."""
