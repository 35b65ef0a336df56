# SPDX-License-Identifier: Apache-2.0
"""Rounds that ask questions, as a ruleset lists them, and everything that can be wrong with them."""

from __future__ import annotations

from copy import deepcopy

import pytest
import tomli_w

from scoring.questions.asked import ASKS
from scoring.rulesets.loader import parse_archived, parse_stored
from tests.scoring.rulesets import parsed, problem_list, problems_of, values_of

TITLE = {"en": "Title", "ja": "題"}
MEMBERS = {"key": "members", "asks": "membership", "title": TITLE}
VALUES = {"key": "values", "asks": "attributes", "column": "income", "title": TITLE}
ROWS = {"key": "rows", "asks": "rows", "known": ["sex", "age"], "title": TITLE}
LINKS = {"key": "lines", "asks": "links", "candidates": 3, "title": TITLE}
SCHEMA = {
    "column": [
        {"name": "sex", "role": "quasi_identifier", "kind": "category"},
        {"name": "age", "role": "quasi_identifier", "kind": "integer"},
        {"name": "income", "role": "sensitive", "kind": "number"},
    ]
}


def rules(*questions, **changes):
    """The lecture's ruleset with an attack that asks these questions."""
    values = values_of("pets-lecture")
    values["data"]["schema"] = SCHEMA
    attack = next(r for r in values["round"] if r["kind"] == "candidate-attack")
    for key in ("file", "gives", "marking", "truth"):
        attack.pop(key, None)
    attack |= {"kind": "question-attack", "question": deepcopy(list(questions))} | changes
    return values


def asked(*questions, **changes):
    return next(r for r in parsed(rules(*questions, **changes)).rounds if r.questions)


def test_questions_with_what_is_usual():
    found = asked(MEMBERS, VALUES, ROWS, LINKS, combine="sum")
    assert [(q.answers, q.result) for q in found.questions] == [
        ("bits", "hits"), ("values", "share"), ("values", "cells"), ("lines", "first"),
    ]  # fmt: skip
    assert [(f.key, f.kind, f.required) for f in found.files] == [
        (key, "answers", True) for key in ("members", "values", "rows", "lines")
    ]
    assert found.combine == "sum"
    assert found.gives == ("questions",)
    assert asked(MEMBERS).combine == "max"


def test_every_kind_of_answer_and_result_can_be_chosen():
    first = {q["asks"]: q for q in (MEMBERS, VALUES, ROWS, LINKS)}
    more = {"controls": 5, "fpr": 0.01, "tolerance": 2}
    for asks, kind in ASKS.items():
        for answers, results in kind.results.items():
            for result in results:
                question = {**first[asks], "answers": answers, "result": result}
                known = {
                    key: value
                    for key, value in more.items()
                    if key == "controls"
                    or (key == "fpr" and result == "tpr_at_fpr")
                    or (key == "tolerance" and asks in ("attributes", "rows"))
                }
                (found,) = asked({**question, **known}).questions
                assert (found.answers, found.result) == (answers, result)


@pytest.mark.parametrize(
    ("questions", "changes", "expected"),
    [
        ([], {}, [("toml.wrong_value", "question")]),
        ([MEMBERS, MEMBERS], {"combine": "max"}, [("toml.wrong_value", "question[2].key")]),
        ([MEMBERS, VALUES], {}, [("toml.missing_key", "combine")]),
        ([{**MEMBERS, "asks": "colours"}], {}, [("toml.wrong_value", "question[1].asks")]),
        ([{**MEMBERS, "answers": "values"}], {}, [("toml.wrong_value", "question[1].answers")]),
        ([{**MEMBERS, "result": "auc"}], {}, [("toml.wrong_value", "question[1].result")]),
        (
            [{**MEMBERS, "answers": "confidences"}],
            {},
            [("toml.missing_key", "question[1].fpr")],
        ),
        (
            [{**MEMBERS, "answers": "confidences", "fpr": 1.5, "ones": 3}],
            {},
            [("toml.wrong_value", "question[1].fpr"), ("toml.unknown_key", "question[1].ones")],
        ),
        ([{**VALUES, "column": "wage"}], {}, [("toml.wrong_value", "question[1].column")]),
        (
            [{**VALUES, "known": ["age", "income"]}],
            {},
            [("toml.wrong_value", "question[1].known")],
        ),
        (
            [{**VALUES, "result": "over_controls"}],
            {},
            [("toml.missing_key", "question[1].controls")],
        ),
        (
            [{**VALUES, "answers": "intervals"}],
            {},
            [("toml.missing_key", "question[1].tolerance")],
        ),
        (
            [{**VALUES, "column": "sex", "answers": "intervals", "tolerance": 1}],
            {},
            [("question.no_number", "question[1].known.values")],
        ),
        (
            [{**ROWS, "known": ["sex", "age", "income"]}],
            {},
            [("question.nothing_asked", "question[1].known.rows")],
        ),
        ([{**MEMBERS, "required": False}], {}, [("toml.wrong_value", "question[1].required")]),
        (
            [MEMBERS],
            {"band": [{"at_least": 0.1, "title": TITLE}, {"at_least": 0.1, "title": TITLE}]},
            [("toml.wrong_value", "band[2].at_least"), ("toml.wrong_value", "band[1].at_least")],
        ),
    ],
)
def test_everything_that_is_wrong_is_named(questions, changes, expected):
    found = [
        (code, key.partition("].")[2]) for code, key, _ in problems_of(rules(*questions, **changes))
    ]
    assert found == expected


