# SPDX-License-Identifier: Apache-2.0
"""The attackers beyond 2015 against slow plain code, on small tables in which ties are common."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from scoring.attacks import assignment, learned, scaled
from scoring.attacks import pairs as pairs_module
from scoring.attacks.base import DISTANCES, SCALES, WITHIN
from scoring.attacks.catalog import ATTACKS, INQUIRIES
from scoring.attacks.neighbours import (
    candidates_with_distances,
    guess_one_candidate,
    nearest_candidates,
    one_candidate_each,
)
from scoring.attacks.pairs import Known
from scoring.errors import ProblemsFound
from scoring.evaluate import mark
from scoring.examples import SCHEMA, table
from scoring.kernels import pairs as kernels
from scoring.scores.comparison import Prepared
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import some
from tests.scoring import tables

MIXED = Schema(
    (
        Column("name", Role.IDENTIFIER, Kind.CATEGORY),
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("income", Role.SENSITIVE, Kind.INTEGER),
        Column("illness", Role.SENSITIVE, Kind.CATEGORY),
        Column("spent", Role.SENSITIVE, Kind.NUMBER),
        Column("note", Role.OTHER, Kind.CATEGORY),
    )
)
LOOKED_AT = ("sex", "age", "income", "illness", "spent")
ONE_TO_ONE = ("greedy-assignment", "optimal-assignment")


def mixed(seed):
    """An original and an anonymized table with few different values, so that most distances tie."""
    rng = np.random.default_rng(seed)

    def draw(n):
        return pd.DataFrame(
            {
                "sex": rng.choice(["f", "m"], n),
                "age": rng.integers(20, 23, n),
                "income": rng.choice([0, 100, 10**7], n) if seed % 4 else np.full(n, 5),
                "illness": rng.choice(["none", "flu", "gout"], n),
                "spent": rng.integers(0, 4, n) / 4,
                "note": "-",
            }
        )

    n = int(rng.integers(1, 14))
    x, y = draw(n).assign(name="?"), draw(int(rng.integers(1, n + 1)))
    if seed % 3 == 0:
        y = y.assign(illness=rng.choice(["flu", "a new one"], len(y)))
    return x, y


# --- plain code ---


def scaled_column(values, scale):
    if scale == "log":
        return [float(np.sign(v) * np.log1p(abs(v))) for v in values]
    if scale == "rank":
        ranks = [sum(w < v for w in values) + sum(w <= v for w in values) for v in values]
        return [rank / (2 * len(values)) for rank in ranks]
    return [float(v) for v in values]


def inverse_spread(values, scale):
    if scale not in ("z", "range", "gower"):
        return 1.0
    if max(values) == min(values):
        return 0.0
    spread = float(np.std(values)) if scale == "z" else max(values) - min(values)
    return 1 / spread


def distances(x, y, schema, columns, kind, weights=None):
    """What every record of y has to every record of x, column by column."""
    weights = dict.fromkeys(columns, 1.0) | (weights or {})
    numbers = [name for name in columns if schema.column(name).is_numeric]
    categories = [name for name in columns if name not in numbers and kind == "gower"]
    total = sum(weights[name] for name in categories + numbers) or 1.0
    found = [[0.0] * len(x) for _ in range(len(y))]
    for name in categories:
        for r, value in enumerate(y[name]):
            for row, other in enumerate(x[name]):
                found[r][row] += weights[name] / total if value != other else 0.0
    for name in numbers:
        of_x, of_y = (scaled_column(t[name].tolist(), kind) for t in (x, y))
        by = inverse_spread(of_x, kind)
        if kind == "gower":
            by = by * weights[name] / total
        for r, value in enumerate(of_y):
            for row, other in enumerate(of_x):
                part = abs(value - other) * by
                found[r][row] += part if kind == "gower" else part * part
    return found


def in_class(x, y, columns):
    """Which originals have the quasi-identifiers of each record."""
    keys = [tuple(values) for values in x[list(columns)].itertuples(index=False)]
    return [
        [row for row, key in enumerate(keys) if key == tuple(values)]
        for values in y[list(columns)].itertuples(index=False)
    ]


def searched(x, y, columns, within):
    """For each search one after the other, the originals that each record may get."""
    everybody = [list(range(len(x)))] * len(y)
    own = in_class(x, y, columns)
    return {"class-or-anywhere": [own, everybody], "class": [own], "anywhere": [everybody]}[within]


def nearest_oracle(found, searches):
    guess = [-1] * len(found)
    for candidates in searches:
        for r, rows in enumerate(candidates):
            if guess[r] < 0 and rows:
                guess[r] = min(rows, key=lambda row, r=r: (found[r][row], row))
    return guess


def greedy_oracle(found, searches):
    guess = [-1] * len(found)
    for candidates in searches:
        edges = sorted((found[r][row], r, row) for r, rows in enumerate(candidates) for row in rows)
        for _, r, row in edges:
            if guess[r] < 0 and row not in guess:
                guess[r] = row
    return guess


# --- scaled and mixed distances ---


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("within", WITHIN)
def test_nearest_on_a_scale_equals_its_oracle(scale, within):
    for seed in range(0, 60, 4):
        case = tables.case(seed)
        x, y, names = case.original, case.anonymized, case.schema.sensitive_numeric
        found = [[0.0] * len(x) for _ in range(len(y))]
        for name in names:
            of_x, of_y = (scaled_column(t[name].tolist(), scale) for t in (x, y))
            by = inverse_spread(of_x, scale)
            for r, value in enumerate(of_y):
                for row, other in enumerate(of_x):
                    found[r][row] += (value * by - other * by) * (value * by - other * by)
        expected = nearest_oracle(found, searched(x, y, case.schema.quasi_identifiers, within))
        guess = scaled.guess_nearest_scaled(x, y, case.schema, scale=scale, within=within)
        assert guess.tolist() == (expected if names else [-1] * len(y)), seed


@pytest.mark.parametrize("within", WITHIN)
def test_nearest_by_gower_equals_its_oracle(within):
    for seed in range(30):
        x, y = mixed(seed)
        weights = {} if seed % 2 else {"sex": 2.0, "spent": 0.5, "age": 0.0}
        found = distances(x, y, MIXED, LOOKED_AT, "gower", weights)
        expected = nearest_oracle(found, searched(x, y, ("sex", "age"), within))
        texts = tuple(f"{name}:{weight}" for name, weight in weights.items())
        guess = scaled.guess_gower(x, y, MIXED, weights=texts, within=within)
        assert guess.tolist() == expected, seed


def test_gower_s_distance_of_hand_computed_records():
    x = pd.DataFrame(
        {
            "sex": ["f", "m"],
            "age": [20, 30],
            "income": [0, 100],
            "illness": ["flu", "flu"],
            "spent": [1.0, 1.0],
        }
    )
    y = pd.DataFrame(
        {"sex": ["m"], "age": [25], "income": [100], "illness": ["gout"], "spent": [9.0]}
    )
    _, found = candidates_with_distances(x, y, MIXED, 2, distance="gower")
    # The second: half the range of age, another illness; spent is constant in the original.
    assert found.tolist() == [[pytest.approx((0.5 + 1) / 5), pytest.approx((1 + 0.5 + 1 + 1) / 5)]]


def test_a_million_pairs_across_blocks_tie_to_the_lowest_row():
    rng = np.random.default_rng(1)
    n = 2 * kernels.BLOCK + 300
    x = pd.DataFrame({"q0": rng.choice(["a", "b"], n), "s0": rng.integers(0, 40, n) * 1.0})
    y = x.iloc[rng.permutation(n)[:250]].reset_index(drop=True)
    schema = tables.make_schema(1, 1)
    for within, mask in (("anywhere", 1), ("class", np.inf)):
        differs = y["q0"].to_numpy()[:, None] != x["q0"].to_numpy()
        off = np.abs(y["s0"].to_numpy()[:, None] - x["s0"].to_numpy())
        expected = np.where(differs, mask, 0) + off / (x["s0"].max() - x["s0"].min())
        guess = scaled.guess_gower(x, y, schema, within=within)
        assert guess.tolist() == expected.argmin(axis=1).tolist()


def test_some_columns_only():
    x, y = mixed(5)
    guess = scaled.guess_gower(x, y, MIXED, quasi_identifiers=("age",), sensitive=("illness",))
    found = distances(x, y, MIXED, ("age", "illness"), "gower")
    assert guess.tolist() == nearest_oracle(found, searched(x, y, (), "anywhere"))


# --- one to one ---


@pytest.mark.parametrize("kept", [(8, 256), (1, 1), (1, 2)], ids=str)
@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("n_seeds", some(1, [3, 8]))
def test_greedy_assignment_equals_its_oracle_however_few_candidates_it_holds(
    within, kept, n_seeds, monkeypatch
):
    monkeypatch.setattr(assignment, "FIRST_CANDIDATES", kept[0])
    monkeypatch.setattr(assignment, "MOST_CANDIDATES", kept[1])
    for seed in range(n_seeds):
        x, y = mixed(seed)
        for kind in DISTANCES:
            found = distances(x, y, MIXED, LOOKED_AT, kind)
            expected = greedy_oracle(found, searched(x, y, ("sex", "age"), within))
            guess = assignment.guess_greedy_assignment(x, y, MIXED, distance=kind, within=within)
            assert guess.tolist() == expected, (seed, kind)


def test_a_record_that_loses_its_candidates_again_and_again_still_gets_the_nearest_free_one():
    x = pd.DataFrame({"s0": np.arange(300.0)})
    y = pd.DataFrame({"s0": np.zeros(300)})
    schema = tables.make_schema(0, 1)
    guess = assignment.guess_greedy_assignment(x, y, schema, within="anywhere")
    assert guess.tolist() == list(range(300))


@pytest.mark.parametrize("kind", ["euclidean", "gower"])
def test_optimal_assignment_has_the_least_sum_of_all_assignments(kind):
    for seed in range(25):
        x, y = mixed(seed)
        x = x.iloc[:5]
        y = y.iloc[: len(x)]
        found = distances(x, y, MIXED, LOOKED_AT, kind)
        least = min(
            sum(found[r][row] for r, row in enumerate(rows))
            for rows in permutations(range(len(x)), len(y))
        )
        guess = assignment.guess_optimal_assignment(
            x, y, MIXED, distance=kind, within="anywhere"
        ).tolist()
        assert sorted(set(guess)) == sorted(guess)
        assert min(guess) >= 0
        total = sum(found[r][row] for r, row in enumerate(guess))
        assert total == pytest.approx(least, rel=1e-12), seed


def test_optimal_assignment_is_made_class_by_class_and_then_of_what_is_left():
    for seed in range(30):
        x, y = mixed(seed)
        own = in_class(x, y, ("sex", "age"))
        only = assignment.guess_optimal_assignment(x, y, MIXED, within="class").tolist()
        linked = [(row, rows) for row, rows in zip(only, own, strict=True) if row >= 0]
        assert all(row in rows for row, rows in linked)
        sizes = {tuple(rows): own.count(rows) for rows in own}
        assert len(linked) == sum(min(len(rows), size) for rows, size in sizes.items())
        then = assignment.guess_optimal_assignment(x, y, MIXED).tolist()
        assert all(a == b for a, b in zip(only, then, strict=True) if a >= 0)
        assert min(then) >= 0


def sparse_oracle(candidates, costs):
    """As many links as possible, then the least sum: all ways to choose."""
    best = (0, 0.0)

    def extend(record, taken, total):
        nonlocal best
        if record == len(candidates):
            best = min(best, (-len(taken), total))
            return
        extend(record + 1, taken, total)
        for row, cost in zip(candidates[record], costs[record], strict=True):
            if row >= 0 and row not in taken:
                extend(record + 1, taken | {row}, total + cost)

    extend(0, frozenset(), 0.0)
    return best


def test_a_sparse_assignment_links_as_many_as_possible_at_the_least_sum():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n_records, n = (int(number) for number in rng.integers(1, 5, 2))
        rows = np.array([rng.permutation(5)[:n] for _ in range(n_records)], dtype=np.int64)
        rows[rng.random(rows.shape) < 0.2] = -1
        costs = rng.integers(0, 4, rows.shape) * 1.0
        links = assignment.sparse_assignment(rows, np.where(rows < 0, np.inf, costs)).tolist()
        linked = [(r, row) for r, row in enumerate(links) if row >= 0]
        assert len({row for _, row in linked}) == len(linked)
        total = sum(costs[r][rows[r].tolist().index(row)] for r, row in linked)
        assert (-len(linked), total) == sparse_oracle(rows.tolist(), costs.tolist()), seed


def test_edges_bound_what_one_assignment_weighs(monkeypatch):
    from scipy import optimize

    weighed = []
    solve = optimize.linear_sum_assignment

    def counted(costs):
        weighed.append(costs.size)
        return solve(costs)

    def sparse(candidates, distances):
        weighed.append(int((candidates >= 0).sum()))
        return assignment_of(candidates, distances)

    assignment_of = assignment.sparse_assignment
    monkeypatch.setattr(optimize, "linear_sum_assignment", counted)
    monkeypatch.setattr(assignment, "sparse_assignment", sparse)
    rng = np.random.default_rng(1)
    x = pd.DataFrame({"s0": rng.normal(size=60), "q0": "a"})
    y = x.iloc[rng.permutation(60)].reset_index(drop=True)
    schema = tables.make_schema(1, 1)
    for edges in (60, 200, 3599, 3600):
        weighed.clear()
        guess = assignment.guess_optimal_assignment(x, y, schema, edges=edges)
        assert max(weighed) <= edges
        assert sorted(guess.tolist()) == list(range(60))
    assert weighed == [3600]


@pytest.mark.parametrize("id_", [*ONE_TO_ONE, "one-candidate"])
def test_nobody_is_guessed_twice(id_):
    for seed in range(0, 40, 2):
        case = tables.case(seed)
        guess = ATTACKS[id_](
            case.original, case.anonymized, case.schema, rng=np.random.default_rng(0)
        )
        guessed = guess[guess >= 0]
        assert len(np.unique(guessed)) == len(guessed)
        if id_ in ONE_TO_ONE and case.schema.sensitive_numeric:
            assert len(guessed) == len(guess)


# --- candidates ---


@pytest.mark.parametrize("kind", DISTANCES)
def test_nearest_candidates_equal_a_full_sort(kind):
    for seed in range(30):
        x, y = mixed(seed)
        found = distances(x, y, MIXED, LOOKED_AT, kind)
        for n in {1, (len(x) + 1) // 2, len(x)}:
            expected = [
                sorted(range(len(x)), key=lambda row, r=r: (found[r][row], row))[:n]
                for r in range(len(y))
            ]
            assert nearest_candidates(x, y, MIXED, n, distance=kind).tolist() == expected


def test_candidates_come_with_their_distances():
    _, found = candidates_with_distances(table("original"), table("noise"), SCHEMA, 2)
    assert found[0].tolist() == [200**0.5, (190**2 + 110**2) ** 0.5]


@pytest.mark.parametrize("sorted_from", [0, 512])
def test_short_and_long_lists_of_free_rows_are_found_alike(sorted_from, monkeypatch):
    monkeypatch.setattr(pairs_module, "_SORTED_FROM", sorted_from)
    for seed in range(20):
        x, y = mixed(seed)
        rng = np.random.default_rng(seed)
        known = Known.of(x, y, MIXED)
        pairs = known.pairs(known.metric("gower"))
        is_free = rng.random(len(x)) < 0.7
        records = rng.permutation(len(y))[: 1 + len(y) // 2]
        far = distances(x, y, MIXED, LOOKED_AT, "gower")
        for own, lists in (
            (False, [range(len(x))] * len(y)),
            (True, in_class(x, y, ("sex", "age"))),
        ):
            rows, found = pairs.nearest(records, 4, in_class=own, is_free=is_free)
            for at, r in enumerate(records.tolist()):
                free = [row for row in lists[r] if is_free[row]]
                expected = sorted((far[r][row], row) for row in free)[:4]
                missing = 4 - len(expected)
                assert rows[at].tolist() == [row for _, row in expected] + [-1] * missing
                assert found[at].tolist() == [d for d, _ in expected] + [np.inf] * missing


@pytest.mark.parametrize("n", [0, -1, 5])
def test_more_candidates_than_records_are_refused(n):
    with pytest.raises(ProblemsFound) as error:
        nearest_candidates(table("original"), table("noise"), SCHEMA, n)
    [problem] = error.value.problems
    assert problem.params["option"] == "n"
    assert "from 1 to the original's 4 records" in problem.message


def test_the_lecture_s_example_of_one_candidate_each():
    """Its record 1 gets 10, though 72 is nearest: that is only possible without duplicates."""
    candidates = np.array([[4, 119, 53], [72, 10, 124], [30, 148, 51]])
    far = np.array([[0.2, 0.24, 0.4], [0.01, 0.06, 0.14], [0.0, 0.1, 1.0]])
    assert one_candidate_each(candidates, far, duplicates=True).tolist() == [4, 72, 30]
    # A record further down the list that is nearer to 72 takes it away.
    candidates = np.vstack([candidates, [[72, 5, 6]]])
    far = np.vstack([far, [[0.005, 0.3, 0.5]]])
    assert one_candidate_each(candidates, far, duplicates=False).tolist()[:3] == [4, 10, 30]
    assert one_candidate_each(candidates, far, duplicates=True).tolist()[:3] == [4, 72, 30]


def test_one_candidate_each_equals_its_oracle():
    for seed in range(30):
        x, y = mixed(seed)
        for n in {1, min(3, len(x)), len(x)}:
            rows, found = candidates_with_distances(x, y, MIXED, n, distance="gower")
            lists = [rows.tolist()]
            costs = [
                dict(zip(r, f, strict=True))
                for r, f in zip(rows.tolist(), found.tolist(), strict=True)
            ]
            chosen = one_candidate_each(rows, found, duplicates=False).tolist()
            assert chosen == greedy_oracle(costs, lists)
            arguments = {"candidates": n, "distance": "gower"}
            assert guess_one_candidate(x, y, MIXED, **arguments).tolist() == chosen
            again = guess_one_candidate(x, y, MIXED, duplicates="yes", **arguments)
            assert again.tolist() == rows[:, 0].tolist()


def test_lists_and_distances_must_fit():
    with pytest.raises(ValueError, match="a distance for each candidate"):
        one_candidate_each(np.zeros((2, 2), dtype=np.int64), np.zeros((2, 3)), duplicates=True)


# --- learnt ---


def test_an_imitation_does_what_happened_elsewhere():
    x = pd.DataFrame(
        {
            "sex": ["f", "m", "f"],
            "age": [20, 30, 40],
            "income": [1, 2, 3],
            "illness": ["flu", "gout", "none"],
            "spent": [0.0, 0.5, 1.0],
        }
    )
    y = pd.DataFrame(
        {"sex": ["m"], "age": [33], "income": [2], "illness": ["none"], "spent": [0.25]}
    )
    known = Known.of(x, y, MIXED)
    pairs = known.pairs(known.metric("gower"))
    made = learned.imitate(pairs, np.array([0]), np.array([0]), np.array([1]))
    # Record 0 came of original 1: age 3 up, the illness replaced, 0.25 less spent. So does original 0.
    assert made.numbers[:, 0].tolist() == [23.0, 1.0, -0.25]
    levels = [["f", "m"], ["flu", "gout", "none"]]
    assert [levels[i][code] for i, code in enumerate(made.codes[:, 0])] == ["f", "none"]


@pytest.mark.long
@pytest.mark.parametrize("model", learned.MODELS)
def test_who_learns_knows_which_column_to_trust(model):
    rng = np.random.default_rng(3)
    schema = tables.make_schema(0, 6)
    x = pd.DataFrame(rng.normal(size=(200, 6)), columns=list(schema.sensitive_numeric))
    y = x + rng.normal(size=(200, 6)) * 0.02
    y = y.assign(s0=rng.permutation(x["s0"].to_numpy()), s1=rng.permutation(x["s1"].to_numpy()))
    source = rng.permutation(200)
    y = y.iloc[source].reset_index(drop=True)
    nearest = mark(source, scaled.guess_gower(x, y, schema)).rate
    common = {"model": model, "sample": 250}
    rates = [
        mark(source, learned.guess_learned_linkage(x, y, schema, rng=rng, **common, **options)).rate
        for options in (
            {},
            {"duplicates": "yes"},
            {"duplicates": "yes", "rounds": 1},
        )
    ]
    assert min(rates) > nearest + 0.15
    assert rates[1] > rates[2]  # a second and a third look at the columns help


def test_what_is_learnt_comes_from_the_seed():
    rng = np.random.default_rng(3)
    schema = tables.make_schema(1, 2)
    x = tables.table(schema, rng, 80, "signed")
    y = x.assign(s0=rng.permutation(x["s0"].to_numpy())).drop(columns="name")
    guesses = [
        ATTACKS["learned-linkage"](x, y, schema, rng=np.random.default_rng(seed), sample=30)
        for seed in (1, 1, 2)
    ]
    assert guesses[0].tolist() == guesses[1].tolist() != guesses[2].tolist()


# --- all of them ---

CHOICES = [
    (id_, option.name, choice)
    for id_, attack in ATTACKS.items()
    for option in attack.options
    for choice in option.choices
]


@pytest.mark.parametrize(("id_", "name", "choice"), CHOICES)
@pytest.mark.parametrize("seed", some(1, [0, 3, 6]))
def test_every_choice_gives_rows_of_the_original_and_changes_no_table(id_, name, choice, seed):
    assert len(CHOICES) > 30
    x, y = mixed(seed)
    before = x.copy(), y.copy()
    guess = ATTACKS[id_](x, y, MIXED, rng=np.random.default_rng(1), **{name: choice})
    assert (guess.dtype, guess.shape) == (np.int64, (len(y),))
    assert guess.min() >= -1
    assert guess.max() < len(x)
    for table_, copy in zip((x, y), before, strict=True):
        pd.testing.assert_frame_equal(table_, copy)


def test_tables_without_columns_to_look_at_are_not_guessed():
    schema = Schema((Column("note", Role.OTHER, Kind.CATEGORY),))
    x = pd.DataFrame({"note": ["a", "b"]})
    for id_, attack in ATTACKS.items():
        # `replay` compares whole tables, and this one is what no change at all makes.
        if id_ not in ("E1", "E2", "E3", "E4", "EUC1", "EUC2", "E4-rank", "replay"):
            assert attack(x, x, schema, rng=np.random.default_rng(0)).tolist() == [-1, -1], id_
    assert nearest_candidates(x, x, schema, 2).tolist() == [[-1, -1], [-1, -1]]


@pytest.mark.parametrize("seed", some(1, [8, 0]))
def test_a_prepared_table_gives_the_same_guess(seed):
    case = tables.case(seed)
    prepared = Prepared.of(case.original, case.schema)
    for id_, attack in ATTACKS.items():
        arguments = case.anonymized, case.schema
        one = attack(case.original, *arguments, rng=np.random.default_rng(1))
        two = attack(prepared, *arguments, rng=np.random.default_rng(1))
        assert one.tolist() == two.tolist(), id_


def test_an_attack_refuses_all_unsuitable_options_together():
    arguments = table("original"), table("noise"), SCHEMA
    with pytest.raises(ProblemsFound) as error:
        ATTACKS["optimal-assignment"](
            *arguments, rng=np.random.default_rng(0), distance="l1", edges=0, k=3
        )
    assert [p.params["option"] for p in error.value.problems] == ["distance", "edges", "k"]


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (scaled.guess_nearest_scaled, {"scale": "sqrt"}, "scale: expected one of z, log"),
        (scaled.guess_nearest_scaled, {"within": "town"}, "within: expected one of class-or"),
        (scaled.guess_gower, {"within": "town"}, "within: expected one of class-or"),
        (nearest_candidates, {"n": 2, "distance": "l1"}, "distance: expected one of euclidean"),
        (guess_one_candidate, {"duplicates": "maybe"}, "duplicates: expected one of no, yes"),
        (learned.guess_learned_linkage, {"model": "oracle"}, "model: expected one of logistic"),
        (learned.guess_learned_linkage, {"duplicates": "maybe"}, "duplicates: expected one of no"),
        (scaled.guess_gower, {"quasi_identifiers": ["SA1"]}, "quasi_identifiers SA1: expected"),
        (scaled.guess_gower, {"sensitive": ["SA1", "SA1"]}, "different columns out of SA1, SA2"),
    ],
)
def test_the_functions_refuse_what_the_registry_would(function, options, words):
    if "model" in options or "duplicates" in options:
        options = {"rng": np.random.default_rng(0)} | options
    with pytest.raises(ValueError, match=words):
        function(table("original"), table("noise"), SCHEMA, **options)


@pytest.mark.parametrize(
    "weights",
    [("SA1",), ("SA1:",), ("SA1:-1",), ("SA1:nan",), ("SA1:inf",), ("SA3:1",), ("SA1:1", "SA1:2")],
)
def test_weights_are_numbers_for_columns(weights):
    with pytest.raises(ProblemsFound, match="weights") as error:
        scaled.guess_gower(table("original"), table("noise"), SCHEMA, weights=weights)
    assert "COLUMN:WEIGHT" in error.value.problems[0].message


def test_not_all_weights_are_nothing():
    none = tuple(f"{name}:0" for name in SCHEMA.names)
    with pytest.raises(ProblemsFound, match="not all of them 0"):
        scaled.guess_gower(table("original"), table("noise"), SCHEMA, weights=none)


def test_a_table_that_lacks_a_sensitive_category_is_refused():
    x, y = mixed(1)
    with pytest.raises(ValueError, match="anonymized: expected columns illness"):
        scaled.guess_gower(x, y.drop(columns="illness"), MIXED)


def test_a_table_prepared_with_another_schema_is_refused():
    with pytest.raises(ValueError, match="prepared"):
        scaled.guess_gower(Prepared.of(table("original"), SCHEMA), table("noise"), MIXED)


def test_every_inquiry_has_its_own_id_and_a_summary():
    assert all(id_ == inquiry.id and inquiry.summary for id_, inquiry in INQUIRIES.items())
    assert len({inquiry.summary for inquiry in INQUIRIES.values()}) == len(INQUIRIES)
