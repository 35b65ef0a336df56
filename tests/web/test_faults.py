# SPDX-License-Identifier: Apache-2.0
"""What fails by the platform's fault: it is retried, waited for, and stays the business of one contest."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import faults
from pwscup.contests.models import Contest, Fault
from pwscup.contests.services import retention
from pwscup.core import jobs
from pwscup.core.models import Event
from pwscup.demo import play as demo_play
from pwscup.disclosure import services as disclosure
from pwscup.notices import sweeper as notices
from pwscup.notices.models import Notice
from pwscup.notices.sending import outbox, texts
from pwscup.submissions import draws, releases, selectors, services, sweeper
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.services import SubmissionRefused
from pwscup.submissions.states import State
from tests import factories
from tests.web.pipeline import hand_in, open_attack, scored, two_teams

pytestmark = pytest.mark.usefixtures("sent")


def failed(submission: Submission) -> Submission:
    jobs.fail(jobs.claim(Submission, submission.pk), "abcdefghjk")
    submission.refresh_from_db()
    return submission


@pytest.fixture
def lost(cast, round) -> Submission:
    """Blue's table is scored, and scoring Red's has failed; the attack has opened."""
    scored(hand_in(cast.carol, cast.blue, round))
    submission = failed(hand_in(cast.alice, cast.red, round))
    open_attack(cast.contest)
    return submission


# Retry


def test_a_failed_submission_that_is_retried_is_scored_and_published(cast, lost, sent):
    sweeper.sweep()
    assert not Release.objects.exists()
    sent.clear()
    services.retry(actor=cast.oscar, submission=lost)
    event = Event.objects.get(kind="submission.retried")
    assert (event.actor, event.subject) == (cast.oscar, str(lost.public_id))
    assert scored(lost).state == State.SCORED
    assert (lost.attempts, lost.reference) == (1, "")
    sweeper.sweep()
    assert {release.team for release in Release.objects.all()} == {cast.red, cast.blue}


def test_a_retried_submission_is_sent_when_the_change_is_certain(
    cast, lost, sent, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        services.retry(actor=cast.oscar, submission=lost)
    assert sent[-1] == lost.pk


def test_published_tables_wait_for_what_failed_and_would_count_until_it_is_withdrawn(
    cast, lost, capsys
):
    sweeper.sweep()
    fault = Fault.objects.get()
    assert (fault.task, fault.subject) == (faults.FAILED, "attack")
    call_command("doctor", "--only", "contests")
    said = capsys.readouterr().out
    assert "failed of cup (attack), unresolved since" in said
    assert "retry_failed" in said
    rulings.withdraw(actor=cast.oscar, submission=lost, reason="the file cannot be repaired")
    sweeper.sweep()
    assert [release.team for release in Release.objects.all()] == [cast.blue]
    assert not Fault.objects.exists()


def test_organizers_are_mailed_of_what_holds_tables_back_once(cast, lost):
    sweeper.sweep()
    now = timezone.now()
    notices.tell_faults(now)
    faults.forget(cast.contest, faults.FAILED, "attack")  # it comes and goes
    sweeper.sweep()
    notices.tell_faults(now)
    notice = Notice.objects.get(kind="fault")
    assert list(outbox.recipients(notice)) == [cast.oscar]
    said = texts.content(notice)
    assert "scoring failed for a submission that would count" in said.text
    assert "“Attack round”" in said.text
    assert said.path.endswith("?state=failed")
    assert not outbox.webhooks(notice).exists()


@pytest.mark.parametrize("what", ["later", "chosen", "disqualified"])
def test_what_would_not_count_anyway_is_not_waited_for(cast, round, what):
    first = scored(hand_in(cast.alice, cast.red, round))
    submission = failed(hand_in(cast.alice, cast.red, round))
    assert selectors.failed_that_would_count(round) == [submission]
    if what == "later":
        scored(hand_in(cast.alice, cast.red, round))
    elif what == "chosen":
        services.choose(user=cast.alice, submission=first)
    else:
        rulings.disqualify(actor=cast.oscar, team=cast.red, reason="two accounts")
    assert selectors.failed_that_would_count(round) == []


def test_only_organizers_retry_and_only_what_failed(cast, lost):
    well = Submission.objects.get(team=cast.blue)
    for who, submission, code in (
        (cast.alice, lost, "not_allowed"),
        (cast.oscar, well, "retry.not_failed"),
    ):
        with pytest.raises(SubmissionRefused) as refused:
            services.retry(actor=who, submission=submission)
        assert refused.value.code == code


def test_nothing_is_retried_once_the_teams_table_is_published_or_the_data_are_gone(cast, lost):
    Contest.objects.filter(pk=cast.contest.pk).update(erased_at=timezone.now())
    with pytest.raises(SubmissionRefused) as refused:
        services.retry(actor=cast.oscar, submission=lost)
    assert refused.value.code == "retry.erased"
    Contest.objects.filter(pk=cast.contest.pk).update(erased_at=None)
    earlier = Submission.objects.create(
        round=lost.round, team=cast.red, number=9, arrived_at=lost.arrived_at, state=State.SCORED
    )
    rulings.withdraw(actor=cast.oscar, submission=lost, reason="r")
    scored_one = scored(Submission.objects.get(team=cast.blue))
    earlier.delete()
    Release.objects.create(
        round=cast.contest.rounds.get(key="attack"),
        team=cast.red,
        submission=lost,
        table=scored_one.files.first().file,
        key=scored_one.files.last().file,
        n_records=4,
    )
    with pytest.raises(SubmissionRefused) as refused:
        services.retry(actor=cast.oscar, submission=lost)
    assert refused.value.code == "round.released"


def test_organizers_read_of_it_and_retry_on_the_page(cast, lost, oscar):
    sweeper.sweep()
    address = reverse("organize-submissions", args=[cast.contest.slug])
    page = oscar.get(address).content.decode()
    assert "scoring failed for a submission that would count" in page
    assert "Retry all" in page
    retry = reverse("organize-retry", args=[cast.contest.slug])
    answer = oscar.post(retry, {"submission": lost.pk}, follow=True).content.decode()
    assert "1 submission waits again." in answer
    lost.refresh_from_db()
    assert lost.state == State.WAITING
    failed(lost)
    assert "1 submission waits again." in oscar.post(retry, follow=True).content.decode()
    assert (
        "whose scoring failed or took too long can be retried"
        in oscar.post(retry, {"submission": lost.pk}, follow=True).content.decode()
    )
    other = factories.make_contest("other", organizer=factories.make_user("olga"))
    assert (
        oscar.post(
            reverse("organize-retry", args=[other.slug]), {"submission": lost.pk}
        ).status_code
        == 404
    )


def test_the_command_retries_those_of_one_contest_or_of_all(cast, lost, capsys):
    call_command("retry_failed", contest=cast.contest.slug)
    assert capsys.readouterr().out == "cup: 1 submissions wait again\n"
    call_command("retry_failed")
    assert capsys.readouterr().out == "No failed submission can be retried.\n"
    with pytest.raises(CommandError, match="expected the slug of a contest — got nothing"):
        call_command("retry_failed", contest="nothing")


def test_what_is_held_up_by_the_storage_is_shown_to_organizers(cast, submission, oscar):
    Submission.objects.update(put_off_at=timezone.now(), reference="abcdefghjk")
    page = oscar.get(reverse("organize-submissions", args=[cast.contest.slug])).content.decode()
    assert "delayed by the database or the storage since" in page


# A damaged contest


@pytest.fixture
def damaged(cast, round):
    """A contest one of whose sealed files is gone, and after it one that is well; both wait to be published."""
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        last = scored(hand_in(user, team, round))
    (settings.PRIVATE_ROOT / last.files.first().file.path).unlink()
    well = two_teams(cast, factories.make_contest("well", organizer=cast.oscar))
    for user, team in ((cast.alice, well.red), (cast.carol, well.blue)):
        scored(hand_in(user, team, well.contest.rounds.get(key="anonymization")))
    open_attack(cast.contest)
    open_attack(well.contest)
    return well


def test_a_damaged_contest_stops_no_other(cast, damaged, oscar, caplog):
    for _ in range(2):
        sweeper.sweep()
    published = set(Release.objects.values_list("round__contest__slug", flat=True))
    assert published == {"well"}
    fault = Fault.objects.get()
    assert (fault.contest, fault.task, fault.subject) == (cast.contest, faults.PUBLISH, "attack")
    assert fault.error == "FileNotFoundError"
    assert caplog.text.count(fault.reference) == 1  # once, however often it is found
    event = Event.objects.get(kind="contest.fault")
    assert (event.contest_id, event.data["reference"]) == (cast.contest.pk, fault.reference)
    page = oscar.get(reverse("organize-contest", args=[cast.contest.slug])).content.decode()
    assert "cannot be published." in page
    assert fault.reference in page
    page = oscar.get(reverse("organize-contest", args=[damaged.contest.slug])).content.decode()
    assert "cannot be published." not in page


def test_a_fault_is_forgotten_when_it_works_again(cast, damaged, oscar):
    sweeper.sweep()
    submission = selectors.counted_submission(cast.blue, cast.contest.rounds.first())
    file = submission.files.select_related("file").first().file
    (settings.PRIVATE_ROOT / file.path).write_bytes(factories.NOISY)
    sweeper.sweep()
    assert not Fault.objects.exists()
    assert Release.objects.filter(round__contest=cast.contest).count() == 2


SWEEPS = {
    "publish": (releases, "publish", lambda: releases.publish_due()),
    "draw": (draws, "is_due", lambda: draws.draw_due()),
    "release": (disclosure, "ensure_released", lambda: disclosure.release_due()),
    "erase": (retention, "erase", lambda: retention.erase_due(timezone.now())),
    "notices": (notices, "_news_of", lambda: notices.tell_rounds(timezone.now())),
    "spread": (outbox, "spread", lambda: outbox.spread_all()),
    "play": (demo_play.rounds, "play_round", lambda: demo_play.advance()),
}


@pytest.fixture
def two_of_each(cast):
    """Two contests of every kind that a sweep looks for, for each of which something is due."""
    made = []
    for number in range(2):
        common = factories.make_contest(f"common-{number}", organizer=cast.oscar)
        factories.make_team(common, "T", factories.make_user(f"t{number}"))
        open_attack(common)
        hidden = factories.make_dp_contest(f"hidden-{number}", organizer=cast.oscar)
        now = timezone.now()
        Contest.objects.filter(pk=common.pk).update(is_demo=True, retention_days=0)
        made += [common, hidden]
        outbox.notify(contest=hidden, kind="round.opened", key=f"k{number}", at=now)
    return made


@pytest.mark.parametrize("name", SWEEPS)
def test_every_sweep_goes_on_where_one_contest_fails(two_of_each, monkeypatch, name):
    module, function, sweep = SWEEPS[name]
    seen = []

    def fail(first, *args, **kwargs):
        seen.append(first)
        raise RuntimeError("damaged")

    monkeypatch.setattr(module, function, fail if name != "erase" else _keyword(fail))
    if name == "draw":
        monkeypatch.setattr(draws, "kinds_where", lambda _question: ("anonymization",))
    if name == "erase":
        monkeypatch.setattr(retention, "erased_from", lambda _: timezone.now() - timedelta(hours=1))
    sweep()
    assert len(seen) >= 2
    assert len(set(Fault.objects.values_list("contest", flat=True))) >= 2


def _keyword(fail):
    return lambda **given: fail(given["contest"])
