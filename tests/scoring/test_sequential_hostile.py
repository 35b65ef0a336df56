# SPDX-License-Identifier: Apache-2.0
"""Publishers who look for scores that their releases are not worth: what the measures and marks make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import ProblemsFound
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.guesses import (
    baseline_guesses,
    mark_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.loss import losses_of_series
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import Series, handed_in, of_publication, without
from scoring.formats.sequential.series_files import read_series, read_tables
from scoring.formats.sequential.tables import Microdata, Release
from scoring.tables.reading import write_table

M = 3


@pytest.fixture(scope="module")
def tables() -> Microdata:
    drawn = enumerate(hospital(60, 2, seed=5), start=1)
    files = {f"T{time}.csv": write_table(table, HOSPITAL_SCHEMA) for time, table in drawn}
    return read_tables(pack(files), HOSPITAL_SCHEMA)


@pytest.fixture(scope="module")
def honest(tables) -> Series:
    return of_publication(publish(tables, Options(M)))


def accepted(series: Series, tables: Microdata) -> Series:
    """The series as it is read when it is submitted, which refuses it where it breaks the rules."""
    return read_series(pack(handed_in(series, "patient")), tables, "patient", m=M)


def scores(series: Series, tables: Microdata) -> dict[str, float | int | None]:
    return score_series(tables, series, m=M, definition="counting")


def with_notices(series: Series, box: Callable[[Release], Release]) -> Series:
    """Other regions, and a notice that names every group."""
    releases = tuple(map(box, series.releases))
    return replace(
        series, releases=releases, tampered=tuple(np.unique(r.group) for r in series.releases)
    )


def beside(release: Release) -> Release:
    """Points in the middle of the regions, next to all people, whose ages and codes are whole numbers."""
    middle = np.floor((release.low + release.high) / 2) + 0.5
    return replace(release, low=middle, high=middle)


# Notices


def test_a_notice_for_every_group_leaves_no_use_of_the_regions(tables, honest):
    """Else points next to the people would be as good as their regions, and no row counting finds anybody there."""
    moved, named = (
        scores(accepted(with_notices(honest, box), tables), tables)
        for box in (beside, lambda release: release)
    )
    assert moved["series-risk-max"] == 0
    assert moved["series-displaced"] == 1
    assert moved["series-extent"] == named["series-extent"] == 1
    assert moved["series-query-error"] == pytest.approx(named["series-query-error"])


def test_a_notice_costs_what_it_names(tables, honest):
    """One group of the first release: its rows are as wide as all, and the others as wide as they were."""
    release = honest.releases[0]
    named = replace(honest, tampered=(release.group[:1], honest.tampered[1]))
    before, after = (losses_of_series(tables, s) for s in (honest, accepted(named, tables)))
    assert before[0].extent < after[0].extent < 1
    assert before[1] == after[1]
    assert scores(named, tables)["series-displaced"] == 0


# Left out


def test_a_few_people_on_points_are_no_narrow_release(tables):
    """All others are left out: the regions of the few are points, and tell nothing of the others."""
    few = np.zeros(len(tables.ids), dtype=np.bool_)
    few[[snapshot.ids[0] for snapshot in tables.snapshots]] = True
    seen, deleted = few.copy(), []
    for snapshot in tables.snapshots:
        deleted.append(snapshot.ids[~seen[snapshot.ids]])
        seen[snapshot.ids] = True
    series = accepted(replace(alone(without(tables, deleted), 0), deleted=tuple(deleted)), tables)
    found = scores(series, tables)
    assert found["series-extent"] == found["series-deletions"]
    assert 0.9 < found["series-deletions"] < 1


# Counterfeits


def alone(tables: Microdata, n_decoys: int) -> Series:
    """Each person only in a region that is a point, with M - 1 counterfeits whose values come later in the alphabet.

    Groups of counterfeits only, `n_decoys` for each person, lie on the same point. Counterfeits are reported.
    """
    names = tables.sensitive_values
    order = sorted(range(len(names)), key=names.__getitem__)
    releases = []
    for snapshot in tables.snapshots:
        points, values, counterfeits = [], [], {}
        for point, value in zip(snapshot.qi, snapshot.sensitive.tolist(), strict=True):
            at = min(order.index(value), len(order) - M)
            later = [other for other in order[at:] if other != value]
            for decoy in range(n_decoys + 1):
                others = [other for other in order if other != value][decoy : decoy + M]
                points.append(point)
                values.append(others if decoy else [value, *later[: M - 1]])
                counterfeits[len(points)] = M if decoy else M - 1
        box = np.repeat(np.array(points), M, axis=0)
        groups = np.repeat(np.arange(1, len(points) + 1), M)
        told = np.array(values, dtype=np.int64).ravel()
        releases.append(Release(groups, box, box, told, None, counterfeits, None))
    nobody = tuple(np.zeros(0, dtype=np.int64) for _ in releases)
    return Series(tables, tuple(releases), nobody, nobody, knows_counterfeits=True)


def test_groups_of_counterfeits_only_hide_nobody_at_no_price(tables):
    """Anyone who counts rows counts them; so they count in the answers to queries, although everybody is reported."""
    few, many = (scores(accepted(alone(tables, n), tables), tables) for n in (0, 4))
    assert many["series-risk-max"] < few["series-risk-max"]
    assert many["series-query-error"] > 2 * few["series-query-error"] > 0


def test_counterfeits_told_of_other_groups_than_they_are_in_are_refused(tables):
    """Else anyone who thinks of possible worlds believes it, and takes everybody's true value for ruled out."""
    honest = alone(tables, 1)
    assert accepted(honest, tables).knows_counterfeits
    lies = tuple(
        replace(release, counterfeits={g: M if n == M - 1 else M - 1 for g, n in told.items()})
        for release, told in ((release, release.counterfeits) for release in honest.releases)
    )
    with pytest.raises(ProblemsFound) as refused:
        accepted(replace(honest, releases=lies), tables)
    found = refused.value.problems
    assert [(p.code, p.file) for p in found] == [
        ("release.counterfeits", "C1"),
        ("release.counterfeits", "C2"),
    ]


@pytest.mark.parametrize("method", ["m-invariance", "improved"])
@pytest.mark.parametrize("m", [2, M])
def test_counterfeits_that_are_reported_truly_are_believed(tables, method, m):
    series = of_publication(publish(tables, Options(m, method=method)))
    assert sum(sum(release.counterfeits.values()) for release in series.releases) > 0
    read = read_series(pack(handed_in(series, "patient")), tables, "patient", m=m)
    for told, made in zip(read.releases, series.releases, strict=True):
        assert {g: n for g, n in told.counterfeits.items() if n} == made.counterfeits


def test_nobody_hides_values_behind_the_baseline(tables):
    """The first value of each group in the alphabet is the true one of nearly everybody: the baseline finds them."""
    series = accepted(alone(tables, 0), tables)
    assert scores(series, tables)["series-risk-share"] == 0
    truth = true_values(tables)
    found = values_of(baseline_guesses(tables, series.releases), tables)
    share = mark_guesses(truth, found).rate
    assert share > 2 / M
    mark = mark_values(truth, found, found, m=M)
    assert mark.baseline_hits == len(truth) // M
    assert mark.rate == pytest.approx(share - mark.baseline_hits / len(truth))
