# SPDX-License-Identifier: Apache-2.0
"""Trials in the browser: from the page of a round to a submission, in every format that offers some."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import Membership
from pwscup.contests.models import Contest
from pwscup.contests.services import create_contest, retention
from pwscup.core import jobs
from pwscup.core.models import Event, StoredFile
from pwscup.submissions import draws, releases
from pwscup.submissions.models import Submission
from pwscup.trials import services
from pwscup.trials.jobs import give_up
from pwscup.trials.models import Trial
from tests import factories
from tests.web import lecture, pipeline, series
from tests.web.conftest import hear
from tests.web.pipeline import round_of


@pytest.fixture(autouse=True)
def asked(monkeypatch, unsent) -> list[int]:
    """The keys of the trials that the broker hears of: tests work on them."""
    return hear(monkeypatch, Trial)


def switched_on(contest: Contest) -> Contest:
    Contest.objects.filter(pk=contest.pk).update(has_trials=True)
    contest.has_trials = True
    return contest


def worked(trial: Trial) -> Trial:
    jobs.work_on(Trial, trial.pk)
    trial.refresh_from_db()
    return trial


def begin(client, round, **chosen) -> Trial:
    """Send the choice of a student, and do the work of the worker."""
    response = client.post(reverse("trials", args=[round.contest.slug, round.key]), chosen)
    assert response.status_code == 302, response.content.decode()
    assert response["Location"].startswith("/t/")
    return worked(Trial.objects.latest("pk"))


def submitted(client, trial: Trial) -> Submission:
    response = client.post(reverse("trial-submit", args=[trial.public_id]))
    assert response["Location"].startswith("/s/")
    submission = Submission.objects.latest("pk")
    jobs.work_on(Submission, submission.pk)
    submission.refresh_from_db()
    return submission


@pytest.fixture
def lesson(cast):
    """A lecture contest with trials, whose tables have been drawn."""
    played = lecture.contest_of(cast)
    switched_on(played.contest)
    for team in (played.red, played.blue):
        draws.ensure_drawn(team)
    return played


# From the page to the submission


def test_a_student_of_a_lecture_tries_a_method_and_submits_its_table(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    page = reverse("round", args=[lesson.contest.slug, round.key])
    address = reverse("trials", args=[lesson.contest.slug, round.key])
    assert f'href="{address}"' in alice.get(page).content.decode()
    offered = alice.get(address).context["form"].offered
    assert list(offered) == ["levels", "mondrian", "exposed", "laplace", "response", "rank-swap"]
    for method in offered.values():
        chosen = {f"{method.key}-{s.name}": s.default for s in method.sliders}
        trial = begin(alice, round, method=method.key, **chosen)
        assert (trial.state, trial.problems) == ("done", []), method.key
    trial = Trial.objects.get(steps__0__method="exposed")
    found = alice.get(reverse("trial", args=[trial.public_id]))
    assert (trial.facts["n_records"], trial.facts["n_deleted"]) == (5, 5)
    assert found.context["utility"] == pytest.approx(50)
    assert trial.facts["attack"]["n_known"] == 20
    submission = submitted(alice, trial)
    assert submission.state == "scored"
    assert submission.evaluations.get().values == trial.values
    assert submission.note == "Delete the most exposed records (n = 5)"
    again = alice.post(reverse("trial-submit", args=[trial.public_id]))
    assert again["Location"] == reverse("submission", args=[submission.public_id])
    assert Submission.objects.count() == 1


def test_a_trial_continues_the_one_before(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    first = begin(alice, round, method="exposed", **{"exposed-n": 3})
    second = begin(alice, round, method="rank-swap", base=1, **{"rank-swap-p": 20})
    assert [step["method"] for step in second.steps] == ["exposed", "rank-swap"]
    assert second.steps[0] == first.steps[0]
    assert second.facts["n_deleted"] == 3
    data = alice.get(reverse("trial-file", args=[second.public_id, "anonymized"])).content
    assert data.startswith(b"\xef\xbb\xbf")  # for Excel
    own = lecture.records_of(lecture.own_table(lesson.red))
    for name, before, after in zip(
        own[0],
        zip(*own[1:], strict=True),
        zip(*lecture.records_of(data)[1:], strict=True),
        strict=True,
    ):
        assert set(after) <= {*before, ""}, name


def test_a_team_of_a_cup_tries_a_method(cast, as_user, round):
    switched_on(cast.contest)
    alice = as_user(cast.alice)
    for method, value in (("mondrian-k", 2), ("noise-scale", 0.1), ("rank-swap-p", 30)):
        trial = begin(alice, round, method=method.rpartition("-")[0], **{method: value})
        assert (trial.state, trial.problems) == ("done", [])
    submission = submitted(alice, trial)
    assert submission.state == "scored"
    assert {file.key for file in submission.files.all()} == {"anonymized", "rows"}
    assert trial.values == submission.evaluations.get().values


def test_a_team_publishes_a_series(cast, as_user):
    played = series.contest_of(cast)
    switched_on(played.contest)
    alice, round = as_user(cast.alice), round_of(played.contest, "anonymization")
    trial = begin(alice, round, method="m-invariance", **{"m-invariance-m": 2})
    assert (trial.state, trial.problems) == ("done", [])
    page = alice.get(reverse("trial", args=[trial.public_id])).content.decode()
    assert "individuals" in page
    assert submitted(alice, trial).state == "scored"


@pytest.mark.parametrize("attacker", ["gower", "nearest", "one-each"])
def test_a_first_attack_among_candidates(lesson, cast, as_user, attacker):
    for user, team in ((cast.alice, lesson.red), (cast.carol, lesson.blue)):
        pipeline.scored(lecture.hand_in(user, team, lecture.own_table(team)))
    target = lecture.publish(lesson.contest)["Blue"]
    alice = as_user(cast.alice)
    assert (
        "?target=blue"
        in alice.get(
            reverse("round", args=[lesson.contest.slug, target.round.key])
        ).content.decode()
    )
    trial = begin(alice, target.round, method=attacker, target="blue")
    assert (trial.state, trial.target, trial.values) == ("done", target, {})
    page = alice.get(reverse("trial", args=[trial.public_id])).content.decode()
    assert "%" not in page[page.index("Guesses for") : page.index("Only your team sees them")]
    submission = submitted(alice, trial)
    assert (submission.state, submission.target) == ("scored", target)
    # The table was published as it is: who compares whole records finds all of them.
    assert attacker == "nearest" or submission.evaluations.get().values["hits"] == 10


def test_the_same_attack_on_one_target_after_another(lesson, cast, as_user):
    green = factories.make_team(lesson.contest, "Green", cast.eve)
    for user, team in (
        (cast.alice, lesson.red),
        (cast.carol, lesson.blue),
        (cast.eve, green),
    ):
        draws.ensure_drawn(team)
        pipeline.scored(lecture.hand_in(user, team, lecture.own_table(team)))
    target = lecture.publish(lesson.contest)["Blue"]
    alice = as_user(cast.alice)
    trial = begin(alice, target.round, method="one-each", target="blue")
    address = reverse("trial", args=[trial.public_id])
    assert "attack Green next" in alice.get(address).content.decode()
    alice.post(reverse("trial-submit", args=[trial.public_id]), {"next": "1"})
    following = worked(Trial.objects.latest("pk"))
    assert (following.target.team, following.state) == (green, "done")
    assert following.steps[0]["method"] == "one-each"
    page = alice.get(reverse("trial", args=[following.public_id]))
    assert page.context["next_target"] is None
    sent = alice.post(reverse("trial-submit", args=[following.public_id]), {"next": "1"})
    assert sent["Location"].startswith("/s/")
    handed_in = Submission.objects.filter(team=lesson.red).exclude(target=None)
    assert {submission.target.team for submission in handed_in} == {lesson.blue, green}


def test_a_first_attack_in_a_cup(cast, as_user, round):
    switched_on(cast.contest)
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    attack = pipeline.open_attack(cast.contest)
    releases.publish(attack)
    alice = as_user(cast.alice)
    assert submitted(alice, begin(alice, attack, method="nearest", target="blue")).state == "scored"


@pytest.mark.long
def test_a_first_guess_of_values(cast, as_user):
    played = series.contest_of(cast)
    switched_on(played.contest)
    for user, team in ((cast.alice, played.red), (cast.carol, played.blue)):
        pipeline.scored(series.hand_in(user, team, factories.series_of_team(team)))
    target = series.publish(played.contest)["Blue"]
    alice = as_user(cast.alice)
    trial = begin(alice, target.round, method="intersection", target="blue")
    assert submitted(alice, trial).state == "scored"


def test_the_page_takes_as_many_queries_for_many_trials_as_for_few(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    address = reverse("trials", args=[lesson.contest.slug, round.key])
    counted = []
    for _ in range(2):
        begin(alice, round, method="exposed", **{"exposed-n": 1})
        begin(alice, round, method="exposed", **{"exposed-n": 2})
        with CaptureQueriesContext(connection) as queries:
            assert alice.get(address).status_code == 200
        counted.append(len(queries))
    assert counted[0] == counted[1]


# Who sees what


def test_only_members_of_the_team_see_a_trial(lesson, cast, as_user):
    round = round_of(lesson.contest, "anonymization")
    trial = begin(as_user(cast.alice), round, method="rank-swap", **{"rank-swap-p": 5})
    addresses = [
        reverse("trial", args=[trial.public_id]),
        reverse("trial-status", args=[trial.public_id]),
        reverse("trial-file", args=[trial.public_id, "anonymized"]),
    ]
    for address in addresses:
        assert as_user(cast.bob).get(address).status_code == 200
        for other in (cast.carol, cast.eve, cast.oscar, None):
            assert as_user(other).get(address).status_code == 404
    send = reverse("trial-submit", args=[trial.public_id])
    assert as_user(cast.carol).post(send).status_code == 404
    listed = as_user(cast.carol).get(reverse("trials", args=[lesson.contest.slug, round.key]))
    assert listed.context["kept"] == []


def test_a_trial_opens_nothing_of_the_answer_key(lesson, cast, as_user):
    """Neither sealed files nor seeds; what it shows and keeps names no record of another team or of the decoys."""
    round = round_of(lesson.contest, "anonymization")
    before = Event.objects.filter(kind="truth.read").count()
    alice = as_user(cast.alice)
    trials = [
        begin(alice, round, method=key, **values)
        for key, values in (
            ("levels", {"levels-quasi_identifiers": 1, "levels-sensitive": 1}),
            ("mondrian", {"mondrian-k": 3}),
            ("exposed", {"exposed-n": 2}),
        )
    ]
    assert Event.objects.filter(kind="truth.read").count() == before
    whole = lecture.records_of(factories.lecture_table())[1:]
    own = lecture.drawn(lesson.red)["own"]
    shown = "".join(
        alice.get(reverse("trial", args=[trial.public_id])).content.decode()
        + repr((trial.facts, trial.values, trial.steps))
        for trial in trials
    )
    for row, (_name, _age, town, _balance) in enumerate(whole):
        assert row in own or town not in shown
    assert str(trials[0].steps[0]["seed"]) in shown


def test_a_hidden_measure_stays_hidden(lesson, cast, as_user):
    Contest.objects.filter(pk=lesson.contest.pk).update(hidden_measures=["LOSS"])
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    trial = begin(alice, round, method="rank-swap", **{"rank-swap-p": 5})
    assert "LOSS" not in trial.values
    assert alice.get(reverse("trial", args=[trial.public_id])).context["utility"] is None


# What is refused


def answer(client, round, **chosen) -> tuple[int, str]:
    response = client.post(reverse("trials", args=[round.contest.slug, round.key]), chosen)
    return response.status_code, response.content.decode()


def test_numbers_outside_of_the_slider_are_refused(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    for value in ("51", "0", "x", ""):
        status, page = answer(alice, round, method="exposed", **{"exposed-n": value})
        assert (status, "Number of records" in page) == (422, True)
    assert answer(alice, round, method="unknown")[0] == 422
    assert answer(alice, round)[0] == 422
    # The number of a method that is not chosen plays no part.
    begin(alice, round, method="rank-swap", **{"rank-swap-p": 5, "exposed-n": "x"})


def test_one_at_a_time_and_a_few_a_minute(lesson, cast, as_user, settings):
    settings.TRIALS_PER_MINUTE = 2
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    chosen = {"method": "rank-swap", "rank-swap-p": 5}
    assert answer(alice, round, **chosen)[0] == 302
    status, page = answer(as_user(cast.bob), round, **chosen)
    assert (status, "not done yet" in page) == (422, True)
    assert answer(as_user(cast.carol), round, **chosen)[0] == 302
    worked(Trial.objects.get(team=lesson.red))
    begin(alice, round, **chosen)
    status, page = answer(alice, round, **chosen)
    assert (status, "2 trials per minute" in page) == (422, True)


def test_the_last_trials_are_kept_with_their_files(lesson, cast, as_user, settings, monkeypatch):
    monkeypatch.setattr(services, "KEPT", 2)
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    n_files = StoredFile.objects.count()
    for _ in range(4):
        begin(alice, round, method="exposed", **{"exposed-n": 1})
    assert list(Trial.objects.values_list("number", flat=True)) == [3, 4]
    assert StoredFile.objects.count() == n_files + 2


def test_no_trial_in_a_closed_round_a_pause_or_without_the_switch(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    chosen = {"method": "rank-swap", "rank-swap-p": 5}
    made = begin(alice, round, **chosen)
    page = reverse("trials", args=[lesson.contest.slug, round.key])
    contests = Contest.objects.filter(pk=lesson.contest.pk)
    contests.update(paused_at=timezone.now() - timedelta(minutes=1))
    assert "paused" in answer(alice, round, **chosen)[1]
    assert alice.get(page).context["form"] is None
    contests.update(paused_at=None)
    pipeline.move(round, timezone.now() - timedelta(hours=2), timezone.now() - timedelta(hours=1))
    assert "closed" in answer(alice, round, **chosen)[1]
    sent = alice.post(reverse("trial-submit", args=[made.public_id]), follow=True)
    assert "after the deadline" in sent.content.decode()
    assert not Submission.objects.exists()
    contests.update(has_trials=False)
    assert answer(alice, round, **chosen)[0] == 404
    assert alice.get(page).status_code == 404


def test_the_terms_come_before_the_first_record(lesson, cast, as_user):
    Contest.objects.filter(pk=lesson.contest.pk).update(terms="Keep the data to yourself.")
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    address = reverse("trials", args=[lesson.contest.slug, round.key])
    page = alice.get(address)
    assert (page.context["form"], "terms" in page.context["gate"].url) == (None, True)
    sent = alice.post(address, {"method": "rank-swap", "rank-swap-p": 5})
    assert sent["Location"].startswith(reverse("terms", args=[lesson.contest.slug]))
    assert not Trial.objects.exists()


def test_no_attack_is_tried_before_there_is_a_target(lesson, cast, as_user):
    now = timezone.now()
    round = round_of(lesson.contest, "attack")
    lesson.contest.rounds.filter(pk=round.pk).update(opens_at=now - timedelta(hours=1))
    address = reverse("trials", args=[lesson.contest.slug, round.key])
    answer = as_user(cast.alice).post(address, {"method": "gower"})
    assert (answer.status_code, Trial.objects.count()) == (422, 0)


def test_the_terms_come_before_the_records_of_a_trial_of_another_member(lesson, cast, as_user):
    round = round_of(lesson.contest, "anonymization")
    trial = begin(as_user(cast.alice), round, method="rank-swap", **{"rank-swap-p": 5})
    mate = factories.make_user("mate")
    Membership.objects.create(user=mate, team=lesson.red, contest=lesson.contest)
    Contest.objects.filter(pk=lesson.contest.pk).update(terms="Keep the data to yourself.")
    terms = reverse("terms", args=[lesson.contest.slug])
    pages = [("trial", trial.public_id), ("trial-file", trial.public_id, "anonymized")]
    for name, *args in pages:
        answer = as_user(mate).get(reverse(name, args=args))
        assert answer.get("Location", "").startswith(terms), name


def test_the_problems_of_a_method_are_shown_in_both_languages(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    trial = begin(alice, round, method="mondrian", **{"mondrian-k": 20})
    assert trial.state == "refused"
    address = reverse("trial", args=[trial.public_id])
    shown = {
        language: alice.get(address, headers={"accept-language": language}).context["problems"]
        for language in ("en", "ja")
    }
    assert shown["en"][0].what != shown["ja"][0].what
    assert "20" in " ".join(shown["en"][0].details)


# Jobs


def test_a_worker_that_was_killed_leaves_the_trial_to_the_next(
    lesson, cast, as_user, asked, django_capture_on_commit_callbacks
):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    with django_capture_on_commit_callbacks(execute=True):
        answer(alice, round, method="rank-swap", **{"rank-swap-p": 5})
    trial = Trial.objects.get()
    assert asked == [trial.pk]
    dead = jobs.claim(Trial, trial.pk)
    status = alice.get(reverse("trial-status", args=[trial.public_id]))
    assert "being tried" in status.content.decode()
    Trial.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    jobs.sweep()
    assert worked(trial).state == "done"
    assert not jobs.attend(dead)
    assert trial.files.count() == 1


def test_a_method_that_takes_too_long_is_a_problem_of_the_method(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    answer(alice, round, method="rank-swap", **{"rank-swap-p": 5})
    trial = Trial.objects.get()
    assert give_up(jobs.claim(Trial, trial.pk), "reference", True)
    trial.refresh_from_db()
    assert (trial.state, trial.problems[0]["code"]) == ("refused", "submission.too_slow")


# Organizers


def test_the_switch_is_on_in_a_lecture_and_off_in_a_cup(cast, oscar):
    when = timezone.now() + timedelta(days=1)
    made = {
        name: create_contest(actor=cast.oscar, ruleset=name, title=name, starts_at=when)
        for name in ("pets-lecture", "pwscup2015", "sequential-release", "dp-disclosure")
    }
    assert {name: contest.has_trials for name, contest in made.items()} == {
        "pets-lecture": True,
        "pwscup2015": False,
        "sequential-release": False,
        "dp-disclosure": False,
    }
    hidden = oscar.get(reverse("organize-settings", args=[made["dp-disclosure"].slug]))
    assert "has_trials" not in hidden.context["form"].fields
    cup = made["pwscup2015"]
    address = reverse("organize-settings", args=[cup.slug])
    assert "has_trials" in oscar.get(address).context["form"].fields
    fields = ("title", "title_ja", "summary", "summary_ja", "timezone", "admission", "version")
    values = {name: getattr(cup, name) for name in fields} | {"max_team_size": 3}
    assert oscar.post(address, values | {"has_trials": "on"}).status_code == 302
    cup.refresh_from_db()
    assert cup.has_trials
    event = Event.objects.filter(kind="contest.settings_changed").latest("pk")
    assert event.data["has_trials"] == [False, True]
    assert "methods in the browser" in oscar.get(reverse("rules", args=[cup.slug])).content.decode()


def test_the_data_of_trials_are_deleted_with_those_of_the_contest(lesson, cast, as_user):
    alice, round = as_user(cast.alice), round_of(lesson.contest, "anonymization")
    trial = begin(alice, round, method="rank-swap", **{"rank-swap-p": 5})
    past = timezone.now() - timedelta(days=20)
    for number, each in enumerate(lesson.contest.rounds.all()):
        pipeline.move(
            each, past + timedelta(hours=number), past + timedelta(hours=number, minutes=9)
        )
    retention.erase(actor=cast.oscar, contest=fresh(lesson.contest))
    trial.refresh_from_db()
    assert trial.facts == {}
    assert trial.files.get().file.erased_at
    page = alice.get(reverse("trial", args=[trial.public_id]))
    assert "were deleted" in page.content.decode()
    assert alice.get(reverse("trial-file", args=[trial.public_id, "anonymized"])).status_code == 404


def fresh(contest: Contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)
