# SPDX-License-Identifier: Apache-2.0
"""Datafly manually and in plain Python; what the lattice search promises next to it; relaxed cuts of Mondrian."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.anonymizers.datafly import greedy_levels
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.scores.comparison import Options
from scoring.tables.hierarchies import hierarchies
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
    )
)
HIERARCHY = {
    "age": {"type": "numeric", "threshold_1": "30/50", "threshold_2": "50"},
    "town": {
        "type": "category",
        "definition": {
            "a": {"depth_1": "ab"},
            "b": {"depth_1": "ab"},
            "c": {"depth_1": "c"},
        },
    },
}


def rng():
    return np.random.default_rng(1)


def test_values_computed_manually():
    """Ages have six values: after one step three, as many as towns, and the first column goes on."""
    x = pd.DataFrame({"age": [20, 25, 31, 40, 55, 60], "town": list("ababcc")})
    found = [h.ascending() for h in hierarchies(x, SCHEMA, SCHEMA.names, HIERARCHY)]
    # Level 1 of age: 20 25 | 31 40 | 55 60, with the towns a b | a b | c c. Level 2: 20 25 31 40 | 55 60.
    assert greedy_levels(found, 6, 2, 0) == (2, 0)
    # Three of a class: the towns are generalized, and the two that are left are too few.
    assert greedy_levels(found, 6, 3, 0) is None
    assert greedy_levels(found, 6, 3, 2) == (2, 1)
    options = {"k": 3, "fraction": 0.4, "hierarchy": HIERARCHY}
    made = anonymize(x, SCHEMA, [("datafly", options)], rng=rng())
    assert made.source.tolist() == [0, 1, 2, 3]
    assert made.table.drop_duplicates().shape == (1, 2)
    with pytest.raises(ProblemsFound, match="k"):
        anonymize(x, SCHEMA, [("datafly", options | {"fraction": 0.1})], rng=rng())


@every(seed=range(15))
def test_levels_are_those_of_plain_python(seed):
    drawn = np.random.default_rng(seed)
    x = households(80, seed=seed)
    names = HOUSEHOLDS_SCHEMA.quasi_identifiers[: int(drawn.integers(1, 5))]
    found = [h.ascending() for h in hierarchies(x, HOUSEHOLDS_SCHEMA, names)]
    k, allowed = int(drawn.integers(2, 8)), int(drawn.integers(0, 10))
    levels = [0] * len(found)
    while True:
        rows = [
            tuple(h.groups[level][h.of_record[row]] for h, level in zip(found, levels, strict=True))
            for row in range(80)
        ]
        counts = Counter(rows)
        if sum(counts[row] < k for row in rows) <= allowed:
            break
        different = [len({row[i] for row in rows}) for i in range(len(found))]
        open_ = [i for i, h in enumerate(found) if levels[i] < h.top]
        levels[max(open_, key=lambda i: (different[i], -i))] += 1
    assert greedy_levels(found, 80, k, allowed) == tuple(levels)


@pytest.mark.parametrize("k", [2, 5])
def test_the_lattice_finds_the_least_loss_of_all_nodes_and_datafly_no_less(k):
    """OLA and Flash look for the same node: of those that keep k, the one of least loss."""
    x = households(150, seed=2)
    names = HOUSEHOLDS_SCHEMA.quasi_identifiers[:3]
    schema = Schema(tuple(HOUSEHOLDS_SCHEMA.column(name) for name in names))
    table = x[list(names)]
    found = [h.ascending() for h in hierarchies(table, schema, names)]

    def loss(levels):
        of_records = [
            h.losses()[level][h.of_record] for h, level in zip(found, levels, strict=True)
        ]
        return float(np.mean(of_records))

    def keeps(levels):
        groups = zip(
            *(h.groups[level][h.of_record] for h, level in zip(found, levels, strict=True)),
            strict=True,
        )
        return min(Counter(groups).values()) >= k

    nodes = [node for node in product(*(range(h.n_levels) for h in found)) if keeps(node)]
    least = min(map(loss, nodes))
    options = {"k": k, "fraction": 0.0}
    greedy = greedy_levels(found, 150, k, 0)
    assert greedy in nodes
    assert loss(greedy) >= least
    made = anonymize(table, schema, [("lattice", options)], rng=rng())
    for node in nodes:
        if loss(node) == pytest.approx(least):
            again = anonymize(table, schema, [("global-recoding", {"levels": node})], rng=rng())
            if made.table.equals(again.table):
                return
    raise AssertionError("the table of the lattice is none of the nodes of least loss")


def test_the_bound_t_is_about_the_original():
    """Suppressed records are gone from the release: compared with it a class may be farther away."""
    x = households(1000, seed=1)
    names = HOUSEHOLDS_SCHEMA.quasi_identifiers[:5]
    options = {"k": 3, "t": 0.3, "fraction": 0.2, "columns": names}
    made = anonymize(x, HOUSEHOLDS_SCHEMA, [("lattice", options)], rng=rng())
    chosen = [*names, HOUSEHOLDS_SCHEMA.sensitive[0]]
    schema = Schema(tuple(HOUSEHOLDS_SCHEMA.column(name) for name in chosen))
    values = {
        table: score(
            x[chosen],
            made.table[chosen],
            made.source,
            schema,
            measures=["t-closeness"],
            options=Options(closeness=table),
        )["t-closeness"]
        for table in ("anonymized", "original")
    }
    assert values["original"] <= 0.3 < values["anonymized"]
    [warning] = [text for text in made.warnings if "t = 0.3" in text]
    assert warning.endswith(f"{values['anonymized']:.3f}")
    kept = anonymize(
        x, HOUSEHOLDS_SCHEMA, [("lattice", options | {"fraction": 0.0, "t": 0.5})], rng=rng()
    )
    assert not any("t = " in text for text in kept.warnings)


@pytest.mark.parametrize("k", [3, 5, 10])
def test_relaxed_cuts_make_larger_classes_that_span_more(k):
    x = households(1000, seed=1)
    sizes, spans = [], []
    for cuts in ("strict", "relaxed"):
        made = anonymize(x, HOUSEHOLDS_SCHEMA, [("mondrian", {"k": k, "cuts": cuts})], rng=rng())
        values = score(x, made.table, made.source, HOUSEHOLDS_SCHEMA, measures=["S1", "S2", "ncp"])
        assert values["S1"] >= k
        sizes.append(values["S2"])
        spans.append(values["ncp"])
    assert sizes[0] < sizes[1]
    assert 1.5 * spans[0] < spans[1]
