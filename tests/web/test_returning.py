# SPDX-License-Identifier: Apache-2.0
"""People who come back under another account, and teams that everybody has left.

Runs on SQLite here, and on PostgreSQL from `tests/distributed`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import addresses, selectors, services
from pwscup.accounts.models import FormerAddress, Invitation, Membership, Readmission, Team
from pwscup.accounts.services import RefusedError
from pwscup.contests import services as contest_services
from pwscup.core.db import revisions
from pwscup.core.models import Event
from pwscup.disclosure import ledger
from pwscup.disclosure.models import Answer
from pwscup.disclosure.services import QueryRefused, ask
from pwscup.notices.services import publish_announcement
from pwscup.submissions.models import Submission
from pwscup.submissions.services import SubmissionRefused
from pwscup.submissions.states import State
from tests import factories
from tests.web import pipeline


def refused(code: str, call: Callable[..., Any], **arguments: Any) -> None:
    with pytest.raises(RefusedError) as refusal:
        call(**arguments)
    assert refusal.value.code == code


def come_back(user, address: str | None = None):
    """The person deletes the account and signs up again, by default with the same address."""
    name = (address or user.email).split("@")[0]
    services.delete_account(user=user)
    return factories.make_user(name)


@pytest.fixture
def played(cast, sent, round) -> SimpleNamespace:
    """Carol, alone in Blue, has submitted a table that was scored."""
    pipeline.scored(pipeline.hand_in(cast.carol, cast.blue, round))
    services.record(
        "team.created", actor=cast.carol, contest_id=cast.contest.pk, subject="team blue"
    )
    return cast


# Under another account


def test_who_comes_back_under_another_account_gets_no_second_seat(played, as_user):
    again = come_back(played.carol)

    refused(
        "came_back", services.create_team, user=again, contest=played.contest, name="Second seat"
    )
    red = services.invite(user=played.alice, team=played.red)
    refused("came_back", services.join_team, user=again, invitation=red)
    page = as_user(again).get(reverse("team", args=["cup"])).content.decode()
    assert "under another account" in page
    assert Team.objects.count() == 2


@pytest.mark.parametrize("address", ["CAROL@example.org", "carol+cup@example.org"])
def test_the_same_mailbox_is_the_same_person(played, address):
    again = come_back(played.carol, address)
    refused("came_back", services.create_team, user=again, contest=played.contest, name="Second")


@pytest.mark.parametrize("how", ["create", "join", "own team"])
def test_one_mailbox_holds_one_seat_at_a_time(cast, as_user, how):
    """Nothing was submitted yet: a seat that is held is enough."""
    twin = factories.make_user("alice+2")
    if how == "create":
        refused("came_back", services.create_team, user=twin, contest=cast.contest, name="Two")
    else:
        user, team = (cast.carol, cast.blue) if how == "join" else (cast.alice, cast.red)
        link = services.invite(user=user, team=team)
        refused("came_back", services.join_team, user=twin, invitation=link)
    page = as_user(twin).get(reverse("team", args=["cup"])).content.decode()
    assert "plays or played in a team of this contest under another account" in page
    assert not Membership.objects.filter(user=twin).exists()


def test_a_seat_that_was_left_counts_for_the_other_account(played):
    twin = factories.make_user("carol+2")
    services.leave_team(user=played.carol, team=played.blue)
    refused("came_back", services.create_team, user=twin, contest=played.contest, name="Second")


@pytest.mark.parametrize("office", ["organizer", "judge"])
def test_who_holds_an_office_does_not_play_by_another_account(cast, office):
    people = cast.contest.organizers if office == "organizer" else cast.contest.judges
    people.add(cast.eve)
    twin = factories.make_user("eve+2")
    refused(office, services.create_team, user=twin, contest=cast.contest, name="Spies")


def test_the_organizers_admit_a_second_account(cast):
    twin = factories.make_user("alice+2")
    services.readmit(actor=cast.oscar, contest=cast.contest, email=twin.email)
    link = services.invite(user=cast.carol, team=cast.blue)
    assert services.join_team(user=twin, invitation=link) == cast.blue


def test_another_mailbox_is_another_person(played):
    services.delete_account(user=played.carol)
    other = factories.make_user("ca.rol")
    assert services.create_team(user=other, contest=played.contest, name="Green").captain == other


def test_a_submission_that_failed_is_retried_so_its_team_has_played(played):
    Submission.objects.update(state=State.FAILED)
    services.leave_team(user=played.carol, team=played.blue)
    refused("has_played", services.create_team, user=played.carol, contest=played.contest, name="B")


def test_an_address_that_was_changed_before_is_recognized_too(played, as_user, client):
    """Carol becomes claire@, deletes the account, and signs up with the address of before."""
    carol = as_user(played.carol)
    carol.post(reverse("account_reauthenticate"), {"password": factories.PASSWORD})
    carol.post(reverse("account_email"), {"action_add": "", "email": "claire@example.org"})
    link = next(word for word in mail.outbox[-1].body.split() if "confirm-email" in word)
    carol.post(link)
    played.carol.refresh_from_db()
    assert played.carol.email == "claire@example.org"

    services.delete_account(user=played.carol)

    for name in ("carol", "claire"):
        again = factories.make_user(name)
        refused("came_back", services.create_team, user=again, contest=played.contest, name=name)


def test_a_second_budget_is_not_for_a_second_account(cast):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    team = services.create_team(user=cast.eve, contest=contest, name="Lone")
    round = contest.rounds.get(key="interactive")
    ask(user=cast.eve, team=team, round=round, query={"columns": ["sex"]}, epsilon="1")

    again = come_back(cast.eve)

    refused("came_back", services.create_team, user=again, contest=contest, name="Again")


def test_who_organized_does_not_come_back_to_play(cast):
    factories.make_user("olga").organizes.add(cast.contest)
    again = come_back(cast.oscar)
    refused("organizer", services.create_team, user=again, contest=cast.contest, name="Spies")


def test_who_judged_does_not_come_back_to_play(cast):
    cast.contest.judges.add(cast.eve)
    again = come_back(cast.eve)
    refused("judge", services.create_team, user=again, contest=cast.contest, name="Jury")


def test_who_did_nothing_comes_back_as_anybody(cast):
    services.leave_team(user=cast.carol, team=cast.blue)
    again = come_back(cast.carol)
    assert services.create_team(user=again, contest=cast.contest, name="Green").captain == again


def test_the_organizers_admit_somebody_again(played, oscar):
    again = come_back(played.carol)
    url = reverse("organize-team-readmit", args=["cup"])

    known = oscar.post(url, {"readmit-email": "Carol@example.org"}, follow=True)
    unknown = oscar.post(url, {"readmit-email": "nobody@example.org"}, follow=True)

    assert "may join another team" in known.content.decode()
    assert [m.message for m in known.context["messages"]] == [
        m.message for m in unknown.context["messages"]
    ]
    events = Event.objects.filter(kind="team.readmitted")
    assert [(event.actor, event.data) for event in events] == [(played.oscar, {})] * 2
    made = services.create_team(user=again, contest=played.contest, name="Green")
    assert made.captain == again


def test_an_admission_serves_for_one_seat(played):
    """Not for the one after it, nor for another account of the mailbox."""
    again = come_back(played.carol)
    services.readmit(actor=played.oscar, contest=played.contest, email=again.email)
    link = services.invite(user=played.alice, team=played.red)
    services.join_team(user=again, invitation=link)

    twin = factories.make_user("carol+2")
    refused("came_back", services.create_team, user=twin, contest=played.contest, name="Third")
    services.leave_team(user=again, team=played.red)
    refused("came_back", services.create_team, user=again, contest=played.contest, name="Third")

    services.readmit(actor=played.oscar, contest=played.contest, email=again.email)
    assert services.create_team(user=twin, contest=played.contest, name="Third").captain == twin
    assert not Readmission.objects.exists()


def test_only_keyed_hashes_are_kept_and_of_each_contest_another(played):
    other = factories.make_contest("other")
    services.create_team(user=played.carol, contest=other, name="Blue")
    services.delete_account(user=played.carol)

    kept = FormerAddress.objects.order_by("contest_id")

    assert [row.contest for row in kept] == [played.contest, other]
    digests = {row.digest for row in kept}
    assert digests == {
        addresses.digest_of("carol@example.org", contest) for contest in (played.contest, other)
    }
    assert len(digests) == 2
    assert not any("carol" in digest for digest in digests)


def test_the_hashes_go_with_the_data(played, oscar):
    services.readmit(actor=played.oscar, contest=played.contest, email="x@example.org")
    services.delete_account(user=played.carol)
    for round in played.contest.rounds.all():
        pipeline.close(round)
    contest = type(played.contest).objects.get(pk=played.contest.pk)

    contest_services.erase(actor=played.oscar, contest=contest)

    assert not FormerAddress.objects.exists()
    assert not Readmission.objects.exists()
    again = factories.make_user("carol")
    services.delete_account(user=again)
    assert not FormerAddress.objects.exists()


# After publication


@pytest.fixture
def published(played, round):
    """The attack round is open: the tables of Red and Blue are published."""
    pipeline.scored(pipeline.hand_in(played.alice, played.red, round))
    assert set(pipeline.publish(played.contest)) == {"Red", "Blue"}
    return played


def test_once_tables_are_published_no_new_teams_are_created(published, as_user):
    new = {"user": published.eve, "contest": published.contest, "name": "Late"}
    refused("tables_published", services.create_team, **new)
    page = as_user(published.eve).get(reverse("team", args=["cup"])).content.decode()
    assert "are published already" in page
    link = services.invite(user=published.alice, team=published.red)
    assert services.join_team(user=published.eve, invitation=link) == published.red


def test_the_organizers_may_allow_new_teams(published, oscar):
    contest = published.contest
    fields = ("title", "title_ja", "summary", "summary_ja", "timezone", "admission")
    values = {name: getattr(contest, name) for name in fields} | {"max_team_size": 3}
    contest.refresh_from_db()
    values |= {"version": contest.version, "has_late_teams": "on"}

    assert oscar.post(reverse("organize-settings", args=["cup"]), values).status_code == 302

    contest.refresh_from_db()
    assert contest.has_late_teams
    event = Event.objects.filter(kind="contest.settings_changed").latest("pk")
    assert event.data["has_late_teams"] == [False, True]
    assert services.create_team(user=published.eve, contest=contest, name="Late").contest == contest


# Of all teams together


@pytest.fixture
def capped(cast) -> SimpleNamespace:
    """Three teams of which each has ε = 1; all together have 1.5."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    contest.epsilon_cap = Decimal("1.5")
    contest.save(update_fields=["epsilon_cap"])
    people = (cast.alice, cast.carol, cast.eve)
    teams = [factories.make_team(contest, user.display_name, user) for user in people]
    round = contest.rounds.get(key="interactive")
    asking = [
        {"user": user, "team": team, "round": round, "query": {"columns": ["sex"]}}
        for user, team in zip(people, teams, strict=True)
    ]
    return SimpleNamespace(contest=contest, asking=asking)


