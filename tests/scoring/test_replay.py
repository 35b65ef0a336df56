# SPDX-License-Identifier: Apache-2.0
"""The attacker `replay`: a table made with a small seed is named and undone, others are not."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.anonymizers import anonymize
from scoring.attacks import replay
from scoring.attacks.catalog import ATTACKS
from scoring.attacks.replay import replayed
from scoring.audits.audit import audit
from scoring.audits.report import report, verdict
from scoring.audits.summary import summary
from scoring.cli.seeds import SMALLEST
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.scores.comparison import Prepared
from scoring.tables.reading import read_table, write_table
from tests.every import every

N = 300
X = households(N, seed=5)


def released(chain, seed, original=X, options=None):
    """A table as attackers get it, read from its file and shuffled, and where its records came from."""
    steps = [(method, (options or {}).get(method, {})) for method in chain]
    made = anonymize(original, HOUSEHOLDS_SCHEMA, steps, rng=np.random.default_rng(seed))
    table = read_table(write_table(made.table, HOUSEHOLDS_SCHEMA), HOUSEHOLDS_SCHEMA, file="y")
    order = np.random.default_rng(8).permutation(len(table))
    return table.iloc[order].reset_index(drop=True), made.source[order]


@pytest.mark.parametrize(
    ("chain", "seed"),
    [
        (("class-swap",), 17),
        pytest.param(("pk-anonymization",), 12, marks=pytest.mark.long),
        pytest.param(("mondrian", "sa-noise"), 5, marks=pytest.mark.long),
        pytest.param(("class-swap",), 217, marks=pytest.mark.long),
        pytest.param(("record-deletion",), 0, marks=pytest.mark.long),
        pytest.param(("additive-noise",), 7, marks=pytest.mark.long),
        pytest.param(("sa-noise",), 999, marks=pytest.mark.long),
        pytest.param(("rank-swap",), 3, marks=pytest.mark.long),
        pytest.param(("across-class-swap",), 12, marks=pytest.mark.long),
        pytest.param(("local-laplace",), 2026, marks=pytest.mark.long),
        pytest.param(("qi-unification", "class-swap"), 5, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_a_small_seed_is_found_and_with_it_every_record(chain, seed):
    table, source = released(chain, seed)
    found = replayed(X, table, HOUSEHOLDS_SCHEMA, seeds=50 if seed < 50 else 1000)
    assert (set(found.chain), found.seed) == (set(chain), seed)
    assert (found.guess == source).mean() > 0.99


@pytest.mark.long
def test_methods_that_draw_nothing_are_named_without_a_seed():
    table, source = released(("mondrian", "class-average"), 1)
    found = replayed(X, table, HOUSEHOLDS_SCHEMA)
    assert (found.chain, found.seed) == (("mondrian", "class-average"), None)
    assert sorted(found.guess.tolist()) == sorted(source.tolist())


@pytest.mark.long
def test_exchanged_row_numbers_hide_in_the_table_that_stays():
    """What is published of `yamaoka` is the table before it: the shorter chain is named, whose rows nobody declares."""
    table, source = released(("qi-unification", "yamaoka"), 3)
    found = replayed(X, table, HOUSEHOLDS_SCHEMA)
    assert (found.chain, found.seed) == (("qi-unification",), None)
    assert not (found.guess == source).any()


@every(2, seed=[SMALLEST, 2**127 + 1], chain=[("class-swap",), ("sa-noise",)])
def test_a_large_seed_is_not_found(chain, seed):
    table, _source = released(chain, seed)
    assert replayed(X, table, HOUSEHOLDS_SCHEMA, work=10) is None


@pytest.mark.long
def test_other_options_are_not_found():
    table, _source = released(("sa-noise",), 1, options={"sa-noise": {"scale": 0.123}})
    assert replayed(X, table, HOUSEHOLDS_SCHEMA, work=10) is None


@pytest.mark.long
def test_the_order_of_records_and_a_prepared_original_change_nothing():
    table, source = released(("class-swap",), 21)
    order = np.random.default_rng(2).permutation(len(table))
    prepared = Prepared.of(X, HOUSEHOLDS_SCHEMA)
    rng = np.random.default_rng(1)
    guess = ATTACKS["replay"](prepared, table.iloc[order], HOUSEHOLDS_SCHEMA, rng=rng)
    assert (guess == source[order]).mean() > 0.99
    assert rng.bit_generator.state == np.random.default_rng(1).bit_generator.state


@pytest.mark.long
def test_the_work_is_bounded(monkeypatch):
    """However many seeds are asked for, no more is drawn than the work allows."""
    table, _source = released(("class-swap",), 2**100)
    runs = []
    applied = replay._Search._applied

    def counted(search, steps, state, schema, seed):
        runs.append(sum(replay._cost(step, *state.table.shape) for step in steps))
        return applied(search, steps, state, schema, seed)

    monkeypatch.setattr(replay._Search, "_applied", counted)
    assert replayed(X, table, HOUSEHOLDS_SCHEMA, seeds=10**6, work=20) is None
    assert sum(runs) < 20_000_000 + 100 * max(
        runs
    )  # the single methods, and what is begun is ended


@pytest.mark.long
def test_a_table_of_few_records_is_compared_with_few_others():
    few = households(4, seed=1)
    table, _source = released(("sa-noise",), 2**100, original=few)
    search = replay._Search(
        replay._State(few, np.arange(4)), HOUSEHOLDS_SCHEMA, table, replay._Budget(10**9, 100)
    )
    search.found(10**6)
    assert -5 < search.budget.runs <= 100


@pytest.mark.long
def test_an_audit_names_the_methods_and_the_seed():
    table, source = released(("class-swap",), 217)
    arguments = X, table, source, HOUSEHOLDS_SCHEMA
    options = {"attacks": ["replay", "EUC2"], "measures": ["S1"]}
    found = audit(*arguments, rng=np.random.default_rng(1), **options)
    assert found.worst.attack.id == "replay"
    assert found.worst.rate > 0.99
    said = "The table is the result of class-swap with seed 217"
    assert verdict(found).startswith(said)
    assert said in report(found, {})
    assert summary(found)["replay"] == {"chain": ["class-swap"], "seed": 217}


def test_an_audit_says_nothing_where_nothing_was_found():
    table, source = released(("class-swap",), 2**90)
    options = {"attacks": ["EUC2"], "measures": ["S1"]}
    found = audit(X, table, source, HOUSEHOLDS_SCHEMA, rng=np.random.default_rng(1), **options)
    assert verdict(found).startswith("EUC2")
    assert summary(found)["replay"] is None
