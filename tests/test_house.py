# SPDX-License-Identifier: Apache-2.0
"""The picture of the house: rooms and arrows worked out on paper, and drawings in which no line meets a room."""

from __future__ import annotations

import random
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from tests.every import every
from tools.house import drawn
from tools.house.drawing import picture
from tools.house.imports import imports, reached
from tools.house.layers import GAP, layout, levels, spread
from tools.house.rooms import Wing, who_imports, wing

SVG = "{http://www.w3.org/2000/svg}"
GRAPH = {
    "lib": set(),
    "lib.errors": set(),
    "lib.low": set(),
    "lib.low.rows": {"lib.errors"},
    "lib.formats": set(),
    "lib.formats.one": set(),
    "lib.formats.one.model": {"lib.low"},
    "lib.registry": {"lib.formats.one"},
    "lib.top": set(),
    "lib.top.a": {"lib.registry", "lib.low.rows", "lib.top.b"},
    "lib.top.b": set(),
    "app": set(),
    "app.core": set(),
    "app.core.jobs": {"lib.registry"},
    "app.web": set(),
    "app.web.server": {"app.core"},
}
LIBRARY = wing(GRAPH, "lib")


def test_a_package_is_a_room_and_a_file_of_the_root_is_none():
    assert LIBRARY.rooms == {"lib.formats.one": 2, "lib.low": 2, "lib.top": 3}
    assert LIBRARY.n_modules == 11


def test_imports_are_followed_through_files_of_the_root():
    assert LIBRARY.imports["lib.top"] == {"lib.formats.one", "lib.low"}


def test_an_arrow_that_follows_from_others_is_left_out():
    assert LIBRARY.arrows["lib.top"] == {"lib.formats.one"}
    assert LIBRARY.arrows["lib.formats.one"] == {"lib.low"}


def test_rooms_that_import_the_other_wing_are_counted():
    assert who_imports(GRAPH, wing(GRAPH, "app"), LIBRARY) == {"app.core"}
    assert who_imports(GRAPH, LIBRARY, wing(GRAPH, "app")) == set()


def test_a_room_stands_above_all_that_it_imports():
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert levels(graph) == {"a": 2, "b": 1, "c": 0, "d": 1}


def test_what_imports_itself_through_others_reaches_itself():
    circle = {"a": {"b"}, "b": {"c"}, "c": {"b"}}
    assert [name for name in circle if name in reached(circle, name)] == ["b", "c"]


def test_imports_of_several_packages_are_read_together(tmp_path):
    for name, text in (("one", "import two.a\nimport os\n"), ("two", "X = 1\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(text, encoding="utf-8")
    assert imports(tmp_path, "one", "two") == {"one.a": {"two.a"}, "two.a": set()}


def test_rooms_that_want_the_same_place_stand_around_it():
    assert spread([100, 100], [40, 20], 300) == [100 - 15 - GAP / 2, 100 + 15 + GAP / 2]
    assert spread([-50, 0], [40, 20], 300) == [20, 50 + GAP]


def test_lines_to_one_room_share_their_bends():
    places = layout({"a": {"m", "z"}, "b": {"m", "z"}, "m": {"y"}, "y": set(), "z": set()}, len)
    bends = [node for layer in places.layers for node in layer if len(node) > 1]
    assert len(bends) == 1
    assert {("a", *bends), ("b", *bends), (*bends, "z")} < places.segments


def made_up(seed: int) -> Wing:
    """Some rooms, of which later ones import earlier ones."""
    chance = random.Random(seed)
    rooms = [f"lib.{'abcdefghijklmnop'[: chance.randint(3, 16)]}{i}" for i in range(18)]
    found = {room: set(chance.sample(rooms[:i], min(i, 3))) for i, room in enumerate(rooms)}
    return Wing("lib", 40, dict.fromkeys(rooms, 2), found)


@pytest.mark.long
@every(seed=range(6))
def test_no_line_meets_a_room_and_no_room_another(seed):
    check_drawing(picture(made_up(seed), made_up(seed + 100), 3))


@pytest.mark.long
def test_the_picture_of_this_house_is_readable():
    check_drawing(drawn())


def check_drawing(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    boxes = [
        tuple(float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
        if rect.get("class") == "room"
    ]
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
    lines = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.get("class") == "line"]
    assert lines
    assert not [(line, box) for line in lines for box in boxes if meets(line, box)]
    assert min(int(size) for size in re.findall(r'font-size="(\d+)"', svg)) >= 11


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return all(a[i] < b[i] + b[i + 2] and b[i] < a[i] + a[i + 2] for i in (0, 1))


def meets(line: str, box: tuple[float, ...]) -> bool:
    left, top, width, height = box
    return any(left < x < left + width and top < y < top + height for x, y in points(line))


def points(line: str) -> list[tuple[float, float]]:
    """Points on a line: on its curve, and on the straight piece after it."""
    numbers = [float(number) for number in re.findall(r"-?\d+", line)]
    places = list(zip(numbers[::2], numbers[1::2], strict=True))
    found = [bezier(places[:4], step / 40) for step in range(41)]
    if len(places) == 4:
        return found
    start, end = places[3:]
    return found + [bezier([start, start, end, end], step / 20) for step in range(21)]


def bezier(places: list[tuple[float, float]], t: float) -> tuple[float, float]:
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    x, y = (sum(w * place[i] for w, place in zip(weights, places, strict=True)) for i in (0, 1))
    return x, y
