# SPDX-License-Identifier: Apache-2.0
"""Kinds of questions, of answers to them, and of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring.errors import Collector

if TYPE_CHECKING:
    from scoring.tables.schema import Schema

NUMBER = "question"
"""The column of a sheet, and of an answer file, that numbers the questions from 1."""
ASKED, VALUE = "asked", "value"
"""Columns of cells that are drawn for each record: those of the sheet that name them, and those of the answer file."""
MEMBERSHIP, ATTRIBUTES, ROWS, LINKS = "membership", "attributes", "rows", "links"
BITS, CONFIDENCES, VALUES, INTERVALS, LINES = "bits", "confidences", "values", "intervals", "lines"
COMBINATIONS = ("max", "mean", "sum")
"""The ways in which the results of several questions become that of a guess: the largest, their mean, or the sum of
their hits over the sum of all possible ones."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A kind of question: its results for each kind of answer, the usual ones first.

    With `asks_controls`, all records that were never in the table are asked, too, unless the ruleset says
    how many.
    """

    results: Mapping[str, tuple[str, ...]]
    asks_controls: bool


WEIGHTED = "weighted_advantage"
"""SNAKE's result: who answers chooses by weights what it is a share of, so it has no chance to be compared with."""

ASKS: Mapping[str, Asked] = {
    MEMBERSHIP: Asked(
        {
            BITS: ("hits", "precision", "accuracy", "advantage", "over_half"),
            CONFIDENCES: ("tpr_at_fpr", "auc", "advantage", WEIGHTED),
        },
        asks_controls=True,
    ),
    ATTRIBUTES: Asked(
        {
            VALUES: ("share", "over_controls", "over_baseline"),
            INTERVALS: ("share", "over_controls"),
        },
        asks_controls=False,
    ),
    ROWS: Asked({VALUES: ("cells", "whole")}, asks_controls=False),
    LINKS: Asked({LINES: ("first", "any", "recall_precision_top")}, asks_controls=True),
}


@dataclass(frozen=True, slots=True)
class QuestionSpec:
    """A question of a round, asked about each of some records of a published table.

    Attributes
    ----------
    key : str
        The name of its sheet and of its answer file.
    asks : str
        One of `ASKS`: a membership bit, the sensitive value of `column`, all columns of a record but `known`, or the
        line of the published table that a record became.
    answers, result : str
        The kind of answer, and how answers become a result from 0 to 1, of those of `ASKS`.
    targets, controls : int or None
        How many records of the team are asked, and how many that were never in its table; None for all.
    known : tuple of str or None
        The columns of the sheet; None for all but `column`.
    cells : int or None
        Of a question about `rows`: the number of cells that are asked of each record, drawn for it among the columns
        that are not known; its other cells are shown. None: all these columns are asked.
    ones : int or None
        How many answers must be 1.
    fpr : float or None
        The false positive rate at which the true positive rate is taken.
    tolerance : float
        The largest difference of a right number from the true one, or the largest width of an interval.
    candidates : int
        How many lines may be named for a question, in order.
    margin : float or None
        The result is what is above chance by more than so many standard errors, as a share of what is not chance; see
        `scoring.questions.chance`. None for the plain result.
    required : bool
        A guess without its answer file is refused; otherwise its result is 0.
    """

    key: str
    asks: str
    answers: str
    result: str
    title: Mapping[str, str] = field(default_factory=dict)
    targets: int | None = None
    controls: int | None = None
    known: tuple[str, ...] | None = None
    cells: int | None = None
    column: str | None = None
    ones: int | None = None
    fpr: float | None = None
    tolerance: float = 0.0
    candidates: int = 1
    margin: float | None = None
    required: bool = True

    @property
    def chance(self) -> float:
        """The result of answers that chance decides, 0 to 1; 0 where it depends on the table."""
        if self.result == "tpr_at_fpr":
            return self.fpr or 0.0
        return 0.5 if self.result in ("hits", "precision", "accuracy", "auc") else 0.0

    def shown(self, schema: Schema) -> tuple[str, ...]:
        """The columns of the sheet, in the schema's order."""
        names = schema.public().names
        if self.known is not None and self.cells is None:
            return tuple(name for name in names if name in self.known)
        return tuple(name for name in names if name != self.column)

    def blanked(self, schema: Schema) -> tuple[str, ...]:
        """The columns that answers give a value of, or from which cells are drawn, in the schema's order."""
        if self.asks == ATTRIBUTES:
            return (str(self.column),)
        if self.asks == ROWS:
            return tuple(n for n in schema.public().names if n not in (self.known or ()))
        return ()

    @property
    def drawn(self) -> range:
        """The numbers of the cells that are drawn for each record, from 1."""
        return range(1, 1 + (self.cells or 0))

    def columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns of an answer file, next to that of the number of the question.

        Examples
        --------
        >>> from scoring.examples import SCHEMA
        >>> QuestionSpec("a", "attributes", "intervals", "share", column="SA1").columns(SCHEMA)
        ('SA1_low', 'SA1_high')
        >>> QuestionSpec("l", "links", "lines", "any", candidates=2).columns(SCHEMA)
        ('line_1', 'line_2')
        """
        if self.answers == BITS:
            return ("member",)
        if self.answers == CONFIDENCES:
            return ("confidence",)
        if self.answers == LINES:
            return tuple(f"line_{place}" for place in range(1, self.candidates + 1))
        if self.answers == INTERVALS:
            return (f"{self.column}_low", f"{self.column}_high")
        return tuple(f"{VALUE}_{n}" for n in self.drawn) or self.blanked(schema)

    def check(self, schema: Schema) -> None:
        """Raise `ProblemsFound` if the columns of the table do not fit the question."""
        problems, names = Collector(), schema.public().names
        for name in (*(self.known or ()), *((self.column,) if self.column else ())):
            if name not in names:
                problems.add(
                    "question.no_column", key=self.key, expected=", ".join(names), got=name
                )
        problems.raise_if_any()
        if self.answers == INTERVALS and not schema.column(str(self.column)).is_numeric:
            problems.add("question.no_number", key=self.key, got=str(self.column))
        for name in (NUMBER, *(f"{part}_{n}" for part in (ASKED, VALUE) for n in self.drawn)):
            if name in names:
                problems.add("question.reserved", key=self.key, got=name)
        n_asked = self.cells or 1
        if self.asks == ROWS and len(self.blanked(schema)) < n_asked:
            problems.add("question.nothing_asked", key=self.key, expected=n_asked)
        problems.raise_if_any()
