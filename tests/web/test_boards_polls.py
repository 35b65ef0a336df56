# SPDX-License-Identifier: Apache-2.0
"""Polls of boards cost one query while nothing happens, and no change is answered by "unchanged"."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.boards import play
from pwscup.accounts import services as accounts
from pwscup.contests import services as contests
from pwscup.contests.models import Contest, Round
from pwscup.contests.services.clock import extend_round, pause, resume
from pwscup.contests.services.divisions import create_division, rename_division
from pwscup.core import audit_log, jobs
from pwscup.core.db import recent, revisions
from pwscup.leaderboards import facts, pages, polls, services
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.leaderboards.scope import scope_of
from pwscup.rescores import services as rescores
from pwscup.submissions import releases
from pwscup.submissions import services as submissions
from pwscup.submissions.decisions import rulings
from pwscup.submissions.intake import inflight
from pwscup.submissions.judging import grades
from pwscup.submissions.models import Rescore, Submission
from tests.every import some
from tests.web import board_facts
from tests.web.pipeline import guess, hand_in, round_of, scored

pytestmark = pytest.mark.django_db
TOKEN = re.compile(rb'value="[A-Za-z0-9]{64}"|X-CSRFToken": "[^"]*')
"""What differs between two answers that are the same page."""


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    """Here nobody forgets: what is remembered must be right."""
    monkeypatch.setattr(services, "REST", 0)
    monkeypatch.setattr(polls, "BEHIND_SECONDS", 0)
    recent.forget_all()


def polled(client, address: str, etag: str, **query):
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, query, headers={"if-none-match": etag})
    return answer, [query["sql"] for query in queries]


def recorded(contest: Contest) -> Contest:
    """The facts were written past the services, which would have said so."""
    audit_log.record("contest.imported", contest_id=contest.pk)
    return contest


# One query


@pytest.mark.parametrize("board", ["", "anonymization", "attack", "overall", "matrix"])
def test_a_poll_takes_one_query_for_any_number_of_teams_and_no_session(board, as_user, cast):
    clients = [as_user(None), as_user(cast.eve)]
    for n_teams in (3, 30):
        contest = recorded(play(n_teams, f"cup-{n_teams}-{board}"))
        address = reverse("board-fragment", args=[contest.slug])
        query = {"board": board} if board else {}
        first = clients[0].get(address, query)
        assert first.status_code == 200
        for client in clients:
            again, queries = polled(client, address, first["ETag"], **query)
            assert (again.status_code, again.content, len(queries)) == (304, b"", 1)
            assert Session._meta.db_table not in queries[0]
            assert again["ETag"] == first["ETag"]
            assert {"Accept-Language", "Cookie"} <= set(again["Vary"].split(", "))
            assert again["Cache-Control"] == first["Cache-Control"]


def test_a_weak_tag_is_as_good(client, cast):
    """Servers that compress an answer make its tag weak."""
    board_facts.game(recorded(cast.contest))
    address = reverse("board-fragment", args=[cast.contest.slug])
    etag = client.get(address)["ETag"]
    answer, queries = polled(client, address, f"W/{etag}")
    assert (answer.status_code, len(queries)) == (304, 1)


def test_a_stored_page_reads_neither_facts_nor_boards(cast, as_user):
    counts = []
    for n_teams in (3, 30):
        contest = recorded(play(n_teams, f"cup-{n_teams}"))
        client, address = as_user(cast.eve), reverse("board", args=[contest.slug])
        first = client.get(address).content
        with CaptureQueriesContext(connection) as queries:
            again = client.get(address).content
        assert TOKEN.sub(b"", again) == TOKEN.sub(b"", first)
        asked = " ".join(query["sql"] for query in queries)
        assert "submissions_" not in asked
        assert '"leaderboards_standing"."boards"' not in asked
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 3


# While results come in


@pytest.fixture
def unhurried(monkeypatch):
    """The clock of the answers that are given again."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(polls, "BEHIND_SECONDS", 1.0)
    monkeypatch.setattr(polls, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def result_in(cast, user, team) -> None:
    scored(hand_in(user, team, round_of(cast.contest, "anonymization")))


def test_while_results_come_in_one_reader_a_second_asks_for_them(cast, as_user, sent, unhurried):
    result_in(cast, cast.carol, cast.blue)
    address = reverse("board-fragment", args=[cast.contest.slug])
    first = as_user(None).get(address)
    result_in(cast, cast.alice, cast.red)
    for etag, status in ((first["ETag"], 304), ('"another"', 200)):
        answer, queries = polled(as_user(cast.eve), address, etag)
        assert (answer.status_code, len(queries), answer["ETag"]) == (status, 1, first["ETag"])
    assert answer.content == first.content
    kept = ("Content-Language", "X-Frame-Options", "Content-Security-Policy", "Cache-Control")
    assert {name: answer[name] for name in kept} == {name: first[name] for name in kept}
    unhurried.now += 2
    asks, _ = polled(as_user(None), address, first["ETag"])
    assert (asks.status_code, asks["ETag"] == first["ETag"]) == (200, False)
    assert polled(as_user(None), address, first["ETag"])[0].content == asks.content


def test_the_reader_who_asks_does_not_keep_the_others_waiting(
    cast, as_user, sent, unhurried, monkeypatch
):
    result_in(cast, cast.carol, cast.blue)
    address = reverse("board-fragment", args=[cast.contest.slug])
    etag = as_user(None).get(address)["ETag"]
    result_in(cast, cast.alice, cast.red)
    unhurried.now += 2
    meanwhile = []
    served = services.served

    def slowly(*given, **more):
        meanwhile.append(polled(as_user(None), address, etag))
        return served(*given, **more)

    monkeypatch.setattr(pages, "served", slowly)
    assert polled(as_user(None), address, etag)[0].status_code == 200
    [(answer, queries)] = meanwhile
    assert (answer.status_code, len(queries)) == (304, 1)


def test_what_organizers_decide_is_seen_at_once(cast, as_user, sent, unhurried):
    result_in(cast, cast.alice, cast.red)
    address = reverse("board-fragment", args=[cast.contest.slug])
    first = as_user(None).get(address)
    assert "Red" in first.content.decode()
    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="r")
    answer, _ = polled(as_user(None), address, first["ETag"])
    assert (answer.status_code, "Red" in answer.content.decode()) == (200, False)


