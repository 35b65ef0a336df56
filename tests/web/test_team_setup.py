# SPDX-License-Identifier: Apache-2.0
"""Teams that organizers set up: judges, divisions, admission, lists of teams, and personal invitations."""

from __future__ import annotations

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.mail.backends.locmem import EmailBackend
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import invitations, policies
from pwscup.accounts import services as accounts
from pwscup.accounts.models import Invitation, Team
from pwscup.contests import services, tasks
from pwscup.contests.models import Contest
from pwscup.contests.teams import lists
from pwscup.core.models import Event
from tests import factories
from tests.web import pipeline

URL = "/organize/cup/teams/"
LIST = "/organize/cup/teams/list/"


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def refused(code, call, **arguments):
    with pytest.raises(accounts.RefusedError) as refusal:
        call(**arguments)
    assert refusal.value.code == code


@pytest.fixture
def divisions(cast):
    """Students and Others."""
    make = services.create_division
    return [
        make(actor=cast.oscar, contest=cast.contest, title="Students", title_ja="学生"),
        make(actor=cast.oscar, contest=cast.contest, title="Others"),
    ]


def set_up(cast, text: str) -> list[Team]:
    return services.set_up_teams(actor=cast.oscar, contest=cast.contest, text=text)


# Judges


def test_a_judge_is_removed_by_the_page(cast, oscar):
    factories.add_organizer(cast, cast.eve, "judge")
    assert "eve@example.org" in oscar.get("/organize/cup/").content.decode()
    oscar.post("/organize/cup/judges/", {"remove": cast.eve.pk})
    assert not policies.is_judge(cast.eve, cast.contest)
    events = Event.objects.filter(kind__startswith="contest.judge").order_by("id")
    assert [(event.kind, event.subject) for event in events] == [
        ("contest.judge_added", f"user {cast.eve.pk}"),
        ("contest.judge_removed", f"user {cast.eve.pk}"),
    ]


def test_a_judge_plays_not_and_never_will(cast, as_user):
    factories.add_organizer(cast, cast.eve, "judge")
    found = {"user": cast.eve, "contest": cast.contest, "name": "Green"}
    refused("judge", accounts.create_team, **found)
    services.remove_judge(actor=cast.oscar, contest=cast.contest, user_id=cast.eve.pk)
    refused("judge", accounts.create_team, **found)
    page = as_user(cast.eve).get("/c/cup/team/").text
    assert "Judges of this contest" in page
    assert "Create a team" not in page


def test_a_judge_sees_neither_the_data_nor_organizers_pages(cast, as_user):
    factories.add_organizer(cast, cast.eve, "judge")
    eve = as_user(cast.eve)
    for address in ("/organize/cup/", URL, "/organize/cup/data/", "/c/cup/data/original.csv"):
        assert eve.get(address).status_code == 404
    assert eve.get("/c/cup/").status_code == 200


def test_a_judge_whose_account_is_deleted_judges_no_more(cast):
    factories.add_organizer(cast, cast.eve, "judge")
    accounts.delete_account(user=cast.eve)
    assert not cast.contest.judges.exists()


# Divisions


def test_divisions_are_made_renamed_and_removed_by_the_page(cast, oscar):
    url = "/organize/cup/teams/divisions/"
    oscar.post(url, {"new-title": "Students", "new-title_ja": "学生"})
    oscar.post(url, {"new-title": "Others"})
    assert list(cast.contest.divisions.values_list("key", "position")) == [
        ("students", 0),
        ("others", 1),
    ]
    oscar.post(url, {"rename": "others", "title": "Companies", "title_ja": "企業"})
    division = cast.contest.divisions.get(key="others")
    assert (division.title, division.title_ja) == ("Companies", "企業")
    oscar.post(url, {"remove": "others"})
    assert list(cast.contest.divisions.values_list("key", flat=True)) == ["students"]
    kinds = Event.objects.order_by("id").values_list("kind", flat=True)
    assert list(kinds) == [
        "contest.division_created",
        "contest.division_created",
        "contest.division_renamed",
        "contest.division_removed",
    ]


@pytest.mark.parametrize("title", ["students", "ＳＴＵＤＥＮＴＳ", "学生"])
def test_no_two_divisions_are_called_the_same(cast, oscar, divisions, title):
    response = oscar.post("/organize/cup/teams/divisions/", {"new-title": title}, follow=True)
    assert "There is a division" in said(response)
    assert cast.contest.divisions.count() == 2


