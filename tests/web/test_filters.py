# SPDX-License-Identifier: Apache-2.0
"""How numbers are shown."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from pwscup.core.templatetags.pwscup import measure, percent
from pwscup.core.texts import parts


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.0, "0"),
        (8333, "8,333"),
        (0.003788539, "0.00378854"),
        (794.4412, "794.441"),
        (9329.240820709, "9,329.24"),
        (84128.689049224, "84,128.7"),
        (1234567.89, "1,234,568"),
        (-1696.963802907, "-1,696.96"),
    ],
)
def test_a_measure_has_six_significant_digits_in_groups_of_three(value, shown):
    assert measure(value) == shown


def test_a_rate_is_a_percentage():
    assert percent(0.535101404) == "53.51 %"
    assert percent(None) == "–"


def test_lists_and_names_have_the_punctuation_of_the_language():
    assert (parts.listed("abc"), parts.listed([])) == ("a, b, c", "")
    assert parts.named("Name", "text") == "Name: text"
    assert parts.joined("One.", "", "Two.", parts.noted("three", "3")) == "One. Two. three (3)"
    with override("ja"):
        assert parts.listed("abc") == "a、b、c"
        assert parts.named("名前", "値") == "名前：値"
        assert parts.joined("一。", "", "二。", parts.noted("三", "3")) == "一。二。三（3）"
