# SPDX-License-Identifier: Apache-2.0
"""Generalization hierarchies: files read as they are, every problem named, and hierarchies made."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import MAX_REPORTED, ProblemsFound
from scoring.tables import hierarchy_files
from scoring.tables.hierarchies import N_INTERVALS, hierarchies
from scoring.tables.hierarchy_files import (
    Definition,
    check_definitions,
    content_in,
    read_definitions,
)
from scoring.tables.hierarchy_trees import tree_of
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

QI = Role.QUASI_IDENTIFIER
SCHEMA = Schema(
    (
        Column("city", QI, Kind.CATEGORY),
        Column("size", QI, Kind.CATEGORY, values=("small", "medium", "large", "huge")),
        Column("age", QI, Kind.INTEGER),
    )
)
TABLE = pd.DataFrame(
    {
        "city": ["Tokyo", "Saitama", "Osaka", "Kyoto", "Tokyo"],
        "size": ["large", "small", "medium", "huge", "small"],
        "age": [33, 47, 49, 88, 34],
    }
)
LECTURE = {
    "city": {
        "type": "category",
        "definition": {
            "Tokyo": {"depth_1": "Kanto", "depth_2": "Japan"},
            "Saitama": {"depth_1": "Kanto", "depth_2": "Japan"},
            "Osaka": {"depth_1": "Kinki", "depth_2": "Japan"},
            "Kyoto": {"depth_1": "Kinki", "depth_2": "Japan"},
            "Nara": {"depth_1": "Kinki", "depth_2": "Japan"},
        },
    },
    "age": {"type": "numeric", "threshold_1": "48", "threshold_2": "34/48/60"},
}


def made(name, values, column, **options):
    schema = Schema((column,))
    (hierarchy,) = hierarchies(pd.DataFrame({name: values}), schema, [name], **options)
    return hierarchy


def changed(path, value):
    """The lecture's file with one place changed; None takes the key away."""
    content = json.loads(json.dumps(LECTURE))
    place = content
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return content


def problems(content, columns=("city", "age")):
    with pytest.raises(ProblemsFound) as found:
        hierarchies(TABLE, SCHEMA, columns, content)
    return [(p.code.removeprefix("hierarchy."), p.column, p.message) for p in found.value.problems]