def test_a_division_with_teams_stays(cast, oscar, divisions):
    accounts.move_to_division(actor=cast.oscar, team=cast.red, division=divisions[0])
    response = oscar.post("/organize/cup/teams/divisions/", {"remove": "students"}, follow=True)
    assert "1 teams are in “Students”. Move them" in said(response)
    assert cast.contest.divisions.count() == 2


def test_a_title_that_cannot_be_is_said(cast, oscar, divisions):
    url = "/organize/cup/teams/divisions/"
    assert oscar.post(url, {"new-title": ""}).status_code == 422
    assert "required" in said(oscar.post(url, {"rename": "others", "title": ""}, follow=True))
    gone = oscar.post(url, {"rename": "none", "title": "New"}, follow=True)
    assert "no such division" in said(gone)


def test_a_team_is_founded_in_a_division_and_may_change_it(cast, as_user, divisions):
    eve = as_user(cast.eve)
    assert eve.post("/c/cup/team/create/", {"name": "Green"}).status_code == 422
    eve.post("/c/cup/team/create/", {"name": "Green", "division": "students"})
    team = Team.objects.get(name="Green")
    assert team.division == divisions[0]
    eve.post("/c/cup/team/division/", {"division": "others"})
    team.refresh_from_db()
    assert team.division == divisions[1]
    event = Event.objects.get(kind="team.division_changed")
    assert event.data == {"division": ["students", "others"]}
    response = eve.post("/c/cup/team/division/", {"division": "none"}, follow=True)
    assert "no such division" in said(response)


def test_a_division_is_chosen_until_the_first_round_closes(cast, oscar, divisions):
    refused("captain_only", accounts.choose_division, user=cast.bob, team=cast.red, division=None)
    pipeline.close(cast.contest.rounds.get(key="anonymization"))
    chosen = {"user": cast.alice, "team": cast.red, "division": divisions[0]}
    refused("division_fixed", accounts.choose_division, **chosen)
    oscar.post(f"{URL}move/", {"team": cast.red.pk, "division": "students"})
    cast.red.refresh_from_db()
    assert cast.red.division == divisions[0]
    oscar.post(f"{URL}move/", {"team": cast.red.pk, "division": ""})
    cast.red.refresh_from_db()
    assert cast.red.division is None


def test_a_team_is_moved_only_within_its_contest(cast, oscar, divisions):
    other = factories.make_contest(slug="other", organizer=cast.oscar)
    stranger = factories.make_team(other, "Stranger")
    assert oscar.post(f"{URL}move/", {"team": stranger.pk}).status_code == 404
    given = {"team": cast.red.pk, "division": "none"}
    assert oscar.post(f"{URL}move/", given).status_code == 404
    assert oscar.post(f"{URL}move/", {"team": "x"}).status_code == 404
    with pytest.raises(accounts.RefusedError):
        accounts.move_to_division(actor=cast.oscar, team=stranger, division=divisions[0])


# Admission


def test_in_a_contest_by_invitation_nobody_founds_a_team(cast, oscar, as_user):
    values = {"admission": "invited", "title": "Test Cup", "timezone": "Asia/Tokyo"}
    values |= {"title_ja": "", "max_team_size": 3, "version": cast.contest.version}
    oscar.post("/organize/cup/settings/", values)
    cast.contest.refresh_from_db()
    assert cast.contest.admission == "invited"
    assert Event.objects.get().data["admission"] == ["open", "invited"]
    found = {"user": cast.eve, "contest": cast.contest, "name": "Green"}
    refused("invited_only", accounts.create_team, **found)
    page = as_user(cast.eve).get("/c/cup/team/").content.decode()
    assert "The organizers of this contest set up its teams." in page
    assert "open the invitation link" in as_user(None).get("/c/cup/").content.decode()
    link = accounts.invite(user=cast.alice, team=cast.red)
    assert accounts.join_team(user=cast.eve, invitation=link) == cast.red


# Lists


GOOD = """team,division,email
Green,Students,ann@example.org,ben@example.org
黄,学生,cho@example.org
Green,,Dan@Example.org
"""