def test_invented_questions_are_no_other_boards(client, cast):
    board_facts.game(recorded(cast.contest))
    address = reverse("board-fragment", args=[cast.contest.slug])
    etag = client.get(address, {"x": "1"})["ETag"]
    answer, queries = polled(client, address, etag, y="2", board="")
    assert (answer.status_code, len(queries)) == (304, 1)


# Never wrongly


def test_who_read_the_contest_before_a_change_leaves_nothing_behind(cast):
    """A page reads the contest first and its revision later; in between an organizer lets a round go on."""
    played = board_facts.game(recorded(cast.contest))
    now = timezone.now()

    def read() -> Contest:
        return Contest.objects.prefetch_related("rounds").get(pk=cast.contest.pk)

    slow = read()
    Round.objects.filter(pk=played.attack.pk).update(closes_at=now + timedelta(days=1))
    recorded(cast.contest)
    with_rates = services.served(slow, now)
    assert with_rates.data["attack"]["shown"]
    assert with_rates.known is None  # no poll is answered by it

    for _ in range(2):
        assert not services.served(read(), now).data["attack"]["shown"]
        services.served(slow, now)


def test_another_language_or_address_is_another_answer(client, cast):
    board_facts.game(recorded(cast.contest))
    address = reverse("board-fragment", args=[cast.contest.slug])
    etag = client.get(address, headers={"accept-language": "en"})["ETag"]
    for language, status in (("en", 304), ("ja", 200)):
        headers = {"accept-language": language, "if-none-match": etag}
        assert client.get(address, headers=headers).status_code == status
    assert polled(client, address, etag, board="attack")[0].status_code == 200
    client.cookies["django_language"] = "ja"
    assert polled(client, address, etag)[0].status_code == 200


def test_the_clock_ends_what_is_remembered(client, cast, monkeypatch):
    played = board_facts.game(recorded(cast.contest), phase="attack")
    address = reverse("board-fragment", args=[cast.contest.slug])
    later = played.attack.closes_at + timedelta(minutes=2)
    etag = client.get(address, {"board": "attack"})["ETag"]
    assert polled(client, address, etag, board="attack")[0].status_code == 304
    monkeypatch.setattr(timezone, "now", lambda: later)
    changed, _ = polled(client, address, etag, board="attack")
    assert (changed.status_code, changed["ETag"] == etag) == (200, False)


