# SPDX-License-Identifier: Apache-2.0
"""Sheets of questions about the records of a published table: several questions, each with an answer file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pwscup.contests.selectors import dataset_of
from pwscup.formats.attacks.archives import archive
from pwscup.formats.attacks.contents import sealed_contents
from pwscup.formats.attacks.linkage import target_of
from pwscup.formats.evaluation import Marked
from scoring.errors import Collector, ProblemsFound
from scoring.questions.files import Answers, read_answers
from scoring.questions.results import combined, result_of
from scoring.questions.sheets import Key, draw_sheets, sheet_file, true_answers

if TYPE_CHECKING:
    from pwscup.formats.evaluation import Case, Published, Values
    from scoring.questions.asked import QuestionSpec
    from scoring.questions.results import Result
    from scoring.rulesets import RoundSpec
    from scoring.tables.equivalence import IntArray

QUESTIONS = "questions"
"""The sealed answers to all questions, by key, in the answer about a release."""


class Pool(NamedTuple):
    """The records that may be asked, as 0-based rows of the organizer's table, and those of the published lines.

    `units` are the names of rows in what others say about this table; see `scoring.questions.sheets.Key`.
    """

    inside: IntArray
    outside: IntArray
    source: IntArray | None
    units: Mapping[int, int] | None = None


def pool_of(case: Case, answer: Mapping[str, Any]) -> Pool:
    """The pool of a published submission: what was drawn for its team, or the rows of a common table that it kept.

    Records that all teams have are not asked: every attacker has them.
    """
    lines = None if "source" not in answer else np.asarray(answer["source"], dtype=np.int64)
    drawn = case.drawn_rows(f"questions about {case.submission.public_id}")
    everybody = np.arange(case.organizers_table.n_records)
    if drawn is None:
        kept = np.unique(lines[lines >= 0]) if lines is not None else everybody[:0]
        return Pool(kept, np.setdiff1d(everybody, kept), lines)
    own = drawn["own"]
    shared = drawn.get("shared", own[:0])
    others = drawn["decoys"] if len(drawn["decoys"]) else np.setdiff1d(everybody, own)
    source, units = None, None
    if lines is not None:
        choices = drawn["candidates"]
        source = np.where(lines >= 0, choices[np.maximum(lines, 0)], -1)
        units = {int(row): place for place, row in enumerate(choices.tolist())}
    return Pool(np.setdiff1d(own, shared), np.setdiff1d(others, own), source, units)


class Sheets:
    """All questions of a round."""

    def asked(self, case: Case, published: Published, attack: RoundSpec, seed: int) -> Published:
        """The release with its sheets, one for each question, and their sealed answers."""
        pool, whole = pool_of(case, published.answer), case.organizers_table
        schema = whole.schema.public()
        records = whole.records(f"questions about {case.submission.public_id}")
        # All rounds of the contest, so that their sheets together say no more than each of them.
        rounds = [(r, q) for r in case.ruleset.rounds for q in r.questions]
        drawn = draw_sheets(
            [question for _round, question in rounds],
            pool.inside,
            pool.outside,
            schema,
            rng=np.random.default_rng(seed),
            cells=_cells(case) if any(question.cells for _round, question in rounds) else None,
        )
        sheets, keys = {}, {}
        for (round, question), sheet in zip(rounds, drawn, strict=True):
            if round.key != attack.key:
                continue
            sheets[f"{question.key}.csv"] = sheet_file(question, sheet, records, schema)
            key = true_answers(
                question,
                sheet,
                records,
                schema,
                source=pool.source,
                units=pool.units,
                strata=case.ruleset.data.strata,
            )
            keys[question.key] = key.to_dict()
        answer = {**published.answer, QUESTIONS: keys}
        return replace(published, answer=answer, candidates=archive(sheets))

    def evaluate(self, case: Case, _seed: int) -> Marked:
        """The result of all answer files of a guess."""
        results, _keys = self.results(case)
        spec = case.ruleset.round(case.submission.round.key)
        whole = combined([*results.values()], spec.combine)
        values: Values = {"n_records": whole.n_units, "hits": whole.hits, "rate": whole.value}
        for key, result in results.items():
            values[key] = result.value
            values |= {f"{key}.{part}": value for part, value in result.parts.items()}
        return Marked(values, whole.right)

    def hit(self, case: Case) -> list[int]:
        """The records about which some answer is right."""
        results, keys = self.results(case)
        found = [keys[key].units[keys[key].inside][result.right] for key, result in results.items()]
        units: list[int] = np.unique(np.concatenate(found)).tolist()
        return units

    def results(self, case: Case) -> tuple[dict[str, Result], dict[str, Key]]:
        """The result and the sealed answers of each question, by key.

        Raises
        ------
        scoring.errors.ProblemsFound
            All problems of all files.
        """
        asked = case.ruleset.round(case.submission.round.key).questions
        sealed = case.answer()[QUESTIONS]
        keys = {question.key: Key.from_dict(sealed[question.key]) for question in asked}
        contents = sealed_contents(case)
        if contents is not None:
            truth = case.ruleset.round(case.submission.round.key).truth
            keys = {name: key.with_contents(contents, truth) for name, key in keys.items()}
        problems, answers = Collector(), dict[str, Answers | None]()
        for question in asked:
            try:
                answers[question.key] = answers_to(question, keys[question.key], case)
            except ProblemsFound as found:
                problems.extend(found.problems, found.n_total)
        problems.raise_if_any()
        n_lines = target_of(case).n_records
        results = {q.key: result_of(q, keys[q.key], answers[q.key], n_lines=n_lines) for q in asked}
        return results, keys


def _cells(case: Case) -> np.random.Generator:
    """The draw of the cells that are asked of a record, the same for all teams that have it."""
    return np.random.default_rng(case.seed("questions"))


def answers_to(question: QuestionSpec, key: Key, case: Case) -> Answers | None:
    """The answers of a guess to one question; None without a file."""
    if not case.has(question.key):
        return None
    return read_answers(
        case.file(question.key),
        question,
        len(key.inside),
        dataset_of(case.submission.round.contest).schema.public(),
        n_lines=target_of(case).n_records,
        asked=key.asked,
        file=question.key,
    )


SHEETS = Sheets()
