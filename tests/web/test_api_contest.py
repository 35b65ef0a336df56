# SPDX-License-Identifier: Apache-2.0
"""A whole contest through the API only, and the same one through the pages: the boards are equal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from pwscup.core import jobs
from pwscup.core.jobs.kinds import JOB_KINDS
from pwscup.core.models import Job
from pwscup.submissions import sweeper
from tests import factories
from tests.every import some
from tests.season.pages import Browser, Pages
from tests.season.programs import Answer, Caller, Programs
from tests.season.story import ORGANIZER, PEOPLE, PLANS, play
from tests.web.api import Program

pytestmark = pytest.mark.usefixtures("unsent")


def caller(program: Program) -> Caller:
    """The program as the story calls it."""

    def send(method, path, body, headers):
        rest = dict(headers)
        kind = rest.pop("Content-Type", "application/json")
        answer = program.send(method.lower(), path, body, kind, **rest)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        given = {name.lower(): value for name, value in answer.items()}
        return Answer(answer.status_code, given, content)

    return Caller(send)


def work() -> None:
    """Do the work of workers and clock of a site."""
    sweeper.sweep()
    for model in JOB_KINDS:
        for pk in list(model.objects.filter(state=Job.WAITING).values_list("pk", flat=True)):
            jobs.work_on(model, pk)


def log_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("name", some(1, PLANS))
def test_a_contest_by_program_has_the_boards_of_one_through_the_pages(db, name):
    users = {one: factories.make_user(one, is_organizer=one == ORGANIZER) for one in PEOPLE}
    programs = {one: caller(Program(user)) for one, user in users.items()}
    browsers = {one: Browser(log_in(user)) for one, user in users.items()}
    by_program = play(Programs(programs, work), PLANS[name])
    by_page = play(Pages(browsers, work), replace(PLANS[name], slug="pages"))
    assert by_program == by_page
    assert all("Red" in board and "Blue" in board for board in by_program.boards.values())
    assert "evaluations.json" in by_program.archived
