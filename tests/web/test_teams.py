# SPDX-License-Identifier: Apache-2.0
"""Teams: founding, inviting, joining, leaving, and who may do which."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import policies, selectors, services
from pwscup.accounts.models import Invitation, Membership, Team
from pwscup.accounts.names import short_names
from pwscup.contests.models import Contest
from pwscup.core.models import Event
from pwscup.submissions.states import USES_A_TRY, State
from tests import factories


def kinds(contest) -> list[str]:
    return list(Event.objects.filter(contest_id=contest.pk).values_list("kind", flat=True))


def refused(code, call, **arguments):
    with pytest.raises(services.RefusedError) as refusal:
        call(**arguments)
    assert refusal.value.code == code


def end(contest) -> None:
    contest.rounds.update(
        opens_at=timezone.now() - timedelta(days=9), closes_at=timezone.now() - timedelta(days=8)
    )


@pytest.fixture
def link(cast) -> Invitation:
    """alice's invitation to the team Red: two members, one seat left."""
    return services.invite(user=cast.alice, team=cast.red)


def test_a_team_has_played_where_it_has_used_an_attempt_or_what_failed_is_retried():
    """The app of teams stands below the one that names the states, and repeats them."""
    assert set(policies.PLAYED) == USES_A_TRY | {State.FAILED}


# Names


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Red Team", "red-team"),
        ("Équipe", "equipe"),
        ("チーム青", "team-3"),
        ("!!!", "team-3"),
        ("Blue", "blue-2"),
    ],
)
def test_a_slug_is_ascii_and_free(name, slug):
    assert short_names.short_name_of(name, {"blue", "green"}) == slug


def test_a_slug_without_letters_skips_numbers_that_are_taken():
    assert short_names.short_name_of("青", {"team-3", "red"}) == "team-4"
    assert short_names.short_name_of("青", {"team-2"}) == "team-3"


def test_a_slug_fits_its_column():
    taken = {short_names.short_name_of("a" * 40, set())}
    assert (
        len(short_names.short_name_of("a" * 40, taken)) <= Team._meta.get_field("slug").max_length
    )


# Founding


def test_the_founder_is_captain_and_only_member(cast):
    team = services.create_team(user=cast.eve, contest=cast.contest, name="緑の会")
    assert team.captain == cast.eve
    assert team.slug == "team-3"
    assert [member.user for member in selectors.members_of(team)] == [cast.eve]
    assert selectors.team_of(cast.eve, cast.contest) == team
    event = Event.objects.get(kind="team.created")
    assert (event.actor, event.contest_id) == (cast.eve, cast.contest.pk)


@pytest.mark.parametrize("name", ["Red", "RED", "Ｒｅｄ"])
def test_a_name_that_looks_taken_is_taken(cast, name):
    refused("name_taken", services.create_team, user=cast.eve, contest=cast.contest, name=name)


def test_the_same_name_is_free_in_another_contest(cast):
    other = factories.make_contest("other", organizer=cast.oscar)
    assert services.create_team(user=cast.eve, contest=other, name="Red").slug == "red"


def test_who_may_not_found_a_team(cast):
    def found(user, contest=cast.contest):
        return {"user": user, "contest": contest, "name": "New"}

    draft = factories.make_contest("draft", organizer=cast.oscar, published=False)
    over = factories.make_contest("over", organizer=cast.oscar, phase="after")
    admin = factories.make_user("admin", is_superuser=True)
    refused("has_team", services.create_team, **found(cast.bob))
    refused("organizer", services.create_team, **found(cast.oscar))
    refused("organizer", services.create_team, **found(admin))
    refused("not_published", services.create_team, **found(cast.eve, draft))
    refused("contest_over", services.create_team, **found(cast.eve, over))
    assert Team.objects.count() == 2


def test_an_organizer_may_play_in_somebody_elses_contest(cast):
    other = factories.make_contest("other", organizer=factories.make_user("olga"))
    assert services.create_team(user=cast.oscar, contest=other, name="Guests").captain == cast.oscar


def test_a_team_may_still_be_founded_between_the_rounds(cast):
    between = factories.make_contest("between", organizer=cast.oscar, phase="between")
    assert services.create_team(user=cast.eve, contest=between, name="Late").captain == cast.eve


