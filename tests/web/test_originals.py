# SPDX-License-Identifier: Apache-2.0
"""Several originals of a team, of which it chooses one for each submission."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from pwscup.bots import services as bots
from pwscup.bots.models import Rehearsal
from pwscup.contests.models import Contest
from pwscup.contests.teams import tables
from pwscup.core import jobs, seals
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.submissions import draws, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.proof.receipts import receipt_of
from pwscup.submissions.proof.reveals import purposes_of
from pwscup.trials import services as trials
from pwscup.trials.models import Trial
from scoring.proof.reveals import checks_of_receipt
from scoring.rulesets import parse_ruleset
from tests import factories
from tests.web import lecture, pipeline
from tests.web.api import Program, codes
from tests.web.archives import bytes_of, imported, written
from tests.web.pipeline import scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]


def ruleset():
    """The lecture's rules with two originals of ten records for each team."""
    text = factories.lecture_ruleset().text
    return parse_ruleset(text.replace("sample = 10", "sample = 10\noriginals = 2"))


@pytest.fixture
def cup(cast):
    found = lecture.contest_of(cast, ruleset=ruleset())
    for team in (found.red, found.blue):
        draws.ensure_drawn(team)
    return found


def own(team, number) -> bytes:
    return storage.read(tables.table_of(team, number).public)


def loss(submission) -> float:
    assert submission.state == "scored", submission.problems
    return selectors.latest_evaluation(submission).values["LOSS"]


def test_each_original_is_drawn_by_a_seed_of_its_own(cup):
    assert own(cup.red, 1) != own(cup.red, 2)
    assert purposes_of(cup.contest) == [
        f"draw/{team}/{number}" for team in ("red", "blue") for number in (1, 2)
    ]
    events = Event.objects.filter(contest_id=cup.contest.pk, kind="table.drawn").order_by("id")
    assert [(e.subject, e.data["original"], e.data["sha256"]) for e in events] == [
        (f"team {team.slug}", number, tables.table_of(team, number).public.sha256)
        for team in (cup.red, cup.blue)
        for number in (1, 2)
    ]
    draws.ensure_drawn(cup.red)
    assert cup.red.datasets.count() == 4


def test_the_team_gets_all_of_them(cup, cast, as_user):
    alice = as_user(cast.alice)
    page = alice.get(
        reverse(
            "round", args=[cup.contest.slug, pipeline.round_of(cup.contest, "anonymization").key]
        )
    ).content.decode()
    for number in (1, 2):
        assert f"teamred_original-{number}.csv" in page
        got = alice.get(tables.url_of(cup.red, f"original-{number}"))
        assert got.content == own(cup.red, number)
    for name in ("original", "original-3"):
        assert alice.get(tables.url_of(cup.red, name)).status_code == 404
    rules = alice.get(reverse("rules", args=[cup.contest.slug])).content.decode()
    assert "2 such originals" in rules


def test_a_table_is_compared_with_the_original_that_was_chosen(cup, cast, as_user):
    right = scored(lecture.hand_in(cast.alice, cup.red, own(cup.red, 2), original=2))
    assert loss(right) == 0
    wrong = scored(lecture.hand_in(cast.alice, cup.red, own(cup.red, 2), original=1))
    assert wrong.state == "rejected"
    page = as_user(cast.alice).get(reverse("submission", args=[wrong.public_id])).content.decode()
    assert "They were compared with original 1." in page
    assert selectors.tries_left(cup.red, right.round) == right.round.tries - 1
    hashes = selectors.latest_evaluation(right).input_hashes
    assert hashes["original"] == tables.table_of(cup.red, 2).sealed.sha256


def test_the_attack_is_about_the_original_of_the_counting_table(cup, cast):
    scored(lecture.hand_in(cast.alice, cup.red, own(cup.red, 1), original=1))
    counting = scored(lecture.hand_in(cast.alice, cup.red, own(cup.red, 2), original=2))
    release = lecture.publish(cup.contest)["Red"]
    assert release.submission == counting
    candidates = lecture.records_of(storage.read(release.candidates))[1:]
    assert all(record in candidates for record in lecture.records_of(own(cup.red, 2))[1:])
    assert not all(record in candidates for record in lecture.records_of(own(cup.red, 1))[1:])
    found = scored(
        pipeline.guess(cast.carol, cup.blue, release, lecture.guess_file(lecture.key_of(release)))
    )
    assert selectors.latest_evaluation(found).values["rate"] == 1