def test_the_lecture_s_file_as_it_is():
    city, age = hierarchies(TABLE, SCHEMA, ["city", "age"], LECTURE)
    assert list(city.values) == ["Kyoto", "Osaka", "Saitama", "Tokyo"]
    assert city.of_record.tolist() == [3, 2, 1, 0, 3]
    assert city.groups.tolist() == [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    assert city.labels[1:] == (("Kinki", "Kanto"), ("Japan",))
    # A threshold begins the group above it: 34 belongs to 34–47.
    assert list(age.values) == [33, 34, 47, 49, 88]
    assert age.groups.tolist() == [[0, 1, 2, 3, 4], [0, 0, 0, 1, 1], [0, 1, 1, 2, 3]]


def test_levels_from_fine_to_coarse_whichever_way_the_file_counts():
    city, age = hierarchies(TABLE, SCHEMA, ["city", "age"], LECTURE)
    assert age.ascending().groups.tolist() == [[0, 1, 2, 3, 4], [0, 1, 1, 2, 3], [0, 0, 0, 1, 1]]
    assert city.ascending().groups.tolist() == city.groups.tolist()
    assert city.ascending().labels == city.labels


def test_levels_that_say_the_same_are_one():
    content = {"age": {"type": "numeric", "threshold_1": "34/40/48/60", "threshold_2": "48"}}
    (age,) = hierarchies(TABLE, SCHEMA, ["age"], content)
    assert age.groups[1].tolist() == [0, 1, 2, 3, 4]
    assert age.ascending().groups.tolist() == [[0, 1, 2, 3, 4], [0, 0, 0, 1, 1]]


def test_depths_that_are_not_nested():
    content = {"age": {"type": "numeric", "threshold_1": "48", "threshold_2": "40/60"}}
    (age,) = hierarchies(TABLE, SCHEMA, ["age"], content)
    with pytest.raises(ProblemsFound, match="got threshold_2, threshold_1") as found:
        age.ascending()
    (problem,) = found.value.problems
    assert (problem.code, problem.column) == ("hierarchy.not_nested", "age")


def test_numbers_in_json_are_thresholds_too():
    content = {"age": {"type": "numeric", "threshold_1": 48}}
    (age,) = hierarchies(TABLE, SCHEMA, ["age"], content)
    assert age.groups[1].tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("town",), {}, ("unknown_column", None)),
        (("city",), [], ("wrong_value", "city")),
        (("age", "type"), None, ("missing_key", "age")),
        (("age", "type"), "category", ("wrong_value", "age")),
        (("age", "threshold_3"), "x", ("wrong_value", "age")),
        (("age", "threshold_2"), "60/34", ("wrong_value", "age")),
        (("age", "threshold_2"), "34/34", ("wrong_value", "age")),
        (("age", "threshold_2"), "34/", ("wrong_value", "age")),
        (("age", "threshold_2"), "nan", ("wrong_value", "age")),
        (("age", "threshold_2"), True, ("wrong_value", "age")),
        (("age", "threshold_2"), {}, ("wrong_value", "age")),
        (("city", "definition"), None, ("missing_key", "city")),
        (("city", "definition"), {}, ("wrong_value", "city")),
        (("city", "note"), "", ("unknown_key", "city")),
        (("city", "definition", "Osaka"), None, ("missing_value", "city")),
        (("city", "definition", "Osaka"), "Kinki", ("wrong_value", "city")),
        (("city", "definition", "Osaka", "depth_2"), None, ("missing_key", "city")),
        (("city", "definition", "Osaka", "depth_2"), "", ("wrong_value", "city")),
        (("city", "definition", "Osaka", "depth_2"), 3, ("wrong_value", "city")),
    ],
)
def test_one_problem_each(path, value, expected):
    ((code, column, message),) = problems(changed(path, value))
    assert (code, column) == expected
    assert "expected" in message
    assert str(path[-1]) in message or code in ("missing_value", "unknown_column")


def test_all_problems_together():
    content = changed(("city", "definition", "Osaka", "height"), "3") | {
        "size": {"type": "category", "definition": {"small": {"depth_2": "all"}}},
        "town": {},
        "age": {"threshold_0": "1", "threshold_1": "2/1"},
    }
    assert [(code, column) for code, column, _ in problems(content)] == [
        ("unknown_key", "city"),
        ("missing_key", "age"),
        ("unknown_key", "age"),
        ("wrong_value", "age"),
        ("missing_key", "size"),
        ("unknown_column", None),
    ]


def test_every_missing_value_is_named():
    content = {"size": {"type": "category", "definition": {"small": {"depth_1": "any"}}}}
    found = problems(content, ["size"])
    assert {code for code, _, _ in found} == {"missing_value"}
    assert [message.split()[-1] for _, _, message in found] == ["“medium”", "“large”", "“huge”"]


def test_a_depth_between_two_is_missing():
    content = {"age": {"type": "numeric", "threshold_1": "34", "threshold_3": "34"}}
    ((code, _, message),) = problems(content)
    assert code == "missing_key"
    assert "threshold_2" in message


def test_categories_are_halved_in_the_schema_s_order():
    column = SCHEMA.column("size")
    size = made("size", ["large", "small", "huge", "small"], column)
    assert list(size.values) == ["small", "large", "huge"]
    # small and medium are one half, whether medium occurs or not.
    assert size.groups.tolist() == [[0, 1, 2], [0, 1, 1], [0, 0, 0]]
    assert size.labels == (("small", "large", "huge"), ("small", "large..huge"), ("*",))


