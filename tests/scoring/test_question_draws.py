# SPDX-License-Identifier: Apache-2.0
"""One draw for all sheets about a table: where a record stands says nothing, and no sheet answers another."""

from __future__ import annotations

import csv
import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import ProblemsFound
from scoring.examples import SCHEMA as TINY
from scoring.questions.asked import QuestionSpec
from scoring.questions.attackers import ATTACKERS, read_sheet
from scoring.questions.files import answer_rules, read_answers, write_answers
from scoring.questions.membership import true_positive_rate
from scoring.questions.results import result_of
from scoring.questions.sheets import Key, draw_sheets, sheet_file, true_answers
from scoring.rulesets import load_ruleset, ruleset_names
from scoring.rulesets.loader import load_schema
from tests.every import every
from tests.scoring.test_questions import SCHEMA, TABLE, N, question

ASKING = [name for name in ruleset_names() if any(r.questions for r in load_ruleset(name).rounds)]


def drawn(questions, n_inside, n_outside, seed=0, schema=TINY, cells=None):
    inside, outside = np.arange(n_inside), np.arange(n_inside, n_inside + n_outside)
    rng = np.random.default_rng(seed)
    return draw_sheets(questions, inside, outside, schema, rng=rng, cells=cells)


def patterns(sheets, n_inside):
    """The numbers of members and of controls by the sheets on which they stand."""
    on = Counter()
    stands = {}
    for at, sheet in enumerate(sheets):
        for row in sheet.rows.tolist():
            stands.setdefault(row, []).append(at)
    for row, where in stands.items():
        on[tuple(where), row < n_inside] += 1
    return {where: (on[where, True], on[where, False]) for where, _ in on}


def leak(sheets, n_inside):
    """The largest difference of the true and the false positive rate over all functions of these sheets."""
    found = np.array(list(patterns(sheets, n_inside).values()), dtype=float)
    members, controls = found.sum(axis=0)
    if not members or not controls:
        return 0.0, 1.0
    return float(np.abs(found[:, 0] / members - found[:, 1] / controls).sum() / 2), controls


@every(name=ASKING)
def test_in_every_shipped_format_no_function_of_sheets_tells_members(name):
    rules = load_ruleset(name)
    data, schema = rules.data, rules.schema or load_schema("survival")
    questions = [q for round in rules.rounds for q in round.questions]
    n_outside = data.decoys or 5 * data.sample
    for seed in range(3):
        sheets = drawn(questions, data.sample, n_outside, seed, schema)
        for q, sheet in zip(questions, sheets, strict=True):
            wanted = data.sample if q.targets is None else q.targets
            assert sheet.inside.sum() == wanted
            controls = q.controls if q.controls is not None else len(sheet) - wanted
            assert len(sheet) - wanted == controls
        found, controls = leak(sheets, data.sample)
        assert found * controls <= 2 * len(sheets)


COUNTS = st.none() | st.integers(1, 40)
ASKED = st.builds(
    lambda key, targets, controls, asks: QuestionSpec(
        key, *asks, targets=targets, controls=controls, column="SA1"
    ),
    st.sampled_from("abcd"),
    COUNTS,
    st.none() | st.integers(0, 60),
    st.sampled_from([("membership", "bits", "hits"), ("attributes", "values", "share")]),
)


@given(
    st.lists(ASKED, min_size=1, max_size=6),
    st.integers(1, 60),
    st.integers(0, 90),
    st.integers(0, 99),
)
def test_any_questions_divide_members_and_controls_alike(questions, n_inside, n_outside, seed):
    """Every set of sheets has members and controls in one proportion, up to whole records at the ends of arcs."""
    sheets = drawn(questions, n_inside, n_outside, seed)
    found = patterns(sheets, n_inside)
    members, controls = np.array(list(found.values())).sum(axis=0)
    for where, (n_members, n_controls) in found.items():
        n_arcs = 1 + len(sheets)
        assert abs(n_controls - n_members * controls / members) <= n_arcs, where
    for q, sheet in zip(questions, sheets, strict=True):
        assert len(set(sheet.rows.tolist())) == len(sheet)
        assert (sheet.rows[sheet.inside] < n_inside).all()
        assert (sheet.rows[~sheet.inside] >= n_inside).all()
        assert sheet.inside.sum() == min(n_inside, q.targets or n_inside)


