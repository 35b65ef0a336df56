# SPDX-License-Identifier: Apache-2.0
"""Sheets of questions: worked examples, the plain definitions as oracles, laws, and broken answer files."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from scoring.errors import ProblemsFound
from scoring.kernels.deferred import load
from scoring.questions.asked import ASKS, QuestionSpec
from scoring.questions.attackers import ATTACKERS, read_sheet
from scoring.questions.bitmaps import most_found, packed, unpacked
from scoring.questions.files import read_answers, write_answers
from scoring.questions.membership import (
    advantage,
    area,
    true_positive_rate,
    weighted_advantage,
)
from scoring.questions.results import Result, combined, result_of
from scoring.questions.sheets import Key, Sheet, draw_sheets, sheet_file, true_answers
from scoring.questions.together import split_by_target
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("name", Role.IDENTIFIER, Kind.CATEGORY),
        Column("job", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("cook", "pilot", "nurse")),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("years", Role.SENSITIVE, Kind.NUMBER),
    )
)
N = 12
TABLE = Records(
    ("job", "age", "years"),
    {"age": np.arange(N, dtype=np.int64) * 5, "years": np.arange(N) / 4},
    {"job": (np.arange(N) % 3).astype(np.int32)},
    {"job": ("cook", "pilot", "nurse")},
)


def question(asks, answers, result, **more):
    return QuestionSpec("q", asks, answers, result, **more)


BITS = question("membership", "bits", "hits")
CONFIDENCES = question("membership", "confidences", "tpr_at_fpr", fpr=0.1)
VALUES = question("attributes", "values", "share", column="years", tolerance=0.5)
INTERVALS = question("attributes", "intervals", "share", column="years", tolerance=1)
JOBS = question("attributes", "values", "share", column="job")
ROWS = question("rows", "values", "cells", known=("age",))
LINKS = question("links", "lines", "recall_precision_top", candidates=3)
QUESTIONS = (BITS, CONFIDENCES, VALUES, INTERVALS, JOBS, ROWS, LINKS)


def key_of(inside, lines=None, **values):
    inside = np.array(inside, dtype=bool)
    columns = {name: np.array(column) for name, column in values.items()}
    columns = {n: c.astype(object) if c.dtype.kind == "U" else c for n, c in columns.items()}
    lines = None if lines is None else np.array(lines)
    return Key(inside, columns, lines, np.arange(len(inside)))


def value(question, key, **answers):
    said = {name: np.array(column) for name, column in answers.items()}
    said = {n: c.astype(object) if c.dtype.kind == "U" else c for n, c in said.items()}
    return result_of(question, key, said)


# Sheets


def draw_sheet(asked, *pool, rng):
    return draw_sheets([asked], *pool, rng=rng)[0]


def test_a_sheet_has_targets_and_controls_in_random_order():
    asked = question("membership", "bits", "hits", targets=3, controls=2)
    rng = np.random.default_rng(1)
    sheet = draw_sheet(asked, np.arange(6), np.arange(6, 12), SCHEMA, rng=rng)
    assert sheet.inside.sum() == 3
    assert (sheet.rows[sheet.inside] < 6).all()
    assert (sheet.rows[~sheet.inside] >= 6).all()
    assert len(set(sheet.rows.tolist())) == 5


def test_the_order_in_which_records_are_given_changes_no_sheet():
    inside, outside = np.array([4, 1, 7]), np.array([2, 11, 5])
    for asked in QUESTIONS:
        first, second = (
            draw_sheet(asked, a, b, SCHEMA, rng=np.random.default_rng(3))
            for a, b in ((inside, outside), (inside[::-1], outside[::-1]))
        )
        assert first.rows.tolist() == second.rows.tolist(), asked
        assert first.inside.tolist() == second.inside.tolist(), asked


@pytest.mark.parametrize(
    ("asked", "n_controls"),
    [(BITS, 5), (LINKS, 5), (VALUES, 0), (ROWS, 0)],
    ids=lambda q: str(q)[:40],
)
def test_controls_that_are_not_counted_are_all_or_none(asked, n_controls):
    sheet = draw_sheet(asked, np.arange(4), np.arange(2, 9), SCHEMA, rng=np.random.default_rng(0))
    assert (~sheet.inside).sum() == n_controls  # rows 2 and 3 are the team's own
    assert sheet.inside.sum() == 4


def test_a_sheet_shows_what_is_known_and_neither_names_nor_answers():
    sheet = Sheet(np.array([2, 0]), np.array([True, False]))
    written = {q.asks + q.answers: sheet_file(q, sheet, TABLE, SCHEMA) for q in QUESTIONS}
    assert written["membershipbits"] == b"question,job,age,years\n1,nurse,10,0.5\n2,cook,0,0\n"
    assert written["attributesintervals"] == b"question,job,age\n1,nurse,10\n2,cook,0\n"
    assert written["rowsvalues"] == b"question,age\n1,10\n2,0\n"


def test_a_key_survives_being_sealed():
    sheet = Sheet(np.array([2, 0, 5]), np.array([True, False, True]))
    source = np.array([5, -1, 2])
    for asked in QUESTIONS:
        key = true_answers(asked, sheet, TABLE, SCHEMA, source=source, units={5: 1})
        again = Key.from_dict(key.to_dict())
        assert again.inside.tolist() == key.inside.tolist() == [True, False, True]
        assert {n: v.tolist() for n, v in again.values.items()} == {
            n: v.tolist() for n, v in key.values.items()
        }
        assert again.units.tolist() == [2, 0, 1]
    assert key.lines.tolist() == [2, -1, 0]


def test_links_need_lines_that_were_made_from_records():
    sheet = Sheet(np.array([2]), np.array([True]))
    with pytest.raises(ValueError, match="links"):
        true_answers(LINKS, sheet, TABLE, SCHEMA)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (question("attributes", "values", "share", column="wage"), "question.no_column"),
        (question("membership", "bits", "hits", known=("name",)), "question.no_column"),
        (question("attributes", "intervals", "share", column="job"), "question.no_number"),
        (
            question("rows", "values", "cells", known=("job", "age", "years")),
            "question.nothing_asked",
        ),
    ],
)
def test_columns_that_do_not_fit_are_named(asked, code):
    with pytest.raises(ProblemsFound) as found:
        asked.check(SCHEMA)
    assert [problem.code for problem in found.value.problems] == [code]


def test_a_column_may_not_have_the_name_of_the_number():
    schema = Schema((Column("question", Role.SENSITIVE, Kind.NUMBER),))
    with pytest.raises(ProblemsFound, match="another name"):
        BITS.check(schema)


# Membership


def plain_curve(inside, confidences):
    """The operating points, one for each distinct confidence."""
    n_members, n_others = sum(inside), len(inside) - sum(inside)
    points = [(0.0, 0.0)]
    for threshold in sorted(set(confidences), reverse=True):
        claimed = [c >= threshold for c in confidences]
        false = sum(1 for c, i in zip(claimed, inside, strict=True) if c and not i)
        true = sum(1 for c, i in zip(claimed, inside, strict=True) if c and i)
        points.append((false / n_others, true / n_members))
    return points


def plain_tpr(inside, confidences, fpr):
    points = plain_curve(inside, confidences)
    below = [point for point in points if point[0] <= fpr][-1]
    above = next((point for point in points if point[0] > fpr), None)
    if above is None:
        return below[1]
    share = (fpr - below[0]) / (above[0] - below[0])
    return below[1] + share * (above[1] - below[1])


def plain_area(inside, confidences):
    points = plain_curve(inside, confidences)
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))


def test_membership_by_the_plain_definitions():
    rng = np.random.default_rng(5)
    for n_levels in (1, 2, 3, 7, 40):
        for _ in range(12):
            inside = rng.random(30) < 0.4
            inside[:2] = True, False
            said = rng.integers(0, n_levels + 1, 30) / n_levels
            for fpr in (0.0, 0.01, 0.07, 0.29, 0.5, 1.0):
                found = true_positive_rate(inside, said, fpr)[0]
                assert found == pytest.approx(plain_tpr(inside, said, fpr)), (said, inside, fpr)
            assert area(inside, said) == pytest.approx(plain_area(inside, said))


@pytest.mark.parametrize("kind", ["decimals", "any", "few", "equal", "bounds", "close"])
def test_the_area_of_many_answers_is_that_of_all_pairs(kind):
    """The kernel against every pair; its buckets hold no member, one value, or several."""
    rng = np.random.default_rng(7)
    drawn = rng.random(400)
    said = {
        "decimals": np.round(drawn, 2),
        "any": drawn,
        "few": np.round(drawn * 4) / 4,
        "equal": np.full(400, 0.5),
        "bounds": (drawn < 0.5).astype(float),
        "close": 0.5 + drawn * 1e-6,
    }[kind]
    load("scoring.kernels.confidences")
    for share in (0.01, 0.1, 0.9):
        inside = rng.random(400) < share
        inside[:2] = True, False
        members, others = said[inside][:, None], said[~inside]
        above = (members > others).mean() + (members == others).mean() / 2
        assert area(inside, said) == pytest.approx(above, abs=1e-12)


def test_ties_at_the_threshold_by_hand():
    """Four members, ten others: (0, 1/4), (1/10, 2/4), (4/10, 3/4), (1, 1)."""
    inside = np.array([True] * 4 + [False] * 10)
    said = np.array([0.9, 0.8, 0.5, 0.1, 0.8] + [0.5] * 3 + [0.1] * 6)
    rates = {fpr: true_positive_rate(inside, said, fpr) for fpr in (0, 0.05, 0.1, 0.25, 0.4, 0.7)}
    assert {fpr: round(rate, 9) for fpr, (rate, _) in rates.items()} == {
        0: 0.25, 0.05: 0.375, 0.1: 0.5, 0.25: 0.625, 0.4: 0.75, 0.7: 0.875,
    }  # fmt: skip
    assert rates[0.25][1].tolist() == [True, True, False, False, True] + [False] * 9


def test_a_rate_that_is_a_share_of_the_others_is_reached_exactly():
    """0.29 · 100 is 28.999999999999996 in floats, and 29 of 100 others may be claimed."""
    inside = np.array([True] + [False] * 100)
    said = np.concatenate([[0.715], np.arange(100) / 100])
    assert true_positive_rate(inside, said, 0.29)[0] == 1.0
    assert true_positive_rate(inside, said, 0.27)[0] == 0.0


def test_results_of_bits_by_hand():
    """Members are found 3 of 4, others are claimed 1 of 4: Z = 6 of 8 right."""
    key = key_of([1, 1, 1, 1, 0, 0, 0, 0])
    bits = [1, 1, 1, 0, 1, 0, 0, 0]
    expected = {
        "hits": 3 / 4,
        "precision": 3 / 4,
        "accuracy": 6 / 8,
        "advantage": 2 / 4,
        "over_half": 2 / 4,
    }
    assert set(expected) == set(ASKS["membership"].results["bits"])
    for result, wanted in expected.items():
        found = value(question("membership", "bits", result), key, member=bits)
        assert (found.value, found.hits, found.n_units) == (wanted, 3, 4), result
        assert found.right.tolist() == [True, True, True, False]
        assert found.parts == {"members": 0.75, "others": 0.25}


def test_the_safety_of_2022_is_one_less_the_result():
    """X = 40: with Z = 40 of 80 the safety is 1, with 60 it is 0.5, with 80 it is 0, and never above 1."""
    asked = question("membership", "bits", "over_half")
    key = key_of([1] * 40 + [0] * 40)
    for n_right, safety in ((20, 1), (40, 1), (60, 0.5), (80, 0)):
        bits = [1] * 40 + [0] * 40
        bits[n_right:] = [1 - bit for bit in bits[n_right:]]
        assert 1 - value(asked, key, member=bits).value == safety == min((80 - n_right) / 40, 1)


def test_the_hits_of_2025_are_the_members_among_exactly_so_many_ones():
    inside = np.zeros(1000, dtype=bool)
    inside[:100] = True
    bits = np.zeros(1000)
    bits[90:190] = 1
    found = result_of(
        question("membership", "bits", "hits", ones=100), key_of(inside), {"member": bits}
    )
    assert (found.hits, found.value) == (10, 0.1)


def test_results_of_confidences_by_hand():
    key = key_of([1, 1, 0, 0])
    said = [0.9, 0.5, 0.5, 0.1]
    expected = {"tpr_at_fpr": 0.75, "auc": 0.875, "advantage": 0.4, "weighted_advantage": 1.0}
    assert set(expected) == set(ASKS["membership"].results["confidences"])
    for result, wanted in expected.items():
        found = value(question("membership", "confidences", result, fpr=0.25), key, confidence=said)
        assert found.value == wanted, result
    for measure in (advantage, weighted_advantage):
        assert measure(np.array([True, False]), np.array([0.5, 0.5])) == 0  # nobody says anything


@pytest.mark.parametrize("inside", [[1, 1, 1], [0, 0, 0]])
def test_a_sheet_of_one_group_gives_no_rate(inside):
    key = key_of(inside)
    assert value(CONFIDENCES, key, confidence=[0.1, 0.2, 0.3]).value == 0
    auc = question("membership", "confidences", "auc")
    assert value(auc, key, confidence=[0.1, 0.2, 0.3]).value == 0.5


# Values


def test_numbers_are_right_within_the_tolerance():
    key = key_of([1, 1, 1, 1], years=[1.0, 2.0, 3.0, 0.3])
    found = value(VALUES, key, years=[1.5, 1.4, np.nan, 0.8])
    assert found.right.tolist() == [True, False, False, True]  # 0.8 - 0.3 is above 0.5 in floats
    assert found.value == 0.5


def test_intervals_are_right_with_the_value_at_an_end():
    key = key_of([1, 1, 1], years=[1.0, 2.0, 3.0])
    found = value(INTERVALS, key, years_low=[1.0, 2.1, np.nan], years_high=[1.5, 2.5, np.nan])
    assert found.right.tolist() == [True, False, False]


def test_results_over_controls_by_hand():
    """Of the team's records 3 of 4 are right, of the controls 1 of 2: (3/4 - 1/2) / (1 - 1/2)."""
    asked = question("attributes", "values", "over_controls", column="job")
    key = key_of([1, 1, 1, 1, 0, 0], job=["cook"] * 6)
    found = value(asked, key, job=["cook", "cook", "cook", "", "cook", "pilot"])
    assert (found.value, found.hits, found.n_units) == (0.5, 3, 4)
    assert found.parts == {"members": 0.75, "controls": 0.5}
    worse = value(asked, key, job=["", "", "", "", "cook", "cook"])
    assert worse.value == 0


