# SPDX-License-Identifier: Apache-2.0
"""The demo contests, played through on a small table by the real services and tasks."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.bots.cast import BOTS
from pwscup.bots.playing import rounds as bots
from pwscup.contests.models import Contest, Dataset
from pwscup.contests.selectors import original_of
from pwscup.contests.teams.tables import n_teams_left
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.debriefings.models import Debriefing
from pwscup.debriefings.selectors import examples_in
from pwscup.debriefings.services import choose_examples
from pwscup.demo import cast, create, lesson, play
from pwscup.disclosure import ledger
from pwscup.leaderboards.services import final_boards
from pwscup.submissions import draws, tasks
from pwscup.submissions.models import Release, Submission
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.tables.reading import write_table
from tests.web.conftest import hear

STATES = Submission.State
LESSON = lesson.LECTURE
N_SERIES = len(BOTS) + len(cast.GUESTS[create.DEMO_SERIES])
ATTACKED = {
    create.FINISHED: len(BOTS),
    create.ROBUST: len(BOTS),
    create.DEMO_SERIES: N_SERIES,
    LESSON: len(lesson.TEAMS),
}
"""By contest how many teams there are, all of whose files are published and attacked."""
N_SYNTHETIC = len(create.HOUSES[create.SYNTHETIC])
N_ASKED = sum(bot.estimates for bot in BOTS)
N_ASKED_NOW = sum(bot.estimates for bot in BOTS[: create.RUNNING_HOUSES])
FIRST = 2 * N_SYNTHETIC + 3 * len(BOTS) + N_SERIES + 3 * create.RUNNING_HOUSES + len(lesson.TEAMS)
FIRST += N_ASKED + N_ASKED_NOW
"""Submitted first: synthetic tables in two stages, tables of four contests,
estimates in both rounds of two, and series of two others."""


@pytest.fixture
def demo(transactional_db, monkeypatch):
    monkeypatch.setattr(create, "N_RECORDS", 120)
    hear(monkeypatch, Submission)
    assert create.create()
    return {contest.slug: contest for contest in Contest.objects.filter(is_demo=True)}


def score_everything() -> None:
    for submission in Submission.objects.filter(state=STATES.WAITING):
        jobs.work_on(Submission, submission.pk)


def test_teams_are_there_before_the_submissions_that_have_earlier_times(demo):
    for slug, n_teams in ((create.FINISHED, len(BOTS)), (LESSON, len(lesson.TEAMS))):
        first = demo[slug].rounds.earliest("opens_at")
        assert demo[slug].teams.filter(created_at=first.opens_at).count() == n_teams


@pytest.mark.long
def test_house_teams_fill_both_rounds_of_the_finished_contests(demo, client):
    assert play.advance() == FIRST
    assert play.advance() == 0
    score_everything()
    assert_estimates_from_both_disclosures(demo[create.HIDDEN])
    assert_people_find_their_own_series(demo[create.DEMO_SERIES], client)
    tasks.sweep()
    releases = Release.objects.values_list("round__contest__slug", flat=True)
    assert Counter(releases) == ATTACKED | {create.SYNTHETIC: 2 * N_SYNTHETIC}
    n_pairs = sum(n * (n - 1) for n in ATTACKED.values())
    assert play.advance() == n_pairs + 2 * N_SYNTHETIC * (N_SYNTHETIC - 1)
    score_everything()
    assert set(Submission.objects.values_list("state", flat=True)) == {STATES.SCORED}
    assert play.advance() == 0
    assert_debriefings_have_examples(demo, client)
    assert_the_answers_to_gaming_show(demo, client)
    assert_the_lesson_can_be_walked_through(demo[LESSON], client)


def assert_debriefings_have_examples(demo, client):
    """One with the name of its team and one without; what organizers choose later stays."""
    for slug in play.EXPLAINED:
        jobs.work_on(Debriefing, demo[slug].debriefing.pk)
    play.advance()
    for slug in play.EXPLAINED:
        assert sorted(examples_in(demo[slug]).values()) == [False, True]
        assert client.get(f"/c/{slug}/debriefing/").text.count("debrief-class") == 2
    oscar = User.objects.get(email=cast.ORGANIZER.email)
    choose_examples(actor=oscar, contest=demo[LESSON], examples={})
    play.advance()
    assert not examples_in(demo[LESSON])


def assert_the_answers_to_gaming_show(demo, client):
    """Yamaoka keeps every amount and declares other rows: the best table by the rules of 2015 only."""
    found, medians = {}, {}
    for slug in (create.FINISHED, create.ROBUST):
        boards = final_boards(demo[slug], timezone.now())
        (found[slug],) = (r for r in boards["anonymization"]["rows"] if r["name"] == "Yamaoka")
        medians[slug] = boards["attack"]["average"]
    before, after = found.values()
    assert (before["rank"], before["worst_rank"]) == (1, 1)
    assert after["rank"] > 1
    assert after["worst_rank"] >= len(BOTS) // 2
    assert (after["worst_rate"], after["worst_by"]) == (1, "nearest-link")
    assert before["worst_rate"] < 0.1
    assert list(medians.values()) == ["mean", "median"]
    for slug, other in ((create.FINISHED, create.ROBUST), (create.ROBUST, create.FINISHED)):
        link = f'/c/{other}/board/"'
        for language in ("en", "ja"):
            page = client.get(f"/c/{slug}/news/", headers={"accept-language": language})
            assert link in page.text


def assert_the_lesson_can_be_walked_through(contest, client):
    """Candidates, blank records, talks, judges: totals of all four parts, and a page of each kind."""
    board = final_boards(contest, timezone.now())
    totals = [row["total"] for row in board["score"]["rows"]]
    assert len(set(totals)) == len(lesson.TEAMS)
    tables = Release.objects.filter(round__contest=contest).select_related("table")
    blank = {r.team.name: len(re.findall(rb"(?m)^,+$", storage.read(r.table))) for r in tables}
    assert blank["Aoi"] > 0
    assert not blank["Midori"]
    alice = cast.TEAMS["Aoi"][0]
    for person, path, seen in (
        (alice, "round/attack/", "candidate"),
        (alice, "round/presentation/", "87.50"),
        (cast.JUDGES[0], "round/presentation/marks/", "85"),
    ):
        client.login(email=person.email, password=cast.PASSWORD)
        page = client.get(f"/c/{contest.slug}/{path}")
        assert seen in page.text
    assert lesson.slides("x").endswith(b"%%EOF\n")


def assert_estimates_from_both_disclosures(hidden):
    assert hidden.samples.count() == 0
    for round in hidden.rounds.all():
        estimates = Submission.objects.filter(round=round)
        is_asked = round.key == "interactive"
        assert estimates.count() == (N_ASKED_NOW if is_asked else create.RUNNING_HOUSES)
        assert {estimate.state for estimate in estimates} == {STATES.SCORED}
    assert hidden.rounds.get(key="batch").batch_release.n_records == 120
    assert {answer.team.is_house for answer in hidden.rounds.last().answers.all()} == {True}
    estimates = Submission.objects.filter(round__kind="interactive")
    paid = estimates.annotate(spent=ledger.spent_before("arrived_at"))
    assert len(paid) == N_ASKED + N_ASKED_NOW
    assert all(one.spent for one in paid), "a curve shows estimates by what was spent before them"
    for bot in BOTS[: create.RUNNING_HOUSES]:
        theirs = paid.filter(team__name=bot.name, round__contest=hidden).order_by("arrived_at")
        spent = [one.spent for one in theirs]
        assert len(set(spent)) == bot.estimates, "each at another place of the curve"
        assert spent == sorted(spent)


def assert_people_find_their_own_series(series, client):
    (mine,) = Submission.objects.filter(round__contest=series, team__is_house=False)
    alice, bob = cast.TEAMS["Aoi"]
    assert mine.submitted_by.email == alice.email
    assert mine.team.memberships.count() == 2
    client.login(email=bob.email, password=cast.PASSWORD)
    page = client.get(reverse("submission", args=[mine.public_id]))
    assert page.status_code == 200
    assert cast.GUESTS[create.DEMO_SERIES]["Aoi"].series.note in page.content.decode()


@pytest.mark.long
def test_a_sweep_never_finds_some_of_the_tables_only(demo, monkeypatch):
    """What is scored of a round of the past is published at once, and the round is shut with it."""
    submit, calls = bots.services.submit, []

    def third_fails(**given):  # not by an Exception, which would be noted as a fault
        calls.extend(given["files"].keys() & {"anonymized"})
        if len(calls) == 3:
            raise SystemExit("the worker is killed")
        return submit(**given)

    monkeypatch.setattr(bots.services, "submit", third_fails)
    with pytest.raises(SystemExit, match="killed"):
        play.advance()
    tables = Submission.objects.filter(files__key="anonymized")
    assert not tables.exists()
    monkeypatch.undo()
    hear(monkeypatch, Submission)
    play.advance()
    assert tables.count() == 2 * len(BOTS) + create.RUNNING_HOUSES + len(lesson.TEAMS)


def test_what_a_first_start_makes_and_a_second_does_not_make_again(demo, client):
    assert_the_hidden_table_is_the_one_that_the_tutorial_makes(demo[create.HIDDEN])
    assert_the_running_contest_is_open_and_offers_a_sample(demo[create.RUNNING], client)
    assert_people_can_log_in(client)
    before = Contest.objects.count()
    assert not create.create()
    assert Contest.objects.count() == before
    assert_each_team_of_the_open_series_has_tables_of_its_own(demo)


def assert_the_hidden_table_is_the_one_that_the_tutorial_makes(hidden):
    made = write_table(households(120, seed=4), HOUSEHOLDS_SCHEMA)
    assert original_of(hidden).sealed.sha256 == sha256(made).hexdigest()


def assert_the_running_contest_is_open_and_offers_a_sample(running, client):
    assert {team.name for team in running.teams.filter(is_house=False)} == set(cast.TEAMS)
    assert running.samples.count() == 2
    page = client.get(f"/c/{running.slug}/").content.decode()
    assert running.title in page


def assert_people_can_log_in(client):
    teams = cast.TEAMS | cast.CLASSMATES
    for person in [cast.ORGANIZER, *cast.JUDGES, *(p for team in teams.values() for p in team)]:
        assert client.login(email=person.email, password=cast.PASSWORD)


def assert_each_team_of_the_open_series_has_tables_of_its_own(demo):
    opened = demo[create.SERIES_OPEN]
    assert {team.name for team in opened.teams.filter(is_house=False)} == set(cast.TEAMS)
    drawn = (opened, demo[create.DEMO_SERIES], demo[LESSON], demo[create.SYNTHETIC])
    assert draws.draw_due() == sum(contest.teams.count() for contest in drawn)
    for contest in (opened, demo[create.DEMO_SERIES]):
        assert set(Dataset.objects.filter(contest=contest, team=None).values_list("part")) == {
            (contest.teams.count(),)
        }
    assert n_teams_left(opened) > 0, "who comes to try it gets tables, too"
