# SPDX-License-Identifier: Apache-2.0
"""Accounts: sign-up with a confirmed address, log-in, reset, change, deletion; and the mail page of a demo."""

from __future__ import annotations

import os
import re
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.core.mail.backends.filebased import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from pwscup import settings as installation
from pwscup.accounts import services
from pwscup.accounts.models import Membership, Team, User
from pwscup.core import mailbox
from pwscup.core.models import Event
from tests.factories import PASSWORD

SIGNUP, LOGIN = "/accounts/signup/", "/accounts/login/"
NEW_PASSWORD = "battery-staple-horse"


def sign_up(client: Client, email: str = "new@example.org", headers: Any = None, **fields: str):
    data = {
        "email": email,
        "display_name": "新人",
        "password1": NEW_PASSWORD,
        "password2": NEW_PASSWORD,
        **fields,
    }
    return client.post(SIGNUP, data, headers=headers)


def log_in(
    client: Client, email: str, password: str = PASSWORD, headers: Any = None, **fields: str
):
    return client.post(LOGIN, {"login": email, "password": password, **fields}, headers=headers)


def link_in(message: EmailMessage) -> str:
    """The path of the one link in a mail."""
    (link,) = re.findall(rf"{re.escape(settings.SITE_URL)}(/\S+)", message.body)
    return link


def is_logged_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


# Sign-up and log-in


def test_sign_up_confirms_the_address_before_the_first_log_in(db, client):
    sent = sign_up(client)
    assert sent.url == reverse("account_email_verification_sent")
    assert not is_logged_in(client)
    assert log_in(Client(), "new@example.org", NEW_PASSWORD).url == sent.url
    link = link_in(mail.outbox[0])
    assert "新人" in client.get(link).content.decode()
    assert not EmailAddress.objects.get().verified
    client.post(link)
    assert is_logged_in(client)
    user = User.objects.get()
    assert (user.email, user.display_name) == ("new@example.org", "新人")
    assert not user.is_organizer


def test_the_language_of_the_pages_is_kept_for_mail(cast, client):
    """That of sign-up, then the one that was switched to, also before the log-in."""
    sign_up(client, headers={"Accept-Language": "ja"})
    user = User.objects.get(email="new@example.org")
    assert user.language == "ja"
    client.post(link_in(mail.outbox[0]))
    client.post(reverse("set_language"), {"language": "en"})
    user.refresh_from_db()
    assert user.language == "en"
    browser = Client()
    log_in(browser, "alice@example.org", headers={"Accept-Language": "ja"})
    browser.post(reverse("account_logout"))
    cast.alice.refresh_from_db()
    assert cast.alice.language == "ja", "nothing else was known"
    log_in(browser, "alice@example.org", headers={"Accept-Language": "en"})
    cast.alice.refresh_from_db()
    assert cast.alice.language == "ja", "a browser's language is no choice"
    browser.post(reverse("account_logout"))
    browser.post(reverse("set_language"), {"language": "en"})
    log_in(browser, "alice@example.org")
    cast.alice.refresh_from_db()
    assert cast.alice.language == "en"
    services.delete_account(user=user)
    user.refresh_from_db()
    assert user.language == ""


def test_the_person_returns_to_where_sign_up_began(cast, client):
    invitation = services.invite(user=cast.alice, team=cast.red)
    back = reverse("invitation", args=[invitation.token])
    page = client.get(SIGNUP, {"next": back}).content.decode()
    assert f'name="next" value="{back}"' in page
    sign_up(client, next=back)
    assert client.post(link_in(mail.outbox[0])).url == back


def test_the_way_back_survives_another_browser(cast, client):
    back = reverse("team", args=[cast.contest.slug])
    sign_up(client, next=back)
    link = link_in(mail.outbox[0])
    other = Client()
    page = other.get(link).content.decode()
    assert f'name="next" value="{back}"' in page
    assert other.post(link, {"next": back}).url == back
    assert not is_logged_in(other)
    assert log_in(other, "new@example.org", NEW_PASSWORD, next=back).url == back


def test_no_mail_carries_words_to_a_strangers_address(db, client):
    sign_up(client, "stranger@example.org", display_name="Win at https://evil.example/")
    said = mail.outbox[0].subject + mail.outbox[0].body
    assert not [words for words in ("evil.example", "Win at") if words in said]