def test_of_tiny_lists_every_set_of_sheets_is_as_likely_for_both():
    """Numbers that do not divide: rounded at random, so that no set of sheets is likelier for members on average."""
    bits = ("membership", "bits", "hits")
    questions = [
        QuestionSpec("a", *bits, targets=3, controls=2),
        QuestionSpec("b", *bits, targets=1, controls=1),
        QuestionSpec("c", "attributes", "values", "share", column="SA1", targets=2),
        QuestionSpec("a", *bits, targets=2, controls=1),
    ]
    n, total = 1_500, Counter()
    for seed in range(n):
        for where, (members, controls) in patterns(drawn(questions, 5, 9, seed), 5).items():
            total[where, True] += members
            total[where, False] += controls
    for is_member in (True, False):
        n_all = sum(v for (_, which), v in total.items() if which == is_member)
        for where in {where for where, _ in total}:
            total[where, is_member] /= n_all
    for where in {where for where, _ in total}:
        assert total[where, True] == pytest.approx(total[where, False], abs=0.02), where


def test_counting_sheets_has_the_chance_rate():
    """Finding 2: both stages, people and times, six teams."""
    rules = load_ruleset("synthetic-2026")
    questions = [q for round in rules.rounds for q in round.questions]
    for seed in range(6):
        times = Counter()
        sheets = drawn(questions, 313, 2000, seed, rules.schema)
        for sheet in sheets:
            times.update(sheet.rows.tolist())
        asked = sheets[0]
        said = np.array([times[row] for row in asked.rows.tolist()]) / 9
        assert true_positive_rate(asked.inside, said, 0.01)[0] == pytest.approx(0.01, abs=0.005)


def test_the_same_people_are_asked_in_every_round_and_others_in_other_questions():
    values = {"asks": "attributes", "answers": "values", "result": "share", "column": "SA1"}
    people = QuestionSpec("people", "membership", "bits", "hits", targets=4, controls=8)
    amounts = QuestionSpec("amounts", **values, targets=3)
    first, other, again, fewer = drawn(
        [people, amounts, people, QuestionSpec("people", **values, targets=2)], 9, 40
    )
    assert sorted(first.rows) == sorted(again.rows) != first.rows.tolist()
    assert set(fewer.rows) < set(first.rows)
    assert not set(first.rows) & set(other.rows)
    assert (len(other), len(fewer)) == (9, 6)


def test_people_without_controls_get_some_where_another_question_asks_membership():
    values = QuestionSpec("v", "attributes", "values", "share", column="SA1", targets=5)
    people = QuestionSpec("m", "membership", "bits", "hits", targets=10, controls=20)
    alone, (_, beside) = drawn([values], 20, 50)[0], drawn([people, values], 20, 50)
    assert (len(alone), alone.inside.all()) == (5, True)
    assert (len(beside), beside.inside.sum()) == (15, 5)


def test_a_table_of_other_records_is_asked_about_by_the_same_order():
    """A team that keeps other rows in the final: who is in both tables stands at the same place, one after another."""
    people = QuestionSpec("m", "membership", "bits", "hits", targets=5, controls=5)
    rows = np.arange(40)
    first, second = (
        draw_sheets([people], kept, np.setdiff1d(rows, kept), TINY, rng=np.random.default_rng(1))[0]
        for kept in (rows[:20], np.append(rows[1:20], 30))
    )
    assert len({*first.rows.tolist(), *second.rows.tolist()}) <= len(first) + 2


# No sheet answers another


@every(seed=range(30))
def test_no_sheet_shows_what_another_asks_or_does_not_show(seed):
    rng = np.random.default_rng(seed)
    questions = [
        question("membership", "confidences", "auc"),
        QuestionSpec(
            "years", "attributes", "values", "share", column="years", targets=3, known=("age",)
        ),
        QuestionSpec("rows", "rows", "values", "cells", known=("age",), cells=1, targets=4),
        QuestionSpec("both", "rows", "values", "whole", known=("age",), cells=2, targets=2),
    ]
    chosen = [questions[at] for at in rng.permutation(4)[: rng.integers(1, 5)]]
    sheets = drawn(chosen, 6, N - 6, seed, SCHEMA)
    seen = {}
    for asked, sheet in zip(chosen, sheets, strict=True):
        shown = lines(sheet_file(asked, sheet, TABLE, SCHEMA))
        for row, line in zip(sheet.rows.tolist(), shown, strict=True):
            cells = {name: line[name] for name in ("job", "age", "years") if line.get(name)}
            assert seen.setdefault(row, cells) == cells, (
                "what is seen of a record is the same everywhere"
            )
            asked_of = [line[f"asked_{n}"] for n in asked.drawn] or asked.blanked(SCHEMA)
            assert not set(asked_of) & set(cells)
    if len(chosen) == 1:
        assert not any(sheet.hidden for sheet in sheets if chosen[0].cells is None)


