# SPDX-License-Identifier: Apache-2.0
"""Results of answers, from 0 to 1, and the records about which they are right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from scoring.questions import membership
from scoring.questions.asked import (
    ATTRIBUTES,
    BITS,
    INTERVALS,
    LINKS,
    MEMBERSHIP,
    ROWS,
    WEIGHTED,
    QuestionSpec,
)
from scoring.questions.bitmaps import BoolArray
from scoring.questions.chance import NONE, Chance, of_groups, of_share
from scoring.questions.files import Answers
from scoring.questions.sheets import Key
from scoring.scores.options import CONTENT, DECIMALS, DECLARED, EITHER
from scoring.tables.equivalence import IntArray

NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an answer file, or of all that a guess has.

    Attributes
    ----------
    value : float
        From 0, nothing is disclosed, to 1.
    hits, n_units : int
        The records, or cells, that are right, and all of which answers could be.
    right : bool array
        For each record of the sheet that was in the table, in order: its answer is right.
    parts : mapping of str to float
        What the value was made of; with a margin `rate`, `chance` and `error`, as in `scoring.questions.chance`.
    """

    value: float
    hits: int
    n_units: int
    right: BoolArray
    parts: Mapping[str, float] = field(default_factory=lambda: NOTHING)

    @property
    def earned(self) -> float:
        """The units that count where results are added up: those that are right, or above chance."""
        return self.value * self.n_units if "chance" in self.parts else self.hits


def result_of(
    question: QuestionSpec, key: Key, answers: Answers | None, *, n_lines: int = 0
) -> Result:
    """The result of the answers to a sheet; without answers, 0.

    Parameters
    ----------
    answers : mapping or None
        As from `read_answers`.
    n_lines : int
        How many lines the published table has, of a question about links; by default, up to the last that is asked.

    Examples
    --------
    >>> key = Key(np.array([True, False, True]), {}, None, np.array([7, 8, 9]))
    >>> question = QuestionSpec("m", "membership", "bits", "hits")
    >>> found = result_of(question, key, {"member": np.array([1.0, 1.0, 0.0])})
    >>> found.value, found.hits, found.n_units, found.right.tolist()
    (0.5, 1, 2, [True, False])
    """
    if answers is None:
        n_units = int(key.inside.sum())
        return Result(0.0, 0, n_units, np.zeros(n_units, dtype=bool))
    result, chance = _OF[question.asks](question, key, answers, n_lines)
    if question.margin is None:
        return result
    shown = {"rate": chance.rate, "chance": chance.chance, "error": chance.error}
    parts = {name: round(part, DECIMALS) for name, part in shown.items()}
    value = round(chance.above(question.margin), DECIMALS)
    return replace(result, value=value, parts={**result.parts, **parts})


def combined(results: Sequence[Result], combination: str) -> Result:
    """The result of a guess with answers to several questions; `combination` is one of `COMBINATIONS`.

    Examples
    --------
    >>> one = Result(0.5, 1, 2, np.array([True, False]))
    >>> two = Result(0.0, 0, 8, np.zeros(8, dtype=bool))
    >>> [combined([one, two], how).value for how in ("max", "mean", "sum")]
    [0.5, 0.25, 0.1]
    """
    hits, n_units = sum(r.hits for r in results), sum(r.n_units for r in results)
    earned = sum(r.earned for r in results)
    values = [r.value for r in results]
    value = {
        "max": max(values),
        "mean": sum(values) / len(values),
        "sum": earned / n_units if n_units else 0.0,
    }[combination]
    right = np.concatenate([r.right for r in results])
    return Result(round(value, DECIMALS), hits, n_units, right)


def _result(value: float, right: BoolArray, **parts: float) -> Result:
    shown = {name: round(float(part), DECIMALS) for name, part in parts.items()}
    return Result(round(float(value), DECIMALS), int(right.sum()), len(right), right, shown)


def _share(right: BoolArray) -> float:
    return float(right.mean()) if len(right) else 0.0


# Membership