def test_results_over_the_baseline_by_hand():
    """One value for all is right 2 of 4 times; the guess 3 of 4: (3/4 - 2/4) / (1 - 2/4)."""
    asked = question("attributes", "values", "over_baseline", column="job")
    key = key_of([1, 1, 1, 1], job=["cook", "cook", "pilot", "nurse"])
    assert value(asked, key, job=["cook", "cook", "pilot", "cook"]).value == 0.5
    same = key_of([1, 1], job=["cook", "cook"])
    assert value(asked, same, job=["cook", "cook"]).value == 0


def test_reconstructed_rows_by_hand():
    """Of six cells two differ: 1 - 2/6; the second row is right as a whole, a control counts for nothing."""
    key = key_of([1, 1, 1, 0], job=["cook", "pilot", "nurse", "cook"], years=[1.0, 2.0, 3.0, 4.0])
    answers = {"job": ["cook", "pilot", "cook", "cook"], "years": [1.5, 2.0, 3.0, 4.0]}
    found = value(ROWS, key, **answers)
    assert (found.value, found.hits, found.n_units) == (round(4 / 6, 9), 4, 6)
    assert found.right.tolist() == [False, True, False]
    whole = question("rows", "values", "whole", known=("age",))
    assert value(whole, key, **answers).value == round(1 / 3, 9)


