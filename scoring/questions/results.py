# SPDX-License-Identifier: Apache-2.0
"""Results of answers, from 0 to 1, and the records about which they are right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from scoring.questions import membership
from scoring.questions.asked import ATTRIBUTES, BITS, INTERVALS, LINKS, MEMBERSHIP, QuestionSpec
from scoring.questions.bitmaps import BoolArray
from scoring.questions.files import Answers
from scoring.questions.sheets import Key
from scoring.scores.options import DECIMALS
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
        What the value was made of.
    """

    value: float
    hits: int
    n_units: int
    right: BoolArray
    parts: Mapping[str, float] = field(default_factory=lambda: NOTHING)


def result_of(question: QuestionSpec, key: Key, answers: Answers | None) -> Result:
    """The result of the answers to a sheet; without answers, 0.

    Parameters
    ----------
    answers : mapping or None
        As from `read_answers`.

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
    return _OF[question.asks](question, key, answers)


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
    values = [r.value for r in results]
    value = {
        "max": max(values),
        "mean": sum(values) / len(values),
        "sum": hits / n_units if n_units else 0.0,
    }[combination]
    right = np.concatenate([r.right for r in results])
    return Result(round(value, DECIMALS), hits, n_units, right)


def _result(value: float, right: BoolArray, **parts: float) -> Result:
    shown = {name: round(float(part), DECIMALS) for name, part in parts.items()}
    return Result(round(float(value), DECIMALS), int(right.sum()), len(right), right, shown)


def _share(right: BoolArray) -> float:
    return float(right.mean()) if len(right) else 0.0


# Membership


def _members(question: QuestionSpec, key: Key, answers: Answers) -> Result:
    inside = key.inside
    if question.answers == BITS:
        said = claimed = answers["member"].astype(bool)
    else:
        said = answers["confidence"]
        if question.result == "tpr_at_fpr":
            tpr, claimed = membership.true_positive_rate(inside, said, question.fpr or 0.0)
        else:
            claimed = said > 0.5
    right = claimed[inside]
    n_others = len(inside) - len(right)
    n_false = int(np.count_nonzero(claimed)) - int(np.count_nonzero(right))
    parts = {"members": _share(right), "others": n_false / n_others if n_others else 0.0}
    value = {
        "hits": lambda: _share(right),
        "precision": lambda: int(right.sum()) / max(int(claimed.sum()), 1),
        "accuracy": lambda: _share(claimed == inside),
        "advantage": lambda: max(0.0, membership.advantage(inside, said.astype(np.float64))),
        "over_half": lambda: membership.over_half(inside, claimed),
        "tpr_at_fpr": lambda: tpr,
        "auc": lambda: membership.area(inside, said),
    }[question.result]()
    return _result(value, right, **parts)


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


def _attributes(question: QuestionSpec, key: Key, answers: Answers) -> Result:
    found = right_values(question, str(question.column), key, answers)
    right = found[key.inside]
    rate = _share(right)
    if question.result == "share":
        return _result(rate, right)
    if question.result == "over_controls":
        base = _share(found[~key.inside])
        return _result(_over(rate, base), right, members=rate, controls=base)
    base = baseline(question, key)
    return _result(_over(rate, base), right, members=rate, baseline=base)


def _over(rate: float, base: float) -> float:
    """The share of what the baseline does not have: (rate - base) / (1 - base), at least 0."""
    return 0.0 if base >= 1 else max(0.0, (rate - base) / (1 - base))


def baseline(question: QuestionSpec, key: Key) -> float:
    """The share of the team's records that the best single answer to all questions gets right.

    Examples
    --------
    >>> inside, rows = np.ones(4, dtype=bool), np.arange(4)
    >>> question = QuestionSpec("a", "attributes", "values", "share", column="age", tolerance=2)
    >>> baseline(question, Key(inside, {"age": np.array([30.0, 33.0, 34.0, 50.0])}, None, rows))
    0.75
    """
    truth = key.values[str(question.column)][key.inside]
    if not len(truth):
        return 0.0
    if truth.dtype == object:
        return int(np.unique(truth.astype(str), return_counts=True)[1].max()) / len(truth)
    ordered = np.sort(truth)
    reach = ordered + 2 * question.tolerance + _ROUNDING
    covered = np.searchsorted(ordered, reach, "right") - np.arange(len(ordered))
    return int(covered.max()) / len(truth)


def _rows(question: QuestionSpec, key: Key, answers: Answers) -> Result:
    """Right cells: one less the Hamming distance as a share of all cells; or records whose cells are all right."""
    asked = np.array([key.is_asked(name) for name in key.values])[:, key.inside]
    cells = np.array([right_values(question, name, key, answers) for name in key.values])
    right = cells[:, key.inside] & asked
    whole = np.asarray((right == asked).all(axis=0), dtype=bool)
    if question.result == "whole":
        return _result(_share(whole), whole, cells=_share(right[asked]))
    value = round(_share(right[asked]), DECIMALS)
    return Result(
        value, int(right.sum()), int(asked.sum()), whole, {"whole": round(_share(whole), DECIMALS)}
    )


# Lines


def _links(question: QuestionSpec, key: Key, answers: Answers) -> Result:
    if key.lines is None:
        raise ValueError("links without the lines of the published table")
    named: IntArray = np.column_stack([answers[name] for name in answers]).astype(np.int64)
    inside, present = key.inside, named[:, 0] >= 0
    among = (named == key.lines[:, None]).any(axis=1)[inside]
    first = (named[:, 0] == key.lines)[inside]
    if question.result == "first":
        return _result(_share(first), first)
    if question.result == "any":
        return _result(_share(among), among)
    both = int((present & inside).sum())
    recall = both / max(int(inside.sum()), 1)
    precision = both / max(int(present.sum()), 1)
    top = _share(among)
    parts = {"recall": recall, "precision": precision, "top": top}
    return _result(recall * precision * top, among, **parts)


_OF: Mapping[str, Callable[[QuestionSpec, Key, Answers], Result]] = {
    MEMBERSHIP: _members,
    ATTRIBUTES: _attributes,
    "rows": _rows,
    LINKS: _links,
}