def test_a_list_names_teams_in_one_line_or_several(cast, divisions):
    found = lists.read(cast.contest, GOOD)
    assert found.problems == []
    assert [(team.name, team.division.key, team.emails) for team in found.teams] == [
        ("Green", "students", ["ann@example.org", "ben@example.org", "dan@example.org"]),
        ("黄", "students", ["cho@example.org"]),
    ]


@pytest.mark.parametrize(
    ("text", "n_teams"),
    [
        ("Green;;ann@example.org\nGold;;ben@example.org", 2),
        ("Green\t\tann@example.org", 1),
        ("\ufeffTeam,Division,E-mail\r\nGreen,,ann@example.org\r\n\r\n", 1),
        ('"Green, or so",,ann@example.org', 1),
        ("チーム,部門,メール\n緑,,ann@example.org", 1),
    ],
)
def test_lists_come_as_spreadsheets_save_them(cast, text, n_teams):
    found = lists.read(cast.contest, text)
    assert found.problems == []
    assert len(found.teams) == n_teams


@pytest.mark.parametrize(
    ("text", "division"),
    [
        ("チーム名,メールアドレス\n緑,ann@example.org,ben@example.org", None),
        ("メールアドレス,チーム名\nann@example.org,緑,ben@example.org", None),
        ("E-mail,Division,Team\nann@example.org,Students,緑,ben@example.org", "students"),
        ("Team,E-mail,Division\n緑,ann@example.org,Students,ben@example.org", "students"),
        ("Team,Section,E-mail\n緑,Students,ann@example.org,ben@example.org", "students"),
        ("緑,ann@example.org,ben@example.org", None),
        ("緑,ann@example.org\n緑,Students,ben@example.org", "students"),
    ],
)
def test_a_list_needs_no_division_and_a_header_may_order_its_columns(
    cast, divisions, text, division
):
    found = lists.read(cast.contest, text)
    assert found.problems == []
    [team] = found.teams
    assert (team.name, team.division and team.division.key) == ("緑", division)
    assert team.emails == ["ann@example.org", "ben@example.org"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 0, "names no team"),
        ("team,division,email", 0, "names no team"),
        (",,ann@example.org", 1, "The line names no team"),
        ("Green\u200b,,ann@example.org", 1, "cannot be seen"),
        (f"{'x' * 41},,ann@example.org", 1, "41 characters — expected at most 40"),
        ("Red,,ann@example.org", 1, "already has the name “Red”"),
        ("ｒｅｄ,,ann@example.org", 1, "already has the name"),
        ("Green,,ann@example.org\nGREEN,,ben@example.org", 2, "looks like “Green” of line 1"),
        (
            "Green,Kings,ann@example.org",
            1,
            "no division “Kings” — expected one of: Students, Others",
        ),
        (
            "Green,Students,ann@example.org\nGreen,Others,ben@example.org",
            2,
            "“Green” is in “Students” by line 1 — got “Others”",
        ),
        ("Green,,ann at example.org", 1, "“ann at example.org” is not an email address"),
        ("Green,,", 1, "no email address, so nobody could join"),
        ("Green", 1, "no email address"),
        ("G,,a@b.org\nG,,A@B.org", 1, "a@b.org is named twice: in “G” and in “G”"),
        ("G,,a@b.org\nH,,a@b.org", 2, "a@b.org is named twice: in “H” and in “G”"),
        ("G,,a@b.org,c@b.org,d@b.org,e@b.org", 1, "“G” has 4 members — expected at most 3"),
        ("G,,alice@example.org", 1, "alice@example.org: plays in the team “Red” already"),
        ("G,,OSCAR@example.org", 1, "oscar@example.org: organizes this contest"),
        ("G,,judy@example.org", 1, "judy@example.org: judges this contest"),
        (
            "G,,former@example.org",
            1,
            "former@example.org: was an organizer or judge of this contest",
        ),
        ("G,,asked@example.org", 1, "asked@example.org: is invited to the team “Blue” already"),
        ("G,,a@b.org\n" * 5_001, 5_001, "more than 5000 lines"),
    ],
)
def test_what_is_wrong_with_a_list_is_named_by_line(cast, divisions, text, line, words):
    judy, former = factories.make_user("judy"), factories.make_user("former")
    cast.contest.judges.add(judy)
    Event.objects.create(
        kind="contest.judge_removed", contest_id=cast.contest.pk, data={"user_id": former.pk}
    )
    Invitation.objects.create(team=cast.blue, email="asked@example.org")
    found = lists.read(cast.contest, text)
    assert any(p.line == line and words in p.words for p in found.problems), found.problems
    with pytest.raises(services.TeamListRefused):
        set_up(cast, text)
    assert cast.contest.teams.count() == 2