# Lines


def test_several_candidates_by_hand():
    """Present are 1 to 4, of which 1 to 3 are claimed, and one that is absent: recall 3/4, precision 3/4, top 2/4."""
    key = key_of([1, 1, 1, 1, 0, 0], lines=[4, 5, 6, 7, -1, -1])
    named = np.array([[4, -1, -1], [9, 5, -1], [8, 9, 1], [-1, -1, -1], [3, -1, -1], [-1, -1, -1]])
    answers = {f"line_{at + 1}": named[:, at] for at in range(3)}
    found = value(LINKS, key, **answers)
    assert found.parts == {"recall": 0.75, "precision": 0.75, "top": 0.5}
    assert found.value == round(0.75 * 0.75 * 0.5, 9)
    assert found.right.tolist() == [True, True, False, False]
    any_of = question("links", "lines", "any", candidates=3)
    first = question("links", "lines", "first", candidates=3)
    assert value(any_of, key, **answers).value == 0.5
    assert value(first, key, **answers).value == 0.25


def test_links_and_blanked_cells_add_up():
    """2024: hits of 50 links and of 50 cells, of 100."""
    links = Result(0.3, 15, 50, np.zeros(50, dtype=bool))
    cells = Result(0.1, 5, 50, np.ones(50, dtype=bool))
    found = combined([links, cells], "sum")
    assert (found.value, found.hits, found.n_units) == (0.2, 20, 100)
    assert found.right.sum() == 50


