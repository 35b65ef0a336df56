# SPDX-License-Identifier: Apache-2.0
"""Identification risk: the paper's tables, and the counter and the sampler against the list of all possible worlds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from scoring.errors import ProblemsFound
from scoring.formats.sequential import scored
from scoring.formats.sequential.examples import PATIENTS, SMALL, TABLE_1, microdata
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.risk import (
    Definition,
    identification_risks,
    pinned_by,
    risks_over_time,
)
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import of_publication
from scoring.formats.sequential.tables import Attribute, Microdata, Release, Snapshot
from scoring.formats.sequential.worlds import check_size, n_places
from tests.every import some
from tests.scoring.sequential_oracles import counting_risks, world_risks
from tests.scoring.sequential_tables import T3, T4, T9, T9_AS_PRINTED, T12, T13, T14, T15, T16

WORLDS = {
    Definition.WORLDS: {},
    Definition.COUNTERFEIT_KNOWN: {"known": True},
    Definition.M_INVARIANCE: {"invariant": True},
}
BOB = 0


def risks(tables, releases, definition=Definition.WORLDS, **options):
    rng = np.random.default_rng(1)
    return identification_risks(tables, releases, definition, rng=rng, **options)


def of(found, tables, *names):
    return [found.values[tables.ids.index(name)] for name in names]


@pytest.mark.parametrize(
    ("releases", "definition", "expected"),
    [
        ((T12, T13), Definition.COUNTING, 2 / 3),
        ((T12, T13), Definition.WORLDS, 3 / 5),
        ((T12, T13), Definition.COUNTERFEIT_KNOWN, 2 / 3),
        ((T12, T13), Definition.M_INVARIANCE, 1 / 2),
        ((T12, T13), Definition.LAST, 3 / 5),  # no column, nothing to read
        ((T14, T15), Definition.LAST, 1 / 2),
        ((T12, T16), Definition.COUNTING, 1 / 2),
        ((T12, T16), Definition.WORLDS, 1 / 2),
    ],
)
def test_bob(releases, definition, expected):
    assert SMALL.ids[BOB] == "Bob"
    assert risks(SMALL, releases, definition).values[BOB] == expected


def test_possible_worlds_of_one_release():
    found = risks(microdata(TABLE_1), (T3,))
    assert found.worlds == 96
    assert of(found, PATIENTS, "Bob", "Jane") == [1 / 2, 1 / 3]


def test_a_release_that_is_not_m_invariant_gives_people_away():
    found = risks(PATIENTS, (T3, T4))
    assert found.worlds == 48
    assert of(found, PATIENTS, "Bob", "Alice", "Andy", "David") == [1, 1, 1, 1]
    assert of(found, PATIENTS, "Gary", "Jane") == [1 / 2, 1 / 3]
    assert found.max == 1


@pytest.mark.parametrize("definition", [Definition.WORLDS, Definition.M_INVARIANCE])
def test_an_m_invariant_release_gives_nobody_away(definition):
    found = risks(PATIENTS, (T3, T9), definition)
    assert (found.worlds, found.max) == (384, 1 / 2)
    assert found.log10_worlds == pytest.approx(math.log10(384))


def test_the_misprint_rules_out_the_truth():
    assert risks(PATIENTS, (T3, T9_AS_PRINTED)).values[BOB] == 0


def test_which_releases_pin_people_down():
    history = risks_over_time(PATIENTS, (T3, T4), Definition.WORLDS, rng=np.random.default_rng(1))
    pinned = dict(zip(PATIENTS.ids, pinned_by(history), strict=True))
    assert pinned["Bob"] == pinned["Alice"] == [1, 2]
    assert (pinned["Jane"], pinned["Mary"]) == ([1], [2])
    assert math.isnan(history[0].values[PATIENTS.ids.index("Mary")])


# random cases


def cases(n, *, seed, most_people=5):
    """Small tables and releases at random: of one, two or three times, truthful or not."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        tables = random_microdata(rng, int(rng.integers(2, most_people + 1)))
        yield tables, tuple(random_release(rng, tables, s) for s in tables.snapshots)


