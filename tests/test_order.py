# SPDX-License-Identifier: Apache-2.0
"""The order of the tests: those that take long start first, although plugins have an order of their own."""

from __future__ import annotations

import pytest

from tests.conftest import TOGETHER, group_of


def test_those_that_belong_together_stand_together_and_first(request: pytest.FixtureRequest):
    groups = [*TOGETHER, None]
    places = [groups.index(group_of(item.nodeid)) for item in request.session.items]
    assert places == sorted(places)