def test_the_way_back_never_leads_to_another_site(db, client):
    sign_up(client, next="https://evil.example/")
    assert "evil.example" not in mail.outbox[0].body
    assert client.post(link_in(mail.outbox[0])).url == "/"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"display_name": ""}, "display_name"),
        ({"display_name": "a\u202eb"}, "display_name"),
        ({"email": "no address"}, "email"),
        ({"password2": "another"}, "password2"),
        ({"password1": "12345678", "password2": "12345678"}, "password1"),
    ],
)
def test_a_refused_sign_up_keeps_what_was_typed(db, client, fields, name):
    answer = sign_up(client, **{"email": "kept@example.org", **fields})
    page = answer.content.decode()
    assert name in answer.context["form"].errors
    assert f'value="{fields.get("email", "kept@example.org")}"' in page
    assert re.search(rf'<input[^>]*name="{name}"[^>]*aria-invalid="true"', page)
    assert not User.objects.exists()


def test_sign_up_does_not_tell_who_has_an_account(cast, client):
    known, unknown = sign_up(client, "alice@example.org"), sign_up(Client(), "x@example.org")
    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)
    (to_alice,) = [message for message in mail.outbox if message.to == ["alice@example.org"]]
    assert "already has an account" in to_alice.body
    cast.alice.refresh_from_db()
    assert cast.alice.check_password(PASSWORD)


def test_log_in_says_the_same_for_a_wrong_password_and_a_wrong_address(cast, client):
    pages = [
        log_in(client, email, "wrong").context["form"].non_field_errors()
        for email in ("alice@example.org", "nobody@example.org")
    ]
    assert pages[0] == pages[1]
    assert pages[0]


@pytest.fixture
def hashed(monkeypatch) -> list[str]:
    """A line for each time that a password is hashed: what takes time in an installation."""
    calls: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self, password, salt):
        calls.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    return calls


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        (SIGNUP, {"display_name": "X", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}),
        (LOGIN, {"password": "wrong"}),
        ("/accounts/password/reset/", {}),
    ],
)
def test_as_many_passwords_are_hashed_with_an_account_as_without(cast, hashed, address, fields):
    work = []
    for email in ("alice@example.org", "nobody@example.org"):
        hashed.clear()
        Client().post(address, fields | {"email": email, "login": email})
        work.append(len(hashed))
    assert work[0] == work[1]
    assert work[0] == (0 if "reset" in address else 1)


@pytest.fixture
def limited(settings):
    """The limits of an installation."""
    settings.ACCOUNT_RATE_LIMITS = installation.ACCOUNT_RATE_LIMITS
    cache.clear()
    yield
    cache.clear()


def test_log_in_is_throttled(cast, client, limited):
    for _ in range(5):
        log_in(client, "alice@example.org", "wrong")
    page = log_in(client, "alice@example.org").context["form"].non_field_errors()
    assert "Too many failed login attempts" in page[0]
    assert not is_logged_in(client)


def test_a_stranger_locks_nobody_out(cast, client, limited):
    stranger = Client(REMOTE_ADDR="192.0.2.7")
    for _ in range(6):
        log_in(stranger, "alice@example.org", "wrong")
    answer = log_in(stranger, "alice@example.org")
    assert "Too many failed login attempts" in answer.context["form"].non_field_errors()[0]
    log_in(client, "alice@example.org")
    assert is_logged_in(client)


def test_another_host_brings_no_new_attempts(cast, client, limited):
    for _ in range(5):
        log_in(client, "alice@example.org", "wrong")
    answer = client.post(
        LOGIN, {"login": "alice@example.org", "password": PASSWORD}, HTTP_HOST="localhost"
    )
    assert "Too many failed login attempts" in answer.context["form"].non_field_errors()[0]


def test_a_class_behind_one_address_signs_up_and_logs_in_within_a_minute(db, limited):
    for number in range(40):
        answer = sign_up(Client(), f"student{number}@example.org")
        assert answer.url == reverse("account_email_verification_sent")
    for number in range(40):
        answer = log_in(Client(), f"student{number}@example.org", NEW_PASSWORD)
        assert answer.status_code == 302
    assert (
        sum(sign_up(Client(), f"more{n}@example.org").status_code == 429 for n in range(60)) == 40
    )


@pytest.fixture
def few_mails(settings):
    limit = installation.ACCOUNT_RATE_LIMITS["mail"]
    settings.ACCOUNT_RATE_LIMITS = {"mail": limit, "confirm_email": None, "reset_password": None}
    cache.clear()
    yield installation.MAILS_PER_ADDRESS
    cache.clear()


