# SPDX-License-Identifier: Apache-2.0
"""What is mailed, to whom, in what language, once; and what happens where the mail server does not work."""

from __future__ import annotations

import smtplib
import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import services as contests
from pwscup.contests.models import Contest, Round
from pwscup.core import audit_log, jobs
from pwscup.notices import jobs as deliveries
from pwscup.notices import kinds, services, sweeper, tasks
from pwscup.notices.models import Delivery, Notice, Preference
from pwscup.notices.sending import outbox
from pwscup.notices.webhooks import signing
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import pipeline

pytestmark = pytest.mark.django_db
WORDS = {"title": "Rows", "text": "Read the rules.", "title_ja": "行", "text_ja": "規則を読む。"}
State = Delivery.State


@pytest.fixture(autouse=True)
def quiet(cast):
    """Nothing has just happened to the rounds."""
    now = timezone.now()
    for number, round in enumerate(cast.contest.rounds.all()):
        start = now - timedelta(days=3) if number == 0 else now + timedelta(days=20)
        pipeline.move(round, start, start + timedelta(days=13))


@pytest.fixture
def hints(monkeypatch) -> list[str]:
    """The hints to workers; nobody follows them."""
    sent: list[str] = []
    monkeypatch.setattr(tasks, "send_work", lambda: sent.append("work"))
    return sent


def announce(cast, **values):
    return services.publish_announcement(
        actor=cast.oscar, contest=cast.contest, values=WORDS | values
    )


def send_all(now=None) -> list[mail.EmailMessage]:
    """Sweep and work; what was mailed."""
    mail.outbox.clear()
    sweeper.sweep(now or timezone.now())
    deliveries.work()
    return mail.outbox


def names(mails) -> list[str]:
    return sorted(one.to[0].partition("@")[0] for one in mails)


def due_now() -> None:
    Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))


# Who gets what


def test_an_announcement_reaches_the_members_of_all_teams_once(cast):
    factories.make_team(cast.contest, "House", factories.make_user("house"))
    cast.contest.teams.filter(name="House").update(is_house=True)
    announce(cast)
    assert names(send_all()) == ["alice", "bob", "carol"]
    assert send_all() == []
    assert set(Delivery.objects.values_list("state", "tries")) == {(State.SENT, 1)}


def test_nothing_is_sent_while_a_page_is_answered(cast, oscar):
    oscar.post(reverse("organize-news", args=["cup"]), WORDS)
    assert mail.outbox == []
    assert not Delivery.objects.exists()
    assert Notice.objects.count() == 1


def test_questions_go_to_organizers_and_answers_to_the_team(cast):
    question = services.ask_question(
        user=cast.alice, team=cast.red, subject="Rows", text="From 0 or 1?"
    )
    [to_oscar] = send_all()
    assert to_oscar.to == ["oscar@example.org"]
    assert "Red asked:" in to_oscar.body
    assert "From 0 or 1?" in to_oscar.body
    services.answer_question(actor=cast.oscar, question=question, answer="From 1.")
    answers = send_all()
    assert names(answers) == ["alice", "bob"]
    assert "From 1." in answers[0].body
    assert reverse("question", args=["cup", question.public_id]) in answers[0].body


def test_everybody_chooses(cast, as_user):
    page = reverse("mail-preferences", args=["cup"])
    as_user(cast.alice).post(page, {"wanted": "none", "language": "en"})
    as_user(cast.bob).post(page, {"wanted": "important", "language": "en"})
    announce(cast)
    assert names(send_all()) == ["carol"]
    announce(cast, is_pinned=True)
    assert names(send_all()) == ["bob", "carol"]
    assert as_user(cast.eve).get(page).status_code == 404
    assert as_user(cast.bob).post(page, {"wanted": "much"}).status_code == 422


