"""The demo contests, played through on a small table by the real services and tasks."""

from __future__ import annotations

from hashlib import sha256

import pytest

from pwscup.bots import play as bots
from pwscup.bots.cast import BOTS
from pwscup.contests.models import Contest
from pwscup.contests.selectors import original_of
from pwscup.demo import cast, create, play
from pwscup.disclosure import ledger
from pwscup.submissions import tasks
from pwscup.submissions.models import Release, Submission
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.reading import write_table

STATES = Submission.State
FIRST = 3 * len(BOTS) + 3 * create.RUNNING_HOUSES
"""What is handed in at once: tables of two contests, and estimates in both rounds of two others."""


@pytest.fixture
def demo(transactional_db, monkeypatch):
    monkeypatch.setattr(create, "N_RECORDS", 120)
    monkeypatch.setattr(tasks, "send_score", lambda submission_id: None)
    assert create.create()
    return {contest.slug: contest for contest in Contest.objects.filter(is_demo=True)}


def score_everything() -> None:
    for submission in Submission.objects.filter(state=STATES.WAITING):
        tasks.score(submission.pk)


def test_house_teams_fill_both_rounds_of_the_finished_contest(demo):
    assert play.advance() == FIRST
    assert play.advance() == 0
    score_everything()
    tasks.sweep()
    assert Release.objects.count() == len(BOTS)
    assert play.advance() == len(BOTS) * (len(BOTS) - 1)
    score_everything()
    assert set(Submission.objects.values_list("state", flat=True)) == {STATES.SCORED}
    assert play.advance() == 0


def test_a_sweep_never_finds_some_of_the_tables_only(demo, monkeypatch):
    """What is scored of a round of the past is published at once, and the round is shut with it."""
    submit, calls = bots.services.submit, []

    def third_fails(**given):
        calls.extend(given["files"].keys() & {"anonymized"})
        if len(calls) == 3:
            raise RuntimeError("the worker is killed")
        return submit(**given)

    monkeypatch.setattr(bots.services, "submit", third_fails)
    with pytest.raises(RuntimeError, match="killed"):
        play.advance()
    tables = Submission.objects.filter(files__key="anonymized")
    assert not tables.exists()
    monkeypatch.undo()
    monkeypatch.setattr(tasks, "send_score", lambda submission_id: None)
    play.advance()
    assert tables.count() == len(BOTS) + create.RUNNING_HOUSES


def test_the_hidden_contest_has_estimates_from_both_disclosures(demo):
    play.advance()
    score_everything()
    hidden = demo[create.HIDDEN]
    assert hidden.samples.count() == 0
    for round in hidden.rounds.all():
        estimates = Submission.objects.filter(round=round)
        assert estimates.count() == create.RUNNING_HOUSES
        assert {estimate.state for estimate in estimates} == {STATES.SCORED}
    assert hidden.rounds.get(key="batch").batch_release.n_records == 120
    assert {answer.team.is_house for answer in hidden.rounds.last().answers.all()} == {True}
    estimates = Submission.objects.filter(round__kind="interactive")
    paid = estimates.annotate(spent=ledger.spent_before("arrived_at")).values_list(
        "spent", flat=True
    )
    assert len(paid) == len(BOTS) + create.RUNNING_HOUSES
    assert all(paid), "a curve shows estimates by what was spent before them"


def test_the_hidden_table_is_the_one_that_the_tutorial_makes(demo):
    made = write_table(households(120, seed=4), HOUSEHOLDS_SCHEMA)
    assert original_of(demo[create.HIDDEN]).sealed.sha256 == sha256(made).hexdigest()


def test_the_running_contest_is_open_and_offers_a_sample(demo, client):
    running = demo[create.RUNNING]
    assert {team.name for team in running.teams.filter(is_house=False)} == set(cast.TEAMS)
    assert running.samples.count() == 2
    page = client.get(f"/c/{running.slug}/").content.decode()
    assert running.title in page


def test_a_second_start_makes_nothing(demo):
    before = Contest.objects.count()
    assert not create.create()
    assert Contest.objects.count() == before


def test_demo_people_can_log_in(demo, client):
    for person in [cast.ORGANIZER, *(p for team in cast.TEAMS.values() for p in team)]:
        assert client.login(email=person.email, password=cast.PASSWORD)
