# SPDX-License-Identifier: Apache-2.0
"""Every page of a lecture contest for the teacher, a judge and a team: on a phone and at a desk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from pwscup.demo.cast import PASSWORD
from tests.e2e.stage_lecture import BEGAN, JUDGE, MEMBER, TEACHER
from tests.e2e.test_look import sound
from tests.e2e.walking import Read, walk

# tests/web/test_looks.py opens a page of every view in Chromium, without an installation.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

ROLES = {"member": MEMBER, "judge": JUDGE, "teacher": TEACHER}
LEAST_PAGES = {"teacher": 100, "judge": 40, "member": 60}
# The pages of these contests, of what was handed in there, and the board of the dry run; the teacher's own
# pages in the three contests in which they differ most.
LECTURE = re.compile(
    r"/c/lecture-|/organize/lecture-(draft|attack|over)/|/[sr]/|/c/dry-run-[\d-]+/board/"
)


@pytest.fixture(scope="module")
def contests(site) -> Iterator[list[str]]:
    """One in each state; the addresses of their first pages."""
    site.manage("shell", "-c", "from tests.e2e import stage_lecture; stage_lecture.set_up()")
    with site.worker_held():  # who looks at pages needs no worker
        yield [f"/c/{slug}/" for slug in BEGAN]


@pytest.mark.parametrize("role", ROLES)
def test_every_page_of_a_lecture_is_sound(meet, contests, read, role):
    seen = look(meet, role, contests, read)
    assert seen.total() >= LEAST_PAGES[role], seen


def look(meet, role: str, contests: list[str], read: Read) -> Counter[str]:
    """Look at the pages of a role; how many there are of each view."""
    person = meet(role)
    person.log_in(ROLES[role].email, PASSWORD)
    start = contests if role == "teacher" else contests[1:]
    pages = walk(person, start, lambda path: bool(LECTURE.match(path)), read)
    seen, _opened = sound(person, pages)
    return seen
