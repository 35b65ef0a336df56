# SPDX-License-Identifier: Apache-2.0
"""Access tokens: shown once, kept as a hash, ended by time, by hand and with the account."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import services, tokens
from pwscup.accounts.models import AccessToken
from pwscup.accounts.tokens import TokenRefused, create_token, token_by_text
from pwscup.core.models import Event
from tests import factories
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db
PAGE = "/account/tokens/"
SHOWN = re.compile(r'id="new-token"[^>]*>(pwscup_[\w-]+)<')


@pytest.fixture
def alice():
    return factories.make_user("alice")


def made(user, name="laptop", days=7):
    return create_token(user=user, name=name, days=days)


def known(text):
    return token_by_text(text, timezone.now())


def test_a_token_is_shown_once_and_kept_as_a_hash(alice, as_user):
    browser = as_user(alice)
    sent = browser.post(PAGE, {"name": "laptop", "days": "30", "password": PASSWORD})
    (text,) = SHOWN.findall(sent.content.decode())
    token = AccessToken.objects.get()
    assert known(text) == token
    assert (token.user, token.name) == (alice, "laptop")
    assert token.expires_at - token.created_at == timedelta(days=30)
    assert "no-store" in sent["Cache-Control"]
    later = browser.get(PAGE).content.decode()
    assert "laptop" in later
    assert text not in later
    assert token.digest not in later
    kept = [str(value) for row in AccessToken.objects.values() for value in row.values()]
    events = [str(event.data) + event.subject for event in Event.objects.all()]
    assert not [value for value in kept + events if text.removeprefix("pwscup_") in value]


def test_an_open_browser_is_not_enough(alice, as_user):
    sent = as_user(alice).post(PAGE, {"name": "laptop", "days": "30", "password": "guess"})
    assert sent.status_code == 422
    assert "This is not your password." in sent.content.decode()
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"name": "\u200b"}, {"name": "a" * 51}, {"days": "8"}, {"days": "0"}]
)
def test_names_and_lifetimes_are_checked(alice, as_user, wrong):
    sent = {"name": "laptop", "days": "30", "password": PASSWORD} | wrong
    assert as_user(alice).post(PAGE, sent).status_code == 422
    assert not AccessToken.objects.exists()


def test_a_form_sent_twice_makes_one_token(alice, as_user):
    browser, form = as_user(alice), {"name": "laptop", "days": "30", "password": PASSWORD}
    assert browser.post(PAGE, form).status_code == 200
    again = browser.post(PAGE, form)
    assert again.status_code == 422
    assert "You already have a token with this name." in again.content.decode()
    assert AccessToken.objects.count() == 1


def test_a_person_has_a_few_tokens(alice, monkeypatch):
    monkeypatch.setattr(tokens, "MAX_TOKENS", 2)
    first, _text = made(alice, "one")
    made(alice, "two")
    with pytest.raises(TokenRefused) as refused:
        made(alice, "three")
    assert refused.value.code == "token.too_many"
    tokens.revoke_token(token=first)
    made(alice, "three")
    made(factories.make_user("bob"), "one")


def test_what_ended_opens_nothing(alice):
    token, text = made(alice)
    assert known(text) == token
    assert token_by_text(text, token.expires_at) is None
    assert known(text + "x") is None
    assert known(token.digest) is None
    tokens.revoke_token(token=token)
    assert known(text) is None


def test_a_token_ends_with_its_account(alice):
    _token, text = made(alice)
    services.delete_account(user=alice)
    assert known(text) is None
    assert not AccessToken.objects.exists()


def test_a_closed_account_is_shut_out(alice):
    _token, text = made(alice)
    alice.is_active = False
    alice.save()
    assert known(text) is None


def test_when_it_was_used_is_kept_to_the_minute(alice):
    token, text = made(alice)
    now = timezone.now()
    for seconds, seen in ((0, 0), (30, 0), (61, 61)):
        token_by_text(text, now + timedelta(seconds=seconds))
        token.refresh_from_db()
        assert token.last_used_at == now + timedelta(seconds=seen)


def test_making_and_revoking_leave_events(alice):
    token, _text = made(alice)
    tokens.revoke_token(token=token)
    tokens.revoke_token(token=token)
    events = Event.objects.filter(kind__startswith="account.token").order_by("pk")
    assert [event.kind for event in events] == ["account.token_created", "account.token_revoked"]
    assert {event.actor for event in events} == {alice}
    assert {event.data["token"] for event in events} == {token.pk}


def test_only_the_owner_revokes(alice, as_user):
    token, text = made(alice, "alice's own")
    address = reverse("token-revoke", args=[token.pk])
    stranger = as_user(factories.make_user("eve"))
    assert stranger.post(address).status_code == 404
    assert "alice&#x27;s own" not in stranger.get(PAGE).content.decode()
    assert known(text) == token
    assert "alice&#x27;s own" in as_user(alice).get(PAGE).content.decode()
    assert as_user(alice).post(address).url == PAGE
    assert known(text) is None
    assert "alice&#x27;s own" not in as_user(alice).get(PAGE).content.decode()


def test_another_password_ends_all_tokens(alice, as_user):
    _token, text = create_token(user=alice, name="laptop", days=30)
    other = "a-much-longer-one-7"
    form = {"oldpassword": PASSWORD, "password1": other, "password2": other}
    assert as_user(alice).post(reverse("account_change_password"), form).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(other)
    assert token_by_text(text, timezone.now()) is None
    assert Event.objects.filter(kind="account.token_revoked", actor=alice).count() == 1
