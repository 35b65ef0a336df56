# SPDX-License-Identifier: Apache-2.0
"""Joining by a class code: what a student does in a class, and what somebody hostile with the code tries."""

from __future__ import annotations

import hashlib
import re
import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pwscup import settings as installation
from pwscup.accounts import guests, invitations, services
from pwscup.accounts.models import ClassCode, Invitation, SignInLink, Team, User
from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.core import qr
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.notices.models import Announcement, Notice
from pwscup.notices.sending import outbox
from pwscup.submissions.models import Release
from tests import factories
from tests.web.pipeline import hand_in


@pytest.fixture
def code(cast) -> ClassCode:
    """The code of the cup; carol's team Blue has submitted, alice's Red has not."""
    return guests.create_code(actor=cast.oscar, contest=cast.contest, seats=5)


def url_of(code: ClassCode) -> str:
    return reverse("join-class", args=[code.code])


def join(code: ClassCode, client: Client | None = None, **fields: str):
    client = client or Client()
    data = {"display_name": "花子", "team_name": "緑の会"} | fields
    return client, client.post(url_of(code), data)


def guest_in(code: ClassCode, **fields: str) -> tuple[Client, User]:
    client, answer = join(code, **fields)
    assert answer.status_code == 302, answer.context["form"].errors
    return client, User.objects.exclude(guest_of=None).latest("pk")


def problems(answer) -> str:
    return str(answer.context["form"].errors)


def refused(expected, call, **arguments):
    with pytest.raises(services.RefusedError) as refusal:
        call(**arguments)
    assert refusal.value.code == expected


# In class


def test_a_student_joins_with_a_name_and_a_team_and_sees_the_next_step(cast, code):
    contests.update_terms(actor=cast.oscar, contest=cast.contest, terms="Be kind.", terms_ja="")
    client = Client()
    page = client.get(url_of(code))
    assert "Be kind." in page.content.decode()
    answer = client.post(
        url_of(code),
        {"display_name": "花子", "team_name": "緑の会", "digest": page.context["digest"]},
    )
    assert answer.url == reverse("joined", args=["cup"])
    shown = client.get(answer.url)
    assert shown.context["step"].url == reverse("round", args=["cup", "anonymization"])
    guest = User.objects.get(guest_of=cast.contest)
    team = Team.objects.get(name="緑の会")
    assert (guest.display_name, team.captain) == ("花子", guest)
    assert not guest.has_usable_password()
    assert cast.contest.acceptances.filter(user=guest).exists()
    assert mail.outbox == []
    # who opens the link again is led to where he left
    assert client.get(url_of(code)).url == answer.url


def test_the_next_step_leads_to_trials_where_the_organizer_offers_them(cast, code):
    client, _guest = guest_in(code)
    page = reverse("joined", args=["cup"])
    trials = reverse("trials", args=["cup", "anonymization"])
    assert trials not in client.get(page).content.decode()
    Contest.objects.update(has_trials=True)
    assert trials in client.get(page).content.decode()
    assert client.get(trials).status_code == 200


def test_the_next_step_looks_again_until_the_lesson_starts(cast, code):
    client, _guest = guest_in(code)
    pages = [reverse(name, args=["cup"]) for name in ("joined", "team", "contest")]
    assert not any("every 10s" in client.get(page).content.decode() for page in pages)
    now = timezone.now()
    cast.contest.rounds.update(opens_at=now + timedelta(days=1), closes_at=now + timedelta(days=2))
    assert all('hx-trigger="every 10s"' in client.get(page).content.decode() for page in pages)


def test_teammates_join_the_team_from_the_list_until_it_has_something_to_hide(cast, code):
    _client, first = guest_in(code)
    team = first.memberships.get().team
    _client, second = guest_in(code, display_name="太郎", team=str(team.pk), team_name="")
    assert second.memberships.get().team == team
    assert team.captain_id is None or Team.objects.get(pk=team.pk).captain == first


