# SPDX-License-Identifier: Apache-2.0
"""The four phases and the remedies on the paper's tables, and laws of every release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ProblemsFound
from scoring.formats.sequential import phases
from scoring.formats.sequential.counting import counting_risks
from scoring.formats.sequential.definitions import excess, is_m_unique, signatures
from scoring.formats.sequential.drafts import Convention, default_widths
from scoring.formats.sequential.examples import PATIENTS, SMALL, TABLE_1, microdata, table_3
from scoring.formats.sequential.last import extra_information, with_last
from scoring.formats.sequential.loss import losses
from scoring.formats.sequential.publishing import METHODS, Options, generalize, publish, scales
from scoring.formats.sequential.release_files import read_release, write_release
from scoring.formats.sequential.tables import Attribute, Microdata, Release, Snapshot
from tests.every import examples
from tests.scoring import sequential_tables as printed

BELOW = Convention((1, 1000), "below")
ABOVE = {"widths": (1, 2000), "side": "above"}
DYS, BRO, FLU, GAS = range(4)


def same(release: Release, expected: Release) -> bool:
    """Whether two releases agree in what is published of them but `last`, and in whose the rows are."""
    names = ("group", "low", "high", "sensitive", "owner")
    return release.counterfeits == expected.counterfeits and all(
        np.array_equal(getattr(release, name), getattr(expected, name)) for name in names
    )


def balanced():
    """T(2) after phases 1 and 2 behind table 3: scaled points, and buckets."""
    snapshot = PATIENTS.snapshots[1]
    points = snapshot.qi * scales(PATIENTS, 1)
    divided = phases.divide(snapshot.ids, printed.T3, len(PATIENTS.ids))
    return snapshot, points, divided, phases.balance(divided, points, snapshot.sensitive, 2)


def members(buckets: phases.Buckets, snapshot: Snapshot) -> dict[tuple[int, ...], set[str]]:
    names = [PATIENTS.ids[i] for i in snapshot.ids]
    return {
        signature: {n for n, at in zip(names, buckets.of_tuple, strict=True) if at == bucket}
        for bucket, signature in enumerate(buckets.signatures)
    }


# The paper's tables


def test_phase_1_is_figure_1():
    snapshot, _points, divided, _balanced = balanced()
    assert members(divided, snapshot) == {
        (DYS, BRO): {"Bob"},
        (FLU, GAS): {"Gary", "David"},
        (DYS, FLU, GAS): {"Jane", "Linda"},
        (DYS, GAS): {"Steve"},
    }


def test_phase_2_is_figure_2():
    snapshot, _points, _divided, buckets = balanced()
    assert members(buckets, snapshot)[DYS, FLU, GAS] == {"Jane", "Emily", "Linda"}
    assert members(buckets, snapshot)[DYS, GAS] == {"Steve"}
    assert buckets.heights.tolist() == [1, 1, 1, 1]


def test_phase_3_takes_two_steps():
    snapshot, points, _divided, buckets = balanced()
    assigned, steps = phases.assign(buckets, points, snapshot.sensitive, 2)
    assert steps == [
        phases.Step(gamma=4, lam=3, alpha=1, beta=2, signature=(DYS, GAS)),
        phases.Step(gamma=2, lam=2, alpha=1, beta=2, signature=(FLU, GAS)),
    ]
    assert members(assigned, snapshot)[DYS, GAS] == {"Steve", "Mary", "Ray"}
    assert members(assigned, snapshot)[FLU, GAS] == {"Gary", "David", "Tom", "Vince"}
    assert assigned.heights.tolist() == [1, 2, 1, 2]


def test_the_phases_make_table_9_of_table_3():
    assert same(generalize(PATIENTS, 1, printed.T3, 2, BELOW).release(), printed.T9)


def test_table_3_of_the_examples_is_the_printed_one():
    told = replace(printed.T3, owner=None)
    assert same(table_3(), told)


def test_publish_continues_from_table_3_to_table_9():
    done = publish(PATIENTS, Options(2, widths=(1, 1000)), before=[table_3()])
    assert len(done.releases) == 2
    assert same(done.releases[0], printed.T3)
    assert done.releases[0].owner.tolist() == printed.T3.owner.tolist()
    assert same(done.releases[1], printed.T9)
    alone = publish(PATIENTS, Options(2, widths=(1, 1000)))
    assert not same(alone.releases[0], printed.T3)


@pytest.mark.parametrize("options", [{}, {"method": "last"}, {"method": "improved"}])
def test_who_continues_publishes_what_follows_anyway(options):
    """Releases that `publish` made itself, read again without what only the publisher knows."""
    chosen = Options(m=2, widths=(1, 1000), **options)
    whole = publish(PATIENTS, chosen)
    assert not any(map(len, (*whole.tampered, *whole.deleted)))
    read = replace(whole.releases[0], owner=None, counterfeits={})
    again = publish(PATIENTS, chosen, before=[read])
    assert same(again.releases[1], whole.releases[1])


def test_the_improved_method_knows_what_was_published_before():
    """Row counting over both releases finds nobody with more than 1/2 in the second, the first left as it is."""
    tables = SMALL
    done = publish(
        tables, Options(2, "improved", (1, 2000)), before=[replace(printed.T12, owner=None)]
    )
    risk = counting_risks(done.microdata, done.releases)
    assert np.nanmax(risk) <= 1 / 2
    assert same(done.releases[1], printed.T16)


def test_releases_before_must_be_those_of_their_tables():
    for wrong, code in (
        (replace(table_3(), low=table_3().low + 1), "release.no_row"),
        (replace(table_3(), group=np.arange(1, 12)), "release.small_group"),
    ):
        with pytest.raises(ProblemsFound) as caught:
            publish(PATIENTS, Options(2), before=[wrong])
        assert code in {problem.code for problem in caught.value.problems}


def test_the_phases_make_tables_12_and_13():
    first, second = publish(SMALL, Options(2, **ABOVE)).releases
    assert same(first, printed.T12)
    assert same(second, printed.T13)


@pytest.mark.parametrize("table", [printed.T3, printed.T4], ids=["table 3", "table 4"])
def test_regions_of_real_tuples_are_the_least(table):
    time = 0 if table is printed.T3 else 1
    snapshot = PATIENTS.snapshots[time]
    of_id = np.empty(len(PATIENTS.ids), dtype=np.int64)
    of_id[table.owner] = table.group
    for group in np.unique(table.group):
        own = snapshot.qi[of_id[snapshot.ids] == group]
        row = np.flatnonzero(table.group == group)[0]
        assert table.low[row].tolist() == own.min(axis=0).tolist()
        assert table.high[row].tolist() == own.max(axis=0).tolist()


def test_table_4_is_m_unique_but_changes_signatures():
    assert is_m_unique(printed.T4, 2)
    bob_before, bob_now = signatures(printed.T3)[0], signatures(printed.T4)[0]
    assert (bob_before, bob_now) == ((DYS, BRO), (DYS, GAS))


def test_zip_codes_weigh_a_727th_of_ages():
    assert (1 / scales(PATIENTS, 1)).tolist() == pytest.approx([1, 32_000 / 44])


def test_last_everywhere_and_where_regions_overlap_is_table_15():
    options = Options(2, "last", **ABOVE, where="overlaps")
    first, second = publish(SMALL, options).releases
    assert first.last.tolist() == printed.T14.last.tolist()
    assert second.last.tolist() == printed.T15.last.tolist()
    everywhere = publish(SMALL, replace(options, where="everywhere")).releases[1]
    assert everywhere.last.tolist() == [1, 1, 2, 2]


def test_extra_information_is_counted():
    overlaps = publish(SMALL, Options(2, "last", **ABOVE, where="overlaps")).releases
    everywhere = publish(SMALL, Options(2, "last", **ABOVE)).releases
    told = [extra_information(releases) for releases in (overlaps, everywhere)]
    assert [(t.n_groups, t.n_cells, t.bits) for t in told] == [(1, 2, 1.0), (2, 4, 2.0)]
    improved = publish(SMALL, Options(2, "improved"))
    notice = extra_information(improved.releases, improved.tampered)
    assert (notice.n_groups, notice.n_cells, notice.bits) == (1, 1, 1.0)


def test_a_group_has_one_last_for_all_rows():
    last = with_last(printed.T9, printed.T3, PATIENTS.snapshots[1]).last
    assert last.tolist() == [1, 1, 2, 2, 0, 0, 4, 4, 4, 0, 0, 5, 5]


@pytest.mark.parametrize("rule", ["overlap", "risk"])
def test_the_improved_method_makes_table_16(rule):
    done = publish(SMALL, Options(2, "improved", widths=(1, 2000), rule=rule))
    assert same(done.releases[0], printed.T12)
    assert same(done.releases[1], printed.T16)
    assert [groups.tolist() for groups in done.tampered] == [[], [1]]
    assert [ids.tolist() for ids in done.deleted] == [[], []]


def test_where_no_corner_is_safe_the_group_is_deleted():
    """Bob of table 10 again, but the region that he lies in is a point: it cannot be cut behind him."""
    later = (
        ("Bob", 21, 12_000, "dyspepsia"),
        ("David", 21, 12_000, "gastritis"),
        ("Emily", 21, 12_000, "dyspepsia"),
    )
    first = (
        ("Bob", 21, 12_000, "dyspepsia"),
        ("Alice", 22, 14_000, "bronchitis"),
        ("Andy", 24, 18_000, "dyspepsia"),
        ("David", 21, 12_000, "gastritis"),
    )
    tables = microdata(first, later, later)
    done = publish(tables, Options(2, "improved", widths=(1, 2000), rule="overlap"))
    bob = tables.ids.index("Bob")
    assert [ids.tolist() for ids in done.deleted] == [[], [bob], []]
    assert bob not in done.releases[2].owner
    assert bob not in done.microdata.snapshots[2].ids


@pytest.mark.parametrize("method", METHODS)
def test_a_time_without_anybody_is_published_empty(method):
    nobody = Snapshot(np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros(0, np.int64))
    tables = replace(SMALL, snapshots=(SMALL.snapshots[0], nobody))
    done = publish(tables, Options(2, method, where="overlaps"))
    assert len(done.releases[1].group) == 0
    assert losses(done)[1].extent == 0


# Conventions


@pytest.mark.parametrize(
    ("side", "low", "high"),
    [("below", [20, 0], [21, 1]), ("above", [21, 1], [22, 2]), ("none", [21, 1], [21, 1])],
)
def test_regions_with_counterfeits_are_widened(side, low, high):
    attributes = (Attribute("age", None), Attribute("class", ("a", "b", "c")))
    box = np.array([[21.0, 1.0]])
    found = Convention((1, 1), side).widened(box, box, attributes)
    assert [side.tolist() for side in found] == [[low], [high]]


@pytest.mark.parametrize(("side", "code"), [("below", 0.0), ("above", 2.0)])
def test_regions_stay_within_the_list_of_categories(side, code):
    box = np.array([[code]])
    low, high = Convention((1,), side).widened(box, box, (Attribute("c", ("a", "b", "c")),))
    assert (low.item(), high.item()) == ((0, 1) if side == "below" else (1, 2))


def test_widths_are_round_shares_of_the_first_table():
    attributes = (*PATIENTS.attributes, Attribute("class", ("a", "b")), Attribute("same", None))
    qi = np.array([[0, 0, 0, 7], [100, 260, 1, 7]], dtype=np.float64)
    first = Snapshot(np.arange(2), qi, np.zeros(2, dtype=np.int64))
    assert default_widths(attributes, first) == (2.0, 10.0, 1.0, 1.0)


# Bad input


def test_a_table_that_is_not_eligible_is_refused():
    sick = [(f"P{i}", 20 + i, 10_000, "flu") for i in range(3)]
    table = [*sick, ("Q", 30, 10_000, "gastritis")]
    with pytest.raises(ProblemsFound) as caught:
        publish(microdata(TABLE_1, table), Options(2))
    [problem] = caught.value.problems
    assert (problem.code, problem.file) == ("sequential.not_eligible", "T2")
    expected = {"value": "flu", "expected": 2, "n": 4, "m": 2, "got": 3}
    assert problem.params == expected


def test_m_is_at_least_2():
    with pytest.raises(ValueError, match="at least 2"):
        publish(SMALL, Options(1))


def test_one_value_too_many_is_fine_where_a_bucket_takes_it():
    """T(2) of table 11 is not 2-eligible, and neither is Emily only; David's bucket takes her."""
    assert excess(np.bincount(SMALL.snapshots[1].sensitive), 2) == 1
    assert publish(SMALL, Options(2)).releases[1].counterfeits == {1: 1}


