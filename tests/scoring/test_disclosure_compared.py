# SPDX-License-Identifier: Apache-2.0
"""Several neighbours, the mode, the unclipped difference, and distances to the closest record."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from scoring.measures import closest, disclosure
from scoring.measures.neighbours import several_nearest
from scoring.reporting.intervals import area_interval, difference
from scoring.scores.coding import Coded
from scoring.scores.comparison import Comparison, Options, Prepared
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring.test_disclosure import MANY, compared, people, published, run, unrelated

LINE = Schema((Column("at", Role.SENSITIVE, Kind.NUMBER),))


def on_a_line(original, control, released) -> Comparison:
    frames = [
        pd.DataFrame({"at": np.array(at, dtype=float)}) for at in (original, control, released)
    ]
    prepared = Prepared.of(frames[0], LINE, control=frames[1])
    return Comparison.of(prepared, frames[2], np.arange(len(released)), LINE)


# The difference and the mode


def test_the_difference_is_not_clipped_at_0():
    """The risk of tables that give nothing away has a mean above 0, the difference has not."""
    found = [run(disclosure.inference, unrelated(), seed, n_attacks=60) for seed in range(12)]
    assert all(d.difference.value == d.main.value - d.control.value for d in found)
    assert min(d.difference.value for d in found) < 0
    assert min(d.risk.value for d in found) == 0
    assert np.mean([d.risk.value for d in found]) > np.mean([d.difference.value for d in found])
    first = found[0]
    assert first.difference == difference(first.main.hits, 60, first.control.hits, 60)


def test_what_is_above_the_control_is_said():
    assert run(disclosure.inference, published()).is_above_control
    assert not run(disclosure.inference, unrelated()).is_above_control


def test_the_mode_knows_what_most_have():
    x = people(300, 1).assign(q0="a")
    x.loc[:59, "q0"] = "b"
    prepared = Prepared.of(x, MANY, control=people(300, 2).assign(q0="a"))
    comparison = Comparison.of(prepared, x, np.arange(300), MANY)
    found = run(disclosure.inference, comparison, secret="q0", known=["age"])
    assert found.mode.hits == 240
    assert found.baseline.value < found.mode.value
    # Of numbers the median of Y: right where the truth is within 5 % of it.
    found = run(disclosure.inference, comparison, secret="age", known=["q0"])
    median = np.median(x["age"])
    assert found.mode.hits == (np.abs(median - x["age"]) <= 0.05 * x["age"]).sum()
    assert run(disclosure.linkability, comparison).mode is None


# Several neighbours


@every(seed=range(12))
def test_the_nearest_records_are_those_of_sorting_all(seed):
    rng = np.random.default_rng(seed)
    tables = [pd.DataFrame({"at": rng.integers(0, 9, n).astype(float)}) for n in (6, 11)]
    coded = Coded.of(LINE, *tables)
    targets, table = coded.tables
    for n in (1, 3, 11, 20):
        found = several_nearest(coded, targets, table, [0], n, rng=rng)
        assert found.shape == (6, min(n, 11))
        for at, chosen in zip(targets.columns[0], found, strict=True):
            far = np.abs(table.columns[0] - at)
            assert len(set(chosen)) == len(chosen)
            assert far[chosen].tolist() == np.sort(far)[: len(chosen)].tolist()


def test_more_neighbours_link_more_of_everybody():
    rates = [run(disclosure.linkability, unrelated(), n_neighbours=n) for n in (1, 5, 50)]
    for one, more in itertools.pairwise(rates):
        assert one.main.value < more.main.value
        assert one.baseline.value < more.baseline.value
    everything = run(disclosure.linkability, unrelated(), n_neighbours=300)
    assert everything.main.value == everything.control.value == everything.baseline.value == 1
    assert everything.risk.value == 0


def test_a_secret_is_what_most_neighbours_have():
    schema = Schema((*LINE.columns, Column("ill", Role.SENSITIVE, Kind.CATEGORY)))
    at = np.array([0.0, 1, 2, 10, 11, 12])
    released = pd.DataFrame({"at": at, "ill": list("nyynny")})
    truth = pd.DataFrame({"at": at, "ill": list("yyynnn")})
    control = pd.DataFrame({"at": at + 100, "ill": list("yyynnn")})
    prepared = Prepared.of(truth, schema, control=control)
    comparison = Comparison.of(prepared, released, np.arange(6), schema)
    one, three = (
        run(disclosure.inference, comparison, secret="ill", known=["at"], n_neighbours=n)
        for n in (1, 3)
    )
    assert (one.main.hits, three.main.hits) == (4, 6)


@pytest.mark.parametrize("attack", [disclosure.linkability, disclosure.inference])
def test_no_neighbour_is_refused(attack):
    with pytest.raises(ValueError, match="n_neighbours"):
        run(attack, published(), n_neighbours=0)


# Distances to the closest record


def test_distances_computed_manually():
    comparison = on_a_line([0, 10, 20, 40], [3, 13, 30, 38], [1, 12, 24, 39])
    found = closest.closest(comparison, rng=np.random.default_rng(1))
    assert (40 * found.distances).tolist() == pytest.approx([1, 2, 4, 1])
    assert (40 * found.control_distances).tolist() == pytest.approx([2, 1, 6, 1])
    assert found.ratios.tolist() == pytest.approx([1 / 9, 2 / 8, 4 / 14, 1 / 19])
    assert found.control_ratios.tolist() == pytest.approx([2 / 12, 1 / 9, 6 / 11, 1 / 9])
    assert found.nearer.value == (1 + 0 + 1 + 0.5) / 4
    assert found.sharper.value == 3 / 4


def test_a_copy_is_nearer_and_new_records_are_not():
    copy, new = (
        closest.closest(comparison, rng=np.random.default_rng(1))
        for comparison in (published(), unrelated())
    )
    assert not copy.distances.any()
    assert (copy.nearer.value, copy.sharper.value) == (1, 1)
    for share in (new.nearer, new.sharper):
        assert share.low < 0.5 < share.high


@pytest.mark.parametrize(("n", "n_control"), [(300, 60), (60, 300)])
def test_tables_of_different_size_are_compared_in_equal_numbers(n, n_control):
    made = compared(people(n, 3), np.arange(n), n=n, n_control=n_control)
    found = closest.closest(made, rng=np.random.default_rng(1))
    assert found.nearer.low < 0.5 < found.nearer.high
    kept = closest.closest(published(n, n_control), rng=np.random.default_rng(1))
    assert kept.nearer.value == 1


def test_a_seed_decides_which_records_are_compared():
    found = {closest.nearer_share(unrelated(), Options(seed=seed)) for seed in (1, 1, 2, 3)}
    assert len(found) >= 1
    comparison = compared(people(300, 3), np.arange(300), n_control=100)
    first = closest.sharper_share(comparison, Options(seed=1))
    assert first == closest.sharper_share(comparison, Options(seed=1))
    assert len({closest.sharper_share(comparison, Options(seed=s)) for s in range(5)}) > 1


# The area under the curve


@pytest.mark.parametrize("shift", [0.0, 0.8, 2.5])
def test_the_interval_of_the_area_holds_the_truth_as_often_as_it_says(shift):
    from statistics import NormalDist

    from scoring.attacks.membership import area_under_curve

    rng = np.random.default_rng(1)
    truth, n_runs = NormalDist().cdf(shift / 2**0.5), 400
    n_held = 0
    for _run in range(n_runs):
        area = area_under_curve(rng.normal(shift, 1, 40), rng.normal(0, 1, 60))
        found = area_interval(area, 40, 60)
        assert found.low <= area <= found.high
        n_held += found.low <= truth <= found.high
    assert n_held >= 0.95 * n_runs - 4 * (0.95 * 0.05 * n_runs) ** 0.5


def test_the_interval_of_a_whole_area_has_a_width():
    found = area_interval(1.0, 10, 10)
    assert 0.6 < found.low < found.high == 1
    assert area_interval(0.0, 10, 10).high == pytest.approx(1 - found.low)
    with pytest.raises(ValueError, match="area"):
        area_interval(1.1, 3, 3)