def test_a_margin_is_a_number_of_standard_errors():
    """No key is no margin, as in rulesets that were written before there was one."""
    sure = {**MEMBERS, "answers": "confidences"}
    for question in (MEMBERS, VALUES, ROWS, LINKS, {**sure, "result": "advantage"}):
        assert asked(question).questions[0].margin is None
        assert asked({**question, "margin": 1.64}).questions[0].margin == 1.64
        assert asked({**question, "margin": 0}).questions[0].margin == 0.0
        for wrong in (-1, 11, "1.64"):
            found = [key for _, key, _ in problems_of(rules({**question, "margin": wrong}))]
            assert [key.partition("].")[2] for key in found] == ["question[1].margin"]
    snakes = {**sure, "result": "weighted_advantage"}
    assert asked(snakes).questions[0].margin is None
    found = [code for code, *_ in problems_of(rules({**snakes, "margin": 1.64}))]
    assert found == ["toml.unknown_key"]


def test_a_question_needs_tables_that_are_attacked_with_questions():
    values = rules(MEMBERS)
    values["data"] = {"tables": "hidden", "schema": "households"}
    messages = [problem.message for problem in problem_list(values)]
    assert any("one of: presentation, batch, interactive" in message for message in messages)


def test_only_the_organizers_publish_tables_where_the_rules_say_so():
    values = values_of("pets-lecture")
    assert not any(spec.is_organizers for spec in parsed(values).rounds)
    values["round"][0]["by"] = "organizer"
    assert parsed(values).rounds[0].is_organizers
    values["round"][0]["by"] = "nobody"
    assert [key for _, key, _ in problems_of(values)] == ["round[1].by"]


def test_bands_name_a_rate():
    bands = [{"at_least": 0, "title": TITLE}, {"at_least": 0.5, "title": {"en": "B", "ja": "B"}}]
    found = asked(MEMBERS, band=bands)
    assert [found.band(rate).title["en"] for rate in (0, 0.499, 0.5, 1)] == [
        "Title",
        "Title",
        "B",
        "B",
    ]
    assert asked(MEMBERS).band(0.3) is None


def test_cells_that_are_drawn_for_each_record():
    (found,) = asked({**ROWS, "known": ["sex"], "cells": 2}).questions
    assert (found.cells, found.known) == (2, ("sex",))
    assert asked(ROWS).questions[0].cells is None
    wrong = rules({**ROWS, "cells": 2})  # income alone is not known
    assert [p.code for p in problem_list(wrong)] == ["question.nothing_asked"]
    other = rules({**MEMBERS, "cells": 1})
    ((code, key, _got),) = problems_of(other)
    assert (code, key.partition(".")[2]) == ("toml.unknown_key", "question[1].cells")


@pytest.mark.parametrize(
    ("questions", "wrong"),
    [
        ([{**MEMBERS, "targets": 30, "controls": 60}, {**VALUES, "targets": 10, "controls": 20}], []),
        ([{**MEMBERS, "targets": 30, "controls": 60}, {**VALUES, "targets": 10}], []),
        ([MEMBERS, VALUES, ROWS], []),
        ([{**VALUES, "controls": 0}, {**LINKS, "controls": 0}], []),
        ([{**MEMBERS, "targets": 30, "controls": 60}, {**VALUES, "targets": 10, "controls": 0}], [2]),
        ([{**VALUES, "targets": 10, "controls": 10}, {**MEMBERS, "targets": 30, "controls": 60}], [1]),
        ([{**MEMBERS, "targets": 30, "controls": 60}, {**LINKS, "controls": 60}], [2]),
    ],
)  # fmt: skip
def test_sheets_in_other_proportions_would_show_who_is_in_the_table(questions, wrong):
    values = rules(*questions, combine="sum") if len(questions) > 1 else rules(*questions)
    found = problems_of(values) if wrong else []
    assert [key.partition(".")[2] for _code, key, _got in found] == [
        f"question[{number}].controls" for number in wrong
    ]
    if not wrong:
        parsed(values)


def test_rules_that_were_accepted_before_stay_so():
    """Their sheets are drawn in one proportion, and an archive with them can be read."""
    values = rules(
        {**MEMBERS, "targets": 30, "controls": 60},
        {**VALUES, "targets": 10, "controls": 0},
        combine="max",
    )
    text = tomli_w.dumps(values)
    for parse in (parse_stored, parse_archived):
        attack = next(r for r in parse(text).rounds if r.questions)
        assert [q.controls for q in attack.questions] == [60, 0]


def test_an_original_is_chosen_for_each_submission_or_once():
    def drawing(**data):
        values = rules(MEMBERS)
        values["data"] |= data
        return values

    assert parsed(drawing(originals=2)).data.choose == "each"
    assert parsed(drawing(originals=2, choose="once")).data.choose == "once"
    for data, key in (({"choose": "once"}, "data.originals"), ({"choose": "never"}, "data.choose")):
        assert [name for _code, name, _got in problems_of(drawing(**data))] == [key]