# Laws


@st.composite
def histories(draw) -> tuple[Microdata, int]:
    """Up to four tables of up to 24 tuples with up to three attributes, one of them categories; and m."""
    m = draw(st.integers(2, 3))
    d = draw(st.integers(1, 3))
    n_values = draw(st.integers(m, 6))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    n_times = draw(st.integers(1, 4))
    alive = np.zeros(0, dtype=np.int64)
    qi, sensitive = np.zeros((0, d)), np.zeros(0, dtype=np.int64)
    snapshots = []
    for _time in range(n_times):
        alive = alive[rng.random(len(alive)) < 0.6]
        n = int(rng.integers(1, 5))
        # Each value once or twice among the newcomers, in blocks of all values: m-eligible.
        new = np.tile(rng.permutation(n_values), n)
        alive = np.concatenate([alive, len(sensitive) + np.arange(len(new))])
        sensitive = np.concatenate([sensitive, new])
        qi = np.vstack([qi, rng.integers(0, 8, (len(new), d)).astype(np.float64)])
        order = rng.permutation(len(alive))
        alive = alive[order]
        snapshots.append(Snapshot(alive.copy(), qi[alive], sensitive[alive]))
    attributes = tuple(Attribute(f"q{i}", tuple("abcdefgh") if i == 1 else None) for i in range(d))
    ids = tuple(f"P{i}" for i in range(len(sensitive)))
    values = tuple(f"v{i}" for i in range(n_values))
    return Microdata(attributes, "s", values, ids, tuple(snapshots)), m


