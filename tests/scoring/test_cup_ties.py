# SPDX-License-Identifier: Apache-2.0
"""Equal totals in the formats that follow past cups: what each cup's manual says, on boards made by hand."""

from __future__ import annotations

import pytest

from scoring.formulas import Scores, ranked
from scoring.formulas.base import Line
from scoring.formulas.boards import ranked_boards, season_boards
from scoring.formulas.measure_ranks import TableFacts, measure_ranks
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names

TIES = {
    "membership-2020": {"overall": (), "anonymization": (), "attack": ()},
    "reidentification-2021": {"overall": (), "anonymization": (), "attack": ()},
    "reconstruction-2023": {
        "overall": (),
        "anonymization": ("protection",),
        "attack": ("lowest-rates",),
    },
    "linkage-2024": {"overall": (), "attack": ()},
    "membership-2025": {"overall": (), "attack": ()},
    "synthetic-2026": {"overall": (), "attack": ()},
    "organizer-defends": {"attack": ()},
}
"""Of 2020 to 2022 and 2024 to 2026 the manuals say nothing about equal totals, and teams share the rank; that of 2023
has the sections 1.6.1 to 1.6.4."""
SEASON_TIES = {
    "reconstruction-2023": {
        "overall": ("anonymization",),
        "anonymization": ("final",),
        "attack": ("final",),
    }
}


def boards(name):
    return {spec.key: spec for spec in load_ruleset(name).boards}


def test_every_format_of_a_cup_states_its_ties():
    of_cups = {name for name in ruleset_names() if load_ruleset(name).modelled_on and boards(name)}
    assert of_cups <= set(TIES)
    for name, expected in TIES.items():
        assert {key: spec.tie_breaks for key, spec in boards(name).items()} == expected, name
        season = {k: s.season_tie_breaks for k, s in boards(name).items() if s.season_tie_breaks}
        assert season == SEASON_TIES.get(name, {}), name


def ranks(lines):
    return {team: line.rank for team, line in lines.items()}


@pytest.mark.parametrize("name", [name for name in TIES if name != "reconstruction-2023"])
def test_equal_teams_share_the_rank(name):
    """Four teams of which two pairs are alike in everything."""
    rates = {"a": 20.0, "b": 20.0, "c": 60.0, "d": 60.0}
    matrix = {j: {i: rates[j] for i in rates if i != j} for j in rates}
    utility = {"a": 70.0, "b": 70.0, "c": 80.0, "d": 80.0}
    for lines in ranked_boards(
        load_ruleset(name).boards, Scores(tuple("abcd"), matrix, utility)
    ).values():
        found = ranks(lines)
        assert found["a"] == found["b"]
        assert found["c"] == found["d"]


def of_2023(matrix, utility):
    return ranked_boards(
        load_ruleset("reconstruction-2023").boards, Scores(tuple("abcd"), matrix, utility)
    )


def test_2023_anonymization_is_by_the_mean_and_then_by_safety():
    """Section 1.6.1: a and b have (50 + 90) / 2 and (60 + 80) / 2."""
    matrix = {"c": {"a": 10.0, "b": 20.0}, "a": {"c": 100.0, "d": 100.0}}
    found = of_2023(matrix, {"a": 50.0, "b": 60.0, "c": 9.0, "d": 8.0})["anonymization"]
    assert ranks(found) == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert found["a"].total == found["b"].total


@pytest.mark.parametrize(
    ("of_a", "of_b", "first"),
    [
        ([10.0, 20.0, 60.0], [30.0, 30.0, 30.0], "b"),
        ([10.0, 40.0, 40.0], [10.0, 20.0, 60.0], "a"),  # the lowest are equal: the second
        ([60.0, 10.0, 20.0], [20.0, 60.0, 10.0], None),  # the same rates against other teams
        ([0.0, 45.0, 45.0], [20.0, None, 70.0], "a"),  # one that was not attacked counts 0
    ],
)
def test_2023_attack_is_by_the_mean_and_then_by_the_lowest_rates(of_a, of_b, first):
    """Section 1.6.2: the lowest rate, then the second lowest, and so on; larger is better."""
    matrix = {
        "a": dict(zip("bcd", of_a, strict=True)),
        "b": dict(zip("acd", of_b, strict=True)),
        "c": {"d": 1.0},
    }
    found = of_2023(matrix, dict.fromkeys("abcd", 50.0))["attack"]
    assert found["a"].total == pytest.approx(found["b"].total)
    places = [found["a"].rank, found["b"].rank]
    assert places == {"a": [1, 2], "b": [2, 1], None: [1, 1]}[first]
    assert found["a"].tie_broken_by == (first and "lowest-rates")
    assert [found["c"].rank, found["d"].rank] == [3, 4]


def test_2023_seasons_are_by_the_final_and_overall_by_anonymization():
    """Sections 1.6.3 and 1.6.4: anonymization 2nd + attack 3rd equals 3rd + 2nd; the better anonymizer is first."""
    rules = load_ruleset("reconstruction-2023")
    orders = {"anonymization": "abcd", "attack": "dcba"}
    stage = {
        key: {team: Line(n, float(9 - n)) for n, team in enumerate(order, start=1)}
        for key, order in orders.items()
    }
    stage["overall"] = {team: Line(1, 5.0) for team in "abcd"}
    season = season_boards(rules.boards, [(1, stage), (9, stage)])
    assert {line.total for line in season["overall"].values()} == {5.0}
    assert ranks(season["overall"]) == {"a": 1, "b": 2, "c": 3, "d": 4}
    swapped = {"a": Line(2, 7.0), "b": Line(1, 8.0), "c": Line(3, 6.0), "d": Line(4, 5.0)}
    halves = [(5, stage), (5, stage | {"anonymization": swapped})]
    assert ranks(season_boards(rules.boards, halves)["anonymization"])["b"] == 1


def test_2020_attackers_are_measured_on_three_tables_and_never_on_their_own():
    """Rule of September 4, 2020: the mean over the first three, of the first four for one of them."""
    worst = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0, "e": 90.0}
    matrix = {j: {i: worst[i] for i in worst if i != j} for j in worst}
    found = ranked_boards(load_ruleset("membership-2020").boards, Scores(tuple(worst), matrix))[
        "attack"
    ]
    assert {team: line.total for team, line in found.items()} == {
        "a": 30.0, "b": pytest.approx(80 / 3), "c": pytest.approx(70 / 3), "d": 20.0, "e": 20.0,
    }  # fmt: skip


def test_one_formula_and_the_ranks_of_measures_break_ties_by_the_lowest_rates_too():
    matrix = {"a": {"b": 10.0, "c": 50.0}, "b": {"a": 30.0, "c": 30.0}, "c": {"a": 30.0, "b": 10.0}}
    weights = {"utility": 0, "protection": 0, "attack": 1, "presentation": 0}
    lines = ranked("weighted-sum", Scores(tuple("abc"), matrix), weights, ["lowest-rates"])
    assert ranks(lines) == {"b": 1, "a": 2, "c": 3}
    text = load_ruleset("pwscup2015").text.replace(
        "[ranking]", '[ranking]\ntie_breaks = ["lowest-rates"]'
    )
    rates = {(a, d): rate / 100 for a, of in matrix.items() for d, rate in of.items()}
    measured = dict.fromkeys("abc", dict.fromkeys(load_ruleset("pwscup2015").measures, 1.0))
    facts = TableFacts(tuple("ab"), measured, rates, frozenset("abc"))
    overall = measure_ranks(facts, parse_ruleset(text).ranking).overall
    assert overall["a"].total == overall["b"].total
    assert ranks(overall) == {"a": 2, "b": 1}