def test_terms_that_are_not_accepted_yet_are_the_next_step(cast, code):
    client, _guest = guest_in(code)
    contests.update_terms(actor=cast.oscar, contest=cast.contest, terms="New.", terms_ja="")
    step = client.get(reverse("joined", args=["cup"])).context["step"]
    assert step.url.startswith(reverse("terms", args=["cup"]))
    assert client.get(reverse("team", args=["cup"])).context["step"] == step


def test_terms_changed_meanwhile_are_shown_again_and_nobody_was_created(cast, code):
    contests.update_terms(actor=cast.oscar, contest=cast.contest, terms="Old.", terms_ja="")
    client = Client()
    digest = client.get(url_of(code)).context["digest"]
    contests.update_terms(actor=cast.oscar, contest=cast.contest, terms="New.", terms_ja="")
    _client, answer = join(code, client, digest=digest)
    assert answer.status_code == 422
    assert "changed the terms" in problems(answer)
    assert not User.objects.exclude(guest_of=None).exists()
    assert not Team.objects.filter(name="緑の会").exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"display_name": ""}, "display_name"),
        ({"team_name": ""}, "team_name"),
        ({"team_name": "RED"}, "team_name"),
        ({"team": "999999"}, "team"),
        ({"display_name": "\u200b"}, "display_name"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_nothing_is_created(cast, code, fields, field):
    _client, answer = join(code, **fields)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    code.refresh_from_db()
    assert code.n_joined == 0
    assert not User.objects.exclude(guest_of=None).exists()


def test_a_new_team_chooses_its_division(cast, code):
    division = contests.create_division(actor=cast.oscar, contest=cast.contest, title="Students")
    _client, answer = join(code)
    assert list(answer.context["form"].errors) == ["division"]
    _client, guest = guest_in(code, division=division.key)
    assert guest.memberships.get().team.division == division


def test_somebody_with_an_account_joins_with_it(cast, code, as_user):
    client = as_user(cast.eve)
    assert "display_name" not in client.get(url_of(code)).context["form"].fields
    client.post(url_of(code), {"team_name": "Eves"})
    assert cast.eve.memberships.get().team.name == "Eves"
    assert not User.objects.exclude(guest_of=None).exists()


def test_the_code_is_typed_as_it_is_read_aloud(cast, code, client):
    typed = f" {code.code[:4].lower()} {code.code[4:].lower()} "
    assert client.post(reverse("join"), {"code": typed}).url == url_of(code)
    assert client.get(url_of(code).lower()).status_code == 200
    assert client.post(reverse("join"), {"code": "WRONG234"}).status_code == 422


def test_an_organizer_creates_shows_renews_and_revokes_the_code(cast, as_user):
    client = as_user(cast.oscar)
    teams, change = (
        reverse(name, args=["cup"]) for name in ("organize-teams", "organize-class-code")
    )
    assert client.get(reverse("organize-poster", args=["cup"])).status_code == 404
    client.post(change, {"code-seats": "30"})
    first = cast.contest.class_code.code
    poster = client.get(reverse("organize-poster", args=["cup"])).content.decode()
    assert f"http://testserver/join/{first}/" in poster
    assert '<svg class="qr"' in poster
    assert first in client.get(teams).content.decode()
    client.post(change, {"code-seats": "30"})
    second = ClassCode.objects.get().code
    assert Client().get(reverse("join-class", args=[first])).status_code == 404
    client.post(change, {"revoke": "1"})
    assert Client().get(reverse("join-class", args=[second])).status_code == 404
    assert client.post(change, {"code-seats": "0"}).status_code == 422
    kinds = Event.objects.filter(kind__startswith="contest.class_code").values_list(
        "kind", flat=True
    )
    assert [kind.rpartition("_")[2] for kind in kinds] == ["created", "created", "revoked"]


def test_a_captain_invites_teammates_who_type_a_name_only(cast, code):
    invitation = services.invite(user=cast.alice, team=cast.red)
    url = reverse("invitation", args=[invitation.token])
    client = Client()
    assert 'name="display_name"' in client.get(url).content.decode()
    assert client.post(url, {"display_name": ""}).status_code == 422
    assert client.post(url, {"display_name": "太郎"}).url == reverse("joined", args=["cup"])
    assert cast.red.memberships.filter(user__display_name="太郎").exists()
    guests.revoke_code(actor=cast.oscar, contest=cast.contest)
    assert "/accounts/login/" in Client().post(url, {"display_name": "次郎"}).url


def test_after_the_end_no_code_is_offered(cast, code, as_user):
    """The organizers see how many joined; there is nothing to create or to show."""
    oscar, page = as_user(cast.oscar), reverse("organize-teams", args=[cast.contest.slug])
    assert "Create a class code" in oscar.get(page).text
    ended = timezone.now() - timedelta(minutes=1)
    cast.contest.rounds.update(opens_at=ended - timedelta(hours=1), closes_at=ended)
    shown = oscar.get(page).text
    assert "0 of at most 5 people joined by the code" in shown
    assert code.code not in shown
    assert "Create a class code" not in shown
    guests.revoke_code(actor=cast.oscar, contest=cast.contest)
    assert "Join by a code" not in oscar.get(page).text


# Somebody hostile


def test_a_code_that_was_revoked_between_the_page_and_the_button_joins_nobody(cast, code):
    client = Client()
    client.get(url_of(code))
    guests.create_code(actor=cast.oscar, contest=cast.contest, seats=5)
    _client, answer = join(code, client)
    assert answer.status_code == 404
    refused("code_gone", guests.admit, user=None, name="x", contest=cast.contest, code=code.code)
    assert not User.objects.exclude(guest_of=None).exists()


def test_a_second_guest_account_reads_no_table_of_another_team(cast, code):
    """Red has submitted, so only its captain lets people in; what is refused leaves no account."""
    first = cast.contest.rounds.first()
    hand_in(cast.alice, cast.red, first)
    form = Client().get(url_of(code)).context["form"]
    assert str(cast.red.pk) not in form.teams
    _client, answer = join(code, team=str(cast.red.pk), team_name="")
    assert list(answer.context["form"].errors) == ["team"]
    refused("captain_invites", services.join_open_team, user=cast.eve, team=cast.red)
    assert not User.objects.exclude(guest_of=None).exists()


def test_nobody_comes_back_to_attack_the_published_table_of_the_old_team(cast, code):
    """Red has submitted nothing, but the tables are published: its captain may let people in, the code may not."""
    hand_in(cast.carol, cast.blue, cast.contest.rounds.first())
    second = cast.contest.rounds.last()
    table = storage.store(factories.NOISY, area=storage.Area.PUBLISHED, name="y.csv")
    submission = cast.blue.submissions.get()
    Release.objects.create(
        round=second, team=cast.blue, submission=submission, table=table, key=table, n_records=4
    )
    answer = Client().get(url_of(code))
    assert "published already" in answer.context["reason"]
    refused("captain_invites", services.join_open_team, user=cast.eve, team=cast.red)
    Contest.objects.update(has_late_teams=True)
    cast.red.refresh_from_db()
    assert str(cast.red.pk) in Client().get(url_of(code)).context["form"].teams


def test_what_a_team_has_tried_is_hidden_too(cast, code):
    cast.red.trials.create(round=cast.contest.rounds.first(), number=1, steps=[])
    refused("captain_invites", services.join_open_team, user=cast.eve, team=cast.red)


def test_a_full_team_and_the_seats_of_invited_people_are_not_taken(cast, code):
    """Red holds three: two members, and one invited by email."""
    Invitation.objects.create(team=cast.red, email="dan@example.org")
    refused("team_full", services.join_open_team, user=cast.eve, team=cast.red)
    assert cast.red not in Client().get(url_of(code)).context["form"].teams.values()


def test_a_guest_plays_in_the_contest_of_the_code_only(cast, code):
    client, guest = guest_in(code)
    other = factories.make_contest("other")
    other_code = guests.create_code(actor=cast.oscar, contest=other, seats=5)
    _client, answer = join(other_code, client, team_name="Elsewhere")
    assert answer.status_code in (200, 422)
    assert "class code" in answer.context["reason"]
    refused("guest_elsewhere", services.create_team, user=guest, contest=other, name="Elsewhere")
    assert not other.teams.exists()
    assert not guest.is_organizer
    assert client.get(reverse("organize")).status_code == 404


def test_a_guest_gets_no_token_and_no_second_link_of_somebody_else(cast, code, as_user):
    client, guest = guest_in(code)
    client.post(reverse("tokens"), {"name": "x", "days": "7", "password": ""})
    assert not guest.access_tokens.exists()
    answer = client.post(reverse("organize-guest-link", args=["cup"]), {"guest": guest.pk})
    assert answer.status_code == 404
    organizer = as_user(cast.oscar)
    elsewhere = organizer.post(reverse("organize-guest-link", args=["cup"]), {"guest": cast.eve.pk})
    assert elsewhere.status_code == 404
    assert not SignInLink.objects.exists()


def test_so_many_join_as_the_organizer_said(cast, code):
    ClassCode.objects.update(n_joined=4)
    guest_in(code)
    _client, answer = join(code, team_name="Late")
    assert "As many people" in answer.context["reason"]
    assert not Team.objects.filter(name="Late").exists()


@pytest.mark.django_db(transaction=True)
def test_of_four_at_the_last_place_at_once_one_joins(transactional_db):
    contest = factories.make_contest(organizer=factories.make_user("oscar"))
    code = guests.create_code(actor=contest.organizers.get(), contest=contest, seats=1)
    gate, outcomes = threading.Barrier(4), []

    def race(number: int) -> None:
        try:
            gate.wait()
            contests.join_class(code=code, user=None, name="x", team_name=f"Team {number}")
            outcomes.append("joined")
        except services.RefusedError as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=race, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["code_used_up", "code_used_up", "code_used_up", "joined"]
    assert (contest.teams.count(), contest.guests.count()) == (1, 1)


def test_nobody_joins_a_draft_or_what_is_over_or_invites_only(cast, code):
    Contest.objects.update(admission=Contest.Admission.INVITED)
    form = Client().get(url_of(code)).context["form"]
    assert "team_name" not in form.fields
    assert set(form.teams.values()) == {cast.red, cast.blue}
    cast.contest.rounds.update(
        opens_at=timezone.now() - timedelta(days=9), closes_at=timezone.now() - timedelta(days=8)
    )
    assert "closed" in Client().get(url_of(code)).context["reason"]
    Contest.objects.update(is_published=False)
    assert Client().get(url_of(code)).status_code == 404


def test_guessing_codes_ends_for_everybody_at_that_address(cast, code, settings):
    settings.ACCOUNT_RATE_LIMITS = installation.ACCOUNT_RATE_LIMITS | {"wrong_code": "3/m/ip"}
    cache.clear()
    client = Client()
    guessed = [client.get(f"/join/ABCD234{n}/").status_code for n in range(2, 6)]
    assert guessed == [404, 404, 404, 429]
    assert client.get(url_of(code)).status_code == 429  # a right guess is not told apart
    assert client.post(reverse("join"), {"code": code.code}).status_code == 429
    assert Client(REMOTE_ADDR="192.0.2.7").get(url_of(code)).status_code == 200
    cache.clear()


def test_guessing_does_not_keep_a_class_from_its_sign_in_links(cast, code, settings):
    settings.ACCOUNT_RATE_LIMITS = installation.ACCOUNT_RATE_LIMITS | {"wrong_code": "3/m/ip"}
    cache.clear()
    _client, guest = guest_in(code)
    token = guests.new_link(actor=guest, user=guest)
    for number in range(5):
        Client().get(f"/join/ABCD234{number}/")
        Client().get(f"/enter/nobodys-link-{number}/")
    assert Client().post(reverse("enter", args=[token])).status_code == 302
    cache.clear()


# Coming back


def link_in(answer) -> str:
    return re.search(r"http://testserver(/enter/[\w-]+/)", answer.content.decode())[1]


def test_a_link_opens_the_account_on_another_device_until_there_is_another(cast, code):
    client, guest = guest_in(code)
    shown = client.post(reverse("link-new"))
    link = link_in(shown)
    assert not SignInLink.objects.filter(digest__in=link.split("/")).exists()
    phone = Client()
    page = phone.get(link)
    assert "花子" in page.content.decode()
    assert phone.get(reverse("account")).status_code == 302  # a preview signs nobody in
    phone.post(link)
    assert phone.get(reverse("account")).context["user"] == guest
    newer = link_in(client.post(reverse("link-new")))
    assert phone.get(reverse("account")).status_code == 302  # somebody else may have begun it
    assert client.get(reverse("account")).context["user"] == guest
    assert Client().post(link).status_code == 404
    assert Client().post(newer).status_code == 302


def test_an_organizer_gives_a_guest_another_link_and_the_trail_says_so(cast, code, as_user):
    _client, guest = guest_in(code)
    answer = as_user(cast.oscar).post(
        reverse("organize-guest-link", args=["cup"]), {"guest": guest.pk}
    )
    client = Client()
    client.post(link_in(answer))
    assert client.get(reverse("account")).context["user"] == guest
    event = Event.objects.get(kind="account.link_created")
    assert (event.actor, event.contest_id) == (cast.oscar, cast.contest.pk)


def test_who_opens_a_link_of_somebody_else_is_warned_before_it_replaces_the_own_login(
    cast, code, as_user
):
    _client, guest = guest_in(code, display_name=cast.alice.display_name)  # looks like her own
    token = guests.new_link(actor=guest, user=guest)
    address = reverse("enter", args=[token])
    warning = "logged in to another account"
    assert warning in as_user(cast.alice).get(address).content.decode()
    for nobody_else in (Client(), as_user(guest)):
        assert warning not in nobody_else.get(address).content.decode()


def test_a_guest_without_an_address_sets_no_password(cast, code):
    client, guest = guest_in(code)
    secret = {"password1": "battery-staple-horse", "password2": "battery-staple-horse"}
    answer = client.post(reverse("account_set_password"), secret)
    assert "Add an email address first" in answer.content.decode()
    guest.refresh_from_db()
    assert guests.may_have_link(guest)


def test_an_account_with_an_address_has_no_link(cast, as_user):
    refused("link_needless", guests.new_link, actor=cast.alice, user=cast.alice)
    assert as_user(cast.alice).post(reverse("link-new")).url == reverse("account")


def test_a_guest_adds_an_address_and_a_password_and_is_a_guest_no_longer(cast, code):
    client, guest = guest_in(code)
    link = link_in(client.post(reverse("link-new")))
    client.post(reverse("account_email"), {"email": "hanako@example.org", "action_add": ""})
    (message,) = mail.outbox
    assert message.to == ["hanako@example.org"]
    client.post(re.search(r"(/accounts/confirm-email/\S+)", message.body)[1])
    guest.refresh_from_db()
    assert (guest.email, guest.guest_of) == ("hanako@example.org", None)
    assert Client().get(link).status_code == 404
    secret = "battery-staple-horse"
    client.post(reverse("account_set_password"), {"password1": secret, "password2": secret})
    guest.refresh_from_db()
    assert guest.check_password(secret)
    assert all(sent.to == ["hanako@example.org"] for sent in mail.outbox)
    again = Client()
    again.post(reverse("account_login"), {"login": "hanako@example.org", "password": secret})
    assert again.get(reverse("account")).status_code == 200


def test_an_address_of_somebody_else_is_not_taken_over(cast, code):
    client, guest = guest_in(code)
    client.post(reverse("account_email"), {"email": "eve@example.org", "action_add": ""})
    guest.refresh_from_db()
    assert guest.is_guest
    assert not EmailAddress.objects.filter(user=guest, verified=True).exists()


def test_a_guest_deletes_the_account_without_a_password(cast, code):
    client, guest = guest_in(code)
    client.post(reverse("link-new"))
    client.post(reverse("account-delete"), {})
    guest.refresh_from_db()
    assert guest.is_active
    client.post(reverse("account-delete"), {"sure": "on"})
    guest.refresh_from_db()
    assert (guest.is_active, guest.display_name) == (False, "deleted user")
    assert not SignInLink.objects.exists()


# What else knows people


def test_no_mail_goes_to_a_guest(cast, code):
    _client, guest = guest_in(code)
    news = Announcement.objects.create(contest=cast.contest, title="News", is_pinned=True)
    notice = Notice(contest=cast.contest, kind="announcement", announcement=news)
    people = set(outbox.recipients(notice))
    assert cast.alice in people
    assert guest not in people


def test_guests_are_deleted_with_the_data_of_the_contest(cast, code):
    _client, captain = guest_in(code)
    team = captain.memberships.get().team
    _client, mate = guest_in(code, display_name="太郎", team=str(team.pk), team_name="")
    services.join_open_team(user=cast.eve, team=team)
    cast.contest.rounds.update(
        opens_at=timezone.now() - timedelta(days=9), closes_at=timezone.now() - timedelta(days=8)
    )
    contests.erase(actor=cast.oscar, contest=Contest.objects.get(pk=cast.contest.pk))
    left = User.objects.filter(pk__in=[captain.pk, mate.pk])
    assert set(left.values_list("display_name", "is_active")) == {("deleted user", False)}
    team.refresh_from_db()
    assert (team.captain, [m.user for m in team.memberships.all()]) == (cast.eve, [cast.eve])


def test_a_qr_code_is_that_of_other_encoders():
    """The digest of the modules that `qrcode` 8 draws for this text, with error correction M and mask 4."""
    rows = qr.modules("http://127.0.0.1:8000/join/ABCD2345/")
    bits = "".join("01"[dark] for row in rows for dark in row)
    assert len(rows) == 29
    assert hashlib.sha256(bits.encode()).hexdigest()[:16] == "e201008f470beffe"


# A personal invitation proves its address


def invited(cast, address: str = "dan@example.org") -> str:
    """The link in the email, as a path."""
    mail.outbox.clear()
    contests.invite_address(
        actor=cast.oscar, contest=cast.contest, team_id=cast.red.pk, email=address
    )
    invitations.send_due(timezone.now())
    return re.search(r"(/join/\S+)", mail.outbox.pop().body)[1]


def sign_up(client: Client, address: str, following: str):
    secret = "battery-staple-horse"
    data = {"email": address, "display_name": "Dan", "password1": secret, "password2": secret}
    return client.post(reverse("account_signup"), data | {"next": following})


def test_a_personal_invitation_needs_no_second_confirmation(cast, client):
    link = invited(cast)
    assert "dan@example.org" in client.get(link).content.decode()
    form = client.get(reverse("account_signup"))
    assert 'value="dan@example.org"' in form.content.decode()
    assert "to confirm your address" not in form.content.decode()
    path = link.split("?")[0]
    assert sign_up(client, "dan@example.org", path).url == path
    assert client.post(path).url == reverse("joined", args=["cup"])
    assert cast.red.memberships.filter(user__email="dan@example.org").exists()
    assert not any("confirm-email" in sent.body for sent in mail.outbox)


@pytest.mark.parametrize("case", ["another address", "link without proof", "forged", "revoked"])
def test_everybody_else_confirms_the_address(cast, client, case):
    """Organizers see the link without its proof, and could otherwise sign up as anybody whom they invite."""
    link = invited(cast)
    path = link.split("?")[0]
    if case == "revoked":
        Invitation.objects.update(revoked_at=timezone.now())
    client.get({"link without proof": path, "forged": f"{path}?proof={'0' * 64}"}.get(case, link))
    address = "else@example.org" if case == "another address" else "dan@example.org"
    assert sign_up(client, address, path).url == reverse("account_email_verification_sent")
    assert client.get(reverse("account")).status_code == 302
    assert not EmailAddress.objects.filter(email=address, verified=True).exists()