def check_laws(tables: Microdata, m: int, options: Options) -> None:
    done = publish(tables, options)
    seen: dict[int, tuple[int, ...]] = {}
    for time, (release, snapshot) in enumerate(
        zip(done.releases, done.microdata.snapshots, strict=True)
    ):
        real = release.owner >= 0
        assert sorted(release.owner[real]) == sorted(snapshot.ids)  # every tuple once
        of_id = dict(
            zip(snapshot.ids, zip(snapshot.qi, snapshot.sensitive, strict=True), strict=True)
        )
        assert is_m_unique(release, m)
        of_group = dict(zip(np.unique(release.group), signatures(release), strict=True))
        for row in np.flatnonzero(real):
            qi, value = of_id[release.owner[row]]
            assert release.sensitive[row] == value
            if release.group[row] not in done.tampered[time]:
                assert (release.low[row] <= qi).all()
                assert (qi <= release.high[row]).all()
            signature = of_group[release.group[row]]
            assert seen.setdefault(release.owner[row], signature) == signature
        n_fake = np.bincount(release.group[~real], minlength=release.group.max(initial=0) + 1)
        assert release.counterfeits == {g: n for g, n in enumerate(n_fake.tolist()) if n}
        for group in of_group:  # one region for a group, and at least one tuple in it
            rows = release.group == group
            assert len(np.unique(release.low[rows], axis=0)) == 1
            assert len(np.unique(release.high[rows], axis=0)) == 1
            assert real[rows].any()
        for column, attribute in enumerate(tables.attributes):
            if attribute.values is not None:
                assert release.low[:, column].min(initial=0) >= 0
                assert release.high[:, column].max(initial=0) <= len(attribute.values) - 1


