# SPDX-License-Identifier: Apache-2.0
"""Rulesets with a list of boards, good and bad."""

from __future__ import annotations

import copy

import pytest

from scoring.formulas import MEASURE_RANKS, OF_LISTED, OVER_BOARDS
from scoring.rulesets import load_ruleset
from tests.scoring.rulesets import change, parsed, problems_of, values_of

LECTURE = "pets-lecture"


def board(key, formula, **more):
    return {"key": key, "title": {"en": key.title(), "ja": "表"}, "formula": formula, **more}


BOARDS = [
    board("total", "penalised-sum", tie_breaks=["protection", "earlier"]),
    board(
        "attack",
        "top-k-attack",
        settings={"k": 5, "of": "total", "combine": "sum"},
        boards=["total"],
        season="ranks",
        season_tie_breaks=["final"],
    ),
    board(
        "overall",
        "board-ranks",
        boards=["total", "attack"],
        weights=[1, 9],
        tie_breaks=["total"],
        season="boards",
    ),
]


@pytest.fixture
def values():
    """The lecture contest with three boards."""
    found = values_of(LECTURE)
    found["ranking"] = {"utility_measure": "LOSS", "baselines": ["built-in", "house"]}
    found["ranking"] |= {"disqualified": "lost", "penalty": "repeats", "attackers": "median"}
    found["ranking"] |= {"ties": "not-separable"}
    found["board"] = copy.deepcopy(BOARDS)
    found["board"].append(board("mean", "weighted-sum"))
    return found


def test_boards_are_read(values):
    rules = parsed(values)
    assert [spec.key for spec in rules.boards] == ["total", "attack", "overall", "mean"]
    total, attack, overall, _ = rules.boards
    assert (total.direction, total.tie_breaks) == ("higher", ("protection", "earlier"))
    assert attack.settings == {"k": 5, "of": "total", "combine": "sum"}
    assert (attack.boards, attack.season, attack.season_direction) == (("total",), "ranks", "lower")
    assert attack.season_tie_breaks == ("final",)
    assert (overall.weights, overall.direction, overall.season) == ((1, 9), "lower", "boards")
    assert overall.title == {"en": "Overall", "ja": "表"}
    assert rules.board("overall") is overall
    ranking = rules.ranking
    assert (ranking.formula, ranking.tie_breaks) == ("penalised-sum", ("protection", "earlier"))
    assert (ranking.utility_measure, ranking.attackers) == ("LOSS", "median")
    assert ranking.baselines == ("built-in", "house")
    assert (ranking.disqualified, ranking.penalty) == ("lost", "repeats")
    assert ranking.shares_ranks


def test_a_ruleset_without_a_list_has_no_boards():
    rules = load_ruleset(LECTURE)
    assert rules.boards == ()
    ranking = rules.ranking
    assert (ranking.baselines, ranking.disqualified, ranking.penalty) == ((), "out", "none")
    assert not ranking.shares_ranks


def test_what_boards_share_may_be_left_out(values):
    del values["ranking"], values["board"][1:]
    values["board"][0] = board("attack", "top-k-attack")
    assert parsed(values).ranking.utility_measure is None


def test_totals_of_other_boards_have_their_direction(values):
    values["board"].append(board("both", "board-totals", boards=["overall", "overall2"]))
    values["board"].append(board("overall2", "board-ranks", boards=["total"]))
    assert parsed(values).board("both").direction == "lower"
    values["board"][-2]["boards"] = ["overall", "total"]
    assert problems_of(values) == [("toml.wrong_value", "board[5].boards", "higher and lower")]


@pytest.mark.parametrize("formula", [*OF_LISTED])
def test_every_formula_may_have_a_board(values, formula):
    more = {"boards": ["total"]} if formula in OVER_BOARDS else {}
    values["board"] = [board("total", "sum"), board("one", formula, **more)]
    values["ranking"]["loss_measure"] = "LOSS"
    if formula not in ("weighted-sum", "part-ranks"):
        del values["ranking"]["attackers"]
    assert parsed(values).boards[1].formula == formula


@pytest.mark.parametrize(
    ("apply", "key", "got"),
    [
        (change(["board", 0, "formula"], MEASURE_RANKS), "board[1].formula", MEASURE_RANKS),
        (change(["board", 0, "key"], "matrix"), "board[1].key", "matrix"),
        (change(["board", 0, "key"], "season-x"), "board[1].key", "season-x"),
        (change(["board", 3, "key"], "total"), "board[4].key", "total"),
        (change(["board", 1, "boards"], ["total", "mean"]), "board[2].boards", "2"),
        (change(["board", 1, "boards"], ["none"]), "board[2].boards", "['none']"),
        (change(["board", 2, "boards"], ["overall"]), "board[3].boards", "['overall']"),
        (change(["board", 2, "weights"], [1]), "board[3].weights", "1"),
        (change(["board", 2, "weights"], [0, 0]), "board[3].weights", "0, 0"),
        (change(["board", 2, "weights"], [1, -1]), "board[3].weights", "[1, -1]"),
        (change(["board", 2, "weights"], "1:9"), "board[3].weights", "1:9"),
        (change(["board", 0, "boards"], ["mean"]), "board[1].boards", "boards"),
        (change(["board", 0, "season"], "boards"), "board[1].season", "boards"),
        (change(["board", 0, "season"], "years"), "board[1].season", "years"),
        (change(["board", 0, "tie_breaks"], ["final"]), "board[1].tie_breaks", "['final']"),
        (change(["board", 0, "tie_breaks"], ["overall"]), "board[1].boards", "total"),
        (change(["board", 1, "settings"], {"own": "half"}), "board[2].settings.own", "half"),
        (change(["ranking", "baselines"], ["teams"]), "ranking.baselines", "['teams']"),
        (change(["ranking", "disqualified"], "gone"), "ranking.disqualified", "gone"),
        (change(["ranking", "penalty"], "all"), "ranking.penalty", "all"),
        (change(["ranking", "ties"], "all"), "ranking.ties", "all"),
        (change(["board"], []), "board", "[]"),
    ],
)
def test_a_wrong_board_is_named(values, apply, key, got):
    apply(values)
    assert ("toml.wrong_value", key, got) in problems_of(values)


def test_what_a_board_lacks_is_named(values):
    del values["board"][2]["boards"], values["board"][0]["title"]["ja"]
    values["board"][3]["colour"] = "red"
    values["ranking"]["formula"] = "sum"
    assert sorted(problems_of(values)) == [
        ("toml.missing_key", "board[1].title.ja", None),
        ("toml.missing_key", "board[3].boards", None),
        ("toml.unknown_key", "board[4].colour", None),
        ("toml.unknown_key", "ranking.formula", None),
    ]


def test_a_formula_of_a_loss_needs_its_measure(values):
    values["board"].append(board("alive", "surviving-loss"))
    assert problems_of(values) == [("toml.missing_key", "ranking.loss_measure", None)]
    values["ranking"]["loss_measure"] = "U9"
    assert problems_of(values) == [("toml.wrong_value", "ranking.loss_measure", "U9")]


def test_a_board_of_attacks_wants_an_attack_round(values):
    values["round"] = [spec for spec in values["round"] if "attack" not in spec["kind"]]
    found = {key for code, key, _ in problems_of(values) if code == "toml.wrong_value"}
    assert {"board[1].formula", "board[2].formula"} <= found
