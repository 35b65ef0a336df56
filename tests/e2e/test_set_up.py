# SPDX-License-Identifier: Apache-2.0
"""Somebody who has never been here opens a contest about a table of their own, in few actions."""

from __future__ import annotations

import pytest

from tests.e2e.organizer import household_table
from tests.e2e.set_up import (
    Counted,
    open_a_contest,
    raw_census_table,
    raw_hospital_table,
    sign_up,
)

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

MOST_ACTIONS = 25


def test_from_the_sign_up_to_an_open_round(meet, tmp_path):
    organizer = Counted(meet("Rin"))
    sign_up(organizer)
    open_a_contest(organizer, "Table of households", household_table(tmp_path))
    assert len(organizer.actions) <= MOST_ACTIONS, "\n".join(organizer.actions)
    organizer.person.go("/c/table-of-households/rules/")
    assert "household_id" not in organizer.person.text("#main")


@pytest.mark.parametrize(
    ("name", "make", "hidden"),
    [("Ren", raw_hospital_table, ("氏名", "患者番号")), ("Mio", raw_census_table, ())],
    ids=["hospital", "census"],
)
def test_from_a_raw_table_to_an_open_round(meet, tmp_path, name, make, hidden):
    organizer = Counted(meet(name))
    sign_up(organizer)
    open_a_contest(organizer, f"Raw table of {name}", make(tmp_path), is_prepared=True)
    assert len(organizer.actions) <= MOST_ACTIONS, "\n".join(organizer.actions)
    organizer.person.go(f"/c/raw-table-of-{name.lower()}/rules/")
    rules = organizer.person.text("#columns, #main")
    assert [column for column in hidden if column in rules] == []