def test_every_problem_is_found_at_once(cast, divisions):
    text = "Red,Kings,alice@example.org\n,,x\nGreen,,nobody"
    found = lists.read(cast.contest, text)
    assert [problem.line for problem in found.problems] == [1, 1, 1, 2, 3, 3]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("緑,,a@b.org".encode("cp932"), "緑,,a@b.org"),
        ("\ufeff緑,,a@b.org".encode(), "緑,,a@b.org"),
        (b"\x89PNG\0\0", None),
        (b"\xff\xfe\x81", None),
    ],
)
def test_files_are_read_as_they_come(data, text):
    assert lists.decoded(data) == text


def upload(client, contest, file=GOOD, **more):
    contest.refresh_from_db()
    data = {"version": contest.version} | more
    if file is not None:
        data["file"] = SimpleUploadedFile("teams.csv", file.encode())
    return client.post(LIST, data, follow=True)


def test_a_list_is_shown_before_anything_is_made(cast, oscar, divisions):
    page = upload(oscar, cast.contest)
    assert page.status_code == 200
    assert "2 teams" in page.content.decode()
    assert "4 invitations" in page.content.decode()
    assert cast.contest.teams.count() == 2
    assert not mail.outbox
    made = upload(oscar, cast.contest, None, text=page.context["found"].text, make="1")
    assert said(made) == "2 teams are set up."
    green = Team.objects.get(name="Green")
    assert (green.slug, green.division, green.captain) == ("green", divisions[0], None)
    assert Team.objects.get(name="黄").slug == "team-4"
    assert green.invitations.count() == 3
    events = Event.objects.filter(kind="team.set_up").order_by("id")
    assert events[0].actor == cast.oscar
    assert events[0].data == {"name": "Green", "division": "students", "n_invitations": 3}
    assert "ann@example.org" not in str(list(Event.objects.values_list("data", "subject")))


def test_a_list_with_problems_makes_nothing(cast, oscar):
    page = upload(oscar, cast.contest, GOOD, make="1")
    assert page.status_code == 422
    assert "no division “Students”" in page.content.decode()
    assert 'name="make"' not in page.content.decode()
    assert cast.contest.teams.count() == 2


def test_two_organizers_set_up_no_team_twice(cast, oscar, divisions):
    old = cast.contest.version
    upload(oscar, cast.contest, GOOD, make="1")
    data = {"version": old, "text": GOOD.replace("Green", "Gold"), "make": "1"}
    page = oscar.post(LIST, data)
    assert "Another organizer changed this contest" in said(page)
    assert cast.contest.teams.count() == 4


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "Choose a file."),
        (b"\x89PNG\0\0\0", "The file is not text."),
        (b"x" * 500_001, "The file is too large"),
    ],
)
def test_a_file_that_is_no_list_comes_back(cast, oscar, data, words):
    sent = {"version": 0} | ({"file": SimpleUploadedFile("t.csv", data)} if data else {})
    response = oscar.post(LIST, sent)
    assert response.status_code == 422
    assert words in str(response.context["list_form"].errors)


def test_a_contest_that_is_over_gets_no_teams(cast):
    cast.contest.rounds.update(
        opens_at=timezone.now() - timedelta(days=9), closes_at=timezone.now() - timedelta(days=8)
    )
    with pytest.raises(services.ContestRefused, match="teams no longer change"):
        set_up(cast, "Green,,ann@example.org")


# Invitations


@pytest.fixture
def green(cast) -> Team:
    """A team for ann and eve that organizers set up; the mails wait."""
    return set_up(cast, "Green,,ann@example.org,eve@example.org")[0]