@settings(max_examples=examples(0.5))
@given(histories(), st.sampled_from(METHODS), st.sampled_from(["overlap", "risk"]))
def test_releases_are_m_invariant_generalizations(history, method, rule):
    tables, m = history
    check_laws(tables, m, Options(m, method, rule=rule))


@settings(max_examples=examples(0.5))
@given(histories())
def test_row_counting_finds_nobody_too_easily_after_the_repair(history):
    """After every release, not only the last; the paper's own rule does not promise it."""
    tables, m = history
    done = publish(tables, Options(m, "improved"))
    for n in range(1, len(done.releases) + 1):
        risks = counting_risks(done.microdata, done.releases[:n])
        assert not (risks > 1 / m + 1e-12).any()


def few_categories(seed: int) -> Microdata:
    """Three tables of people in one of three places, who leave often, so that counterfeits are needed."""
    rng = np.random.default_rng(seed)
    sensitive = np.tile(np.arange(5), 5)
    ids = np.arange(len(sensitive))
    qi = np.column_stack([rng.integers(0, 100, len(ids)), rng.integers(0, 3, len(ids))])
    stays = rng.random(15) < 0.6
    again = stays & (rng.random(15) < 0.7)
    tables = [
        ids[:15],
        np.concatenate([ids[:15][stays], ids[15:20]]),
        np.concatenate([ids[:15][again], ids[15:25]]),
    ]
    attributes = Attribute("age", None), Attribute("place", ("a", "b", "c"))
    names, values = tuple(f"P{i}" for i in ids), tuple(f"v{i}" for i in range(5))
    snapshots = tuple(Snapshot(t, qi[t].astype(np.float64), sensitive[t]) for t in tables)
    return Microdata(attributes, "s", values, names, snapshots)