def test_numbers_get_nested_intervals():
    column = SCHEMA.column("age")
    age = made("age", np.arange(64), column)
    widths = [len(set(level)) for level in age.groups.tolist()]
    assert widths == [64, 16, 8, 4, 2, 1]
    assert age.groups[2].tolist() == sorted(list(range(8)) * 8)
    skewed = made("age", [0] * 32 + [1] * 16 + [2] * 8 + [3] * 8, column)
    # 0 begins at none of the records, 1 at half, 2 at three quarters, 3 at seven eighths.
    assert skewed.groups.tolist() == [[0, 1, 2, 3], [0, 1, 2, 2], [0, 1, 1, 1], [0, 0, 0, 0]]
    equal = made("age", [0, 1, 7, 8, 15, 16], column, intervals="width")
    assert equal.groups.tolist() == [
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, 4, 4],
        [0, 0, 1, 2, 3, 3],
        [0, 0, 0, 1, 1, 1],
        [0, 0, 0, 0, 0, 0],
    ]


def test_one_value_has_no_levels_above():
    assert made("age", [3, 3], SCHEMA.column("age")).groups.tolist() == [[0]]
    assert made("city", ["x"], SCHEMA.column("city")).groups.tolist() == [[0]]


@every(seed=range(10), intervals=["quantile", "width"])
def test_made_hierarchies_are_nested_up_to_one_group(seed, intervals):
    rng = np.random.default_rng(seed)
    values = rng.choice(rng.lognormal(3, 2, 40).round(2), 200)
    found = made("x", values, Column("x", QI, Kind.NUMBER), intervals=intervals)
    assert (found.values[found.of_record] == values).all()
    assert found.groups[-1].max() == 0
    assert len(set(found.groups[1].tolist())) <= N_INTERVALS
    for finer, coarser in zip(found.groups, found.groups[1:], strict=False):
        pairs = set(zip(finer.tolist(), coarser.tolist(), strict=True))
        assert len(pairs) == finer.max() + 1 > coarser.max() + 1
        assert (np.diff(coarser) >= 0).all()
    assert (np.diff(found.losses(), axis=0) >= 0).all()


def test_information_that_is_lost():
    city, age = hierarchies(TABLE, SCHEMA, ["city", "age"], LECTURE)
    assert city.losses() == pytest.approx(np.array([[0] * 4, [1 / 3] * 4, [1] * 4]))
    # 33–47 and 49–88 of 33–88; then 33, 34–47, 49, 88.
    expected = [[0] * 5, [14 / 55] * 3 + [39 / 55] * 2, [0, 13 / 55, 13 / 55, 0, 0]]
    assert age.losses() == pytest.approx(np.array(expected))
    assert not made("age", [3, 3], SCHEMA.column("age")).losses().any()


def test_the_households_file_fits_the_households():
    root = Path(__file__).parents[2]
    content = json.loads((root / "fixtures/households.attr_depth.json").read_bytes())
    table = households(3000, seed=1)
    names = HOUSEHOLDS_SCHEMA.quasi_identifiers
    found = hierarchies(table, HOUSEHOLDS_SCHEMA, [*names, "income"], content)
    assert set(content) == {*names, "income"}
    for hierarchy in found[:-1]:
        ascending = hierarchy.ascending()
        assert ascending.groups[-1].max() == 0
        assert ascending.groups.tolist() == hierarchy.groups.tolist()
    assert found[-1].ascending().n_levels == 3


def refused(content):
    with pytest.raises(ProblemsFound) as found:
        check_definitions(content, SCHEMA, {"city": ("Tokyo", "Sapporo", "Sapporo")})
    return [(p.code, p.column or p.params["got"]) for p in found.value.problems]


def test_a_file_that_covers_the_table_is_accepted():
    found = check_definitions(LECTURE, SCHEMA, {"city": ("Tokyo", "Nara")})
    assert found == read_definitions(LECTURE, SCHEMA)