def test_the_mail_goes_out_on_commit_with_a_link_that_works_once(
    cast, as_user, settings, django_capture_on_commit_callbacks
):
    settings.SITE_URL = "https://cup.example"
    with django_capture_on_commit_callbacks(execute=True):
        green = set_up(cast, "Green,,eve@example.org")[0]
    (message,) = mail.outbox
    assert message.to == ["eve@example.org"]
    assert message.subject.startswith("[Test Cup] Invitation to the team Green")
    invitation = green.invitations.get()
    assert f"https://cup.example/join/{invitation.token}/" in message.body
    assert "Hello," in message.body
    assert "“テスト杯”" in message.body or "「テスト杯」" in message.body
    assert invitation.mailed_at is not None
    address = reverse("invitation", args=[invitation.token])
    eve = as_user(cast.eve)
    assert "Valid until" not in eve.get(address).content.decode()
    assert eve.post(address).url == "/c/cup/joined/"
    green.refresh_from_db()
    assert green.captain == cast.eve
    ann = factories.make_user("ann")
    assert as_user(ann).post(address).status_code == 409
    assert "has been used" in as_user(ann).get(address).content.decode()
    assert green.memberships.count() == 1


def test_only_the_first_to_join_becomes_captain(cast, green):
    ann = factories.make_user("ann")
    first, second = green.invitations.order_by("id")
    accounts.join_team(user=ann, invitation=first)
    accounts.join_team(user=cast.eve, invitation=second)
    green.refresh_from_db()
    assert green.captain == ann


def test_a_captains_link_and_personal_ones_do_not_touch_each_other(cast, green):
    ann = factories.make_user("ann")
    first, second = green.invitations.order_by("id")
    accounts.join_team(user=ann, invitation=first)
    link = accounts.invite(user=ann, team=green)
    accounts.revoke_invitation(user=ann, team=green)
    link.refresh_from_db()
    second.refresh_from_db()
    assert link.revoked_at is not None
    assert second.revoked_at is None
    accounts.leave_team(user=ann, team=green)
    accounts.join_team(user=cast.eve, invitation=second)
    green.refresh_from_db()
    assert green.captain == cast.eve


def test_mails_wait_until_the_contest_is_public(cast, green):
    Contest.objects.update(is_published=False)
    assert invitations.send_due(timezone.now()) == 0
    Contest.objects.update(is_published=True)
    assert invitations.send_due(timezone.now()) == 2
    assert invitations.send_due(timezone.now()) == 0
    assert {message.to[0] for message in mail.outbox} == {"ann@example.org", "eve@example.org"}


def test_the_sweeper_sends_what_was_not_sent(cast, green):
    tasks.sweep.apply()
    assert len(mail.outbox) == 2
    tasks.sweep.apply()
    assert len(mail.outbox) == 2


def test_a_broker_that_is_away_costs_no_team(cast, monkeypatch, django_capture_on_commit_callbacks):
    def away():
        raise ConnectionError

    monkeypatch.setattr(tasks, "send_mails", away)
    with django_capture_on_commit_callbacks(execute=True):
        green = set_up(cast, "Green,,eve@example.org")[0]
    assert green.invitations.get().mail_due_at is not None


def test_a_mail_server_that_refuses_is_asked_again_some_times(cast, green, monkeypatch):
    def refuse(self, messages):
        raise smtplib.SMTPServerDisconnected

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    now = timezone.now()
    assert invitations.send_due(now) == 0
    assert invitations.send_due(now) == 0  # not at once
    assert set(green.invitations.values_list("mail_tries", flat=True)) == {1}
    for _try in range(9):
        green.invitations.exclude(mail_due_at=None).update(mail_due_at=now)
        invitations.send_due(now)
    assert set(green.invitations.values_list("mail_tries", "mail_due_at", "mailed_at")) == {
        (invitations.MAX_TRIES, None, None)
    }


def test_no_mail_is_sent_twice_by_two_workers(cast, green, monkeypatch):
    sent = []

    def send_meanwhile(self, messages):
        sent.extend(messages)
        invitations.send_due(timezone.now())  # another worker, at the same moment
        return len(messages)

    monkeypatch.setattr(EmailBackend, "send_messages", send_meanwhile)
    invitations.send_due(timezone.now())
    assert sorted(message.to[0] for message in sent) == ["ann@example.org", "eve@example.org"]


def test_a_name_makes_no_header(cast, green):
    green.name = "Green\nBcc: everybody@example.org"
    message = invitations.message(Invitation(team=green, email="a@b.org", token="t"))
    assert "\n" not in message.subject