@pytest.mark.parametrize("rule", ["overlap", "risk"])
def test_regions_that_are_moved_stay_within_the_list_of_categories(rule):
    """A code beyond the list would be written as whatever stands there, such as a sensitive value."""
    n_tampered = n_counterfeits = 0
    for seed in range(30):
        tables = few_categories(seed)
        options = Options(2, "improved", rule=rule)
        check_laws(tables, 2, options)
        done = publish(tables, options)
        n_tampered += sum(map(len, done.tampered))
        n_counterfeits += sum(len(release.counterfeits) for release in done.releases)
        for release in done.releases:
            read = read_release(write_release(release, tables), tables, file="R")
            assert np.array_equal(read.low, release.low)
            assert np.array_equal(read.high, release.high)
    assert n_tampered > 10
    assert n_counterfeits > 10


def test_row_counting_finds_bob_before_the_repair_only():
    for method, risk in (("m-invariance", 2 / 3), ("improved", 1 / 2)):
        done = publish(SMALL, Options(2, method, widths=(1, 2000), side="above"))
        bob = counting_risks(done.microdata, done.releases)[SMALL.ids.index("Bob")]
        assert bob == pytest.approx(risk), method


@settings(max_examples=examples(0.2))
@given(histories(), st.sampled_from(METHODS))
def test_no_release_depends_on_a_later_table(history, method):
    tables, m = history
    done = publish(tables, Options(m, method)).releases
    shorter = replace(tables, snapshots=tables.snapshots[:-1])
    if shorter.snapshots:
        for release, again in zip(
            publish(shorter, Options(m, method)).releases, done, strict=False
        ):
            assert same(release, again)


@settings(max_examples=examples(0.2))
@given(histories(), st.integers(0, 99))
def test_the_order_of_ids_discloses_nothing(history, seed):
    """Other numbers for the same people change only the numbers."""
    tables, m = history
    renamed = np.random.default_rng(seed).permutation(len(tables.ids))
    other = replace(
        tables, snapshots=tuple(replace(s, ids=renamed[s.ids]) for s in tables.snapshots)
    )
    for one, two in zip(
        publish(tables, Options(m)).releases, publish(other, Options(m)).releases, strict=True
    ):
        assert np.array_equal(one.low, two.low)
        assert np.array_equal(one.sensitive, two.sensitive)


def test_large_buckets_are_halved_without_losing_anybody():
    """300 tuples of each of four values: a bucket of 300 groups, halved three times."""
    rng = np.random.default_rng(3)
    n = 1200
    snapshot = Snapshot(np.arange(n), rng.random((n, 2)) * 100, np.arange(n) % 4)
    attributes = (Attribute("x", None), Attribute("y", None))
    ids = tuple(f"P{i}" for i in range(n))
    tables = Microdata(attributes, "s", tuple("abcd"), ids, (snapshot, snapshot))
    check_laws(tables, 4, Options(4))
    release = publish(tables, Options(4)).releases[0]
    assert (release.high - release.low).mean() < 10  # of 100; tuples at random would have 60