# Laws


def answers_of(asked, n, n_lines, rng):
    if asked.answers == "bits":
        return {"member": rng.integers(0, 2, n).astype(float)}
    if asked.answers == "confidences":
        return {"confidence": rng.integers(0, 5, n) / 4}
    if asked.answers == "lines":
        named = np.array([rng.permutation(n_lines)[:3] for _ in range(n)], dtype=float)
        named[rng.random(n) < 0.3] = -1
        return {f"line_{at + 1}": named[:, at] for at in range(3)}
    if asked.answers == "intervals":
        low = rng.integers(0, 4, n) / 4
        return {"years_low": low, "years_high": low + 0.5}
    jobs = np.array(["cook", "pilot", "", "nurse"], dtype=object)[rng.integers(0, 4, n)]
    years = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 12, n) / 4)
    return {"job": jobs, "years": years} if asked.asks == "rows" else {
        "job" if asked.column == "job" else "years": jobs if asked.column == "job" else years
    }  # fmt: skip


def test_the_order_of_lines_changes_nothing():
    """Neither that of the lines of a file, nor that of the questions."""
    rng = np.random.default_rng(11)
    source = rng.permutation(N)
    for asked in QUESTIONS:
        for result in ASKS[asked.asks].results[asked.answers]:
            asked_so = question(
                asked.asks, asked.answers, result, column=asked.column, known=asked.known,
                candidates=asked.candidates, tolerance=asked.tolerance, fpr=0.3, targets=6, controls=4,
            )  # fmt: skip
            sheet = draw_sheet(asked_so, np.arange(7), np.arange(7, N), SCHEMA, rng=rng)
            key = true_answers(asked_so, sheet, TABLE, SCHEMA, source=source)
            answers = answers_of(asked_so, len(sheet), N, rng)
            found = result_of(asked_so, key, answers)
            assert 0 <= found.value <= 1
            assert len(found.right) == key.inside.sum()

            data = write_answers(answers, asked_so, SCHEMA)
            header, *lines = data.splitlines(keepends=True)
            shuffled = header + b"".join(lines[i] for i in rng.permutation(len(lines)))
            for file in (data, shuffled):
                read = read_answers(file, asked_so, len(sheet), SCHEMA, n_lines=N)
                again = result_of(asked_so, key, read)
                assert (again.value, again.right.tolist()) == (found.value, found.right.tolist())

            order = rng.permutation(len(sheet))
            moved = true_answers(
                asked_so,
                Sheet(sheet.rows[order], sheet.inside[order]),
                TABLE,
                SCHEMA,
                source=source,
            )
            other = result_of(asked_so, moved, {n: v[order] for n, v in answers.items()})
            assert (other.value, other.hits) == (found.value, found.hits)