def test_receipt_trail_and_archive_carry_the_choice(cup, cast):
    found = scored(lecture.hand_in(cast.alice, cup.red, own(cup.red, 2), original=2))
    receipt = receipt_of(found).to_dict()
    assert receipt["original"] == 2
    entries = list(seals.chain(cup.contest.pk))
    assert all(check.holds for check in checks_of_receipt(receipt, entries))
    other = checks_of_receipt(receipt | {"original": 1}, entries)
    assert [check.words for check in other if not check.holds] == [
        "the events have another original"
    ]
    job = imported(cast.oscar, bytes_of(written(cup.contest, cast.oscar)))
    assert (job.problems, job.state, job.differences) == ([], "done", [])
    copy = Contest.objects.get(pk=job.contest_id)
    assert Submission.objects.get(round__contest=copy).original == 2
    assert own(copy.teams.get(name="Red"), 2) == own(cup.red, 2)


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ("", "original.missing", "Choose the original that the table was made from: one of 1, 2."),
        ("3", "original.unknown", "There is no original 3: the originals of your team are 1, 2."),
    ],
)
def test_another_number_is_refused_before_anything_is_stored(
    cup, cast, as_user, given, code, words
):
    round = pipeline.round_of(cup.contest, "anonymization")
    sent = {"anonymized": SimpleUploadedFile("y.csv", own(cup.red, 1)), "original": given}
    url = reverse("round", args=[cup.contest.slug, round.key])
    response = as_user(cast.alice).post(url, sent)
    assert response.status_code == 422
    assert words in response.content.decode()
    path = f"/contests/{cup.contest.slug}/rounds/{round.key}/submissions"
    refused = Program(cast.alice).post(
        f"{path}?original={given}" if given else path, own(cup.red, 1), "text/csv"
    )
    assert (refused.status_code, codes(refused)) == (422, [code])
    assert refused.json()["problems"][0]["message"] == words
    assert not Submission.objects.exists()


def test_forms_and_programs_say_which_one(cup, cast, as_user):
    round = pipeline.round_of(cup.contest, "anonymization")
    url = reverse("round", args=[cup.contest.slug, round.key])
    sent = {"anonymized": SimpleUploadedFile("y.csv", own(cup.red, 2)), "original": "2"}
    as_user(cast.alice).post(url, sent)
    assert loss(scored(Submission.objects.get())) == 0
    path = f"/contests/{cup.contest.slug}/rounds/{round.key}/submissions?original=1"
    made = Program(cast.carol).post(path, own(cup.blue, 1), "text/csv")
    assert (made.status_code, made.json()["original"]) == (201, 1)
    assert loss(scored(Submission.objects.get(team=cup.blue))) == 0


def test_where_there_is_one_original_no_number_is_taken(cast):
    one = lecture.contest_of(cast)
    draws.ensure_drawn(one.red)
    path = f"/contests/{one.contest.slug}/rounds/anonymization/submissions?original=1"
    refused = Program(cast.alice).post(path, own(one.red, None), "text/csv")
    assert codes(refused) == ["original.only"]


def test_a_trial_is_about_one_of_them(cup, cast, as_user):
    round = pipeline.round_of(cup.contest, "anonymization")
    Contest.objects.filter(pk=cup.contest.pk).update(has_trials=True)
    method = round.format.trying.methods(round)[0]
    values = {slider.name: slider.default for slider in method.sliders}
    sent = {f"{method.key}-{name}": value for name, value in values.items()}
    alice, url = as_user(cast.alice), reverse("trials", args=[cup.contest.slug, round.key])
    assert alice.post(url, {"method": method.key, **sent}).status_code == 422
    alice.post(url, {"method": method.key, "original": "2", **sent})
    trial = Trial.objects.get()
    jobs.work_on(Trial, trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.original) == ("done", 2), trial.problems
    found = scored(trials.submit_trial(user=cast.alice, trial=trial, arrived_at=trial.requested_at))
    assert (found.state, found.original) == ("scored", 2)


def test_bots_take_all_of_them(cup, cast):
    rehearsal = bots.request_dry_run(actor=cast.oscar, contest=cup.contest)
    jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    assert rehearsal.state == "done", rehearsal.report
    tables_of_bots = Submission.objects.filter(round__contest=rehearsal.played_on, target=None)
    used = tables_of_bots.filter(round__key="anonymization").values_list("original", flat=True)
    assert {*used} == {1, 2}


def test_shared_records_are_in_all_of_them(cast):
    rules = factories.cohort_ruleset({"sample = 20": "sample = 20\noriginals = 2"})
    contest = factories.make_cohort_contest(rules, organizer=cast.oscar)
    red = factories.make_team(contest, "Red", cast.alice)
    draws.ensure_drawn(red)
    first, second = (
        json.loads(
            (storage.settings.PRIVATE_ROOT / tables.draw_of(red, n).sealed.path).read_bytes()
        )
        for n in (1, 2)
    )
    assert first["shared"] == second["shared"]
    assert {*first["shared"]} <= {*first["own"]} & {*second["own"]}
    assert first["own"] != second["own"]