def _members(
    question: QuestionSpec, key: Key, answers: Answers, _n_lines: int
) -> tuple[Result, Chance]:
    inside, name, fpr = key.inside, question.result, question.fpr or 0.0
    said = answers["member" if question.answers == BITS else "confidence"].astype(np.float64)
    claimed = said > 0.5
    if name == "tpr_at_fpr":
        tpr, claimed = membership.true_positive_rate(inside, said, fpr)
    right = claimed[inside]
    n_claimed, n_right = int(np.count_nonzero(claimed)), int(np.count_nonzero(right))
    n_others = len(inside) - len(right)
    parts = {"members": _share(right), "others": (n_claimed - n_right) / max(n_others, 1)}
    value = {
        "hits": lambda: _share(right),
        "precision": lambda: n_right / max(n_claimed, 1),
        "accuracy": lambda: _share(claimed == inside),
        "advantage": lambda: max(0.0, membership.advantage(inside, said)),
        WEIGHTED: lambda: max(0.0, membership.weighted_advantage(inside, said)),
        "over_half": lambda: membership.over_half(inside, claimed),
        "tpr_at_fpr": lambda: tpr,
        "auc": lambda: membership.area(inside, said),
    }[name]()
    result = _result(value, right, **parts)
    if question.margin is None:
        return result, NONE
    return result, membership.by_chance(question, key, said, claimed, value)


# Values


def right_values(question: QuestionSpec, column: str, key: Key, answers: Answers) -> BoolArray:
    """The answers that give the true value of a column: an equal text, a number that differs by at most the
    tolerance, or an interval that contains it."""
    truth = key.values[column]
    if question.answers == INTERVALS:
        low, high = answers[f"{column}_low"], answers[f"{column}_high"]
        return np.asarray((low <= truth) & (truth <= high), dtype=bool)
    said = answers[column]
    if truth.dtype == object:
        return np.asarray(said == truth, dtype=bool)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(said - truth) <= question.tolerance + _ROUNDING, dtype=bool)


_ROUNDING = 1e-9
"""Decimal numbers differ by their tolerance, although their floats differ by more."""


def _attributes(
    question: QuestionSpec, key: Key, answers: Answers, _n_lines: int
) -> tuple[Result, Chance]:
    found = right_values(question, str(question.column), key, answers)
    right = found[key.inside]
    rate = _share(right)
    base = baseline(question, key)
    chance = of_share(rate, base, len(right))
    if question.result == "share":
        return _result(rate, right), chance
    if question.result == "over_controls":
        base = _share(found[~key.inside])
        if question.margin is not None:
            said = next(iter(answers.values()))
            empty = said == "" if said.dtype == object else np.isnan(said)
            both = chance, of_groups(found | (empty & ~key.inside), key.inside, key.strata)
            chance = min(both, key=lambda one: one.above(question.margin or 0))
        return _result(_over(rate, base), right, members=rate, controls=base), chance
    return _result(_over(rate, base), right, members=rate, baseline=base), chance


def _over(rate: float, base: float) -> float:
    """The share of what the baseline does not have: (rate - base) / (1 - base), at least 0."""
    return 0.0 if base >= 1 else max(0.0, (rate - base) / (1 - base))


def baseline(question: QuestionSpec, key: Key, column: str | None = None) -> float:
    """The share of the team's records that the best single answer to all questions gets right.

    Parameters
    ----------
    column : str or None
        The column that is answered, of the records of which it is asked; by default that of the question.

    Examples
    --------
    >>> inside, rows = np.ones(4, dtype=bool), np.arange(4)
    >>> question = QuestionSpec("a", "attributes", "values", "share", column="age", tolerance=2)
    >>> baseline(question, Key(inside, {"age": np.array([30.0, 33.0, 34.0, 50.0])}, None, rows))
    0.75
    """
    name = column or str(question.column)
    truth = key.values[name][key.inside & key.is_asked(name)]
    if not len(truth):
        return 0.0
    if truth.dtype == object:
        return int(np.unique(truth.astype(str), return_counts=True)[1].max()) / len(truth)
    ordered = np.sort(truth)
    width = question.tolerance if question.answers == INTERVALS else 2 * question.tolerance
    covered = np.searchsorted(ordered, ordered + width + _ROUNDING, "right")
    return int((covered - np.arange(len(ordered))).max()) / len(truth)