def test_all_teams_together_spend_no_more_than_the_cap(capped):
    first, second, third = capped.asking
    ask(**first, epsilon="1")
    with pytest.raises(QueryRefused) as refusal:
        ask(**second, epsilon="0.6")
    assert refusal.value.code == "budget.all_teams"
    assert str(refusal.value) == (
        "The answer costs 0.6 — expected at most 0.5, the remaining budget of all teams of the contest "
        "together."
    )
    ask(**third, epsilon="0.5")
    ask(**first, epsilon="1")  # paid for already
    assert ledger.spent_by_all(capped.contest) == Decimal("1.5")
    assert ledger.left_for_all(capped.contest) == 0


def test_without_a_cap_each_team_has_its_budget(capped):
    capped.contest.epsilon_cap = None
    capped.contest.save(update_fields=["epsilon_cap"])
    for asking in capped.asking:
        ask(**asking, epsilon="1")
    assert ledger.left_for_all(capped.contest) is None


def test_the_cap_is_shown_and_set_by_the_organizers(capped, cast, as_user):
    slug = capped.contest.slug
    ask(**capped.asking[0], epsilon="0.25")
    page = as_user(cast.carol).get(reverse("ask", args=[slug, "interactive"])).content.decode()
    assert "All teams of the contest together have ε = 1.25 left." in page
    oscar = as_user(cast.oscar)
    page = oscar.get(reverse("organize-disclosure", args=[slug])).content.decode()
    assert "All teams together have spent ε = 0.25. ε = 1.25 is left up to the limit." in page
    url = reverse("organize-settings", args=[slug])
    values = {"title": "DP", "timezone": "Asia/Tokyo", "admission": "open", "max_team_size": 3}
    values |= {"version": capped.contest.version, "epsilon_cap": "0.3"}
    assert oscar.post(url, values).status_code == 302
    assert ledger.left_for_all(capped.contest) == Decimal("0.05")
    event = Event.objects.get(kind="contest.settings_changed")
    assert event.data["epsilon_cap"] == ["1.5", "0.3"]
    other = oscar.get(reverse("organize-settings", args=["cup"])).content.decode()
    assert "epsilon_cap" not in other