@pytest.mark.parametrize("name", ["alice", "nobody"])
@pytest.mark.parametrize("kind", ["sign-up", "reset"])
def test_an_address_gets_so_many_mails_an_hour_no_matter_who_asks(cast, few_mails, kind, name):
    """The page says the same each time, with an account and without; a tag is no other mailbox."""
    answers = []
    for number in range(few_mails + 3):
        email = f"{name}@example.org" if number % 2 else f"{name.upper()}+{number}@example.org"
        client = Client(REMOTE_ADDR=f"192.0.2.{number}")
        if kind == "sign-up":
            answer = sign_up(client, email)
        else:
            answer = client.post("/accounts/password/reset/", {"email": email})
        answers.append((answer.status_code, answer.url))
    assert set(answers) == {(302, answers[0][1])}
    assert len(mail.outbox) == few_mails
    sign_up(Client(), "somebody.else@example.org")
    assert len(mail.outbox) == few_mails + 1


def test_the_mails_of_all_kinds_count_together(cast, few_mails, client):
    for _ in range(few_mails):
        client.post("/accounts/password/reset/", {"email": "alice@example.org"})
        sign_up(Client(), "alice@example.org")
    assert len(mail.outbox) == few_mails


def test_too_many_requests_get_a_page_of_ours(cast, as_user, settings):
    settings.ACCOUNT_RATE_LIMITS = {"reauthenticate": "1/m/user"}
    cache.clear()
    client, address = as_user(cast.alice), reverse("account-delete")
    client.post(address, {"password": "wrong"})
    answer = client.post(address, {"password": PASSWORD})
    assert answer.status_code == 429
    assert "Too many attempts" in answer.content.decode()
    cache.clear()


# Links in mails


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/accounts/password/reset/", {"email": "alice@example.org"}),
        ("/accounts/password/reset/", {"email": "nobody@example.org"}),
        *(
            (
                SIGNUP,
                {
                    "email": email,
                    "display_name": "X",
                    "password1": NEW_PASSWORD,
                    "password2": NEW_PASSWORD,
                },
            )
            for email in ("alice@example.org", "new@example.org")
        ),
    ],
)
def test_links_in_mails_lead_to_the_site_whatever_host_was_asked(
    cast, client, settings, address, fields
):
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL = "https://cup.example.org"
    client.post(address, fields, HTTP_HOST="evil.example")
    (message,) = mail.outbox
    assert "evil.example" not in message.subject + message.body
    assert "https://cup.example.org/accounts/" in message.body
    assert "PWSCup — cup.example.org" in message.body


# Reset and change