def post(client, **values):
    return client.post(f"{URL}invitations/", values, follow=True)


def test_invitations_are_sent_again_revoked_and_added_by_the_page(cast, oscar, green):
    first, second = green.invitations.order_by("id")
    invitations.send_due(timezone.now())
    assert "sent again" in said(post(oscar, resend=first.pk))
    first.refresh_from_db()
    assert first.mail_due_at is not None
    invitations.send_due(timezone.now())
    assert [message.to[0] for message in mail.outbox].count("ann@example.org") == 2
    assert mail.outbox[0].body == mail.outbox[2].body
    assert "no longer works" in said(post(oscar, revoke=second.pk))
    refused("invitation_revoked", accounts.join_team, user=cast.eve, invitation=second)
    assert "used or revoked already" in said(post(oscar, resend=second.pk))
    added = post(oscar, team=green.pk, email="Dora@example.org")
    assert "We sent an invitation to Dora@example.org" in said(added)
    assert green.invitations.filter(email="dora@example.org").exists()
    kinds = (
        Event.objects.filter(kind__startswith="team.").order_by("id").values_list("kind", flat=True)
    )
    assert list(kinds) == [
        "team.set_up",
        "team.invitation_resent",
        "team.invitation_revoked",
        "team.invited_by_mail",
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"email": "eve@example.org"}, "is invited to the team “Green” already"),
        ({"email": "alice@example.org"}, "plays in the team “Red” already"),
        ({"email": "nobody"}, "Enter an email address."),
        ({"team": 0, "email": "new@example.org"}, "Enter an email address."),
        ({"team": 10**9, "email": "new@example.org"}, "no such team"),
    ],
)
def test_who_cannot_be_invited(cast, oscar, green, values, words):
    assert words in said(post(oscar, **({"team": green.pk} | values)))
    assert green.invitations.count() == 2


def test_no_more_are_invited_than_there_are_seats(cast, oscar, green):
    post(oscar, team=green.pk, email="dora@example.org")
    assert "no seat left" in said(post(oscar, team=green.pk, email="emil@example.org"))


def test_invitations_of_another_contest_are_not_touched(cast, oscar, green):
    other = factories.make_contest(slug="other")
    stranger = Invitation.objects.create(team=factories.make_team(other, "S"), email="s@b.org")
    for action in ("resend", "revoke"):
        assert "used or revoked already" in said(post(oscar, **{action: stranger.pk}))
    stranger.refresh_from_db()
    assert (stranger.revoked_at, stranger.mail_due_at) == (None, None)


def test_the_links_are_downloaded_by_organizers(cast, oscar, settings, green):
    settings.SITE_URL = "https://cup.example"
    first, second = green.invitations.order_by("id")
    services.revoke_invitation(actor=cast.oscar, contest=cast.contest, invitation_id=second.pk)
    text = oscar.get(f"{URL}invitations.csv").content.decode()
    assert f"Green,,ann@example.org,https://cup.example/join/{first.token}/,,open" in text
    assert "Green,,eve@example.org,,,revoked" in text


def test_members_see_how_many_are_still_invited(cast, as_user, green):
    first = green.invitations.order_by("id").first()
    accounts.join_team(user=factories.make_user("ann"), invitation=first)
    page = as_user(green.memberships.get().user).get("/c/cup/team/").content.decode()
    assert "invited one more person by email" in page
    assert "can still join" in page
    assert "eve@example.org" not in page


@pytest.mark.parametrize("address", [URL, f"{URL}invitations.csv"])
def test_more_teams_cost_no_more_queries(
    cast, oscar, divisions, address, django_assert_max_num_queries
):
    counts = []
    for n_teams in (3, 30):
        missing = range(cast.contest.teams.count(), n_teams)
        set_up(cast, "\n".join(f"Team {n},students,t{n}@example.org" for n in missing))
        with django_assert_max_num_queries(40) as found:
            oscar.get(address)
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_more_teams_cost_no_more_queries_to_look_at_a_list(
    cast, divisions, django_assert_num_queries
):
    for n_teams in (3, 30):
        text = "\n".join(f"Team {n},students,t{n}@example.org" for n in range(n_teams))
        contest = Contest.objects.get(pk=cast.contest.pk)
        with django_assert_num_queries(7):
            assert lists.read(contest, text).problems == []
