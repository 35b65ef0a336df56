# SPDX-License-Identifier: Apache-2.0
"""Administrators of the site decide who may create contests; every decision is recorded."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from pwscup.accounts import services
from pwscup.accounts.models import User
from pwscup.core.models import Event
from tests import factories

PAGE = "/site/organizers/"
GRANTED, REVOKED = "account.organizer_granted", "account.organizer_revoked"


@pytest.fixture
def sam(db) -> User:
    return factories.make_user("sam", is_superuser=True)


@pytest.fixture
def admin(sam, as_user):
    return as_user(sam)


def decisions() -> list[tuple[str, str, str | None]]:
    found = Event.objects.filter(kind__in=(GRANTED, REVOKED)).order_by("id")
    return [(e.kind, e.subject, e.actor and e.actor.display_name) for e in found]


def may_create(client) -> bool:
    return client.get("/organize/new/").status_code == 200


def test_a_person_gets_the_role_and_loses_it(cast, admin, as_user):
    eve = as_user(cast.eve)
    assert not may_create(eve)
    shown = admin.post(PAGE, {"email": " EVE@example.org "}, follow=True).content.decode()
    assert "Eve may create contests now." in shown
    assert may_create(eve)
    shown = admin.post(PAGE, {"revoke": cast.eve.pk}, follow=True).content.decode()
    assert "Eve can no longer create contests." in shown
    assert not may_create(eve)
    subject = f"user {cast.eve.pk}"
    assert decisions() == [(GRANTED, subject, "Sam"), (REVOKED, subject, "Sam")]


def test_contests_stay_with_who_lost_the_role(cast, admin, oscar):
    admin.post(PAGE, {"revoke": cast.oscar.pk})
    assert not may_create(oscar)
    assert oscar.get("/organize/cup/").status_code == 200


@pytest.mark.parametrize("name", ["eve", "alice", "oscar"])
def test_nobody_else_sees_the_page_or_decides(cast, as_user, name):
    client = as_user(getattr(cast, name))
    assert client.get(PAGE).status_code == 404
    assert client.post(PAGE, {"email": "eve@example.org"}).status_code == 404
    assert decisions() == []
    assert "/site/organizers/" not in client.get("/organize/").content.decode()


def test_the_page_lists_people_contests_and_decisions(cast, admin):
    services.grant_organizer(user=cast.eve)
    page = admin.get(PAGE).content.decode()
    assert "3 people may create contests" in page
    assert "oscar@example.org · 1 contest" in page
    assert "eve@example.org · 0 contests" in page
    assert "alice@example.org" not in page
    assert "on the command line" in page
    assert 'href="/site/organizers/"' in admin.get("/organize/").content.decode()


def test_the_page_is_japanese_for_japanese(cast, admin):
    services.grant_organizer(user=cast.eve)
    admin.cookies["django_language"] = "ja"
    page = admin.get(PAGE).content.decode()
    assert "Organizers of the site" not in page
    assert "Eve：権限を付与" in page


def test_an_unknown_address_changes_nothing(cast, admin):
    answer = admin.post(PAGE, {"email": "nobody@example.org"})
    assert answer.status_code == 422
    assert "No account has the address nobody@example.org." in answer.content.decode()
    assert decisions() == []


def test_administrators_and_guests_keep_what_they_are(cast, sam, admin):
    shown = admin.post(PAGE, {"revoke": sam.pk}, follow=True).content.decode()
    assert "Administrators of the site may always create contests." in shown
    person = factories.make_user("guest", guest_of=cast.contest)
    shown = admin.post(PAGE, {"email": person.email}, follow=True).content.decode()
    assert "This account has no email address." in shown
    assert decisions() == []


def test_a_second_grant_is_no_decision(cast, admin):
    admin.post(PAGE, {"email": "oscar@example.org"})
    assert decisions() == []


def test_the_command_does_the_same(cast, sam):
    call_command("grant_organizer", "eve@example.org")
    call_command("grant_organizer", "eve@example.org", "--revoke")
    assert [(kind, actor) for kind, _subject, actor in decisions()] == [
        (GRANTED, None),
        (REVOKED, None),
    ]
    with pytest.raises(CommandError, match="Administrators of the site may always"):
        call_command("grant_organizer", "sam@example.org", "--revoke")