def test_the_form_keeps_a_refused_name_and_says_why_beside_it(cast, as_user):
    answer = as_user(cast.eve).post(
        reverse("team-create", args=[cast.contest.slug]), {"name": "Red"}
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="Red"' in page
    assert "Another team of this contest already has this name." in page
    assert 'aria-invalid="true"' in page


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "Re\u200bd", "\u202eder"])
def test_a_name_that_cannot_be_shown_is_refused(cast, as_user, name):
    answer = as_user(cast.eve).post(
        reverse("team-create", args=[cast.contest.slug]), {"name": name}
    )
    assert answer.status_code == 422
    assert Team.objects.count() == 2


# Renaming


def test_a_name_may_change_until_the_first_round_closes(cast):
    renamed = services.rename_team(user=cast.alice, team=cast.red, name="Crimson")
    assert (renamed.name, renamed.slug) == ("Crimson", "red")
    refused("captain_only", services.rename_team, user=cast.bob, team=cast.red, name="Mine")
    refused("name_taken", services.rename_team, user=cast.alice, team=cast.red, name="blue")
    cast.contest.rounds.filter(position=0).update(closes_at=timezone.now())
    cast.red.refresh_from_db()
    refused("name_fixed", services.rename_team, user=cast.alice, team=cast.red, name="Late")
    assert kinds(cast.contest) == ["team.renamed"]


# Inviting and joining


def test_an_invitation_works_for_seven_days_and_replaces_the_one_before(cast, link):
    newer = services.invite(user=cast.alice, team=cast.red)
    left = newer.expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    link.refresh_from_db()
    refused("invitation_revoked", services.join_team, user=cast.eve, invitation=link)
    assert selectors.live_invitation(cast.red, timezone.now()) == newer
    assert services.join_team(user=cast.eve, invitation=newer) == cast.red


def test_why_an_invitation_does_not_open(cast, link):
    def join(user):
        return {"user": user, "invitation": link}

    refused("is_member", services.join_team, **join(cast.bob))
    refused("has_team", services.join_team, **join(cast.carol))
    refused("organizer", services.join_team, **join(cast.oscar))
    Invitation.objects.update(expires_at=timezone.now())
    refused("invitation_expired", services.join_team, **join(cast.eve))
    Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    end(cast.contest)
    refused("contest_over", services.join_team, **join(cast.eve))
    refused("contest_over", services.invite, user=cast.alice, team=cast.red)
    assert Membership.objects.count() == 3


def test_a_revoked_invitation_does_not_open(cast, link):
    services.revoke_invitation(user=cast.alice, team=cast.red)
    refused("invitation_revoked", services.join_team, user=cast.eve, invitation=link)
    assert kinds(cast.contest) == ["team.invitation_created", "team.invitation_revoked"]


def test_the_last_seat_is_given_once(cast, link):
    services.join_team(user=cast.eve, invitation=link)
    late = factories.make_user("late")
    refused("team_full", services.join_team, user=late, invitation=link)
    assert cast.red.memberships.count() == cast.contest.max_team_size


def test_the_database_holds_one_team_per_person(cast, link, monkeypatch):
    """A second request that passed the check before the first was written meets the constraint."""
    monkeypatch.setattr(services.policies, "refusal_to_play", lambda *_, **__: None)
    refused("has_team", services.join_team, user=cast.carol, invitation=link)
    assert Membership.objects.filter(user=cast.carol).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_people_at_the_last_seat_at_once(transactional_db):
    alice, contest = factories.make_user("alice"), factories.make_contest()
    team = factories.make_team(contest, "Red", alice, factories.make_user("bob"))
    link = services.invite(user=alice, team=team)
    people = [factories.make_user(f"racer{number}") for number in range(4)]
    gate, outcomes = threading.Barrier(len(people)), []

    def race(user):
        try:
            gate.wait()
            services.join_team(user=user, invitation=link)
            outcomes.append("joined")
        except services.RefusedError as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=race, args=[user]) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["joined", "team_full", "team_full", "team_full"]
    assert team.memberships.count() == contest.max_team_size


def test_the_invitation_page_says_why_it_cannot_be_joined(cast, as_user, link):
    address = reverse("invitation", args=[link.token])
    said = {
        cast.bob: "You are already in this team.",
        cast.carol: "You already play in a team of this contest.",
        cast.oscar: "Organizers can see the answer key",
    }
    for user, text in said.items():
        page = as_user(user).get(address).content.decode()
        assert text in page
        assert "Join the team" not in page
    assert "Join the team" in as_user(cast.eve).get(address).content.decode()
    Invitation.objects.update(expires_at=timezone.now())
    assert "has expired" in as_user(cast.eve).get(address).content.decode()
    assert "has expired" in as_user(None).get(address).content.decode()


