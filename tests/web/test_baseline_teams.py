# SPDX-License-Identifier: Apache-2.0
"""Baseline teams: organizers choose them, and the platform plays them in open rounds; faults stay their own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.bots import copies, live
from pwscup.bots.cast import BOTS, BY_NAME
from pwscup.contests import faults, services
from pwscup.contests.models import Contest
from pwscup.contests.organize import wizard
from pwscup.contests.policies import may_unpublish
from pwscup.contests.services.common import ContestRefused
from pwscup.contests.teams import tables
from pwscup.core.models import Event
from pwscup.core.texts.refusals import Refused
from pwscup.formats import FORMATS
from pwscup.formats.series import bots as series_bots
from pwscup.reports import certificates
from pwscup.submissions.judging import grades
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.services import SubmissionRefused
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from scoring.formats.sequential.guesses import (
    baseline_guesses,
    intersecting_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.rulesets import load_ruleset
from scoring.rulesets.kinds import BASELINE_TEAMS
from tests import factories
from tests.web import archives, pipeline, series
from tools import measure_series

GUESSES = (baseline_guesses, intersecting_guesses)
pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def lesson(cast) -> Contest:
    """A draft of the lesson, with tables."""
    contest = services.create_contest(
        actor=cast.oscar,
        ruleset="sequential-lesson",
        title="Lesson",
        starts_at=timezone.now() + timedelta(days=1),
    )
    services.attach_dataset(
        actor=cast.oscar,
        contest=contest,
        data=factories.hospital_tables(400),
        schema=HOSPITAL_SCHEMA,
    )
    return contest


def add(cast, contest: Contest, *names: str) -> None:
    for name in names:
        services.add_baseline_team(actor=cast.oscar, contest=contest, name=name)


def playing(contest: Contest) -> list[str]:
    return list(contest.teams.filter(is_house=True).values_list("name", flat=True))


def change(client, contest: Contest, **button: str) -> str:
    url = reverse("organize-baseline-teams", args=[contest.slug])
    return client.post(url, button, follow=True).content.decode()


# The choice


def test_every_bot_may_be_chosen_and_has_a_sentence_in_every_format():
    assert tuple(bot.name for bot in BOTS) == BASELINE_TEAMS
    for format in FORMATS.values():
        assert set(format.texts.BOTS) == set(BASELINE_TEAMS)


def test_the_lesson_has_its_baseline_team_from_the_beginning(cast, lesson):
    assert playing(lesson) == ["Swap"]
    event = Event.objects.get(kind="team.baseline_added", contest_id=lesson.pk)
    assert (event.actor, event.subject) == (cast.oscar, "team swap")
    steps = {step.section: step.is_done for step in wizard.steps(lesson, "teams")}
    assert not steps["teams"]
    n_people = lesson.datasets.get(team=None).n_people
    assert (
        tables.n_teams_left(lesson) == n_people // load_ruleset("sequential-lesson").data.sample - 1
    )


def test_a_contest_without_other_teams_can_still_be_unpublished(cast, lesson):
    services.publish(actor=cast.oscar, contest=lesson)
    assert may_unpublish(cast.oscar, lesson)
    services.unpublish(actor=cast.oscar, contest=lesson)
    assert not Contest.objects.get(pk=lesson.pk).is_published


def test_a_dry_run_has_no_second_baseline_team(cast, lesson):
    copy = copies.copy_for_bots(lesson, actor=cast.oscar)
    names = [team.name for team in copy.teams.all()]
    assert names.count("Swap") <= 1
    assert len(names) == copies.n_bots(lesson) + len(copies.CHEATING)
    assert playing(lesson) == ["Swap"]


def test_organizers_add_and_remove_baseline_teams(cast, oscar, lesson):
    page = oscar.get(reverse("organize-teams", args=[lesson.slug])).content.decode()
    assert "It publishes each table as if it were the first" in page
    assert "The baseline team is added." in change(oscar, lesson, add="Unify")
    assert playing(lesson) == ["Swap", "Unify"]
    assert "Another team of this contest already has this name." in change(
        oscar, lesson, add="Unify"
    )
    assert "The baseline team is removed." in change(oscar, lesson, remove="Swap")
    assert playing(lesson) == ["Unify"]
    assert Event.objects.get(kind="team.baseline_removed").subject == "team swap"
    for button in ({"add": "Nobody"}, {"remove": "Swap"}, {}):
        assert "There is no such baseline team." in change(oscar, lesson, **button)


def test_a_team_of_people_is_not_removed_as_a_baseline_team(cast, oscar, lesson):
    factories.make_team(lesson, "Noise", cast.alice)
    assert "There is no such baseline team." in change(oscar, lesson, remove="Noise")
    assert "already has this name" in change(oscar, lesson, add="Noise")


def test_no_baseline_team_is_added_where_no_people_are_left(cast, lesson):
    left = tables.n_teams_left(lesson)
    assert left < len(BASELINE_TEAMS)
    others = [name for name in BASELINE_TEAMS if name != "Swap"]
    add(cast, lesson, *others[:left])
    with pytest.raises(ContestRefused, match="none are left for another team"):
        add(cast, lesson, others[left])


def test_nothing_changes_once_the_first_round_has_closed(cast, oscar):
    contest = factories.make_series_contest(organizer=cast.oscar)
    add(cast, contest, "Swap")
    team = factories.make_team(contest, "Gold", cast.alice)
    series.hand_in(cast.alice, team, factories.series_of_team(team))
    pipeline.close(contest.rounds.first())
    for button in ({"add": "Unify"}, {"remove": "Swap"}):
        assert "baseline teams no longer change" in change(oscar, contest, **button)
    page = oscar.get(reverse("organize-teams", args=[contest.slug])).content.decode()
    assert "It publishes each table as if it were the first" in page
    assert 'name="add"' not in page
    assert 'name="remove" value="Swap"' not in page


def test_a_baseline_team_that_comes_after_the_first_submission_plays_like_the_others(cast, oscar):
    contest = factories.make_series_contest(organizer=cast.oscar)
    add(cast, contest, "Swap")
    team = factories.make_team(contest, "Gold", cast.alice)
    series.hand_in(cast.alice, team, factories.series_of_team(team))
    live.advance()
    assert "The baseline team is added." in change(oscar, contest, add="Unify")
    page = oscar.get(reverse("organize-teams", args=[contest.slug])).content.decode()
    assert 'name="remove" value="Unify"' in page
    assert 'name="remove" value="Swap"' not in page  # it has submitted
    assert live.advance() == 1
    for submission in Submission.objects.all():
        pipeline.scored(submission)
    assert set(series.publish(contest)) == {"Swap", "Unify", "Gold"}


def test_a_baseline_team_with_a_table_of_its_own_stays(cast):
    contest = factories.make_series_contest(organizer=cast.oscar)
    add(cast, contest, "Swap")
    factories.tables_of_team(contest.teams.get())
    with pytest.raises(Refused, match="cannot be removed"):
        services.remove_baseline_team(actor=cast.oscar, contest=contest, name="Swap")
    assert not may_unpublish(cast.oscar, contest)


# Playing


@pytest.fixture
def opened(cast) -> Contest:
    """The release round is open; Swap and Noise play, and Gold is a team of people."""
    contest = factories.make_series_contest(organizer=cast.oscar)
    add(cast, contest, "Swap", "Noise")
    factories.make_team(contest, "Gold", cast.alice)
    return contest


def test_baseline_teams_publish_and_attack_in_open_rounds(cast, opened):
    before = timezone.now()
    assert live.advance() == 2
    assert live.advance() == 0
    for submission in Submission.objects.all():
        assert submission.arrived_at >= before
        assert (submission.submitted_by, pipeline.scored(submission).state) == (None, "scored")
    gold = opened.teams.get(name="Gold")
    pipeline.scored(series.hand_in(cast.alice, gold, factories.series_of_team(gold)))
    assert set(series.publish(opened)) == {"Swap", "Noise", "Gold"}
    assert live.advance() == 4
    guesses = Submission.objects.exclude(target=None)
    assert {(g.team.name, g.target.team.name) for g in guesses} == {
        (bot, team)
        for bot in ("Swap", "Noise")
        for team in ("Swap", "Noise", "Gold")
        if bot != team
    }
    assert not faults.of(opened)


@pytest.mark.long
def test_each_sweep_does_a_bounded_number_of_attacks(cast, opened, monkeypatch):
    monkeypatch.setattr(live, "AT_ONCE", 1)
    live.advance()
    for submission in Submission.objects.all():
        pipeline.scored(submission)
    add_gold = opened.teams.get(name="Gold")
    pipeline.scored(series.hand_in(cast.alice, add_gold, factories.series_of_team(add_gold)))
    series.publish(opened)
    assert [live.advance() for _ in range(3)] == [2, 2, 0]


@pytest.mark.parametrize(
    "change",
    [
        {"paused_at": timezone.now()},
        {"is_published": False},
        {"is_demo": True},
        {"erased_at": timezone.now()},
    ],
)
def test_elsewhere_nobody_plays(opened, change):
    Contest.objects.filter(pk=opened.pk).update(**change)
    assert live.advance() == 0


def test_nobody_plays_in_rounds_that_are_over_or_for_copies(cast, opened):
    first = opened.rounds.first()
    pipeline.close(first)
    assert live.advance() == 0
    Contest.objects.filter(pk=opened.pk).update(rehearsal_of=cast.contest)
    now, hour = timezone.now(), timedelta(hours=1)
    pipeline.move(first, now - hour, now + hour)
    assert live.advance() == 0


def test_a_disqualified_baseline_team_and_one_of_another_name_stay_out(cast, opened):
    Team.objects.filter(contest=opened, name="Noise").update(name="Former")
    assert live.advance() == 1
    assert Submission.objects.get().team.name == "Swap"


def test_a_fault_of_a_bot_is_shown_once_and_hinders_nobody(cast, oscar, opened, monkeypatch):
    made = series_bots.series_of

    def breaks(microdata, way, spec):
        if way.forgets:
            raise ZeroDivisionError
        return made(microdata, way, spec)

    with monkeypatch.context() as broken:
        broken.setattr(series_bots, "series_of", breaks)
        assert [live.advance(), live.advance()] == [1, 0]
    assert Submission.objects.get().team.name == "Noise"
    [fault] = faults.of(opened)
    assert fault.words == "The baseline team “Swap” cannot play."
    assert Event.objects.filter(kind="contest.fault", contest_id=opened.pk).count() == 1
    assert live.advance() == 1
    assert not faults.of(opened)


@pytest.mark.parametrize(("code", "n_faults"), [("round.closed", 0), ("file.too_large", 1)])
def test_a_round_that_ends_meanwhile_is_no_fault(opened, monkeypatch, code, n_faults):
    def refuse(*_: object) -> int:
        raise SubmissionRefused(code, name="r.zip", expected=1)

    monkeypatch.setattr(live.rounds, "play_now", refuse)
    opened.teams.get(name="Noise").delete()
    assert live.advance() == 0
    assert len(faults.of(opened)) == n_faults


# Where they count


def test_baseline_teams_get_neither_certificates_nor_talks(cast, opened):
    names = [team.name for team in grades.speakers(opened.rounds.last())]
    assert names == ["Gold"]
    found = certificates.for_everybody(opened, timezone.now(), "en")
    assert [certificate.team for certificate in found] == names


@pytest.mark.long
def test_a_contest_with_baseline_teams_is_archived_and_comes_back(cast, opened):
    live.advance()
    for submission in Submission.objects.all():
        pipeline.scored(submission)
    series.publish(opened)
    live.advance()
    for submission in Submission.objects.exclude(target=None):
        pipeline.scored(submission)
    pipeline.close(opened.rounds.last())
    job = archives.imported(cast.oscar, archives.bytes_of(archives.written(opened, cast.oscar)))
    assert (job.state, job.problems, job.differences) == ("done", [], [])
    assert playing(job.contest) == ["Swap", "Noise"]
    Contest.objects.filter(pk=job.contest_id).update(is_published=True)
    assert live.advance() == 0
    assert Release.objects.filter(round__contest=job.contest).count() == 2


# The lesson


def test_in_the_lesson_the_attack_on_the_baseline_team_succeeds_and_on_an_m_invariant_series_hardly():
    spec = load_ruleset("sequential-lesson")
    assert [round.minutes for round in spec.rounds] == [30, 30]
    [own] = measure_series.first_teams(spec.data.sample, 6, seed=1, n=1)
    truth, rates = true_values(own), {}
    for name in ("Swap", "Noise"):
        made = series_bots.series_of(own, BY_NAME[name].series, spec.sequential)
        found = [values_of(g(own, made.releases), own) for g in GUESSES]
        rates[name] = mark_values(truth, *found, m=spec.sequential.m).rate
    assert rates["Swap"] > 0.08
    assert rates["Noise"] < rates["Swap"] / 2