def test_true_answers_are_worth_all():
    rng = np.random.default_rng(2)
    source = rng.permutation(N)
    for asked in (BITS, CONFIDENCES, VALUES, JOBS, ROWS, LINKS):
        sheet = draw_sheet(asked, np.arange(6), np.arange(6, N), SCHEMA, rng=rng)
        key = true_answers(asked, sheet, TABLE, SCHEMA, source=source)
        answers = {
            "member": key.inside.astype(float),
            "confidence": key.inside.astype(float),
            **key.values,
        }
        if key.lines is not None:
            key = Key(sheet.inside, {}, np.where(sheet.inside, key.lines, -1), key.units)
            answers |= {
                "line_1": key.lines,
                "line_2": key.lines * 0 - 1,
                "line_3": key.lines * 0 - 1,
            }
        wanted = {name: answers[name] for name in asked.columns(SCHEMA)}
        assert result_of(asked, key, wanted).value == 1, asked
        assert result_of(asked, key, wanted).right.all()
        assert result_of(asked, key, None).value == 0


# Broken files


def codes(data, asked, n=3, n_lines=9):
    with pytest.raises(ProblemsFound) as found:
        read_answers(data, asked, n, SCHEMA, n_lines=n_lines)
    return [(p.code, p.row, p.column) for p in found.value.problems]