def test_joining_in_the_browser(cast, as_user, link):
    client = as_user(cast.eve)
    answer = client.post(reverse("invitation", args=[link.token]))
    assert answer.url == reverse("joined", args=[cast.contest.slug])
    assert "You are in the team Red" in client.get(answer.url).content.decode()
    page = client.get(reverse("team", args=[cast.contest.slug])).content.decode()
    assert "Alice" in page
    assert "Eve" in page
    again = client.post(reverse("invitation", args=[link.token]))
    assert again.status_code == 409


def test_a_visitor_is_offered_sign_up_and_comes_back(cast, as_user, link):
    address = reverse("invitation", args=[link.token])
    page = as_user(None).get(address).content.decode()
    assert f"{reverse('account_signup')}?next={address}" in page
    answer = as_user(None).post(address)
    assert answer.url == f"{reverse('account_login')}?next={address}"


# Captain, members, leaving


def test_the_captaincy_goes_to_a_member_and_to_nobody_else(cast):
    refused(
        "not_member",
        services.transfer_captaincy,
        user=cast.alice,
        team=cast.red,
        to=cast.carol,
    )
    services.transfer_captaincy(user=cast.alice, team=cast.red, to=cast.bob)
    cast.red.refresh_from_db()
    assert cast.red.captain == cast.bob
    refused("captain_only", services.invite, user=cast.alice, team=cast.red)
    services.leave_team(user=cast.alice, team=cast.red)
    assert selectors.team_of(cast.alice, cast.contest) is None
    assert kinds(cast.contest) == ["team.captain_transferred", "team.left"]


def test_a_captain_leaves_only_as_the_last(cast, link, submission):
    refused("captain_stays", services.leave_team, user=cast.alice, team=cast.red)
    services.leave_team(user=cast.bob, team=cast.red)
    services.leave_team(user=cast.alice, team=cast.red)
    cast.red.refresh_from_db()
    assert cast.red.captain is None
    assert cast.red.memberships.count() == 0
    refused("invitation_revoked", services.join_team, user=cast.eve, invitation=link)


def test_who_was_removed_does_not_come_back_by_the_same_link(cast, link):
    services.join_team(user=cast.eve, invitation=link)
    services.remove_member(user=cast.alice, team=cast.red, member=cast.eve)
    with pytest.raises(services.RefusedError) as refusal:
        services.join_team(user=cast.eve, invitation=link)
    assert refusal.value.code == "invitation_revoked"


def test_the_captain_removes_members_but_not_herself(cast):
    refused("captain_only", services.remove_member, user=cast.bob, team=cast.red, member=cast.alice)
    refused(
        "captain_stays", services.remove_member, user=cast.alice, team=cast.red, member=cast.alice
    )
    refused("not_member", services.remove_member, user=cast.alice, team=cast.red, member=cast.carol)
    services.remove_member(user=cast.alice, team=cast.red, member=cast.bob)
    assert selectors.team_of(cast.bob, cast.contest) is None
    assert selectors.team_of(cast.carol, cast.contest) == cast.blue


# Pages

ACTIONS = [
    "team-create",
    "team-rename",
    "team-short-name",
    "team-division",
    "team-leave",
    "team-invite",
    "team-revoke",
    "team-transfer",
    "team-remove",
]
ROLES = ["visitor", "eve", "alice", "bob", "carol", "oscar"]


def person(cast, role):
    return None if role == "visitor" else getattr(cast, role)


@pytest.mark.parametrize("role", ROLES)
def test_who_sees_the_team_page(cast, as_user, role):
    answer = as_user(person(cast, role)).get(reverse("team", args=[cast.contest.slug]))
    if role == "visitor":
        assert answer.url.startswith(reverse("account_login"))
        return
    page = answer.content.decode()
    assert answer.status_code == 200
    assert ("Alice" in page) == (role in {"alice", "bob"})
    assert ("team-invite" in page or "team/invite/" in page) == (role in {"alice", "carol"})
    assert ("Create team" in page) == (role == "eve")
    assert ("Organizers can see the answer key" in page) == (role == "oscar")


# What a POST of each role answers, aiming at bob where a member is named: a refusal of the rules
# returns to the team page, a stranger to the team meets 404, and nothing changes in either case.
POSTS = {
    #               visitor eve  alice bob carol oscar
    "team-create": (302, 302, 302, 302, 302, 302),
    "team-rename": (302, 404, 302, 302, 302, 404),
    "team-contribute": (302, 404, 302, 302, 302, 404),
    "team-short-name": (302, 404, 302, 302, 302, 404),
    "team-profile": (302, 404, 302, 302, 302, 404),
    "team-division": (302, 404, 302, 302, 302, 404),
    "team-leave": (302, 404, 302, 302, 302, 404),
    "team-invite": (302, 404, 302, 302, 302, 404),
    "team-revoke": (302, 404, 302, 302, 302, 404),
    "team-transfer": (302, 404, 302, 302, 404, 404),
    "team-remove": (302, 404, 302, 302, 404, 404),
}


