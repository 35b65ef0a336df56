# SPDX-License-Identifier: Apache-2.0
"""Reading the questions of a round about published tables."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring.questions.asked import (
    ASKS,
    ATTRIBUTES,
    BITS,
    COMBINATIONS,
    INTERVALS,
    LINKS,
    ROWS,
    WEIGHTED,
    QuestionSpec,
)
from scoring.rulesets.base import BandSpec, FileSpec
from scoring.rulesets.kinds import ANSWERS, WITHOUT_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.rulesets.base import DataSpec
    from scoring.rulesets.document import Document
    from scoring.rulesets.kinds import RoundKind

MOST = 1_000_000
MOST_CANDIDATES = 100
LARGEST = 1e12
LARGEST_MARGIN = 10


@dataclass(frozen=True, slots=True)
class AskedSpec:
    """The questions of a round, what makes one result of theirs, and the bands of its feedback."""

    questions: tuple[QuestionSpec, ...] = ()
    combine: str = COMBINATIONS[0]
    bands: tuple[BandSpec, ...] = ()

    @property
    def files(self) -> tuple[FileSpec, ...]:
        """An answer file for each question."""
        return tuple(FileSpec(q.key, ANSWERS, q.required, dict(q.title)) for q in self.questions)


def read_asked(document: Document, kind: RoundKind, data: DataSpec) -> AskedSpec:
    """The questions of a round; nothing for a kind that asks none."""
    if not kind.asks_questions:
        return AskedSpec()
    documents = document.tables("question")
    questions = tuple(_question(item, data) for item in documents)
    _check_keys(documents, questions)
    combine = COMBINATIONS[0]
    if len(questions) > 1 or document.has("combine"):
        combine = document.choice("combine", COMBINATIONS)
    if questions and not any(question.required for question in questions):
        documents[0].wrong("required", "true for at least one question", False)
    return AskedSpec(questions, combine, _bands(document))


def _check_keys(documents: Sequence[Document], questions: Sequence[QuestionSpec]) -> None:
    seen: set[str] = set()
    for document, question in zip(documents, questions, strict=True):
        if question.key and question.key in seen:
            document.wrong("key", "a key that no other question of the round has", question.key)
        seen.add(question.key)


def check_proportions(
    document: Document, questions: Sequence[Sequence[QuestionSpec]], data: DataSpec
) -> None:
    """All sheets of a contest ask as many controls for each target, as others would show who is one.

    Rules that were accepted before stay so: their sheets are drawn in the largest of these proportions.
    """
    if document.absent is not None:
        return
    stated = {
        f"round[{round}].question[{number}].controls": (question, controls, targets)
        for round, asked in enumerate(questions, start=1)
        for number, question in enumerate(asked, start=1)
        for controls, targets in [_numbers_asked(question, data)]
        if controls is not None and targets
    }
    if not stated:
        return
    most, controls, targets = max(stated.values(), key=lambda one: Fraction(one[1], one[2]))
    for name, (_question, n_controls, n_targets) in stated.items():
        if n_controls * targets != controls * n_targets:
            document.wrong(
                name,
                f"{controls} controls for {targets} targets, as in the question {most.key}: sheets in "
                "other proportions would show who was in the table",
                f"{n_controls} for {n_targets}",
            )


def _numbers_asked(question: QuestionSpec, data: DataSpec) -> tuple[int | None, int | None]:
    """The numbers of controls and targets, None where they depend on the table, or on what other questions ask."""
    controls, targets = question.controls, question.targets
    if controls is None and question.asks and ASKS[question.asks].asks_controls:
        controls = data.decoys or None
    if targets is None:
        targets = data.sample
    return controls, targets


def _question(document: Document, data: DataSpec) -> QuestionSpec:
    key, title = document.short_name("key"), document.translated("title")
    asks = document.choice("asks", ASKS)
    if not asks:
        document.give_up()  # which other keys are right depends on it
        return QuestionSpec(key, "", "", "", title)
    results = ASKS[asks].results
    answers = next(iter(results))
    if document.has("answers"):
        answers = document.choice("answers", results) or answers
    result = results[answers][0]
    if document.has("result"):
        result = document.choice("result", results[answers])
    question = QuestionSpec(
        key,
        asks,
        answers,
        result,
        title,
        **_columns(document, asks, data),
        **_numbers(document, asks, answers, result),
    )
    if data.tables in WITHOUT_ROWS and asks == LINKS:
        others = ", ".join(name for name in ASKS if name != LINKS)
        document.wrong("asks", f"one of: {others}, as data.tables is {data.tables}", asks)
    if data.schema is not None and (asks not in (ATTRIBUTES,) or question.column):
        document.adopted("known", lambda: question.check(data.schema))  # type: ignore[arg-type]
    return question


def _columns(document: Document, asks: str, data: DataSpec) -> dict[str, Any]:
    """The known columns, and the one that is asked."""
    names = None if data.schema is None else data.schema.public().names
    found: dict[str, Any] = {}
    if asks == ATTRIBUTES:
        found["column"] = (
            document.text("column") if names is None else document.choice("column", names)
        )
    if document.has("known") or asks == ROWS:
        found["known"] = (
            document.names("known") if names is None else document.choices("known", names)
        )
        if found.get("column") in found["known"]:
            document.wrong("known", "columns other than the one that is asked", found["column"])
    if asks == ROWS and document.has("cells"):
        found["cells"] = document.integer("cells", 1, MOST_CANDIDATES)
    return found


def _numbers(document: Document, asks: str, answers: str, result: str) -> dict[str, Any]:
    """The numbers of asked records, and the parameters of answers and result."""
    found: dict[str, Any] = {}
    if document.has("targets"):
        found["targets"] = document.integer("targets", 1, MOST)
    if document.has("controls") or result == "over_controls":
        least = 1 if result == "over_controls" else 0
        found["controls"] = document.integer("controls", least, MOST)
    if answers == BITS and document.has("ones"):
        found["ones"] = document.integer("ones", 1, MOST)
    if result == "tpr_at_fpr":
        found["fpr"] = document.number("fpr", 0, 1)
    if answers == INTERVALS or (asks in (ATTRIBUTES, ROWS) and document.has("tolerance")):
        found["tolerance"] = document.number("tolerance", 0, LARGEST)
    if asks == LINKS and document.has("candidates"):
        found["candidates"] = document.integer("candidates", 1, MOST_CANDIDATES)
    if result != WEIGHTED and document.has("margin"):
        found["margin"] = document.number("margin", 0, LARGEST_MARGIN)
    if document.has("required"):
        found["required"] = document.boolean("required")
    return found


def _bands(document: Document) -> tuple[BandSpec, ...]:
    if not document.has("band"):
        return ()
    documents = document.tables("band")
    bands = tuple(BandSpec(d.number("at_least", 0, 1), d.translated("title")) for d in documents)
    for before, band, item in zip(bands, bands[1:], documents[1:], strict=False):
        if band.at_least <= before.at_least:
            item.wrong(
                "at_least", f"more than {before.at_least:g}, that of the band before", band.at_least
            )
    if bands and bands[0].at_least > 0:
        documents[0].wrong("at_least", "0, as every rate is in a band", bands[0].at_least)
    return bands
