# SPDX-License-Identifier: Apache-2.0
"""Measures of a series: manually on the paper's tables, next to slow and obvious Python, and what always holds."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from scoring.addresses import docstring_at, function_at
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.formats.sequential import measures, queries
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.catalog import SERIES_MEASURES
from scoring.formats.sequential.examples import PATIENTS, SMALL
from scoring.formats.sequential.loss import losses
from scoring.formats.sequential.publishing import METHODS, Options, publish
from scoring.formats.sequential.risk import Definition
from scoring.formats.sequential.scored import Scored
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import Series, of_publication
from scoring.formats.sequential.series_files import read_tables
from scoring.formats.sequential.tables import Microdata, Release, Snapshot
from scoring.registry import ALL_MEASURES, MEASURES
from scoring.tables.reading import write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring import sequential_oracles as oracle
from tests.scoring.sequential_tables import T3, T4, T9, T12, T13, T16

NOBODY = np.zeros(0, dtype=np.int64)


def series_of(microdata, *releases, tampered=None, deleted=None, kept=None, told=False) -> Series:
    nobody = tuple(NOBODY for _ in releases)
    return Series(kept or microdata, releases, tampered or nobody, deleted or nobody, told)


def scored(microdata, *releases, m=2, definition=Definition.COUNTING, **options) -> Scored:
    return Scored(microdata, series_of(microdata, *releases, **options), m, definition)


@pytest.fixture(scope="module")
def windows() -> Microdata:
    drawn = enumerate(hospital(60, 3, seed=8), start=1)
    files = {f"T{time}.csv": write_table(table, HOSPITAL_SCHEMA) for time, table in drawn}
    return read_tables(pack(files), HOSPITAL_SCHEMA)


# The catalogue


def test_measures_have_names_of_their_own():
    assert not SERIES_MEASURES.keys() & MEASURES.keys()
    assert ALL_MEASURES == MEASURES | SERIES_MEASURES
    assert {measure.family for measure in SERIES_MEASURES.values()} == {"utility", "risk"}


@pytest.mark.parametrize("measure", SERIES_MEASURES.values(), ids=lambda measure: measure.id)
def test_a_measure_is_described(measure):
    description = docstring_at(measure.address)
    assert description == inspect.getdoc(function_at(measure.address))
    for heading in ("Returns\n---", "Notes\n---", "Examples\n---", ">>> "):
        assert heading in description
    assert measure.title
    assert (measure.direction, measure.low) == ("lower", 0.0)


# By hand, on the tables of the paper


def test_the_extent_of_tables_3_and_4():
    ages, zips = 65 - 21, 44 - 12
    boxes_3 = [(2, 1, 2), (2, 1, 7), (2, 5, 7), (3, 6, 9), (2, 4, 1)]
    boxes_4 = [(2, 2, 13), (3, 18, 12), (2, 5, 10), (2, 2, 3), (2, 5, 8)]
    total = sum(n * (age / ages + zip_ / zips) / 2 for n, age, zip_ in boxes_3 + boxes_4)
    assert measures.extent(scored(PATIENTS, T3, T4)) == pytest.approx(total / 22)


def test_the_widest_rows_count_where_there_are_counterfeits():
    ages, zips = 24 - 21, 25 - 12
    boxes = [(2, 1, 2), (2, 1, 7), (1, 1, 2), (2, 2, 13)]
    total = sum(n * (age / ages + zip_ / zips) / 2 for n, age, zip_ in boxes)
    assert measures.extent(scored(SMALL, T12, T13)) == pytest.approx(total / 7)
    point = np.array([[21.0, 12_000.0]])
    more = Release(
        np.append(T13.group, 3),
        *(np.vstack([side, point]) for side in (T13.low, T13.high)),
        np.append(T13.sensitive, 0),
        None,
        {},
        None,
    )
    assert measures.extent(scored(SMALL, T12, more)) == pytest.approx(total / 7)


def test_the_discernibility_of_tables_3_and_4():
    shares = (4 * 4 + 9) / 121, (4 * 4 + 9) / 121
    assert measures.discernibility(scored(PATIENTS, T3, T4)) == pytest.approx(np.mean(shares))


def test_counterfeits_of_tables_9_and_13():
    assert measures.counterfeits(scored(PATIENTS, T3, T9)) == pytest.approx(2 / 22)
    assert measures.counterfeits(scored(SMALL, T12, T13)) == pytest.approx(1 / 7)


def test_who_is_left_out_is_counted():
    kept = replace(SMALL, snapshots=(SMALL.snapshots[0], only(SMALL.snapshots[1], [1, 2])))
    found = scored(SMALL, T12, T13, kept=kept, deleted=(NOBODY, np.array([0])))
    assert measures.deletions(found) == pytest.approx(1 / 7)
    assert measures.counterfeits(found) == pytest.approx(2 / 7)
    assert measures.discernibility(found) == pytest.approx((8 / 16 + min(1, (8 + 3) / 9)) / 2)


def only(snapshot, rows):
    return Snapshot(snapshot.ids[rows], snapshot.qi[rows], snapshot.sensitive[rows])


def test_emily_is_displaced_in_table_16():
    tampered = (NOBODY, np.array([1]))
    assert measures.displaced(scored(SMALL, T12, T16, tampered=tampered)) == pytest.approx(1 / 7)
    assert measures.displaced(scored(SMALL, T12, T13)) == 0


@pytest.mark.parametrize(
    ("definition", "bob"),
    [
        ("counting", 2 / 3),
        ("worlds", 3 / 5),
        ("worlds-counterfeit-known", 2 / 3),
        ("m-invariance", 1 / 2),
    ],
)
def test_bob_is_found_as_in_section_4_2(definition, bob):
    told = definition == "worlds-counterfeit-known"
    found = scored(SMALL, T12, T13, definition=Definition(definition), told=told)
    assert measures.risk_max(found) == pytest.approx(bob)
    risks, _low = found.risks
    assert measures.risk_share(found) == pytest.approx(np.mean(risks > 1 / 2 + 1e-9))
    assert measures.risk_mean(found) == pytest.approx(np.mean(risks))


def test_who_thinks_of_possible_worlds_heeds_counterfeits_where_they_are_reported():
    told, untold = (
        [
            scored(SMALL, T12, T13, definition=definition, told=told).risks[0].tolist()
            for definition in (Definition.WORLDS, Definition.COUNTERFEIT_KNOWN)
        ]
        for told in (True, False)
    )
    assert told[0] == told[1] != untold[0] == untold[1]
    assert (max(told[0]), max(untold[0])) == pytest.approx((2 / 3, 3 / 5))


@pytest.mark.parametrize("definition", ["worlds", "m-invariance"])
def test_one_displaced_record_hides_nobody_from_who_thinks_of_possible_worlds(definition):
    tampered = (NOBODY, np.array([1]))
    found = scored(SMALL, T12, T16, tampered=tampered, definition=Definition(definition))
    risks, _low = found.risks
    assert (risks > 0).all()


def test_who_is_ruled_out_or_left_without_a_row_has_no_risk():
    found = scored(SMALL, T12, T16, tampered=(NOBODY, np.array([1])))
    counted = oracle.counting_risks(SMALL, [T12, T16])
    assert found.risks[0].tolist() == pytest.approx([float(risk or 0) for risk in counted])


def test_nobody_is_published():
    kept = replace(SMALL, snapshots=tuple(only(s, NOBODY) for s in SMALL.snapshots))
    found = scored(SMALL, T12, T13, kept=kept)
    values = {name: function_at(m.address)(found) for name, m in SERIES_MEASURES.items()}
    assert values["series-deletions"] == values["series-extent"] == 1
    assert values["series-discernibility"] == 1
    assert {value for name, value in values.items() if "risk" in name} == {0.0}
    assert values["series-displaced"] == 0


# Beside plain Python


def overlap(low, high, least, most, *, is_numeric) -> float:
    """The share of an interval that a query asks for."""
    if not is_numeric:
        cells = range(int(low), int(high) + 1)
        return sum(least <= code <= most for code in cells) / len(cells)
    if low == high:
        return float(least <= low <= most)
    return max(0.0, min(high, most) - max(low, least)) / (high - low)


def slow_query_error(found: Scored) -> float:
    errors = []
    for query in queries.queries(found.original, 1):
        table, release = found.original.snapshots[query.time], found.series.releases[query.time]
        n = sum(
            all(a <= v <= b for a, v, b in zip(query.low, qi, query.high, strict=True))
            and query.chosen[value]
            for qi, value in zip(table.qi, table.sensitive, strict=True)
        )
        sizes = {int(g): int((release.group == g).sum()) for g in release.group}
        estimate = 0.0
        for group, low, high, value in zip(
            release.group.tolist(), release.low, release.high, release.sensitive, strict=True
        ):
            shares = [
                overlap(low[i], high[i], query.low[i], query.high[i], is_numeric=a.values is None)
                for i, a in enumerate(found.original.attributes)
            ]
            real = 1 - release.counterfeits.get(group, 0) / sizes[group]
            estimate += math.prod(shares) * real * bool(query.chosen[value])
        errors.append(abs(estimate - n) / max(n, 1, 0.001 * len(table.ids)))
    return sum(errors) / len(errors)


def test_query_errors_are_those_of_plain_python(monkeypatch):
    monkeypatch.setattr(queries, "N_QUERIES", 60)
    for found in (scored(PATIENTS, T3, T4), scored(PATIENTS, T3, T9), scored(SMALL, T12, T13)):
        assert measures.query_error(found) == pytest.approx(slow_query_error(found))


@pytest.fixture(scope="module")
def with_categories() -> Microdata:
    schema = Schema(
        (
            Column("id", Role.IDENTIFIER, Kind.INTEGER),
            Column("level", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=tuple("abcde")),
            Column("age", Role.QUASI_IDENTIFIER, Kind.NUMBER),
            Column("ill", Role.SENSITIVE, Kind.CATEGORY, values=("flu", "cold", "angina", "none")),
        )
    )
    rng = np.random.default_rng(2)
    lines = [
        f"{i},{'abcde'[rng.integers(5)]},{rng.integers(20, 60)}.5,{('flu', 'cold', 'angina')[i % 3]}"
        for i in range(30)
    ]
    table = "\n".join(["id,level,age,ill", *lines, ""]).encode()
    return read_tables(pack({"T1.csv": table, "T2.csv": table}), schema)


def test_query_errors_of_categories_are_those_of_plain_python(with_categories, monkeypatch):
    monkeypatch.setattr(queries, "N_QUERIES", 40)
    series = of_publication(publish(with_categories, Options(m=2)))
    found = Scored(with_categories, series, 2, Definition.COUNTING)
    assert measures.query_error(found) == pytest.approx(slow_query_error(found))


def test_discernibility_is_that_of_plain_python(windows):
    done = publish(windows, Options(m=3, method="improved"))
    found = Scored(windows, of_publication(done), 3, Definition.COUNTING)
    shares = []
    for release, kept, full in zip(
        done.releases, done.microdata.snapshots, windows.snapshots, strict=True
    ):
        groups = release.group.tolist()
        cost = sum(groups.count(group) for group in groups)
        n = len(full.ids)
        shares.append(min(1, (cost + n * sum(i not in kept.ids for i in full.ids)) / n**2))
    assert measures.discernibility(found) == pytest.approx(sum(shares) / len(shares))


# Queries


def test_queries_hold_what_they_were_drawn_around(windows):
    drawn = list(queries.queries(windows, 1))
    assert len(drawn) == queries.N_QUERIES
    assert [query.time for query in drawn[:4]] == [0, 1, 2, 0]
    assert all(queries.count(query, windows.snapshots[query.time]) >= 1 for query in drawn)
    share = queries.SELECTIVITY ** (1 / 3)
    for query in drawn[:50]:
        width = share * np.ptp(windows.snapshots[query.time].qi, axis=0)
        assert query.high - query.low == pytest.approx(width)
        assert query.chosen.sum() == math.ceil(share * len(np.unique(all_values(windows))))


def all_values(microdata):
    return np.concatenate([snapshot.sensitive for snapshot in microdata.snapshots])


def test_queries_of_categories_stay_in_their_list(with_categories):
    for query in queries.queries(with_categories, 1):
        assert 0 <= query.low[0] <= query.high[0] <= 4
        assert query.high[0] - query.low[0] == math.ceil(queries.SELECTIVITY ** (1 / 3) * 5) - 1
        assert query.low[0] == int(query.low[0])
        assert queries.count(query, with_categories.snapshots[query.time]) >= 1
        assert not query.chosen[3]  # nobody has the last value


def test_the_order_of_records_changes_no_query(windows):
    rng = np.random.default_rng(0)
    ids = rng.permutation(len(windows.ids))
    codes = rng.permutation(len(windows.sensitive_values))
    mixed = replace(
        windows,
        ids=tuple(windows.ids[i] for i in np.argsort(ids)),
        sensitive_values=tuple(windows.sensitive_values[i] for i in np.argsort(codes)),
        snapshots=tuple(
            only(Snapshot(ids[s.ids], s.qi, codes[s.sensitive]), rng.permutation(len(s.ids)))
            for s in windows.snapshots
        ),
    )
    for query, other in zip(queries.queries(windows, 1), queries.queries(mixed, 1), strict=True):
        assert (query.time, query.low.tolist()) == (other.time, other.low.tolist())
        assert query.chosen.tolist() == other.chosen[codes].tolist()


def test_exact_tables_have_no_error(windows):
    releases = [
        Release(np.arange(len(s.ids)), s.qi, s.qi, s.sensitive, None, {}, None)
        for s in windows.snapshots
    ]
    found = scored(windows, *releases)
    assert measures.query_error(found) == measures.extent(found) == 0


# What always holds


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("definition", ["counting", "m-invariance"])
def test_measures_stay_in_their_range(windows, method, definition):
    series = of_publication(publish(windows, Options(m=2, method=method)))
    values = score_series(windows, series, m=2, definition=definition)
    if method == METHODS[0]:
        assert values == score_series(windows, series, m=2, definition=definition)
    assert list(values) == ["n_people", "n_tuples", "n_rows", "n_groups", *SERIES_MEASURES]
    for name, measure in SERIES_MEASURES.items():
        assert values[name] >= measure.low
        assert measure.high is None or values[name] <= measure.high
    assert values["series-risk-mean"] <= values["series-risk-max"]
    if method == "improved" and definition == "counting":
        assert (values["series-risk-share"], values["series-risk-max"]) == (0, 0.5)


def test_the_extent_is_what_publish_tells_where_there_are_no_counterfeits(windows):
    done = publish(one(windows), Options(m=2))
    (loss,) = losses(done)
    assert loss.n_counterfeits == 0
    found = Scored(one(windows), of_publication(done), 2, Definition.COUNTING)
    assert measures.extent(found) == pytest.approx(loss.extent)


def one(microdata):
    return replace(microdata, snapshots=microdata.snapshots[:1])


def test_a_region_beyond_the_range_is_as_wide_as_the_range():
    wide = replace(T12, low=T12.low - 1e6, high=T12.high + 1e6)
    assert measures.extent(scored(one(SMALL), wide)) == 1


def test_an_unknown_measure_is_refused(windows):
    series = of_publication(publish(windows, Options(m=2)))
    with pytest.raises(ValueError, match="series-extent, series-discernibility"):
        score_series(windows, series, m=2, definition="counting", measures=["U1"])
