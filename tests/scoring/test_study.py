# SPDX-License-Identifier: Apache-2.0
"""The study of the 2015 paper: laws of Table 10, methods read off measures, complete outputs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from scoring import examples
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.registry import ATTACKS
from scoring.studies.comparison import best, paper_reading, summaries
from scoring.studies.cost import Noisy, count_distances, narrowed, plain_euc1
from scoring.studies.experiment import Ground, make_all, pairs, sample_of
from scoring.studies.index import SHOWN, index_of
from scoring.studies.paper import ATTACKED, METHODS, SIGNED, paper_figures
from scoring.studies.recipes import SINGLES
from scoring.studies.signature import confusion, guess_methods
from scoring.studies.signs import Baseline, sign, worse_of
from tests.scoring import studies


@pytest.fixture(scope="module")
def tiny():
    return studies.tiny()


@pytest.fixture(scope="module")
def documented():
    return studies.documented()


# The paper's figures


def test_the_paper_s_tables_are_whole_and_add_up():
    paper = paper_figures()
    assert list(paper.table10) == list(METHODS)
    assert list(paper.table11) == ["original", *(f"D_{letter}" for letter in METHODS)]
    chains = [f"D_{i}" for i in range(1, 13)]
    for table in (paper.table12, paper.table13, paper.table13_methods, paper.table15):
        assert list(table) == chains
    for column in (*paper.table10.values(), *paper.table13.values(), *paper.table14.values()):
        assert tuple(column) == SIGNED
        assert set(column.values()) <= {"-", "△", "x", "○", "◎"}
    for attack in ATTACKED:
        rates = [paper.table15[name][attack] for name in chains]
        mean, printed = np.mean(rates), paper.table15_summary[attack]
        # The printed deviations are those of 13 numbers: the twelve and their mean.
        found = (mean, np.std([*rates, mean]))
        assert found == pytest.approx((printed.mean, printed.deviation), abs=1e-4)
        # Table 12 has the same rates in two decimals.
        shown = [paper.table12[name][attack] for name in chains]
        assert shown == pytest.approx(rates, abs=0.005 + 1e-9)


def test_the_best_attacks_of_table_15_are_those_that_the_paper_stars():
    stars = {1: "E3", 2: "E2", 3: "E3", 4: "E3", 10: "E2", 11: "E1", 12: "E1 E2"}
    stars |= dict.fromkeys((5, 6, 7, 8, 9), "EUC1")
    for name, rates in paper_figures().table15.items():
        assert best(rates, 8333) == set(stars[int(name[2:])].split())


def test_the_last_rows_of_table_15_follow_from_the_others():
    paper = paper_figures()
    found = summaries(paper.table15, 8333)
    for attack, printed in paper.table15_summary.items():
        assert found[attack].mean == pytest.approx(printed.mean, abs=1e-4)
        assert found[attack].best == printed.best
    assert found["EUC1"].deviation == pytest.approx(0.2525, abs=1e-4)  # of the twelve only


def test_table_6_has_the_teams_and_three_places():
    paper = paper_figures()
    assert list(paper.table6) == [f"D_{i}" for i in range(1, 13)]
    places = {made.team: made.place for made in paper.table6.values()}
    assert places == {"T_A": None, "T_B": 2, "T_C": None, "T_D": 1, "T_E": 3}


def test_the_index_of_section_3_2_is_the_printed_one():
    """Tables 5.1 to 5.3, with the distances of section 3.1 and the answers of EUC1 and EUC2."""
    noise, unified = index_of("noise"), index_of("unified")
    assert {e.key: e.rows for e in noise} == {(2, 1, 1): [1, 2], (1, 1, 2): [3, 4]}
    assert {e.key: e.rows for e in unified} == {(2, 1, 1): [1, 2], (1, 1, 1): [3, 4]}
    assert noise[0].distances[0] == pytest.approx([14.142, 322.8], abs=0.01)
    assert noise[1].distances[1] == pytest.approx([332.415, 22.361], abs=0.001)
    assert [e.matches for e in unified] == [[1, 2], []]
    for entry in (*noise, *unified):
        assert entry.euc1 == entry.euc2 == entry.rows
    assert len(unified[1].distances[0]) == 4


@pytest.mark.parametrize("name", list(SHOWN))
def test_the_index_answers_as_the_attacks_do(name):
    frames = examples.table("original"), examples.table(name)
    guess = ATTACKS["EUC2"](*frames, examples.SCHEMA, rng=np.random.default_rng(0))
    answers = {
        row: found for e in index_of(name) for row, found in zip(e.rows, e.euc2, strict=True)
    }
    assert [answers[row] - 1 for row in range(1, 5)] == guess.tolist()


# Laws of Table 10


@pytest.mark.parametrize("number", [0, 1, 2])
def test_single_methods_do_what_table_10_must_hold(number):
    ground = Ground.of(sample_of(households(1000, seed=number), number))
    before = ground.baseline.values
    a, b, c, d, e, f, g, h = (made.values for made in make_all(SINGLES, ground, number).values())
    unchanged = {
        "A": (a, ("U1", "U4", "U5", "U6", "E3", "E4")),
        "B": (b, ("U3", "U6", "S1", "S2", "E1")),
        "C": (c, ("U1", "U2", "U3", "U4", "U6", "S1", "S2")),
        "D": (d, ("U1", "U2", "U3", "U4", "U5", "U6", "E3", "E4")),
        "E": (e, ("U1", "U4", "U5", "U6", "E3", "E4")),
        "F": (f, ("U1", "U2", "U3", "U6", "S1", "S2", "E1")),
        "G": (g, ("U1", "U2", "U3", "U6", "S1", "S2", "E1")),
        "H": (h, ("U5",)),
    }
    for letter, (values, measures) in unchanged.items():
        assert {m: values[m] for m in measures} == {m: before[m] for m in measures}, letter
    assert a["S1"] >= 3
    assert min(b[m] for m in ("U1", "U2", "U4", "U5")) > 0
    assert c["U5"] > 0
    assert c["E2"] == c["E3"] == c["EUC1"] == c["EUC2"] == 0
    assert d["S2"] >= before["S2"]
    assert d["E1"] < before["E1"]
    assert min(e["U2"], e["U3"]) > 0
    assert min(v[m] for v in (f, g) for m in ("U4", "U5")) > 0
    assert f["EUC1"] == f["E1"]
    assert h["U6"] == 10
    assert h["E3"] < 0.75 * before["E3"]


@pytest.mark.long
def test_tables_of_whole_records_swapped_keep_what_those_of_the_paper_keep(documented):
    """D_3 and D_4: U4 = 0 and E3 of a quarter or less, where a swap of columns has .14 and almost 0."""
    for name in ("D_3", "D_4"):
        values = documented.chains[name].values
        assert (values["U4"], values["S1"]) == (0, 3)
        assert values["E3"] == pytest.approx(1 / values["S2"], abs=0.005)


# Marks

BEFORE = {"S1": 1, "S2": 1.9, "E1": 0.53, "E2": 0.78, "E3": 1.0, "E4": 0.2, "EUC1": 1.0}
UNTOUCHED = Baseline({f"U{i}": 0 for i in range(1, 7)} | BEFORE | {"EUC2": 1.0}, 8333, 231, 1e6)


@pytest.mark.parametrize(
    ("measure", "value", "mark"),
    [
        ("U4", 0, "-"),
        ("U4", 0.03, "△"),
        ("U4", 0.031, "x"),
        ("U1", 30_000, "△"),
        ("U1", 30_001, "x"),
        ("U3", 1.08, "△"),
        ("U3", 1.09, "x"),
        ("U6", 249, "△"),
        ("S2", 1.918, "x"),
        ("S2", 1.92, "○"),
        ("E1", 0.0265, "○"),
        ("E1", 0.0266, "△"),
        ("E1", 0.477, "△"),
        ("E1", 0.478, "x"),
    ],
)
def test_the_rule_of_the_marks(measure, value, mark):
    assert sign(measure, value, UNTOUCHED) == mark


def test_methods_together_lose_and_gain_the_most_of_each():
    assert worse_of("△", "x", "U1") == worse_of("x", "-", "U1") == "x"
    assert worse_of("△", "x", "E1") == "△"
    assert worse_of("x", "○", "S1") == "○"


# Reading methods off a table


def test_the_methods_of_known_tables_are_read_off(documented):
    ground, singles = documented.ground, documented.singles
    assert guess_methods(ground.baseline.values, ground.baseline) == frozenset()
    assert {name: set(made.guess) for name, made in singles.items()} == {
        f"D_{letter}": {letter} for letter in METHODS
    }


READINGS = {
    "D_1": "E",  # a second column outside leaves no trace next to the one inside
    "D_2": "F",
    "D_3": "AG",
    "D_4": "AG",
    "D_5": "CDG",
    "D_6": "CDG",
    "D_7": "ADG",
    "D_8": "CDG",
    "D_9": "CDG",
    "D_10": "AF",  # unification before k-anonymization looks like coarser k-anonymization
    "D_11": "AF",
    "D_12": "AF",
}


def test_the_methods_of_chains_are_read_off_but_for_what_leaves_no_trace(documented):
    assert {name: set(made.guess) for name, made in documented.chains.items()} == {
        name: set(letters) for name, letters in READINGS.items()
    }


@pytest.mark.parametrize(
    ("changes", "methods"),
    [
        ({}, ""),
        ({"U6": 800, "U3": 3.4, "U1": 900, "U2": 10, "U4": 0.01, "E3": 0.0}, "H"),
        ({"U6": 800, "U3": 60, "U1": 900, "E1": 0.1}, "EH"),
        ({"U6": 800, "U3": 3.4, "E1": 0.1}, "DH"),
        ({"U6": 800, "U3": 3.4, "U5": 0.1, "EUC1": 0.95}, "BH"),
        ({"U6": 800, "U3": 3.4, "U5": 0.1, "E2": 0.53, "EUC1": 0.53, "EUC2": 0.53}, "FH"),
        ({"S2": 2.0, "E1": 0.3}, "D"),
        ({"E1": 0.3}, "D"),
        ({"U3": 8, "E1": 0.3}, "E"),
        ({"U3": 8, "S1": 3, "S2": 5, "E1": 0.17}, "A"),
        ({"U3": 8, "S1": 3, "S2": 36, "E1": 0.0023}, "AD"),
        ({"U1": 20, "U2": 90, "U4": 0.01, "U5": 0.01}, "B"),
        ({"U4": 0.03, "U5": 0.03, "E2": 0.53, "EUC1": 0.53, "EUC2": 0.53}, "F"),
        ({"U4": 0.03, "U5": 0.03, "E2": 0.535, "EUC1": 0.52, "EUC2": 0.52}, "G"),
        ({"U4": 0.03, "U5": 0.03, "E2": 0.60, "EUC1": 0.53, "EUC2": 0.53}, "G"),
        ({"U1": 5, "U4": 0.03, "U5": 0.03, "E2": 0.53, "EUC1": 0.53, "EUC2": 0.53}, "BF"),
    ],
)
def test_each_signature_is_read_by_itself(changes, methods):
    assert guess_methods({**UNTOUCHED.values, **changes}, UNTOUCHED) == frozenset(methods)


@pytest.mark.parametrize(
    ("changes", "methods"),
    [
        ({}, "C"),
        ({"U4": 0.07}, "CG"),
        ({"U1": 3, "U4": 0.07}, "BC"),
        ({"S2": 36}, "CD"),
        ({"U6": 800, "U4": 0.07, "U1": 3}, "CH"),
    ],
)
def test_wrong_declared_rows_are_read_where_every_attack_is_blind(changes, methods):
    blind = dict.fromkeys(("E1", "E2", "E3", "E4", "EUC1", "EUC2"), 5 / 8333)
    values = {**UNTOUCHED.values, **blind, "U5": 0.1, **changes}
    assert guess_methods(values, UNTOUCHED) == frozenset(methods)
    one_hit_more = {**values, "EUC2": 6 / 8333}
    assert "C" not in guess_methods(one_hit_more, UNTOUCHED)


@pytest.mark.long
def test_the_paper_s_own_figures_are_read(tiny):
    paper = paper_figures()
    read = {name: "".join(sorted(paper_reading(paper, tiny, name))) for name in tiny.singles}
    # D_F and D_G are printed with losses of .000, and D_F with an E1 below its EUC1.
    assert read == {f"D_{m}": m for m in METHODS} | {"D_F": "D", "D_G": ""}
    read = {name: paper_reading(paper, tiny, name) for name in paper.table12}
    same = [name for name in read if read[name] == paper.table13_methods[name]]
    assert same == ["D_1", "D_3", "D_4", "D_7"]


def test_confusion_counts_every_table_once_for_each_method():
    tables = [(frozenset("AF"), frozenset("AG")), (frozenset("G"), frozenset("G"))]
    found = {m: dataclasses.astuple(c) for m, c in confusion(tables).items()}
    assert found["A"] == (1, 0, 0, 1)
    assert found["F"] == (0, 1, 0, 1)
    assert found["G"] == (1, 0, 1, 0)
    assert found["H"] == (0, 0, 0, 2)


def test_two_methods_are_every_two_of_the_eight():
    assert len({recipe.methods for recipe in pairs()}) == 28


# EUC1's cost


def test_the_plain_algorithm_guesses_as_the_library_does():
    noisy = Noisy.of(sample_of(households(250, seed=1), 1), np.random.default_rng(1))
    for q, s in ((1, 12), (3, 2), (13, 12)):
        schema = narrowed(HOUSEHOLDS_SCHEMA, q, s)
        assert (len(schema.quasi_identifiers), len(schema.sensitive_numeric)) == (q, s)
        vectors = [
            list(zip(*(table[name] for name in schema.quasi_identifiers), strict=True))
            for table in (noisy.original, noisy.anonymized)
        ]
        n_pairs = sum(x == y for y in vectors[1] for x in vectors[0])
        names = schema.quasi_identifiers
        assert count_distances(noisy.original, noisy.anonymized, names) == n_pairs
        guess = plain_euc1(noisy.original, noisy.anonymized, schema)
        rng = np.random.default_rng(0)
        library = ATTACKS["EUC1"](noisy.original, noisy.anonymized, schema, rng=rng)
        assert guess.tolist() == library.tolist()


def test_more_untouched_quasi_identifiers_never_find_fewer(tiny):
    """Section 4.6's 20 % by 6 and 17 % by 13 columns cannot both be."""
    for n_records in (100, tiny.n_records):
        points = [
            p for p in tiny.cost if p.series == "quasi_identifiers" and p.n_records == n_records
        ]
        rates, distances = [p.rate for p in points], [p.n_distances for p in points]
        assert len(points) == 13
        assert rates == sorted(rates)
        assert distances == sorted(distances, reverse=True)


def test_the_clock_is_the_caller_s(tiny):
    assert {p.seconds_library for p in tiny.cost} == {1.0}
    assert {(p.n_records > 60, p.seconds_plain) for p in tiny.cost} == {(True, None), (False, 1.0)}
