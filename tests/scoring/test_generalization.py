# SPDX-License-Identifier: Apache-2.0
"""Recoding, Mondrian with bounds, and coding of tails: manually and against plain oracles."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import ANONYMIZERS, anonymize
from scoring.anonymizers.constraints import Constraints, Sensitive
from scoring.anonymizers.local_recoding import local_levels
from scoring.anonymizers.mondrian import partition
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound, shorten
from scoring.tables.hierarchies import hierarchies
from scoring.tables.numbering import combined, numbered
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
SCHEMA = Schema(
    (
        Column("age", QI, Kind.INTEGER, min=0, max=120),
        Column("city", QI, Kind.CATEGORY),
        Column("size", QI, Kind.CATEGORY, values=("small", "medium", "large")),
        Column("pay", SA, Kind.NUMBER, max=1000),
    )
)
TABLE = pd.DataFrame(
    {
        "age": [21, 25, 29, 30, 35, 88],
        "city": ["Tokyo", "Saitama", "Saitama", "Kyoto", "Osaka", "Osaka"],
        "size": ["small", "large", "large", "medium", "small", "large"],
        "pay": [100.0, 200.0, 250.5, 300.0, 10.0, 900.0],
    }
)
ATTR_DEPTH = {
    "age": {"type": "numeric", "threshold_1": "30/40", "threshold_2": "40"},
    "city": {
        "type": "category",
        "definition": {
            "Tokyo": {"depth_1": "Kanto", "depth_2": "Japan"},
            "Saitama": {"depth_1": "Kanto", "depth_2": "Japan"},
            "Kyoto": {"depth_1": "Kinki", "depth_2": "Japan"},
            "Osaka": {"depth_1": "Kinki", "depth_2": "Japan"},
        },
    },
}


def run(method, original=TABLE, schema=SCHEMA, seed=1, **options):
    return anonymize(original, schema, [(method, options)], rng=np.random.default_rng(seed))


def problem(method, original=TABLE, schema=SCHEMA, **options):
    with pytest.raises(ProblemsFound) as found:
        run(method, original, schema, **options)
    (only,) = found.value.problems
    assert only.params.get("method", method) == method
    return only


def random_table(seed, n=60):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "city": rng.choice(["Tokyo", "Saitama", "Kyoto", "Osaka"], n, p=[0.5, 0.3, 0.1, 0.1]),
            "size": rng.choice(["small", "medium", "large"], n),
            "pay": rng.integers(0, 5, n) * 100.0,
        }
    )


def smallest_class(table, columns=SCHEMA.quasi_identifiers):
    return table.groupby(list(columns)).size().min()


# --- global recoding ---


def test_a_number_becomes_the_median_of_its_group_and_a_category_the_most_frequent():
    columns = ("age", "city")
    done = run("global-recoding", columns=columns, levels=(1,), hierarchy=ATTR_DEPTH).table
    # 21 25 29 | 30 35 | 88, the lower of two medians; Saitama and Osaka are more frequent.
    assert done["age"].tolist() == [25, 25, 25, 30, 30, 88]
    assert done["city"].tolist() == ["Saitama"] * 3 + ["Osaka"] * 3
    assert (done[["size", "pay"]] == TABLE[["size", "pay"]]).all(axis=None)


def test_each_column_has_its_own_level():
    options = {"columns": ("age", "city"), "levels": (0, 2), "hierarchy": ATTR_DEPTH}
    done = run("global-recoding", **options).table
    assert done["age"].tolist() == TABLE["age"].tolist()
    assert set(done["city"]) == {"Osaka"}  # as frequent as Saitama, and before it in sorted order


def test_labels_go_where_the_schema_allows_them():
    options = {"columns": ("age", "city"), "levels": (1,), "hierarchy": ATTR_DEPTH}
    done = run("global-recoding", **options, write="label").table
    assert done["city"].tolist() == ["Kanto"] * 3 + ["Kinki"] * 3
    assert done["age"].tolist() == [25, 25, 25, 30, 30, 88]


def test_hierarchies_are_made_where_none_is_given():
    done = run("global-recoding", columns=("size",), levels=(1,)).table
    # small and medium are a half, large is the other.
    assert done["size"].tolist() == ["small", "large", "large", "small", "small", "large"]


def test_recoded_groups_stay_apart():
    original = random_table(3)
    for levels in ((1, 1, 1), (3, 1, 0), (0, 2, 2)):
        done = run("global-recoding", original, levels=levels).table
        found = hierarchies(original, SCHEMA, SCHEMA.quasi_identifiers)
        for h, level in zip(found, levels, strict=True):
            groups = h.groups[level][h.of_record]
            pairs = set(zip(groups.tolist(), done[h.column.name], strict=True))
            assert len(pairs) == len(set(groups.tolist())) == done[h.column.name].nunique()


@pytest.mark.parametrize(
    ("options", "option", "expected"),
    [
        ({"columns": ("age", "height")}, "columns", "out of age, city, size, pay"),
        ({"columns": ("age",), "levels": (3,)}, "levels", "levels from 0 to 2 (age)"),
        ({"columns": ("age",), "levels": (1, 1)}, "levels", "one for each of 1 columns"),
        ({"levels": (-1,)}, "levels", "integers"),
        ({"levels": 1}, "levels", "integers"),
        ({"columns": ("size",), "write": "label"}, "write", "size holds nothing but its listed"),
        ({"hierarchy": ("a",)}, "hierarchy", "JSON"),
        ({"intervals": "thirds"}, "intervals", "quantile, width"),
    ],
)
def test_global_recoding_refuses(options, option, expected):
    found = problem("global-recoding", **{"hierarchy": ATTR_DEPTH, **options})
    assert (found.code, found.params["option"]) == ("option.wrong_value", option)
    assert expected in found.message


@pytest.mark.parametrize("method", ["global-recoding", "local-recoding", "lattice", "datafly"])
def test_a_hierarchy_may_be_named_by_its_path(tmp_path, method):
    path = tmp_path / "階層.json"
    path.write_text('{"age": {"type": "numeric", "threshold_1": "29"}}', encoding="utf-8")
    options = {"columns": ("age",)} | ({} if method == "global-recoding" else {"k": 2})
    for source in (path, str(path), json.loads(path.read_bytes())):
        called = ANONYMIZERS[method].function(
            TABLE, SCHEMA, rng=np.random.default_rng(1), hierarchy=source, **options
        )
        chained = run(method, hierarchy=source, **options)
        for found in (called, chained):
            assert found.table["age"].tolist() == [21, 21, 30, 30, 30, 30]
    path.write_text("{", encoding="utf-8")
    for source in (path, str(path), tmp_path / "none.json"):
        found = problem(method, hierarchy=source, **options)
        assert (found.code, found.params["got"]) == ("hierarchy.unreadable", shorten(source))


@pytest.mark.parametrize("method", ["global-recoding", "local-recoding", "lattice"])
def test_a_hierarchy_that_misses_a_value(method):
    definition = dict(ATTR_DEPTH["city"]["definition"])
    del definition["Osaka"]
    content = {"city": {"type": "category", "definition": definition}}
    found = problem(method, hierarchy=content)
    assert (found.file, found.column) == ("hierarchy", "city")
    assert "Osaka" in found.message


@pytest.mark.parametrize("method", ["local-recoding", "lattice"])
def test_levels_that_are_not_nested_cannot_be_climbed(method):
    content = {"age": {"type": "numeric", "threshold_1": "30/80", "threshold_2": "25"}}
    assert run("global-recoding", columns=("age",), levels=(2,), hierarchy=content)
    assert problem(method, hierarchy=content).code == "hierarchy.not_nested"


# --- local recoding ---


def test_only_records_that_stand_out_are_generalized():
    schema = Schema((SCHEMA.column("age"), SCHEMA.column("city")))
    original = pd.DataFrame(
        {"age": [30, 30, 31, 39, 38], "city": ["Tokyo", "Tokyo", "Tokyo", "Saitama", "Osaka"]}
    )
    done = run("local-recoding", original, schema, k=2, hierarchy=ATTR_DEPTH).table
    # The first two are alike. The city's regions cost the others less than the decade, and do not
    # suffice; with the decade 31 and 39 are alike. The last one stays only up to all of Japan,
    # where the more general of the two classes joins it.
    assert done["age"].tolist() == [30, 30, 38, 38, 38]
    assert done["city"].tolist() == ["Tokyo", "Tokyo", "Osaka", "Osaka", "Osaka"]


@pytest.mark.long
@every(seed=range(8), k=[2, 3, 10, 60], write=["value", "label"])
def test_local_recoding_reaches_k_and_does_not_change_large_classes(seed, k, write):
    original, names = random_table(seed), list(SCHEMA.quasi_identifiers)
    schema = Schema(tuple(Column(c.name, c.role, c.kind) for c in SCHEMA.columns))
    done = run("local-recoding", original, schema, k=k, write=write).table
    assert smallest_class(done) >= k
    found = [h.ascending() for h in hierarchies(original, schema, names)]
    levels = local_levels(found, len(original), k)
    for r in range(len(original)):
        # Records are alike at the level at which they are written.
        same = [
            s
            for s in range(len(original))
            if (levels[s] == levels[r]).all()
            and all(
                h.groups[lv][h.of_record[s]] == h.groups[lv][h.of_record[r]]
                for h, lv in zip(found, levels[r], strict=True)
            )
        ]
        assert len(same) >= k
        if not levels[r].any() and write == "value":
            assert (done.loc[r, names] == original.loc[r, names]).all()
    sizes = original.groupby(names)["pay"].transform("size")
    joined = original.loc[levels.any(axis=1) & (sizes.to_numpy() >= k), names]
    assert len(joined.drop_duplicates()) <= 1


def test_local_recoding_loses_less_than_recoding_whole_columns():
    original = random_table(5, n=300)
    names = list(SCHEMA.quasi_identifiers)
    changed = {}
    for method, options in (("local-recoding", {}), ("lattice", {"fraction": 0.0})):
        done = run(method, original, k=3, **options).table
        assert smallest_class(done) >= 3
        changed[method] = (done[names] != original[names]).sum().sum()
    assert changed["local-recoding"] < changed["lattice"]


def test_a_lonely_record_is_joined_by_a_whole_class_of_its_region():
    content = {"age": {"type": "numeric", "threshold_1": "40"}}
    schema = Schema((SCHEMA.column("age"),))
    original = pd.DataFrame({"age": [30, 30, 30, 31, 31, 35, 50, 50]})
    found = [h.ascending() for h in hierarchies(original, schema, ["age"], content)]
    # 35 is only below 40 as well; the smaller of the classes there joins it.
    levels = local_levels(found, 8, 2)
    assert levels.ravel().tolist() == [0, 0, 0, 1, 1, 1, 0, 0]
    done = run("local-recoding", original, schema, k=2, hierarchy=content).table
    assert done["age"].tolist() == [30, 30, 30, 31, 31, 31, 50, 50]


@pytest.mark.parametrize(
    ("options", "option", "expected"),
    [
        ({"k": 7}, "k", "the table's 6 records"),
        ({"k": 2, "columns": ("age",)}, "k", "a size of classes that the highest levels reach"),
        ({"columns": ("x",)}, "columns", "age, city, size, pay"),
        ({"write": "label"}, "write", "size"),
    ],
)
def test_local_recoding_refuses(options, option, expected):
    found = problem("local-recoding", **{"hierarchy": ATTR_DEPTH, **options})
    assert found.params["option"] == option
    assert expected in found.message


# --- Mondrian with bounds ---


def slow_partition(points, k, keeps):
    """The same cuts, written down as the definition says them."""
    full = [max(column) - min(column) for column in zip(*points, strict=True)]

    def cuts(members, i):
        values = sorted(points[m][i] for m in members)
        median = values[len(values) // 2]
        sides = [[m for m in members if points[m][i] < median]]
        sides.append([m for m in members if points[m][i] <= median])
        sides = [left for left in sides if k <= len(left) <= len(members) - k]
        return sorted(sides, key=lambda left: abs(2 * len(left) - len(members)))

    def split(members):
        widths = []
        for i, width in enumerate(full):
            values = [points[m][i] for m in members]
            widths.append((max(values) - min(values)) / width if width else 0)
        for i in sorted(range(len(full)), key=lambda i: -widths[i]):
            for left in cuts(members, i) if widths[i] else []:
                right = [m for m in members if m not in left]
                if keeps(left) and keeps(right):
                    return split(left) + split(right)
        return [members]

    return split(list(range(len(points))))


@every(seed=range(25), least=[1, 2, 3])
def test_mondrian_with_bounds_agrees_with_the_oracle(seed, least):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 50))
    points = rng.integers(0, [9, 5, 2], (n, 3)).astype(float)
    values = rng.integers(0, 4, n)
    k = int(rng.integers(1, 4))

    def keeps_plainly(members):
        return len(set(values[members].tolist())) >= least

    def keeps(rows, classes):
        return np.array(
            [keeps_plainly(rows[classes == i]) for i in range(classes.max() + 1)], dtype=bool
        )

    if n < k:
        return
    groups = partition(points, k, keeps=keeps if least > 1 else None)
    found = {frozenset(np.flatnonzero(groups == g).tolist()) for g in range(groups.max() + 1)}
    expected = slow_partition(points.tolist(), k, keeps_plainly)
    assert found == {frozenset(members) for members in expected}


@pytest.mark.parametrize(
    "options",
    [
        {"k": 2, "l": 3},
        {"k": 2, "entropy_l": 2.5},
        {"k": 2, "l": 2, "c": 1.5},
        {"k": 3, "t": 0.2},
        {"k": 2, "l": 2, "entropy_l": 1.5, "t": 0.3, "cuts": "relaxed"},
    ],
)
def test_mondrian_keeps_every_bound_in_the_written_table(options):
    original = random_table(2, n=200)
    done = run("mondrian", original, **options).table
    bounds = {name: value for name, value in options.items() if name != "cuts"}
    sensitive = Sensitive.of("mondrian", original, SCHEMA, "pay")
    written = combined([pd.factorize(done[n])[0] for n in SCHEMA.quasi_identifiers], 200)
    sizes = np.bincount(written)
    assert len(sizes) > 1
    failing = Constraints(**bounds).failing(sizes, sensitive.counts(written), sensitive)
    assert not failing.any()


def test_relaxed_cuts_halve_ties():
    points = np.zeros((16, 1))
    points[0] = 1
    assert partition(points, 2).max() == 0
    ties = np.random.default_rng(1).permutation(16)
    halves = partition(points, 4, ties=ties)
    # One half is constant and stays, the other has the one and is halved again.
    assert sorted(Counter(halves.tolist()).values()) == [4, 4, 8]
    assert len(Counter(partition(np.arange(16.0)[:, None], 2, ties=ties).tolist())) == 8


def test_relaxed_cuts_are_at_least_as_fine():
    original = random_table(4, n=300)
    groups = [
        run("mondrian", original, k=5, cuts=cuts).table[["age", "city", "size"]]
        for cuts in ("strict", "relaxed")
    ]
    assert smallest_class(groups[0]) >= 5
    assert smallest_class(groups[1]) >= 5


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"k": 7}, "k"),
        ({"l": 7}, "l"),
        ({"entropy_l": 6.1}, "entropy_l"),
        ({"l": 6, "c": 1.0}, "c"),
        ({"l": 2, "sensitive": "age"}, "sensitive"),
        ({"cuts": "loose"}, "cuts"),
        ({"t": 1.1}, "t"),
    ],
)
def test_mondrian_refuses(options, option):
    assert problem("mondrian", **options).params["option"] == option


# --- tails ---


def test_top_and_bottom_coding_computed_manually():
    top = run("top-coding", columns=("age", "pay"), threshold=(30, 250.5)).table
    assert top["age"].tolist() == [21, 25, 29, 30, 30, 30]
    assert top["pay"].tolist() == [100, 200, 250.5, 250.5, 10, 250.5]
    bottom = run("bottom-coding", columns=("age",), threshold=(29,)).table
    assert bottom["age"].tolist() == [29, 29, 29, 30, 35, 88]
    assert bottom["pay"].tolist() == TABLE["pay"].tolist()


def test_tails_can_become_their_median():
    options = {"columns": ("age",), "threshold": (29,), "write": "median"}
    assert run("top-coding", **options).table["age"].tolist() == [21, 25, 29, 35, 35, 35]


def test_tails_by_quantile():
    original = pd.DataFrame({"x": np.arange(1, 101)})
    schema = Schema((Column("x", SA, Kind.INTEGER),))
    top = run("top-coding", original, schema).table["x"]
    assert top.max() == 95
    assert (top[:95] == original["x"][:95]).all()
    bottom = run("bottom-coding", original, schema, quantile=0.1).table["x"]
    assert bottom.min() == 10
    assert (run("top-coding", original, schema, quantile=1).table == original).all(axis=None)
    assert set(run("top-coding", original, schema, quantile=0).table["x"]) == {1}


def test_tails_of_all_columns_of_numbers_by_default():
    done = run("top-coding", quantile=0.5).table
    assert done["age"].tolist() == [21, 25, 29, 29, 29, 29]
    assert done["pay"].max() == 200


@pytest.mark.parametrize(
    ("options", "option", "expected"),
    [
        ({"columns": ("city",)}, "columns", "age, pay"),
        ({"columns": ("age",), "threshold": (30.5,)}, "threshold", "an integer from 0 up to 120"),
        ({"columns": ("age",), "threshold": (130,)}, "threshold", "(age)"),
        ({"columns": ("pay",), "threshold": (0.00001,)}, "threshold", "up to 4 decimals"),
        ({"threshold": (1, 2, 3)}, "threshold", "one for each of 2 columns"),
        ({"quantile": 1.5}, "quantile", "from 0 to 1"),
        ({"threshold": (float("nan"),)}, "threshold", "numbers"),
    ],
)
@pytest.mark.parametrize("method", ["top-coding", "bottom-coding"])
def test_coding_refuses(method, options, option, expected):
    found = problem(method, **options)
    assert found.params["option"] == option
    assert expected in found.message


# --- numbering ---


@every(seed=range(5))
def test_classes_of_codes(seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 10**14, 50) for _ in range(2)] + [rng.integers(0, 3, 50)] * 3
    columns[0][:25] = columns[0][25:]
    columns[1][:25] = columns[1][25:]
    columns[2:] = [np.tile(c[:25], 2) for c in columns[2:]]
    vectors = list(zip(*(c.tolist() for c in columns), strict=True))
    place = {vector: i for i, vector in enumerate(sorted(set(vectors)))}
    assert combined(columns, 50).tolist() == [place[v] for v in vectors]
    assert combined([], 3).tolist() == [0, 0, 0]
    codes = rng.integers(0, 30, 20)
    assert numbered(codes, 30).tolist() == np.unique(codes, return_inverse=True)[1].tolist()


# --- with the hierarchies of the households ---


@pytest.mark.parametrize("method", ["global-recoding", "local-recoding", "lattice"])
def test_households_with_their_file(method):
    root = Path(__file__).parents[2]
    content = json.loads((root / "fixtures/households.attr_depth.json").read_bytes())
    original = households(500, seed=3)
    done = run(method, original, HOUSEHOLDS_SCHEMA, hierarchy=content)
    names = list(HOUSEHOLDS_SCHEMA.quasi_identifiers)
    before, after = original[names].drop_duplicates(), done.table[names].drop_duplicates()
    assert len(after) < len(before)
    if method != "global-recoding":
        assert smallest_class(done.table, names) >= 3