@pytest.mark.parametrize("language", ["ja", "en"])
def test_mail_speaks_the_language_that_the_reader_switched_to(cast, as_user, language):
    client = as_user(cast.alice)
    for code in ("en" if language == "ja" else "ja", language):
        client.post(reverse("set_language"), {"language": code, "next": "/"})
    client.post(reverse("set_language"), {"language": "xx", "next": "/"})
    announce(cast)
    [to_alice] = [one for one in send_all() if one.to == [cast.alice.email]]
    assert ("このコンテスト" in to_alice.body) is (language == "ja")


def test_the_form_of_mails_proposes_the_readers_language_and_nothing_empty(cast, as_user):
    cast.alice.language = "ja"
    cast.alice.save()
    page = as_user(cast.alice).get(reverse("mail-preferences", args=["cup"]))
    assert "---" not in page.content.decode()
    assert page.context["form"]["language"].value() == "ja"
    answer = as_user(cast.alice).post(page.request["PATH_INFO"], {"wanted": "all", "language": ""})
    assert answer.status_code == 422


def test_mail_speaks_the_language_that_was_chosen_here_or_last_elsewhere(cast):
    other = factories.make_contest("other", organizer=cast.oscar)
    choose = services.choose_mail
    choose(user=cast.alice, contest=cast.contest, wanted="all", language="en")
    choose(user=cast.alice, contest=other, wanted="none", language="ja")
    choose(user=cast.bob, contest=other, wanted="none", language="ja")
    announce(cast)
    by_name = {one.to[0].partition("@")[0]: one for one in send_all()}
    subjects = {name: one.subject for name, one in by_name.items()}
    assert subjects == {
        "alice": "[Test Cup] Rows",
        "bob": "[テスト杯] 行",
        "carol": "[Test Cup] Rows",
    }
    assert "規則を読む。" in by_name["bob"].body


def test_links_lead_to_this_site_and_a_subject_is_one_line(cast, settings):
    settings.SITE_URL = "https://cup.example.org"
    Contest.objects.update(title="Two\nlines")
    announce(cast)
    one = send_all()[0]
    assert one.subject == "[Two lines] Rows"
    assert "https://cup.example.org/c/cup/news/#announcement-" in one.body
    assert one.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert one.extra_headers["Message-ID"].endswith("@cup.example.org>")
    one.message()  # no header is refused


# Unsubscribing


def link_of(one: mail.EmailMessage) -> str:
    address = one.extra_headers["List-Unsubscribe"].strip("<>")
    assert address in one.body
    return address.removeprefix("http://127.0.0.1:8000")


def test_one_click_ends_the_mail_of_one_person_and_contest_without_log_in(cast, client):
    announce(cast)
    link = link_of(next(one for one in send_all() if one.to == ["alice@example.org"]))
    assert "Unsubscribe" in client.get(link).text
    assert not Preference.objects.exists()  # who only looks has not asked for anything
    response = client.post(link, {"List-Unsubscribe": "One-Click"})
    assert response.status_code == 200
    [chosen] = Preference.objects.all()
    assert (chosen.user, chosen.contest, chosen.wanted) == (cast.alice, cast.contest, "none")
    announce(cast, is_pinned=True)
    assert names(send_all()) == ["bob", "carol"]


def test_mail_programs_unsubscribe_without_a_page_of_ours(cast):
    from django.test import Client

    link = reverse("unsubscribe", args=[signing.unsubscribe_token(cast.bob.pk, cast.contest.pk)])
    assert Client(enforce_csrf_checks=True).post(link).status_code == 200
    assert Preference.objects.get().user == cast.bob


def test_a_token_keeps_the_language_and_cannot_be_made_up(cast, client):
    services.choose_mail(user=cast.bob, contest=cast.contest, wanted="all", language="ja")
    token = signing.unsubscribe_token(cast.bob.pk, cast.contest.pk)
    client.post(reverse("unsubscribe", args=[token]))
    assert Preference.objects.get().language == "ja"
    payload, _, seal = token.rpartition(":")
    other = signing.unsubscribe_token(cast.alice.pk, cast.contest.pk).rpartition(":")[0]
    for wrong in (f"{other}:{seal}", f"{payload}:{seal[:-1]}", "x", "1:2:3"):
        assert client.post(reverse("unsubscribe", args=[wrong])).status_code == 404
    assert Preference.objects.count() == 1


