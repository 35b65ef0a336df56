# SPDX-License-Identifier: Apache-2.0
"""Pictures of texts that people have chosen: a name is drawn, whatever it is."""

from __future__ import annotations

import csv
import io
import xml.dom.minidom

import pytest
from PIL import Image

from scoring.reporting.pictures import DPI, Picture, svg

NAMES = ["font-family: x", "$\\nothing$", "<script>", "a --> <b>", 'id="x" href="#a"', "&amp;"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_breaks_no_picture(name):
    picture = svg(lambda axes: axes.set_title(name), (2, 1), alt=name, name="own")
    found = xml.dom.minidom.parseString(picture)
    assert found.documentElement.getAttribute("aria-label") == name
    assert not found.getElementsByTagName("script")


@pytest.mark.parametrize("character", ["\x01", "\x0b", "\x1b", "\ufffe"])
def test_characters_that_no_xml_may_hold_are_replaced(character):
    name = f"a{character}b"
    picture = svg(lambda axes: axes.set_title(name), (2, 1), alt=name)
    found = xml.dom.minidom.parseString(picture)
    assert found.documentElement.getAttribute("aria-label") == "a\ufffdb"
    assert picture.count("a\ufffdb") == 2


def test_a_png_is_the_same_each_time_on_white_and_tells_nothing_else():
    """Neither of the time nor of the software: a report of the same facts is the same."""
    made = [
        Picture(lambda axes: axes.set_title("表"), (2, 1), ["Team"], [("Red",)], "A", "a").png()
        for _ in range(2)
    ]
    assert made[0] == made[1]
    image = Image.open(io.BytesIO(made[0]))
    assert image.size == (2 * DPI, DPI)
    assert set(image.info) <= {"dpi"}
    assert image.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_to_save_keep_any_name_and_start_no_formula(name):
    rows = [(name, -0.5), (f"={name}", float("nan"))]
    picture = Picture(print, (2, 1), ["Team", "%"], rows, name, "a")
    found = list(csv.reader(io.StringIO(picture.csv().decode("utf-8-sig"), newline="")))
    assert found == [["Team", "%"], [name, "-0.5"], [f"'={name}", ""]]