ONES = question("membership", "bits", "hits", ones=1)


@pytest.mark.parametrize(
    ("asked", "lines", "expected"),
    [
        (BITS, "1,1\n2,2\n3,\n", [("answer.bit", 2, "member"), ("answer.bit", 3, "member")]),
        (BITS, "1,1\n2,true\n3,1.0\n", [("answer.bit", 2, "member"), ("answer.bit", 3, "member")]),
        (ONES, "1,1\n2,1\n3,0\n", [("answer.ones", None, None)]),
        (CONFIDENCES, "1,nan\n2,inf\n3,1.5\n", [("answer.confidence", row, "confidence") for row in (1, 2, 3)]),
        (CONFIDENCES, "1,-0.1\n2,\n3,1_0\n", [("answer.confidence", row, "confidence") for row in (1, 2, 3)]),
        (CONFIDENCES, "1,1e-05\n2,1\n", [("answer.missing", None, None)]),
        (CONFIDENCES, "1,1\n4,1\n3,1\n3,0\n0,1\nx,1\n", [
            ("answer.not_asked", 2, None), ("answer.repeated", 4, None), ("answer.not_asked", 5, None),
            ("answer.not_asked", 6, None), ("answer.missing", None, None)]),
        (CONFIDENCES, "1,1,1\n\n3,1\n", [
            ("record.cell_count", 1, None), ("record.empty_line", 2, None), ("answer.missing", None, None)]),
        (VALUES, "1,a\n2,inf\n3,\n", [("cell.not_a_number", 1, "years"), ("cell.not_a_number", 2, "years")]),
        (JOBS, "1,cook\n2,king\n3,\n", [("cell.not_in_values", 2, "job")]),
        (INTERVALS, "1,2,1\n2,,1\n3,1,3\n", [
            ("answer.half_interval", 2, None), ("answer.interval", 1, None), ("answer.wide_interval", 3, None)]),
        (LINKS, "1,10,,\n2,,,\n3,-2,,\n", [("answer.line", row, "line_1") for row in (1, 2, 3)]),
        (LINKS, "1,0,,\n2,-1,3,\n3,2,2,\n", [
            ("answer.line_zero", 1, None), ("answer.after_none", 2, None), ("answer.candidate_twice", 3, None)]),
    ],
)  # fmt: skip
def test_all_problems_of_an_answer_file_are_named(asked, lines, expected):
    header = ",".join(("question", *asked.columns(SCHEMA)))
    assert codes(f"{header}\n{lines}".encode(), asked) == expected


def test_other_columns_are_refused():
    assert codes(b"question,confidence\n1,1\n", BITS)[0][0].startswith("header.")
    assert codes(b"", BITS) == [("file.empty", None, None)]