def test_all_problems_of_a_file_for_everybody_together():
    content = {
        "town": {},
        "city": changed(["city", "definition", "Nara", "depth_2"], "Honshu")["city"],
        "size": {"type": "category", "definition": {"small": {"depth_1": "s"}}},
        "age": {"type": "numeric", "threshold_1": "48", "threshold_2": "34/60/50"},
    }
    assert refused(content) == [
        ("hierarchy.unknown_column", "town"),
        ("hierarchy.wrong_value", "age"),
        ("hierarchy.missing_value", "city"),
        ("hierarchy.not_nested", "city"),
        *[("hierarchy.missing_value", "size")] * 3,
    ]
    unsorted = {"age": {"type": "numeric", "threshold_1": "48", "threshold_2": "34/60"}}
    assert refused(unsorted) == [("hierarchy.not_nested", "age")]


def test_a_value_with_too_few_depths_is_one_problem():
    content = changed(["city", "definition", "Tokyo", "depth_2"], None)
    assert refused(content) == [
        ("hierarchy.missing_key", "city"),
        ("hierarchy.missing_value", "city"),
    ]


def test_of_very_many_missing_keys_only_those_that_are_shown_are_written(monkeypatch):
    made = []
    problem = hierarchy_files.Problem
    monkeypatch.setattr(
        hierarchy_files, "Problem", lambda *given: made.append(given) or problem(*given)
    )
    entries = {str(number): {} for number in range(1_000)} | {"Kyoto": {"depth_99": "Kinki"}}
    content = {"city": {"type": "category", "definition": entries}}
    with pytest.raises(ProblemsFound) as found:
        read_definitions(content, SCHEMA)
    assert found.value.n_total == 1_000 * 99 + 98
    assert len(found.value.problems) == len(made) == MAX_REPORTED


NO_OBJECTS = [
    b"[1]",
    b"{",
    b'{"a": 1, "a": 2}',
    b"[" * 100_000,
    b"\xff",
    b'{"a\\ud800": 1}',
    b'{"a": "\xed\xa0\x80"}',
]


@pytest.mark.parametrize("data", NO_OBJECTS)
def test_an_upload_that_is_no_object(data):
    with pytest.raises(ProblemsFound) as found:
        content_in(data, "attr_depth.json")
    assert [p.code for p in found.value.problems] == ["hierarchy.unreadable"]


def lines(node, depth=0):
    yield "  " * depth + node.label
    for child in node.children:
        yield from lines(child, depth + 1)


def test_trees():
    found = check_definitions(LECTURE, SCHEMA)
    city = tree_of("city", found["city"])
    assert list(lines(city)) == [
        "city",
        "  Japan",
        "    Kanto",
        "      Tokyo",
        "      Saitama",
        "    Kinki",
        "      Osaka",
        "      Kyoto",
        "      Nara",
    ]
    assert city.n_leaves == 5
    assert list(lines(tree_of("age", found["age"]))) == [
        "age",
        "  < 48",
        "    < 34",
        "    34 ≤ … < 48",
        "  ≥ 48",
        "    48 ≤ … < 60",
        "    ≥ 60",
    ]


class Counted(float):
    """A number that counts how often it is compared."""

    n = 0

    def __lt__(self, other):
        Counted.n += 1
        return float(self) < other

    def __gt__(self, other):
        Counted.n += 1
        return float(self) > other


def test_the_work_for_a_tree_grows_with_its_intervals_and_not_with_their_square():
    cuts = tuple(map(Counted, range(1_000)))
    tree = tree_of("age", Definition(thresholds=(cuts, cuts)))
    assert tree.n_leaves == 1_001
    assert Counted.n < 100 * len(cuts)


def test_a_tree_leaves_out_levels_that_say_the_same():
    same = {"Tokyo": {"depth_1": "Tokyo", "depth_2": "Japan"}}
    content = {"city": {"type": "category", "definition": same}}
    (city,) = check_definitions(content, SCHEMA).values()
    assert list(lines(tree_of("city", city))) == ["city", "  Japan", "    Tokyo"]