# Teams that everybody has left


def test_a_team_that_did_nothing_goes_with_its_last_member(cast, as_user):
    team = services.create_team(user=cast.eve, contest=cast.contest, name="Green")
    link = services.invite(user=cast.eve, team=team)

    as_user(cast.eve).post(reverse("team-leave", args=["cup"]))

    assert not Team.objects.filter(pk=team.pk).exists()
    event = Event.objects.get(kind="team.removed")
    assert (event.actor, event.subject, event.data) == (cast.eve, "team green", {"name": "Green"})
    assert "Green" not in as_user(None).get(reverse("board", args=["cup"])).content.decode()
    assert as_user(cast.bob).get(reverse("invitation", args=[link.token])).status_code == 404
    refused("team_gone", services.join_team, user=cast.eve, invitation=link)


def test_its_name_is_free_and_its_slug_is_not(cast):
    """The trail names teams by slug: another team under it would inherit who sat in the first."""
    first = services.create_team(user=cast.eve, contest=cast.contest, name="Green")
    services.leave_team(user=cast.eve, team=first)
    second = services.create_team(user=cast.eve, contest=cast.contest, name="Green")
    assert (second.name, second.slug) == ("Green", "green-2")


def test_a_team_that_did_something_stays(cast, sent, round):
    pipeline.hand_in(cast.carol, cast.blue, round)
    services.leave_team(user=cast.carol, team=cast.blue)
    assert Team.objects.filter(pk=cast.blue.pk, captain=None).exists()


