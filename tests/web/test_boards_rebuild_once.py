# SPDX-License-Identifier: Apache-2.0
"""One reader at a time makes a board; the others get the one from before with its time, where it may be shown."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Round
from pwscup.leaderboards import services
from pwscup.leaderboards.boards import build as boards
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.leaderboards.models import Standing
from pwscup.submissions.decisions import rulings
from tests.web import board_facts

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(services, "PATIENCE_SECONDS", 0)


@pytest.fixture
def played(cast):
    return board_facts.game(cast.contest)


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def served(contest, **asked):
    return services.served(fresh(contest), timezone.now(), **asked)


def one_more(played) -> None:
    """A fact that changes the boards."""
    rate = board_facts.rate_of(1)
    target = played.releases["Green"]
    board_facts.scored(played.teams["Blue"], played.attack, rate, target=target)


def somebody_makes_it(contest) -> None:
    """Another process has the lease of every variant that is stored."""
    until = timezone.now() + timedelta(seconds=20)
    Standing.objects.filter(contest=contest).update(lease_until=until)


def nobody_builds(monkeypatch) -> None:
    def build(facts):
        raise AssertionError("built")

    monkeypatch.setattr(boards, "build", build)


def test_who_asks_during_a_rebuild_gets_the_board_from_before(played, monkeypatch):
    before, made_at = served(played.contest), Standing.objects.get().built_at
    one_more(played)
    during, plain = [], boards.build

    def build(facts):
        meanwhile = served(played.contest)
        during.append((meanwhile.key, meanwhile.data, meanwhile.as_of))
        return plain(facts)

    monkeypatch.setattr(boards, "build", build)
    after = served(played.contest)
    assert during == [(before.key, before.data, made_at)]
    assert (after.as_of, after.key == before.key) == (None, False)
    again = served(played.contest)
    assert (again.key, again.as_of, len(during)) == (after.key, None, 1)


def test_the_page_says_of_when_its_board_is(played, client, monkeypatch):
    pages = [reverse(name, args=[played.contest.slug]) for name in ("board", "board-fragment")]
    query = {"board": "attack"}
    first = client.get(pages[1], query)
    assert "As of" not in first.content.decode()
    made_at = Standing.objects.get().built_at.astimezone(played.contest.tz)
    one_more(played)
    somebody_makes_it(played.contest)
    nobody_builds(monkeypatch)
    for page in pages:
        html = client.get(page, query).content.decode()
        assert f"As of {made_at:%H:%M:%S}: new results are being added." in html
        assert 'hx-trigger="every 3s, due"' in html
    headers = {"if-none-match": first["ETag"]}
    stale = client.get(pages[1], query, headers=headers)
    assert (stale.status_code, stale["ETag"] == first["ETag"]) == (200, False)
    table = client.get(reverse("board-csv", args=[played.contest.slug]), query)
    assert b"Blue" in table.content


def test_a_first_board_is_awaited(played, client, monkeypatch):
    served(played.contest)
    Standing.objects.update(key="", gate="", boards={})  # as a process that makes it leaves the row
    somebody_makes_it(played.contest)
    nobody_builds(monkeypatch)
    for name in ("board", "board-fragment"):
        address = reverse(name, args=[played.contest.slug])
        answer = client.get(address, {"board": "attack"})
        html = answer.content.decode()
        fragment = reverse("board-fragment", args=[played.contest.slug])
        assert "The leaderboard is being computed." in html
        assert f'hx-get="{fragment}?board=attack" hx-trigger="every 2s"' in html
        assert answer.get("ETag") is None
    table = client.get(reverse("board-csv", args=[played.contest.slug]))
    assert (table.status_code, table["Retry-After"]) == (503, "2")


def test_the_first_reader_makes_the_board_and_frees_the_row(played):
    assert served(played.contest).as_of is None
    assert Standing.objects.get().lease_until is None


def test_a_lease_that_ran_out_is_nobodys(played):
    before = served(played.contest)
    one_more(played)
    Standing.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    after = served(played.contest)
    assert (after.as_of, after.key == before.key) == (None, False)


def test_who_fails_to_make_a_board_leaves_it_to_the_next(played, monkeypatch):
    nobody_builds(monkeypatch)
    with pytest.raises(AssertionError, match="built"):
        served(played.contest)
    monkeypatch.undo()
    assert served(played.contest).data["live"] is False


def test_a_costly_board_rests_while_facts_come(cast, played, monkeypatch):
    """However fast facts come: but what may not be shown any more goes at once."""
    monkeypatch.setattr(services, "REST", 1_000_000)
    monkeypatch.setattr(services, "CHEAP_SECONDS", 0)
    first = served(played.contest)
    one_more(played)
    with monkeypatch.context() as patched:
        nobody_builds(patched)
        meanwhile = served(played.contest)
    assert (meanwhile.key, meanwhile.as_of) == (first.key, Standing.objects.get().built_at)
    disqualify(cast, played)
    then = served(played.contest)
    assert (then.as_of, then.key == first.key) == (None, False)
    Standing.objects.update(rest_until=timezone.now() - timedelta(seconds=1))
    one_more(played)
    assert served(played.contest).as_of is None


def test_a_cheap_board_does_not_rest(played, monkeypatch):
    monkeypatch.setattr(services, "REST", 1_000_000)
    monkeypatch.setattr(services, "CHEAP_SECONDS", 3600)
    served(played.contest)
    one_more(played)
    assert served(played.contest).as_of is None


# What is never shown again


def disqualify(cast, played):
    rulings.disqualify(actor=cast.oscar, team=played.teams["Blue"], reason="r")


def withdraw(cast, played):
    rulings.withdraw(actor=cast.oscar, submission=played.submissions["Blue"], reason="r")


def hide(cast, played):
    Contest.objects.update(hidden_measures=["U1"])


def hide_more(cast, played):
    Contest.objects.update(hidden_measures=["U1", "U2"])


def freeze(cast, played):
    Contest.objects.update(frozen_at=played.attack.opens_at)


def freeze_earlier(cast, played):
    Contest.objects.update(frozen_at=played.anonymization.opens_at + timedelta(seconds=1))


def open_again(cast, played):
    """The rates of a round that is open are shown to nobody."""
    Round.objects.filter(pk=played.attack.pk).update(closes_at=timezone.now() + timedelta(hours=1))


def change_rules(cast, played):
    text = played.contest.ruleset_text.replace("n_weight = 0.5", "n_weight = 0.25")
    text = text.replace("attack_weight = 0.5", "attack_weight = 0.75")
    Contest.objects.update(ruleset_text=text)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (None, disqualify),
        (None, withdraw),
        (None, hide),
        (hide, hide_more),
        (None, freeze),
        (freeze, freeze_earlier),
        (None, open_again),
        (None, change_rules),
    ],
)
def test_a_board_that_shows_too_much_is_not_served_again(cast, played, monkeypatch, first, then):
    if first:
        first(cast, played)
    hidden = fresh(played.contest).hidden_measures
    assert served(played.contest, hidden=hidden) is not None
    then(cast, played)
    hidden = fresh(played.contest).hidden_measures
    variants = [f"contest//{who}/{when}" for who in ("all", "less") for when in ("live", "frozen")]
    Standing.objects.bulk_create(
        [Standing(contest=played.contest, variant=variant, boards={}) for variant in variants],
        ignore_conflicts=True,
    )
    somebody_makes_it(played.contest)
    nobody_builds(monkeypatch)
    assert served(played.contest, hidden=hidden) is None


def test_a_board_from_before_a_round_was_shown_may_be_served_meanwhile(cast, monkeypatch):
    played = board_facts.game(cast.contest, phase="attack")
    before = served(played.contest)
    Round.objects.filter(pk=played.attack.pk).update(
        closes_at=timezone.now() - timedelta(minutes=5)
    )
    somebody_makes_it(played.contest)
    nobody_builds(monkeypatch)
    meanwhile = served(played.contest)
    assert (meanwhile.key, meanwhile.as_of is not None) == (before.key, True)
    assert meanwhile.data["attack"]["shown"] is False


def test_a_ceremony_begins_with_the_order_that_is_true(cast, played, monkeypatch):
    """What is fixed for good is never made of a board from before."""
    ceremonies.freeze(actor=cast.oscar, contest=played.contest)
    frozen = services.boards_of(fresh(played.contest), timezone.now())
    somebody_makes_it(played.contest)
    one = services.boards_of(fresh(played.contest), timezone.now())
    assert (one.key, one.as_of) == (frozen.key, None)


def test_lists_of_contests_make_a_board_once(played, as_user, cast, monkeypatch):
    built, plain = [], boards.build
    monkeypatch.setattr(boards, "build", lambda facts: built.append(facts) or plain(facts))
    for name in ("contests", "home", "contests"):
        for user in (None, cast.alice, cast.oscar):
            assert as_user(user).get(reverse(name)).status_code == 200
    assert len(built) == 1