def lines(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


# Cells that are drawn for each record

CELLS = question("rows", "values", "cells", known=("age",), cells=1)


def key_and_sheet(asked=CELLS, seed=4):
    sheet = drawn([asked], 8, N - 8, seed, SCHEMA)[0]
    return sheet, true_answers(asked, sheet, TABLE, SCHEMA)


def test_a_cell_is_drawn_for_each_record_and_is_blank():
    sheet, key = key_and_sheet()
    assert CELLS.columns(SCHEMA) == ("value_1",)
    assert set(sheet.asked.ravel()) == {"job", "years"}
    for line, (column,) in zip(
        lines(sheet_file(CELLS, sheet, TABLE, SCHEMA)), sheet.asked, strict=True
    ):
        assert line["asked_1"] == column
        assert (line[column], line["age"] != "") == ("", True)
        assert all(line[name] for name in ("job", "age", "years") if name != column)
    again = Key.from_dict(key.to_dict())
    assert again.asked.tolist() == sheet.asked.tolist()
    assert again.is_asked("job").tolist() == (sheet.asked[:, 0] == "job").tolist()


def test_the_same_cells_of_a_record_are_asked_of_all_teams():
    first, second = (
        draw_sheets(
            [CELLS], rows, np.setdiff1d(np.arange(N), rows), SCHEMA,
            rng=np.random.default_rng(seed), cells=np.random.default_rng(5),
        )[0]
        for seed, rows in ((1, np.arange(8)), (2, np.arange(3, 11)))
    )  # fmt: skip
    of_first = dict(zip(first.rows.tolist(), first.asked[:, 0], strict=True))
    of_second = dict(zip(second.rows.tolist(), second.asked[:, 0], strict=True))
    both = set(of_first) & set(of_second)
    assert len(both) == 5
    assert all(of_first[row] == of_second[row] for row in both)


def test_answers_are_read_by_the_column_that_is_asked():
    sheet, key = key_and_sheet()
    truth = [key.values[column][at] for at, (column,) in enumerate(sheet.asked)]
    file = b"question,value_1\n" + b"".join(
        b"%d,%s\n" % (n, str(v).encode()) for n, v in enumerate(truth, 1)
    )
    read = read_answers(file, CELLS, len(sheet), SCHEMA, asked=sheet.asked)
    found = result_of(CELLS, key, read)
    assert (found.value, found.hits, found.n_units) == (1, 8, 8)
    assert write_answers(read, CELLS, SCHEMA, asked=sheet.asked).count(b"\n") == 9
    wrong = b"question,value_1\n" + b"".join(b"%d,cook\n" % n for n in range(1, 9))
    with pytest.raises(ProblemsFound) as refused:
        read_answers(wrong, CELLS, len(sheet), SCHEMA, asked=sheet.asked)
    asked_years = np.flatnonzero(sheet.asked[:, 0] == "years") + 1
    assert [p.row for p in refused.value.problems] == asked_years.tolist()
    assert {p.column for p in refused.value.problems} == {"years"}


def test_a_right_answer_to_what_is_not_asked_counts_nothing():
    asked = question("rows", "values", "whole", known=("age",), cells=2)
    sheet, key = key_and_sheet(asked)
    everything = {name: values.copy() for name, values in key.values.items()}
    assert result_of(asked, key, everything).value == 1
    sheet, key = key_and_sheet()
    half = {"job": key.values["job"], "years": np.full(8, np.nan)}
    found = result_of(CELLS, key, half)
    assert found.hits == (sheet.asked[:, 0] == "job").sum() == found.right.sum()
    assert found.n_units == 8


def test_the_rules_for_browsers_name_the_column_of_each_cell():
    sheet, _key = key_and_sheet()
    rules = answer_rules(CELLS, len(sheet), SCHEMA, asked=sheet.asked.tolist())
    names = [of["name"] for of in rules["of"]]
    assert names == ["job", "years"]
    (column,) = rules["columns"]
    assert [names[at] for at in column["asked"]] == sheet.asked[:, 0].tolist()


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_attackers_answer_sheets_with_blanks(attacker):
    published = TABLE.to_frame().iloc[:8]
    questions = [question("membership", "confidences", "auc"), CELLS]
    questions[1] = QuestionSpec("c", "rows", "values", "cells", known=("age",), cells=1, targets=4)
    sheets = drawn(questions, 8, N - 8, 2, SCHEMA)
    for asked, sheet in zip(questions, sheets, strict=True):
        seen = read_sheet(sheet_file(asked, sheet, TABLE, SCHEMA), asked, SCHEMA)
        answers = ATTACKERS[attacker](asked, seen.known, published, SCHEMA, np.arange(8))
        data = write_answers(answers, asked, SCHEMA, asked=seen.asked)
        read = read_answers(data, asked, len(sheet), SCHEMA, asked=sheet.asked)
        key = true_answers(asked, sheet, TABLE, SCHEMA)
        value = result_of(asked, key, read).value
        assert value == 1 if attacker == "nearest" else 0 <= value <= 1