def test_boards_that_are_not_everybodys_are_not_said_to_be_unchanged_to_strangers(cast, as_user):
    board_facts.game(recorded(cast.contest))
    address = reverse("board-fragment", args=[cast.contest.slug])
    etag = as_user(cast.alice).get(address)["ETag"]
    assert polled(as_user(None), address, etag)[0].status_code == 304
    Contest.objects.update(board_audience=Contest.Audience.TEAMS)
    people = (cast.alice, cast.oscar, cast.eve, None)
    statuses = [polled(as_user(p), address, etag)[0].status_code for p in people]
    assert statuses == [304, 304, 404, 302]
    as_user(cast.alice).get(address)
    assert polled(as_user(None), address, etag)[0].status_code == 302
    Contest.objects.update(board_audience=Contest.Audience.PUBLIC, is_published=False)
    assert polled(as_user(None), address, etag)[0].status_code == 404
    assert polled(as_user(cast.oscar), address, etag)[0].status_code == 304


def test_organizers_of_hidden_measures_and_others_never_share_an_answer(cast, as_user):
    board_facts.game(recorded(cast.contest))
    ceremonies.change_display(
        actor=cast.oscar, contest=cast.contest, audience="public", hidden_measures=["U1"]
    )
    address = reverse("board-fragment", args=[cast.contest.slug])
    query = {"board": "anonymization"}
    theirs, public = (as_user(p).get(address, query) for p in (cast.oscar, None))
    assert "U1" in theirs.content.decode()
    assert polled(as_user(None), address, theirs["ETag"], **query)[0].status_code == 200
    assert polled(as_user(cast.oscar), address, public["ETag"], **query)[0].status_code == 200


def test_a_number_of_a_transaction_that_was_undone_never_comes_again(cast):
    recorded(cast.contest)
    before = revisions.current(cast.contest.pk)
    with transaction.atomic():
        recorded(cast.contest)
        during = revisions.current(cast.contest.pk)
        transaction.set_rollback(True)
    assert revisions.current(cast.contest.pk) == before
    recorded(cast.contest)
    assert len({before, during, revisions.current(cast.contest.pk)}) == 3


# Every change of the boards changes the revision


class Watched:
    """Takes steps, and sees to it that none changes a board without changing the revision."""

    def __init__(self, client, contest: Contest, readers=()) -> None:
        self.client, self.contest, self.readers = client, contest, readers
        self.ranks = ""  # the address of the ranks of a submission
        self.address = reverse("board-fragment", args=[contest.slug])
        self.n_changes = 0

    def pages(self) -> list[bytes]:
        """What each of the readers sees."""
        addresses = [reverse("board", args=[self.contest.slug]), self.ranks]
        answers = [r.get(address) for r in self.readers for address in filter(None, addresses)]
        return [TOKEN.sub(b"", answer.content) for answer in answers]

    def keys(self) -> list[str]:
        contest, now = Contest.objects.get(pk=self.contest.pk), timezone.now()
        hidden = contest.hidden_measures
        scopes = [
            scope_of(contest, now, division=division, hidden=hidden)
            for division in (None, *contest.divisions.all())
        ]
        return [facts.key_of(scope) for scope in scopes]

    def __call__(self, service, **given):
        before, number = self.keys(), revisions.current(self.contest.pk)
        etag = self.client.get(self.address).get("ETag", "")
        done = service(**given)
        if self.keys() != before:
            self.n_changes += 1
            assert revisions.current(self.contest.pk) != number, service
        contest, now = Contest.objects.get(pk=self.contest.pk), timezone.now()
        hidden = contest.hidden_measures
        said = services.boards_of(contest, now, hidden=hidden)
        assert said.key == facts.key_of(scope_of(contest, now, hidden=hidden)), service
        answer = self.client.get(self.address, headers={"if-none-match": etag})
        fresh = self.client.get(self.address)
        assert (answer.status_code == 304) == (fresh.get("ETag") == etag), service
        given = self.pages()
        recent.forget_all()
        assert given == self.pages(), service
        return done