def random_microdata(rng, n_people, *, n_times=None, n_values=None):
    n_times = n_times or int(rng.integers(1, 4))
    n_values = n_values or int(rng.integers(2, 4))
    value, qi = rng.integers(0, n_values, n_people), rng.integers(0, 6, (n_people, 2)).astype(float)
    start = rng.integers(0, n_times, n_people)
    start[0] = 0
    end = np.array([rng.integers(s, n_times) for s in start])
    end[0] = n_times - 1
    snapshots = []
    for time in range(n_times):
        ids = rng.permutation(np.flatnonzero((start <= time) & (time <= end)))
        snapshots.append(Snapshot(ids, qi[ids], value[ids]))
    return Microdata(
        (Attribute("a", None), Attribute("b", None)),
        "s",
        tuple(map(str, range(n_values))),
        tuple(map(str, range(n_people))),
        tuple(snapshots),
    )


def random_release(rng, tables, snapshot):
    """Groups of neighbours, regions around them or, now and then, a little next to; a few counterfeits."""
    n_counterfeits = int(rng.integers(0, 3))
    owner = np.concatenate([snapshot.ids, np.full(n_counterfeits, -1)])
    counterfeit = rng.integers(0, len(tables.sensitive_values), n_counterfeits)
    sensitive = np.concatenate([snapshot.sensitive, counterfeit])
    points = np.concatenate([snapshot.qi, rng.integers(0, 6, (n_counterfeits, 2))])
    group = rng.integers(1, max(2, len(owner) // 2 + 1), len(owner))
    low, high = points.copy(), points.copy()
    for number in np.unique(group):
        own = group == number
        low[own], high[own] = points[own].min(0), points[own].max(0)
        high[own] += rng.integers(0, 3, 2)
        if rng.random() < 0.1:
            low[own] += 1
    counts = {int(g): int(((owner < 0) & (group == g)).sum()) for g in np.unique(group)}
    return Release(group, low, high, sensitive, None, {g: k for g, k in counts.items() if k}, owner)


@pytest.mark.parametrize("definition", WORLDS)
@pytest.mark.parametrize("n_cases", some(1, [100, 1_000]))
def test_counting_possible_worlds_is_listing_them(definition, n_cases):
    n_possible = 0
    for tables, releases in cases(n_cases, seed=7):
        found = risks(tables, releases, definition)
        n, expected = world_risks(tables, releases, **WORLDS[definition])
        assert found.worlds == n
        if n:
            n_possible += 1
            assert found.values == pytest.approx([float(risk) for risk in expected], abs=1e-12)
    assert n_possible > 0.4 * n_cases


@pytest.mark.parametrize("n_cases", some(1, [200, 1_000]))
def test_counting_rows_is_counting_them_one_by_one(n_cases):
    for tables, releases in cases(n_cases, seed=8, most_people=9):
        found = risks(tables, releases, Definition.COUNTING).values
        expected = [np.nan if r is None else float(r) for r in counting_risks(tables, releases)]
        assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("where", ["everywhere", "overlaps"])
def test_reading_last_leaves_the_possible_worlds_that_a_list_leaves(where):
    """Hardly ever more, where somebody's signature may have changed unnoticed, and never fewer."""
    n_equal = n_informed = 0
    for tables, releases in published(60, m=2, n_people=6, seed=3, method="last", where=where):
        found, without = (risks(tables, releases, d) for d in (Definition.LAST, Definition.WORLDS))
        n, expected = world_risks(tables, releases, reads_last=True)
        assert 0 < n <= found.worlds <= without.worlds
        n_informed += found.worlds < without.worlds
        if found.worlds == n:
            n_equal += 1
            assert found.values == pytest.approx([float(risk) for risk in expected], abs=1e-12)
    assert n_equal > 55
    assert n_informed > 5


def test_tables_14_and_15_leave_eight_possible_worlds():
    found = risks(SMALL, (T14, T15), Definition.LAST)
    assert found.worlds == 8
    assert found.values.tolist() == [1 / 2] * 5
    sampled = risks(SMALL, (T14, T15), Definition.LAST, most_entities=0)
    assert sampled.is_sampled.all()
    assert (np.abs(sampled.values - 1 / 2) < 0.05).all()


def test_a_number_that_no_group_before_has_is_refused():
    wrong = replace(T15, last=np.array([7, 7, 0, 0]))
    with pytest.raises(ProblemsFound) as caught:
        risks(SMALL, (T14, wrong), Definition.LAST)
    found = [(p.code, p.file, p.row, p.column, p.params["got"]) for p in caught.value.problems]
    assert found == [("release.unknown_last", "R2", row, "last", 7) for row in (1, 2)]
    assert risks(SMALL, (T14, wrong), Definition.WORLDS).worlds == 10


@pytest.mark.parametrize("definition", WORLDS)
@pytest.mark.parametrize("n_cases", some(1, [12, 30]))
def test_sampling_agrees_with_counting(definition, n_cases):
    n_within = n_all = 0
    for tables, releases in cases(n_cases, seed=9, most_people=7):
        exact = risks(tables, releases, definition)
        sampled = risks(tables, releases, definition, most_entities=0)
        assert sampled.worlds is None
        assert sampled.is_sampled.all()
        possible = ~np.isnan(exact.values)
        assert (~np.isnan(sampled.values) == possible).all()
        inside = (sampled.low <= exact.values + 1e-9) & (exact.values <= sampled.high + 1e-9)
        n_within, n_all = n_within + inside[possible].sum(), n_all + possible.sum()
    assert n_all > 1.5 * n_cases
    assert n_within / n_all > 0.9


def test_the_same_seed_gives_the_same_sample():
    one, two = (risks(SMALL, (T12, T13), most_entities=0) for _ in range(2))
    assert (one.values == two.values).all()
    assert (one.low < 3 / 5).all()
    assert one.n_samples == 1_000


def published(n, *, m, n_people, seed, **options):
    """m-invariant series of random tables, as they are published."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < n:
        tables = random_microdata(rng, n_people, n_values=4)
        try:
            found = publish(tables, Options(m=m, **options))
        except ProblemsFound:
            continue  # not m-eligible
        made += 1
        yield found.microdata, found.releases


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("n_cases", some(1, [60, 300]))
def test_with_m_invariance_known_no_risk_exceeds_one_in_m(m, n_cases):
    for tables, releases in published(n_cases, m=m, n_people=12, seed=m):
        found = risks(tables, releases, Definition.M_INVARIANCE)
        assert found.worlds != 0
        assert found.max <= 1 / m + 1e-12


def test_without_m_invariance_known_some_risk_exceeds_one_in_m():
    found = [
        risks(*series, definition).max > 1 / 2 + 1e-9
        for series in published(40, m=2, n_people=12, seed=2)
        for definition in (Definition.COUNTING, Definition.WORLDS)
    ]
    assert any(found[::2])
    assert any(found[1::2])


# large components, and what cannot be


@pytest.mark.parametrize("n", [1, 5, 12, 20])
def test_possible_worlds_of_one_group_are_orders(n):
    values = np.arange(n)
    tables = Microdata(
        (Attribute("a", None),),
        "s",
        tuple(map(str, values)),
        tuple(map(str, values)),
        (Snapshot(values, np.zeros((n, 1)), values),),
    )
    box = np.zeros((n, 1))
    found = risks(tables, (Release(np.ones(n, int), box, box, values, None, {}, None),))
    assert found.log10_worlds == pytest.approx(math.lgamma(n + 1) / math.log(10))
    assert found.worlds == (math.factorial(n) if math.factorial(n) < 2**53 else None)
    assert found.values == pytest.approx(np.full(n, 1 / n))


def test_two_values_in_twenty_people_are_counted_together():
    sensitive, group = np.tile([0, 1], 10), np.repeat(np.arange(1, 11), 2)
    tables = Microdata(
        (Attribute("a", None),),
        "s",
        ("x", "y"),
        tuple(map(str, range(20))),
        tuple(Snapshot(np.arange(20), np.zeros((20, 1)), sensitive) for _ in range(2)),
    )
    box = np.zeros((20, 1))
    release = Release(group, box, box, sensitive, None, {}, None)
    found = risks(tables, (release, release))
    assert not found.is_sampled.any()
    expected = math.comb(20, 10) * math.factorial(10) ** 4
    assert found.log10_worlds == pytest.approx(math.log10(expected))
    assert found.values == pytest.approx(np.full(20, 1 / 2))


def test_releases_that_cannot_be_those_of_the_tables_are_refused():
    short = replace(
        T13, group=T13.group[:2], low=T13.low[:2], high=T13.high[:2], sensitive=T13.sensitive[:2]
    )
    with pytest.raises(ProblemsFound) as caught:
        risks(SMALL, (T12, short))
    assert [(p.code, p.file) for p in caught.value.problems] == [("release.too_few_rows", "R2")]
    with pytest.raises(ProblemsFound) as caught:
        risks(SMALL, (T12, replace(T13, counterfeits={})), Definition.COUNTERFEIT_KNOWN)
    assert [(p.code, p.file) for p in caught.value.problems] == [("release.counterfeits", "C2")]
    with pytest.raises(ProblemsFound) as caught:
        risks(SMALL, ())
    assert [p.code for p in caught.value.problems] == ["sequential.missing_release"]


def test_where_no_world_fits_nobody_in_it_has_a_risk():
    away = replace(T12, low=T12.low + 10_000, high=T12.high + 10_000)
    found = risks(SMALL, (away, T13))
    assert (found.worlds, found.log10_worlds) == (0, -math.inf)
    assert math.isnan(found.values[BOB])


def beside(release: Release, n: int) -> Release:
    """The release and a group of n rows far away, all of which are reported to be counterfeits."""
    far = np.full((n, release.low.shape[1]), 1e6)
    number = int(release.group.max()) + 1
    return Release(
        np.append(release.group, np.full(n, number)),
        np.vstack([release.low, far]),
        np.vstack([release.high, far]),
        np.append(release.sensitive, np.arange(n) % len(SMALL.sensitive_values)),
        None,
        {**release.counterfeits, number: n},
        None,
    )


@pytest.mark.parametrize("n", [3, 20, 24, 100, 170])
def test_groups_of_counterfeits_only_are_counted_whatever_their_size(n):
    first, second = publish(SMALL, Options(m=2)).releases
    known = Definition.COUNTERFEIT_KNOWN
    alone, together = (
        identification_risks(SMALL, releases, known, rng=np.random.default_rng(1))
        for releases in ([first, second], [beside(first, n), second])
    )
    assert together.values.tolist() == alone.values.tolist()
    assert together.log10_worlds == pytest.approx(
        alone.log10_worlds + math.log10(math.factorial(n))
    )
    if n == 3:
        assert together.worlds == 6 * alone.worlds


def test_counterfeits_that_are_reported_have_places_too():
    first, second = publish(SMALL, Options(m=2)).releases
    releases = [beside(first, 100), second]
    n = n_places(SMALL, releases)
    assert n == n_places(SMALL, [first, second])
    n_told = n_places(SMALL, releases, knows_counterfeits=True)
    assert n_told == n + 100 * 100 + 1 * 2
    check_size(SMALL, releases, n_told - 1)
    check_size(SMALL, releases, n_told, knows_counterfeits=True)
    with pytest.raises(ProblemsFound):
        check_size(SMALL, releases, n_told - 1, knows_counterfeits=True)


@pytest.mark.parametrize(
    ("n", "code"), [(3, "release.too_many_places"), (100, "series.too_many_counterfeits")]
)
def test_a_series_that_tells_too_many_counterfeits_is_refused_before_possible_worlds_are_thought_of(
    n, code, monkeypatch
):
    made = of_publication(publish(SMALL, Options(m=2)))
    first, second = made.releases
    series = replace(made, releases=(beside(first, n), second))
    monkeypatch.setattr(scored, "MOST_PLACES", n_places(SMALL, series.releases))
    silent = replace(series, knows_counterfeits=False)
    score_series(SMALL, silent, m=2, definition="worlds", measures=["series-risk-max"])
    with pytest.raises(ProblemsFound) as refused:
        score_series(SMALL, series, m=2, definition="worlds", measures=["series-risk-max"])
    assert [problem.code for problem in refused.value.problems] == [code]