def test_a_team_that_organizers_set_up_stays(cast):
    made = contest_services.set_up_teams(
        actor=cast.oscar, contest=cast.contest, text="team,division,email\nGreen,,eve@example.org\n"
    )
    services.join_team(user=cast.eve, invitation=Invitation.objects.get())
    services.leave_team(user=cast.eve, team=made[0])
    assert Team.objects.filter(pk=made[0].pk).exists()


def test_every_row_that_points_at_a_team_is_a_fact_or_goes_with_it():
    pointing = {relation.get_accessor_name() for relation in Team._meta.related_objects}
    assert pointing == {
        *selectors.FACTS,
        "memberships",
        "invitations",
        "archive_number",
        "seat_sources",
    }


def test_organizers_remove_an_empty_team(cast, oscar):
    made = contest_services.set_up_teams(
        actor=cast.oscar,
        contest=cast.contest,
        text="team,division,email\nGreen,,x@example.org\nGray,,y@example.org\n",
    )
    page = oscar.get(reverse("organize-teams", args=["cup"])).content.decode()
    assert page.count("/organize/cup/teams/remove/") == 2
    url = reverse("organize-team-remove", args=["cup"])

    oscar.post(url, {"team": made[0].pk})
    answer = oscar.post(url, {"team": cast.red.pk}, follow=True)

    assert set(Team.objects.values_list("name", flat=True)) == {"Red", "Blue", "Gray"}
    assert "The team has members" in answer.content.decode()
    assert Event.objects.get(kind="team.removed").actor == cast.oscar


def test_one_person_creates_a_bounded_number_of_teams(cast, settings):
    settings.MAX_TEAMS_PER_PERSON = 3
    new = {"user": cast.eve, "contest": cast.contest}
    for number in range(3):
        team = services.create_team(**new, name=f"Team {number}")
        services.leave_team(user=cast.eve, team=team)
    refused("too_many_teams", services.create_team, **new, name="One more")
    assert Team.objects.count() == 2
    again = come_back(cast.eve)
    refused("too_many_teams", services.create_team, **new | {"user": again}, name="One more")


def test_and_a_bounded_number_a_day(cast, settings):
    settings.MAX_TEAMS_PER_DAY = 2
    contests = [factories.make_contest(f"cup-{number}") for number in range(3)]
    for contest in contests[:2]:
        services.create_team(user=cast.eve, contest=contest, name="Green")
    last = {"user": cast.eve, "contest": contests[2], "name": "Green"}
    refused("too_many_teams_today", services.create_team, **last)
    yesterday = timezone.now() - timedelta(days=1, minutes=1)
    Event.objects.all()._raw_delete(Event.objects.db)
    Event.objects.create(kind="team.created", actor=cast.eve, at=yesterday)
    assert services.create_team(**last).captain == cast.eve


