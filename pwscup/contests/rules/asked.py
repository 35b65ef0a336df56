# SPDX-License-Identifier: Apache-2.0
"""The questions of a round as text: what is asked, the answer file, and the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from pwscup.core.texts.parts import joined, listed
from scoring.questions.asked import BITS, INTERVALS, LINKS, VALUE
from scoring.rulesets import localized

if TYPE_CHECKING:
    from scoring.questions.asked import QuestionSpec
    from scoring.rulesets import RoundSpec, Ruleset

CELLS = "cells"
"""The text about cells that are drawn for each record, in place of that about rows."""
ASKS = {
    "membership": gettext_lazy("Was this record in the team's table?"),
    "attributes": gettext_lazy("Which value does this record have in the column %(column)s?"),
    "rows": gettext_lazy(
        "Which values does this record have in the columns that the sheet does not show?"
    ),
    CELLS: ngettext_lazy(
        "Which value does this record have in the cell that is drawn for it? The sheet leaves it blank and names "
        "its column.",
        "Which values does this record have in the %(cells)d cells that are drawn for it? The sheet leaves them "
        "blank and names their columns.",
        "cells",
    ),
    "links": gettext_lazy("Which line of the published table was made from this record?"),
}
ANSWERS = {
    "bits": gettext_lazy("1 for a member, 0 for another record."),
    "confidences": gettext_lazy("A number from 0 to 1, higher for a likelier member."),
    "values": gettext_lazy("A value for each column; an empty cell is no answer."),
    "intervals": gettext_lazy(
        "The two ends of an interval of a width of at most %(tolerance)g; empty cells are no answer."
    ),
    "lines": gettext_lazy(
        "At most %(candidates)d lines, counted from 1 without the header, the likeliest first; -1 "
        "for a record that is not in the table."
    ),
}
RESULTS = {
    "hits": gettext_lazy("Result: the share of the members that have a 1."),
    "precision": gettext_lazy("Result: the share of members among the records that have a 1."),
    "accuracy": gettext_lazy("Result: the share of right answers."),
    "advantage": gettext_lazy(
        "Result: the mean confidence of the members less that of the others, at least 0; of bits it is "
        "the true positive rate less the false positive rate. An answer of 0.5 stakes nothing and earns nothing."
    ),
    "weighted_advantage": gettext_lazy(
        "Result: the true positive rate less the false positive rate, at least 0; a confidence "
        "counts by its distance from 0.5."
    ),
    "over_half": gettext_lazy(
        "Result: the right answers beyond half of the questions, as a share of that half, at least 0."
    ),
    "tpr_at_fpr": gettext_lazy(
        "Result: the true positive rate at a false positive rate of %(fpr)g; between two distinct "
        "confidences it follows a straight line."
    ),
    "auc": gettext_lazy(
        "Result: the probability that a member has a higher confidence than a control, ties counting half."
    ),
    "share": gettext_lazy("Result: the share of the team's records whose value is right."),
    "over_controls": gettext_lazy(
        "Result: (p − c) / (1 − c), at least 0, where p is the share of right values of the "
        "team's records and c that of the controls."
    ),
    "over_baseline": gettext_lazy(
        "Result: (p − b) / (1 − b), at least 0, where p is the share of right values of the "
        "team's records and b that of the best single answer to all questions."
    ),
    "cells": gettext_lazy(
        "Result: the share of right cells of the team's records, one less their Hamming distance."
    ),
    "whole": gettext_lazy("Result: the share of the team's records of which every cell is right."),
    "first": gettext_lazy("Result: the share of the team's records whose line is named first."),
    "any": gettext_lazy("Result: the share of the team's records whose line is named."),
    "recall_precision_top": gettext_lazy(
        "Result: recall × precision × top-k: the share of the present records for which a line is "
        "named, the share of present records among those for which one is named, and the share of "
        "the present records whose line is named."
    ),
}
ONE_DRAW = gettext_lazy(
    "All sheets about a table ask people of one list, which is drawn once for all rounds: the sheets on which "
    "somebody stands say nothing about who is in the table. A cell that a sheet asks is blank on the others."
)
MARGIN = gettext_lazy(
    "Of this only what is above chance by more than %(margin)g standard errors counts, as a share of "
    "what chance leaves."
)
CONSTANT = gettext_lazy("Chance is the best answer that is the same to all questions.")
LARGER = gettext_lazy("Chance is the larger group's share of the questions.")
LINES = gettext_lazy("Chance is the share of all lines of the table that may be named.")
CHANCES = {
    "hits": gettext_lazy("Chance is the share of all answers that are 1."),
    "precision": gettext_lazy(
        "Chance is the members' share of the questions; ones that are missing to the number of members, or to that "
        "of the rules, count as wrong."
    ),
    "accuracy": LARGER,
    "over_half": LARGER,
    "advantage": gettext_lazy("Chance is 0."),
    "tpr_at_fpr": gettext_lazy(
        "Chance is the rate that random confidences reach on average, little above the false positive rate."
    ),
    "auc": gettext_lazy("Chance is 1/2."),
    "share": CONSTANT,
    "over_controls": gettext_lazy(
        "Chance is the controls' rate, and the best answer that is the same to all questions: the lower result counts. "
        "An empty answer about a control counts as right."
    ),
    "over_baseline": CONSTANT,
    "cells": gettext_lazy(
        "Chance is the best value that is the same for all records, for each column."
    ),
    "whole": gettext_lazy("Chance is the best row that is the same for all records."),
    "first": LINES,
    "any": LINES,
    "recall_precision_top": LINES,
}
COMBINATIONS = {
    "max": gettext_lazy("The rate of a guess is the largest of the results of its questions."),
    "mean": gettext_lazy("The rate of a guess is the mean of the results of its questions."),
    "sum": gettext_lazy(
        "The rate of a guess is the sum of its right answers to all questions, as a share of all "
        "possible ones; where chance is taken off, those above it."
    ),
}


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question: its title, the header of its answer file as far as the rules know it, and sentences."""

    key: str
    title: str
    header: str
    lines: tuple[str, ...]