@pytest.fixture(params=some(1, [["", "oscar"], ["", "alice", "oscar"]]), ids=len)
def watched(request, cast, client, as_user, sent):
    """Read by a visitor and an organizer; `make test-long` adds a team."""
    recorded(cast.contest)
    people = [getattr(cast, name, None) for name in request.param]
    return Watched(client, cast.contest, [as_user(person) for person in people])


def fresh(cast) -> Contest:
    return Contest.objects.get(pk=cast.contest.pk)


@pytest.mark.long
def test_no_step_of_a_contest_changes_boards_in_silence(cast, watched):
    who = {"actor": cast.oscar, "contest": cast.contest}
    green = watched(accounts.create_team, user=cast.eve, contest=cast.contest, name="Green")
    watched(accounts.rename_team, user=cast.eve, team=green, name="Greener")
    students = watched(create_division, **who, title="Students")
    watched(rename_division, **who, key=students.key, title="Pupils")
    watched(accounts.move_to_division, actor=cast.oscar, team=green, division=students)
    table = round_of(cast.contest, "anonymization")
    made = [
        watched(hand_in, user=user, team=team, round=table)
        for user, team in ((cast.alice, cast.red), (cast.alice, cast.red), (cast.carol, cast.blue))
    ]
    watched.ranks = reverse("submission-ranks", args=[made[0].public_id])
    for submission in made:
        watched(scored, submission=submission)
    cancelled = watched(hand_in, user=cast.eve, team=green, round=table)
    watched(submissions.cancel, user=cast.eve, submission=cancelled)
    watched(submissions.choose, user=cast.alice, submission=Submission.objects.get(pk=made[0].pk))
    watched(rulings.withdraw, actor=cast.oscar, submission=made[2], reason="r")
    watched(rulings.reinstate_submission, actor=cast.oscar, submission=made[2], reason="r")
    watched(rulings.disqualify, actor=cast.oscar, team=cast.blue, reason="r")
    watched(rulings.reinstate_team, actor=cast.oscar, team=cast.blue, reason="r")
    watched(ceremonies.change_display, **who, audience="public", hidden_measures=["U1"])
    watched(ceremonies.change_display, **who, audience="public", hidden_measures=[])
    watched(ceremonies.freeze, **who)
    watched(ceremonies.reveal, **who)
    watched(pause, **who, reason="r")
    watched(resume, **who)
    watched(extend_round, **who, key=table.key, by=timedelta(hours=1), reason="r")
    watched(contests.close_round_now, **who, key=table.key)
    late = timezone.now() + timedelta(hours=2)
    watched(
        rulings.allow_late,
        actor=cast.oscar,
        team=green,
        round=fresh(cast).rounds.get(pk=table.pk),
        until=late,
        reason="r",
    )
    table = fresh(cast).rounds.select_related("contest").get(pk=table.pk)
    waiting = watched(hand_in, user=cast.eve, team=green, round=table)
    watched(scored, submission=waiting)
    rescore = watched(rescores.start, **who)
    jobs.work_on(Rescore, rescore.pk)
    watched(rescores.apply, **who)
    watched(contests.open_round_now, **who, key="attack")
    attack = fresh(cast).rounds.select_related("contest").get(key="attack")
    soon = timezone.now() + timedelta(minutes=2)
    found = watched(releases.publish, attack=attack, now=soon)
    targets = {release.team.name: release for release in found}
    guessed = watched(
        guess, user=cast.alice, team=cast.red, target=targets["Blue"], rows=b"1\n2\n3\n4\n"
    )
    watched(scored, submission=guessed)
    watched(contests.close_round_now, **who, key="attack")
    watched(inflight.note_complete, now=timezone.now())
    assert watched.n_changes >= 20


def test_no_mark_of_a_judge_changes_boards_in_silence(cast, client):
    played = board_facts.lecture(n_closed=3)
    recorded(played.contest)
    watched = Watched(client, played.contest)
    talks = round_of(played.contest, "presentation")
    now = timezone.now()
    type(talks).objects.filter(pk=talks.pk).update(closes_at=now + timedelta(hours=1))
    judge = played.judges["first"]
    played.contest.judges.add(judge)
    given = {(played.teams["Green"].pk, "policy"): 50}
    watched(
        grades.save,
        user=judge,
        round=round_of(played.contest, "presentation"),
        given=given,
        seen=grades.last_of(talks, judge),
    )
