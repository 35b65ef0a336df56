# SPDX-License-Identifier: Apache-2.0
"""Measures that draw at random: which they are, and that a table made for known draws gains nothing with others."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.formats.sequential.catalog import RISKS
from scoring.measures import queries
from scoring.measures.catalog import DRAWING, MEASURES
from scoring.registry import ALL_MEASURES
from scoring.scores.coding import coded_pair
from scoring.scores.comparison import Comparison
from scoring.scores.options import Options
from tests.scoring import tables

N_QUERIES = 150


def test_the_measures_that_draw_are_those_whose_definition_names_the_seed():
    assert {id_ for id_, measure in ALL_MEASURES.items() if measure.draws} == set(DRAWING)
    named = {id_ for id_, m in ALL_MEASURES.items() if "`seed`" in m.description}
    assert named | set(RISKS) == set(DRAWING)  # of which one is described, the others refer to it


def test_the_seed_decides_nothing_else():
    case = tables.case(8)
    comparison = Comparison.of(case.original, case.anonymized, case.source, case.schema)
    for id_, measure in MEASURES.items():
        if not measure.draws:
            values = {measure.function(comparison, Options(seed=seed)) for seed in (1, 2, 2**100)}
            assert len(values) == 1, id_


def loss(x, y, schema, seed):
    comparison = Comparison.of(x, y, np.arange(len(x)), schema)
    return queries.range_query_error(comparison, Options(seed=seed))


def made_for(x, schema, seed):
    """A table that answers the queries of one seed as the original does, with as many other amounts as possible."""
    coded, original, _ = coded_pair(Comparison.of(x, x, np.arange(len(x)), schema))
    asked = queries.random_queries(
        coded, original, rng=np.random.default_rng(seed), n_queries=N_QUERIES
    )
    names = [column.name for column in coded.columns]
    rng = np.random.default_rng(4)
    y = x.copy()
    for column, name in enumerate(names):
        touched = [query for query in asked if any(p.column == column for p in query)]
        for row in rng.permutation(len(x)):
            before = [_holds(query, x.loc[row], names) for query in touched]
            for value in rng.permutation(x[name].to_numpy()):
                changed = y.loc[row].copy()
                changed[name] = value
                after = [_holds(query, changed, names) for query in touched]
                if value != x.loc[row, name] and after == before:
                    y.loc[row, name] = value
                    break
    return y


def _holds(query, record, names):
    return all(p.low <= record[names[p.column]] <= p.high for p in query)


@pytest.mark.long
def test_a_table_made_for_the_queries_of_one_seed_loses_its_advantage_with_another(monkeypatch):
    few = {**queries.random_queries.__kwdefaults__, "n_queries": N_QUERIES}
    monkeypatch.setattr(queries.random_queries, "__kwdefaults__", few)
    schema = tables.make_schema(0, 8)
    rng = np.random.default_rng(6)
    x = tables.table(schema, rng, 60, "zeros")
    for name in schema.sensitive_numeric:
        x[name] = rng.permutation(60) * 1000.0
    y = made_for(x, schema, 1)
    names = list(schema.sensitive_numeric)
    assert (x[names] != y[names]).to_numpy().mean() > 0.8
    assert loss(x, y, schema, 1) == 0
    assert min(loss(x, y, schema, seed) for seed in (2, 3, 2**100)) > 0.3