def only_links(ruleset: Ruleset) -> bool:
    """Guesses name records, so that their result is a re-identification rate: no membership, no values."""
    return all(q.asks == LINKS for spec in ruleset.rounds for q in spec.questions)


def shown_questions(spec: RoundSpec, language: str) -> list[ShownQuestion]:
    """The questions of a round in words; none for a round that asks none."""
    return [
        ShownQuestion(q.key, localized(dict(q.title), language), header(q), _lines(q))
        for q in spec.questions
    ]


def asked_sentences(spec: RoundSpec, language: str) -> tuple[str, ...]:
    """The questions of a round for the rules, and how their results become a rate."""
    if not spec.questions:
        return ()
    said = [
        _("%(title)s (%(key)s.csv): %(sentences)s")
        % {"title": q.title, "key": q.key, "sentences": joined(q.header, *q.lines)}
        for q in shown_questions(spec, language)
    ]
    said += [str(COMBINATIONS[spec.combine])] if len(said) > 1 else []
    return (*said, str(ONE_DRAW))


def header(question: QuestionSpec) -> str:
    """The columns of an answer file, without those that the table decides."""
    names = {
        "bits": "member",
        "confidences": "confidence",
        "lines": listed(f"line_{n}" for n in range(1, question.candidates + 1)),
    }
    names["values"] = question.column or listed(f"{VALUE}_{n}" for n in question.drawn) or "…"
    names["intervals"] = listed((f"{question.column}_low", f"{question.column}_high"))
    return _("Columns: question, %(columns)s.") % {"columns": names[question.answers]}


def _lines(question: QuestionSpec) -> tuple[str, ...]:
    values = {
        "column": question.column,
        "cells": question.cells,
        "tolerance": question.tolerance,
        "candidates": question.candidates,
        "fpr": question.fpr or 0,
        "margin": question.margin or 0,
    }
    asks = CELLS if question.cells else question.asks
    said = [str(text % values) for text in (ASKS[asks], ANSWERS[question.answers])]
    if question.answers == BITS and question.ones is not None:
        said.append(
            ngettext("Exactly %(n)d answer is 1.", "Exactly %(n)d answers are 1.", question.ones)
            % {"n": question.ones}
        )
    if question.tolerance and question.answers != INTERVALS:
        said.append(_("A number is right if it differs by at most %(tolerance)g.") % values)
    if not question.required:
        said.append(_("Without this file its result is 0."))
    said.append(str(RESULTS[question.result]) % values)
    if question.margin is not None:
        said += [str(MARGIN) % values, str(CHANCES[question.result])]
    return tuple(said)
