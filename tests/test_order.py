# SPDX-License-Identifier: Apache-2.0
"""The order of the tests: those that take long start first, although plugins have an order of their own."""

from __future__ import annotations

import pytest

from tests.conftest import place_of


def test_those_that_belong_together_stand_together_and_first(request: pytest.FixtureRequest):
    places = [*map(place_of, request.session.items)]
    assert places == sorted(places)
