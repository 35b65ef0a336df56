# SPDX-License-Identifier: Apache-2.0
"""Hints about teams: what may be worth a look, for a person to decide; nothing of it outlives the contest's data."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import addresses, services
from pwscup.accounts.models import SeatSource, Team, User
from pwscup.contests import services as contest_services
from pwscup.contests.organize import hints
from pwscup.contests.organize.hints import Hint
from tests import factories
from tests.web import board_facts, pipeline


@pytest.fixture
def contest(cast):
    """A contest without teams; every account was created in a minute of its own."""
    for number, user in enumerate(User.objects.order_by("pk")):
        User.objects.filter(pk=user.pk).update(date_joined=timezone.now() - timedelta(days=number))
    return factories.make_contest("fresh", organizer=cast.oscar)


def create(user, contest, name: str, source: str) -> Team:
    client = Client(REMOTE_ADDR=source)
    client.force_login(user)
    client.post(reverse("team-create", args=[contest.slug]), {"name": name})
    return contest.teams.get(name=name)


def found(contest) -> list[tuple[set[str], str]]:
    return [({team.name for team in hint.teams}, hint.reason) for hint in hints.hints_of(contest)]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("192.0.2.7", "192.0.2.200", True),
        ("192.0.2.7", "192.0.3.7", False),
        ("2001:db8:1:1::1", "2001:db8:1:ffff::9", True),
        ("2001:db8:1::1", "2001:db8:2::1", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("unknown", "unknown", False),
    ],
)
def test_teams_from_one_network_are_worth_a_look(cast, contest, first, second, same):
    create(cast.alice, contest, "Red", first)
    create(cast.carol, contest, "Blue", second)
    reason = "Members of these teams joined from the same network."
    assert found(contest) == ([({"Red", "Blue"}, reason)] if same else [])


def test_a_member_who_joins_counts_as_well(cast, contest):
    create(cast.carol, contest, "Blue", "198.51.100.1")
    red = create(cast.alice, contest, "Red", "192.0.2.1")
    link = services.invite(user=cast.alice, team=red)
    bob = Client(REMOTE_ADDR="198.51.100.2")
    bob.force_login(cast.bob)
    bob.post(reverse("invitation", args=[link.token]))
    assert [teams for teams, _reason in found(contest)] == [{"Red", "Blue"}]


def test_who_changes_the_team_is_no_coincidence(cast, contest):
    team = create(cast.eve, contest, "First", "192.0.2.1")
    pipeline.hand_in(cast.eve, team, contest.rounds.get(key="anonymization"))
    team.submissions.update(state="rejected")
    services.leave_team(user=cast.eve, team=team)
    create(cast.eve, contest, "Second", "192.0.2.1")
    assert found(contest) == []


@pytest.mark.parametrize("how", ["admitted", "changed the address later"])
def test_accounts_of_one_mailbox_are_worth_a_look(cast, contest, how):
    create(cast.alice, contest, "Red", "192.0.2.1")
    if how == "admitted":
        other = factories.make_user("alice+2", date_joined=timezone.now() - timedelta(days=30))
        services.readmit(actor=cast.oscar, contest=contest, email=other.email)
        create(other, contest, "Blue", "198.51.100.1")
    else:
        create(cast.carol, contest, "Blue", "198.51.100.1")
        User.objects.filter(pk=cast.carol.pk).update(email="alice+2@example.org")
    reason = "Accounts of members of these teams have the same mailbox."
    assert found(contest) == [({"Red", "Blue"}, reason)]


def test_accounts_of_one_minute_are_worth_a_look(cast, contest):
    moment = timezone.now().replace(second=10)
    User.objects.filter(pk=cast.alice.pk).update(date_joined=moment)
    User.objects.filter(pk=cast.carol.pk).update(date_joined=moment + timedelta(seconds=40))
    create(cast.alice, contest, "Red", "192.0.2.1")
    create(cast.carol, contest, "Blue", "198.51.100.1")
    create(cast.eve, contest, "Green", "203.0.113.1")
    reason = "Accounts of members of these teams were created in the same minute."
    assert found(contest) == [({"Red", "Blue"}, reason)]


def test_the_organizers_alone_read_them_and_other_apps_add_theirs(
    cast, contest, as_user, monkeypatch
):
    red = create(cast.alice, contest, "Red", "192.0.2.1")
    create(cast.carol, contest, "Blue", "192.0.2.2")
    create(cast.eve, contest, "Green", "192.0.2.3")
    monkeypatch.setattr(hints, "_finders", [*hints._finders])
    for _ in range(2):
        hints.register(alone)
    page = as_user(cast.oscar).get(f"/organize/{contest.slug}/teams/").content.decode()
    assert "Hints to check" in page
    assert page.count("stands alone") == 1
    assert page.index("stands alone") < page.index("from the same network")  # few teams first
    assert found(contest)[0] == ({red.name}, "stands alone")
    for user in (cast.alice, cast.eve, None):
        assert as_user(user).get(f"/organize/{contest.slug}/teams/").status_code in {302, 404}
    assert (
        "There is nothing to check."
        in as_user(cast.oscar).get("/organize/cup/teams/").content.decode()
    )


def alone(contest) -> list[Hint]:
    teams = contest.teams.filter(name="Red", contest__slug="fresh")
    return [Hint((team,), "stands alone") for team in teams]


def test_only_a_keyed_hash_is_kept_of_each_contest_another_until_the_data_go(cast, contest):
    create(cast.alice, contest, "Red", "192.0.2.1")
    other = factories.make_contest("other", organizer=cast.oscar)
    create(cast.alice, other, "Red", "192.0.2.1")
    kept = set(SeatSource.objects.values_list("network", flat=True))
    assert kept == {addresses.network_of("192.0.2.99", c) for c in (contest, other)}
    assert len(kept) == 2
    assert all(len(digest) == 64 for digest in kept)
    for round in contest.rounds.all():
        pipeline.close(round)
    contest_services.erase(actor=cast.oscar, contest=type(contest).objects.get(pk=contest.pk))
    assert [source.contest for source in SeatSource.objects.all()] == [other]


def test_hints_ask_as_little_of_many_teams_as_of_few(cast, contest, django_assert_num_queries):
    def add(number: int) -> None:
        user = factories.make_user(f"member{number}")
        services.create_team(user=user, contest=contest, name=f"Team {number}", source="192.0.2.1")

    for number in range(2):
        add(number)
    with django_assert_num_queries(8):
        assert len(found(contest)[0][0]) == 2
    for number in range(2, 6):
        add(number)
    with django_assert_num_queries(8):
        hints.hints_of(contest)


def test_a_target_that_one_attacker_solved_alone_is_a_hint(cast, contest):
    """Purple and Green found next to nothing of Blue, Red all of it: the table may have been made for Red."""
    played = board_facts.game(contest)
    target = played.releases["Blue"]
    for name, rate in (("Red", 0.9), ("Purple", 0.05), ("Green", 0.02)):
        team = contest.teams.filter(name=name).first() or factories.make_team(contest, name)
        board_facts.scored(team, played.attack, board_facts.rate_of(rate), target=target)
        solved = [hint for hint in hints.hints_of(contest) if "at least half" in hint.reason]
        expected = [("Red", "Blue")] if name == "Green" else []
        assert [tuple(team.name for team in hint.teams) for hint in solved] == expected
