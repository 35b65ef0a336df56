# SPDX-License-Identifier: Apache-2.0
"""Several boards of a contest: worked by hand, with baselines, lost tables, penalties and seasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formulas import (
    FORMULAS,
    Line,
    Scores,
    protection,
    published,
    ranked,
    ranked_boards,
    season_boards,
)
from scoring.formulas.parts import worst_rate
from scoring.rulesets.base import BoardSpec
from tests.scoring.test_formulas import CUP as PAGE_CUP
from tests.scoring.test_formulas import contests

TOTAL = BoardSpec("total", {}, "sum")
ATTACK = BoardSpec(
    "attack", {}, "top-k-attack", {"k": 1, "of": "total", "combine": "sum"}, boards=("total",)
)
BOTH = BoardSpec(
    "both", {}, "board-ranks", boards=("total", "attack"), weights=(1.0, 1.0), direction="lower"
)
MATRIX = {"a": {"b": 40.0, "c": 30.0}, "b": {"a": 20.0, "c": 50.0}, "c": {"a": 10.0, "b": 60.0}}
CUP = Scores(("a", "b", "c"), MATRIX, {"a": 70.0, "b": 80.0, "c": 95.0})


def places(lines):
    return {team: (line.rank, line.total) for team, line in lines.items()}


def test_boards_over_boards_are_worked_out_on_paper():
    found = ranked_boards([BOTH, ATTACK, TOTAL], CUP)
    assert list(found) == ["both", "attack", "total"]
    # protection 80, 40, 50
    assert places(found["total"]) == {"a": (1, 150), "b": (3, 120), "c": (2, 145)}
    # against a's table only, whose own cell is b's 20
    assert places(found["attack"]) == {"a": (1, 20), "b": (1, 20), "c": (3, 10)}
    assert places(found["both"]) == {"a": (1, 2), "b": (2, 4), "c": (3, 5)}


def test_boards_in_every_order_are_the_same():
    expected = ranked_boards([BOTH, ATTACK, TOTAL], CUP)
    assert ranked_boards([TOTAL, ATTACK, BOTH], CUP) == expected
    assert list(ranked_boards([ATTACK, TOTAL], CUP)) == ["attack", "total"]


@pytest.mark.parametrize(
    ("boards", "message"),
    [([BOTH, ATTACK], "total"), ([BoardSpec("x", {}, "board-ranks", boards=("x",))], "themselves")],
)
def test_boards_that_cannot_be_made_are_named(boards, message):
    with pytest.raises(ValueError, match=message):
        ranked_boards(boards, CUP)


def test_a_division_has_its_own_ranks_and_everybody_s_attacks_and_tables():
    found = ranked_boards([TOTAL, ATTACK, BOTH], CUP, players=("b", "c"))
    assert places(found["total"]) == {"b": (2, 120), "c": (1, 145)}
    # the best table is still a's
    assert places(found["attack"]) == {"b": (1, 20), "c": (2, 10)}
    assert places(found["both"]) == {"b": (1, 3), "c": (1, 3)}


def test_the_rank_on_another_board_breaks_ties():
    both = BoardSpec(
        "both", {}, "board-ranks", boards=("total", "attack"), weights=(1.0, 1.0),
        tie_breaks=("total",), direction="lower",
    )  # fmt: skip
    found = ranked_boards([TOTAL, ATTACK, both], CUP, players=("b", "c"))["both"]
    assert [(t, line.rank, line.tie_broken_by) for t, line in found.items()] == [
        ("b", 2, "total"),
        ("c", 1, "total"),
    ]


def test_weighted_totals_of_other_boards():
    spec = BoardSpec("w", {}, "board-totals", boards=("total", "attack"), weights=(0.1, 0.9))
    found = ranked_boards([TOTAL, ATTACK, spec], CUP)["w"]
    assert places(found) == {"a": (1, 33), "b": (2, 30), "c": (3, 23.5)}


def test_a_baseline_counts_for_the_worst_case_and_has_no_rank():
    matrix = {**MATRIX, "sample": {"a": 90.0, "b": 5.0}, "stranger": {"a": 100.0}}
    scores = Scores(CUP.teams, matrix, CUP.utility, baselines=("sample",))
    assert [protection(scores, team) for team in "abc"] == [10, 40, 50]
    found = ranked("top-k-attack", scores, {"k": 3})
    assert list(found) == ["a", "b", "c"]
    assert found["a"].total == pytest.approx((90 + 40 + 30) / 3)  # its own cell is the sample's
    assert found["b"].total == pytest.approx((20 + 60 + 50) / 3)  # others than the sample's


def test_the_table_of_a_disqualified_team_counts_as_found():
    """As in 2021: the table has R = 1, its team attacks as before."""
    scores = Scores(CUP.teams, MATRIX, CUP.utility, lost=frozenset("a"))
    assert [protection(scores, team) for team in "abc"] == [0, 40, 50]
    assert worst_rate(scores, "a") == 100
    assert ranked("weighted-sum", scores, {"utility": 0, "protection": 0})["a"].total == 35
    surviving = Scores(
        ("a", "b"), {"a": {"b": 1.0}}, lost=frozenset("a"), loss={"a": 1.0, "b": 2.0}
    )
    assert [line.total for line in ranked("surviving-loss", surviving).values()] == [9999, 2]


def test_records_that_many_found_take_points():
    """As in 2025: (10,000 − 1,653) / 100 − (14 − 1) = 70.47, and never below 0."""
    matrix = {"x": {"a": 16.53, "b": 89.54, "c": 1.0}}
    scores = Scores(("a", "b", "c", "x"), matrix, repeats={"a": 14, "b": 21, "c": 0})
    assert [round(protection(scores, team), 9) for team in "abcx"] == [70.47, 0, 99, 100]


def test_every_attack_names_its_own_number_of_records():
    """As in 2018, where R(10) is 10 and R(100) is 65."""
    chance = {"p": 1 / 3, "alpha": 0.0005, "bound": "union"}
    matrix = {"x": {"a": 90.0, "b": 65.0, "c": 64.0}}
    scores = Scores(
        ("a", "b", "c", "x"), matrix, defenders=frozenset("abc"), loss={"a": 0.5, "b": 0.1, "c": 0.2},
        n_guessed={"x": {"a": 10}},
    )  # fmt: skip
    assert [line.total for line in ranked("surviving-loss", scores, chance).values()] == [
        0.5,
        9999,
        0.2,
        9999,
    ]


@pytest.mark.parametrize(
    "wrong", [{"loss": {"a": -1}}, {"repeats": {"a": -1}}, {"n_guessed": {"a": {"b": -1}}}]
)
def test_facts_below_zero_are_refused(wrong):
    with pytest.raises(ValueError, match="expected 0 to inf"):
        Scores(("a", "b"), {}, **wrong)


# --- seasons ---


def lines_of(**totals):
    return published(totals, "higher")


def test_a_season_adds_totals_or_ranks():
    first, second = lines_of(a=90.0, b=10.0, c=5.0), lines_of(a=50.0, b=51.0)
    stages = [(1, {"x": first}), (9, {"x": second})]
    by_totals = season_boards([BoardSpec("x", {}, "sum")], stages)["x"]
    assert places(by_totals) == {"a": (1, 54), "b": (2, 46.9), "c": (3, 0.5)}
    by_ranks = season_boards([BoardSpec("x", {}, "sum", season="ranks")], stages)["x"]
    # c was not in the final: the last of three
    assert places(by_ranks) == {"a": (2, 1.9), "b": (1, 1.1), "c": (3, 3)}


def test_the_champion_of_2023_is_the_lowest_sum_of_the_two_season_ranks():
    """Seasons of ranks first, ties by the final; then their sum, ties by the season of the tables."""
    tables = BoardSpec(
        "tables",
        {},
        "sum",
        tie_breaks=("protection",),
        season="ranks",
        season_tie_breaks=("final",),
    )
    attack = BoardSpec("attack", {}, "sum", season="ranks", season_tie_breaks=("final",))
    champion = BoardSpec(
        "champion", {}, "board-ranks", boards=("tables", "attack"), weights=(1.0, 1.0),
        tie_breaks=("tables",), season="boards", direction="lower",
    )  # fmt: skip
    preliminary = {"tables": lines_of(a=3.0, b=2.0, c=1.0), "attack": lines_of(a=1.0, b=2.0, c=3.0)}
    final = {"tables": lines_of(a=2.0, b=3.0, c=1.0), "attack": lines_of(a=2.0, b=1.0, c=3.0)}
    found = season_boards([champion, tables, attack], [(1, preliminary), (1, final)])
    # tables: a 1 + 2, b 2 + 1, of which b was first in the final; attack: a 3 + 2, b 2 + 3, c 1 + 1
    assert places(found["tables"]) == {"a": (2, 1.5), "b": (1, 1.5), "c": (3, 3)}
    assert found["tables"]["a"].tie_broken_by == "final"
    assert places(found["attack"]) == {"a": (2, 2.5), "b": (3, 2.5), "c": (1, 1)}
    assert places(found["champion"]) == {"a": (2, 4), "b": (1, 4), "c": (3, 4)}


def test_published_totals_are_a_season():
    """The winner of 2024: 135.38 in the preliminary and 135.1 in the final, weighted 0.1 and 0.9."""
    season = [
        (0.1, {"total": lines_of(w=135.38, x=0.0)}),
        (0.9, {"total": lines_of(w=135.1, x=144.2)}),
    ]
    found = season_boards([TOTAL], season)["total"]
    assert places(found) == {"w": (1, 135.128), "x": (2, 129.78)}


# --- laws ---


@given(contests(), st.data())
def test_a_single_board_is_the_formula_s(scores, data):
    for id_ in data.draw(st.sets(st.sampled_from(list(FORMULAS)), min_size=1, max_size=3)):
        formula = FORMULAS[id_]
        spec = BoardSpec("one", {}, id_, direction=formula.direction)
        assert ranked_boards([spec], scores) == {"one": ranked(id_, scores)}, id_
        season = season_boards([spec], [(1, {"one": ranked(id_, scores)})])["one"]
        ranks = {team: line.rank for team, line in ranked(id_, scores).items()}
        assert {team: line.rank for team, line in season.items()} == ranks, id_


@given(contests(least=2), st.data())
def test_more_attackers_never_protect(scores, data):
    rates = {t: data.draw(st.sampled_from([0.0, 50.0, 100.0])) for t in scores.teams}
    more = Scores(
        scores.teams, {**scores.matrix, "sample": rates}, defenders=scores.defenders, baselines=("sample",),
        repeats=dict.fromkeys(scores.teams, data.draw(st.integers(0, 4))),
    )  # fmt: skip
    for team in scores.teams:
        old, new = protection(scores, team), protection(more, team)
        assert (old is None and new is None) or 0 <= new <= old


def test_a_line_of_published_totals_has_only_its_total():
    assert published({"a": 1.0, "b": None}, "lower") == {"a": Line(1, 1.0), "b": Line(2, None)}


# --- the examples of the page about formulas ---

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "formulas.md").read_text("utf-8")
WORKED = PAGE.partition("Worked from the official definitions:")[2]


def test_the_page_s_several_boards():
    total = BoardSpec("sum", {}, "sum")
    boards = ranked_boards(
        [replace(BOTH, boards=("sum", "attack")), replace(ATTACK, boards=("sum",)), total],
        PAGE_CUP,
    )
    assert places(boards["attack"]) == {
        "ume": (1, 60),
        "take": (3, 20),
        "matsu": (1, 60),
        "kiku": (4, 10),
    }
    table = PAGE.partition("the sum of the ranks:\n\n")[2].partition("\n\n")[0]
    written = [row.strip("|").split("|") for row in table.splitlines()[2:]]
    assert {name.strip(): (int(rank), float(total)) for name, rank, total in written} == places(
        boards["both"]
    )


def test_the_page_s_example_of_2021():
    matrix = {
        "01": {"04": 1.0, "06": 0.2, "10": 4.5, "02": 6.0},
        "04": {"06": 2.4, "10": 3.0, "01": 9.0},
        "02": {"01": 97.0},
    }
    scores = Scores(("01", "02", "04", "06", "10"), matrix)
    found = ranked("top-k-attack", scores, {"k": 3, "own": "left_out"})
    assert [round(found[team].total / 100, 9) for team in ("01", "04")] == [0.019, 0.027]
    for number in ("0.057 / 3 = 0.019", "its mean is over two, 0.027"):
        assert number in WORKED


def test_the_page_s_examples_of_2023_to_2026():
    def one(formula, utility, worst, **more):
        scores = Scores(("a", "b"), {"b": {"a": worst}}, {"a": utility}, **more)
        return ranked(formula, scores)["a"].total

    half = {"utility": 1, "protection": 1, "attack": 0, "presentation": 0}
    table = Scores(("a", "b"), {"b": {"a": 100 - 84.537}}, {"a": 92.136})
    assert ranked("weighted-sum", table, half)["a"].total == pytest.approx(88.3365)
    assert one("penalised-sum", 69.1, 34.0) == 135.1
    assert one("penalised-sum", 91.02, 69.0) == 84.02
    final = {"total": lines_of(a=84.02)}
    season = season_boards([TOTAL], [(0.1, {"total": lines_of(a=146.5)}), (0.9, final)])
    assert season["total"]["a"].total == 90.268
    assert one("sum", 91.89, 16.53, repeats={"a": 14}) == 162.36
    assert one("minimum", 64.0, 42.0) == 58
    for number in ("0.88336", "135.1", "84.02", "90.268", "70.47", "162.36", "anonymity 58: 58"):
        assert number in WORKED