def test_a_forgotten_password_is_chosen_anew(cast, client):
    known = client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    unknown = client.post(reverse("account_reset_password"), {"email": "no@example.org"})
    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)
    assert "has no account" in mail.outbox[1].body
    form = client.get(link_in(mail.outbox[0]), follow=True)
    address = form.redirect_chain[-1][0]
    client.post(address, {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    log_in(client, "alice@example.org", NEW_PASSWORD)
    assert is_logged_in(client)
    used = Client().get(link_in(mail.outbox[0]), follow=True).content.decode()
    assert "was already used" in used


def test_a_new_address_needs_the_password_and_counts_when_it_is_confirmed(cast, as_user):
    client, address = as_user(cast.alice), reverse("account_email")
    asked = client.post(address, {"action_add": "", "email": "alice@example.com"})
    assert asked.url == f"{reverse('account_reauthenticate')}?next=%2Faccounts%2Femail%2F"
    assert not mail.outbox
    wrong = client.post(asked.url, {"password": "wrong", "next": address})
    assert wrong.context["form"].errors
    client.post(asked.url, {"password": PASSWORD, "next": address})
    assert "alice@example.com" in client.get(address).content.decode()
    cast.alice.refresh_from_db()
    assert cast.alice.email == "alice@example.org"
    client.post(link_in(mail.outbox[-1]))
    cast.alice.refresh_from_db()
    assert cast.alice.email == "alice@example.com"
    assert EmailAddress.objects.get(user=cast.alice).email == "alice@example.com"


def test_the_display_name_changes(cast, as_user):
    client = as_user(cast.alice)
    client.post(reverse("account"), {"display_name": "  Alice   A. "})
    cast.alice.refresh_from_db()
    assert cast.alice.display_name == "Alice A."
    answer = client.post(reverse("account"), {"display_name": "x" * 51})
    assert "x" * 51 in answer.content.decode()
    cast.alice.refresh_from_db()
    assert cast.alice.display_name == "Alice A."


# Deletion


def delete(client: Client, password: str = PASSWORD):
    return client.post(reverse("account-delete"), {"password": password})


def test_deletion_removes_the_person_and_keeps_the_facts(cast, as_user):
    services.invite(user=cast.alice, team=cast.red)
    here, elsewhere = as_user(cast.bob), as_user(cast.bob)
    assert is_logged_in(elsewhere)
    assert delete(here).url == reverse("home")
    assert not is_logged_in(here)
    assert not is_logged_in(elsewhere)
    bob = User.objects.get(pk=cast.bob.pk)
    assert (bob.display_name, bob.is_active) == ("deleted user", False)
    assert "bob" not in bob.email
    assert not bob.has_usable_password()
    assert bob.deleted_at is not None
    assert not EmailAddress.objects.filter(user=bob).exists()
    assert not Membership.objects.filter(user=bob).exists()
    assert Event.objects.filter(kind="team.left", actor=bob).exists()
    log_in(here, "bob@example.org")
    assert not is_logged_in(here)
    assert User.objects.filter(email="bob@example.org").count() == 0


def test_the_address_may_sign_up_again_as_a_new_person(cast, as_user, client):
    delete(as_user(cast.bob))
    sign_up(client, "bob@example.org")
    client.post(link_in(mail.outbox[-1]))
    assert is_logged_in(client)
    assert User.objects.get(email="bob@example.org").pk != cast.bob.pk


def test_deletion_needs_the_password(cast, as_user):
    client = as_user(cast.bob)
    assert "This is not your password." in delete(client, "wrong").content.decode()
    assert is_logged_in(client)


def test_a_captain_hands_over_before_deletion(cast, as_user):
    client = as_user(cast.alice)
    assert "Choose a new captain first" in client.get(reverse("account-delete")).content.decode()
    delete(client)
    assert is_logged_in(client)
    with pytest.raises(services.RefusedError):
        services.delete_account(user=cast.alice)
    services.transfer_captaincy(user=cast.alice, team=cast.red, to=cast.bob)
    delete(client)
    assert not is_logged_in(client)


def test_the_team_of_a_last_member_stays_without_members(cast, as_user, submission):
    services.leave_team(user=cast.bob, team=cast.red)
    delete(as_user(cast.alice))
    cast.red.refresh_from_db()
    assert cast.red.captain is None
    assert cast.red.memberships.count() == 0


def test_a_team_that_did_nothing_goes_with_the_account_of_its_last_member(cast, as_user):
    delete(as_user(cast.carol))
    assert not Team.objects.filter(pk=cast.blue.pk).exists()


def test_an_organizer_who_deletes_the_account_organizes_no_more(cast, as_user):
    client = as_user(cast.oscar)
    assert cast.contest.title in client.get(reverse("account-delete")).content.decode()
    delete(client)
    assert not cast.contest.organizers.exists()
    cast.oscar.refresh_from_db()
    assert not cast.oscar.is_organizer


# Who may open what, and what allauth shows


@pytest.mark.parametrize("name", ["account", "account-delete"])
def test_an_account_is_for_people_who_are_logged_in(cast, as_user, name):
    answer = as_user(None).get(reverse(name))
    assert answer.url == f"{reverse('account_login')}?next={reverse(name)}"
    for user in (cast.eve, cast.alice, cast.bob, cast.carol, cast.oscar):
        assert as_user(user).get(reverse(name)).status_code == 200


def test_the_account_page_lists_ones_own_teams_only(cast, as_user):
    page = as_user(cast.carol).get(reverse("account")).content.decode()
    assert "Blue" in page
    assert "Red" not in page


OUTSIDE = [
    "account_login",
    "account_signup",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key_done",
    "account_email_verification_sent",
    "account_inactive",
]
INSIDE = [
    "account_logout",
    "account_email",
    "account_change_password",
    "account_reauthenticate",
]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", [*OUTSIDE, *INSIDE])
def test_every_page_of_allauth_looks_like_ours(cast, client, name, language):
    client.cookies["django_language"] = language
    if name in INSIDE:
        log_in(client, "alice@example.org")
    answer = client.get(reverse(name))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'class="site-header"' in page
    assert 'class="panel' in page
    assert f'<html lang="{language}">' in page


@pytest.mark.parametrize(
    "path", ["/accounts/confirm-email/MQ:bad/", "/accounts/password/reset/key/1-bad/"]
)
def test_a_broken_link_is_explained(db, client, path):
    page = client.get(path).content.decode()
    assert 'class="site-header"' in page
    assert "This link has expired" in page


# Organizers


def test_a_person_is_made_an_organizer_by_command(cast):
    call_command("grant_organizer", "EVE@example.org", stdout=StringIO())
    cast.eve.refresh_from_db()
    assert cast.eve.is_organizer
    with pytest.raises(CommandError, match=r"nobody@example\.org: no account"):
        call_command("grant_organizer", "nobody@example.org")


# The mail page


@pytest.fixture
def mail_folder(settings, tmp_path):
    """An installation without a mail server that keeps its mail in a folder."""
    settings.DEMO, settings.EMAIL_URL = True, ""
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    return settings.EMAIL_FILE_PATH


def deliver(folder, subject: str, body: str) -> None:
    message = EmailMessage(subject, body, "noreply@localhost", ["to@example.org"])
    EmailBackend(file_path=folder).send_messages([message])


def test_the_mail_page_shows_a_sign_up_and_its_link(db, mail_folder, client):
    sent = sign_up(client)
    assert reverse("mail") in client.get(sent.url).content.decode()
    page = client.get(reverse("mail")).content.decode()
    assert "[PWSCup] Confirm your email address" in page
    assert "Someone entered this email address" in page
    (link,) = re.findall(r'<a href="(/accounts/confirm-email/[^"]+)"', page)
    client.post(link)
    assert is_logged_in(client)


def test_the_newest_mail_stands_first_and_foreign_links_are_text(db, mail_folder, client):
    deliver(
        mail_folder, "first", "<b>bold</b> https://evil.example/a http://testserver.evil/ http://["
    )
    for file in mail_folder.iterdir():
        os.utime(file, (1, 1))  # both would be written within a tick of the clock of files
    deliver(mail_folder, "second", "see http://testserver/join/x/")
    page = client.get(reverse("mail")).content.decode()
    assert page.index("second") < page.index("first")
    assert '<a href="http://testserver/join/x/">' in page
    assert 'href="https://evil.example' not in page
    assert 'href="http://testserver.evil' not in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


@pytest.mark.parametrize("path", ["//evil.example/a", "/\\evil.example/a", "///evil.example/a"])
def test_no_link_of_the_mail_page_leads_to_another_host(db, mail_folder, settings, client, path):
    """At the site's own address such a path is a page; alone it names another host."""
    deliver(
        mail_folder,
        "s",
        f"{settings.SITE_URL}{path} {settings.SITE_URL} {settings.SITE_URL}/join/x/",
    )
    page = client.get(reverse("mail")).content.decode()
    assert re.findall(r'<a href="([^"]*)"[^>]*>http', page) == ["/join/x/"]
    assert path in page


def test_an_empty_mail_page_says_so(db, mail_folder, client):
    assert "No email yet" in client.get(reverse("mail")).content.decode()


@pytest.mark.parametrize(
    "request_fields",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_X_REAL_IP": "127.0.0.1"},
    ],
)
def test_the_mail_page_is_for_this_machine_only(db, mail_folder, client, request_fields):
    deliver(mail_folder, "secret", "a link")
    assert client.get(reverse("mail")).status_code == 200
    assert client.get(reverse("mail"), **request_fields).status_code == 404


@pytest.mark.parametrize(("name", "value"), [("DEMO", False), ("EMAIL_URL", "smtp://mail:25")])
def test_the_mail_page_is_closed_outside_a_demo(db, mail_folder, settings, client, name, value):
    setattr(settings, name, value)
    assert client.get(reverse("mail")).status_code == 404
    assert client.post(reverse("mail")).status_code in {404, 405}
    page = client.get(reverse("account_email_verification_sent")).content.decode()
    assert reverse("mail") not in page


def test_a_mail_survives_the_trip_through_the_file(tmp_path):
    deliver(tmp_path, "件名", "本文\n" + "長" * 400)
    (shown,) = mailbox.read_mails(tmp_path, "testserver")
    assert (shown.subject, shown.to) == ("件名", "to@example.org")
    assert "長" * 400 in shown.body
    assert shown.sent_at is not None


def test_the_mail_page_opens_for_no_role_outside_a_demo(cast, as_user):
    for user in (None, cast.eve, cast.alice, cast.bob, cast.carol, cast.oscar):
        assert as_user(user).get(reverse("mail")).status_code == 404