# Rounds


def test_opening_closing_and_results_are_told_once_each(cast, round):
    now = timezone.now()
    long = timedelta(days=5)
    pipeline.move(round, now - timedelta(minutes=1), now + long)
    [one, *_rest] = opened = send_all(now)
    assert names(opened) == ["alice", "bob", "carol"]
    assert one.subject == "[Test Cup] “Anonymization round” is open"
    assert send_all(now) == []

    pipeline.move(round, now - long + timedelta(days=1), now + timedelta(hours=20))
    [one, *_rest] = closing = send_all(now)
    assert one.subject == "[Test Cup] “Anonymization round” closes soon"
    assert len(closing) == 3
    assert send_all(now) == []

    pipeline.move(round, now - long, now - timedelta(minutes=1))
    [one, *_rest] = results = send_all(now)
    assert one.subject == "[Test Cup] “Anonymization round”: results are available"
    assert len(results) == 3
    assert send_all(now) == []
    told = Notice.objects.values_list("kind", flat=True)
    assert list(told) == [kinds.OPENED, kinds.CLOSING, kinds.RESULTS]


def test_two_sweepers_at_once_tell_once(cast, round, monkeypatch):
    """The second looks before the first has written anything."""
    now = timezone.now()
    pipeline.move(round, now - timedelta(minutes=1), now + timedelta(days=5))
    audit_log.record("contest.round_paused", contest_id=cast.contest.pk, subject=round.key)
    notify = outbox.notify

    def meanwhile(**fields):
        monkeypatch.setattr(outbox, "notify", notify)
        sweeper.sweep(now)
        notify(**fields)

    monkeypatch.setattr(outbox, "notify", meanwhile)
    sweeper.sweep(now)
    assert sorted(Notice.objects.values_list("kind", flat=True)) == [
        "contest.round_paused",
        kinds.OPENED,
    ]
    assert Delivery.objects.count() == 2 * 3


@pytest.mark.django_db(transaction=True)
def test_many_workers_at_once_tell_and_send_once(cast, round):
    now = timezone.now()
    pipeline.move(round, now - timedelta(minutes=1), now + timedelta(days=5))
    audit_log.record("contest.round_paused", contest_id=cast.contest.pk, subject=round.key)
    announce(cast)
    start, faults = threading.Barrier(4), []

    def run() -> None:
        try:
            start.wait(30)
            sweeper.sweep(timezone.now())
            deliveries.work()
        except Exception as fault:
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    deliveries.work()  # whoever came last may have left something to the next sweep
    assert len(mail.outbox) == len({(one.subject, *one.to) for one in mail.outbox}) == 3 * 3
    assert set(Delivery.objects.values_list("state", "tries", "attempts")) == {(State.SENT, 1, 1)}


def test_two_that_spread_the_same_notice_make_one_delivery_each(cast):
    announce(cast)
    notice, again = Notice.objects.get(), Notice.objects.get()
    assert outbox.spread(notice)
    assert not outbox.spread(again)
    assert Delivery.objects.count() == 3


def test_a_moved_closing_is_no_second_reminder_on_the_same_day(cast, round):
    now = timezone.now()
    pipeline.move(round, now - timedelta(days=4), now + timedelta(hours=20))
    assert len(send_all(now)) == 3
    pipeline.move(round, round.opens_at, now + timedelta(hours=22))
    assert send_all(now) == []
    pipeline.move(round, round.opens_at, now + timedelta(days=3))
    assert len(send_all(now + timedelta(days=2, hours=1))) == 3


