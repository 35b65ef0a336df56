"""How numbers are shown."""

from __future__ import annotations

import pytest

from pwscup.core.templatetags.pwscup import measure, percent


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