def test_large_files_are_read_like_small_ones():
    """With a carriage return in it, a file is read line by line."""
    rng = np.random.default_rng(9)
    for asked in (BITS, CONFIDENCES):
        values = (rng.random(50) < 0.5) if asked is BITS else rng.random(50) ** 9
        data = write_answers({asked.columns(SCHEMA)[0]: values}, asked, SCHEMA)
        (quick,) = read_answers(data, asked, 50, SCHEMA).values()
        (careful,) = read_answers(data.replace(b"\n", b"\r\n"), asked, 50, SCHEMA).values()
        assert quick.tolist() == careful.tolist() == values.tolist()


def test_a_problem_shows_nothing_of_the_key():
    with pytest.raises(ProblemsFound) as found:
        read_answers(b"question,member\n1,7\n", BITS, 2, SCHEMA)
    assert [str(p) for p in found.value.problems] == [
        "answers — 1 questions have no line — expected a line for each of 2 questions — none for 2",
        "answers, record 1, column member — not a bit — expected 0 or 1 — got “7”",
    ]


# One file for all targets


def test_a_file_for_all_targets_is_split_as_each_would_be_sent():
    wide = b"question,red,blue\n1,1,0\n2,0,\n"
    long = b"target,question,member\nred,1,1\nblue,1,0\nred,2,0\n"
    expected = {"red": b"question,member\n1,1\n2,0\n", "blue": b"question,member\n1,0\n"}
    assert split_by_target(wide, BITS, SCHEMA, ["red", "blue"]) == expected
    assert split_by_target(long, BITS, SCHEMA, ["red", "blue"]) == expected


@pytest.mark.parametrize(
    ("data", "asked", "expected"),
    [
        (b"question,red,teal\n1,1,1\n", BITS, ["answer.no_target"]),
        (
            b"target,question,member\nteal,1,1\nred,1\n",
            BITS,
            ["answer.no_target", "record.cell_count"],
        ),
        (b"question,red\n1,2\n", LINKS, ["answer.header"]),
        (b"number,red\n1,2\n", BITS, ["answer.header"]),
        (b"question,red\n1,\n", BITS, ["file.header_only"]),
    ],
)
def test_a_file_for_all_targets_that_cannot_be_split(data, asked, expected):
    with pytest.raises(ProblemsFound) as found:
        split_by_target(data, asked, SCHEMA, ["red", "blue"])
    assert sorted(problem.code for problem in found.value.problems) == sorted(expected)


# Bitmaps, attackers


def test_the_record_that_most_attackers_found():
    rng = np.random.default_rng(4)
    found = rng.random((5, 100)) < 0.3
    assert most_found(packed(right) for right in found) == found.sum(axis=0).max()
    assert unpacked(packed(found[0])).tolist() == found[0].tolist()
    assert len(packed(np.zeros(100_000, dtype=bool))) < 200
    assert unpacked(packed(np.zeros(0, dtype=bool))).tolist() == []


def test_simple_attackers_find_what_was_published_unchanged():
    published = TABLE.to_frame().iloc[:8]
    rng = np.random.default_rng(8)
    for asked in QUESTIONS:
        asked.check(SCHEMA)
        sheet = draw_sheet(asked, np.arange(8), np.arange(8, N), SCHEMA, rng=rng)
        key = true_answers(asked, sheet, TABLE, SCHEMA, source=np.arange(8))
        seen = read_sheet(sheet_file(asked, sheet, TABLE, SCHEMA), asked, SCHEMA)
        for attacker in ATTACKERS.values():
            answers = attacker(asked, seen.known, published, SCHEMA, np.arange(8))
            data = write_answers(answers, asked, SCHEMA)
            read = read_answers(data, asked, len(sheet), SCHEMA, n_lines=8)
            assert 0 <= result_of(asked, key, read).value <= 1
        nearest = ATTACKERS["nearest"](asked, seen.known, published, SCHEMA, np.arange(8))
        wanted = 0.75 if asked is BITS else 0.125 if asked is LINKS else 0.99
        assert result_of(asked, key, nearest).value >= wanted, asked
