# SPDX-License-Identifier: Apache-2.0
"""Measures with parameters, composites and gates: what a ruleset may say, and what is computed and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring.cli.main import main
from scoring.evaluate import score
from scoring.measures.catalog.analyses import ANALYSES
from scoring.rulesets.gates import outside
from scoring.tables.reading import write_rows, write_table
from tests.scoring import tables
from tests.scoring.rulesets import parsed, problem_list, problems_of, values_of

EN_JA = {"en": "Statistics", "ja": "統計量"}
STATS = {"id": "stats", "measure": "summary-statistics", "parts": ["shares"], "title": EN_JA}
HIST = {"id": "hist", "measure": "histograms"}
POINTS = {
    "id": "points",
    "title": {"en": "Points", "ja": "得点"},
    "of": "sum",
    "term": [
        {"measure": "stats", "weight": 40, "worst": 1, "best": 0},
        {"measure": "hist", "weight": 20},
    ],
}


def rules(*, measures=(STATS, HIST), composites=(POINTS,), gates=(), **ranking):
    values = values_of("pwscup2015")
    values["scoring"].pop("measures", None)
    values["scoring"]["measure"] = list(measures)
    if composites:
        values["scoring"]["composite"] = list(composites)
    if gates:
        values["scoring"]["gate"] = list(gates)
    values["ranking"] = ranking or {"formula": "harmonic", "utility_measure": "points"}
    return values


def test_a_ruleset_resolves_the_ids_of_its_own_measures():
    ruleset = parsed(rules())
    assert ruleset.measures == ("stats", "hist", "points")
    stats, hist, points = map(ruleset.measure, ruleset.measures)
    assert (stats.title, stats.texts["title"]["ja"]) == ("Statistics", "統計量")
    assert (hist.title, hist.texts) == (ANALYSES["histograms"].title, {})
    assert stats.parameters["parts"] == ("shares",)
    assert (points.direction, points.high) == ("higher", 60)
    assert ruleset.measure("U1").id == "U1"
    with pytest.raises(KeyError):
        ruleset.measure("nothing")


def test_a_composite_is_computed_from_its_parts_and_is_the_utility():
    ruleset, case = parsed(rules()), tables.case(4)
    measures = list(map(ruleset.measure, ruleset.measures))
    values = score(case.original, case.anonymized, case.source, case.schema, measures=measures)
    expected = 40 * (1 - values["stats"]) + 20 * (1 - values["hist"])
    assert values["points"] == pytest.approx(expected)
    assert ruleset.ranking.utility_in(values) == pytest.approx(100 * expected / 60)
    assert ruleset.ranking.utility_in({"points": None}) is None
    only = score(case.original, case.anonymized, case.source, case.schema, measures=measures[2:])
    assert only["points"] == values["points"]  # whoever asks for nothing else


@pytest.mark.parametrize(
    ("of", "expected", "full"),
    [
        ("sum", 0.5 * 2 + 0.25, 3),
        ("mean", (0.5 * 2 + 0.25) / 3, 1),
        ("min", 0.25, 1),
        ("max", 1.0, 2),
        ("geometric-mean", (0.5**2 * 0.25) ** (1 / 3), 1),
    ],
)
def test_composites_on_paper(of, expected, full):
    """Shares ½ with weight 2 (0.5 on the way from 1 to 0) and ¼ (3 on the way from 4 to 0)."""
    from scoring.measures.composites import combined, highest

    terms = [
        {"measure": "stats", "worst": 1, "weight": 2},
        {"measure": "S1", "worst": 4, "best": 0},
    ]
    s1 = {"id": "S1", "direction": "higher"}
    made = rules(measures=(STATS, s1), composites=({**POINTS, "of": of, "term": terms},))
    points = parsed(made).measure("points")
    assert combined(of, points.terms, [0.5, 3]) == pytest.approx(expected)
    assert points.high == highest(of, [2, 1]) == full
    assert combined(of, points.terms, [0.5, None]) is None


def test_a_term_is_clipped_unless_the_rules_say_otherwise():
    def share(**keys):
        made = rules(composites=({**POINTS, "term": [{"measure": "hist", **keys}]},))
        return parsed(made).measure("points").terms[0].share(1.5)

    assert share() == 0
    assert share(clip=False) == -0.5
    assert share(worst=3, best=1) == 0.75


def test_composites_nest():
    least = {
        **POINTS,
        "id": "least",
        "of": "min",
        "term": [{"measure": "points"}, {"measure": "hist"}],
    }
    ruleset, case = parsed(rules(composites=(POINTS, least))), tables.case(4)
    measures = list(map(ruleset.measure, ruleset.measures))
    values = score(case.original, case.anonymized, case.source, case.schema, measures=measures)
    assert values["least"] == pytest.approx(min(values["points"] / 60, 1 - values["hist"]))


def test_a_composite_draws_and_needs_rows_where_a_part_does():
    parts = [{"id": "pmse", "direction": "lower"}, {"id": "LOSS", "direction": "lower"}]
    for part, draws, needs_rows in ((parts[0], True, False), (parts[1], False, True)):
        term = {"measure": part["id"]}
        made = rules(measures=(STATS, part), composites=({**POINTS, "term": [term]},))
        points = parsed(made).measure("points")
        assert (points.draws, points.needs_rows) == (draws, needs_rows)


@pytest.mark.parametrize(
    ("changed", "key", "got"),
    [
        ({"measures": ({**STATS, "id": "U1"}, HIST)}, "scoring.measure[1].id", "U1"),
        (
            {"measures": ({**STATS, "parts": ["nothing"]}, HIST)},
            "scoring.measure[1].parts",
            "['nothing']",
        ),
        ({"measures": (STATS, {**HIST, "bins": -1})}, "scoring.measure[2].bins", "-1"),
        (
            {"measures": (STATS, {**HIST, "direction": "higher"})},
            "scoring.measure[2].direction",
            "higher",
        ),
        ({"composites": ({**POINTS, "of": "median"},)}, "scoring.composite[1].of", "median"),
        ({"composites": ({**POINTS, "id": "stats"},)}, "scoring.composite", "stats"),
        ({"gates": ({"measure": "stats"},)}, "scoring.gate[1].max", "neither"),
        ({"gates": ({"measure": "S2", "max": 1},)}, "scoring.gate[1].measure", "S2"),
        ({"gates": ({"measure": "stats", "min": 2, "max": 1},)}, "scoring.gate[1].min", "2.0"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(changed, key, got):
    assert ("toml.wrong_value", key, got) in problems_of(rules(**changed))


@pytest.mark.parametrize(
    ("chosen", "key"),
    [
        ({"measures": ["marginals", "U5", "U4"]}, "scoring.measures"),
        ({"measure": [{"id": "U5", "direction": "lower"}]}, "scoring.measure[1].id"),
    ],
)
def test_a_measure_that_needs_rows_is_refused_for_synthetic_tables(chosen, key):
    values = values_of("synthetic-cohort")
    del values["scoring"]["measure"], values["scoring"]["gate"]
    values["scoring"] |= chosen
    found = [p for p in problem_list(values) if p.params["key"] == key]
    assert [(p.params["expected"], p.params["got"]) for p in found] == [
        ("a measure that needs no row numbers, as data.tables is cohort", "U5")
    ]


def test_a_term_without_an_upper_end_says_what_counts_nothing():
    u1 = {"id": "U1", "direction": "lower"}
    made = rules(measures=(STATS, HIST, u1), composites=({**POINTS, "term": [{"measure": "U1"}]},))
    found = problems_of(made)
    assert ("toml.missing_key", "scoring.composite[1].term[1].worst", None) in found


def test_columns_are_those_of_the_schema():
    lr = {"id": "lr", "measure": "regression", "target": "nothing"}
    [problem] = problem_list(rules(measures=(STATS, HIST, lr)))
    assert (problem.params["key"], problem.params["got"]) == (
        "scoring.measure[3].target",
        "nothing",
    )
    groups = {"id": "kw", "measure": "group-differences", "by": "age", "bins": [0, 45, 40]}
    keys = {
        problem.params["key"] for problem in problem_list(rules(measures=(STATS, HIST, groups)))
    }
    assert "scoring.measure[3].bins" in keys


# Gates


GATES = ({"measure": "stats", "max": 0.25}, {"measure": "hist", "min": 0.5, "max": 0.75})


@pytest.mark.parametrize(
    ("stats", "hist", "expected"),
    [
        (0.25, 0.5, []),
        (0.251, 0.5, [("gate.above", "stats", "0.25", "0.251")]),
        (0.5, 0.4, [("gate.above", "stats", "0.25", "0.5"), ("gate.below", "hist", "0.5", "0.4")]),
        (0, 0.8, [("gate.above", "hist", "0.75", "0.8")]),
        (0, None, [("gate.unknown", "hist", None, None)]),
    ],
)
def test_a_gate_names_the_value_and_the_bound(stats, hist, expected):
    problems = outside(parsed(rules(gates=GATES)), {"stats": stats, "hist": hist})
    found = [
        (p.code, p.params["id"], p.params.get("expected"), p.params.get("got")) for p in problems
    ]
    assert found == expected


def test_a_gate_of_a_stage_holds_in_that_stage_only():
    values = rules(gates=({"measure": "stats", "max": 0.25, "stage": "contest"},))
    found = parsed(values)
    assert [len(outside(found, {"stats": 1}, stage)) for stage in (None, "contest", "other")] == [
        1,
        1,
        0,
    ]
    values["scoring"]["gate"][0]["stage"] = "other"
    assert problems_of(values) == [("toml.wrong_value", "scoring.gate[1].stage", "other")]


def test_score_and_validate_at_home_apply_the_gates(tmp_path, capsys):
    import tomli_w

    case = tables.case(4)
    (tmp_path / "x.csv").write_bytes(write_table(case.original, case.schema))
    (tmp_path / "y.csv").write_bytes(write_table(case.anonymized, case.schema))
    (tmp_path / "rows.csv").write_bytes(write_rows(np.asarray(case.source)))
    (tmp_path / "schema.toml").write_text(case.schema.to_toml(), encoding="utf-8")
    files = ["--original", "x.csv", "--anonymized", "y.csv", "--rows", "rows.csv"]
    given = [str(tmp_path / name) if "." in name else name for name in files]

    def run(command, most):
        made = rules(gates=({"measure": "stats", "max": most},))
        made["data"].pop("schema", None)
        (tmp_path / "r.toml").write_text(tomli_w.dumps(made), encoding="utf-8")
        more = ["--ruleset", str(tmp_path / "r.toml"), "--schema", str(tmp_path / "schema.toml")]
        status = main([command, *given, *more, "--json"])
        return status, json.loads(capsys.readouterr().out)

    assert [run(command, 1)[0] for command in ("score", "validate")] == [0, 0]
    status, found = run("score", 0.0)
    assert (status, found["problems"][0]["code"]) == (1, "gate.above")
    assert found["utility"] == pytest.approx(100 * found["points"] / 60)
    status, found = run("validate", 0.0)
    assert (status, found["problems"][0]["code"]) == (1, "gate.above")
