# SPDX-License-Identifier: Apache-2.0
"""The cast: alice captains a team, bob is in it, carol is in another, oscar organizes, eve has an account only."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.db import connection
from django.middleware import csrf
from django.test import Client
from django.utils import timezone, translation

from pwscup.accounts.models import User
from pwscup.archives.models import Archive, ContestImport
from pwscup.audits.models import Audit
from pwscup.bots.models import Rehearsal
from pwscup.contests import services
from pwscup.contests.models import Contest, Round
from pwscup.core.db import recent
from pwscup.core.jobs import kinds
from pwscup.debriefings.models import Debriefing
from pwscup.experiments.models import Experiment
from pwscup.leaderboards import kept, pages, polls
from pwscup.leaderboards import services as board_services
from pwscup.reports.models import FinalReport
from pwscup.submissions.models import Rescore, Submission
from scoring.formats.sequential import queries
from tests import factories
from tests.web.pipeline import hand_in


@pytest.fixture(autouse=True)
def private_files(settings, tmp_path, monkeypatch):
    """In a folder of the test's own, whose files need not survive a loss of power."""
    settings.PRIVATE_ROOT = tmp_path / "files"
    monkeypatch.setattr(os, "fsync", lambda _file: None)


@pytest.fixture(autouse=True)
def site_language():
    """The language of the last page stays with the thread: each test begins in the site's own."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def plain_token(monkeypatch):
    """Every page has a token of 64 random letters, in which a short name would stand now and then."""
    monkeypatch.setattr(csrf, "_get_new_csrf_string", lambda: csrf.CSRF_SECRET_LENGTH * "a")


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    """Tests write facts past the services, which are what says that something changed: forget with every write.

    And they look at what the templates of boards are given: no rendered board is kept, and none rests.
    """

    def forgetting(execute, sql, params, many, context):
        if not sql.startswith("SELECT"):
            recent.forget_all()
        return execute(sql, params, many, context)

    monkeypatch.setattr(pages, "RENDERED", recent.Recent(0))
    monkeypatch.setattr(kept, "FRAMES", recent.Recent(0))
    monkeypatch.setattr(board_services, "REST", 0)
    monkeypatch.setattr(polls, "BEHIND_SECONDS", 0)
    recent.forget_all()
    with connection.execute_wrapper(forgetting):
        yield


@pytest.fixture(autouse=True)
def few_queries(monkeypatch):
    """A score of releases asks 1,000 queries, of which pages need only a few."""
    monkeypatch.setattr(queries, "N_QUERIES", 20)


@pytest.fixture
def noon(monkeypatch) -> datetime:
    """The clock stands still at noon in Tokyo, in every run on the same day; to be asked for first."""
    now = datetime(2031, 5, 14, 3, 0, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    return now


@pytest.fixture
def cast(db) -> SimpleNamespace:
    return make_cast()


def make_cast() -> SimpleNamespace:
    """The people, a contest in its anonymization round, and the two teams."""
    people = {name: factories.make_user(name) for name in ("alice", "bob", "carol", "eve")}
    oscar = factories.make_user("oscar", is_organizer=True)
    contest = factories.make_contest(organizer=oscar)
    return SimpleNamespace(
        **people,
        oscar=oscar,
        contest=contest,
        red=factories.make_team(contest, "Red", people["alice"], people["bob"]),
        blue=factories.make_team(contest, "Blue", people["carol"]),
    )


@pytest.fixture
def as_user():
    """Return a logged-in client of a user; None is the anonymous visitor."""

    def log_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return log_in


@pytest.fixture
def oscar(cast, as_user) -> Client:
    """The organizer's browser."""
    return as_user(cast.oscar)


@pytest.fixture
def draft(cast) -> Contest:
    """A contest as it is created: rounds, no table, not public."""
    return services.create_contest(
        actor=cast.oscar,
        ruleset="pwscup2015",
        title="Next Cup",
        slug="next",
        starts_at=datetime(2031, 1, 10, 1, 0, tzinfo=UTC),
    )


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """The keys of the submissions that the broker was told of; nobody works on them meanwhile."""
    return hear(monkeypatch, Submission)


def hear(monkeypatch, *models) -> list[int]:
    """The keys of the rows of these models that the broker hears of; nobody works on them meanwhile."""
    keys: list[int] = []
    labels = {model._meta.label_lower for model in models}
    send = kinds.send_soon

    def heard(task, label, pk, **options):
        if label in labels:
            keys.append(pk)
        else:
            send(task, label, pk, **options)

    monkeypatch.setattr(kinds, "send_soon", heard)
    return keys


@pytest.fixture
def announced(monkeypatch) -> list[int]:
    """The keys of the long jobs that the broker has heard of; nobody works on them meanwhile."""
    return hear(monkeypatch, Audit, Debriefing, Experiment, FinalReport, Rehearsal, Rescore)


@pytest.fixture
def unsent(monkeypatch, sent, announced, settings) -> None:
    """The broker hears of no job: the test works on it. No lease is renewed next to its transaction."""
    settings.SCORING_HEARTBEAT_SECONDS = 3600
    hear(monkeypatch, Archive, ContestImport)


@pytest.fixture
def round(cast) -> Round:
    """The anonymization round, open."""
    return cast.contest.rounds.get(key="anonymization")


@pytest.fixture
def submission(cast, round) -> Submission:
    """What alice has handed in for Red."""
    return hand_in(cast.alice, cast.red, round)