# At once


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """What became of each call: its value, or the code of its refusal."""
    gate, outcomes = threading.Barrier(len(calls)), [None] * len(calls)

    def run(place: int, call: Callable[[], Any]) -> None:
        try:
            gate.wait()
            outcomes[place] = call()
        except (RefusedError, QueryRefused, SubmissionRefused) as refusal:
            outcomes[place] = refusal.code
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=call) for call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.django_db(transaction=True)
def test_teams_that_ask_at_once_do_not_break_the_cap(capped):
    outcomes = at_once([lambda a=asking: ask(**a, epsilon="0.7") for asking in capped.asking])
    assert outcomes.count("budget.all_teams") == 1
    assert Answer.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_person_creates_no_more_teams_at_once(cast, settings):
    settings.MAX_TEAMS_PER_PERSON = 2

    def create_and_leave(number: int) -> str:
        try:
            team = services.create_team(user=cast.eve, contest=cast.contest, name=f"Team {number}")
        except RefusedError as refusal:
            return refusal.code
        services.leave_team(user=cast.eve, team=team)
        return "created"

    outcomes = at_once([lambda n=number: create_and_leave(n) for number in range(6)])

    assert outcomes.count("created") <= 2
    assert Event.objects.filter(kind="team.created").count() <= 2
    assert set(Team.objects.values_list("name", flat=True)) == {"Red", "Blue"}


@pytest.mark.django_db(transaction=True)
def test_accounts_of_one_mailbox_at_once_get_one_seat(cast):
    """Each into another team, by a link or by founding it."""
    links = [services.invite(user=cast.alice, team=cast.red)]
    links += [services.invite(user=cast.carol, team=cast.blue)]
    twins = [factories.make_user(f"dan+{number}") for number in range(3)]

    outcomes = at_once(
        [
            lambda: services.join_team(user=twins[0], invitation=links[0]),
            lambda: services.join_team(user=twins[1], invitation=links[1]),
            lambda: services.create_team(user=twins[2], contest=cast.contest, name="Green"),
        ]
    )

    assert outcomes.count("came_back") == 2
    assert Membership.objects.filter(user__in=twins).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", ["join", "organize", "announce"])
def test_who_changes_a_contest_and_who_deletes_an_account_do_not_block_each_other(
    cast, monkeypatch, change
):
    """The one holds the contest and comes to its revision, the other holds the revision and names the contest."""
    dan, link = factories.make_user("dan"), services.invite(user=cast.carol, team=cast.blue)
    services.join_team(user=dan, invitation=services.invite(user=cast.alice, team=cast.red))
    organizing = {"actor": cast.oscar, "contest": cast.contest}
    changes = {
        "join": lambda: services.join_team(user=cast.eve, invitation=link),
        "organize": lambda: contest_services.create_division(**organizing, title="x"),
        "announce": lambda: publish_announcement(**organizing, values={"title": "x", "text": "x"}),
    }
    holds_contest, holds_revision, touch = threading.Event(), threading.Event(), revisions.touch

    def touch_in_turn(*args: Any, **what: Any) -> None:
        if not holds_contest.is_set():
            holds_contest.set()
            holds_revision.wait(3)  # in vain on SQLite, where one writes at a time
        touch(*args, **what)
        holds_revision.set()

    def delete() -> str:
        holds_contest.wait(30)
        services.delete_account(user=dan)
        return "deleted"

    monkeypatch.setattr(revisions, "touch", touch_in_turn)
    changed, deleted = at_once([lambda: changes[change]() or "changed", delete])
    assert (bool(changed), deleted) == (True, "deleted")


@pytest.mark.django_db(transaction=True)
def test_who_joins_while_the_last_member_leaves_has_a_team_or_is_refused(cast):
    """Several times: whichever of the two comes first, nobody sits in a team that is gone."""
    for number in range(5):
        contest = factories.make_contest(f"race-{number}")
        team = services.create_team(user=cast.eve, contest=contest, name="Green")
        link = services.invite(user=cast.eve, team=team)

        left, joined = at_once(
            [
                lambda t=team: services.leave_team(user=cast.eve, team=t),
                lambda i=link: services.join_team(user=cast.bob, invitation=i),
            ]
        )

        seats = set(
            Membership.objects.filter(contest=contest).values_list("user__email", flat=True)
        )
        if joined == "team_gone":
            assert (left, seats) == (None, set())
        else:
            assert (left, joined) == ("captain_stays", team)
            assert seats == {"eve@example.org", "bob@example.org"}


@pytest.mark.django_db(transaction=True)
def test_an_upload_for_a_team_that_goes_meanwhile_is_refused(cast, sent, round, monkeypatch):
    from pwscup.core.files import storage

    write = storage.write

    def write_slowly(*args: Any, **kwargs: Any) -> Any:
        if team.memberships.exists():
            services.leave_team(user=cast.eve, team=team)
        return write(*args, **kwargs)

    team = services.create_team(user=cast.eve, contest=cast.contest, name="Green")
    monkeypatch.setattr(storage, "write", write_slowly)
    with pytest.raises(SubmissionRefused) as refusal:
        pipeline.hand_in(cast.eve, team, round)
    assert refusal.value.code == "not_allowed"
    assert not Team.objects.filter(pk=team.pk).exists()
