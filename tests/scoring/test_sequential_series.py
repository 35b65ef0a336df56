# SPDX-License-Identifier: Apache-2.0
"""Series that are submitted: read, checked against their tables, and published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import ProblemsFound
from scoring.formats.sequential.background import background, read_background, read_published
from scoring.formats.sequential.bundles import pack, unpack
from scoring.formats.sequential.checking import check
from scoring.formats.sequential.examples import PATIENTS, SCHEMA, SMALL
from scoring.formats.sequential.publishing import METHODS, Options, publish
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import (
    handed_in,
    not_telling,
    of_publication,
    published,
    without,
)
from scoring.formats.sequential.series_files import read_series, read_tables
from scoring.tables.reading import write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring.sequential_tables import T3, T4, T9, T12, T13, T16

HEADER = "group,age_low,age_high,zip_low,zip_high,disease\n"
R1 = HEADER + (
    "1,21,22,12000,14000,bronchitis\n1,21,22,12000,14000,dyspepsia\n"
    "2,23,24,18000,25000,dyspepsia\n2,23,24,18000,25000,gastritis\n"
)
R2 = HEADER + (
    "1,21,22,12000,14000,bronchitis\n1,21,22,12000,14000,dyspepsia\n"
    "2,21,23,12000,25000,dyspepsia\n2,21,23,12000,25000,gastritis\n"
)
FILES = {"R1.csv": R1, "R2.csv": R2}
"""Tables 12 and 13 of the paper."""


def read(files, microdata=SMALL, **options):
    data = pack({name: text.encode() for name, text in files.items()})
    return read_series(data, microdata, "name", **{"m": 2, **options})


def problems(files, microdata=SMALL, **options) -> list[tuple[str, str | None, int | None]]:
    with pytest.raises(ProblemsFound) as refused:
        read(files, microdata, **options)
    assert all(problem.message for problem in refused.value.problems)
    return [(problem.code, problem.file, problem.row) for problem in refused.value.problems]


@pytest.fixture(scope="module")
def tables():
    """An archive of the windows of a hospital, and the tables in it."""
    drawn = hospital(80, 3, seed=3)
    files = {
        f"T{time}.csv": write_table(table, HOSPITAL_SCHEMA)
        for time, table in enumerate(drawn, start=1)
    }
    return pack(files), read_tables(pack(files), HOSPITAL_SCHEMA)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("m", [2, 3])
def test_what_is_published_can_be_submitted(tables, method, m):
    _archive, microdata = tables
    done = publish(microdata, Options(m=m, method=method))
    series = of_publication(done)
    require = "m-unique" if method == "improved" else "m-invariance"
    files = handed_in(series, "patient")
    found = read_series(pack(files), microdata, "patient", m=m, require=require)
    assert found.knows_counterfeits
    for made, again in zip(
        (series.microdata, *series.deleted, *series.tampered),
        (found.microdata, *found.deleted, *found.tampered),
        strict=True,
    ):
        np.testing.assert_equal(made, again) if isinstance(made, np.ndarray) else None
    for kept, again in zip(series.microdata.snapshots, found.microdata.snapshots, strict=True):
        assert kept.ids.tolist() == again.ids.tolist()
    assert published(found) == published(series)
    assert handed_in(found, "patient") == files
    assert set(published(series)) == {name for name in files if name[0] != "D"}
    assert any(name[0] == "D" for name in files) == any(map(len, done.deleted))


def test_counterfeits_need_not_be_told():
    found = read(FILES)
    assert not found.knows_counterfeits
    assert found.releases[1].counterfeits == {}
    assert set(published(found)) == {"R1.csv", "R2.csv"}
    told = read(FILES | {"C1.csv": "group,count\n1,0\n2,0\n", "C2.csv": "group,count\n1,1\n"})
    assert told.knows_counterfeits
    assert published(told)["C2.csv"] == b"group,count\n1,1\n2,0\n"


@pytest.mark.parametrize("method", METHODS)
def test_who_does_not_tell_counterfeits_discloses_nothing_by_the_numbers_of_groups(tables, method):
    _archive, microdata = tables
    done = of_publication(publish(microdata, Options(m=3, method=method, rule="overlap")))
    silent = not_telling(done)
    assert {name[0] for name in handed_in(silent, "patient")} <= set("RND")
    assert not any(release.counterfeits for release in silent.releases)
    assert sum(len(release.counterfeits) for release in done.releases) > 3
    for told, release in zip(done.releases, silent.releases, strict=True):
        boxes, before = (
            [tuple(map(tuple, pair)) for pair in zip(r.low, r.high, strict=True)]
            for r in (release, told)
        )
        assert boxes == sorted(before)
    read_again = read_series(pack(handed_in(silent, "patient")), microdata, "patient", m=3)
    assert published(read_again) == published(silent)
    if method == "last":
        first, second = silent.releases[:2]
        assert second.last.any()
        for group, last in zip(second.group.tolist(), second.last.tolist(), strict=True):
            values = sorted(second.sensitive[second.group == group].tolist())
            assert not last or values == sorted(first.sensitive[first.group == last].tolist())
    measured = [
        score_series(microdata, series, m=3, definition="counting")
        for series in (replace(done, knows_counterfeits=False), silent)
    ]
    assert measured[0]["series-risk-mean"] == measured[1]["series-risk-mean"]
    assert measured[0]["series-displaced"] == measured[1]["series-displaced"]


def test_the_order_of_rows_is_not_published():
    lines = R2.splitlines(keepends=True)
    mixed = FILES | {"R2.csv": "".join([lines[0], lines[4], lines[2], lines[1], lines[3]])}
    assert (
        published(read(mixed))
        == published(read(FILES))
        == {name: text.encode() for name, text in FILES.items()}
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"C1.csv": "group,count\n1,0\n"}, [("series.some_counterfeits", "series", None)]),
        (
            {"C1.csv": "group,count\n1,1\n", "C2.csv": "group,count\n1,1\n"},
            [("release.counterfeits", "C1", None)],
        ),
        (
            {
                "C1.csv": "group,count\n9,0\n",
                "C2.csv": "group,count\n1,3\n",
                "N2.csv": "group\n7\n",
            },
            [
                ("release.unknown_group", "C1", 1),
                ("release.too_many_counterfeits", "C2", 1),
                ("release.unknown_group", "N2", 1),
            ],
        ),
        (
            {"D1.csv": "name\nNobody\nAlice\n", "D2.csv": "name\nAlice\nAndy\nBob\nBob\n"},
            [
                ("series.unknown_id", "D1", 1),
                ("series.deleted_twice", "D2", 1),
                ("series.not_alive", "D2", 2),
                ("series.deleted_twice", "D2", 4),
            ],
        ),
        (
            {"D1.csv": "patient\nBob\n"},
            [("header.missing", "D1", None), ("header.unexpected", "D1", None)],
        ),
        ({"D1.csv": "name\n"}, [("file.header_only", "D1", None)]),
        ({"R3.csv": R2}, [("bundle.unknown", "series", None)]),
        ({"R2.csv": R2.replace("gastritis", "flu")}, [("cell.not_in_values", "R2", 4)]),
        (
            {"R2.csv": R2.replace("23,12000,25000", "23,12000,24000")},
            [("release.no_row", "T2", 2)],
        ),
        (
            {"R2.csv": R2.splitlines(keepends=True)[0] + "".join(R2.splitlines(True)[3:])},
            [("release.too_few_rows", "R2", None), ("release.no_row", "T2", 3)],
        ),
        (
            {
                "R1.csv": R1.replace("2,23", "1,23").replace(
                    "1,23,24,18000,25000", "1,21,22,12000,14000"
                )
            },
            [
                ("release.repeated_value", "R1", 3),
                ("release.no_row", "T1", 3),
                ("release.no_row", "T1", 4),
            ],
        ),
    ],
)
def test_what_is_wrong_is_said(files, expected):
    assert problems(FILES | files) == expected


def test_a_missing_release_is_reported():
    assert problems({"R2.csv": R2}) == [("bundle.missing", "series", None)]


def test_a_list_of_who_is_left_out_has_not_far_more_lines_than_people():
    for n, code in ((1_010, "series.deleted_twice"), (1_011, "file.too_many_records")):
        files = FILES | {"D1.csv": "name\n" + "Bob\n" * n}
        assert {found[0] for found in problems(files)} == {code}


def test_m_is_checked():
    found = problems(FILES, m=3)
    assert found == [("release.small_group", f"R{time}", row) for time in (1, 2) for row in (1, 3)]


def test_m_invariance_is_asked_where_it_is_required():
    files = {
        f"R{time}.csv": text.decode() for time, text in enumerate(published_texts(T3, T4), start=1)
    }
    assert read(files, PATIENTS).releases[0].group.tolist() == T3.group.tolist()
    found = problems(files, PATIENTS, require="m-invariance")
    assert {code for code, *_ in found} == {"release.signature"}
    names = {PATIENTS.ids[PATIENTS.snapshots[int(f[1]) - 1].ids[row - 1]] for _, f, row in found}
    assert {"Bob", "David"} <= names
    files["R2.csv"] = next(published_texts(T9)).decode()
    assert read(files, PATIENTS, require="m-invariance").releases[1].group.max() == 6


def published_texts(*releases):
    from scoring.formats.sequential.release_files import write_release

    return (write_release(release, PATIENTS) for release in releases)


def test_a_check_without_invariance_says_nothing_of_it():
    found = check(PATIENTS, [T3, T4], 2, invariance=False)
    assert (found.is_generalization, found.is_m_unique, found.is_m_invariant) == (True, True, None)
    assert found.n_problems == 0


def test_who_is_left_out_needs_no_row():
    left = R2.replace("2,21,23", "2,21,22").replace("12000,25000", "12000,14000")
    assert problems(FILES | {"R2.csv": left}) == [("release.no_row", "T2", 2)]
    found = read(FILES | {"R2.csv": left, "D2.csv": "name\nDavid\n"})
    assert [ids.tolist() for ids in found.deleted] == [[], [3]]
    assert [len(table.ids) for table in found.microdata.snapshots] == [4, 2]


def test_rows_are_reported_as_the_team_has_them():
    files = FILES | {"R2.csv": R2.replace("25000", "24000"), "D1.csv": "name\nBob\n"}
    assert problems(files) == [("release.no_row", "T2", 2)]


def test_a_notice_opens_regions():
    texts = [
        text.decode() for text in published(of_small(T12, T16)).values() if b"group,age" in text
    ]
    files = dict(zip(FILES, texts, strict=True))
    assert problems(files) == [("release.no_row", "T2", 3)]
    found = read(files | {"N2.csv": "group\n1\n"})
    assert [groups.tolist() for groups in found.tampered] == [[], [1]]
    assert published(found)["N2.csv"] == b"group\n1\n"


def of_small(*releases):
    done = publish(SMALL, Options(m=2))
    return of_publication(replace(done, releases=releases))


def test_the_small_series_is_that_of_the_paper():
    names = published(of_small(T12, T13))
    assert [names[name].decode() for name in FILES] == [R1, R2]


def test_who_leaves_stays_away():
    nobody = np.zeros(0, dtype=np.int64)
    kept = without(SMALL, [np.array([0, 2]), nobody])
    assert [table.ids.tolist() for table in kept.snapshots] == [[1, 3], [3, 4]]


# Background tables


def test_the_background_is_the_tables_without_values(tables):
    archive, microdata = tables
    people = read_background(pack(background(archive, HOSPITAL_SCHEMA)), HOSPITAL_SCHEMA)
    assert people.sensitive_values == microdata.sensitive_values
    for known, full in zip(people.snapshots, microdata.snapshots, strict=True):
        names = [people.ids[i] for i in known.ids.tolist()]
        assert names == sorted(microdata.ids[i] for i in full.ids.tolist())
        where = {microdata.ids[i]: row for row, i in enumerate(full.ids.tolist())}
        assert known.qi.tolist() == full.qi[[where[name] for name in names]].tolist()
        assert set(known.sensitive.tolist()) == {-1}


def test_the_background_tells_no_other_column():
    schema = Schema((*SCHEMA.columns, Column("ward", Role.OTHER, Kind.CATEGORY)))
    table = b"name,age,zip,disease,ward\nBob,21,12000,flu,A\n"
    assert background(pack({"T1.csv": table}), schema) == {
        "B1.csv": b"name,age,zip\nBob,21,12000\n"
    }


def test_numbers_as_ids_are_sorted_as_numbers_and_named_as_they_are_written():
    columns = (Column("no", Role.IDENTIFIER, Kind.NUMBER), *SCHEMA.columns[1:])
    table = b"no,age,zip,disease\n10,1,1,flu\n9.5,2,2,flu\n"
    data = pack({"T1.csv": table})
    assert read_tables(data, Schema(columns)).ids == ("10", "9.5")
    assert background(data, Schema(columns))["B1.csv"] == b"no,age,zip\n9.5,2,2\n10,1,1\n"


def test_values_that_no_schema_lists_are_those_of_the_releases():
    tables = {
        f"T{time}.csv": b"name,age,zip,disease\n"
        + b"".join(
            b"%s,%d,%d,x\n" % (n.encode(), *qi)
            for n, qi in zip(
                [SMALL.ids[i] for i in table.ids], table.qi.astype(int).tolist(), strict=True
            )
        )
        for time, table in enumerate(SMALL.snapshots, start=1)
    }
    people = read_background(pack(background(pack(tables), SCHEMA)), SCHEMA)
    assert people.sensitive_values == ()
    data = pack({name: text.encode() for name, text in FILES.items()} | {"N2.csv": b"group\n2\n"})
    found = read_published(data, people)
    assert found.people.sensitive_values == ("bronchitis", "dyspepsia", "gastritis")
    assert found.releases[0].sensitive.tolist() == [0, 1, 1, 2]
    assert (found.knows_counterfeits, found.tampered[1].tolist()) == (False, [2])


@pytest.mark.parametrize("read_them", [read_tables, background])
def test_a_table_needs_its_ids(read_them):
    data = pack({"T1.csv": b"age,zip,disease\n21,12000,flu\n"})
    with pytest.raises(ProblemsFound) as refused:
        read_them(data, SCHEMA)
    assert [(p.code, p.file, p.column) for p in refused.value.problems] == [
        ("header.missing", "T1", "name")
    ]


def test_tables_are_distinguished_from_other_files():
    with pytest.raises(ProblemsFound, match=r"expected T1\.csv"):
        unpack(pack({"B1.csv": b""}), "TB", file="tables")
