# SPDX-License-Identifier: Apache-2.0
"""Discernibility, C_avg, NCP and entropy loss: manually, in plain Python, and as the lattice search has them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.anonymizers.constraints import Constraints
from scoring.anonymizers.lattice_search import Lattice, Search
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import score
from scoring.tables.hierarchies import hierarchies
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import tables

IDS = ("discernibility", "class-average", "ncp", "entropy-loss")
SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
    )
)
X = pd.DataFrame({"age": [20, 30, 40, 60, 60], "town": ["a", "b", "b", "c", "c"]})
# The last record is deleted, 20 a and 30 b are one class, 40 b and 60 c another.
Y = pd.DataFrame({"age": [25, 25, 50, 50], "town": ["a", "a", "b", "b"]})


def of(original, anonymized, rows, schema=SCHEMA):
    values = score(original, anonymized, np.array(rows), schema, measures=IDS)
    return {id_: values[id_] for id_ in IDS}


def test_values_computed_manually():
    found = of(X, Y, [0, 1, 2, 3])
    assert found["discernibility"] == (4 + 4 + 5) / 25
    assert found["class-average"] == 1
    # Widths: 10/40 and 20/40 of age; two of three towns each, 1/2. The deleted record counts 1.
    assert found["ncp"] == pytest.approx(((0.5 + 1 + 1) / 5 + (2 + 1) / 5) / 2)
    # Age: ln 2 for each of the four, and for the deleted one -ln(2/5); in all 3 ln 5 + 2 ln(5/2).
    # Town: ln 2 four times and ln(5/2), out of ln 5 + 4 ln(5/2).
    age = (4 * math.log(2) + math.log(2.5)) / (3 * math.log(5) + 2 * math.log(2.5))
    town = (4 * math.log(2) + math.log(2.5)) / (math.log(5) + 4 * math.log(2.5))
    assert found["entropy-loss"] == pytest.approx((age + town) / 2)


def test_the_ends():
    rows = list(range(5))
    assert of(X, X, rows) == {
        "discernibility": (3 + 4) / 25,
        "class-average": 1.25,
        "ncp": 0,
        "entropy-loss": 0,
    }
    alike = X.assign(age=1, town="a")
    assert of(X, alike, rows) == dict.fromkeys(IDS, 1)
    renamed = X.assign(age=X["age"] + 1000, town=X["town"] * 2)
    assert of(X, renamed, rows)["entropy-loss"] == 0
    constant = X.assign(age=1, town="a")
    assert of(constant, constant, rows)["ncp"] == 0


@every(seed=range(20))
def test_values_are_those_of_plain_python(seed):
    case = tables.case(seed)
    names = list(case.schema.quasi_identifiers)
    found = of(case.original, case.anonymized, case.source, case.schema)
    n, n_y = len(case.original), len(case.anonymized)
    vectors = [tuple(row) for row in case.anonymized[names].to_numpy().tolist()]
    sizes = Counter(vectors if names else [()] * n_y)
    pairs = sum(size**2 for size in sizes.values()) + (n - n_y) * n
    assert found["discernibility"] == pytest.approx(pairs / n**2, abs=1e-9)
    assert found["class-average"] == pytest.approx(n_y / len(sizes) / min(sizes.values()), abs=1e-9)
    if not names:
        assert found["ncp"] is found["entropy-loss"] is None
        return
    penalties, entropies = [], []
    for name in names:
        x, y = case.original[name].tolist(), case.anonymized[name].tolist()
        kept = [x[row] for row in case.source]
        n_values = len(set(x))
        spanned = {v: {k for k, w in zip(kept, vectors, strict=True) if w == v} for v in sizes}
        lost = sum((len(spanned[v]) - 1) / (n_values - 1) if n_values > 1 else 0 for v in vectors)
        penalties.append((lost + n - n_y) / n)
        counts, together = Counter(x), Counter(zip(kept, y, strict=True))
        whole = [-math.log(counts[v] / n) for v in x]
        open_ = [-math.log(together[a, b] / y.count(b)) for a, b in zip(kept, y, strict=True)] + [
            whole[row] for row in set(range(n)) - set(case.source.tolist())
        ]
        entropies.append(sum(open_) / sum(whole) if sum(whole) else 0)
    assert found["ncp"] == pytest.approx(np.mean(penalties), abs=1e-9)
    assert found["entropy-loss"] == pytest.approx(np.mean(entropies), abs=1e-9)


def test_the_lattice_minimizes_the_discernibility_that_is_measured():
    x = households(200, seed=3)
    names = list(HOUSEHOLDS_SCHEMA.quasi_identifiers[:3])
    schema = Schema(tuple(HOUSEHOLDS_SCHEMA.column(name) for name in names))
    found = [h.ascending() for h in hierarchies(x, schema, names)]
    outcome = Search(
        Lattice(found, 200, None),
        Constraints(k=5),
        None,
        max_suppressed=10,
        loss="discernibility",
        max_nodes=500,
    ).run()
    options = {"k": 5, "loss": "discernibility"}
    made = anonymize(x[names], schema, [("lattice", options)], rng=np.random.default_rng(1))
    measured = of(x[names], made.table, made.source, schema)
    assert outcome.node is not None
    assert measured["discernibility"] == pytest.approx(outcome.node.loss)
    assert len(made.source) == 200 - outcome.node.n_suppressed < 200
