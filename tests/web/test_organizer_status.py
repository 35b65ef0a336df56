# SPDX-License-Identifier: Apache-2.0
"""The organizer's first page: what to do before the start, during the contest, and after the last round."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import OfficeInvitation
from pwscup.contests import services
from pwscup.contests.models import Contest
from pwscup.notices.models import Question
from pwscup.submissions.decisions import appeals
from scoring.tables.schema import Schema
from tests import factories
from tests.web import pipeline

STATUS = "/organize/cup/"
pytestmark = pytest.mark.usefixtures("unsent")


def page(client, path: str = STATUS) -> str:
    return client.get(path).content.decode()


def test_warnings_about_the_confirmed_table_stand_in_the_checklist(cast, oscar):
    dataset = cast.contest.datasets.get(team=None)
    text = re.sub(r"e4_column = .*\n", "", dataset.schema_text)
    assert Schema.from_toml(text).e4_column is None
    cast.contest.datasets.update(schema_text=text)
    Contest.objects.update(is_published=False)
    shown = page(oscar)
    assert "Warnings about the columns" in shown
    assert "Attack E4 has no column to use." in shown
    assert 'href="/organize/cup/data/#columns"' in shown
    Contest.objects.update(is_published=True)
    assert "Warnings about the columns" not in page(oscar)


def test_open_questions_and_appeals_are_counted_on_the_page_and_in_the_menu(cast, oscar, round):
    assert "Open questions" not in page(oscar)
    assert "tab-count" not in page(oscar).partition('class="organize-side"')[2]
    submission = pipeline.hand_in(cast.alice, cast.red, round)
    pipeline.scored(submission)
    appeals.write(user=cast.alice, submission=submission, text="Is E2 right?")
    for text in ("When?", "Where?"):
        Question.objects.create(
            contest=cast.contest, team=cast.red, asked_by=cast.alice, subject=text, text=text
        )
    shown = page(oscar)
    assert '<a href="/organize/cup/questions/">Open questions</a>: 2' in shown
    assert '<a href="/organize/cup/decisions/">Open appeals</a>: 1' in shown
    for title, n in (("Questions", 2), ("Decisions", 1)):
        assert shown.count(f'>{title} <span class="tab-count">{n}</span>') == 2
    appeals.write(user=cast.oscar, submission=submission, text="Yes.", closes=True)
    assert appeals.n_open_appeals(cast.contest) == len(appeals.open_appeals(cast.contest)) == 0
    assert "Open appeals" not in page(oscar)


def test_the_public_address_is_shown_once_there_is_one(cast, oscar):
    assert 'value="http://testserver/c/cup/"' in page(oscar)
    Contest.objects.update(is_published=False)
    assert "Public address" not in page(oscar)


def test_the_closing_checklist_names_what_is_left(cast, oscar):
    assert "After the last round" not in page(oscar)
    for one in cast.contest.rounds.all():
        pipeline.close(one)
    Contest.objects.update(frozen_at=timezone.now() - timedelta(days=1), commitment="ab" * 32)
    items = oscar.get(STATUS).context["closing"]
    assert [item.title for item in items] == [
        "Freeze and ceremony",
        "Debriefing",
        "Final report",
        "Certificates",
        "Secret of the random draws",
        "Archive",
    ]
    assert not any(item.is_done for item in items)
    assert "After the last round" in page(oscar)
    Contest.objects.update(frozen_at=None, commitment="", revealed_at=None)
    cast.contest.final_reports.create(published_at=timezone.now(), state="done")
    cast.contest.archives.create(state="done")
    items = {item.title: item for item in oscar.get(STATUS).context["closing"]}
    assert items["Freeze and ceremony"].is_done
    assert (items["Final report"].state, items["Archive"].state) == ("published", "created")
    assert "Secret of the random draws" not in items


def test_a_paused_contest_is_called_paused(cast, oscar):
    assert "The contest is running" in page(oscar)
    services.pause(actor=cast.oscar, contest=cast.contest, reason="Flood.")
    shown = page(oscar)
    assert "<h1>The contest is paused</h1>" in shown
    assert "on schedule" not in shown
    assert "stands still until you resume it" in shown


def test_judges_are_asked_for_where_there_are_presentations(cast, oscar):
    assert "Invite judge" not in page(oscar)
    OfficeInvitation.objects.create(contest=cast.contest, office="judge", email="j@example.org")
    assert "Invite judge" in page(oscar)
    lecture = factories.make_lecture_contest(organizer=cast.oscar)
    assert "Invite judge" in page(oscar, f"/organize/{lecture.slug}/")


@pytest.mark.parametrize(("n", "words"), [(0, "0 teams: the"), (1, "1 team: the"), (2, None)])
def test_a_contest_with_attacks_needs_two_teams(cast, oscar, n, words):
    for team in list(cast.contest.teams.all())[n:]:
        team.delete()
    shown = page(oscar)
    assert ("contest needs at least 2." in shown) == (words is not None)
    assert words is None or words in shown
    assert ("/teams/#baseline-title" in shown) == (words is not None)


def test_status_asks_as_much_for_many_teams_as_for_few(cast, oscar):
    def n_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert oscar.get(reverse("organize-contest", args=["cup"])).status_code == 200
        return len(queries)

    few = n_queries()
    for number in range(20):
        factories.make_team(cast.contest, f"T{number}")
    assert n_queries() == few