OTHER_PAGES = {
    "team",
    "invitation",
    "join",
    "join-class",
    "joined",
}  # the last three: test_joining.py


def test_the_table_of_actions_is_complete():
    from pwscup.contests.teams.urls import urlpatterns

    assert {pattern.name for pattern in urlpatterns} == set(POSTS) | OTHER_PAGES


def shape_of_red(cast) -> tuple:
    cast.red.refresh_from_db()
    members = set(cast.red.memberships.values_list("user_id", flat=True))
    return cast.red.name, cast.red.slug, cast.red.captain_id, members, cast.red.invitations.count()


@pytest.mark.whole
@pytest.mark.parametrize("name", POSTS)
@pytest.mark.parametrize("role", ROLES)
def test_who_may_act(cast, as_user, name, role):
    before = shape_of_red(cast)
    client, address = as_user(person(cast, role)), reverse(name, args=[cast.contest.slug])
    answer = client.post(address, {"member": cast.bob.pk, "name": "Changed", "short_name": "moss"})
    assert answer.status_code == POSTS[name][ROLES.index(role)]
    if role == "visitor":
        assert answer.url.startswith(reverse("account_login"))
    acts = {
        "alice": {
            "team-rename",
            "team-short-name",
            "team-invite",
            "team-transfer",
            "team-remove",
        }
    }
    acts["bob"] = {"team-leave"}
    assert (shape_of_red(cast) != before) == (name in acts.get(role, set()))


@pytest.mark.parametrize("name", POSTS)
def test_an_action_is_never_done_by_opening_its_address(cast, as_user, name):
    before = shape_of_red(cast)
    answer = as_user(cast.alice).get(reverse(name, args=[cast.contest.slug]))
    assert answer.url == reverse("team", args=[cast.contest.slug])
    assert shape_of_red(cast) == before


@pytest.mark.parametrize("member", ["", "x", "-1", "²", "9" * 30])
def test_a_member_that_is_no_number_is_not_found(cast, as_user, member):
    address = reverse("team-remove", args=[cast.contest.slug])
    assert as_user(cast.alice).post(address, {"member": member}).status_code == 404


@pytest.mark.parametrize("role", ROLES)
def test_a_draft_is_hidden_from_all_but_its_organizers(cast, as_user, role):
    Contest.objects.update(is_published=False)
    link = services.invite(user=cast.alice, team=cast.red)
    expected = 200 if role == "oscar" else 404
    client = as_user(person(cast, role))
    assert client.get(reverse("invitation", args=[link.token])).status_code == expected
    if role != "visitor":
        assert client.get(reverse("team", args=[cast.contest.slug])).status_code == expected


@pytest.mark.parametrize("role", ROLES)
def test_an_unknown_invitation_is_not_found(cast, as_user, role):
    client = as_user(person(cast, role))
    assert client.get(reverse("invitation", args=["unknown"])).status_code == 404
    assert client.post(reverse("invitation", args=["unknown"])).status_code == 404


def test_a_member_who_was_removed_no_longer_sees_the_team(cast, as_user):
    client, address = as_user(cast.bob), reverse("team", args=[cast.contest.slug])
    assert "Alice" in client.get(address).content.decode()
    services.remove_member(user=cast.alice, team=cast.red, member=cast.bob)
    assert "Alice" not in client.get(address).content.decode()


def test_only_the_captain_sees_the_link(cast, as_user, link):
    address = reverse("team", args=[cast.contest.slug])
    assert link.token in as_user(cast.alice).get(address).content.decode()
    assert link.token not in as_user(cast.bob).get(address).content.decode()


def test_a_member_sees_as_many_queries_in_a_large_team(
    cast, as_user, django_assert_max_num_queries
):
    """The members come with one query, however many there are."""
    address = reverse("team", args=[cast.contest.slug])
    client = as_user(cast.bob)
    with django_assert_max_num_queries(30) as few:
        client.get(address)
    for number in range(10):
        user = factories.make_user(f"member{number}")
        Membership.objects.create(team=cast.red, user=user, contest=cast.contest)
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(address)
