# SPDX-License-Identifier: Apache-2.0
"""Several originals of a team, of which it chooses one for each submission."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from pwscup.bots import services as bots
from pwscup.bots.models import Rehearsal
from pwscup.contests.models import Contest
from pwscup.contests.teams import tables
from pwscup.core import jobs, seals
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.submissions import draws, selectors, services
from pwscup.submissions.models import Submission
from pwscup.submissions.pages import hints
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


def ruleset(choose="each"):
    """The lecture's rules with two originals of ten records for each team."""
    text = factories.lecture_ruleset().text
    several = f'sample = 10\noriginals = 2\nchoose = "{choose}"'
    return parse_ruleset(text.replace("sample = 10", several))


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


def test_organizers_see_which_table_looks_like_another_original(cup, cast, as_user):
    """Finding 4: original 2 published as the table of original 1."""
    hints._looks_like.cache_clear()
    for user, team in ((cast.alice, cup.red), (cast.carol, cup.blue)):
        scored(lecture.hand_in(user, team, own(team, 2), original=2))
    lecture.publish(cup.contest)
    Submission.objects.filter(team=cup.red).update(original=1)
    page = as_user(cast.oscar).get(reverse("organize-teams", args=[cup.contest.slug]) + "?compare")
    text = " ".join(page.content.decode().split())
    assert "is said to be made from original 1, and looks like original 2" in text
    assert text.count("looks like original") == 1, "the other one is as it says"


# Originals that are given out when they are chosen


@pytest.fixture
def sealed(cast):
    """A contest in which a team gets the original that it chooses."""
    return lecture.contest_of(cast, ruleset=ruleset("once"))


def page_of(cup):
    return reverse("round", args=[cup.contest.slug, "anonymization"])


def choice_of(cup):
    return reverse("original-choose", args=[cup.contest.slug, "anonymization"])


def test_a_team_gets_the_original_that_it_chooses_and_no_other(sealed, cast, as_user):
    alice = as_user(cast.alice)
    before = alice.get(page_of(sealed)).content.decode()
    assert "Choose your original" in before
    assert "teamred_original" not in before
    for name in ("original", "original-1", "original-2"):
        assert alice.get(tables.url_of(sealed.red, name)).status_code == 404
    assert draws.draw_due() == 0
    assert not sealed.red.datasets.exists()

    alice.post(choice_of(sealed), {"original": "2"})
    assert tables.numbers_of(sealed.red) == (2,)
    assert [d.key for d in sealed.red.datasets.order_by("key")] == ["draw-2", "original-2"]
    assert purposes_of(sealed.contest) == ["draw/red/2"], "the other was never drawn"
    after = alice.get(page_of(sealed)).content.decode()
    assert "Choose your original" not in after
    assert "teamred_original-2.csv" in after
    assert alice.get(tables.url_of(sealed.red, "original-2")).content == own(sealed.red, 2)
    for name in ("original", "original-1", "original-3"):
        assert alice.get(tables.url_of(sealed.red, name)).status_code == 404
    (event,) = Event.objects.filter(contest_id=sealed.contest.pk, kind="original.chosen")
    assert (event.actor, event.subject, event.data["original"]) == (cast.alice, "team red", 2)


def test_a_choice_holds(sealed, cast, as_user):
    bob = as_user(cast.bob)
    for number in ("3", "0", "x", ""):
        bob.post(choice_of(sealed), {"original": number})
        assert tables.numbers_of(sealed.red) == ()
    bob.post(choice_of(sealed), {"original": "1"})
    kept = own(sealed.red, 1)
    for number in ("2", "1"):
        said = bob.post(choice_of(sealed), {"original": number}, follow=True).content.decode()
        assert "An original can be chosen once" in said
    assert (tables.numbers_of(sealed.red), own(sealed.red, 1)) == ((1,), kept)
    assert Event.objects.filter(kind="original.chosen").count() == 1
    assert tables.numbers_of(sealed.blue) == ()


def test_nobody_chooses_for_another_team_or_before_the_contest_opens(sealed, cast, as_user):
    assert as_user(cast.eve).post(choice_of(sealed), {"original": "1"}).status_code == 404
    assert as_user(cast.oscar).post(choice_of(sealed), {"original": "1"}).status_code == 404
    with pytest.raises(services.SubmissionRefused):
        services.choose_original(user=cast.carol, team=sealed.red, number=1)
    now = timezone.now()
    for place, round in enumerate(sealed.contest.rounds.order_by("opens_at")):
        day = timedelta(days=place)
        pipeline.move(round, now + day + timedelta(hours=1), now + day + timedelta(hours=2))
    as_user(cast.alice).post(choice_of(sealed), {"original": "1"})
    assert not sealed.red.datasets.exists()


def test_a_submission_is_made_from_the_chosen_original(sealed, cast, as_user):
    path = f"/contests/{sealed.contest.slug}"
    alice = Program(cast.alice)
    early = alice.post(f"{path}/rounds/anonymization/submissions", b"a,b\n", "text/csv")
    assert (early.status_code, codes(early)) == (409, ["original.not_chosen"])
    chosen = alice.send("post", f"{path}/original", {"original": 2})
    assert chosen.status_code == 200, chosen.content
    assert [f["name"] for f in chosen.json() if f["key"] == "original"] == ["original-2.csv"]
    again = alice.send("post", f"{path}/original", {"original": 1})
    assert codes(again) == ["original.chosen"]
    sent = alice.post(f"{path}/rounds/anonymization/submissions", own(sealed.red, 2), "text/csv")
    assert (sent.status_code, sent.json()["original"]) == (201, 2)
    found = scored(Submission.objects.get())
    assert loss(found) == 0
    assert receipt_of(found).to_dict()["original"] == 2
    other = alice.post(
        f"{path}/rounds/anonymization/submissions?original=1", own(sealed.red, 2), "text/csv"
    )
    assert codes(other) == ["original.unknown"]
    page = as_user(cast.alice).get(page_of(sealed)).content.decode()
    assert "Choose an original" not in page

    job = imported(cast.oscar, bytes_of(written(sealed.contest, cast.oscar)))
    assert (job.problems, job.state, job.differences) == ([], "done", [])
    copy = Contest.objects.get(pk=job.contest_id)
    assert tables.numbers_of(copy.teams.get(name="Red")) == (2,)


def test_rules_and_bots_know_the_choice(sealed, cast, client):
    rules = client.get(reverse("rules", args=[sealed.contest.slug])).content.decode()
    assert "chooses by its number one of 2 such originals" in rules
    rehearsal = bots.request_dry_run(actor=cast.oscar, contest=sealed.contest)
    jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    assert rehearsal.state == "done", rehearsal.report
    chosen = set()
    for team in rehearsal.played_on.teams.all():
        assert team.datasets.count() == 2, "a table and its draw"
        used = team.submissions.filter(target=None, round__key="anonymization")
        used = {*used.values_list("original", flat=True)}
        assert used <= {*tables.numbers_of(team)}
        chosen |= used
    assert chosen == {1, 2}


def test_a_trial_needs_no_number_where_one_was_chosen(sealed, cast):
    round = pipeline.round_of(sealed.contest, "anonymization")
    services.choose_original(user=cast.alice, team=sealed.red, number=2)
    assert services.checked_original(sealed.red, round, None) == 2
