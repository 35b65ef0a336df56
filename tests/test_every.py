# SPDX-License-Identifier: Apache-2.0
"""A loop over cases is one test, which uses fixtures and names what fails."""

from __future__ import annotations

import pytest

from tests.every import every


@every(number=[1, 2], letter="ab")
def test_cases_run_in_order_with_the_fixtures_of_the_test(tmp_path, number, letter):
    files = tmp_path.iterdir()
    assert len(list(files)) == 2 * (number - 1) + "ab".index(letter)
    (tmp_path / f"{number}{letter}").touch()


def test_cases_that_fail_are_named():
    @every(seed=range(100))
    def odd_numbers_fail(seed):
        assert seed % 2 == 0

    with pytest.raises(AssertionError, match=r"assert \(1 % 2\) == 0") as failure:
        odd_numbers_fail()
    [note] = failure.value.__notes__
    assert note.startswith("50 of 100 cases fail: {'seed': 1}; {'seed': 3}; ")


SEEN: list[int] = []


@every(2, number=range(5))
def test_the_first_cases_are_for_now(number):
    SEEN.append(number)


def test_the_others_are_left_for_later():
    (mark,) = test_the_first_cases_are_for_now.pytestmark
    now, later = mark.args[1]
    assert [mark.name for mark in later.marks] == ["long"]
    assert now.marks == ()
    SEEN.clear()
    for part in (now, later):
        test_the_first_cases_are_for_now(*part.values)
        SEEN.append(-1)
    assert SEEN == [0, 1, -1, 2, 3, 4, -1]
