# SPDX-License-Identifier: Apache-2.0
"""Pictures of texts that people have chosen: a name is drawn, whatever it is."""

from __future__ import annotations

import xml.dom.minidom

import pytest

from scoring.reporting.pictures import svg

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