def _rows(
    question: QuestionSpec, key: Key, answers: Answers, _n_lines: int
) -> tuple[Result, Chance]:
    """Right cells: one less the Hamming distance as a share of all cells; or records whose cells are all right."""
    asked = np.array([key.is_asked(name) for name in key.values])[:, key.inside]
    cells = np.array([right_values(question, name, key, answers) for name in key.values])
    right = cells[:, key.inside] & asked
    whole = np.asarray((right == asked).all(axis=0), dtype=bool)
    of_cells, of_whole = _share(right[asked]), _share(whole)
    chance = NONE
    if question.margin is not None:
        best = [baseline(question, key, name) for name in key.values]
        constant = float(np.dot(best, asked.sum(axis=1))) / max(int(asked.sum()), 1)
        chance = of_share(of_cells, constant, len(whole))
    if question.result == "whole":
        if question.margin is not None:
            chance = of_share(of_whole, _most_frequent_row(question, key, constant), len(whole))
        return _result(of_whole, whole, cells=of_cells), chance
    parts = {"whole": round(of_whole, DECIMALS)}
    return Result(
        round(of_cells, DECIMALS), int(right.sum()), int(asked.sum()), whole, parts
    ), chance


def _most_frequent_row(question: QuestionSpec, key: Key, of_cells: float) -> float:
    """The share of the team's records that the best single row gets right; with a tolerance, or cells that are drawn
    for each record, that of the cells, which it is at most."""
    if question.tolerance or key.asked is not None or not key.inside.any():
        return of_cells
    codes = [np.unique(v[key.inside], return_inverse=True)[1] for v in key.values.values()]
    rows = np.unique(np.column_stack(codes), axis=0, return_counts=True)[1]
    return int(rows.max()) / int(key.inside.sum())


# Lines


def _links(
    question: QuestionSpec, key: Key, answers: Answers, n_lines: int
) -> tuple[Result, Chance]:
    if key.lines is None:
        raise ValueError("links without the lines of the published table")
    named: IntArray = np.column_stack([answers[name] for name in answers]).astype(np.int64)
    inside, present = key.inside, named[:, 0] >= 0
    n_lines = max(n_lines, int(key.lines.max(initial=0)) + 1)
    n_named = 1 if question.result == "first" else question.candidates
    named = named[:, :n_named]
    found = {DECLARED: ((named == key.lines[:, None]) & (named >= 0)).any(axis=1)[inside]}
    rates, n_right = {}, 1.0
    if key.truth != DECLARED:
        own = [{*lines} for lines in key.shown]
        shown = [not lines.isdisjoint(of) for lines, of in zip(own, named.tolist(), strict=True)]
        found[CONTENT] = np.array(shown, dtype=np.bool_)[inside]
        found[EITHER] = found[DECLARED] | found[CONTENT]
        rates = {name: _share(found[name]) for name in (DECLARED, CONTENT)}
        n_right = float(np.mean([max(1, len(lines)) for lines in own])) if own else 1.0
    right = found[key.truth]
    rate = _share(right)
    drawn = n_named * n_right / n_lines
    chance = of_share(rate, min(1.0, max(drawn, _same_lines(key, n_named))), len(right))
    if question.result != "recall_precision_top":
        return _result(rate, right, **rates), chance
    both = int((present & inside).sum())
    recall = both / max(int(inside.sum()), 1)
    precision = both / max(int(present.sum()), 1)
    value = recall * precision * rate
    parts = {"recall": recall, "precision": precision, "top": rate, **rates}
    return _result(value, right, **parts), chance._replace(rate=value)


def _same_lines(key: Key, n_named: int) -> float:
    """The share of the records in the table that the best `n_named` lines show at most, but for one record each."""
    shown = [
        line for lines, is_in in zip(key.shown, key.inside, strict=False) if is_in for line in lines
    ]
    times = np.sort(np.bincount(np.array(shown, dtype=np.int64)))[-n_named:]
    return float(np.maximum(times - 1, 0).sum()) / max(int(key.inside.sum()), 1)


_OF: Mapping[str, Callable[[QuestionSpec, Key, Answers, int], tuple[Result, Chance]]] = {
    MEMBERSHIP: _members,
    ATTRIBUTES: _attributes,
    ROWS: _rows,
    LINKS: _links,
}