def test_a_short_round_has_no_reminder(cast, round):
    now = timezone.now()
    pipeline.move(round, now - timedelta(minutes=1), now + timedelta(minutes=14))
    send_all(now)
    assert list(Notice.objects.values_list("kind", flat=True)) == [kinds.OPENED]


def test_a_pause_holds_reminders_back(cast, round):
    now = timezone.now()
    pipeline.move(round, now - timedelta(days=4), now + timedelta(hours=20))
    Contest.objects.update(paused_at=now - timedelta(minutes=1))
    assert send_all(now) == []


def test_results_wait_for_the_last_score_and_for_a_frozen_board(cast, round, sent):
    submission = pipeline.hand_in(cast.alice, cast.red, round)
    now = timezone.now()
    pipeline.close(round)
    assert send_all(now) == []
    Submission.objects.filter(pk=submission.pk).update(state=Submission.State.SCORED)
    Contest.objects.update(frozen_at=now)
    assert send_all(now) == []
    Contest.objects.update(frozen_at=now + timedelta(days=1))  # it will be frozen then
    assert len(send_all(now)) == 3


def test_results_wait_for_a_team_that_may_be_late(cast, round, settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    pipeline.close(round)
    until = timezone.now() + timedelta(days=3)
    late = {"team": cast.red, "round": round, "reason": "power cut"}
    rulings.allow_late(actor=cast.oscar, until=until, **late)
    assert results_told(timezone.now()) == 0
    assert results_told(until - timedelta(seconds=1)) == 0
    assert results_told(until) == 0  # its last upload may be on its way
    contests.pause(actor=cast.oscar, contest=cast.contest, reason="network")
    assert results_told(until + timedelta(hours=1)) == 0
    Contest.objects.update(paused_at=None)
    assert results_told(until + timedelta(hours=1)) == 3
    assert results_told(until + timedelta(hours=2)) == 0


def results_told(now) -> int:
    return len([one for one in send_all(now) if one.subject.endswith("results are available")])


def test_mail_about_results_holds_none(cast, round, sent):
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    pipeline.close(round)
    for one in send_all():
        said = one.subject + one.body.partition("-- \n")[0]
        assert "Red" not in said
        assert "Blue" not in said
        assert "rank" not in said.lower()


def test_changes_of_rounds_are_told_with_before_and_after(cast, round):
    contests.close_round_now(actor=cast.oscar, contest=cast.contest, key=round.key)
    mails = send_all()
    closed = [one for one in mails if one.subject.endswith("was closed manually")]
    assert names(closed) == ["alice", "bob", "carol"]
    assert " → " in closed[0].body
    assert "Oscar" not in closed[0].body


def test_old_events_and_those_of_drafts_and_demos_are_not_told(cast):
    record = audit_log.record
    record("contest.round_paused", contest_id=cast.contest.pk, subject="attack")
    sweeper.tell_events(timezone.now() + timedelta(days=2))
    assert not Notice.objects.exists()
    Contest.objects.filter(pk=cast.contest.pk).update(rehearsal_of=cast.contest.pk)
    demo = factories.make_contest("demo", organizer=cast.oscar)
    Contest.objects.filter(pk=demo.pk).update(is_demo=True)
    unpublished = factories.make_contest("hidden", organizer=cast.oscar, published=False)
    for contest in (demo, unpublished):
        record("contest.round_paused", contest_id=contest.pk, subject="attack")
    before = factories.make_contest("before", organizer=cast.oscar, phase="before")
    record("contest.round_paused", contest_id=before.pk, subject="attack")
    record("contest.published", contest_id=before.pk, subject=before.slug)
    sweeper.sweep(timezone.now())
    assert not Notice.objects.exists()


def test_more_teams_cost_a_sweep_no_more_queries(cast, django_assert_max_num_queries):
    def sweep_with(n: int):
        for number in range(n):
            user = factories.make_user(f"m{cast.contest.teams.count()}x{number}")
            factories.make_team(cast.contest, f"Team {user.display_name}", user)
        announce(cast)
        audit_log.record("contest.round_paused", contest_id=cast.contest.pk, subject="attack")

    sweep_with(1)
    with django_assert_max_num_queries(40) as few:
        sweeper.sweep(timezone.now())
    sweep_with(27)
    with django_assert_max_num_queries(len(few.captured_queries)):
        sweeper.sweep(timezone.now())
    assert Delivery.objects.filter(channel="email").count() == 2 * (4 + 31)


# What is not wanted any more


@pytest.mark.parametrize(
    "happens",
    [
        lambda cast, a: cast.contest.__class__.objects.update(is_published=False),
        lambda cast, a: services.withdraw_announcement(
            actor=cast.oscar, announcement=a, reason="wrong"
        ),
        lambda cast, a: cast.contest.teams.first().memberships.model.objects.all().delete(),
        lambda cast, a: type(cast.alice).objects.update(is_active=False),
        lambda cast, a: type(cast.alice).objects.update(deleted_at=timezone.now()),
        lambda cast, a: [
            services.unsubscribe(user_id=u.pk, contest_id=cast.contest.pk, language="en")
            for u in (cast.alice, cast.bob, cast.carol)
        ],
    ],
    ids=["draft again", "withdrawn", "left", "inactive", "deleted", "unsubscribed"],
)
def test_what_is_useless_by_now_is_dropped(cast, happens):
    announcement = announce(cast)
    sweeper.sweep(timezone.now())
    happens(cast, announcement)
    deliveries.work()
    assert mail.outbox == []
    assert set(Delivery.objects.values_list("state", "tries")) == {(State.DROPPED, 0)}


def test_a_reminder_is_useless_once_the_round_has_closed_or_is_gone(cast, round):
    now = timezone.now()
    pipeline.move(round, now - timedelta(minutes=1), now + timedelta(days=5))
    sweeper.sweep(now)
    Notice.objects.update(useless_after=now)
    deliveries.work()
    assert mail.outbox == []
    Notice.objects.update(useless_after=None)
    Delivery.objects.update(state=State.WAITING)
    Round.objects.filter(pk=round.pk).delete()
    deliveries.work()
    assert mail.outbox == []


# The queue


def break_mail(monkeypatch, error: Exception) -> list[str]:
    tried: list[str] = []

    def send(self, **_: object) -> int:
        tried.append(self.to[0])
        raise error

    monkeypatch.setattr(mail.EmailMessage, "send", send)
    return tried


def test_a_broken_server_is_tried_once_and_everything_waits_and_goes_later(cast, monkeypatch):
    announce(cast)
    with monkeypatch.context() as patch:
        tried = break_mail(patch, ConnectionRefusedError())
        send_all()
        assert len(tried) == 1
        waits = Delivery.objects.filter(state=State.WAITING, due_at__gt=timezone.now())
        assert waits.count() == 3
        assert list(waits.exclude(error="").values_list("tries", "error")) == [(1, "server")]
        due_now()
        deliveries.work()
        assert len(tried) == 2
    due_now()
    deliveries.work()
    assert names(mail.outbox) == ["alice", "bob", "carol"]
    assert set(Delivery.objects.values_list("state", "error")) == {(State.SENT, "")}


def test_pauses_grow_and_after_a_day_it_is_given_up(cast, monkeypatch):
    announce(cast)
    break_mail(monkeypatch, smtplib.SMTPServerDisconnected())
    sweeper.sweep(timezone.now())
    first = Delivery.objects.order_by("id").first()
    pauses = []
    for _attempt in range(7):
        before = timezone.now()
        deliveries.work()
        first.refresh_from_db()
        pauses.append(round_minutes(first.due_at - before))
        due_now()
    assert pauses == [1, 5, 15, 30, 60, 60, 60]
    Notice.objects.update(at=timezone.now() - timedelta(hours=23, minutes=30))
    deliveries.work()
    first.refresh_from_db()
    assert (first.state, first.tries, first.error) == (State.FAILED, 8, "server")


def round_minutes(delta: timedelta) -> int:
    return int(delta.total_seconds() / 60 + 0.5)


@pytest.mark.parametrize(
    ("code", "state", "error"),
    [(550, State.FAILED, "recipient"), (450, State.WAITING, "recipient_later")],
)
def test_a_refused_recipient_is_nobody_elses_trouble(cast, monkeypatch, code, state, error):
    announce(cast)
    send = mail.EmailMessage.send

    def refuse(self, **options: object) -> int:
        if self.to == ["alice@example.org"]:
            raise smtplib.SMTPRecipientsRefused({self.to[0]: (code, b"no")})
        return send(self, **options)

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    assert names(send_all()) == ["bob", "carol"]
    refused = Delivery.objects.get(user=cast.alice)
    assert (refused.state, refused.error, refused.tries) == (state, error, 1)


def test_what_we_did_not_expect_fails_with_a_reference_and_the_rest_goes(cast, monkeypatch, caplog):
    announce(cast)
    with monkeypatch.context() as patch:
        broken = iter([True])
        is_wanted = outbox.is_wanted
        patch.setattr(outbox, "is_wanted", lambda d: 1 / 0 if next(broken, False) else is_wanted(d))
        assert len(send_all()) == 2
    failed = Delivery.objects.get(state=State.FAILED)
    assert failed.reference in caplog.text


def test_only_one_is_sent_at_a_time_and_a_dead_workers_claim_comes_back(cast):
    announce(cast)
    sweeper.sweep(timezone.now())
    dead = deliveries.claim_next()
    assert dead is not None
    assert deliveries.claim_next() is None
    assert not deliveries.is_due(timezone.now())
    deliveries.work()
    assert mail.outbox == []
    Delivery.objects.filter(pk=dead.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    assert sweeper.sweep(timezone.now())
    deliveries.work()
    assert len(mail.outbox) == 3
    assert not deliveries.finish(dead, State.FAILED)
    assert not Delivery.objects.filter(state=State.FAILED).exists()


def test_a_message_that_kills_three_workers_is_given_up(cast):
    announce(cast)
    sweeper.sweep(timezone.now())
    first = Delivery.objects.order_by("id").first()
    for _ in range(jobs.MAX_ATTEMPTS):
        assert deliveries.claim_next().pk == first.pk
        Delivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        jobs.sweep()
    first.refresh_from_db()
    assert (first.state, bool(first.reference)) == (State.FAILED, True)
    deliveries.work()
    assert len(mail.outbox) == 2


def test_work_stops_for_others_and_sends_for_itself_again(cast, monkeypatch, hints):
    announce(cast)
    sweeper.sweep(timezone.now())
    monkeypatch.setattr(deliveries, "BATCH_SECONDS", 0)
    for n in (1, 2, 3):
        tasks.work()
        assert len(mail.outbox) == n
        assert len(hints) == n
    tasks.work()
    assert len(hints) == 3


def test_a_sweep_sends_a_hint_while_something_is_due(cast, hints):
    tasks.sweep()
    assert hints == []
    announce(cast)
    tasks.sweep()
    assert hints == ["work"]


def test_a_broker_that_is_away_loses_nothing(cast, monkeypatch, caplog):
    announce(cast)
    monkeypatch.setattr(tasks.work, "apply_async", lambda **_: 1 / 0)
    tasks.sweep()
    assert "broker not notified of notices: ZeroDivisionError" in caplog.text
    assert deliveries.is_due(timezone.now())


def test_organizers_see_how_many_mails_are_where(cast, oscar):
    announce(cast)
    send_all()
    assert "sent: 3" in oscar.get(reverse("organize-news", args=["cup"])).text
