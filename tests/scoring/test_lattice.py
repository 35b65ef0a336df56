# SPDX-License-Identifier: Apache-2.0
"""The lattice search against looking at every node, and constraints against their definitions."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp, log

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import ANONYMIZERS, anonymize
from scoring.anonymizers.constraints import Constraints, Sensitive
from scoring.anonymizers.lattice_search import Lattice, Search
from scoring.errors import ProblemsFound
from scoring.tables.hierarchies import hierarchies
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
SCHEMA = Schema(
    (
        Column("age", QI, Kind.INTEGER, min=0, max=120),
        Column("city", QI, Kind.CATEGORY, values=("a", "b", "c", "d", "e")),
        Column("sex", QI, Kind.CATEGORY),
        Column("pay", SA, Kind.INTEGER),
        Column("illness", SA, Kind.CATEGORY),
    )
)
NAMES = SCHEMA.quasi_identifiers


def table(seed, n=40):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "city": rng.choice(list("abcde"), n, p=[0.4, 0.3, 0.1, 0.1, 0.1]),
            "sex": rng.choice(["f", "m"], n),
            "pay": rng.integers(0, 6, n) * 100,
            "illness": rng.choice(["flu", "cold", "none"], n, p=[0.2, 0.2, 0.6]),
        }
    )


def run(original, *, schema=SCHEMA, **options):
    return anonymize(original, schema, [("lattice", options)], rng=np.random.default_rng(1))


def problem(original, *, schema=SCHEMA, **options):
    with pytest.raises(ProblemsFound) as found:
        run(original, schema=schema, **options)
    (only,) = found.value.problems
    return only


# --- the plain way: every node, every class, record by record ---


def plain_classes(found, levels, n):
    members = {}
    for r in range(n):
        vector = tuple(h.groups[lv][h.of_record[r]] for h, lv in zip(found, levels, strict=True))
        members.setdefault(vector, []).append(r)
    return list(members.values())


def plain_emd(values, everything, order):
    moved = sum(
        abs(
            sum(v in order[: i + 1] for v in values) / len(values)
            - sum(v in order[: i + 1] for v in everything) / len(everything)
        )
        for i in range(len(order) - 1)
    )
    return moved / (len(order) - 1)


def keeps(values, everything, bounds, ordered):
    counts = sorted(Counter(values).values(), reverse=True)
    n = len(values)
    if n < bounds.k or len(counts) < bounds.l:
        return False
    if exp(-sum(x / n * log(x / n) for x in counts)) < bounds.entropy_l - 1e-9:
        return False
    if bounds.c and not counts[0] < bounds.c * sum(counts[bounds.l - 1 :]) - 1e-9:
        return False
    if bounds.t == 1:
        return True
    order = sorted(set(everything))
    if ordered:
        return plain_emd(values, everything, order) <= bounds.t + 1e-9
    shares = (abs(values.count(v) / n - everything.count(v) / len(everything)) for v in order)
    return sum(shares) / 2 <= bounds.t + 1e-9


def plain_node(found, levels, values, bounds, ordered, loss):
    """Loss and suppressed records of a node."""
    n = len(values)
    suppressed, total = [], 0
    for members in plain_classes(found, levels, n):
        if not keeps([values[r] for r in members], values, bounds, ordered):
            suppressed += members
        elif loss == "discernibility":
            total += len(members) ** 2
        else:
            for h, level in zip(found, levels, strict=True):
                lost = h.losses()[level]
                total += sum(lost[h.of_record[r]] for r in members) / len(found)
    total += len(suppressed) * (n if loss == "discernibility" else 1)
    return total / (n**2 if loss == "discernibility" else n), len(suppressed)


def plain_best(found, values, bounds, ordered, max_suppressed, loss):
    best = None
    for levels in product(*(range(h.n_levels) for h in found)):
        lost, n_suppressed = plain_node(found, levels, values, bounds, ordered, loss)
        if n_suppressed <= max_suppressed and n_suppressed < len(values):
            key = (round(lost, 9), n_suppressed, sum(levels), levels)
            best = key if best is None else min(best, key)
    return best


BOUNDS = [
    Constraints(k=2),
    Constraints(k=3),
    Constraints(k=7),
    Constraints(k=2, l=3),
    Constraints(k=2, entropy_l=2.0),
    Constraints(k=1, l=2, c=1.5),
    Constraints(k=2, t=0.3),
    Constraints(k=3, l=2, entropy_l=1.5, c=3.0, t=0.4),
]


@every(
    8 * len(BOUNDS),
    seed=range(3),
    bounds=BOUNDS,
    max_suppressed=[0, 4],
    loss=["information", "discernibility"],
)
def test_the_search_finds_what_looking_at_every_node_finds(bounds, seed, max_suppressed, loss):
    original = table(seed)
    name = ("pay", "illness")[seed % 2]
    found = [h.ascending() for h in hierarchies(original, SCHEMA, NAMES)]
    sensitive = Sensitive.of("lattice", original, SCHEMA, name)
    search = Search(
        Lattice(found, len(original), sensitive),
        bounds,
        sensitive,
        max_suppressed=max_suppressed,
        loss=loss,
        max_nodes=10**6,
    )
    outcome = search.run()
    values = original[name].tolist()
    expected = plain_best(found, values, bounds, name == "pay", max_suppressed, loss)
    assert outcome.is_optimal
    if expected is None:
        assert outcome.node is None
        return
    node = outcome.node
    assert (round(node.loss, 9), node.n_suppressed, node.height, node.levels) == expected


def test_pruning_saves_most_nodes():
    original = table(1, n=400)
    found = [h.ascending() for h in hierarchies(original, SCHEMA, NAMES)]
    lattice = Lattice(found, 400, None)
    outcome = Search(lattice, Constraints(k=5), None, max_suppressed=0, max_nodes=1000).run()
    assert outcome.is_optimal
    assert outcome.n_evaluated < lattice.size / 3
    # Rolling up: from scratch, every node would go through all distinct records.
    distinct = len(original[list(NAMES)].drop_duplicates())
    assert lattice.n_merged < outcome.n_evaluated * distinct * 0.8


@every(seed=range(5))
def test_classes_rolled_up_are_those_made_from_the_records(seed):
    original = table(seed)
    found = [h.ascending() for h in hierarchies(original, SCHEMA, NAMES)]
    sensitive = Sensitive.of("lattice", original, SCHEMA, "pay")
    lattice = Lattice(found, len(original), sensitive)
    nodes = list(product(*(range(h.n_levels) for h in found)))
    for levels in np.random.default_rng(seed).permutation(nodes)[:30]:
        made = lattice.classes(tuple(levels.tolist()))
        expected = plain_classes(found, levels, len(original))
        assert sorted(made.sizes.tolist()) == sorted(map(len, expected))
        counts = lattice.counts(tuple(levels.tolist()))
        assert counts.sizes.tolist() == made.sizes.tolist()
        pays = sorted(tuple(sorted(original["pay"].iloc[m])) for m in expected)
        order = np.unique(original["pay"])
        assert sorted(tuple(np.repeat(order, row)) for row in counts.matrix()) == pays


def test_values_computed_manually():
    schema = Schema(
        (Column("age", QI, Kind.INTEGER), Column("city", QI, Kind.CATEGORY, values=("a", "b")))
    )
    original = pd.DataFrame({"age": [20, 29, 30, 39, 39], "city": ["a", "a", "b", "b", "a"]})
    content = {"age": {"type": "numeric", "threshold_1": "30"}}
    # At threshold_1 there are (20s, a) twice, (30s, b) twice and (30s, a) once. The last may go.
    done = run(original, schema=schema, k=2, fraction=0.2, hierarchy=content)
    assert done.source.tolist() == [0, 1, 2, 3]
    assert done.table.to_dict("list") == {"age": [20, 20, 30, 30], "city": ["a", "a", "b", "b"]}
    # If it may not, the city becomes one: the most frequent.
    done = run(original, schema=schema, k=2, fraction=0.0, hierarchy=content)
    assert done.table.to_dict("list") == {"age": [20, 20, 39, 39, 39], "city": ["a"] * 5}


@pytest.mark.parametrize(
    "options", [{"k": 4}, {"k": 2, "l": 3}, {"k": 2, "t": 0.25, "sensitive": "illness"}]
)
@pytest.mark.parametrize("fraction", [0.0, 0.1])
def test_the_written_table_keeps_the_bounds(options, fraction):
    original = table(7, n=200)
    done = run(original, fraction=fraction, **options)
    assert len(done.table) >= 200 * (1 - fraction)
    unchanged = original.iloc[done.source].reset_index(drop=True)
    assert (done.table[["pay", "illness"]] == unchanged[["pay", "illness"]]).all(axis=None)
    name = options.get("sensitive", "pay")
    bounds = Constraints(options["k"], options.get("l", 1), t=options.get("t", 1.0))
    for _, members in done.table.groupby(list(NAMES)):
        everything = original[name].tolist()
        assert keeps(members[name].tolist(), everything, bounds, ordered=name == "pay")


def test_a_limit_of_nodes_still_gives_an_answer():
    original = table(3, n=300)
    found = [h.ascending() for h in hierarchies(original, SCHEMA, NAMES)]
    outcome = Search(
        Lattice(found, 300, None), Constraints(k=5), None, max_suppressed=15, max_nodes=3
    ).run()
    assert outcome.node is not None
    assert outcome.n_evaluated == 3
    assert not outcome.is_optimal


def test_lattices_too_large_to_hold_are_searched_greedily():
    rng = np.random.default_rng(4)
    names = [f"q{i}" for i in range(12)]
    schema = Schema(tuple(Column(name, QI, Kind.INTEGER) for name in names))
    original = pd.DataFrame({name: rng.integers(0, 50, 100) for name in names})
    done = run(original, schema=schema, k=5, fraction=0.1, nodes=200)
    classes = done.table.groupby(names).size()
    assert classes.min() >= 5
    assert len(classes) > 1


def test_no_quasi_identifiers_are_one_class():
    schema = Schema((Column("x", SA, Kind.INTEGER),))
    for loss in ("information", "discernibility"):
        done = run(pd.DataFrame({"x": [1, 2, 3]}), schema=schema, loss=loss)
        assert done.table["x"].tolist() == [1, 2, 3]


def test_labels_where_the_schema_allows_them():
    schema = Schema((Column("city", QI, Kind.CATEGORY), Column("x", SA, Kind.INTEGER)))
    original = pd.DataFrame({"city": list("abcd"), "x": [1, 2, 3, 4]})
    done = run(original, schema=schema, k=2, fraction=0.0, write="label")
    assert done.table["city"].tolist() == ["a..b", "a..b", "c..d", "c..d"]


# --- refused ---


@pytest.mark.parametrize(
    ("options", "option", "expected"),
    [
        ({"k": 41}, "k", "an integer from 1 to the table's 40 records"),
        ({"l": 7}, "l", "an integer from 1 to the column's 6 values"),
        ({"entropy_l": 6.5, "fraction": 0.0}, "entropy_l", "that of the whole table"),
        ({"c": 0.1, "l": 2, "fraction": 0.0}, "c", "the whole table is (c, 2)-diverse"),
        ({"columns": ("age", "height")}, "columns", "age, city, sex"),
        ({"columns": ("age", "age")}, "columns", "different columns"),
        ({"l": 2, "sensitive": "city"}, "sensitive", "pay, illness"),
        ({"write": "label"}, "write", "city"),
        ({"fraction": 1.5}, "fraction", "from 0 to 1"),
        ({"t": -0.1}, "t", "from 0 to 1"),
        ({"nodes": 0}, "nodes", "at least 1"),
        ({"loss": "money"}, "loss", "information, discernibility"),
    ],
)
def test_one_clear_problem_naming_the_option(options, option, expected):
    found = problem(table(1), **options)
    assert (found.code, found.params["option"]) == ("option.wrong_value", option)
    assert expected in found.message


def test_an_unreachable_lattice():
    content = {"age": {"type": "numeric", "threshold_1": "50"}}
    found = problem(table(1), k=30, fraction=0.1, hierarchy=content, columns=("age",))
    assert found.params["option"] == "fraction"
    assert "some combination of levels keeps the bounds" in found.message


@pytest.mark.parametrize(
    ("options", "option"), [({"entropy_l": 6.5}, "entropy_l"), ({"c": 0.01, "l": 2}, "c")]
)
def test_a_bound_that_no_share_of_suppressed_records_reaches_is_named(options, option):
    found = problem(table(1), fraction=0.5, **options)
    assert found.params["option"] == option
    assert "a bound that some combination of levels keeps" in found.message


def test_a_share_is_named_where_a_larger_one_would_do():
    original = pd.DataFrame({"a": [1, 1, 2, 2, 2], "s": ["x", "y", "x", "x", "x"]})
    schema = Schema((Column("a", QI, Kind.INTEGER), Column("s", SA, Kind.CATEGORY)))
    found = problem(original, schema=schema, fraction=0.3, k=2, entropy_l=2.0)
    assert found.params["option"] == "fraction"


def test_a_limit_of_nodes_is_reported():
    (warning,) = run(table(3, n=300), k=5, fraction=0.05, nodes=3).warnings
    assert "stopped after 3 combinations of levels" in warning
    assert run(table(3, n=300), k=5, fraction=0.05).warnings == ()


def test_without_the_suppressed_records_the_rest_may_keep_what_the_whole_table_breaks():
    schema = Schema((Column("a", QI, Kind.INTEGER), Column("s", SA, Kind.CATEGORY)))
    original = pd.DataFrame({"a": [1, 1, 2, 2, 2], "s": ["x", "y", "x", "x", "x"]})
    bounds = {"k": 2, "entropy_l": 2.0}
    assert problem(original, schema=schema, fraction=0.0, **bounds).params["option"] == "entropy_l"
    assert run(original, schema=schema, fraction=0.6, **bounds).source.tolist() == [0, 1]


def test_too_few_nodes_to_find_any():
    content = {"age": {"type": "numeric", "threshold_1": "50"}}
    found = problem(table(1), k=9, fraction=0.1, hierarchy=content, nodes=1)
    assert (found.params["option"], found.params["got"]) == ("nodes", "1")


def test_a_sensitive_column_is_needed_only_where_values_are_bounded():
    schema = Schema((Column("a", QI, Kind.INTEGER),))
    original = pd.DataFrame({"a": [1, 2, 3, 4]})
    assert len(run(original, schema=schema, k=2).table) == 4
    assert problem(original, schema=schema, l=2).params["option"] == "sensitive"


def test_the_registry_knows_the_lattice():
    assert ANONYMIZERS["lattice"].option("hierarchy").kind == "hierarchy"
