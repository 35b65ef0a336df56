# SPDX-License-Identifier: Apache-2.0
"""Organizers and judges: asked by mail, added once they accept; nobody learns who has an account."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import invitations, policies
from pwscup.accounts import services as accounts
from pwscup.accounts.models import OfficeInvitation
from pwscup.contests import services, tasks
from pwscup.core.models import Event
from tests import factories
from tests.web import pipeline

ORGANIZERS, JUDGES = "/organize/cup/organizers/", "/organize/cup/judges/"


def said(response) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def invite(cast, office: str, email: str) -> OfficeInvitation:
    return services.invite_to_office(
        actor=cast.oscar, contest=cast.contest, office=office, email=email
    )


def address_of(invitation: OfficeInvitation) -> str:
    return reverse("office-invitation", args=[invitation.token])


def kinds() -> list[str]:
    return list(Event.objects.order_by("id").values_list("kind", flat=True))


def test_an_organizer_is_asked_by_mail_and_enters_on_accepting(cast, oscar, as_user):
    oscar.post(ORGANIZERS, {"email": " EVE@example.org"})
    eve = as_user(cast.eve)
    assert eve.get("/organize/cup/").status_code == 404
    assert accounts.policies.refusal_to_play(cast.eve, cast.contest, timezone.now()) is None
    tasks.mail_invitations()
    (message,) = mail.outbox
    assert message.to == ["eve@example.org"]
    assert "invite you to organize" in message.body
    assert "主催" in message.body
    (link, *_same) = re.findall(r"http://127.0.0.1:8000(/office/\S+)", message.body)

    page = eve.get(link).content.decode()
    assert "Organizers see the answer key" in page
    assert eve.get("/organize/cup/").status_code == 404  # a page that is opened accepts nothing
    assert eve.post(link).url == "/organize/cup/"

    assert eve.get("/organize/cup/").status_code == 200
    assert kinds() == ["contest.office_invited", "contest.organizer_added"]
    event = Event.objects.last()
    assert (event.actor, event.subject) == (cast.eve, f"user {cast.eve.pk}")
    assert event.data == {"user_id": cast.eve.pk, "invited_by": cast.oscar.pk}
    assert "eve@example.org" not in str(list(Event.objects.values_list("subject", "data")))


def test_who_is_removed_comes_back_by_no_invitation_of_their_own(cast, as_user):
    cast.contest.organizers.add(cast.eve)
    back = services.invite_to_office(
        actor=cast.eve, contest=cast.contest, office="organizer", email="eve+2@example.org"
    )
    other = invite(cast, "judge", "judge@example.org")
    services.remove_organizer(actor=cast.oscar, contest=cast.contest, user_id=cast.eve.pk)

    answer = as_user(cast.eve).post(address_of(back), follow=True)
    assert "The organizers have withdrawn this invitation." in said(answer)
    assert not policies.is_organizer(cast.eve, cast.contest)
    assert kinds()[-2:] == ["contest.office_withdrawn", "contest.organizer_removed"]
    other.refresh_from_db()
    assert other.revoked_at is None


def test_a_judge_is_asked_by_mail_and_judges_on_accepting(cast, oscar, as_user):
    oscar.post(JUDGES, {"judge-email": "eve@example.org"})
    tasks.mail_invitations()
    assert "invite you to judge" in mail.outbox[0].body
    assert not policies.is_judge(cast.eve, cast.contest)
    invitation = OfficeInvitation.objects.get()
    answer = as_user(cast.eve).post(address_of(invitation), follow=True)
    assert "You judge “Test Cup”." in said(answer)
    assert policies.is_judge(cast.eve, cast.contest)


@pytest.mark.parametrize(("url", "field"), [(ORGANIZERS, "email"), (JUDGES, "judge-email")])
def test_the_answer_is_the_same_with_an_account_and_without(cast, oscar, url, field):
    """Also for a person who plays and could not accept."""
    pages = []
    for name in ("eve", "nobody", "alice"):
        answer = oscar.post(url, {field: f"{name}@example.org"}, follow=True)
        text = re.sub(r'value="\d+"', "", answer.content.decode().replace(f"{name}@", "somebody@"))
        OfficeInvitation.objects.all().delete()
        pages.append(re.sub(r"\d\d:\d\d", "", text))
    assert pages[0] == pages[1] == pages[2]
    assert "We sent an invitation to somebody@example.org" in pages[0]


def test_who_signs_up_for_it_comes_back_to_the_invitation(cast, client):
    address = address_of(invite(cast, "organizer", "new@example.org"))
    page = client.get(address).content.decode()
    assert f"{reverse('account_signup')}?next={address}" in page
    assert client.post(address).url == f"{reverse('account_login')}?next={address}"


@pytest.mark.parametrize("office", ["organizer", "judge"])
def test_an_invitation_is_for_the_person_with_that_address(cast, as_user, office):
    """Not for anybody who gets hold of the link; case and a tag are no other mailbox."""
    invitation = invite(cast, office, "Eve+Work@example.org")
    rob = factories.make_user("rob")
    page = as_user(rob).get(address_of(invitation)).content.decode()
    assert "was sent to another address than that of your account" in page
    assert "eve+work" not in page.lower()
    assert "Accept" not in page
    answer = as_user(rob).post(address_of(invitation), follow=True)
    assert "was sent to another address" in said(answer)[0]
    invitation.refresh_from_db()
    assert invitation.used_at is None
    assert services.accept_office(user=cast.eve, invitation=invitation) == cast.contest


@pytest.mark.parametrize("office", ["organizer", "judge"])
def test_who_plays_or_has_played_holds_no_office(cast, as_user, round, sent, office):
    words = {"organizer": "therefore cannot organize it", "judge": "therefore cannot judge it"}
    plays = invite(cast, office, cast.bob.email)
    page = as_user(cast.bob).get(address_of(plays)).content.decode()
    assert words[office] in page
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    Event.objects.create(
        kind="team.joined", contest_id=cast.contest.pk, actor=cast.bob, subject="team red"
    )
    accounts.leave_team(user=cast.bob, team=cast.red)
    again = factories.make_user("bob+2")
    for user in (cast.bob, again):
        answer = as_user(user).post(address_of(plays), follow=True)
        assert words[office] in said(answer)[0]
    assert list(cast.contest.organizers.all()) == [cast.oscar]
    assert not cast.contest.judges.exists()


def test_who_left_a_team_that_did_nothing_may_hold_an_office(cast):
    accounts.leave_team(user=cast.bob, team=cast.red)
    services.accept_office(user=cast.bob, invitation=invite(cast, "organizer", cast.bob.email))
    assert policies.is_organizer(cast.bob, cast.contest)


def test_an_organizer_needs_no_invitation_to_judge(cast, as_user):
    cast.contest.organizers.add(cast.eve)
    judge = OfficeInvitation.objects.create(
        contest=cast.contest, office="judge", email=cast.eve.email
    )
    answer = as_user(cast.eve).post(address_of(judge), follow=True)
    assert "You organize this contest already" in said(answer)[0]
    assert not cast.contest.judges.exists()


def test_an_invitation_works_once_until_it_is_withdrawn_or_expires(cast, oscar, as_user):
    used, withdrawn, expired = (invite(cast, "judge", f"eve+{n}@example.org") for n in "abc")
    services.accept_office(user=cast.eve, invitation=used)
    page = oscar.get("/organize/cup/").content.decode()
    assert "eve+a@example.org" not in page
    assert "eve+b@example.org" in page
    answer = oscar.post(JUDGES, {"withdraw": withdrawn.pk}, follow=True)
    assert "The invitation is withdrawn." in said(answer)
    again = oscar.post(JUDGES, {"withdraw": withdrawn.pk}, follow=True)
    assert "has been used or withdrawn already" in said(again)[0]
    OfficeInvitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    late = factories.make_user("late")
    for invitation, words in ((used, "used"), (withdrawn, "withdrawn"), (expired, "expired")):
        assert words in as_user(late).get(address_of(invitation)).content.decode()
        with pytest.raises(services.ContestRefused, match=words):
            services.accept_office(user=late, invitation=invitation)
    assert list(cast.contest.judges.all()) == [cast.eve]
    assert "contest.office_withdrawn" in kinds()


def test_an_unknown_link_is_no_page(cast, client):
    assert client.get(reverse("office-invitation", args=["unknown"])).status_code == 404


def test_nobody_is_invited_twice_or_where_it_is_done(cast, oscar):
    invite(cast, "judge", "eve@example.org")
    answer = oscar.post(JUDGES, {"judge-email": "Eve@example.org"}, follow=True)
    assert "is invited already" in said(answer)[0]
    for url, field in ((ORGANIZERS, "email"), (JUDGES, "judge-email")):
        answer = oscar.post(url, {field: "oscar@example.org"}, follow=True)
        assert "organizes or judges the contest already" in said(answer)[0]


def test_the_number_of_open_invitations_is_bounded(cast, monkeypatch):
    monkeypatch.setattr(services.staff, "MOST_OPEN", 2)
    for number in range(2):
        invite(cast, "judge", f"{number}@example.org")
    with pytest.raises(services.ContestRefused, match="already waiting for an answer"):
        invite(cast, "judge", "third@example.org")


def test_mails_are_sent_once_also_for_a_draft_and_not_when_withdrawn(cast, draft):
    made = services.invite_to_office(
        actor=cast.oscar, contest=draft, office="judge", email="eve@example.org"
    )
    gone = services.invite_to_office(
        actor=cast.oscar, contest=draft, office="judge", email="bob@example.org"
    )
    services.withdraw_office_invitation(actor=cast.oscar, contest=draft, invitation_id=gone.pk)
    now = timezone.now() + timedelta(seconds=1)
    assert invitations.is_any_due(now)
    assert invitations.send_due(now) == 1
    assert not invitations.is_any_due(now)
    made.refresh_from_db()
    assert made.mailed_at is not None
    assert [message.to for message in mail.outbox] == [["eve@example.org"]]


def test_a_judge_of_a_draft_lands_on_a_page_that_exists(cast, draft, as_user):
    made = services.invite_to_office(
        actor=cast.oscar, contest=draft, office="judge", email="eve@example.org"
    )
    eve = as_user(cast.eve)
    assert eve.get(address_of(made)).status_code == 200
    assert eve.post(address_of(made), follow=True).status_code == 200
